// The pictures of a document's pages. A phone has no room for all of a long document: those far from what is in sight
// are let go, and come back, from the browser's own cache, before somebody reaches them. A page keeps its height
// without its picture, so nothing moves. Without this script every picture stays once it was loaded.
//
// The server may have to draw a page that is asked for. So what is only scrolled past is not asked for, what is in sight
// is asked for before its neighbours, and what is let go before it came is asked for no longer. A picture that fails
// (no connection, a server with too much to do) is asked for again while it is wanted.

/** Pages before and after those in sight whose pictures are held. */
const AROUND = 3;
/** Milliseconds that the pages in sight stay the same before pictures are asked for. */
const REST = 120;
const FIRST_PAUSE = 1000;
/** How often a picture is asked for again, after twice the pause each time; a connection that is back counts anew. */
const MOST_TRIES = 6;

export class PagePictures {
  readonly #addresses: string[];
  readonly #inSight = new Set<number>();
  #first = 0;
  #last = 0;
  #timer = 0;
  #rests = true;

  constructor(private readonly images: HTMLImageElement[]) {
    this.#addresses = images.map((image) => image.src);
    for (const image of images) askAgain(image);
    if (images.length <= 2 * AROUND + 1) return;
    const pages = new Map<Element, number>();
    for (const [index, image] of images.entries()) {
      const page = image.parentElement;
      if (!page) continue;
      // The picture's own proportions, unless the page knows better.
      page.style.aspectRatio ||= `${image.getAttribute("width")} / ${image.getAttribute("height")}`;
      pages.set(page, index);
    }
    const observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        const index = pages.get(target) ?? 0;
        if (isIntersecting) this.#inSight.add(index);
        else this.#inSight.delete(index);
      }
      this.#follow();
    });
    for (const page of pages.keys()) observer.observe(page);
    addEventListener("beforeprint", () => this.#hold(0, images.length - 1));
    addEventListener("afterprint", () => this.#follow());
  }

  /** Where the picture of a page is, whether it is held or not; pages are counted from 1. */
  address(page: number): string | undefined {
    return this.#addresses[page - 1];
  }

  /** Where no page is in sight (before the first one, or between two) those are held that were. */
  #follow(): void {
    if (this.#inSight.size > 0) {
      this.#first = Math.min(...this.#inSight);
      this.#last = Math.max(...this.#inSight);
    }
    const [first, last] = [this.#first - AROUND, this.#last + AROUND];
    for (const [index, image] of this.images.entries()) {
      if (index < first || index > last) image.removeAttribute("src");
    }
    // What is in sight first is shown at once; on the way to somewhere else nothing is.
    if (this.#rests) this.#hold(first, last);
    this.#rests = false;
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => {
      this.#rests = true;
      this.#hold(first, last);
    }, REST);
  }

  /** Those in sight are asked for first, then what lies nearest to them. */
  #hold(first: number, last: number): void {
    const away = (index: number) => Math.max(this.#first - index, index - this.#last, 0);
    const wanted = [...this.images.entries()]
      .filter(([index, image]) => index >= first && index <= last && !image.hasAttribute("src"))
      .sort(([one], [other]) => away(one) - away(other));
    for (const [index, image] of wanted) {
      const address = this.#addresses[index];
      if (address) image.src = address;
    }
  }
}

/** Asks again for a picture that did not come, as long as somebody wants it. */
function askAgain(image: HTMLImageElement): void {
  let tries = 0;
  let timer = 0;
  let failed = "";
  const ask = () => {
    clearTimeout(timer);
    // Let go, or asked for anew, meanwhile.
    if (!failed || image.getAttribute("src") !== failed) return;
    image.removeAttribute("src");
    image.src = failed;
    failed = "";
  };
  const fails = () => {
    failed = image.getAttribute("src") ?? "";
    tries += 1;
    if (failed && tries <= MOST_TRIES) timer = window.setTimeout(ask, FIRST_PAUSE * 2 ** (tries - 1));
  };
  image.addEventListener("load", () => {
    tries = 0;
  });
  image.addEventListener("error", fails);
  addEventListener("online", () => {
    tries = 0;
    ask();
  });
  // It may have failed before this script came.
  if (image.complete && image.naturalWidth === 0 && image.hasAttribute("src")) fails();
}
