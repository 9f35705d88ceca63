// <document-page>: one page of the document. Positions its fields. The server sends millionths of the displayed page in
// data- attributes, because a strict Content-Security-Policy forbids style attributes but allows the CSSOM.

import { all } from "../shared/dom";
import { fontSize, PADDING, textWidths } from "./fit";

interface Box {
  element: HTMLElement;
  x: number;
  y: number;
  width: number;
  height: number;
}

const MILLION = 1_000_000;
const FINGERTIP = 44;

export class DocumentPage extends HTMLElement {
  #boxes: Box[] = [];
  #observer = new ResizeObserver(() => this.#fit());

  connectedCallback(): void {
    this.#boxes = all<HTMLElement>(".field", this).map((element) => {
      const millionths = (name: string) => Number(element.dataset[name] ?? 0);
      const box = {
        element,
        x: millionths("x"),
        y: millionths("y"),
        width: millionths("width"),
        height: millionths("height"),
      };
      const percent = (value: number) => `${value / (MILLION / 100)}%`;
      element.style.left = percent(box.x);
      element.style.top = percent(box.y);
      element.style.width = percent(box.width);
      element.style.height = percent(box.height);
      return box;
    });
    // The page's image may arrive late and be dropped, but the height stays.
    this.style.aspectRatio = `${this.dataset.points} / ${this.dataset.pointsHigh}`;
    this.dataset.placed = "";
    // The observer also reports the initial size.
    this.#observer.observe(this);
  }

  disconnectedCallback(): void {
    this.#observer.disconnect();
  }

  /** CSS pixels per point of paper. */
  get scale(): number {
    return this.clientWidth / Number(this.dataset.points ?? 595);
  }

  /** Sets the font size of one field after its value changed. */
  refit(element: HTMLElement): void {
    const box = this.#boxes.find((candidate) => candidate.element === element);
    if (box) this.#fitText(box);
  }

  #fit(): void {
    const { clientWidth, clientHeight } = this;
    if (clientWidth === 0) return;
    for (const box of this.#boxes) this.#fitText(box);
    this.#growReach(clientWidth, clientHeight);
  }

  #fitText(box: Box): void {
    const { element } = box;
    const scale = this.scale;
    const size = fontSize({
      text: element.dataset.shown ?? "",
      width: ((box.width / MILLION) * this.clientWidth) / scale,
      height: ((box.height / MILLION) * this.clientHeight) / scale,
      fixed: Number(element.dataset.fontSize ?? 0),
      many: element.dataset.multiline !== undefined,
      widths: textWidths,
    });
    element.style.fontSize = `${size * scale}px`;
    element.style.setProperty("--pad", `${PADDING * scale}px`);
  }

  /**
   * A small box gets a touch area the size of a fingertip, which never reaches closer to a neighbour than to the box
   * itself.
   */
  #growReach(pageWidth: number, pageHeight: number): void {
    const mine = this.#boxes.filter(({ element }) => element.classList.contains("mine"));
    const areas = mine.map(({ element, x, y, width, height }) => {
      const left = (x / MILLION) * pageWidth;
      const top = (y / MILLION) * pageHeight;
      const w = (width / MILLION) * pageWidth;
      const h = (height / MILLION) * pageHeight;
      return {
        element,
        left,
        top,
        right: left + w,
        bottom: top + h,
        growX: Math.max(0, (FINGERTIP - w) / 2),
        growY: Math.max(0, (FINGERTIP - h) / 2),
      };
    });
    for (const [index, a] of areas.entries()) {
      for (const b of areas.slice(index + 1)) {
        const gapX = Math.max(b.left - a.right, a.left - b.right);
        const gapY = Math.max(b.top - a.bottom, a.top - b.bottom);
        if (gapX >= a.growX + b.growX || gapY >= a.growY + b.growY) continue;
        if (gapX >= gapY) {
          a.growX = Math.min(a.growX, Math.max(0, gapX / 2));
          b.growX = Math.min(b.growX, Math.max(0, gapX / 2));
        } else {
          a.growY = Math.min(a.growY, Math.max(0, gapY / 2));
          b.growY = Math.min(b.growY, Math.max(0, gapY / 2));
        }
      }
    }
    for (const { element, growX, growY } of areas) {
      element.style.setProperty("--grow-x", `${-growX}px`);
      element.style.setProperty("--grow-y", `${-growY}px`);
    }
  }
}
