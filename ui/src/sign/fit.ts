// The size of letters in a field, by the rule that the stamp follows, so that page and PDF show the
// same: a given size stays; without one, the largest up to 12 points with which the text fits.

const LARGEST = 12;
const SMALLEST = 4;
const LINE = 1.2;

export interface Fit {
  text: string;
  /** Of the box, in points. */
  width: number;
  height: number;
  /** The template's size in points; 0 where it says none. */
  fixed: number;
  multiline: boolean;
  /** Widths of the lines at one point. */
  widths: (text: string) => number[];
}

export function fontSize({ text, width, height, fixed, multiline, widths }: Fit): number {
  if (fixed > 0 && !text) return fixed;
  const lines = widths(text);
  const longest = Math.max(0, ...lines);
  const largest = fixed > 0 ? fixed : Math.min(LARGEST, height / LINE);
  if (!text) return Math.max(SMALLEST, largest);
  const room = Math.max(1, width - 2);
  const fits = (size: number) => {
    const count = multiline
      ? lines.reduce((sum, line) => sum + Math.max(1, Math.ceil((line * size) / room)), 0)
      : lines.length;
    return (multiline || longest * size <= room) && count * size * LINE <= height + 0.5;
  };
  for (let size = largest; size > SMALLEST; size -= 0.5) if (fits(size)) return size;
  return SMALLEST;
}

let context: CanvasRenderingContext2D | null = null;

/** Measures each line with the page's own font. */
export function textWidths(text: string): number[] {
  if (!text) return [];
  if (!context) {
    context = document.createElement("canvas").getContext("2d");
    if (context) context.font = `100px ${getComputedStyle(document.body).fontFamily}`;
  }
  return text.split("\n").map((line) => (context?.measureText(line).width ?? line.length * 60) / 100);
}
