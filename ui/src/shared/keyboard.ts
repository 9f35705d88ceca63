// The on-screen keyboard of an iPhone covers the lower part of the window, and the page scrolls behind the rest. Styles
// find the visible part in `--keyboard` (height covered at the bottom), `--seen-top` and `--seen` (its top and height).

/** What covers less is not a keyboard. */
const LEAST = 60;

/** How much of the window is covered at the bottom. During a pinch the window is smaller for another reason. */
export function covered(): number {
  const view = visualViewport;
  if (!view || view.scale > 1.01) return 0;
  const height = innerHeight - view.offsetTop - view.height;
  return innerHeight - view.height < LEAST ? 0 : Math.max(0, height);
}

/** Keeps the styles up to date, and reports each change. */
export function followKeyboard(changed: () => void): void {
  const view = visualViewport;
  if (!view) return;
  const root = document.documentElement;
  const follow = () => {
    const isUp = view.scale <= 1.01 && innerHeight - view.height >= LEAST;
    root.toggleAttribute("data-keyboard", isUp);
    const values = { "--keyboard": covered(), "--seen-top": view.offsetTop, "--seen": view.height };
    for (const [name, value] of Object.entries(values)) {
      if (isUp) root.style.setProperty(name, `${Math.round(value)}px`);
      else root.style.removeProperty(name);
    }
    changed();
  };
  // The keyboard appears and disappears, and the page scrolls behind it.
  view.addEventListener("resize", follow);
  view.addEventListener("scroll", follow);
}
