// Saves what the signer enters. Each change is sent to the server a moment later. Without a connection it stays on this
// device and is retried. The server's draft is authoritative. Everything the server does not have yet is also in local
// storage, so a closed tab loses nothing. It is stored with the revision that the page showed, so we do not overwrite
// changes from another tab, but ask.

import { Refusal, type Saved, send, type SignData } from "./data";
import type { Kept, ShownDraft } from "./shown";

type State = "idle" | "saving" | "saved" | "offline" | "failed";

export interface DraftEvents {
  state(state: State): void;
  /** The server refuses this value, or without a name all of them, and says why. */
  refused(name: string, message: string): void;
  /** The document went on without this page. */
  ended(): void;
}

const PAUSE = 600;
const LONGEST_PAUSE = 30_000;

export class Drafts {
  #waiting = new Map<string, string>();
  /** Changes that conflict with another page's, until the signer has chosen. */
  #undecided = new Map<string, string>();
  /** Values that their kind or the server refuses: kept on this device, but not sent. */
  #unfit = new Map<string, string>();
  /** The server refused the batch as a whole; it is sent again once part of it changes. */
  #refused = false;
  #timer = 0;
  #failures = 0;
  #running: Promise<void> | null = null;
  #stopped = false;
  /** Whether this device stores what the server does not have yet: storage may be full or forbidden. */
  isKept = true;

  constructor(
    private readonly data: SignData,
    private readonly shown: ShownDraft,
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

  /** Values that an earlier visit could not save. */
  remembered(): [name: string, value: string, kept: Kept][] {
    if (this.#stopped) return [];
    try {
      const { link, page, values } = JSON.parse(localStorage.getItem(this.#key) ?? "{}");
      return (values as [string, string, number][]).flatMap(([name, value, revision]) =>
        typeof name === "string" && typeof value === "string" ? [[name, value, { link, page, revision }]] : [],
      );
    } catch {
      return [];
    }
  }

  /** Whether there is anything that the server does not have yet. */
  get waits(): boolean {
    return this.#waiting.size > 0;
  }

  put(name: string, value: string): void {
    if (this.#stopped) return;
    this.#refused = false;
    this.#undecided.delete(name);
    this.#unfit.delete(name);
    this.#waiting.set(name, value);
    this.#remember();
    this.#schedule(PAUSE);
  }

  /** Keeps a value that cannot be saved only on this device. The draft keeps the previous value. */
  keep(name: string, value: string): void {
    if (this.#stopped) return;
    this.#undecided.delete(name);
    // Half a date has no value yet.
    if (value) this.#unfit.set(name, value);
    else this.#unfit.delete(name);
    this.#remember();
  }

  /** Another page has changed the field: the waiting value is kept, but not sent until it is put again or dropped. */
  withdraw(name: string): string | undefined {
    const mine = this.#unfit.get(name) ?? this.#waiting.get(name) ?? this.#undecided.get(name);
    if (mine !== undefined) this.hold(name, mine);
    return mine;
  }

  hold(name: string, value: string): void {
    this.#waiting.delete(name);
    this.#unfit.delete(name);
    this.#undecided.set(name, value);
    this.#remember();
  }

  drop(name: string): void {
    this.#undecided.delete(name);
    this.#unfit.delete(name);
    this.#remember();
  }

  /** Asks what other pages have changed. */
  async look(): Promise<void> {
    this.shown.take(await send<Saved>(this.data, "PUT", "/sign/drafts", { values: [], ...this.shown.stamp }));
  }

  /** Sends everything that waits at once; fails if it cannot. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#running;
    if (this.#waiting.size > 0 && !this.#stopped) await this.#save();
  }

  /** Removes everything about this document from the device. */
  finish(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#waiting.clear();
    this.#undecided.clear();
    this.#unfit.clear();
    this.#remember();
  }

  get #key(): string {
    return `countersign-draft-${this.data.workflow_id}-${this.data.recipient_id}`;
  }

  /** Stores on the device what the server does not have. */
  #remember(): void {
    try {
      const { link, page, revision } = this.shown.kept;
      const values = [
        ...[...this.#waiting, ...this.#unfit].map((entry) => [...entry, revision]),
        ...[...this.#undecided].map((entry) => [...entry, -1]),
      ];
      if (values.length === 0) localStorage.removeItem(this.#key);
      else localStorage.setItem(this.#key, JSON.stringify({ link, page, values }));
      this.isKept = true;
    } catch {
      // The server still receives everything as long as the page is open.
      this.isKept = false;
    }
  }

  #schedule(pause: number): void {
    if (this.#stopped || this.#refused || this.#waiting.size === 0) return;
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
      const answer = await send<Saved>(this.data, "PUT", "/sign/drafts", {
        values: batch.map(([name, value]) => ({ name, value })),
        ...this.shown.stamp,
      });
      this.#failures = 0;
      const newer = new Set(answer.newer.map(({ name }) => name));
      this.#forget(batch.filter(([name]) => !newer.has(name)));
      this.events.state("saved");
      this.shown.take(answer, new Map(batch));
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

  /** Reports the refused values; the others of the batch are sent again. */
  #refuse(batch: [string, string][], fault: Refusal): void {
    const errors = fault.problem.errors ?? [];
    const refused = new Map(errors.map(({ path, message }) => [path, message]));
    const bad = batch.filter(([name]) => refused.has(name));
    this.events.state("idle");
    if (bad.length === 0) {
      // The values together are too large, so they wait, and cannot be approved, until something changes.
      this.#refused = true;
      this.events.refused("", errors[0]?.message ?? fault.message);
      throw fault;
    }
    // Anything typed since is sent and checked separately.
    const held = bad.filter(([name, value]) => this.#waiting.get(name) === value);
    for (const [name, value] of held) this.#unfit.set(name, value);
    this.#forget(bad);
    for (const [name] of held) this.events.refused(name, refused.get(name) ?? "");
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
    await send(this.data, "PUT", "/sign/drafts", { values, ...this.shown.stamp }, true).catch(() => undefined);
  }
}
