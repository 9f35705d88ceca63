// <page-text>: a page's transparent text on top of its image, for screen readers, the browser's search, selecting and
// copying. The server finds the words, their positions and their order (document::text_layer), and this script
// positions them.
//
// Nearby pages are loaded first. The others follow when there is time, up to a limit, because a long document must not
// use too much memory on a phone. Beyond the limit, far pages are dropped, and their text is reloaded from the
// browser's cache.

/** Text, its start from the line's left end, and its width, in points. */
type Word = [text: string, start: number, width: number];

interface Line {
  x: number;
  y: number;
  size: number;
  angle?: number;
  right_to_left?: boolean;
  words: Word[];
}

interface PageWords {
  language?: string;
  lines: Line[];
}

/** The most characters of pages that are not near. */
const MOST_AT_LEISURE = 60_000;

const measure = document.createElement("canvas").getContext("2d");
const all = new Set<PageText>();
const near = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) if (target instanceof PageText) target.isNear = isIntersecting;
    void workThrough();
  },
  { rootMargin: "100% 0px" },
);

let working = false;

/** Loads one page after another: nearby ones, then the rest while there is room. */
async function workThrough(): Promise<void> {
  if (working) return;
  working = true;
  try {
    for (;;) {
      let held = [...all].reduce((sum, page) => sum + page.characters, 0);
      for (const page of all) {
        if (held <= MOST_AT_LEISURE) break;
        if (page.isNear || page.characters === 0) continue;
        held -= page.characters;
        page.letGo();
      }
      const empty = [...all].filter((page) => page.wants);
      const next = empty.find((page) => page.isNear) ?? (held < MOST_AT_LEISURE / 2 ? empty[0] : undefined);
      if (!next) return;
      if (!next.isNear) await idle();
      await next.load();
    }
  } finally {
    working = false;
  }
}

function idle(): Promise<void> {
  return new Promise((resolve) => {
    if ("requestIdleCallback" in window) requestIdleCallback(() => resolve(), { timeout: 2000 });
    else setTimeout(resolve, 200);
  });
}

export class PageText extends HTMLElement {
  isNear = false;
  /** The number of characters shown. */
  characters = 0;
  #state: "empty" | "loading" | "shown" | "failed" = "empty";
  #layer = document.createElement("div");
  #resized = new ResizeObserver(() => this.#scale());

  connectedCallback(): void {
    this.#layer.style.width = `${this.#points("width")}px`;
    this.#layer.style.height = `${this.#points("height")}px`;
    this.append(this.#layer);
    this.#resized.observe(this);
    all.add(this);
    near.observe(this);
  }

  disconnectedCallback(): void {
    this.#resized.disconnect();
    near.unobserve(this);
    all.delete(this);
    this.letGo();
  }

  get wants(): boolean {
    return this.#state === "empty";
  }

  letGo(): void {
    this.#layer.replaceChildren();
    this.characters = 0;
    this.#state = "empty";
    delete this.dataset.shown;
  }

  /** If this fails we do not try again: the page itself can still be read. */
  async load(): Promise<void> {
    this.#state = "loading";
    try {
      const answer = await fetch(this.dataset.src ?? "", { credentials: "same-origin", referrerPolicy: "no-referrer" });
      if (!answer.ok) throw new Error(String(answer.status));
      this.#show((await answer.json()) as PageWords);
      this.#state = "shown";
      this.dataset.shown = "";
    } catch {
      this.#state = "failed";
    }
  }

  #points(side: "width" | "height"): number {
    return Number(this.dataset[side] ?? 0);
  }

  /** The layer is laid out in points; one transform scales it to the picture at any zoom. */
  #scale(): void {
    this.#layer.style.transform = `scale(${this.clientWidth / this.#points("width")})`;
  }

  #show({ language, lines }: PageWords): void {
    if (language) this.#layer.lang = language;
    if (lines.length === 0) {
      const none = document.createElement("p");
      none.className = "unseen";
      none.textContent = this.dataset.none ?? "";
      // In the language of the surrounding page, not of the document.
      none.lang = document.documentElement.lang;
      this.#layer.replaceChildren(none);
      return;
    }
    const family = getComputedStyle(this.#layer).fontFamily;
    // Between positioned lines, only a <br> becomes a line break in copied text.
    this.#layer.replaceChildren(...lines.flatMap((line) => [this.#line(line, family), document.createElement("br")]));
  }

  /**
   * The words are plain inline text, so that a phrase is found and read as one. Letter spacing stretches each word to
   * its width in the picture, and word spacing the space after it.
   */
  #line(line: Line, family: string): HTMLElement {
    // Not a block, because Firefox copies an empty line after each block.
    const element = document.createElement("span");
    Object.assign(element.style, {
      left: `${line.x}px`,
      top: `${line.y}px`,
      width: `${Math.max(...line.words.map(([, start, width]) => start + width))}px`,
      height: `${line.size}px`,
      fontSize: `${line.size}px`,
    });
    if (line.angle) element.style.transform = `rotate(${line.angle}deg)`;
    if (line.right_to_left) element.dir = "rtl";
    if (measure) measure.font = `${line.size}px ${family}`;
    const natural = (text: string) => measure?.measureText(text).width ?? 0;
    const space = natural(" ");
    for (const [index, [text, start, width]] of line.words.entries()) {
      const letters = text.trimEnd();
      const word = document.createElement("span");
      word.textContent = text;
      const count = [...letters].length;
      const spacing = count > 0 && width > 0 ? (width - natural(letters)) / count : 0;
      word.style.letterSpacing = `${spacing}px`;
      const next = line.words[index + 1];
      if (next && letters !== text) {
        const gap = line.right_to_left ? start - (next[1] + next[2]) : next[1] - (start + width);
        // If the reading order jumps (a number in Arabic text), the space has its usual width.
        word.style.wordSpacing = `${(gap >= 0 ? gap : space) - space - spacing}px`;
      }
      element.append(word);
      this.characters += text.length;
    }
    return element;
  }
}

customElements.define("page-text", PageText);
