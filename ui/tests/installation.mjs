// The real program for the tests that run in Node: a data folder, the command line, a server, a company with a template,
// a client of the API, and a receiver of webhooks. COUNTERSIGN_BINARY names the program (default: the debug build), and
// the files of the demo contract come from the program `demo-files` beside it.

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";

const binary = resolve(process.env.COUNTERSIGN_BINARY ?? join(import.meta.dirname, "../../target/debug/countersign"));
export const company = "demo";
export const member = { email: "owner@example.com", password: "correct horse battery staple" };
/** A PNG of 2 × 2 dark pixels, as a drawn signature or a seal would arrive. */
export const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGMQkbGBIwZkDgAe8ALpN9WuzQAAAABJRU5ErkJggg==";

/** A data folder with a company, a member and the contract of two writers as template. */
export class Installation {
  constructor(settings = {}) {
    this.folder = mkdtempSync(join(tmpdir(), "countersign-"));
    this.environment = {
      ...process.env,
      COUNTERSIGN_DATA: join(this.folder, "data"),
      COUNTERSIGN_WEBHOOK__ALLOW_PRIVATE: "true",
      ...settings,
    };
    this.run(["company", "add", company, "--name", "데모 주식회사"]);
    this.run(["member", "add", "--company", company, "--email", member.email, "--role", "owner"], member.password);
    execFileSync(join(dirname(binary), "demo-files"), [this.folder]);
    this.fields = JSON.parse(readFileSync(join(this.folder, "contract.json"), "utf8"));
    const files = [join(this.folder, "contract.pdf"), "--fields", join(this.folder, "contract.json")];
    this.template = Number(this.run(["template", "import", "--company", company, ...files]));
  }

  /** Runs a command to its end; what it printed. Throws where it fails. */
  run(args, input = "") {
    return execFileSync(binary, args, { env: this.environment, input, encoding: "utf8" }).trimEnd();
  }

  /** Starts the server on a free port and waits for the line that names it. */
  async serve() {
    const server = spawn(binary, ["serve", "--listen", "127.0.0.1:0"], {
      env: this.environment,
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.server = server;
    const [line] = await Promise.race([
      new Promise((done) => createInterface(server.stdout).once("line", (line) => done([line]))),
      new Promise((_, fail) => server.once("exit", (code) => fail(new Error(`the server ended with ${code}`)))),
    ]);
    this.base = line.match(/http:\/\/\S+/)[0].replace(/\/$/, "");
    return this.base;
  }

  /** Logs in; a function `(method, path, body) → {status, body}` that calls the API. */
  async client() {
    const credentials = { memb_email: member.email, memb_pwd: member.password };
    const login = await fetch(`${this.base}/api/${company}/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ header: { request_code: "1001Q" }, body: credentials }),
    });
    const { access_token: token } = (await login.json()).body;
    return async (method, path, body) => {
      const answer = await fetch(`${this.base}${path}`, {
        method,
        headers: { authorization: `service ${token}`, "content-type": "application/json" },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      const bytes = Buffer.from(await answer.arrayBuffer());
      const isJson = (answer.headers.get("content-type") ?? "").includes("json");
      return { status: answer.status, body: isJson ? JSON.parse(bytes) : bytes };
    };
  }

  /** The body of a start of the contract, embedded, with webhooks to the address. */
  contract(callback, more = {}) {
    return {
      workflow_name: "근로계약서",
      template_id: this.template,
      recipient_list: [
        { order: 1, name: "김사장", email: "employer@example.com" },
        { order: 2, name: "이직원", email: "employee@example.com" },
      ],
      export_api_info: { url: callback, api_type: "ALL", is_embed: true },
      ...more,
    };
  }

  /** A value for every field that the writer of a step fills. */
  valuesOfStep(order) {
    const values = { text: "서울특별시 종로구", number: "3000000", date: "2026-12-01", check: "Y" };
    const pictures = ["signature", "initials", "seal", "image"];
    return this.fields.fields
      .filter((field) => field.step === order)
      .map(({ name, kind, option, options }) => ({
        name,
        value: pictures.includes(kind) ? png : (values[kind] ?? option ?? options?.[0]),
      }))
      .filter(({ value }) => value !== undefined);
  }

  /** Stops the server and removes the folder. */
  async end() {
    if (this.server && this.server.exitCode === null) {
      const gone = new Promise((done) => this.server.once("exit", done));
      this.server.kill("SIGKILL");
      await gone;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A receiver that keeps each request's headers and raw body, and answers 200. */
export class Receiver {
  requests = [];
  #waiting = [];

  async listen() {
    this.server = createServer((request, response) => {
      const parts = [];
      request.on("data", (part) => parts.push(part));
      request.on("end", () => {
        this.requests.push({ headers: request.headers, body: Buffer.concat(parts).toString("utf8") });
        response.end("ok");
        for (const wake of this.#waiting.splice(0)) wake();
      });
    });
    await new Promise((done) => this.server.listen(0, "127.0.0.1", done));
    this.address = `http://127.0.0.1:${this.server.address().port}/hook`;
    return this.address;
  }

  /** Waits until so many requests have come. */
  async count(wanted) {
    while (this.requests.length < wanted) await new Promise((done) => this.#waiting.push(done));
    return this.requests;
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }
}
