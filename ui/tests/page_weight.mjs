// Measures the size of the signing page and the time until it can be filled in, for script/page-weight. Uses a real
// server, a fresh browser profile for every load, and the network and processor of a cheap phone through the browser's
// own throttling. The exit code is 1 if a figure exceeds its limit.

import { launch, SIZES } from "./browser.mjs";
import { FIELDS, Installation, pdf } from "./installation.mjs";
import { drawnLogo } from "./states.mjs";

const LIMITS = { requests: 12, bytes: 250_000, script: 60_000, plain: 400, slowed: 1_500 };
/** Of the long document: pictures that are held, before and after it is scrolled through, and the longest task of that. */
const LONG_LIMITS = { pictures: 12, task: 200 };
const LOADS = 5;
const LONG_PAGES = 71;
/** 10 Mbit/s, 40 ms, a processor four times slower. */
const SLOW = { latency: 40, downloadThroughput: (10 * 1_000_000) / 8, uploadThroughput: (10 * 1_000_000) / 8, rate: 4 };

const server = await Installation.start();
// Measures the full browser that people use.
const browser = await launch({ whole: true });
const over = [];

const kib = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

function line(name, value, limit, show = String) {
  const judged = limit === undefined ? "" : value <= limit ? `  (at most ${show(limit)})` : `  OVER ${show(limit)}`;
  console.log(`  ${name.padEnd(44)} ${show(value).padStart(10)}${judged}`);
  if (limit !== undefined && value > limit) over.push(name);
}

/** Loads the page once, with nothing in the cache: requests, bytes as they came over the wire, and the time until the
 * fields are in their places and can be written. */
