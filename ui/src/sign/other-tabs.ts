// Keeps several tabs with the same document up to date. Saving or submitting in one makes the others outdated, so
// someone who returns to another tab, or to a page that the browser cached (back and forward), sees the current state.
// Devices do not notify each other. Instead each change, and the approval, names the revision that its page shows.

import type { SignData } from "./data";

export class OtherTabs {
  #channel: BroadcastChannel | null = null;
  #isOld = false;

  /** `isBusy` says that a reload would lose something, or disturb. */
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
