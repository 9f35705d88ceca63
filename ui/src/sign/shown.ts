// What this page shows of the writer's draft. He may have the document open twice, on two devices or in two tabs, and all
// write into one draft. With each change the page tells which revision it shows and is told what the others have changed
// since; an approval names the revision, and signs nothing else. The page has a name of its own, so that what it saved
// while the answer was lost is not taken for another's.

import type { DraftState, Saved } from "./data";

/** What the fields of this device's storage were kept with. */
export interface Kept {
  link: number;
  page: string;
  /** The revision that the page showed; -1: the writer is to be asked. */
  revision: number;
}

export class ShownDraft {
  readonly page = Math.random().toString(36).slice(2);
  #revision: number;

  constructor(
    private readonly state: DraftState,
    /** What was saved, and what is newer; `batch` are the texts that were sent. */
    private readonly told: (saved: Saved, batch: Map<string, string>) => void,
  ) {
    this.#revision = state.revision;
  }

  /** What goes along with each change. */
  get stamp(): { revision: number; page: string } {
    return { revision: this.#revision, page: this.page };
  }

  /** What is kept on the device carries this. */
  get kept(): Kept {
    return { link: this.state.link, ...this.stamp };
  }

  take(saved: Saved, batch: Map<string, string> = new Map()): void {
    // An answer that comes late tells nothing that a later one has not told.
    const late = saved.revision < this.#revision;
    this.#revision = Math.max(saved.revision, this.#revision);
    const told = late ? { ...saved, newer: [], fields: saved.fields.filter(({ name }) => batch.has(name)) } : saved;
    this.told(told, batch);
  }

  /** Has another page written into the field since this was kept? Of another link's draft nobody knows. */
  isNewer(name: string, kept: Kept, filled: boolean): boolean {
    if (kept.revision < 0) return true;
    if (kept.link !== this.state.link) return filled;
    const [revision, page] = this.state.changes[name] ?? [0, ""];
    return revision > kept.revision && page !== kept.page;
  }
}
