// Loads a module of ui/src into Node, with replacements for browser features, for tests of the parts that need no page.

import { build } from "esbuild";
import { fileURLToPath } from "node:url";

export async function load(path) {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`../src/${path}`, import.meta.url))],
    bundle: true,
    format: "esm",
    target: "node20",
    write: false,
  });
  return await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

/** The parts of a browser's window that the drafts use. Clocks come from node:test. */
export class StandIn {
  storage = new Map();
  isStorageFull = false;
  onLine = true;
  requests = [];
  /** Answers of the server, one for each request; a function is called with the request. */
  answers = [];
  #events = new EventTarget();

  install() {
    const storage = {
      getItem: (key) => this.storage.get(key) ?? null,
      setItem: (key, value) => {
        if (this.isStorageFull) throw new Error("full");
        this.storage.set(key, value);
      },
      removeItem: (key) => this.storage.delete(key),
    };
    const navigator = {};
    Object.defineProperty(navigator, "onLine", { get: () => this.onLine });
    const globals = {
      window: globalThis,
      localStorage: storage,
      navigator,
      addEventListener: (...words) => this.#events.addEventListener(...words),
      fetch: async (url, { method, body, keepalive }) => {
        const request = { url, method, body: JSON.parse(body), keepalive };
        this.requests.push(request);
        const answer = this.answers.shift();
        if (!answer) throw new TypeError("no connection");
        const { status = 200, body: said } = typeof answer === "function" ? await answer(request) : answer;
        return new Response(JSON.stringify(said), { status });
      },
    };
    for (const [name, value] of Object.entries(globals)) Object.defineProperty(globalThis, name, { value, configurable: true });
  }

  happen(event) {
    this.#events.dispatchEvent(new Event(event));
  }
}
