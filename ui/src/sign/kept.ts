// The writer's last signature, where he agreed that this device keeps it. It lies in the browser's
// local storage and nowhere else, under the writer's name, so that another who signs on the same
// device is not offered it.

import type { Drawing } from "./choices";

export interface Kept {
  /** The picture of it, as an address. */
  source: string;
  /** How it is made, where the server draws it. */
  drawing?: Drawing;
}

export class KeptSignatures {
  constructor(private readonly writer: string) {}

  find(kind: string): Kept | null {
    try {
      const text = localStorage.getItem(this.#key(kind));
      const kept = text ? (JSON.parse(text) as Kept) : null;
      return typeof kept?.source === "string" && kept.source.startsWith("data:image/") ? kept : null;
    } catch {
      return null;
    }
  }

  /** Whether it is kept now: storage may be full or forbidden. */
  keep(kind: string, kept: Kept): boolean {
    try {
      localStorage.setItem(this.#key(kind), JSON.stringify(kept));
      return true;
    } catch {
      return false;
    }
  }

  forget(kind: string): void {
    try {
      localStorage.removeItem(this.#key(kind));
    } catch {
      // Nothing was kept.
    }
  }

  #key(kind: string): string {
    return `countersign-last-${kind}-${this.writer}`;
  }
}
