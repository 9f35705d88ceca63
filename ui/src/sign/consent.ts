// The signer's consent to electronic signatures. We ask for it once, before the first signature or the approval.

import { openDialog } from "../shared/dialogs";
import { one } from "../shared/dom";
import { send, type SignData } from "./data";
import type { Requests } from "./requests";

export class Consent {
  #given: boolean;

  constructor(
    private readonly data: SignData,
    private readonly requests: Requests,
  ) {
    this.#given = data.consented;
  }

  /** Goes on at once if the signer has consented, otherwise after they have. */
  ask(then: () => void): void {
    if (this.#given) {
      then();
      return;
    }
    const dialog = one<HTMLDialogElement>("#consent-dialog");
    const form = one<HTMLFormElement>("form", dialog);
    form.onsubmit = (event) => {
      event.preventDefault();
      void this.requests.attempt(form, async () => {
        if (this.data.mode === "sign") {
          await send(this.data, "POST", "/sign/consent", { version: this.data.consent_version });
        }
        this.#given = true;
        dialog.close();
        then();
      });
    };
    openDialog(dialog);
  }

  /** The server does not have it. */
  askAgain(then: () => void): void {
    this.#given = false;
    this.ask(then);
  }
}
