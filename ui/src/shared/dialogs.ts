// Dialogs, for who is quick: the browser tells late that one was closed, and a double tap presses what came up in between.

import { all } from "./dom";

/** Puts the keyboard there, unless it is somewhere already: what is told late takes it from nobody. */
export function focusIfNowhere(element: Element | null): void {
  const { activeElement, body } = document;
  const isNowhere = activeElement === null || activeElement === body;
  if (isNowhere && element instanceof HTMLElement && element.isConnected) element.focus({ preventScroll: true });
}

/** Runs `work` at each close of the dialog. The browser tells that late, when it may be open once more: that is no close. */
export function whenClosed(dialog: HTMLDialogElement, work: () => void): void {
  dialog.addEventListener("close", () => dialog.open || work());
}

/** Milliseconds and CSS pixels within which a second press is that of a double tap. */
const DOUBLE = { time: 500, way: 24 };
let lastPress = { x: -DOUBLE.way, y: -DOUBLE.way };
addEventListener("pointerdown", ({ clientX: x, clientY: y }) => (lastPress = { x, y }), { capture: true });

/** Shows a dialog. Who taps twice where it was asked for presses nothing that came up under the finger: no approval that
 * nobody has read, no field that is passed over; nor does he close it again beside it. */
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
  // A press elsewhere is meant, and so is one after something was written.
  const elsewhere = (event: PointerEvent) => isSecond(event) || end();
  const second = (event: MouseEvent) => {
    // A key presses without a place, and counts no clicks.
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

/** Opens a dialog and gives the focus back to where it was when it closes. */
export function openDialog(dialog: HTMLDialogElement): void {
  const before = document.activeElement;
  // The browser gives it back while the dialog closes, but not where that place is hidden just then.
  const giveBack = () => {
    if (dialog.open) return;
    dialog.removeEventListener("close", giveBack);
    focusIfNowhere(before);
  };
  dialog.addEventListener("close", giveBack);
  showDialog(dialog);
}

/** Buttons marked `data-close` close the dialog that they stand in. */
export function wireCloseButtons(root: ParentNode = document): void {
  for (const button of all<HTMLButtonElement>("dialog [data-close]", root)) {
    button.addEventListener("click", () => button.closest("dialog")?.close());
  }
}
