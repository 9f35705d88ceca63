// The bar at the bottom: the progress of required fields, and the button for the next step.

import { fill, one } from "../shared/dom";
import type { Values } from "./values";

export class Bar {
  readonly #line = one<HTMLProgressElement>("#progress");
  readonly #words = one<HTMLElement>("#progress-text");
  readonly #next = one<HTMLButtonElement>("#next");
  readonly #approve = one<HTMLButtonElement>("#approve");

  constructor(
    private readonly values: Values,
    finish: () => void,
  ) {
    this.#next.addEventListener("click", () => this.#goOn());
    this.#approve.addEventListener("click", finish);
  }

  refresh(): void {
    const required = this.values.fields.filter((field) => field.required);
    const done = required.filter((field) => field.ready).length;
    const { texts } = this.values;
    this.#line.max = Math.max(1, required.length);
    this.#line.value = required.length ? done : 1;
    this.#words.textContent = required.length
      ? fill(texts["sign-progress"] ?? "", { done, total: required.length })
      : (texts["sign-progress-none"] ?? "");
    const left = required.length - done;
    const focused = document.activeElement === this.#next || document.activeElement === this.#approve;
    this.#next.hidden = left === 0;
    this.#approve.hidden = left > 0;
    if (focused) (left === 0 ? this.#approve : this.#next).focus();
  }

  /** Goes on to another field, even if this one is left open; the last open one says what it needs. */
  #goOn(): void {
    const { values } = this;
    const active = document.activeElement?.closest<HTMLElement>(".field.mine");
    const current = active ? (values.named(active.dataset.name ?? "") ?? null) : values.last;
    const next = values.nextRequired(current) ?? values.open[0];
    if (!next) return;
    if (next === current && next.missing) next.showFault(next.missing);
    values.last = next;
    next.edit();
  }

  /** The document is finished. */
  end(): void {
    one<HTMLElement>(".bar").hidden = true;
  }
}
