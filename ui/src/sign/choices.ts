// Cards to choose a drawing from: handwriting styles for a typed name, or seals. The server draws them with the code
// that stamps them, so signers see what will be stamped. The cards are a group of radio buttons: arrow keys choose, and
// each is labelled with its content.

import { one } from "../shared/dom";
import { Refusal, send, type SignData } from "./data";

/** How a drawing is made, in the server's format; this script does not interpret it. */
export type Drawing = Record<string, string>;

interface Choice {
  drawing: Drawing;
  label: string;
  /** Empty if it cannot be drawn. */
  svg: string;
  /** Why it cannot. */
  message: string;
}

const PAUSE = 250;

export class Choices {
  #choices: Choice[] = [];
  #chosen = "";
  #asked = "";
  #shown = "";
  #timer = 0;
  #settled: (() => void)[] = [];
  readonly #cards: HTMLElement;

  constructor(
    private readonly group: HTMLFieldSetElement,
    private readonly data: SignData,
    /** Shows what is wrong. Empty: nothing. */
    private readonly say: (message: string) => void,
  ) {
    this.#cards = one<HTMLElement>(".cards", group);
    addEventListener("online", () => {
      if (this.#asked && this.#asked !== this.#shown) this.#schedule(0);
    });
  }

  /** Shows the drawings for this wish, a moment after its last change. */
  show(wish: Record<string, string>, name: string): void {
    const asked = name.trim() ? JSON.stringify(wish) : "";
    if (asked === this.#asked && (asked === this.#shown || this.#timer !== 0)) return;
    this.#asked = asked;
    if (asked) this.#schedule(this.#shown ? PAUSE : 0);
    else this.#forget();
  }

  /** The chosen drawing and its picture. `null` while another is being drawn. */
  get chosen(): { drawing: Drawing; source: string } | null {
    if (this.#asked !== this.#shown) return null;
    const choice = this.#choices.find((candidate, place) => key(candidate, place) === this.#chosen && candidate.svg);
    return choice ? { drawing: choice.drawing, source: source(choice.svg) } : null;
  }

  /** Waits until the latest requested drawings have arrived or failed. */
  async settled(): Promise<void> {
    if (this.#timer !== 0) await new Promise<void>((settle) => this.#settled.push(settle));
  }

  #forget(): void {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.group.removeAttribute("aria-busy");
    this.#render("", []);
    for (const settle of this.#settled.splice(0)) settle();
  }

  #schedule(pause: number): void {
    clearTimeout(this.#timer);
    this.group.setAttribute("aria-busy", "true");
    this.#timer = window.setTimeout(() => void this.#load(), pause);
  }

  async #load(): Promise<void> {
    const asked = this.#asked;
    try {
      const answer = await send<{ choices: Choice[] }>(this.data, "POST", "/sign/drawings", JSON.parse(asked));
      if (asked !== this.#asked) return;
      this.#render(asked, answer.choices);
    } catch (fault) {
      if (asked !== this.#asked) return;
      if (fault instanceof Refusal && fault.ended) location.reload();
      else if (fault instanceof Refusal && fault.status < 500) {
        this.#render(asked, []);
        this.say(fault.problem.errors?.[0]?.message ?? fault.message);
      } else {
        this.#render("", []);
        this.say(this.data.texts["sign-pad-choices-failed"] ?? "");
      }
    } finally {
      if (asked === this.#asked) {
        this.#timer = 0;
        this.group.removeAttribute("aria-busy");
        for (const settle of this.#settled.splice(0)) settle();
      }
    }
  }

  #render(shown: string, choices: Choice[]): void {
    this.#shown = shown;
    const before = this.#chosen;
    const focused = this.#cards.contains(document.activeElement);
    this.#choices = choices;
    // The chosen handwriting style, or the position among the seals, stays chosen while the name changes. A style that
    // lacks a letter cannot be chosen. If all styles lack one, we say so once, below.
    const able = [...choices.entries()]
      .filter(([, choice]) => choice.svg)
      .map(([place, choice]) => ({ choice, key: key(choice, place) }));
    this.#chosen = (able.find(({ key }) => key === before) ?? able[0])?.key ?? "";
    this.#cards.replaceChildren(...able.map(({ choice, key }) => this.#card(choice, key)));
    this.group.hidden = able.length === 0;
    if (focused) this.#cards.querySelector<HTMLInputElement>("input:checked")?.focus();
    if (shown) {
      const failed = choices.find((choice) => choice.message);
      this.say(able.length === 0 && failed ? failed.message : "");
    }
  }

  #card(choice: Choice, key: string): HTMLElement {
    const card = document.createElement("label");
    card.className = "card-choice";
    const radio = document.createElement("input");
    radio.type = "radio";
    radio.name = this.group.id;
    radio.checked = key === this.#chosen;
    radio.setAttribute("aria-label", choice.label);
    radio.addEventListener("change", () => {
      this.#chosen = key;
    });
    const image = document.createElement("img");
    image.alt = "";
    image.src = source(choice.svg);
    card.append(radio, image);
    return card;
  }
}

function key(choice: Choice, place: number): string {
  return choice.drawing.hand ?? `seal ${place}`;
}

/** An SVG from the server as a picture's URL. */
function source(svg: string): string {
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
}
