// The guided mode: one field after another, with its position in the sequence, name, rule and error message. On a phone
// it is a sheet at the bottom with its own text box, and the page above shows the field's box. On a larger screen the
// signer fills in the field in place, with the explanation next to it. The page mode is always one press away, and both
// write into the same fields.

import { fill, one } from "../shared/dom";
import { covered } from "../shared/keyboard";
import type { DocumentView } from "./document-view";
import { type Entry, entryFor } from "./entry";
import { AttachmentField, type Field, NARROW, TextField } from "./fields";

export interface GuideHost {
  texts: Record<string, string>;
  /** Whether the document can be approved now. */
  complete(): boolean;
  /** Leads to the approval. */
  finish(): void;
  /** Shows which fields prevent the approval. */
  tell(open: Field[]): void;
}

const KEPT = "countersign-guided";
/** The words next to a field, on a screen with room for them. */
const BESIDE = "(min-width: 80rem)";
const GAP = 12;

export class Guide {
  readonly #panel = one<HTMLElement>("#guide");
  readonly #count = one<HTMLElement>("#guide-count");
  readonly #label = one<HTMLLabelElement>("#guide-label");
  readonly #rule = one<HTMLElement>("#guide-rule");
  readonly #room = one<HTMLElement>("#guide-room");
  readonly #fault = one<HTMLElement>("#guide-fault");
  readonly #back = one<HTMLButtonElement>("#guide-back");
  readonly #next = one<HTMLButtonElement>("#guide-next");
  readonly #approve = one<HTMLButtonElement>("#guide-approve");
  readonly #toggle = one<HTMLButtonElement>("#guide-toggle");
  readonly #narrow = matchMedia(NARROW);
  #on = false;
  #at = 0;
  #entry: Entry | null = null;

  constructor(
    private readonly fields: Field[],
    private readonly view: DocumentView,
    private readonly host: GuideHost,
  ) {
    this.#toggle.hidden = fields.length === 0;
    this.#toggle.addEventListener("click", () => this.turn(!this.#on));
    one("#guide-off").addEventListener("click", () => this.turn(false));
    this.#back.addEventListener("click", () => this.#go(this.#at - 1));
    this.#next.addEventListener("click", () => this.#goOn());
    this.#approve.addEventListener("click", () => this.host.finish());
    this.#panel.addEventListener("keydown", (event) => this.#pressed(event));
    for (const [index, field] of fields.entries()) {
      for (const box of field.boxes) {
        // Tab, Shift-Tab and a tap also lead to a field, but the page does not move under the finger.
        box.addEventListener("focusin", () => this.#on && this.#at !== index && this.#show(index));
        box.addEventListener("keydown", (event) => this.#on && this.#pressed(event));
      }
    }
    this.#narrow.addEventListener("change", () => this.#on && this.#showAnew());
    if (wasOn() && fields.length > 0) this.#setOn(true);
  }

  /** Switches between the two modes. */
  turn(on: boolean): void {
    this.#setOn(on);
    keepOn(on);
    if (on) {
      const [open] = this.#open;
      this.#go(open ? this.fields.indexOf(open) : 0);
    } else {
      this.#showPage();
      this.#toggle.focus({ preventScroll: true });
    }
  }

  /** Leads to this field if this mode is on. */
  take(field: Field): boolean {
    const index = this.fields.indexOf(field);
    if (!this.#on || index < 0) return false;
    this.#go(index);
    return true;
  }

  /** After a value changed, or the server has judged it. */
  refresh(): void {
    if (this.#on) this.#say();
  }

  /** The document is finished. */
  end(): void {
    this.#setOn(false);
    this.#toggle.hidden = true;
  }

  #setOn(on: boolean): void {
    this.#on = on;
    this.#panel.hidden = !on;
    document.body.toggleAttribute("data-guided", on);
    this.#toggle.setAttribute("aria-pressed", String(on));
    if (on) this.#show(this.#at);
    else this.#leave();
  }

  get #open(): Field[] {
    return this.fields.filter((field) => field.required && !field.ready);
  }

  /** The whole page, as it is without the sheet. */
  #showPage(): void {
    this.view.zoomTo(1);
    this.fields[this.#at]?.scrollTo();
  }

  #leave(): void {
    for (const field of this.fields) {
      field.describe("");
      for (const box of field.boxes) delete box.dataset.current;
    }
  }

  #goOn(): void {
    const field = this.fields[this.#at];
    if (field && field.filled && field.check()) {
      this.#focus(field);
      return;
    }
    if (this.#at + 1 < this.fields.length) this.#go(this.#at + 1);
    else if (this.host.complete()) this.host.finish();
    else this.#leadToOpen(field);
  }

  /**
   * After the last field of the sequence, others may still be open: says which, and leads to the first. If that is the
   * same field that was just left open, the page is shown with its own way to go on; this mode stays chosen.
   */
  #leadToOpen(left: Field | undefined): void {
    const open = this.#open;
    const [first] = open;
    if (!first) return;
    this.host.tell(open);
    if (first !== left) {
      this.#go(this.fields.indexOf(first));
      return;
    }
    this.#setOn(false);
    this.#showPage();
    one<HTMLButtonElement>("#next").focus({ preventScroll: true });
  }

  #go(index: number): void {
    const field = this.fields[index];
    if (!field) return;
    this.#show(index);
    this.makeRoom();
    this.#focus(field);
  }

