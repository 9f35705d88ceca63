// Ink on a canvas. A pressure-sensitive pen uses its pressure. Finger and mouse write thinner the faster they move,
// like a real pen. Strokes are stored as points, so they can be undone, survive a rotation of the phone, and are
// redrawn at the resolution of paper.
//
// While the hand moves we only draw the new part, however long the stroke is, because a cheap phone would lag behind
// the finger. A new point only changes the end of the curve. So the finished part is on a second, hidden canvas. We
// restore the area of the old end from there, and draw the new end over it. The result is the same as redrawing
// everything.

interface Dot {
  x: number;
  y: number;
  /** The width of the ink. */
  width: number;
}

const INK = "#14205a";
const THIN = 1.2;
const THICK = 4;
/** Closer points add nothing but the hand's tremor. */
const NEAREST = 1.5;
/** The weight of the previous point's width in a new one. */
const INERTIA = 0.7;
/** Pixels per millisecond at which finger and mouse write at half their width. */
const HALF_SPEED = 1.4;
const MARGIN = 6;

export class Pen {
  #strokes: Dot[][] = [];
  #current: { id: number; dots: Dot[]; at: number } | null = null;
  /** All ink except the end of the current stroke. */
  readonly #dry = document.createElement("canvas");
  /** How many pieces of that stroke are dry. */
  #dried = 0;
  #size = { width: 0, height: 0 };

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly changed: () => void,
  ) {
    canvas.addEventListener("pointerdown", (event) => this.#begin(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"] as const) {
      canvas.addEventListener(name, (event) => this.#end(event));
    }
    // Older phone browsers scroll anyway.
    canvas.addEventListener("touchmove", (event) => event.preventDefault(), { passive: false });
  }

  get empty(): boolean {
    return this.#strokes.length === 0 && !this.#current;
  }

  undo(): void {
    this.#strokes.pop();
    this.draw();
    this.changed();
  }

  clear(): void {
    this.#strokes = [];
    this.#current = null;
    this.draw();
    this.changed();
  }

  /** Adapts to the canvas's current size; ink that would not fit is scaled down. */
  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    const ink = extent(this.#strokes);
    if (ink && (ink.right > width || ink.bottom > height)) {
      const factor = Math.min(1, width / (ink.right + MARGIN), height / (ink.bottom + MARGIN));
      for (const dot of this.#strokes.flat()) {
        dot.x *= factor;
        dot.y *= factor;
        dot.width *= factor;
      }
    }
    this.#size = { width, height };
    const ratio = Math.max(1, devicePixelRatio);
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.draw();
  }

  /** Redraws everything. */
  draw(): void {
    const context = this.canvas.getContext("2d");
    const dry = this.#dry.getContext("2d");
    if (!context || !dry || this.#size.width === 0) return;
    const { width, height } = this.canvas;
    // Assigning the size also clears the canvas.
    Object.assign(this.#dry, { width, height });
    this.#dried = 0;
    const scale = width / this.#size.width;
    dry.setTransform(scale, 0, 0, scale, 0, 0);
    for (const stroke of this.#strokes) ink(dry, stroke);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, width, height);
    context.drawImage(this.#dry, 0, 0);
    this.#drawOn();
  }

  /** Draws what was added to the stroke since the last time. */
  #drawOn(): void {
    const dots = this.#current?.dots ?? [];
    const context = this.canvas.getContext("2d");
    const dry = this.#dry.getContext("2d");
    if (!context || !dry || dots.length === 0 || this.#size.width === 0) return;
    const scale = this.canvas.width / this.#size.width;
    // Starts at the point before the last drawn end, where its curve began.
    const place = extent([dots.slice(Math.max(0, this.#dried - 1))]);
    if (!place) return;
    dip(dry);
    for (; this.#dried < dots.length - 1; this.#dried += 1) piece(dry, dots, this.#dried);
    const [left, top] = [place.left, place.top].map((at) => Math.max(0, Math.floor((at - 1) * scale))) as [number, number];
    const width = Math.min(this.canvas.width, Math.ceil((place.right + 1) * scale)) - left;
    const height = Math.min(this.canvas.height, Math.ceil((place.bottom + 1) * scale)) - top;
    if (width > 0 && height > 0) {
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.clearRect(left, top, width, height);
      context.drawImage(this.#dry, left, top, width, height, left, top, width, height);
    }
    context.setTransform(scale, 0, 0, scale, 0, 0);
    dip(context);
    piece(context, dots, dots.length - 1);
  }

  /** Only the ink, `longest` pixels on its longer side, as a PNG. `null` if nothing is written. */
  picture(longest: number): string | null {
    const found = extent(this.#strokes);
    if (!found) return null;
    const [width, height] = [found.right - found.left + 2 * MARGIN, found.bottom - found.top + 2 * MARGIN];
    const scale = longest / Math.max(width, height);
    const canvas = document.createElement("canvas");
    canvas.width = Math.ceil(width * scale);
    canvas.height = Math.ceil(height * scale);
    const context = canvas.getContext("2d");
    if (!context) return null;
    context.setTransform(scale, 0, 0, scale, (MARGIN - found.left) * scale, (MARGIN - found.top) * scale);
    for (const stroke of this.#strokes) ink(context, stroke);
    return canvas.toDataURL("image/png");
  }

  #begin(event: PointerEvent): void {
    if (this.#current || (event.pointerType === "mouse" && event.button !== 0)) return;
    event.preventDefault();
    this.canvas.setPointerCapture(event.pointerId);
    this.#current = { id: event.pointerId, dots: [], at: event.timeStamp };
    this.#dried = 0;
    this.#add(event, this.canvas.getBoundingClientRect());
    this.#drawOn();
    this.changed();
  }

  #move(event: PointerEvent): void {
    if (this.#current?.id !== event.pointerId) return;
    event.preventDefault();
    // Everything the digitiser recorded since the last frame, if the browser reports it.
    const seen = event.getCoalescedEvents?.() ?? [];
    const box = this.canvas.getBoundingClientRect();
    for (const one of seen.length > 0 ? seen : [event]) this.#add(one, box);
    this.#drawOn();
  }

  #end(event: PointerEvent): void {
    if (this.#current?.id !== event.pointerId) return;
    const { dots } = this.#current;
    const dry = this.#dry.getContext("2d");
    if (dry && dots.length > 0) {
      dip(dry);
      piece(dry, dots, dots.length - 1);
    }
    this.#current = null;
    if (dots.length > 0) this.#strokes.push(dots);
    this.changed();
  }

  #add(event: PointerEvent, box: DOMRect): void {
    const current = this.#current;
    if (!current) return;
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const last = current.dots[current.dots.length - 1];
    const way = last ? Math.hypot(x - last.x, y - last.y) : 0;
    if (last && way < NEAREST) return;
    const presses = event.pointerType === "pen" && event.pressure > 0;
    const speed = way / Math.max(1, event.timeStamp - current.at);
    const strength = presses ? Math.sqrt(event.pressure) : HALF_SPEED / (HALF_SPEED + speed);
    const wanted = THIN + (THICK - THIN) * strength;
    const width = last ? INERTIA * last.width + (1 - INERTIA) * wanted : presses ? wanted : (THIN + THICK) / 2;
    current.dots.push({ x, y, width });
    current.at = event.timeStamp;
  }
}

/** A stroke as a smooth curve through the midpoints between its points. */
function ink(context: CanvasRenderingContext2D, dots: Dot[]): void {
  dip(context);
  for (const index of dots.keys()) piece(context, dots, index);
}

function dip(context: CanvasRenderingContext2D): void {
  context.strokeStyle = INK;
  context.fillStyle = INK;
  context.lineCap = "round";
  context.lineJoin = "round";
}

/**
 * The curve around one of its points, from the midpoint before it to the midpoint after it; at both ends to the point
 * itself.
 */
function piece(context: CanvasRenderingContext2D, dots: Dot[], index: number): void {
  const [before, control, after] = [dots[index - 1], dots[index], dots[index + 1]];
  if (!control) return;
  if (!before && !after) {
    context.beginPath();
    context.arc(control.x, control.y, control.width * 0.75, 0, 2 * Math.PI);
    context.fill();
    return;
  }
  curve(context, before ? between(before, control) : control, control, after ? between(control, after) : control);
}

function between(one: Dot, other: Dot): Dot {
  return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2, width: (one.width + other.width) / 2 };
}

function curve(context: CanvasRenderingContext2D, from: Dot, control: Dot, to: Dot): void {
  const length = Math.hypot(control.x - from.x, control.y - from.y) + Math.hypot(to.x - control.x, to.y - control.y);
  const steps = Math.max(1, Math.min(24, Math.ceil(length / 2)));
  let [x, y] = [from.x, from.y];
  for (let step = 1; step <= steps; step += 1) {
    const t = step / steps;
    const [a, b, c] = [(1 - t) ** 2, 2 * t * (1 - t), t ** 2];
    context.beginPath();
    context.moveTo(x, y);
    x = a * from.x + b * control.x + c * to.x;
    y = a * from.y + b * control.y + c * to.y;
    context.lineWidth = from.width + (to.width - from.width) * t;
    context.lineTo(x, y);
    context.stroke();
  }
}

function extent(strokes: Dot[][]): { left: number; top: number; right: number; bottom: number } | null {
  const dots = strokes.flat();
  if (dots.length === 0) return null;
  const found = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const { x, y, width } of dots) {
    found.left = Math.min(found.left, x - width);
    found.top = Math.min(found.top, y - width);
    found.right = Math.max(found.right, x + width);
    found.bottom = Math.max(found.bottom, y + width);
  }
  return found;
}
