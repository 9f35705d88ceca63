// The requests of dialogs, one at a time: approve, reject, assign, consent.

import { focusIfNowhere } from "../shared/dialogs";
import { all, one } from "../shared/dom";
import { Refusal } from "./data";

export class Requests {
  #running = false;

  constructor(private readonly texts: Record<string, string>) {}

  get isRunning(): boolean {
    return this.#running;
  }

  /**
   * Runs one request of a dialog. Meanwhile its buttons are disabled, so that nothing is sent twice, and it stays open,
   * so that nobody thinks the request was given up. A failure is shown inside the dialog.
   */
  async attempt(form: HTMLFormElement, work: () => Promise<void>): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    const dialog = form.closest("dialog");
    const stay = (event: Event) => event.preventDefault();
    dialog?.addEventListener("cancel", stay);
    const focused = document.activeElement;
    const buttons = all<HTMLButtonElement>("button", form);
    for (const button of buttons) button.disabled = true;
    form.setAttribute("aria-busy", "true");
    this.say(form, "");
    try {
      await work();
    } catch (fault) {
      if (fault instanceof Refusal && fault.ended) {
        location.reload();
        return;
      }
      const message =
        fault instanceof Refusal && (fault.status < 500 || fault.problem.code === "cannot-complete")
          ? (fault.problem.errors?.[0]?.message ?? fault.message)
          : (this.texts[navigator.onLine ? "sign-failed" : "sign-failed-offline"] ?? "");
      this.say(form, message);
      // Browsers always let a persistent user leave a dialog.
      if (!dialog?.open) one("#trouble").textContent = message;
    } finally {
      this.#running = false;
      dialog?.removeEventListener("cancel", stay);
      for (const button of buttons) button.disabled = false;
      // A disabled button loses the focus.
      focusIfNowhere(focused);
      form.removeAttribute("aria-busy");
    }
  }

  say(form: HTMLFormElement, message: string): void {
    const place = one<HTMLElement>(".fault", form);
    place.textContent = message;
    place.hidden = !message;
  }
}
