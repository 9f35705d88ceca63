// The browser features that a page needs and cannot replace. docs/signing-page.md lists the oldest browsers that have
// them. The build and ui/tests/browsers.test.mjs check our sources against those browsers.

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
