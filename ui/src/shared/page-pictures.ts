// The pictures of a document's pages. A phone has no room for all of a long document: those far from what is in sight
// are let go, and come back, from the browser's own cache, before somebody reaches them. A page keeps its height
// without its picture, so nothing moves. Without this script every picture stays once it was loaded.

/** Pages before and after those in sight whose pictures are held. */
const AROUND = 3;

export class PagePictures {
  readonly #addresses: string[];
  readonly #inSight = new Set<number>();
  #first = 0;
  #last = 0;

  constructor(private readonly images: HTMLImageElement[]) {
    this.#addresses = images.map((image) => image.src);
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
    this.#hold(this.#first - AROUND, this.#last + AROUND);
  }

  #hold(first: number, last: number): void {
    for (const [index, image] of this.images.entries()) {
      const address = this.#addresses[index];
      if (index < first || index > last) image.removeAttribute("src");
      else if (address && !image.hasAttribute("src")) image.src = address;
    }
  }
}
