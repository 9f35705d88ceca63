// What the server tells the script about this writer and document.

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
    return this.status === 404 || this.status === 409 || this.status === 410 || asksForCode;
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
