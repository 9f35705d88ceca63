// Small helpers over the document. Nothing here writes HTML from text.

/** The element, which the template must hold. */
export function one<T extends Element>(selector: string, root: ParentNode = document): T {
  const found = root.querySelector<T>(selector);
  if (!found) throw new Error(`the page lacks ${selector}`);
  return found;
}

export function all<T extends Element>(selector: string, root: ParentNode = document): T[] {
  return [...root.querySelectorAll<T>(selector)];
}

/** What the server wrote into `<script type="application/json" id=…>`. */
export function pageData<T>(id: string): T {
  return JSON.parse(one<HTMLScriptElement>(`#${id}`).textContent ?? "null") as T;
}

/** Puts values into `{name}` places of a sentence. */
export function fill(sentence: string, values: Record<string, string | number>): string {
  return sentence.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));
}

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
  dialog.showModal();
}

/** Buttons marked `data-close` close the dialog that they stand in. */
export function wireCloseButtons(root: ParentNode = document): void {
  for (const button of all<HTMLButtonElement>("dialog [data-close]", root)) {
    button.addEventListener("click", () => button.closest("dialog")?.close());
  }
}
