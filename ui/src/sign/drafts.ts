// Keeps what the writer enters: a moment after each change it goes to the server; without a
// connection it stays on this device and is tried again. What the server has is the truth; what it
// has not yet is also in local storage, so that a closed tab loses nothing.

import { Refusal, send, type SignData } from "./data";
import type { Look } from "./ink";

type State = "idle" | "saving" | "saved" | "offline" | "failed";

export interface DraftEvents {
  state(state: State): void;
  /** How saved values look on paper, and what is calculated from them. */
  looks(looks: Look[], saved: Map<string, string>): void;
  /** The server refuses this value and says why. */
  refused(name: string, message: string): void;
  /** The document went on without this page. */
  ended(): void;
}

const PAUSE = 600;
const LONGEST_PAUSE = 30_000;

export class Drafts {
  #waiting = new Map<string, string>();
  #timer = 0;
  #failures = 0;
  #running: Promise<void> | null = null;
  #stopped = false;

  constructor(
    private readonly data: SignData,
    private readonly events: DraftEvents,
  ) {
    if (data.mode !== "sign") this.#stopped = true;
    addEventListener("online", () => {
      if (this.#waiting.size > 0) this.#schedule(0);
      else if (!this.#stopped) this.events.state("idle");
    });
    addEventListener("offline", () => this.#stopped || this.events.state("offline"));
    addEventListener("pagehide", () => void this.#leave());
  }

  /** What an earlier visit could not save. */
  remembered(): Map<string, string> {
    if (this.#stopped) return new Map();
    try {
      const text = localStorage.getItem(this.#key);
      const entries = text ? (JSON.parse(text) as [string, string][]) : [];
      return new Map(entries.filter(([name, value]) => typeof name === "string" && typeof value === "string"));
    } catch {
      return new Map();
    }
  }

  /** Is there anything that the server has not yet? */
  get waits(): boolean {
    return this.#waiting.size > 0;
  }

  put(name: string, value: string): void {
    if (this.#stopped) return;
    this.#waiting.set(name, value);
    this.#remember();
    this.#schedule(PAUSE);
  }

  /** Sends all that waits, at once; fails where it cannot. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#running;
    if (this.#waiting.size > 0 && !this.#stopped) await this.#save();
  }

  /** Nothing of this document is kept on the device any more. */
  finish(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#waiting.clear();
    this.#remember();
  }

  get #key(): string {
    return `countersign-draft-${this.data.workflow_id}-${this.data.recipient_id}`;
  }

  #remember(): void {
    try {
      if (this.#waiting.size === 0) localStorage.removeItem(this.#key);
      else localStorage.setItem(this.#key, JSON.stringify([...this.#waiting]));
    } catch {
      // Storage is full or forbidden: the server still gets everything.
    }
  }

  #schedule(pause: number): void {
    if (this.#stopped || this.#waiting.size === 0) return;
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => {
      this.#running ??= this.#save()
        .catch(() => undefined)
        .finally(() => {
          this.#running = null;
          if (this.#waiting.size > 0) this.#schedule(this.#failures ? this.#backOff() : PAUSE);
        });
    }, pause);
  }

  #backOff(): number {
    return Math.min(LONGEST_PAUSE, 1000 * 2 ** Math.min(this.#failures, 5)) * (0.75 + Math.random() / 2);
  }

  async #save(): Promise<void> {
    const batch = [...this.#waiting];
    this.events.state("saving");
    try {
      const answer = await send<{ fields: Look[] }>(this.data, "PUT", "/sign/drafts", {
        values: batch.map(([name, value]) => ({ name, value })),
      });
      this.#failures = 0;
      this.#forget(batch);
      this.events.state("saved");
      this.events.looks(answer.fields, new Map(batch));
    } catch (fault) {
      if (fault instanceof Refusal && fault.status === 422) {
        this.#refuse(batch, fault);
        return;
      }
      if (fault instanceof Refusal && fault.ended) {
        this.#stopped = true;
        this.events.ended();
        throw fault;
      }
      this.#failures += 1;
      this.events.state(navigator.onLine ? "failed" : "offline");
      throw fault;
    }
  }

  /** The refused values are said to be so; the others of the batch are sent again. */
  #refuse(batch: [string, string][], fault: Refusal): void {
    const refused = new Map<string, string>();
    for (const error of fault.problem.errors ?? []) refused.set(error.path, error.message);
    const bad = batch.filter(([name]) => refused.has(name));
    this.#forget(bad.length > 0 ? bad : batch);
    for (const [name, message] of refused) this.events.refused(name, message);
    this.events.state("idle");
    this.#schedule(PAUSE);
  }

  #forget(batch: [string, string][]): void {
    for (const [name, value] of batch) {
      if (this.#waiting.get(name) === value) this.#waiting.delete(name);
    }
    this.#remember();
  }

  async #leave(): Promise<void> {
    if (this.#stopped || this.#waiting.size === 0) return;
    const values = [...this.#waiting].map(([name, value]) => ({ name, value }));
    await send(this.data, "PUT", "/sign/drafts", { values }, true).catch(() => undefined);
  }
}
