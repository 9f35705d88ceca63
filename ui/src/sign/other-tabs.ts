// One document in several tabs of one browser. What is saved or finished in one makes the others old: who comes back to one
// of them sees it as it is now, and so does who comes back to a page that the browser kept (back and forward). Between
// devices nobody tells; there each change, and the approval, names the revision that its page shows.

import type { SignData } from "./data";

export class OtherTabs {
  #channel: BroadcastChannel | null = null;
  #isOld = false;

  /** `isBusy` tells that a reload would lose something, or disturb. */
  constructor(
    data: SignData,
    private readonly isBusy: () => boolean,
  ) {
    if (data.mode !== "sign") return;
    if ("BroadcastChannel" in window) {
      this.#channel = new BroadcastChannel(`countersign-${data.workflow_id}-${data.recipient_id}`);
      this.#channel.addEventListener("message", () => {
        this.#isOld = true;
      });
    }
    addEventListener("pageshow", ({ persisted }) => {
      if (persisted) this.#isOld = true;
      this.#renew();
    });
    addEventListener("focus", () => this.#renew());
    document.addEventListener("visibilitychange", () => this.#renew());
  }

  /** Something has changed on the server. */
  tell(): void {
    this.#channel?.postMessage(null);
  }

  #renew(): void {
    if (this.#isOld && document.visibilityState === "visible" && !this.isBusy()) location.reload();
  }
}
