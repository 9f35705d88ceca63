// Shows the progress of a file upload, and what the signer can do about it. It is below the tools, or in the sheet
// while the sheet is open and covers them. A file that uploads quickly, as most drawn signatures do, is not mentioned.

import { fill } from "../shared/dom";

/** The progress of a file. Its field says why it was refused. */
export type Transfer = { at: "sending"; part: number; canCancel: boolean } | { at: "waiting" | "sent" | "cancelled" | "refused" };

export interface TransferHost {
  texts: Record<string, string>;
  /** The file's name, or the field's if it is a picture. */
  nameOfFile(field: string): string;
  cancel(field: string): void;
  again(): void;
  /** Moves the focus to where the file was chosen, because the focused button is gone. */
  focusOn(field: string): void;
}

/** Milliseconds until the file is mentioned. */
const SHOWN_AFTER = 500;
/** Announced at each such part of the way, because every percent would be noise. */
const SAID_EACH = 25;

export class TransferLine {
  readonly #line = document.createElement("div");
  readonly #words = document.createElement("span");
  readonly #bar = document.createElement("progress");
  readonly #again = button("transfer-again");
  readonly #cancel = button("transfer-cancel");
  /** Must be in the document before it has something to announce. */
  readonly #said = document.createElement("p");
  #field = "";
  #since = 0;
  #next = 0;
  #timer = 0;

  constructor(
    private readonly host: TransferHost,
    private readonly home: Element,
  ) {
    this.#line.className = "transfer";
    this.#line.id = "transfer";
    this.#line.hidden = true;
    this.#words.id = "transfer-words";
    this.#words.dir = "auto";
    this.#bar.max = 100;
    this.#bar.setAttribute("aria-labelledby", this.#words.id);
    this.#said.id = "transfer-said";
    this.#said.className = "unseen";
    this.#said.setAttribute("role", "status");
    this.#again.textContent = host.texts["sign-transfer-again"] ?? "";
    this.#cancel.textContent = host.texts["sign-transfer-cancel"] ?? "";
    this.#again.addEventListener("click", () => host.again());
    this.#cancel.addEventListener("click", () => host.cancel(this.#field));
    this.#line.append(this.#words, this.#bar, this.#again, this.#cancel);
    this.standAfter(home);
  }

  /** Moves it to where it is visible now; without a place, back to the start. */
  standAfter(place: Element = this.home): void {
    place.after(this.#line, this.#said);
  }

  show(field: string, transfer: Transfer): void {
    const isNew = this.#field !== field;
    if (isNew) this.#begin(field);
    clearTimeout(this.#timer);
    if (transfer.at === "sending") {
      this.#since ||= performance.now();
      const percent = Math.floor(transfer.part * 100);
      this.#write("sign-transfer-sending", percent);
      this.#bar.value = percent;
      this.#offer(false, transfer.canCancel);
      if (performance.now() - this.#since < SHOWN_AFTER) {
        // Needed even if nothing more is being sent.
        this.#timer = window.setTimeout(() => this.show(field, transfer), SHOWN_AFTER);
        return;
      }
      this.#line.hidden = false;
      if (percent < this.#next || percent === 100) return;
      this.#next = percent - (percent % SAID_EACH) + SAID_EACH;
      this.#said.textContent = this.#words.textContent;
    } else if (transfer.at === "waiting") {
      const isSaid = !this.#line.hidden && !this.#again.hidden;
      this.#write("sign-transfer-waiting");
      this.#offer(true, true);
      this.#line.hidden = false;
      this.#since = 0;
      this.#next = 0;
      if (!isSaid) this.#said.textContent = this.#words.textContent;
    } else {
      const wasShown = !this.#line.hidden;
      if (this.#line.contains(document.activeElement)) this.host.focusOn(field);
      this.#line.hidden = true;
      this.#field = "";
      if (!wasShown || transfer.at === "refused") return;
      this.#write(`sign-transfer-${transfer.at}`);
      this.#said.textContent = this.#words.textContent;
    }
  }

  #begin(field: string): void {
    this.#field = field;
    this.#since = 0;
    this.#next = 0;
    this.#line.hidden = true;
    this.#said.textContent = "";
  }

  /** Reads the name while it is known: a cancelled file no longer has one. */
  #write(key: string, percent = 0): void {
    const file = this.host.nameOfFile(this.#field) || (this.#words.dataset.file ?? "");
    this.#words.dataset.file = file;
    this.#words.textContent = fill(this.host.texts[key] ?? "", { file, percent });
  }

  #offer(again: boolean, cancel: boolean): void {
    this.#bar.hidden = again;
    // Moves the focus if its button is about to disappear.
    const focused = document.activeElement;
    this.#again.hidden = !again;
    this.#cancel.hidden = !cancel;
    if (focused === this.#again && !again) this.#cancel.focus();
    else if (focused === this.#cancel && !cancel) this.host.focusOn(this.#field);
  }
}

function button(id: string): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.id = id;
  made.className = "button plain";
  return made;
}