  #focus(field: Field): void {
    if (this.#entry) this.#entry.focus();
    else field.focus();
  }

  #show(index: number): void {
    const field = this.fields[index];
    if (!field) return;
    this.#leave();
    this.#at = index;
    for (const box of field.boxes) box.dataset.current = "";
    const words = "guide-count guide-rule guide-fault";
    // A file can be chosen, replaced and removed, but its box only has space for one button.
    const hasNoRoom = field instanceof AttachmentField || (field instanceof TextField && field.control.hidden);
    const beside = this.#narrow.matches || hasNoRoom;
    this.#entry = beside ? entryFor(field, "guide-entry", words, () => this.#say()) : null;
    this.#room.replaceChildren(...(this.#entry ? [this.#entry.element] : []));
    this.#room.hidden = !this.#entry;
    // Check marks and buttons contain their own names.
    this.#label.htmlFor = this.#entry && field instanceof TextField ? "guide-entry" : "";
    if (!this.#entry) field.describe(words);
    this.#say();
    const top = field.first.getBoundingClientRect().top - (this.#panel.parentElement?.getBoundingClientRect().top ?? 0);
    this.#panel.style.setProperty("--guide-top", `${Math.max(0, top - GAP)}px`);
  }

  /** The screen has changed: the field is filled in at another place, which gets the focus. */
  #showAnew(): void {
    const field = this.fields[this.#at];
    const places = [this.#room, ...(field?.boxes ?? [])];
    const focused = places.some((place) => place.contains(document.activeElement));
    this.#show(this.#at);
    if (field && focused) this.#focus(field);
  }

  #say(): void {
    const field = this.fields[this.#at];
    if (!field) return;
    const { texts } = this.host;
    const text = (key: string) => texts[key] ?? "";
    this.#count.textContent = fill(text("sign-guide-count"), { at: this.#at + 1, total: this.fields.length });
    this.#label.textContent = `${field.label} (${text(field.required ? "sign-field-required" : "sign-field-optional")})`;
    const fault = field.filled ? field.check() : field instanceof TextField ? "" : field.fault;
    this.#fault.textContent = fault;
    this.#fault.hidden = !fault;
    this.#rule.textContent = field.helpBeside(fault);
    this.#entry?.refresh();
    const last = this.#at + 1 === this.fields.length;
    const complete = this.host.complete();
    this.#back.setAttribute("aria-disabled", String(this.#at === 0));
    this.#approve.hidden = !complete || last;
    const empty = field.required ? "sign-guide-later" : "sign-guide-skip";
    this.#next.textContent = text(last && complete ? "sign-approve" : field.filled ? "sign-guide-next" : empty);
    // Only one button is filled: the one that advances the document. Skipping a required field does not.
    const isAsked = field.required && !field.filled;
    this.#next.classList.toggle("primary", complete ? last : !isAsked);
    const opens = this.#room.querySelector("button#guide-entry");
    opens?.classList.toggle("primary", isAsked);
  }

  /**
   * Enter goes on; in a text of many lines only with Ctrl or Command. Not while a Korean or Japanese word is being
   * composed.
   */
  #pressed(event: KeyboardEvent): void {
    if (event.key !== "Enter" || event.isComposing || event.keyCode === 229) return;
    const { target } = event;
    const many = target instanceof HTMLTextAreaElement && !event.ctrlKey && !event.metaKey;
    const goes =
      target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
    if (!goes || many) return;
    event.preventDefault();
    this.#goOn();
  }

  /**
   * Scrolls the box into the space that sheet and screen keyboard leave free, on a phone enlarged until it is readable.
   */
  makeRoom(): void {
    const field = this.fields[this.#at];
    if (!this.#on || !field || (visualViewport && visualViewport.scale > 1.01)) return;
    const bottom = innerHeight - covered();
    // Messages cover the pages below the tools.
    const [tools, messages] = [".tools", ".messages"].map((part) => one(part).getBoundingClientRect().height);
    const top = (tools ?? 0) + (messages ?? 0);
    const panel = this.#panel.getBoundingClientRect().height;
    const beside = matchMedia(BESIDE).matches;
    const bar = document.querySelector<HTMLElement>(".bar")?.getBoundingClientRect().height ?? 0;
    this.view.bring(field.first, top, bottom - (beside ? bar : panel), this.#narrow.matches);
  }
}

function wasOn(): boolean {
  try {
    return localStorage.getItem(KEPT) === "yes";
  } catch {
    return false;
  }
}

function keepOn(on: boolean): void {
  try {
    if (on) localStorage.setItem(KEPT, "yes");
    else localStorage.removeItem(KEPT);
  } catch {
    // The next page then asks for the choice again.
  }
}
