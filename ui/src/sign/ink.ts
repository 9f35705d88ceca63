// The letters of a value as they will be stamped: outlines that the server made with the stamp's fonts, laid over the
// box. Without them (while typing, or without a connection) the box shows the text in the page's own letters.

export interface Ink {
  path: string;
  color: string;
}

/** How a field's value looks, from the server's answer to a draft. */
export interface Look {
  name: string;
  boxes: { id: string; shown: string; ink: Ink | null }[];
  /** Why it will be refused. Empty if it will not. */
  message: string;
}

const SVG = "http://www.w3.org/2000/svg";

export function showInk(box: HTMLElement, ink: Ink | null): void {
  box.querySelector(":scope > .ink")?.remove();
  box.toggleAttribute("data-ink", ink !== null);
  if (!ink) return;
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "ink");
  svg.setAttribute("viewBox", `0 0 ${box.dataset.widthPoints} ${box.dataset.heightPoints}`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("fill", ink.color);
  path.setAttribute("d", ink.path);
  svg.append(path);
  box.append(svg);
}

/** Shows values that the signer does not enter: those calculated from theirs. */
export function showLook(look: Look): void {
  for (const { id, shown, ink } of look.boxes) {
    const box = document.getElementById(id);
    if (!box) continue;
    let value = box.querySelector<HTMLElement>(":scope > .value");
    if (!value) {
      value = document.createElement("span");
      value.className = "value";
      value.dir = "auto";
      box.append(value);
    }
    value.textContent = shown;
    box.dataset.shown = shown;
    box.toggleAttribute("data-filled", shown !== "");
    showInk(box, ink);
    box.toggleAttribute("data-fault", look.message !== "");
    box.title = look.message;
  }
}
