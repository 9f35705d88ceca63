// The sheet in which a text, number, date, list or mark is edited where the page is too small to write on, and a file is
// chosen: one large entry, its rule in words, and the way to the next one.

import { openDialog, whenClosed } from "../shared/dialogs";
import { one } from "../shared/dom";
import { type Entry, entryFor } from "./entry";
import { type SheetField, TextField } from "./fields";
import type { TransferLine } from "./transfer";

export class Sheet {
  readonly #dialog = one<HTMLDialogElement>("#sheet");
  readonly #label = one<HTMLLabelElement>("#sheet-label");
  readonly #rule = one<HTMLElement>("#sheet-rule");
  readonly #room = one<HTMLElement>("#sheet-room");
  readonly #fault = one<HTMLElement>("#sheet-fault");
  readonly #count = one<HTMLElement>("#sheet-count");
  readonly #next = one<HTMLButtonElement>("#sheet-next");
  #field: SheetField | null = null;
  #entry: Entry | null = null;

  constructor(
    private readonly texts: Record<string, string>,
    private readonly line: TransferLine,
    private readonly hasNext: (after: SheetField) => boolean,
    private readonly goNext: (after: SheetField) => void,
  ) {
    // Enter, or the button that leads on. The other one closes, whatever was entered: what is refused stays in its box,
    // which says so.
    one<HTMLFormElement>("#sheet form").addEventListener("submit", (event) => {
      event.preventDefault();
      const field = this.#field;
      if (field?.check()) return;
      this.#dialog.close();
      if (field && !this.#next.hidden) this.goNext(field);
    });
    whenClosed(this.#dialog, () => this.line.standAfter());
  }

  /** Puts the keyboard into the sheet, where it is open. */
  focus(): boolean {
    if (this.#dialog.open) this.#entry?.focus();
    return this.#dialog.open;
  }

  open(field: SheetField): void {
    this.#field = field;
    this.#label.textContent = field.required
      ? `${field.label} (${this.texts["sign-field-required"] ?? ""})`
      : field.label;
    // Its button has a name of its own.
    this.#label.htmlFor = field instanceof TextField ? "sheet-entry" : "";
    this.#entry = entryFor(field, "sheet-entry", "sheet-rule sheet-fault sheet-count", () => this.judge());
    this.#room.replaceChildren(this.#entry.element);
    this.#next.hidden = !this.hasNext(field);
    // A dialog covers the place where it stands else.
    this.line.standAfter(this.#room);
    openDialog(this.#dialog);
    this.judge();
    this.#entry.focus();
  }

  /** Says what is wrong now: after a change, and after the server has judged what was saved. */
  judge(): void {
    const field = this.#field;
    if (!this.#dialog.open || !field) return;
    const fault = field.check() || field.fault;
    this.#fault.textContent = fault;
    this.#fault.hidden = !fault;
    this.#rule.textContent = field.helpBeside(fault);
    this.#rule.hidden = !this.#rule.textContent;
    this.#entry?.refresh();
    const limited = field instanceof TextField && field.first.dataset.maxLength !== undefined;
    this.#count.hidden = !limited;
    if (limited) this.#count.textContent = `${[...field.value].length} / ${field.maxLength}`;
  }
}
