// Ways to end a turn without approving: reject or return the document, or assign it to someone else.

import { openDialog } from "../shared/dialogs";
import { all, one } from "../shared/dom";
import { Refusal, send, type SignData } from "./data";
import type { Done, Finished } from "./done";
import type { Requests } from "./requests";
import type { Values } from "./values";

export class Rejection {
  readonly #dialog = one<HTMLDialogElement>("#reject-dialog");
  readonly #reason = one<HTMLTextAreaElement>("#reject-reason");
  /** The answer to a rejection was lost; it may have arrived. */
  #isUnknown = false;

  constructor(
    private readonly data: SignData,
    private readonly values: Values,
    private readonly done: Done,
    private readonly requests: Requests,
  ) {
    for (const button of all("[data-reject]")) button.addEventListener("click", () => openDialog(this.#dialog));
    const form = one<HTMLFormElement>("form", this.#dialog);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const reason = this.#reason.value.trim();
      this.#reason.setAttribute("aria-invalid", String(reason === ""));
      if (reason === "") {
        requests.say(form, data.texts["sign-reject-needed"] ?? "");
        this.#reason.focus();
        return;
      }
      void requests.attempt(form, () => this.#reject(reason));
    });
    // A person who does not want to sign electronically declines with that reason, whose wording they can change.
    one("#decline").addEventListener("click", () => {
      one<HTMLDialogElement>("#consent-dialog").close();
      this.#reason.value = data.texts["sign-decline-reason"] ?? "";
      this.#reason.dispatchEvent(new Event("input"));
      openDialog(this.#dialog);
    });
    document.querySelector("#hand-over")?.addEventListener("click", () => this.#openHandOver());
  }

  async #reject(reason: string): Promise<void> {
    if (this.data.mode !== "sign") {
      this.#dialog.close();
      this.done.show("rejected", null);
      return;
    }
    const finished = await this.#send(reason);
    this.values.finish();
    this.#dialog.close();
    this.done.show("rejected", finished);
  }

  async #send(comment: string): Promise<Finished> {
    try {
      return await send<Finished>(this.data, "POST", `/sign/reject${this.done.options}`, { comment });
    } catch (fault) {
      if (!(fault instanceof Refusal) || fault.problem.code === "outcome-unknown") {
        this.#isUnknown = true;
        throw fault;
      }
      // The answer was lost, but the rejection was recorded: it ended the document, or returned it and invalidated this
      // link.
      const state = fault.problem.code === "link-replaced" ? "Playing" : fault.problem.state;
      if (!this.#isUnknown || (state !== "Rejected" && state !== "Playing")) throw fault;
      return { status: state };
    }
  }

  /** The page that follows says that the document was assigned to someone else. */
  #openHandOver(): void {
    const dialog = one<HTMLDialogElement>("#hand-over-dialog");
    const form = one<HTMLFormElement>("form", dialog);
    form.onsubmit = (event) => {
      event.preventDefault();
      void this.requests.attempt(form, async () => {
        const [name, email] = ["#hand-over-name", "#hand-over-email"].map((id) => one<HTMLInputElement>(id).value.trim());
        await send(this.data, "POST", "/sign/hand-over", { name, email });
        this.values.finish();
        location.reload();
      });
    };
    openDialog(dialog);
  }
}
