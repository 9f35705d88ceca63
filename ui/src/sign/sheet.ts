// The sheet for editing a text, number, date, list or check mark on screens where the page is too small to write on,
// and for choosing a file. It has one large text box, its rule in words, and a button for the next field.

import { openDialog, whenClosed } from "../shared/dialogs";
import { one } from "../shared/dom";
import { type Entry, entryFor } from "./entry";
import { AttachmentField, type SheetField, TextField } from "./fields";
import { Spotlight } from "./spotlight";
import type { TransferLine } from "./transfer";

export class Sheet {
  readonly #dialog = one<HTMLDialogElement>("#sheet");
  readonly #label = one<HTMLLabelElement>("#sheet-label");
  readonly #rule = one<HTMLElement>("#sheet-rule");
  readonly #room = one<HTMLElement>("#sheet-room");
  readonly #fault = one<HTMLElement>("#sheet-fault");
  readonly #count = one<HTMLElement>("#sheet-count");
  readonly #next = one<HTMLButtonElement>("#sheet-next");
  readonly #spotlight = new Spotlight(this.#dialog);
  #field: SheetField | null = null;
  #entry: Entry | null = null;

  constructor(
    private readonly texts: Record<string, string>,
    private readonly line: TransferLine,
    private readonly hasNext: (after: SheetField) => boolean,
    private readonly goNext: (after: SheetField) => void,
    /** Scrolls the box into view above this line of the window. */
    private readonly bring: (box: HTMLElement, bottom: number) => void,
  ) {
    // For Enter, and the button for the next step. The other button always closes. A refused value stays in its box,
    // which shows the error.
    one<HTMLFormElement>("#sheet form").addEventListener("submit", (event) => {
      event.preventDefault();
      const field = this.#field;
      if (field?.check()) return;
      this.#dialog.close();
      if (field && !this.#next.hidden) this.goNext(field);
    });
    whenClosed(this.#dialog, () => {
      this.line.standAfter();
      this.#spotlight.hide();
    });
  }

  /** The screen keyboard has come or gone. */
  makeRoom(): void {
    const { open } = this.#dialog;
    if (open && this.#field) this.bring(this.#field.first, this.#dialog.getBoundingClientRect().top);
  }

  /** Focuses the sheet if it is open. */
  focus(): boolean {
    if (this.#dialog.open) this.#entry?.focus();
    return this.#dialog.open;
  }

  open(field: SheetField): void {
    this.#field = field;
    this.#label.textContent = field.required ? `${field.label} (${this.texts["sign-field-required"] ?? ""})` : field.label;
    // A button has a name of its own.
    this.#label.htmlFor = field instanceof TextField ? "sheet-entry" : "";
    this.#entry = entryFor(field, "sheet-entry", "sheet-rule sheet-fault sheet-count", () => this.judge());
    this.#room.replaceChildren(this.#entry.element);
    this.#next.hidden = !this.hasNext(field);
    // A dialog covers the line's usual place.
    this.line.standAfter(this.#room);
    openDialog(this.#dialog);
    this.judge();
    this.#entry.focus();
    this.#spotlight.show(field.first);
    this.makeRoom();
  }

  /** Shows what is wrong now: after a change, and after the server has judged what was saved. */
  judge(): void {
    const field = this.#field;
    if (!this.#dialog.open || !field) return;
    const fault = field.check() || field.fault;
    this.#fault.textContent = fault;
    this.#fault.hidden = !fault;
    this.#rule.textContent = field.helpBeside(fault);
    this.#rule.hidden = !this.#rule.textContent;
    this.#entry?.refresh();
    // Only one button is filled: the one to press next.
    const asksForFile = field instanceof AttachmentField && !field.filled;
    this.#room.querySelector("button#sheet-entry")?.classList.toggle("primary", asksForFile);
    this.#next.classList.toggle("primary", !asksForFile);
    const limited = field instanceof TextField && field.first.dataset.maxLength !== undefined;
    this.#count.hidden = !limited;
    if (limited) this.#count.textContent = `${[...field.value].length} / ${field.maxLength}`;
  }
}
