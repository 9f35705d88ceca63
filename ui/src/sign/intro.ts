// On a phone the document comes first. Details, and actions other than signing, open with a tap.

import { one } from "../shared/dom";

export function wireIntro(): void {
  const [button, rest] = [one<HTMLButtonElement>("#intro-more"), one<HTMLElement>("#intro-rest")];
  button.addEventListener("click", () => {
    const folded = rest.classList.toggle("folded");
    button.setAttribute("aria-expanded", String(!folded));
  });
}
