// Tests the starting points for customers' programmers. The OpenAPI document must pass a strict linter. The TypeScript
// and Python clients generated from it must complete the main job against a running server. The receivers in webhooks/
// must accept real webhooks, refuse forged ones and process a repeated webhook only once.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import openapiTypeScript, { astToString } from "openapi-typescript";
import { Installation, valuesOfStep } from "../ui/tests/installation.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const PYTHON = here("../.tools/venv/bin/python");

/**
 * The linter's rules that do not fit, with reasons. Every other rule of its strict set applies.
 * no-ambiguous-paths: `workflows/bulk/{id}` and `workflows/{id}/approve`; an id is an integer, so nothing is ambiguous.
 * no-server-example.com: a test's server is on this machine.
 */
const RULES = { "no-ambiguous-paths": "off", "no-server-example.com": "off" };
/** These accept no input that could be wrong, so there is no 4XX to describe. */
const WITHOUT_FAULT = ["/api/openapi.json", "/ca/root.crl", "/ca/root.pem", "/healthz", "/livez", "/readyz"];

let installation, openapi, folder, secret;
const receivers = {};

function run(program, words, options = {}) {
  const done = spawnSync(program, words, { encoding: "utf8", ...options });
  assert.equal(done.status, 0, `${program} ${words.join(" ")}\n${done.stdout}\n${done.stderr}`);
  return done.stdout;
}

/** A receiver from webhooks/, with the lines it prints. */
class Running {
  lines = [];
  #waiting = [];

