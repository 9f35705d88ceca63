// Takes screenshots of every page, phone and desktop, in three languages, light and dark:
//   COUNTERSIGN_BINARY=… node tests/screenshots.mjs FOLDER [ko,en,ja] [phone,desktop] [light,dark]

import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { launch, open } from "./browser.mjs";
import { Installation } from "./installation.mjs";
import { shown, walk } from "./states.mjs";
import { writeSamples } from "../samples.mjs";

const [folder, languages = "ko,en,ja", sizes = "phone,desktop", schemes = "light,dark"] = process.argv.slice(2);
if (!folder) throw new Error("name a folder for the pictures");
mkdirSync(folder, { recursive: true });

const server = await Installation.start();
const browser = await launch();

for (const language of languages.split(",")) {
  for (const size of sizes.split(",")) {
    await photograph(language, size);
  }
}
await photographSamples();
await browser.close();
await server.stop();

/** The page of samples: its own colour scheme is in its address. */
async function photographSamples() {
  for (const address of writeSamples(folder)) {
    for (const size of sizes.split(",")) {
      const page = await open(browser, size);
      await page.goto(address);
      await page.screenshot({ path: join(folder, `50-samples-${size}-${basename(address, ".html")}.png`), fullPage: true });
      await page.context().close();
    }
  }
}

async function photograph(language, size) {
  const page = await open(browser, size, { locale: language });
  const sealed = await walk(server, page, { language, size }, async (name, whole = false) => {
    await shown(page, whole);
    for (const colorScheme of schemes.split(",")) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(folder, `${name}-${language}-${size}-${colorScheme}.png`), fullPage: whole });
    }
  });
  writeFileSync(join(folder, "sealed.pdf"), sealed);
  if (page.faults.length > 0) console.error(language, size, page.faults);
  await page.context().close();
}
