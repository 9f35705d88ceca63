// Firefox and WebKit (the engine of Safari) from Debian, with the few commands that the tests of the main flow need.
// Both support WebDriver commands: WebKit has a driver that accepts them over HTTP, and Firefox accepts them over a
// socket (Marionette), so no other driver is needed.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const LIMIT = 60_000;
const LIBRARIES = "/usr/lib";
/** The keys of WebDriver that we press. */
const KEYS = { Tab: "\ue004", Enter: "\ue007", Escape: "\ue00c", ArrowRight: "\ue014" };
/** The name of an element in WebDriver's answers. */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

/** Engine → how to open a window of it. */
export const ENGINES = { firefox: openFirefox, webkit: openWebKit };

const rest = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** A window of an engine. `send` takes a command of WebDriver with its parameters. */
class Window {
  constructor(send, close) {
    this.send = send;
    this.close = close;
  }

  open(url) {
    return this.send("Navigate", { url });
  }

  back() {
    return this.send("Back");
  }

  /** Runs a function in the page. */
  run(work, ...args) {
    return this.send("ExecuteScript", { script: `return (${work})(...arguments)`, args });
  }

  /** Waits until the function answers something, and returns that. */
  async until(work, ...words) {
    for (const end = Date.now() + LIMIT; ;) {
      // The page may be loading another one.
      const found = await this.run(work, ...words).catch(() => false);
      if (found) return found;
      if (Date.now() > end) throw new Error(`never: ${work} ${words.join(" ")}`);
      await rest(50);
    }
  }

  visible(selector) {
    return this.until((selector) => {
      const { width, height } = document.querySelector(selector)?.getBoundingClientRect() ?? {};
      return width > 0 && height > 0 && getComputedStyle(document.querySelector(selector)).visibility === "visible";
    }, selector);
  }

  text(selector) {
    return this.run((selector) => document.querySelector(selector)?.textContent.trim(), selector);
  }

  /** Presses it with the pointer, in the middle of the window. */
  async press(selector) {
    await this.visible(selector);
    await this.run(
      (selector) => document.querySelector(selector).scrollIntoView({ block: "center", behavior: "instant" }),
      selector,
    );
    await this.send("ElementClick", {
      id: (await this.send("FindElement", { using: "css selector", value: selector }))[ELEMENT],
    });
  }

  /** Presses a point of the window. */
  tap(x, y) {
    const at = { x: Math.round(x), y: Math.round(y), duration: 0, origin: "viewport" };
    const actions = [
      { type: "pointerMove", ...at },
      { type: "pointerDown", button: 0 },
      { type: "pointerUp", button: 0 },
    ];
    return this.#act({ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions });
  }

  keys(text) {
    return this.#act({
      type: "key",
      id: "keyboard",
      actions: [...text].flatMap((value) => ["keyDown", "keyUp"].map((type) => ({ type, value }))),
    });
  }

  key(name) {
    return this.keys(KEYS[name]);
  }

  #act(source) {
    return this.send("PerformActions", { actions: [source] });
  }

  async picture() {
    const answer = await this.send("TakeScreenshot", { full: false });
    return Buffer.from(answer.value ?? answer, "base64");
  }
}

