// The dialog for everything the signer must review before an approval: values entered here that another page of the
// same signer has changed meanwhile (they choose), other fields that it has changed (they are shown), and files that
// were not accepted (they see what the document contains instead).

import { openDialog } from "../shared/dialogs";
import { fill, one } from "../shared/dom";
import type { Newer } from "./data";
import { mark } from "./entry";
import { AttachmentField, CheckField, type Field, PictureField } from "./fields";
import { type Conflict, Unsettled } from "./unsettled";
import type { Upload } from "./uploads";

/** A value that was entered here. */
export type Mine = string | Upload;

interface Inputs {
  mine: HTMLInputElement;
  theirs: HTMLInputElement;
}

export class Settle extends Unsettled<Field, Mine, Newer> {
  readonly #dialog = one<HTMLDialogElement>("#settle-dialog");
  readonly #items = one<HTMLElement>("#settle-items");
  /** The radio buttons of each conflict in the dialog. */
  readonly #inputs = new WeakMap<Conflict<Mine, Newer>, Inputs>();
  #then = () => {};

  constructor(
    private readonly texts: Record<string, string>,
    /** The signer has chosen; null: what the other page saved. */
    private readonly chosen: (field: Field, mine: Mine | null) => void,
  ) {
    super();
    one<HTMLFormElement>("form", this.#dialog).addEventListener("submit", (event) => {
      event.preventDefault();
      this.#finish();
    });
    // Going back moves the focus to the first of these fields.
    one("[data-close]", this.#dialog).addEventListener("click", () => {
      this.#dialog.close();
      const first = this.fields[0];
      first?.scrollTo();
      first?.focus();
    });
  }

  /** Opens the dialog if there is something to ask; `then` runs once that is done. */
  open(then: () => void): boolean {
    if (!this.hasItems) return false;
    this.#then = then;
    if (this.#dialog.open) return true;
    this.#items.replaceChildren(
      ...[...this.conflicts].map(([field, choice], index) => this.#choice(field, choice, `settle-${index}`)),
      ...[...this.changes].map(([field, before]) => this.#told(field, this.#said("changed", field, before))),
      ...[...this.refusals].map(([field, message]) => this.#told(field, `${message}\n${this.#held(field)}`)),
    );
    openDialog(this.#dialog);
    return true;
  }

  #finish(): void {
    for (const [field, conflict] of [...this.conflicts]) {
      const inputs = this.#inputs.get(conflict);
      // A choice is only possible once it is in the dialog.
      if (!inputs) continue;
      this.conflicts.delete(field);
      this.chosen(field, inputs.mine.checked ? conflict.mine : null);
    }
    for (const field of this.refusals.keys()) field.showFault("");
    this.changes.clear();
    this.refusals.clear();
    this.#dialog.close();
    this.#then();
  }

  #choice(field: Field, choice: Conflict<Mine, Newer>, name: string): HTMLElement {
    const group = document.createElement("fieldset");
    group.className = "entry choices";
    const legend = document.createElement("legend");
    legend.textContent = field.label;
    legend.dir = "auto";
    const [theirs, mine] = [
      { key: "theirs", value: choice.theirs.value, source: choice.theirs.src },
      typeof choice.mine === "string"
        ? { key: "mine", value: choice.mine, source: null }
        : { key: "mine", value: choice.mine.shown, source: field instanceof PictureField ? choice.mine.shown : null },
    ].map(({ key, value, source }) => {
      const { label, input } = mark(
        "radio",
        `${name}-${key}`,
        fill(this.#text(key), { value: this.#shown(field, value, source) }),
      );
      input.name = name;
      input.required = true;
      if (source) label.append(picture(source));
      group.append(label);
      return input;
    });
    if (mine && theirs) this.#inputs.set(choice, { mine, theirs });
    group.prepend(legend);
    return group;
  }

  #told(field: Field, words: string): HTMLElement {
    const item = document.createElement("div");
    item.className = "entry";
    const [label, text] = [document.createElement("strong"), document.createElement("p")];
    label.textContent = field.label;
    text.textContent = words;
    for (const part of [label, text]) part.dir = "auto";
    item.append(label, text);
    if (field instanceof PictureField && field.value) item.append(picture(field.value));
    return item;
  }

  #said(key: string, field: Field, before: string): string {
    if (field instanceof PictureField) return this.#text(`${key}-picture`);
    return fill(this.#text(key), { value: this.#shown(field, field.value), before: this.#shown(field, before) });
  }

  /** What the document contains instead of a file that was not accepted. */
  #held(field: Field): string {
    if (!field.filled) return this.#text("stays-empty");
    if (field instanceof AttachmentField) return fill(this.#text("holds"), { value: field.value });
    return this.#text("holds-picture");
  }

  #shown(field: Field, value: string, source: string | null = null): string {
    if (field instanceof CheckField) return this.#text(value === "Y" ? "ticked" : "not-ticked");
    if (field instanceof PictureField) return source ? "" : this.#text("empty");
    return value || this.#text("empty");
  }

  #text(key: string): string {
    return this.texts[`sign-settle-${key}`] ?? "";
  }
}

function picture(source: string): HTMLImageElement {
  const image = document.createElement("img");
  image.className = "preview";
  image.src = source;
  image.alt = "";
  return image;
}
