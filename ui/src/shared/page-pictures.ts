// The images of a document's pages. A phone has no room for all pages of a long document, so images far from the
// visible pages are dropped, and reloaded from the browser's cache before someone reaches them. A page keeps its height
// without its image, so nothing moves. Without this script every image stays once it is loaded.
//
// The server may have to draw a requested page. So we do not request pages that are only scrolled past, request visible
// pages before their neighbours, and abort requests for pages that are no longer needed. A failed image (no connection,
// an overloaded server) is requested again as long as it is needed.

/** How many pages before and after the visible ones keep their pictures. */
const AROUND = 3;
/** For how many milliseconds the visible pages must stay the same before pictures are requested. */
const REST = 120;
const FIRST_PAUSE = 1000;
/**
 * How often a picture is requested again, each time after twice the pause. When the connection is back, counting starts
 * again.
 */
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
      // The image's own proportions, unless the page sets better ones.
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

  /** The URL of a page's picture, whether it is loaded or not. Pages count from 1. */
  address(page: number): string | undefined {
    return this.#addresses[page - 1];
  }

  /** If no page is visible (before the first one, or between two), the previous pages keep their pictures. */
  #follow(): void {
    if (this.#inSight.size > 0) {
      this.#first = Math.min(...this.#inSight);
      this.#last = Math.max(...this.#inSight);
    }
    const [first, last] = [this.#first - AROUND, this.#last + AROUND];
    for (const [index, image] of this.images.entries()) {
      if (index < first || index > last) image.removeAttribute("src");
    }
    // The first visible pages are shown immediately. During scrolling, no others are.
    if (this.#rests) this.#hold(first, last);
    this.#rests = false;
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => {
      this.#rests = true;
      this.#hold(first, last);
    }, REST);
  }

  /** Requests the visible pages first, then the nearest ones. */
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

/** Requests a failed picture again as long as it is needed. */
function askAgain(image: HTMLImageElement): void {
  let tries = 0;
  let timer = 0;
  let failed = "";
  const ask = () => {
    clearTimeout(timer);
    // The image was dropped or requested again meanwhile.
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
  // The image may have failed before this script was loaded.
  if (image.complete && image.naturalWidth === 0 && image.hasAttribute("src")) fails();
}