/** A window whose page has exactly this size. */
async function sized(window, { width, height }) {
  await window.send("SetWindowRect", { width, height });
  const [inner, outer] = [await window.run(() => [innerWidth, innerHeight]), [width, height]];
  await window.send("SetWindowRect", { width: 2 * outer[0] - inner[0], height: 2 * outer[1] - inner[1] });
  return window;
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

/** Repeats what fails until a program has started. */
async function untilStarted(work) {
  for (const end = Date.now() + LIMIT; ;) {
    try {
      return await work();
    } catch (fault) {
      if (Date.now() > end) throw fault;
      await rest(100);
    }
  }
}

// Firefox: messages are JSON, preceded by their length.

class Marionette {
  #socket;
  #rest = Buffer.alloc(0);
  #waiting = new Map();
  #count = 0;

  async connect(port) {
    this.#socket = connect(port, "127.0.0.1");
    await new Promise((done, failed) => this.#socket.once("error", failed).once("data", done));
    this.#socket.on("data", (bytes) => this.#take(bytes));
  }

  #take(bytes) {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (;;) {
      const colon = this.#rest.indexOf(":");
      const length = Number(this.#rest.subarray(0, colon));
      if (colon < 0 || this.#rest.length < colon + 1 + length) return;
      const [, id, error, result] = JSON.parse(this.#rest.subarray(colon + 1, colon + 1 + length));
      this.#rest = this.#rest.subarray(colon + 1 + length);
      const { done, failed } = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error) failed(new Error(`${error.error}: ${error.message}`));
      else done(result && "value" in result ? result.value : result);
    }
  }

  send(name, parameters = {}) {
    this.#count += 1;
    const text = JSON.stringify([0, this.#count, `WebDriver:${name}`, parameters]);
    return new Promise((done, failed) => {
      this.#waiting.set(this.#count, { done, failed });
      this.#socket.write(`${Buffer.byteLength(text)}:${text}`);
    });
  }

  end() {
    this.#socket.destroy();
  }
}

async function openFirefox(size) {
  const [port, profile] = [await freePort(), mkdtempSync(join(tmpdir(), "countersign-firefox-"))];
  const preferences = {
    "marionette.port": port,
    "datareporting.policy.dataSubmissionEnabled": false,
    "browser.shell.checkDefaultBrowser": false,
  };
  const lines = Object.entries(preferences).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${value});\n`);
  writeFileSync(join(profile, "user.js"), lines.join(""));
  const program = spawn("firefox-esr", ["--marionette", "--headless", "--no-remote", "--profile", profile], {
    stdio: "ignore",
    env: { ...process.env, HOME: profile },
  });
  process.once("exit", () => program.kill("SIGKILL"));
  const marionette = await untilStarted(async () => {
    const tried = new Marionette();
    await tried.connect(port);
    return tried;
  });
  await marionette.send("NewSession", { capabilities: { alwaysMatch: { pageLoadStrategy: "eager" } } });
  const close = async () => {
    const ended = new Promise((done) => program.once("exit", done));
    marionette.end();
    program.kill("SIGKILL");
    await ended;
    rmSync(profile, { recursive: true, force: true });
  };
  return await sized(new Window((name, parameters) => marionette.send(name, parameters), close), size);
}

// WebKit: HTTP.

const PATHS = {
  Navigate: "url",
  Back: "back",
  ExecuteScript: "execute/sync",
  FindElement: "element",
  ElementClick: ({ id }) => `element/${id}/click`,
  PerformActions: "actions",
  TakeScreenshot: "screenshot",
  SetWindowRect: "window/rect",
};

function miniBrowser() {
  for (const machine of readdirSync(LIBRARIES)) {
    for (const version of ["4.1", "4.0"]) {
      const path = `${LIBRARIES}/${machine}/webkit2gtk-${version}/MiniBrowser`;
      if (existsSync(path)) return path;
    }
  }
  throw new Error("WebKit's MiniBrowser is missing: run script/bootstrap --tests");
}

async function openWebKit(size) {
  const port = await freePort();
  // Windows of WebKit need a display.
  const display = 100 + (port % 20_000);
  const screen = spawn("Xvfb", [`:${display}`, "-screen", "0", "1600x1200x24", "-nolisten", "tcp"], { stdio: "ignore" });
  // Its sandbox needs permissions that containers do not have, and we only open our own pages.
  const env = { ...process.env, DISPLAY: `:${display}`, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1" };
  const driver = spawn("WebKitWebDriver", [`--port=${port}`], { env, stdio: "ignore" });
  process.once("exit", () => [driver, screen].forEach((program) => program.kill()));
  const options = { binary: miniBrowser(), args: ["--automation"] };
  const capabilities = { alwaysMatch: { pageLoadStrategy: "eager", "webkitgtk:browserOptions": options } };
  const ask = async (method, path, body) => {
    const answer = await fetch(`http://127.0.0.1:${port}/session${path}`, {
      method,
      signal: AbortSignal.timeout(LIMIT),
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const { value } = await answer.json();
    if (value?.error) throw new Error(`${path}: ${value.error}: ${value.message}`);
    return value;
  };
  const { sessionId } = await untilStarted(() => ask("POST", "", { capabilities }));
  const send = (name, parameters = {}) => {
    const path = typeof PATHS[name] === "string" ? PATHS[name] : PATHS[name](parameters);
    return name === "TakeScreenshot" ? ask("GET", `/${sessionId}/${path}`) : ask("POST", `/${sessionId}/${path}`, parameters);
  };
  const close = async () => {
    await ask("DELETE", `/${sessionId}`).catch(() => undefined);
    driver.kill();
    screen.kill();
  };
  return await sized(new Window(send, close), size);
}
