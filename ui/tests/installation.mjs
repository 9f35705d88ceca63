// A real server for the tests of the pages: the program from COUNTERSIGN_BINARY with a folder of its own. The command
// line creates a company, a member and a template, and the API creates workflows.

import { execFile, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { startMailServer } from "./mail_server.mjs";

const COMPANY = "hanbit";
const EMAIL = "owner@example.com";
const PASSWORD = "a long enough password 42";

/** A PDF of `pages` A4 pages with a line of text each. */
export function pdf(pages = 2) {
  const contents = [];
  for (let page = 1; page <= pages; page += 1) {
    const lines = [`BT /F1 20 Tf 60 770 Td (Employment agreement, page ${page}) Tj ET`];
    for (const [index, label] of ["Name", "Salary", "First day", "Remarks", "Agreed", "Kind", "Team"].entries()) {
      if (page === 1) lines.push(`BT /F1 11 Tf 60 ${712 - index * 34} Td (${label}) Tj ET`);
    }
    contents.push(lines.join("\n"));
  }
  return pdfOf(contents);
}

/** A PDF of A4 pages with these contents: written by hand, so that nothing is needed to make it. */
export function pdfOf(contents) {
  const pages = contents.length;
  const kids = Array.from({ length: pages }, (_, index) => `${4 + index * 2} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages} /Kids [${kids}] >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  for (const [index, content] of contents.entries()) {
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${5 + index * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    );
  }
  let text = "%PDF-1.7\n";
  const offsets = objects.map((object, index) => {
    const at = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const start = text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`;
  text += offsets.map((at) => `${String(at).padStart(10, "0")} 00000 n \n`).join("");
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, "latin1");
}

const box = (x, y, width, height) => ({ page: 1, x: x * 1000, y: y * 1000, width: width * 1000, height: height * 1000 });

/** Two writers; the first has a field of each kind. */
export const FIELDS = {
  name: "Employment agreement",
  steps: [{ order: 1 }, { order: 2 }],
  fields: [
    { name: "Name", kind: "text", step: 1, required: true, ...box(250, 140, 380, 24) },
    { name: "Salary", kind: "number", step: 1, ...box(250, 180, 380, 24) },
    { name: "First day", kind: "date", step: 1, required: true, ...box(250, 220, 380, 24) },
    { name: "Remarks", kind: "text", step: 1, max_length: 200, ...box(250, 258, 500, 70) },
    { name: "Agreed", kind: "check", step: 1, required: true, ...box(250, 346, 25, 18) },
    { name: "Kind", kind: "radio", step: 1, option: "full time", ...box(250, 382, 25, 18) },
    { name: "Kind", kind: "radio", step: 1, option: "part time", ...box(330, 382, 25, 18) },
    { name: "Team", kind: "select", step: 1, options: ["Seoul", "Tokyo"], ...box(250, 414, 300, 24) },
    { name: "Signature", kind: "signature", step: 1, required: true, ...box(100, 600, 300, 80) },
    { name: "Seal", kind: "seal", step: 1, ...box(430, 600, 110, 80) },
    { name: "Employer", kind: "text", step: 2, required: true, ...box(100, 740, 300, 24) },
    { name: "Employer signature", kind: "signature", step: 2, required: true, ...box(430, 720, 300, 80) },
  ],
};

/** A PNG of 2 × 2 dark pixels, as a drawn signature or a seal would arrive. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGMQEbEBIgYIBQAKXgGR1VOq2QAAAABJRU5ErkJggg==";

/** A value for every field that the writer of a step fills. */
export function valuesOfStep(order) {
  const values = { text: "서울특별시 종로구", number: "3000000", date: "2026-12-01", check: "Y" };
  const own = FIELDS.fields.filter((field) => field.step === order);
  const named = new Map(own.map(({ name, kind, option, options }) => [name, values[kind] ?? option ?? options?.[0] ?? PNG]));
  return [...named].map(([name, value]) => ({ name, value }));
}

export class Installation {
  /** With these settings besides, as environment variables. */
  static async start(settings = {}) {
    const binary = process.env.COUNTERSIGN_BINARY;
    if (!binary) throw new Error("COUNTERSIGN_BINARY must name the program");
    const installation = new Installation();
    installation.folder = mkdtempSync(join(tmpdir(), "countersign-ui-"));
    installation.environment = {
      ...process.env,
      COUNTERSIGN_DATA: join(installation.folder, "data"),
      COUNTERSIGN_WEBHOOK__ALLOW_PRIVATE: "true",
      // The machine's free space is not under test.
      COUNTERSIGN_DOCUMENTS__LEAST_FREE_PERCENT: "0",
      // Tests run at the same time, but the default is a single address.
      COUNTERSIGN_METRICS__LISTEN: "",
      ...settings,
    };
    const run = (input, ...words) => {
      const done = spawnSync(binary, words, { env: installation.environment, input, encoding: "utf8" });
      if (done.status !== 0) throw new Error(`countersign ${words.join(" ")}: ${done.stderr || done.stdout}`);
      return done.stdout.trim();
    };
    run("", "company", "add", COMPANY, "--name", "한빛상사");
    run(`${PASSWORD}\n`, "member", "add", "--company", COMPANY, "--email", EMAIL, "--role", "owner");
    installation.import = (fields, bytes) => {
      const [pdfFile, fieldsFile] = [join(installation.folder, "a.pdf"), join(installation.folder, "a.json")];
      writeFileSync(pdfFile, bytes);
      writeFileSync(fieldsFile, JSON.stringify(fields));
      return Number(run("", "template", "import", "--company", COMPANY, pdfFile, "--fields", fieldsFile));
    };
    /** The same beside the tests: a long document takes its time, and connections that rest are looked after meanwhile. */
    installation.importAside = async (fields, bytes) => {
      const [pdfFile, fieldsFile] = [join(installation.folder, "aside.pdf"), join(installation.folder, "aside.json")];
      writeFileSync(pdfFile, bytes);
      writeFileSync(fieldsFile, JSON.stringify(fields));
      const words = ["template", "import", "--company", COMPANY, pdfFile, "--fields", fieldsFile];
      const { stdout } = await promisify(execFile)(binary, words, { env: installation.environment });
      return Number(stdout);
    };
    /** Gives the company a look, or takes it away: `{ accent: "#a5231c", logo: <bytes of a PNG> }`. */
    installation.dress = ({ accent, logo } = {}) => {
      const file = join(installation.folder, "logo.png");
      if (logo) writeFileSync(file, logo);
      run(
        "",
        "company",
        "set",
        COMPANY,
        ...(accent ? ["--accent", accent] : ["--no-accent"]),
        ...(logo ? ["--logo", file] : ["--no-logo"]),
      );
    };
    /** Changes settings of the company. */
    installation.set = (...words) => run("", "company", "set", COMPANY, ...words);
    installation.verify = (file) => spawnSync(binary, ["verify", file], { env: installation.environment }).status;
    installation.template = installation.import(FIELDS, pdf());

    const child = spawn(binary, ["serve", "--listen", "127.0.0.1:0"], {
      env: installation.environment,
      stdio: ["ignore", "pipe", process.env.COUNTERSIGN_TEST_LOG ? "inherit" : "ignore"],
    });
    installation.child = child;
    // The server ends with the test, for any reason.
    process.once("exit", () => child.kill("SIGKILL"));
    const lines = createInterface({ input: child.stdout });
    const first = await new Promise((resolve, reject) => {
      lines.once("line", resolve);
      child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    });
    installation.base = /https?:\/\/[^\s"]+/.exec(first)[0].replace(/\/$/, "");
    const login = await installation.call("POST", `/api/${COMPANY}/login`, {
      header: { request_code: "1001Q" },
      body: { memb_email: EMAIL, memb_pwd: PASSWORD },
    });
    installation.token = login.body.access_token;
    return installation;
  }

  /** The mails of the installation that can send them. */
  async mails() {
    await this.withMail();
    return (await this.mailing).mailServer.mails;
  }

  /** Another installation, which can send mails: where one-time codes are asked for, and for links that are delivered. */
  async withMail() {
    this.mailing ??= startMailServer().then(async (mailServer) => {
      const installation = await Installation.start(mailServer.settings);
      return { installation, mailServer };
    });
    return (await this.mailing).installation;
  }

  member = { company: COMPANY, email: EMAIL, password: PASSWORD };

  /** Starts a workflow whose time is over soon: as soon as this machine starts it in time. */
  async startExpiring(changes) {
    for (const seconds of [3, 15, 60]) {
      const expiry_date = new Date(Date.now() + seconds * 1000).toISOString().slice(0, 19).replace("T", " ");
      try {
        return await this.startWorkflow({ ...changes, expiry_date }, "?offset=%2B00:00");
      } catch (fault) {
        if (!fault.message.includes("expiry_date")) throw fault;
      }
    }
    throw new Error("this machine takes more than a minute to start a workflow");
  }

  async call(method, path, body) {
    const answer = await fetch(this.base + path, {
      method,
      headers: {
        "content-type": "application/json",
        ...(this.token ? { authorization: `service ${this.token}` } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  }

  /** Starts an embedded workflow of two writers; what is given is laid over the request. */
  async startWorkflow(changes = {}, query = "") {
    return await this.call("POST", `/api/v3/workflows/start${query}`, {
      workflow_name: "근로계약서",
      template_id: this.template,
      language: "en",
      comment: "Please read the agreement and sign it.",
      recipient_list: [
        { order: 1, name: "김민준", email: "minjun@example.com" },
        { order: 2, name: "박서연", email: "seoyeon@example.com" },
      ],
      // Nothing listens there, because the pages do not wait for a webhook.
      export_api_info: { url: "http://127.0.0.1:9/hook", api_type: "ALL", is_embed: true },
      ...changes,
    });
  }

  /** A public link whose visitor is the first of two writers. */
  async publicLink(changes = {}) {
    return await this.call("POST", "/api/v3/link/start", {
      workflow_name: "{name} {date}",
      template_id: this.template,
      language: "en",
      recipient_list: [{ order: 2, name: "박서연", email: "seoyeon@example.com" }],
      ...changes,
    });
  }

  async workflow(id) {
    return await this.call("GET", `/api/v3/workflows/${id}`);
  }

  async stop() {
    if (this.mailing) {
      const { installation, mailServer } = await this.mailing;
      await installation.stop();
      mailServer.close();
    }
    if (this.child && this.child.exitCode === null) {
      const ended = new Promise((resolve) => this.child.once("exit", resolve));
      this.child.kill("SIGTERM");
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}
