// The approval: asks for confirmation, shows the signer what prevents it, and sends it.

import { openDialog } from "../shared/dialogs";
import { one } from "../shared/dom";
import type { Consent } from "./consent";
import { Refusal, send, type SignData } from "./data";
import type { Done, Finished } from "./done";
import type { Requests } from "./requests";
import type { Values } from "./values";

export class Approval {
  readonly #dialog = one<HTMLDialogElement>("#approve-dialog");
  /** The answer to an approval was lost; it may have arrived. */
  #isUnknown = false;

  constructor(
    private readonly data: SignData,
    private readonly values: Values,
    private readonly consent: Consent,
    private readonly done: Done,
    requests: Requests,
  ) {
    const form = one<HTMLFormElement>("form", this.#dialog);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const comment = one<HTMLTextAreaElement>("#approve-comment").value.trim();
      void requests.attempt(form, () => this.#approve(comment));
    });
  }

  /** A signer who has not consented yet does so first, so that only one confirmation follows. */
  ask(): void {
    if (this.values.open.length > 0 || this.#leadToUnfit()) return;
    this.consent.ask(() => openDialog(this.#dialog));
  }

  /**
   * Leads to a value that its kind refuses, if there is one. It is not in the draft, which contains the previous value:
   * the signer would approve another value than the page shows. Then leads to anything that needs another look.
   */
  #leadToUnfit(): boolean {
    const { fields, settle } = this.values;
    const unfit = fields.find((field) => field.check() !== "");
    if (!unfit && !settle.hasItems) return false;
    this.#dialog.close();
    if (!unfit) return settle.open(() => this.ask());
    unfit.showFault(unfit.check());
    unfit.edit();
    return true;
  }

  async #approve(comment: string): Promise<void> {
    if (this.#leadToUnfit()) return;
    if (this.data.mode !== "sign") {
      this.#dialog.close();
      this.done.show("approved", null);
      return;
    }
    await this.values.flush();
    // Saving has reported values that cannot be stamped, and changes from other tabs.
    if (this.#leadToUnfit()) return;
    const finished = await this.#send(comment);
    if (!finished) return;
    this.values.finish();
    this.#dialog.close();
    this.done.show("approved", finished);
  }

  /** `null`: the signer is led to what the server refuses. */
  async #send(comment: string): Promise<Finished | null> {
    const body = { comment, revision: this.values.revision };
    try {
      return await send<Finished>(this.data, "POST", `/sign/approve${this.done.options}`, body);
    } catch (fault) {
      if (!(fault instanceof Refusal) || fault.problem.code === "outcome-unknown") {
        this.#isUnknown = true;
        throw fault;
      }
      if (fault.problem.code === "draft-changed") {
        // Another tab has saved since, so show its values before the signer signs.
        await this.values.look();
        if (this.#leadToUnfit()) return null;
        throw fault;
      }
      if (fault.problem.code === "already-approved" && this.#isUnknown) return { status: "Playing" };
      if (this.#pointAt(fault)) return null;
      throw fault;
    }
  }

  /** Leads to what the server refuses: to the fields, or to the consent. */
  #pointAt(fault: Refusal): boolean {
    const errors = fault.problem.errors ?? [];
    if (errors.some(({ code }) => code === "consent-required")) {
      this.#dialog.close();
      this.consent.askAgain(() => openDialog(this.#dialog));
      return true;
    }
    const refused = errors.flatMap(({ path, message }) => {
      const field = this.values.named(path);
      return field ? [{ field, message }] : [];
    });
    for (const { field, message } of refused) field.showFault(message);
    const first = refused[0];
    if (!first) return false;
    this.#dialog.close();
    first.field.edit();
    return true;
  }
}
