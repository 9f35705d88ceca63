// The revision of the signer's draft that this page shows. A signer may have the document open several times, on two
// devices or in two tabs, which all write into one draft. With each change the page names the revision that it shows,
// and receives the changes of the others since. An approval names the revision and signs nothing else. The page has its
// own ID, so that a change whose answer was lost does not look like another page's change.

import type { DraftState, Saved } from "./data";

/** Stored on this device together with the fields. */
export interface Kept {
  link: number;
  page: string;
  /** The revision that the page showed; -1: ask the signer. */
  revision: number;
}

export class ShownDraft {
  readonly page = Math.random().toString(36).slice(2);
  #revision: number;

  constructor(
    private readonly state: DraftState,
    /** What was saved, and what is newer; `batch` contains the texts that were sent. */
    private readonly told: (saved: Saved, batch: Map<string, string>) => void,
  ) {
    this.#revision = state.revision;
  }

  /** Sent with each change. */
  get stamp(): { revision: number; page: string } {
    return { revision: this.#revision, page: this.page };
  }

  /** Stored with what this device keeps. */
  get kept(): Kept {
    return { link: this.state.link, ...this.stamp };
  }

  take(saved: Saved, batch: Map<string, string> = new Map()): void {
    // A late answer contains nothing that a later one has not already reported.
    const late = saved.revision < this.#revision;
    this.#revision = Math.max(saved.revision, this.#revision);
    const told = late ? { ...saved, newer: [], fields: saved.fields.filter(({ name }) => batch.has(name)) } : saved;
    this.told(told, batch);
  }

  /** Whether another page has written into the field since this was stored. For another link's draft nobody knows. */
  isNewer(name: string, kept: Kept, filled: boolean): boolean {
    if (kept.revision < 0) return true;
    if (kept.link !== this.state.link) return filled;
    const [revision, page] = this.state.changes[name] ?? [0, ""];
    return revision > kept.revision && page !== kept.page;
  }
}
