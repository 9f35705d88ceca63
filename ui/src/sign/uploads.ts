// Takes files (drawn signatures, pictures, attachments) to the server, one after the other and of one field only the
// last. What could not be sent is tried again when the connection is back, and small ones outlive a closed tab in local
// storage; the server counts a file that it is sent twice as the same one.

import type { Drawing } from "./choices";
import { type Problem, Refusal, type SignData } from "./data";

export interface UploadEvents {
  state(state: "idle" | "saving" | "saved" | "offline" | "failed"): void;
  /** From 0 to 1; null when it has ended. */
  progress(name: string, part: number | null): void;
  /** The server refuses the file and says why. */
  refused(name: string, message: string): void;
  /** The document went on without this page. */
  ended(): void;
}

export interface Upload {
  name: string;
  /** What the page shows of it: the file's name, or the picture's address. */
  shown: string;
  /** A data address; empty: what was there is taken away. */
  data?: string;
  /** In place of a picture: what the server draws. */
  drawing?: Drawing;
  file_name?: string;
}

const LONGEST_PAUSE = 30_000;
/** Characters that local storage is asked to keep; browsers give about five million to all of a site. */
const MOST_KEPT = 2_000_000;

export class Uploads {
  #waiting = new Map<string, Upload>();
  #running: Promise<void> | null = null;
  #failures = 0;
  #timer = 0;
  #stopped: boolean;

  constructor(
    private readonly data: SignData,
    private readonly events: UploadEvents,
  ) {
    this.#stopped = data.mode !== "sign";
    addEventListener("online", () => this.#again(0));
  }

  /** What an earlier visit could not send. */
  remembered(): Upload[] {
    if (this.#stopped) return [];
    try {
      const kept = JSON.parse(localStorage.getItem(this.#key) ?? "[]") as Upload[];
      return kept.filter(({ name, shown }) => typeof name === "string" && typeof shown === "string");
    } catch {
      return [];
    }
  }

  put(upload: Upload): void {
    if (this.#stopped) return;
    this.#waiting.set(upload.name, upload);
    this.#remember();
    this.#again(0);
  }

  /** Sends all that waits, at once; fails where it cannot. */
  async flush(): Promise<void> {
    await this.#running?.catch(() => undefined);
    if (this.#waiting.size > 0) await this.#run();
  }

  finish(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#waiting.clear();
    this.#remember();
  }

  get #key(): string {
    return `countersign-files-${this.data.workflow_id}-${this.data.recipient_id}`;
  }

  #remember(): void {
    try {
      const text = JSON.stringify([...this.#waiting.values()]);
      if (this.#waiting.size === 0 || text.length > MOST_KEPT) localStorage.removeItem(this.#key);
      else localStorage.setItem(this.#key, text);
    } catch {
      // Storage is full or forbidden: it is still sent as long as the page is open.
    }
  }

  #again(pause: number): void {
    clearTimeout(this.#timer);
    if (this.#stopped || this.#waiting.size === 0) return;
    this.#timer = window.setTimeout(() => void this.#run().catch(() => undefined), pause);
  }

  #run(): Promise<void> {
    this.#running ??= this.#sendAll().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #sendAll(): Promise<void> {
    for (let upload = this.#first(); upload; upload = this.#first()) {
      this.events.state("saving");
      try {
        await this.#send(upload);
        this.#failures = 0;
        this.#forget(upload);
      } catch (fault) {
        if (fault instanceof Refusal && fault.ended) {
          this.#stopped = true;
          this.events.ended();
          throw fault;
        }
        if (fault instanceof Refusal && fault.status < 500) {
          this.#forget(upload);
          this.events.state("idle");
          this.events.refused(upload.name, fault.problem.errors?.[0]?.message ?? fault.message);
          continue;
        }
        this.#failures += 1;
        this.events.state(navigator.onLine ? "failed" : "offline");
        this.#again(Math.min(LONGEST_PAUSE, 1000 * 2 ** Math.min(this.#failures, 5)));
        throw fault;
      } finally {
        this.events.progress(upload.name, null);
      }
    }
    this.events.state("saved");
  }

  #first(): Upload | undefined {
    return this.#waiting.values().next().value;
  }

  #forget(upload: Upload): void {
    if (this.#waiting.get(upload.name) === upload) this.#waiting.delete(upload.name);
    this.#remember();
  }

  /** Only this interface of the browser tells how much has gone out. */
  #send(upload: Upload): Promise<void> {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open("POST", `${this.data.base}/sign/files`);
      request.setRequestHeader("content-type", "application/json");
      request.setRequestHeader("accept", "application/json");
      request.setRequestHeader("accept-language", this.data.language);
      request.setRequestHeader("link-token", this.data.token);
      request.upload.addEventListener("progress", ({ loaded, total, lengthComputable }) => {
        if (lengthComputable) this.events.progress(upload.name, loaded / total);
      });
      request.addEventListener("load", () => {
        if (request.status >= 200 && request.status < 300) resolve();
        else reject(new Refusal(request.status, problemOf(request.responseText)));
      });
      for (const lost of ["error", "timeout", "abort"]) request.addEventListener(lost, () => reject(new Error(lost)));
      const { shown: _, ...body } = upload;
      request.send(JSON.stringify(body));
    });
  }
}

function problemOf(text: string): Problem {
  try {
    return JSON.parse(text) as Problem;
  } catch {
    return {};
  }
}
