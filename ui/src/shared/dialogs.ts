// Protects dialogs against fast users. The browser reports late that a dialog was closed, and a double tap would press
// whatever has appeared meanwhile.

import { all } from "./dom";

/** Focuses the element unless something else has the focus: a late event must not take it away. */
export function focusIfNowhere(element: Element | null): void {
  const { activeElement, body } = document;
  const isNowhere = activeElement === null || activeElement === body;
  if (isNowhere && element instanceof HTMLElement && element.isConnected) element.focus({ preventScroll: true });
}

/**
 * Runs `work` at each close of the dialog. The browser reports it late, when the dialog may be open again; that does
 * not count.
 */
export function whenClosed(dialog: HTMLDialogElement, work: () => void): void {
  dialog.addEventListener("close", () => dialog.open || work());
}

/** Milliseconds and CSS pixels within which a second press belongs to a double tap. */
const DOUBLE = { time: 500, way: 24 };
let lastPress = { x: -DOUBLE.way, y: -DOUBLE.way };
addEventListener("pointerdown", ({ clientX: x, clientY: y }) => (lastPress = { x, y }), { capture: true });

/**
 * Shows a dialog. A double tap on the button that opens it presses nothing that has appeared under the finger (an
 * approval that nobody has read, a field that is skipped), and does not close the dialog again.
 */
function showDialog(dialog: HTMLDialogElement): void {
  const { x, y } = lastPress;
  const isSecond = (event: MouseEvent) => Math.hypot(event.clientX - x, event.clientY - y) < DOUBLE.way;
  const isClosedBeside = dialog.hasAttribute("closedby");
  const end = () => {
    removeEventListener("pointerdown", elsewhere, { capture: true });
    removeEventListener("click", second, { capture: true });
    removeEventListener("input", end, { capture: true });
    if (isClosedBeside) dialog.setAttribute("closedby", "any");
  };
  // A press in another place is intended, and so is one after typing.
  const elsewhere = (event: PointerEvent) => isSecond(event) || end();
  const second = (event: MouseEvent) => {
    // A key press has no position and counts no clicks.
    if (!dialog.open || event.detail === 0 || !isSecond(event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  addEventListener("pointerdown", elsewhere, { capture: true });
  addEventListener("click", second, { capture: true });
  addEventListener("input", end, { capture: true });
  if (isClosedBeside) dialog.setAttribute("closedby", "closerequest");
  setTimeout(end, DOUBLE.time);
  dialog.showModal();
}

/** Opens a dialog, and returns the focus when it closes. */
export function openDialog(dialog: HTMLDialogElement): void {
  const before = document.activeElement;
  // The browser returns the focus when the dialog closes, but not if the element is hidden at that moment.
  const giveBack = () => {
    if (dialog.open) return;
    dialog.removeEventListener("close", giveBack);
    focusIfNowhere(before);
  };
  dialog.addEventListener("close", giveBack);
  showDialog(dialog);
}

/** Closes a dialog at a tap beside it, where the browser does not. */
function closeBeside(dialog: HTMLDialogElement): void {
  if ("closedBy" in dialog) return;
  dialog.addEventListener("click", ({ target, clientX: x, clientY: y }) => {
    const { left, top, right, bottom } = dialog.getBoundingClientRect();
    const isBeside = x < left || x > right || y < top || y > bottom;
    if (target === dialog && isBeside && dialog.getAttribute("closedby") === "any") dialog.close();
  });
}

/** Buttons marked `data-close` close the dialog that contains them. */
export function wireCloseButtons(root: ParentNode = document): void {
  for (const dialog of all<HTMLDialogElement>("dialog[closedby]", root)) closeBeside(dialog);
  for (const button of all<HTMLButtonElement>("dialog [data-close]", root)) {
    button.addEventListener("click", () => button.closest("dialog")?.close());
  }
}
