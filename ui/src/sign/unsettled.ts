// Changes the signer must review before an approval. Each stays until they have reviewed it, or filled in the field
// again.

/** What another page of the same signer has saved in a field, and what was entered here. */
export interface Conflict<Mine, Theirs> {
  mine: Mine;
  theirs: Theirs;
}

export class Unsettled<Field, Mine, Theirs> {
  /** Entered here and changed by another page. */
  protected readonly conflicts = new Map<Field, Conflict<Mine, Theirs>>();
  /** Changed by another page only, with what this page showed before. */
  protected readonly changes = new Map<Field, string>();
  /** Files that were not accepted, with the reason. */
  protected readonly refusals = new Map<Field, string>();

  choose(field: Field, mine: Mine, theirs: Theirs): void {
    this.conflicts.set(field, { mine, theirs });
    this.changes.delete(field);
  }

  change(field: Field, before: string): void {
    if (!this.conflicts.has(field) && !this.changes.has(field)) this.changes.set(field, before);
  }

  refuse(field: Field, message: string): void {
    this.refusals.set(field, message);
  }

  /** The signer has filled in the field again. */
  forgive(field: Field): void {
    for (const items of [this.conflicts, this.changes, this.refusals]) items.delete(field);
  }

  /** Each once, conflicts first. */
  get fields(): Field[] {
    return [...new Set([...this.conflicts.keys(), ...this.changes.keys(), ...this.refusals.keys()])];
  }

  get hasItems(): boolean {
    return this.fields.length > 0;
  }

  get hasChoices(): boolean {
    return this.conflicts.size > 0;
  }
}
