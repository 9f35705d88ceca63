// What the server tells the script about this writer and document.

import type { Look } from "./ink";

/** Where the draft stood when the page was made. */
export interface DraftState {
  /** The version of the writer's link: another one has a draft of its own. */
  link: number;
  revision: number;
  /** Of each field in which revision and by which page it was changed last. */
  changes: Record<string, [number, string]>;
}

/** What the server answers to a change of the draft. */
export interface Saved {
  revision: number;
  /** How saved values look on paper, and what is calculated from them. */
  fields: Look[];
  /** What other pages have changed since the revision that was told. It was not written over. */
  newer: Newer[];
}

/** A field that another page has changed. */
export interface Newer extends Look {
  /** As it goes to the server; of a file its name. */
  value: string;
  /** Of a picture its address. */
  src: string | null;
}

export interface SignData {
  token: string;
  workflow_id: number | null;
  recipient_id: number | null;
  mode: "sign" | "preview" | "view";
  language: string;
  base: string;
  callback: boolean;
  consented: boolean;
  consent_version: string;
  writer_name: string;
  draft: DraftState;
  texts: Record<string, string>;
}

/** An answer that says no: the problem document of the server. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly problem: Problem,
  ) {
    super(problem.detail ?? problem.title ?? String(status));
  }

  /** Is the whole page out of date: signed, ended, or the link replaced? */
  get ended(): boolean {
    const asksForCode = this.status === 403 && ["access-code", "one-time-code"].includes(this.problem.code ?? "");
    const isOver = [404, 409, 410].includes(this.status) && this.problem.code !== "draft-changed";
    return isOver || asksForCode;
  }
}

export interface Problem {
  title?: string;
  detail?: string;
  code?: string;
  /** The state that was met. */
  state?: string;
  errors?: { path: string; code: string; message: string }[];
}

/** One request of this page; the link's token goes along as a header, never in the address. */
export async function send<T>(
  data: SignData,
  method: "POST" | "PUT" | "DELETE",
  path: string,
  body: unknown,
  keepalive = false,
): Promise<T> {
  const answer = await fetch(data.base + path, {
    method,
    headers: {
      "content-type": "application/json",
      accept: "application/json",
      "accept-language": data.language,
      "link-token": data.token,
    },
    body: JSON.stringify(body),
    credentials: "same-origin",
    referrerPolicy: "no-referrer",
    cache: "no-store",
    keepalive,
  });
  if (!answer.ok) {
    const problem = (await answer.json().catch(() => ({}))) as Problem;
    throw new Refusal(answer.status, problem);
  }
  return (answer.status === 204 ? undefined : await answer.json()) as T;
}
