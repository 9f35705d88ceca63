// The completion dialog. If requested, closing it notifies the page that opened this one, without any personal data,
// and closes the window. Browsers only let a script close windows that a script opened. In a window opened from a mail
// or by the user, the signer reads that they may close it.

import { whenClosed } from "../shared/dialogs";
import { all, fill, one } from "../shared/dom";
import type { SignData } from "./data";
import { reach } from "./leaving";

export type Result = "approved" | "rejected";

export interface Finished {
  status: string;
  /** Others of the same step have not approved yet. */
  others_of_step?: boolean;
  next_url?: string | null;
  /** The URL of the finished document, if this completed it. */
  document_url?: string | null;
  /** The same document as a file. */
  download_url?: string | null;
  copy_is_sent?: boolean;
  /** Where the sender wants the signer to go on. */
  redirect_url?: string;
  redirect_host?: string;
}

/** How long the signer can read before the page leads them on. */
const READING_TIME = 5000;

export class Done {
  readonly #dialog = one<HTMLDialogElement>("#done-dialog");
  readonly #close = one<HTMLButtonElement>("#done-close");
  readonly #copy = one<HTMLAnchorElement>("#done-document");
  readonly #next = document.querySelector<HTMLAnchorElement>("#done-next");
  readonly #redirect = one<HTMLAnchorElement>("#done-redirect");
  readonly #rest = one<HTMLElement>("#done-rest");
  readonly #mayClose = this.#rest.textContent ?? "";

  constructor(
    private readonly data: SignData,
    /** Puts the page to rest. */
    private readonly end: () => void,
  ) {}

  /** The options of this page's URL also apply to the next document. If the page has no button for it, none is offered. */
  get options(): string {
    const options = new URLSearchParams();
    if (this.data.callback) options.set("callback_fn", "true");
    if (!this.#next) options.set("next_sign", "false");
    return options.toString() ? `?${options.toString()}` : "";
  }

  /** `null`: nothing was sent, this is a preview. */
  show(result: Result, finished: Finished | null): void {
    this.#say(result, finished);
    this.#offer(result, finished);
    this.end();
    this.#dialog.addEventListener("cancel", (event) => event.preventDefault());
    if (finished?.redirect_url) this.#leadOn(finished.redirect_url, finished.redirect_host ?? "");
    else if (finished && !window.opener && !this.data.callback) this.#sayMayClose();
    this.#close.addEventListener("click", () => this.#leave(result, finished));
    // A browser closes a dialog if someone presses Escape repeatedly. There is nothing left to do on the page behind
    // it, so it opens again.
    if (finished) whenClosed(this.#dialog, () => this.#dialog.showModal());
    if (!this.#dialog.open) this.#dialog.showModal();
  }

  #say(result: Result, finished: Finished | null): void {
    const say = (id: string, key: string) => {
      one(id).textContent = this.data.texts[key] ?? "";
    };
    if (!finished) {
      say("#done-title", "sign-done-preview-title");
      say("#done-text", result === "rejected" ? "sign-done-preview-rejected" : "sign-done-preview");
    } else if (result === "rejected") {
      const isReturned = finished.status === "Playing";
      say("#done-title", isReturned ? "sign-done-returned-title" : "sign-done-rejected-title");
      say("#done-text", isReturned ? "sign-done-returned" : "sign-done-rejected");
    } else {
      say("#done-title", "sign-done-title");
      this.#sayNext(finished);
    }
    for (const mark of all<HTMLElement>("[data-mark]", this.#dialog)) mark.hidden = mark.dataset.mark !== result;
  }

  /** What happens now, and who is next. */
  #sayNext(finished: Finished): void {
    const names = this.data.next_names.join(", ");
    const { texts } = this.data;
    const next = names ? fill(texts["sign-done-next-named"] ?? "", { names }) : (texts["sign-done-next"] ?? "");
    const waiting = finished.others_of_step ? (texts["sign-done-others"] ?? "") : next;
    one("#done-text").textContent = finished.status === "Complete" ? (texts["sign-done-complete"] ?? "") : waiting;
  }

  #offer(result: Result, finished: Finished | null): void {
    this.#copy.hidden = !finished?.download_url;
    if (finished?.download_url) this.#copy.href = finished.download_url;
    one<HTMLElement>("#done-copy").hidden = !(finished?.copy_is_sent && result === "approved" && !finished.document_url);
    const next = this.#next;
    if (!next) return;
    next.hidden = !finished?.next_url;
    if (finished?.next_url) next.href = finished.next_url;
    next.addEventListener("click", (event) => {
      event.preventDefault();
      void this.#goNext(next.href);
    });
  }

  /**
   * Offers the sender's link and follows it, unless the signer does something here first. A program that waits for the
   * message closes the window itself.
   */
  #leadOn(address: string, host: string): void {
    this.#redirect.href = address;
    this.#redirect.hidden = false;
    this.#close.classList.remove("primary");
    if (this.data.callback) return;
    this.#close.hidden = true;
    this.#rest.className = "small soft";
    this.#rest.textContent = fill(this.data.texts["sign-done-redirecting"] ?? "", { host });
    this.#rest.hidden = false;
    const timer = setTimeout(() => location.assign(address), READING_TIME);
    const stay = () => {
      clearTimeout(timer);
      this.#rest.hidden = true;
    };
    for (const act of ["pointerdown", "keydown"]) this.#dialog.addEventListener(act, stay, { once: true });
  }

  #sayMayClose(): void {
    this.#rest.className = "small soft";
    this.#rest.textContent = this.#mayClose;
    this.#rest.hidden = false;
    this.#close.hidden = true;
    const wayOn = this.#next && !this.#next.hidden ? this.#next : this.#copy;
    wayOn.classList.add("primary");
    // Hides the row if it has no buttons, so that it takes no space.
    one<HTMLElement>(".actions", this.#dialog).hidden = wayOn.hidden;
  }

  #leave(result: Result, finished: Finished | null): void {
    if (!finished) {
      this.#dialog.close();
      return;
    }
    if (this.data.callback && window.opener) {
      (window.opener as Window).postMessage(
        {
          source: "countersign",
          event: result === "approved" ? "completed" : "rejected",
          workflow_id: this.data.workflow_id,
          result,
        },
        "*",
      );
    }
    window.close();
    // A program asked for the message, but no window opened this one.
    this.#sayMayClose();
    this.#rest.focus();
  }

  /** Without a connection we stay on this page, which can retry. */
  async #goNext(address: string): Promise<void> {
    try {
      await reach(address);
      location.assign(address);
    } catch {
      this.#rest.textContent = this.data.texts["sign-failed-offline"] ?? "";
      this.#rest.className = "notice warn";
      this.#rest.hidden = false;
      this.#rest.focus();
    }
  }
}
