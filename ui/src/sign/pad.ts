// The signature dialog: draw with finger, pen or mouse; type the name (the way of the keyboard);
// or take a picture from the device. What it gives is a small PNG or JPEG as a data address.

import SignaturePad from "signature_pad";
import { all, fill, one, openDialog } from "../shared/dom";
import type { PictureField } from "./fields";

const LIMIT = 5 * 1024 * 1024;
const LONGEST_SIDE = 1600;
const INK = "#14205a";

type Way = "draw" | "type" | "picture";

export class Pad {
  readonly #dialog = one<HTMLDialogElement>("#pad");
  readonly #title = one<HTMLElement>("#pad-title");
  readonly #canvas = one<HTMLCanvasElement>("#pad-canvas");
  readonly #hint = one<HTMLElement>("#pad-hint");
  readonly #typed = one<HTMLInputElement>("#pad-typed");
  readonly #typedPreview = one<HTMLCanvasElement>("#pad-typed-preview");
  readonly #file = one<HTMLInputElement>("#pad-file");
  readonly #picturePreview = one<HTMLCanvasElement>("#pad-picture-preview");
  readonly #fault = one<HTMLElement>("#pad-fault");
  readonly #remove = one<HTMLButtonElement>("#pad-remove");
  readonly #tabs = all<HTMLButtonElement>("[data-way]", this.#dialog);
  readonly #pad: SignaturePad;
  #way: Way = "draw";
  #field: PictureField | null = null;
  #picture: { bitmap: ImageBitmap; type: string } | null = null;
  #drawn: ReturnType<SignaturePad["toData"]> = [];
  #drawnFor = "";

