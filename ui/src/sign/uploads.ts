// Uploads files (drawn signatures, images, attachments) to the server, one after another, and only the last one of each
// field. A file that could not be sent is retried when the connection is back, and small ones survive a closed tab in
// local storage. The server counts a file that it receives twice as one.

import type { Drawing } from "./choices";
import { type Problem, Refusal, type Saved, type SignData } from "./data";
import type { Kept, ShownDraft } from "./shown";
import type { Transfer } from "./transfer";

export interface UploadEvents {
  state(state: "idle" | "saving" | "saved" | "offline" | "failed"): void;
  /** The progress of a field's file. */
  transfer(name: string, transfer: Transfer): void;
  /** Sending was given up; `shown` is what the field has instead. */
  cancelled(name: string, shown: string): void;
  /**
   * The server refuses the file and says why. The field keeps its previous content; null: another file is on its way.
   */
  refused(upload: Upload, message: string, held: string | null): void;
  /** The document went on without this page. */
  ended(): void;
}

export interface Upload {
  name: string;
  /** What the page shows of it: the file's name, or the picture's URL. */
  shown: string;
  /** A data URL. Empty: removes the previous file. */
  data?: string;
  /** Instead of a picture: what the server draws. */
  drawing?: Drawing;
  file_name?: string;
}

/** The signer has cancelled it, or chosen another file. */
class Aborted extends Error {}

const LONGEST_PAUSE = 30_000;
/** The most characters to put into local storage; browsers allow about five million per site. */
const MOST_KEPT = 2_000_000;

export class Uploads {
  #waiting = new Map<string, Upload>();
  /** Changes that conflict with another page's, until the signer has chosen. */
  #undecided = new Map<string, Upload>();
  #running: Promise<void> | null = null;
  #request: { upload: Upload; xhr: XMLHttpRequest } | null = null;
  /** What the server has for each field, as the page shows it. */
  #taken = new Map<string, string>();
  /** Files that were sent completely once: the server may have them, whatever happened to its answer. */
  #gone = new WeakSet<Upload>();
  #failures = 0;
  #timer = 0;
  #stopped: boolean;
  /**
   * Whether this device stores what the server does not have yet: storage may be full or forbidden, or a file too
   * large.
   */
  isKept = true;

