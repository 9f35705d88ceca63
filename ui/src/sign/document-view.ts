// The document as a whole: its zoom, the visible page, and navigation to other pages. Zoomed pages are laid out wider
// than the screen, so that letters and boxes stay sharp and the boxes keep their positions. The browser's own pinch
// zoom works on top of that and is never disabled.

import { all, fill, one } from "../shared/dom";
import { PagePictures } from "../shared/page-pictures";

const STEPS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3];
const LARGEST_BOX = 0.92;
/** CSS pixels per point of paper at which ordinary print is easy to read. */
const READABLE = 1.25;
/** Thumbnails are the full page pictures, so a device in data-saving mode gets none. */
const savesData = () => (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;

export class DocumentView {
  readonly #scroller: HTMLElement;
  readonly #pages: HTMLElement;
  readonly #sections: HTMLElement[];
  readonly #pictures: PagePictures;
  readonly #jump = document.querySelector<HTMLSelectElement>("#page-jump");
  readonly #smaller = one<HTMLButtonElement>("#zoom-out");
  readonly #larger = one<HTMLButtonElement>("#zoom-in");
  readonly #now = one<HTMLElement>("#zoom-now");
  readonly #thumbnails = new Map<number, HTMLElement>();
  readonly #calm = matchMedia("(prefers-reduced-motion: reduce)");
  #zoom = 1;

  constructor(
    root: HTMLElement,
    private readonly texts: Record<string, string>,
  ) {
    this.#scroller = one<HTMLElement>(".sheets", root);
    this.#pages = one<HTMLElement>(".pages", root);
    this.#sections = all<HTMLElement>("section[data-page]", this.#pages);
    this.#pictures = new PagePictures(all<HTMLImageElement>("img.paper", this.#pages));
    this.#smaller.addEventListener("click", () => this.#step(-1));
    this.#larger.addEventListener("click", () => this.#step(1));
    this.#jump?.addEventListener("change", () => this.show(Number(this.#jump?.value)));
    this.#wireThumbnails(root);
    this.#followPages();
    this.#showZoom();
  }

  get zoom(): number {
    return this.#zoom;
  }

  /** Scrolls a page to the top. */
  show(page: number): void {
    this.#sections[page - 1]?.scrollIntoView({ block: "start", behavior: this.#behaviour });
  }

  /** Changes the zoom; the middle of the screen stays where it is. */
  zoomTo(zoom: number): void {
    if (zoom === this.#zoom) return;
    const middle = this.#middle();
    this.#setZoom(zoom);
    if (!middle) return;
    const paper = middle.paper.getBoundingClientRect();
    scrollBy({ top: paper.top + paper.height * middle.down - innerHeight / 2, behavior: "instant" });
    this.#scroller.scrollLeft += paper.left + paper.width * middle.across - innerWidth / 2;
  }

  /** Scrolls a box between two lines of the window, large enough to be read. */
  bring(box: HTMLElement, top: number, bottom: number, enlarge: boolean): void {
    const paper = box.closest<HTMLElement>("document-page");
    if (!paper) return;
    const before = this.#zoom;
    if (enlarge) {
      const points = Number(paper.dataset.points ?? 595);
      const natural = paper.clientWidth / this.#zoom;
      const readable = (READABLE * points) / natural;
      const share = box.offsetWidth / paper.clientWidth;
      const widest = (LARGEST_BOX * this.#scroller.clientWidth) / (share * natural);
      this.#setZoom(Math.max(1, Math.min(3, readable, widest)));
    }
    const room = box.getBoundingClientRect();
    const behavior = before === this.#zoom ? this.#behaviour : "instant";
    scrollBy({ top: room.top + room.height / 2 - (top + bottom) / 2, behavior });
    const scroller = this.#scroller.getBoundingClientRect();
    this.#scroller.scrollBy({
      left: room.left + room.width / 2 - (scroller.left + scroller.width / 2),
      behavior,
    });
  }

  get #behaviour(): ScrollBehavior {
    return this.#calm.matches ? "instant" : "smooth";
  }

  #step(direction: 1 | -1): void {
    const next =
      direction > 0
        ? STEPS.find((step) => step > this.#zoom + 0.01)
        : [...STEPS].reverse().find((step) => step < this.#zoom - 0.01);
    if (next) this.zoomTo(next);
  }

  #setZoom(zoom: number): void {
    this.#zoom = zoom;
    this.#pages.style.setProperty("--zoom", String(zoom));
    this.#showZoom();
  }

  /** A button that has reached its limit keeps the focus and is announced as disabled. */
  #showZoom(): void {
    this.#now.textContent = `${Math.round(this.#zoom * 100)}%`;
    this.#smaller.setAttribute("aria-disabled", String(this.#zoom <= (STEPS[0] ?? 1)));
    this.#larger.setAttribute("aria-disabled", String(this.#zoom >= (STEPS.at(-1) ?? 1)));
  }

  /** The point of the page that is in the middle of the window. */
  #middle(): { paper: HTMLElement; down: number; across: number } | null {
    for (const section of this.#sections) {
      const paper = one<HTMLElement>("document-page", section);
      const { top, bottom, left, width, height } = paper.getBoundingClientRect();
      if (bottom < innerHeight / 2 || top > innerHeight / 2) continue;
      return { paper, down: (innerHeight / 2 - top) / height, across: (innerWidth / 2 - left) / width };
    }
    return null;
  }

  /** Marks the page that fills most of the window in the list and the thumbnails. */
  #followPages(): void {
    if (this.#sections.length < 2) return;
    const seen = new Map<HTMLElement, number>();
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting, intersectionRect } of entries) {
          if (isIntersecting) seen.set(target as HTMLElement, intersectionRect.height);
          else seen.delete(target as HTMLElement);
        }
        const [most] = [...seen].sort(([, a], [, b]) => b - a)[0] ?? [];
        if (most) this.#mark(Number(most.dataset.page));
      },
      { threshold: [0, 0.25, 0.5, 0.75] },
    );
    for (const section of this.#sections) observer.observe(section);
  }

  #mark(page: number): void {
    if (this.#jump) this.#jump.value = String(page);
    for (const [number, thumbnail] of this.#thumbnails) {
      if (number !== page) thumbnail.removeAttribute("aria-current");
      else if (thumbnail.getAttribute("aria-current") !== "page") {
        thumbnail.setAttribute("aria-current", "page");
        const list = thumbnail.closest<HTMLElement>(".thumbnails");
        // Only the list scrolls, never the document.
        if (list) list.scrollTop = thumbnail.offsetTop - list.clientHeight / 2 + thumbnail.offsetHeight / 2;
      }
    }
  }

  #wireThumbnails(root: HTMLElement): void {
    const list = root.querySelector<HTMLElement>(".thumbnails");
    if (!list) return;
    const inSight = new Set<Element>();
    const near = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          if (!isIntersecting) {
            inSight.delete(target);
            target.querySelector("img")?.remove();
          } else if (!savesData()) {
            inSight.add(target);
            whenIdle(() => inSight.has(target) && this.#drawThumbnail(target as HTMLElement));
          }
        }
      },
      { root: list },
    );
    for (const link of all<HTMLAnchorElement>("a", list)) {
      const page = Number(link.dataset.page);
      this.#thumbnails.set(page, link);
      // The row keeps its height while the image is loaded and dropped.
      const paper = one<HTMLElement>("document-page", this.#sections[page - 1]);
      const place = one<HTMLElement>(".thumbnail", link);
      place.style.aspectRatio = `${paper.dataset.points} / ${paper.dataset.pointsHigh}`;
      link.setAttribute("aria-label", fill(this.texts["sign-page-go"] ?? "", { page }));
      link.addEventListener("click", (event) => {
        event.preventDefault();
        this.show(page);
      });
      near.observe(link);
    }
  }

  /** Shows the page's own picture at a small size, because it is already loaded or will be soon. */
  #drawThumbnail(link: HTMLElement): void {
    const source = this.#pictures.address(Number(link.dataset.page));
    const place = link.querySelector(".thumbnail");
    if (!source || !place || place.firstElementChild) return;
    const image = document.createElement("img");
    image.decoding = "async";
    image.fetchPriority = "low";
    image.alt = "";
    image.src = source;
    place.append(image);
  }
}

function whenIdle(work: () => void): void {
  if ("requestIdleCallback" in window) requestIdleCallback(work, { timeout: 3000 });
  else setTimeout(work, 500);
}
