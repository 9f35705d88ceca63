// Every state of every page looks as it did when someone last reviewed it. The states of states.mjs are compared with
// the pictures in snapshots/, in each language light and dark, Korean and Japanese on a phone, English on a desktop.
// After an intended change:
//
//   cd ui && npm run snapshots        (builds nothing: `node build.mjs` and `cargo build` come first)
//
// This renews changed pictures and removes unused ones. Review the pictures in the diff before you commit them. A
// failure names the pictures that differ, and writes each of them with the accepted one and a map of the difference
// into a temporary folder.
//
// The compared pictures are half as large as the screen and slightly blurred, so that smoothed edges do not count but a
// button moved by four pixels does. Two tests below verify this. Times, numbers and hashes, which differ in each run,
// are replaced with fixed ones. The accepted pictures depend on the browser and the fonts that script/bootstrap
// installs.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { open } from "./browser.mjs";
import { browser, server, withServer } from "./with-server.mjs";
import { shown, walk } from "./states.mjs";

const SNAPSHOTS = fileURLToPath(new URL("./snapshots/", import.meta.url));
const UPDATE = process.env.UPDATE_SNAPSHOTS === "1";
/** How far a channel, of 255, may be off after the blur, and how many pixels of the halved picture may be off further. */
const TOLERANCE = { channel: 24, pixels: 40 };

const WALKS = [
  { language: "ko", size: "phone" },
  { language: "en", size: "desktop" },
  { language: "ja", size: "phone" },
];
const SCHEMES = ["light", "dark"];

let judge;

withServer({
  keepPages: true,
  prepare: async () => {
    mkdirSync(SNAPSHOTS, { recursive: true });
    judge = await (await browser.newContext()).newPage();
  },
});

for (const { language, size } of WALKS) {
  test(`every state looks as it did, light and dark: ${language}, ${size}`, async () => {
    const page = await open(browser, size, { locale: language, timezoneId: "UTC", deviceScaleFactor: 1 });
    const ending = new RegExp(`-${language}-${size}-(${SCHEMES.join("|")})\\.webp$`);
    const seen = new Set();
    const differing = [];
    const judging = [];
    let folder;
    const judgeIt = async (name, taken) => {
      const kept = readIfThere(join(SNAPSHOTS, name));
      const found = await compare(taken, kept);
      if (found.alike) return;
      if (UPDATE) {
        writeFileSync(join(SNAPSHOTS, name), Buffer.from(found.small, "base64"));
        return;
      }
      folder ??= mkdtempSync(join(tmpdir(), "countersign-visual-"));
      writeFileSync(join(folder, `taken-${name}`), Buffer.from(found.small, "base64"));
      if (kept) writeFileSync(join(folder, `kept-${name}`), kept);
      if (found.map) writeFileSync(join(folder, `difference-${name}`), Buffer.from(found.map, "base64"));
      differing.push(`${name}: ${found.why}`);
    };
    await walk(server, page, { language, size }, async (state, whole = false) => {
      await settle(page, state, whole);
      for (const colorScheme of SCHEMES) {
        await page.emulateMedia({ colorScheme });
        const name = `${state}-${language}-${size}-${colorScheme}.webp`;
        seen.add(name);
        // Compared while the walk continues.
        judging.push(judgeIt(name, await page.screenshot({ fullPage: whole, caret: "hide", animations: "disabled" })));
      }
    });
    await page.context().close();
    await Promise.all(judging);

    for (const name of readdirSync(SNAPSHOTS).filter((name) => ending.test(name) && !seen.has(name))) {
      if (UPDATE) rmSync(join(SNAPSHOTS, name));
      else differing.push(`${name}: no such state any more`);
    }
    assert.deepEqual(differing, [], `see ${folder ?? SNAPSHOTS}; if it is meant: cd ui && npm run snapshots`);
  });
}

test("a button moved by four pixels is a difference, and so are another colour and a title that is gone", async () => {
  const page = await open(browser, "phone", { deviceScaleFactor: 1 });
  await page.goto(`${server.base}/sign-in?lang=ko`);
  await settle(page, "");
  const kept = Buffer.from((await compare(await page.screenshot(), undefined)).small, "base64");
  assert.equal((await compare(await page.screenshot(), kept)).alike, true);
  const changed = async (selector, change) => {
    await page.locator(selector).evaluate((element, words) => Object.assign(element.style, words), change);
    const found = await compare(await page.screenshot(), kept);
    await page.locator(selector).evaluate((element) => element.removeAttribute("style"));
    return !found.alike;
  };
  const button = "main [type=submit]";
  assert.equal(await changed(button, { transform: "translateY(4px)" }), true, "four pixels down");
  assert.equal(await changed(button, { background: "#17663a" }), true, "another colour");
  assert.equal(await changed("h1", { visibility: "hidden" }), true, "a title that is not there");
  await page.context().close();
});

