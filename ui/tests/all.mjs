// Runs every browser test, and the tests of the API's clients, several files at a time:
//   COUNTERSIGN_BINARY=… node ui/tests/all.mjs

import { readdirSync } from "node:fs";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";

/** They start first, so that none of them is still running when everything else is done. */
const LONGEST = ["endings", "visual", "ends", "docs", "accessibility", "kinds"].map((name) => `${name}.test.mjs`);

const names = readdirSync(new URL(".", import.meta.url)).filter((name) => name.endsWith(".test.mjs"));
const others = names.filter((name) => !LONGEST.includes(name)).sort();
const files = [...LONGEST, "../../clients/clients.test.mjs", ...others].map((name) =>
  fileURLToPath(new URL(name, import.meta.url)),
);

// Twice as many as the cores of a small machine, because a browser spends much of its time waiting.
run({ files, concurrency: 4 })
  .on("test:fail", () => {
    process.exitCode = 1;
  })
  .compose(spec)
  .pipe(process.stdout);