  constructor(
    private readonly texts: Record<string, string>,
    writerName: string,
    private readonly use: (field: PictureField, source: string) => void,
    private readonly removed: (field: PictureField) => void,
  ) {
    this.#pad = new SignaturePad(this.#canvas, { penColor: INK, minWidth: 0.8, maxWidth: 2.8 });
    this.#pad.addEventListener("beginStroke", () => {
      this.#hint.hidden = true;
      this.#showFault("");
    });
    this.#pad.addEventListener("endStroke", () => {
      this.#drawn = this.#pad.toData();
    });
    this.#typed.value = writerName;
    this.#typed.addEventListener("input", () => this.#drawTyped());
    this.#file.addEventListener("change", () => void this.#take(this.#file.files?.[0]));
    for (const [index, tab] of this.#tabs.entries()) {
      tab.addEventListener("click", () => this.#choose(tab.dataset.way as Way));
      tab.addEventListener("keydown", (event) => {
        const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
        const visible = this.#tabs.filter((candidate) => !candidate.hidden);
        const next = visible[(visible.indexOf(tab) + step + visible.length) % visible.length];
        if (step === 0 || !next || index < 0) return;
        event.preventDefault();
        this.#choose(next.dataset.way as Way);
        next.focus();
      });
    }
    one("#pad-undo").addEventListener("click", () => {
      this.#drawn = this.#pad.toData().slice(0, -1);
      this.#pad.fromData(this.#drawn);
      this.#said();
    });
    one("#pad-clear").addEventListener("click", () => {
      this.#drawn = [];
      this.#pad.clear();
      this.#said();
    });
    this.#remove.addEventListener("click", () => {
      if (this.#field) this.removed(this.#field);
      this.#dialog.close();
    });
    one<HTMLFormElement>("#pad form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#finish();
    });
    new ResizeObserver(() => this.#dialog.open && this.#resize()).observe(this.#canvas);
  }

  open(field: PictureField): void {
    this.#field = field;
    this.#title.textContent = this.texts[`sign-pad-title-${field.kind}`] ?? field.label;
    this.#remove.hidden = !field.filled;
    this.#showFault("");
    this.#picture = null;
    this.#file.value = "";
    this.#picturePreview.hidden = true;
    // A second field of the same kind starts with what was drawn for the first.
    if (this.#drawnFor !== field.kind) this.#drawn = [];
    this.#drawnFor = field.kind;
    const draws = field.kind !== "image";
    for (const tab of this.#tabs) tab.hidden = !draws && tab.dataset.way !== "picture";
    openDialog(this.#dialog);
    this.#choose(draws ? (field.kind === "seal" ? "picture" : "draw") : "picture");
  }

  #choose(way: Way): void {
    this.#way = way;
    this.#showFault("");
    for (const tab of this.#tabs) {
      const chosen = tab.dataset.way === way;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
    }
    for (const panel of all<HTMLElement>("[data-panel]", this.#dialog)) panel.hidden = panel.dataset.panel !== way;
    if (way === "draw") this.#resize();
    if (way === "type") this.#drawTyped();
  }

  /** The canvas has the device's own pixels, so that strokes are sharp; strokes survive a turn of the
   * phone. */
  #resize(): void {
    const ratio = Math.max(1, devicePixelRatio);
    const { clientWidth, clientHeight } = this.#canvas;
    if (clientWidth === 0) return;
    this.#canvas.width = clientWidth * ratio;
    this.#canvas.height = clientHeight * ratio;
    this.#canvas.getContext("2d")?.scale(ratio, ratio);
    this.#pad.clear();
    this.#pad.fromData(this.#drawn);
    this.#said();
  }

  #said(): void {
    this.#hint.hidden = this.#drawn.length > 0 || !this.#pad.isEmpty();
    this.#showFault("");
  }

  #drawTyped(): void {
    const canvas = this.#typedPreview;
    const context = canvas.getContext("2d");
    if (!context) return;
    const name = this.#typed.value.trim();
    const family = getComputedStyle(canvas).fontFamily;
    canvas.width = 900;
    canvas.height = 300;
    context.clearRect(0, 0, canvas.width, canvas.height);
    let size = 150;
    do {
      context.font = `italic ${size}px ${family}`;
      size -= 6;
    } while (size > 24 && context.measureText(name).width > canvas.width - 80);
    context.fillStyle = INK;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(name, canvas.width / 2, canvas.height / 2);
  }

  async #take(file: File | undefined): Promise<void> {
    this.#picture = null;
    this.#picturePreview.hidden = true;
    this.#showFault("");
    if (!file) return;
    if (!["image/png", "image/jpeg"].includes(file.type)) {
      this.#showFault("sign-pad-not-picture");
      return;
    }
    try {
      const bitmap = await createImageBitmap(file);
      this.#picture = { bitmap, type: file.type };
      draw(bitmap, this.#picturePreview, 900);
      this.#picturePreview.hidden = false;
    } catch {
      this.#showFault("sign-pad-not-picture");
    }
  }

  #finish(): void {
    const source = this.#result();
    if (!this.#field || !source) return;
    this.use(this.#field, source);
    this.#dialog.close();
  }

  #result(): string {
    if (this.#way === "picture") {
      if (!this.#picture) return this.#refuse("sign-pad-empty");
      const { bitmap, type } = this.#picture;
      for (const side of [LONGEST_SIDE, 1000, 600]) {
        const canvas = document.createElement("canvas");
        draw(bitmap, canvas, side);
        const source = canvas.toDataURL(type, 0.9);
        if ((source.length * 3) / 4 < LIMIT) return source;
      }
      return this.#refuse("sign-pad-too-large");
    }
    if (this.#way === "type" && !this.#typed.value.trim()) return this.#refuse("sign-pad-empty");
    if (this.#way === "draw" && this.#pad.isEmpty()) return this.#refuse("sign-pad-empty");
    const trimmed = trim(this.#way === "draw" ? this.#canvas : this.#typedPreview);
    return trimmed ?? this.#refuse("sign-pad-empty");
  }

  #refuse(key: string): "" {
    this.#showFault(key);
    return "";
  }

  #showFault(key: string): void {
    this.#fault.textContent = key ? fill(this.texts[key] ?? "", {}) : "";
    this.#fault.hidden = !key;
  }
}

function draw(bitmap: ImageBitmap, canvas: HTMLCanvasElement, longest: number): void {
  const factor = Math.min(1, longest / Math.max(bitmap.width, bitmap.height));
  canvas.width = Math.max(1, Math.round(bitmap.width * factor));
  canvas.height = Math.max(1, Math.round(bitmap.height * factor));
  const context = canvas.getContext("2d");
  if (context) {
    context.imageSmoothingQuality = "high";
    context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  }
}

/** The drawing without the empty room around it. */
function trim(canvas: HTMLCanvasElement): string | null {
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) return null;
  const { width, height } = canvas;
  const { data } = context.getImageData(0, 0, width, height);
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if ((data[(y * width + x) * 4 + 3] ?? 0) < 8) continue;
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < top) top = y;
      if (y > bottom) bottom = y;
    }
  }
  if (right < left || bottom < top) return null;
  const margin = Math.round(width / 60);
  const [w, h] = [right - left + 1 + 2 * margin, bottom - top + 1 + 2 * margin];
  const factor = Math.min(1, LONGEST_SIDE / Math.max(w, h));
  const out = document.createElement("canvas");
  out.width = Math.max(1, Math.round(w * factor));
  out.height = Math.max(1, Math.round(h * factor));
  out
    .getContext("2d")
    ?.drawImage(canvas, left - margin, top - margin, w, h, 0, 0, out.width, out.height);
  return out.toDataURL("image/png");
}
