// What a page needs of its browser and cannot replace. The oldest browsers that have it are in docs/signing-page.md; the build
// and ui/tests/browsers.test.mjs check our sources against them.

export function isSupported(): boolean {
  const dialog = window.HTMLDialogElement as typeof HTMLDialogElement | undefined;
  return (
    dialog !== undefined &&
    "showModal" in dialog.prototype &&
    "at" in Array.prototype &&
    "replaceChildren" in Element.prototype &&
    "ResizeObserver" in window &&
    CSS.supports("aspect-ratio: 1")
  );
}