  constructor(
    private readonly data: SignData,
    private readonly shown: ShownDraft,
    private readonly events: UploadEvents,
  ) {
    this.#stopped = data.mode !== "sign";
    addEventListener("online", () => this.#again(0));
  }

  /** Files that an earlier visit could not send. */
  remembered(): [upload: Upload, kept: Kept][] {
    if (this.#stopped) return [];
    try {
      const { link, page, uploads } = JSON.parse(localStorage.getItem(this.#key) ?? "{}");
      return (uploads as [Upload, number][]).flatMap(([upload, revision]) =>
        typeof upload.name === "string" && typeof upload.shown === "string" ? [[upload, { link, page, revision }]] : [],
      );
    } catch {
      return [];
    }
  }

  /** Whether there is anything that the server does not have yet. */
  get waits(): boolean {
    return this.#waiting.size > 0;
  }

  /** What the server has when the page is opened, or when another page has changed it. */
  has(name: string, shown: string): void {
    this.#taken.set(name, shown);
  }

  put(upload: Upload): void {
    if (this.#stopped) return;
    this.#undecided.delete(upload.name);
    this.#waiting.set(upload.name, upload);
    this.#remember();
    this.#again(0);
  }

  /** Cancels what waits or is being sent. If the server may already have it, it is removed there too. */
  cancel(name: string): void {
    const upload = this.#waiting.get(name);
    if (!upload || this.#stopped) return;
    this.#forget(upload);
    const mayHave = this.#gone.has(upload);
    if (this.#request?.upload === upload) this.#request.xhr.abort();
    this.events.transfer(name, { at: "cancelled" });
    this.events.cancelled(name, mayHave ? "" : (this.#taken.get(name) ?? ""));
    if (mayHave) this.put({ name, shown: "", data: "" });
    else if (this.#waiting.size === 0) this.events.state("idle");
    else this.#again(0);
  }

  /** Retries now what waits for its next try. */
  again(): void {
    this.#again(0);
  }

  /** Another page has changed the field: the waiting file is kept, but not sent until it is put again or dropped. */
  withdraw(name: string): Upload | undefined {
    const mine = this.#waiting.get(name) ?? this.#undecided.get(name);
    if (mine) this.hold(mine);
    return mine;
  }

  hold(upload: Upload): void {
    this.#waiting.delete(upload.name);
    this.#undecided.set(upload.name, upload);
    this.#remember();
  }

  drop(name: string): void {
    this.#undecided.delete(name);
    this.#remember();
  }

  /** Sends everything that waits at once; fails if it cannot. */
  async flush(): Promise<void> {
    await this.#running?.catch(() => undefined);
    if (this.#waiting.size > 0) await this.#run();
  }

  finish(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#waiting.clear();
    this.#undecided.clear();
    this.#remember();
  }

  get #key(): string {
    return `countersign-files-${this.data.workflow_id}-${this.data.recipient_id}`;
  }

  #remember(): void {
    try {
      const { link, page, revision } = this.shown.kept;
      const uploads = [
        ...[...this.#waiting.values()].map((upload) => [upload, revision]),
        ...[...this.#undecided.values()].map((upload) => [upload, -1]),
      ];
      const text = JSON.stringify({ link, page, uploads });
      this.isKept = text.length <= MOST_KEPT;
      if (uploads.length === 0 || !this.isKept) localStorage.removeItem(this.#key);
      else localStorage.setItem(this.#key, text);
    } catch {
      // The file is still sent as long as the page is open.
      this.isKept = false;
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
        const answer = await this.#send(upload);
        this.#failures = 0;
        if (!answer.newer.some(({ name }) => name === upload.name)) {
          this.#taken.set(upload.name, upload.shown);
          this.#forget(upload);
        }
        this.events.transfer(upload.name, { at: "sent" });
        this.shown.take(answer);
      } catch (fault) {
        if (fault instanceof Aborted) continue;
        if (fault instanceof Refusal && fault.ended) {
          this.#stopped = true;
          this.events.ended();
          throw fault;
        }
        if (fault instanceof Refusal && fault.status < 500) {
          this.#forget(upload);
          this.events.state("idle");
          this.events.transfer(upload.name, { at: "refused" });
          const held = this.#waiting.has(upload.name) ? null : (this.#taken.get(upload.name) ?? "");
          this.events.refused(upload, fault.problem.errors?.[0]?.message ?? fault.message, held);
          continue;
        }
        this.#failures += 1;
        this.events.state(navigator.onLine ? "failed" : "offline");
        this.events.transfer(upload.name, { at: "waiting" });
        this.#again(Math.min(LONGEST_PAUSE, 1000 * 2 ** Math.min(this.#failures, 5)));
        throw fault;
      } finally {
        this.#request = null;
      }
    }
    if (this.#failures === 0) this.events.state("saved");
  }

  #first(): Upload | undefined {
    return this.#waiting.values().next().value;
  }

  #forget(upload: Upload): void {
    if (this.#waiting.get(upload.name) === upload) this.#waiting.delete(upload.name);
    this.#remember();
  }

  /** Only XMLHttpRequest reports how much has been sent. */
  #send(upload: Upload): Promise<Saved> {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open("POST", `${this.data.base}/sign/files`);
      request.setRequestHeader("content-type", "application/json");
      request.setRequestHeader("accept", "application/json");
      request.setRequestHeader("accept-language", this.data.language);
      request.setRequestHeader("link-token", this.data.token);
      this.#request = { upload, xhr: request };
      this.events.transfer(upload.name, { at: "sending", part: 0, canCancel: true });
      request.upload.addEventListener("progress", ({ loaded, total, lengthComputable }) => {
        if (!lengthComputable || loaded >= total) return;
        this.events.transfer(upload.name, { at: "sending", part: loaded / total, canCancel: true });
      });
      // From here on the server may have the file.
      request.upload.addEventListener("load", () => {
        this.#gone.add(upload);
        this.events.transfer(upload.name, { at: "sending", part: 1, canCancel: false });
      });
      request.addEventListener("load", () => {
        if (request.status >= 200 && request.status < 300) resolve(JSON.parse(request.responseText) as Saved);
        else reject(new Refusal(request.status, problemOf(request.responseText)));
      });
      request.addEventListener("abort", () => reject(new Aborted()));
      for (const lost of ["error", "timeout"]) request.addEventListener(lost, () => reject(new Error(lost)));
      const { shown: _, ...body } = upload;
      request.send(JSON.stringify({ ...body, ...this.shown.stamp }));
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
