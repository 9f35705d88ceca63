// The font size in a field while typing, by the same rule as the stamp (crates/document, text_layout.rs) and with the
// page's own fonts. The server lays out the typed text itself, and its outlines replace these letters (ink.ts). All
// values are in points.

export const PADDING = 2;
export const LINE_HEIGHT = 1.25;
const SMALLEST = 6;
const LARGEST_AUTOMATIC = 12;

export interface Fit {
  text: string;
  /** Of the box. */
  width: number;
  height: number;
  /** The template's font size; 0 if it sets none. */
  fixed: number;
  /** Whether the text wraps. */
  many: boolean;
  /** Widths of the text's lines at a font size of one. */
  widths: (text: string) => number[];
}

/** The given font size or the one for the box, reduced if the text would not fit. */
export function fontSize({ text, width, height, fixed, many, widths }: Fit): number {
  const innerWidth = Math.max(1, width - 2 * PADDING);
  const innerHeight = height - 2 * PADDING;
  const fittingHeight = Math.max(1, height / LINE_HEIGHT);
  const size = fixed > 0 ? fixed : Math.min(LARGEST_AUTOMATIC, fittingHeight);
  const floor = Math.min(SMALLEST, size);
  if (many) {
    const lines = widths(text);
    const fits = (at: number) => {
      const count = lines.reduce((sum, line) => sum + Math.max(1, Math.ceil((line * at) / innerWidth)), 0);
      return count * at * LINE_HEIGHT <= innerHeight;
    };
    let at = size;
    while (at > floor && !fits(at)) at = Math.max(floor, at - 0.5);
    return at;
  }
  const line = Math.min(size, fittingHeight);
  const natural = Math.max(0, ...widths(text.replaceAll("\n", " ").trimEnd())) * line;
  return natural > innerWidth ? Math.max(floor, Math.floor(((line * innerWidth) / natural) * 10) / 10) : line;
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