test("a shift that only smoothed edges show is none", async () => {
  const page = await open(browser, "phone", { deviceScaleFactor: 1 });
  await page.goto(`${server.base}/sign-in?lang=ko`);
  await settle(page, "");
  const kept = Buffer.from((await compare(await page.screenshot(), undefined)).small, "base64");
  await page.locator("main").evaluate((main) => (main.style.transform = "translateX(0.2px)"));
  const found = await compare(await page.screenshot(), kept);
  assert.equal(found.alike, true, found.why);
  await page.context().close();
});

function readIfThere(path) {
  try {
    return readFileSync(path);
  } catch (fault) {
    if (fault.code === "ENOENT") return undefined;
    throw fault;
  }
}

/** Waits for what is shown, and writes fixed words over what differs at each run. */
async function settle(page, state, whole = false) {
  await shown(page, whole);
  await page.evaluate((state) => {
    const fixed = [
      [/https?:\/\/127\.0\.0\.1:\d+/g, () => "http://sign.example"],
      [/[0-9a-f]{32,}/gi, (hash) => "0".repeat(hash.length)],
      [/\d{4}-\d{2}-\d{2}/g, () => "2026-12-01"],
      [/\d{4}(년|年) ?\d{1,2}(월|月) ?\d{1,2}(일|日)/g, (_, year, month, day) => `2026${year} 12${month} 1${day}`],
      [/\d{1,2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* \d{4}/g, () => "1 December 2026"],
      [/(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* \d{1,2}, \d{4}/g, () => "December 1, 2026"],
      [/\d{1,2}:\d{2}(:\d{2})?/g, (_, seconds) => (seconds ? "09:00:00" : "09:00")],
      // The waiting time for the next code.
      [/\d+(?=\u2069? ?(seconds?|초|秒))/g, () => "50"],
      [/([?&]token=)[\w.~-]+/g, (_, before) => `${before}0000`],
    ];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const node = texts.currentNode;
      if (node.parentElement.closest("script, style, .field")) continue;
      const text = fixed.reduce((text, [from, to]) => text.replace(from, to), node.data);
      if (text !== node.data) node.data = text;
    }
    // Whether a draft is being saved or is saved depends on the moment, and the number of messages depends on the
    // earlier tests.
    document.querySelector("#save-state")?.style.setProperty("visibility", "hidden");
    for (const message of document.querySelectorAll(".message-list li:nth-child(n + 3)")) message.hidden = true;
    document.querySelector(".document-number")?.style.setProperty("visibility", "hidden");
    // The certificate's own page consists of times, addresses and hashes.
    if (state.endsWith("certificate")) {
      for (const image of document.querySelectorAll(".sheet-pages img")) image.style.visibility = "hidden";
    }
  }, state);
}

/**
 * Halves what was taken and compares it with what was kept, in the browser, which reads and writes both formats.
 * `why` says what differs, `map` shows where, `small` is what would be kept.
 */
async function compare(taken, kept) {
  return await judge.evaluate(
    async ({ taken, kept, tolerance }) => {
      const decode = async (type, text) => await createImageBitmap(await (await fetch(`data:${type};base64,${text}`)).blob());
      const encode = async (canvas, quality) => {
        const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: "image/webp", quality })).arrayBuffer());
        let text = "";
        for (const byte of bytes) text += String.fromCharCode(byte);
        return btoa(text);
      };
      const paint = (width, height, filter, picture) => {
        const canvas = new OffscreenCanvas(width, height);
        const context = canvas.getContext("2d", { willReadFrequently: true });
        context.imageSmoothingQuality = "high";
        context.filter = filter;
        context.drawImage(picture, 0, 0, width, height);
        return { canvas, context, pixels: () => context.getImageData(0, 0, width, height) };
      };
      const full = await decode("image/png", taken);
      const [width, height] = [Math.round(full.width / 2), Math.round(full.height / 2)];
      const halved = paint(width, height, "none", full).canvas;
      const small = await encode(halved, 0.85);
      if (!kept) return { alike: false, why: "no picture is kept of it yet", small };
      if (small === kept) return { alike: true, small };
      const before = await decode("image/webp", kept);
      if (before.width !== width || before.height !== height) {
        return { alike: false, why: `${before.width}×${before.height} was kept, ${width}×${height} taken`, small };
      }
      // Both went through the same encoder, so its errors are in both.
      const after = await decode("image/webp", small);
      const [one, two] = [before, after].map((picture) => paint(width, height, "blur(1px)", picture).pixels().data);
      const map = paint(width, height, "opacity(0.3)", after);
      map.context.filter = "none";
      map.context.fillStyle = "#e0004d";
      let off = 0;
      for (let at = 0; at < one.length; at += 4) {
        const differs = (channel) => Math.abs(one[at + channel] - two[at + channel]) > tolerance.channel;
        if (!differs(0) && !differs(1) && !differs(2)) continue;
        off += 1;
        map.context.fillRect((at / 4) % width, Math.floor(at / 4 / width), 1, 1);
      }
      if (off <= tolerance.pixels) return { alike: true, small };
      return { alike: false, why: `${off} pixels differ`, small, map: await encode(map.canvas, 0.85) };
    },
    { taken: taken.toString("base64"), kept: kept?.toString("base64"), tolerance: TOLERANCE },
  );
}
