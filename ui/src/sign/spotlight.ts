// Keeps a field's box bright while the field is filled in next to its page: the dialog's backdrop has a hole there.

import { one } from "../shared/dom";

/** CSS pixels between the box and the edge of the hole, with room for its ring. */
const EDGE = 8;

export class Spotlight {
  readonly #hole: CSSStyleDeclaration | null;
  #box: HTMLElement | null = null;
  readonly #follow = () => this.#place();

  constructor(dialog: HTMLDialogElement) {
    // A backdrop can only be styled by a rule in a style sheet, and the pages' policy allows no other way to write one.
    const { sheet } = one<HTMLLinkElement>('link[rel="stylesheet"]');
    const index = sheet?.insertRule(`#${dialog.id}::backdrop {}`, sheet.cssRules.length);
    this.#hole = index === undefined ? null : (sheet?.cssRules[index] as CSSStyleRule).style;
  }

  show(box: HTMLElement): void {
    this.hide();
    this.#box = box;
    box.dataset.current = "";
    for (const [target, event] of this.#events) target.addEventListener(event, this.#follow, { capture: true });
    this.#place();
  }

  hide(): void {
    if (this.#box) delete this.#box.dataset.current;
    this.#box = null;
    for (const [target, event] of this.#events) target.removeEventListener(event, this.#follow, { capture: true });
  }

  get #events(): [EventTarget, string][] {
    const views = visualViewport ? [visualViewport] : [];
    return [window, ...views].flatMap((target) => ["scroll", "resize"].map((event) => [target, event] as [EventTarget, string]));
  }

  #place(): void {
    if (!this.#box || !this.#hole) return;
    const { left, top, right, bottom } = this.#box.getBoundingClientRect();
    const [x1, y1, x2, y2] = [left - EDGE, top - EDGE, right + EDGE, bottom + EDGE].map((side) => `${Math.round(side)}px`);
    const hole = `${x1} ${y1}, ${x1} ${y2}, ${x2} ${y2}, ${x2} ${y1}, ${x1} ${y1}`;
    this.#hole.clipPath = `polygon(evenodd, 0 0, 100% 0, 100% 100%, 0 100%, 0 0, ${hole})`;
  }
}
