// The sheet in which a text, number, date or list is edited where the page is too small to write on:
// one large entry, its rule in words, and the way to the next one.

import { one, openDialog } from "../shared/dom";
import type { TextField } from "./fields";

export class Sheet {
  readonly #dialog = one<HTMLDialogElement>("#sheet");
  readonly #label = one<HTMLLabelElement>("#sheet-label");
  readonly #room = one<HTMLElement>("#sheet-room");
  readonly #fault = one<HTMLElement>("#sheet-fault");
  readonly #count = one<HTMLElement>("#sheet-count");
  readonly #next = one<HTMLButtonElement>("#sheet-next");
  #field: TextField | null = null;

  constructor(
    private readonly texts: Record<string, string>,
    private readonly hasNext: (after: TextField) => boolean,
    private readonly goNext: (after: TextField) => void,
  ) {
    one<HTMLFormElement>("#sheet form").addEventListener("submit", (event) => {
      event.preventDefault();
      const field = this.#field;
      if (field?.check()) return;
      this.#dialog.close();
      if (field && event.submitter === this.#next) this.goNext(field);
    });
  }

  open(field: TextField): void {
    this.#field = field;
    this.#label.textContent = field.required
      ? `${field.label} (${this.texts["sign-field-required"] ?? ""})`
      : field.label;
    const entry = field.control.cloneNode(true) as typeof field.control;
    entry.hidden = false;
    entry.id = "sheet-entry";
    entry.className = "sheet-input";
    entry.removeAttribute("aria-label");
    entry.removeAttribute("title");
    entry.setAttribute("aria-describedby", "sheet-fault sheet-count");
    entry.value = field.value;
    entry.addEventListener("input", () => {
      field.value = entry.value;
      this.#judge(field, entry);
    });
    this.#room.replaceChildren(entry);
    this.#next.hidden = !this.hasNext(field);
    this.#judge(field, entry);
    openDialog(this.#dialog);
    entry.focus();
  }

  /** Says what is wrong now, after the server has judged what was saved. */
  judge(): void {
    const entry = this.#room.firstElementChild;
    if (this.#dialog.open && this.#field && entry instanceof HTMLElement) this.#judge(this.#field, entry);
  }

  #judge(field: TextField, entry: HTMLElement): void {
    const fault = field.check();
    this.#fault.textContent = fault;
    this.#fault.hidden = !fault;
    if (fault) entry.setAttribute("aria-invalid", "true");
    else entry.removeAttribute("aria-invalid");
    const limited = field.first.dataset.maxLength !== undefined;
    this.#count.hidden = !limited;
    if (limited) this.#count.textContent = `${[...field.value].length} / ${field.maxLength}`;
  }
}
