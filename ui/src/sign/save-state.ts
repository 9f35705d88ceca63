// Shows the state of saving: success in the corner, trouble across the page until it is over. Other messages of the
// page use the same line, but the one that nothing can be saved has priority.

import { one } from "../shared/dom";

export class SaveState {
  readonly #states = { texts: "idle", files: "idle" };
  readonly #place = one<HTMLElement>("#save-state");
  readonly #line = one<HTMLElement>("#trouble");
  #cannotSave = false;

  constructor(
    private readonly texts: Record<string, string>,
    /** Whether this device stores what the server does not have yet. */
    private readonly isKept: () => boolean,
  ) {}

  show(of: "texts" | "files", now: string): void {
    this.#states[of] = now;
    this.refresh();
  }

  refresh(): void {
    const states = Object.values(this.#states);
    const state = ["offline", "failed", "saving", "saved"].find((one) => states.includes(one)) ?? "idle";
    const trouble = state === "offline" || state === "failed";
    const key = `sign-draft-${state}${trouble && !this.isKept() ? "-open" : ""}`;
    const text = state === "idle" ? "" : (this.texts[key] ?? "");
    this.#place.dataset.state = state;
    this.#place.textContent = trouble ? "" : text;
    const said = trouble ? text : "";
    // Do not announce the same message again.
    if ((trouble || this.#cannotSave) && this.#line.textContent !== said) this.#line.textContent = said;
    this.#cannotSave = trouble;
  }

  /** Shows another message, which stays until the signer goes on. */
  tell(message: string): void {
    this.#line.textContent = message;
  }

  /** Shows a message that is less important than that nothing can be saved. */
  remind(message: string): void {
    if (!this.#cannotSave) this.tell(message);
  }
}
