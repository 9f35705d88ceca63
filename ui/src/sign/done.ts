// The completion dialog. If requested, closing it notifies the page that opened this one, without any personal data, and
// closes the window. Browsers let a script close only windows that a script opened: in a window opened from a mail or by
// hand, the signer reads that they may close it.

import { all, one } from "../shared/dom";
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
  copy_is_sent?: boolean;
}

export class Done {
  readonly #dialog = one<HTMLDialogElement>("#done-dialog");
  readonly #close = one<HTMLButtonElement>("#done-close");
  readonly #copy = one<HTMLAnchorElement>("#done-document");
  readonly #next = document.querySelector<HTMLAnchorElement>("#done-next");
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
    if (finished && !window.opener && !this.data.callback) this.#sayMayClose(result);
    this.#close.addEventListener("click", () => this.#leave(result, finished));
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
      say("#done-title", "sign-done-rejected-title");
      say("#done-text", finished.status === "Playing" ? "sign-done-returned" : "sign-done-rejected");
    } else {
      say("#done-title", "sign-done-title");
      const waiting = finished.others_of_step ? "sign-done-others" : "sign-done-next";
      say("#done-text", finished.status === "Complete" ? "sign-done-complete" : waiting);
    }
    for (const mark of all<HTMLElement>("[data-mark]", this.#dialog)) mark.hidden = mark.dataset.mark !== result;
  }

  #offer(result: Result, finished: Finished | null): void {
    this.#copy.hidden = !finished?.document_url;
    if (finished?.document_url) this.#copy.href = finished.document_url;
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

  #sayMayClose(result: Result): void {
    this.#rest.className = result === "approved" ? "notice good" : "notice";
    this.#rest.textContent = this.#mayClose;
    this.#rest.hidden = false;
    this.#close.hidden = true;
    const wayOn = this.#next && !this.#next.hidden ? this.#next : this.#copy;
    wayOn.classList.add("primary");
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
    this.#sayMayClose(result);
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
