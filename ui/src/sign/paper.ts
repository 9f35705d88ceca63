// Extracts the ink from a photo of a signature or seal on paper: the paper becomes transparent in any lighting, and the
// image is cropped to the ink.

const LONGEST_SIDE = 1600;
/** Side of the squares in which the brightness of the paper is measured. */
const CELL = 32;
/** Fainter ink does not count when we look for the edge of the ink. */
const SEEN = 90;
/** The range from paper to full ink, relative to the paper's brightness. */
const SOFTNESS = 0.16;

export interface Photo {
  canvas: HTMLCanvasElement;
  /** Whether the original has transparent parts. */
  transparent: boolean;
}

/**
 * Reads a picture from the device. As an image element, not as a bitmap: Safari 15 makes bitmaps lie on their side, and no
 * iPhone has room for those of large photographs.
 */
export async function read(file: File): Promise<HTMLImageElement> {
  const address = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(String(reader.result)));
    reader.addEventListener("error", () => reject(reader.error));
    reader.readAsDataURL(file);
  });
  const image = new Image();
  image.src = address;
  await image.decode();
  return image;
}

/** A quarter turn clockwise. */
export function turned({ canvas, transparent }: Photo): Photo | null {
  const turned = document.createElement("canvas");
  [turned.width, turned.height] = [canvas.height, canvas.width];
  const context = turned.getContext("2d", { willReadFrequently: true });
  if (!context) return null;
  context.translate(turned.width, 0);
  context.rotate(Math.PI / 2);
  context.drawImage(canvas, 0, 0);
  return { canvas: turned, transparent };
}

/** The picture, no larger than any box needs. */
export function photo(image: HTMLImageElement): Photo | null {
  const [width, height] = [image.naturalWidth, image.naturalHeight];
  const factor = Math.min(1, LONGEST_SIDE / Math.max(width, height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(width * factor));
  canvas.height = Math.max(1, Math.round(height * factor));
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) return null;
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  let clear = 0;
  for (let at = 3; at < data.length; at += 4) if ((data[at] ?? 255) < 128) clear += 1;
  return { canvas, transparent: clear > data.length / 400 };
}

/**
 * Removes the paper: anything darker, in any colour channel, than `threshold` (0 to 1) of the paper around it is ink.
 * `null` if there is no ink.
 */
export function withoutPaper(source: Photo, threshold: number): HTMLCanvasElement | null {
  const { width, height } = source.canvas;
  const context = source.canvas.getContext("2d", { willReadFrequently: true });
  if (!context) return null;
  const image = context.getImageData(0, 0, width, height);
  const { data } = image;
  if (!source.transparent) {
    const paper = brightness(data, width, height);
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) {
        const at = (y * width + x) * 4;
        const light = paper(x, y);
        const share = darkest(data, at) / light;
        const alpha = Math.max(0, Math.min(1, (threshold + SOFTNESS / 2 - share) / SOFTNESS));
        data[at + 3] = Math.round(alpha * 255);
      }
    }
  }
  return cropped(image);
}

/** Unchanged, for a photograph of something else. */
export function whole(source: Photo): HTMLCanvasElement {
  return source.canvas;
}

/** Red and blue ink are as dark as black in one colour channel; paper is not dark in any. */
function darkest(data: Uint8ClampedArray, at: number): number {
  return Math.min(data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0);
}

/**
 * The paper's brightness at each point: the bright part of each square, interpolated between their centres. A square
 * full of ink takes the value of its neighbours.
 */
function brightness(data: Uint8ClampedArray, width: number, height: number): (x: number, y: number) => number {
  const [columns, rows] = [Math.ceil(width / CELL), Math.ceil(height / CELL)];
  const cells = new Float32Array(columns * rows);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const seen: number[] = [];
      for (let y = row * CELL; y < Math.min(height, (row + 1) * CELL); y += 2) {
        for (let x = column * CELL; x < Math.min(width, (column + 1) * CELL); x += 2) {
          seen.push(darkest(data, (y * width + x) * 4));
        }
      }
      seen.sort((one, other) => one - other);
      cells[row * columns + column] = seen[Math.floor(seen.length * 0.85)] ?? 255;
    }
  }
  const spread = (from: Float32Array) =>
    from.map((_, index) => {
      const [column, row] = [index % columns, Math.floor(index / columns)];
      let best = 0;
      for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y += 1) {
        for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x += 1) {
          best = Math.max(best, from[y * columns + x] ?? 0);
        }
      }
      return best;
    });
  const paper = spread(cells);
  const cell = (column: number, row: number) =>
    paper[Math.max(0, Math.min(rows - 1, row)) * columns + Math.max(0, Math.min(columns - 1, column))] ?? 255;
  return (x, y) => {
    const [across, down] = [x / CELL - 0.5, y / CELL - 0.5];
    const [column, row] = [Math.floor(across), Math.floor(down)];
    const [right, below] = [across - column, down - row];
    const top = cell(column, row) * (1 - right) + cell(column + 1, row) * right;
    const bottom = cell(column, row + 1) * (1 - right) + cell(column + 1, row + 1) * right;
    return Math.max(40, top * (1 - below) + bottom * below);
  };
}

/** Cropped to the ink; single specks do not count. */
function cropped(image: ImageData): HTMLCanvasElement | null {
  const { data, width, height } = image;
  const [inColumn, inRow] = [new Uint32Array(width), new Uint32Array(height)];
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if ((data[(y * width + x) * 4 + 3] ?? 0) < SEEN) continue;
      inColumn[x] = (inColumn[x] ?? 0) + 1;
      inRow[y] = (inRow[y] ?? 0) + 1;
    }
  }
  const specks = Math.max(1, Math.round(Math.max(width, height) / 400));
  const first = (counts: Uint32Array) => counts.findIndex((count) => count > specks);
  const last = (counts: Uint32Array) =>
    counts.length -
    1 -
    counts
      .slice()
      .reverse()
      .findIndex((count) => count > specks);
  const [left, top] = [first(inColumn), first(inRow)];
  if (left < 0 || top < 0) return null;
  const [right, bottom] = [last(inColumn), last(inRow)];
  const margin = Math.round(Math.max(right - left, bottom - top) / 50) + 2;
  const all = document.createElement("canvas");
  all.width = width;
  all.height = height;
  all.getContext("2d")?.putImageData(image, 0, 0);
  const canvas = document.createElement("canvas");
  canvas.width = right - left + 1 + 2 * margin;
  canvas.height = bottom - top + 1 + 2 * margin;
  canvas.getContext("2d")?.drawImage(all, margin - left, margin - top);
  return canvas;
}