async function load(address, slowed) {
  const context = await browser.newContext(SIZES.phone);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send("Network.enable");
  const requests = new Map();
  devtools.on("Network.requestWillBeSent", ({ requestId, type, request }) => {
    if (!request.url.startsWith("data:")) requests.set(requestId, { type, url: request.url, bytes: 0 });
  });
  devtools.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const request = requests.get(requestId);
    if (request) request.bytes = encodedDataLength;
  });
  if (slowed) {
    await devtools.send("Network.emulateNetworkConditions", { offline: false, ...SLOW });
    await devtools.send("Emulation.setCPUThrottlingRate", { rate: SLOW.rate });
  }
  await page.addInitScript(() => {
    // The first painted frame in which the fields are positioned and the page's image is shown.
    const look = () => {
      const picture = document.querySelector("img.paper");
      if (document.querySelector("document-page[data-placed]") && picture?.complete && picture.naturalWidth > 0) {
        requestAnimationFrame(() => {
          window.fillableAt = performance.now();
        });
      } else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await page.goto(address, { waitUntil: "commit" });
  await page.waitForFunction(() => window.fillableAt !== undefined);
  const fillable = await page.evaluate(() => window.fillableAt);
  const until = [...requests.values()];
  await page.waitForLoadState("networkidle");
  await context.close();
  return { fillable, requests: until };
}

async function weigh(name, address) {
  console.log(`\n${name}`);
  const plain = [];
  const slowed = [];
  for (let count = 0; count < LOADS; count += 1) plain.push(await load(address, false));
  for (let count = 0; count < LOADS; count += 1) slowed.push(await load(address, true));
  const all = slowed.at(-1).requests;
  const bytes = (of) => of.reduce((sum, request) => sum + request.bytes, 0);
  const kinds = Map.groupBy ? Map.groupBy(all, ({ type }) => type) : grouped(all);
  line("requests", all.length, LIMITS.requests);
  line("bytes, as they came", bytes(all), LIMITS.bytes, kib);
  for (const [kind, of] of kinds) line(`  ${kind}: ${of.length}`, bytes(of), kind === "Script" ? LIMITS.script : undefined, kib);
  const ms = (value) => `${Math.round(value)} ms`;
  line(`fillable, median of ${LOADS}`, median(plain.map(({ fillable }) => fillable)), LIMITS.plain, ms);
  line(`fillable at 4x CPU, 10 Mbit/s, 40 ms`, median(slowed.map(({ fillable }) => fillable)), LIMITS.slowed, ms);
}

function grouped(requests) {
  const kinds = new Map();
  for (const request of requests) kinds.set(request.type, [...(kinds.get(request.type) ?? []), request]);
  return kinds;
}

/** Opens a document of many pages on a phone, scrolls it through, and says what that cost. */
async function scroll(name, address, size) {
  console.log(`\n${name}`);
  const context = await browser.newContext(SIZES[size]);
  const page = await context.newPage();
  await page.goto(address);
  await page.waitForSelector("document-page[data-placed]");
  await page.waitForLoadState("networkidle");
  const loaded = () =>
    page.evaluate(
      () => [...document.querySelectorAll("img.paper")].filter((image) => image.complete && image.naturalWidth > 0).length,
    );
  line("pictures held at the start", await loaded(), LONG_LIMITS.pictures);
  line("elements of the page", await page.evaluate(() => document.querySelectorAll("*").length));
  const devtools = await context.newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: SLOW.rate });
  const result = await page.evaluate(async () => {
    const tasks = [];
    const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)));
    observer.observe({ type: "longtask" });
    const frame = () => new Promise(requestAnimationFrame);
    const gaps = [];
    let last = await frame();
    // Scrolls like a quick thumb: a screen in six frames, for ten screens, then to another part of the document.
    const end = document.documentElement.scrollHeight - innerHeight;
    for (let part = 0; part < 4; part += 1) {
      scrollTo({ top: (end * part) / 4, behavior: "instant" });
      for (let step = 0; step < 60; step += 1) {
        scrollBy({ top: innerHeight / 6, behavior: "instant" });
        const now = await frame();
        gaps.push(now - last);
        last = now;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
    observer.disconnect();
    return { longest: Math.max(0, ...tasks), frames: gaps.length, late: gaps.filter((gap) => gap > 34).length };
  });
  line("longest task while scrolling, 4x CPU", result.longest, LONG_LIMITS.task, (value) => `${Math.round(value)} ms`);
  line(`frames dropped of ${result.frames}, 4x CPU`, result.late);
  line("pictures held at the end", await loaded(), LONG_LIMITS.pictures);
  await context.close();
}

try {
  const box = { page: 1, x: 250_000, y: 140_000, width: 380_000, height: 24_000 };
  const one = { ...FIELDS, name: "One page" };
  const short = await server.startWorkflow({ template_id: server.import(one, pdf(1)), language: "ko" });
  await weigh("A document of one page, ten fields, on a phone", short.sign_url);
  const drawing = await (await browser.newContext()).newPage();
  server.dress({ accent: "#b3124f", logo: await drawnLogo(drawing, 460, 120, "한빛상사") });
  await weigh("The same of a company with a colour and a logo of its own", short.sign_url);
  server.dress();
  const fields = Array.from({ length: LONG_PAGES }, (_, index) => ({
    ...box,
    name: `Field ${index + 1}`,
    kind: "text",
    step: 1,
    required: true,
    page: index + 1,
  }));
  const many = { name: "Many pages", steps: [{ order: 1 }], fields };
  const recipients = [{ order: 1, name: "김민준", email: "minjun@example.com" }];
  const long = await server.startWorkflow({ template_id: server.import(many, pdf(LONG_PAGES)), recipient_list: recipients });
  for (const size of ["phone", "desktop"]) {
    await scroll(`A document of ${LONG_PAGES} pages with a field on each, on a ${size}`, long.sign_url, size);
  }
} finally {
  await browser.close();
  await server.stop();
}
if (over.length > 0) {
  console.log(`\nover the limit: ${over.join(", ")}`);
  process.exitCode = 1;
}
