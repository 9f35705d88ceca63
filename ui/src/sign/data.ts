// The server's data about the signer and the document, for this script.

import type { Look } from "./ink";

/** The state of the draft when the page was made. */
export interface DraftState {
  /** The version of the signer's link: another link has a separate draft. */
  link: number;
  revision: number;
  /** For each field, the revision and the page of its last change. */
  changes: Record<string, [number, string]>;
}

/** The server's answer to a change of the draft. */
export interface Saved {
  revision: number;
  /** How saved values look on paper, and the calculated values. */
  fields: Look[];
  /** Fields that other pages have changed since the given revision. They were not overwritten. */
  newer: Newer[];
}

/** A field that another page has changed. */
export interface Newer extends Look {
  /** In the server's format; for a file, its name. */
  value: string;
  /** The URL of a picture. */
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
  /** The signers of the next step. */
  next_names: string[];
  draft: DraftState;
  texts: Record<string, string>;
}

/** A refusal: the server's problem document. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly problem: Problem,
  ) {
    super(problem.detail ?? problem.title ?? String(status));
  }

  /** Whether the whole page is out of date: signed, ended, or the link replaced. */
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
  /** The state that the server found. */
  state?: string;
  errors?: { path: string; code: string; message: string }[];
}

/** One request of this page. The link's token is sent as a header, never in the URL. */
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
