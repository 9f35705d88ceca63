// The signer's last signature, if they agreed to keep it on this device. It is only in the browser's local storage,
// under the signer's name, so it is not offered to another person who signs on the same device.

import type { Drawing } from "./choices";

export interface Kept {
  /** The URL of its picture. */
  source: string;
  /** How it is made, if the server draws it. */
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

  /** Returns whether it is stored now: storage may be full or forbidden. */
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
      // Nothing was stored.
    }
  }

  #key(kind: string): string {
    return `countersign-last-${kind}-${this.writer}`;
  }
}
