// Bundles the browser code into ui/dist. Each file's name contains a hash of its content, so browsers may cache it
// forever. Each file has a gzip and a brotli copy, and manifest.json maps the original names to the hashed ones. `node
// build.mjs` builds once, and the Rust build embeds the folder.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { OLDEST_BROWSERS } from "./oldest-browsers.mjs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const here = fileURLToPath(new URL(".", import.meta.url));
const dist = join(here, "dist");

const bundled = await build({
  absWorkingDir: here,
  entryPoints: [
    { in: "src/sign/main.ts", out: "sign" },
    { in: "src/verify.ts", out: "verify" },
    { in: "src/link.ts", out: "link" },
    { in: "src/viewer.ts", out: "viewer" },
    { in: "src/form.ts", out: "form" },
    { in: "src/docs.ts", out: "docs" },
    { in: "src/styles/pages.css", out: "pages" },
    { in: "src/styles/docs.css", out: "docs" },
    { in: "src/styles/console.css", out: "console" },
  ],
  bundle: true,
  minify: true,
  format: "esm",
  target: OLDEST_BROWSERS,
  charset: "utf8",
  legalComments: "none",
  outdir: dist,
  write: false,
});

const files = bundled.outputFiles.map((file) => ({ name: basename(file.path), bytes: Buffer.from(file.contents) }));
for (const name of await readdir(join(here, "static"))) {
  files.push({ name, bytes: await readFile(join(here, "static", name)) });
}

await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });
const manifest = {};
for (const { name, bytes } of files.sort((a, b) => a.name.localeCompare(b.name))) {
  const extension = extname(name);
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  const hashed = `${name.slice(0, -extension.length)}-${hash}${extension}`;
  manifest[name] = hashed;
  const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  await writeFile(join(dist, hashed), bytes);
  await writeFile(join(dist, `${hashed}.gz`), gzipSync(bytes, { level: 9 }));
  await writeFile(join(dist, `${hashed}.br`), brotli);
  console.log(`${name.padEnd(12)} ${String(bytes.length).padStart(7)} bytes, ${String(brotli.length).padStart(6)} compressed`);
}
await writeFile(join(dist, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