  constructor(program, file) {
    this.child = spawn(program, [file, "0"], {
      env: { ...process.env, WEBHOOK_SECRET: secret },
      stdio: ["ignore", "pipe", "inherit"],
    });
    process.once("exit", () => this.child.kill("SIGKILL"));
    createInterface({ input: this.child.stdout }).on("line", (line) => {
      this.lines.push(line);
      for (const wake of this.#waiting.splice(0)) wake();
    });
    this.child.once("exit", () => {
      for (const wake of this.#waiting.splice(0)) wake();
    });
  }

  async line(index) {
    while (this.lines.length <= index) {
      assert.equal(this.child.exitCode, null, "the receiver has ended");
      await new Promise((done) => this.#waiting.push(done));
    }
    return this.lines[index];
  }

  async address() {
    return /http:\S+/.exec(await this.line(0))[0];
  }
}

before(async () => {
  installation = await Installation.start();
  folder = mkdtempSync(join(tmpdir(), "countersign-clients-"));
  openapi = await (await fetch(`${installation.base}/api/openapi.json`)).text();
  const words = ["client", "secret", "--company", installation.member.company];
  secret = /whsec_[^\s"]+/.exec(run(process.env.COUNTERSIGN_BINARY, words, { env: installation.environment }))[0];
  receivers.node = new Running(process.execPath, here("webhooks/receiver.mjs"));
  receivers.python = new Running(PYTHON, here("webhooks/receiver.py"));
});
after(async () => {
  for (const receiver of Object.values(receivers)) receiver.child.kill();
  await installation?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("the OpenAPI document passes a strict linter", async () => {
  const config = await createConfig({ extends: ["recommended-strict"], rules: RULES });
  const problems = await lintFromString({ source: openapi, absoluteRef: "openapi.json", config });
  const said = problems.map(({ ruleId, message, location }) => ({ ruleId, message, at: location[0]?.pointer }));
  const excused = WITHOUT_FAULT.map((path) => `#/paths/${path.replaceAll("/", "~1")}/get/responses`);
  assert.deepEqual(said.filter(({ ruleId, at }) => !(ruleId === "operation-4xx-response" && excused.includes(at))), []);
  // An exemption that is no longer needed must be removed.
  assert.equal(problems.length, excused.length);
});

/** The arguments of both walks. */
const walkWith = (hook) => {
  const { company, email, password } = installation.member;
  const values = JSON.stringify([valuesOfStep(1), valuesOfStep(2)]);
  return [installation.base, company, email, password, hook, String(installation.template), values];
};

/** Checks what a walk reports at its end, and what the receiver saw of it. */
async function checkWalk(printed, receiver) {
  const told = JSON.parse(printed);
  assert.equal(told.status, "Complete");
  assert.equal(told.refused, "finished");
  assert.equal(told.outcome, "holds");
  assert.ok(told.bytes > 10_000, `${told.bytes}`);
  const events = [JSON.parse(await receiver.line(1)), JSON.parse(await receiver.line(2))];
  assert.deepEqual(
    events.map(({ workflow_id, command_type, status, order }) => [workflow_id, command_type, status, order]),
    [[told.workflow_id, "CF", "Playing", 1], [told.workflow_id, "CF", "Complete", 2]],
  );
}

test("the guide installs what the TypeScript walks are compiled with here", () => {
  const guide = readFileSync(here("../docs/clients.md"), "utf8");
  const lines = [...guide.matchAll(/^npm install (?:--save-dev )?(.+)$/gm)];
  const words = lines.flatMap(([, words]) => words.split(" "));
  const installed = [...new Set(words.map((word) => word.replace(/(?<=.)@.*/, "")))];
  const { type, devDependencies } = JSON.parse(readFileSync(here("package.json"), "utf8"));
  // Only checking the description needs the linter.
  const needed = Object.keys(devDependencies).filter((name) => name !== "@redocly/openapi-core");
  assert.deepEqual(installed.sort(), needed.sort());
  assert.ok(guide.includes(`npm pkg set type=${type}`));
});

test("a TypeScript client made of it does the main job, and a receiver in Node hears of it", async () => {
  const warned = [];
  const { warn } = console;
  console.warn = (...words) => warned.push(words.join(" "));
  try {
    writeFileSync(here("typescript/generated.d.ts"), astToString(await openapiTypeScript(openapi)));
  } finally {
    console.warn = warn;
  }
  assert.deepEqual(warned, []);
  run(process.execPath, [here("node_modules/typescript/bin/tsc"), "--project", here("typescript/tsconfig.json")]);
  const hook = await receivers.node.address();
  await checkWalk(run(process.execPath, [here("typescript/built/walk.js"), ...walkWith(hook)]), receivers.node);
});

test("a client made by hey-api, without a warning, logs in, starts and reads the status", async () => {
  const document = join(folder, "hey-api.json");
  writeFileSync(document, openapi);
  const generator = here("node_modules/@hey-api/openapi-ts/bin/run.js");
  const words = ["--input", document, "--no-log-file"];
  const made = spawnSync(process.execPath, [generator, ...words], { encoding: "utf8", cwd: here("hey-api") });
  assert.equal(made.status, 0, made.stderr);
  assert.doesNotMatch(made.stdout + made.stderr, /warn|error|deprecat|⚠|🔥/i);
  run(process.execPath, [here("node_modules/typescript/bin/tsc"), "--project", here("hey-api/tsconfig.json")]);
  const walked = run(process.execPath, [here("hey-api/built/walk.js"), ...walkWith("https://hooks.example.com/sign")]);
  const told = JSON.parse(walked);
  assert.equal(told.status, "Playing");
  assert.equal(told.refused, "not-found");
  assert.ok(told.sign_url.includes("token=") && told.preview_url.includes("token="), walked);
});

test("a Python client made of it does the main job, and a receiver in Python hears of it", async () => {
  const document = join(folder, "openapi.json");
  writeFileSync(document, openapi);
  const generated = join(folder, "python");
  mkdirSync(generated);
  const generator = here("../.tools/venv/bin/openapi-python-client");
  const words = ["--path", document, "--config", here("python/generator.yaml"), "--output-path", generated];
  run(generator, ["generate", ...words, "--overwrite", "--fail-on-warning"]);
  const hook = await receivers.python.address();
  const environment = { ...process.env, PYTHONPATH: generated };
  await checkWalk(run(PYTHON, [here("python/walk.py"), ...walkWith(hook)], { env: environment }), receivers.python);
});

test("the receivers refuse what is forged or old, and work once where an event comes twice", async () => {
  for (const receiver of Object.values(receivers)) {
    const address = await receiver.address();
    const seen = receiver.lines.length;
    const post = async (event, { id = `msg_${seen}`, age = 0, key = secret, altered = "" } = {}) => {
      const body = JSON.stringify(event);
      const sent = Math.floor(Date.now() / 1000) - age;
      const hmac = createHmac("sha256", Buffer.from(key.slice("whsec_".length), "base64"));
      const signature = hmac.update(`${id}.${sent}.${body}`).digest("base64");
      const headers = {
        "webhook-id": id,
        "webhook-timestamp": String(sent),
        // While a secret is rotated, one of several signatures is enough.
        "webhook-signature": `v1,${Buffer.alloc(32).toString("base64")} v1,${signature}`,
      };
      return (await fetch(address, { method: "POST", headers, body: body + altered })).status;
    };
    const event = { workflow_id: 7, command_type: "CC", status: "Canceled", order: 1 };
    assert.equal(await post(event, { key: `whsec_${Buffer.alloc(24).toString("base64")}` }), 401);
    assert.equal(await post(event, { altered: " " }), 401);
    assert.equal(await post(event, { age: 600 }), 401);
    assert.equal((await fetch(address, { method: "POST", body: "{}" })).status, 401);
    assert.equal(await post(event), 204);
    assert.equal(await post(event), 204);
    assert.equal(await post({ ...event, order: 2 }, { id: "msg_next" }), 204);
    await receiver.line(seen + 1);
    assert.deepEqual(receiver.lines.slice(seen).map((line) => JSON.parse(line).order), [1, 2]);
  }
});
