// Chromium as a phone or a desktop, and helpers to use a signing page.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Milliseconds after which something hangs: a machine with much else to do is slow, and no fault. */
const LIMIT = 60_000;

export const SIZES = {
  phone: { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true },
  tablet: { viewport: { width: 820, height: 1180 }, hasTouch: true },
  desktop: { viewport: { width: 1440, height: 900 } },
};

/**
 * The headless shell is the engine without the browser's own interface, and uses half the CPU time. `whole` starts all of
 * Chromium, for what only that can do.
 */
export async function launch({ args = [], whole = false, ...options } = {}) {
  return await chromium.launch({
    ...options,
    executablePath: whole ? "/usr/bin/chromium" : (process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell"),
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      ...args,
    ],
  });
}

/** A page that fails the test where the browser finds fault with ours. */
export async function open(browser, size, options = {}) {
  const context = await browser.newContext({ ...SIZES[size], reducedMotion: "reduce", ...options });
  context.setDefaultTimeout(LIMIT);
  const page = await context.newPage();
  page.faults = [];
  page.on("pageerror", (error) => page.faults.push(String(error)));
  page.on("console", (message) => {
    // An HTTP error that a test provokes is not a fault of the page.
    if (message.type() === "error" && !message.text().includes("Failed to load resource")) page.faults.push(message.text());
  });
  return page;
}

/** Another size of the screen; waits until the page has taken it up. */
export async function resize(page, viewport) {
  await page.setViewportSize(viewport);
  await page.evaluate(() => new Promise((taken) => requestAnimationFrame(() => requestAnimationFrame(taken))));
}

/** Closes what a test has opened: pages that stand open go on working beside the next test. */
export async function closePages(browser) {
  await Promise.all(browser.contexts().map((context) => context.close()));
}

/** What axe finds that is serious or critical: in the dialog that is open, which hides the rest, or on the page. */
export async function seriousFaults(page) {
  // Loaded once per document, because axe is half a megabyte.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
  const violations = await page.evaluate(async () => {
    // A rule determines the severity of its findings, so we skip the rules whose findings we would drop below.
    const lesser = axe._audit.rules.filter(({ impact }) => impact === "minor" || impact === "moderate");
    const rules = Object.fromEntries(lesser.map(({ id }) => [id, { enabled: false }]));
    const results = await axe.run(document.querySelector("dialog[open]") ?? document, {
      resultTypes: ["violations"],
      selectors: false,
      rules,
    });
    return results.violations;
  });
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(" | ")}`);
}

/** Waits until the page's own script has put the fields in their places. */
export async function ready(page) {
  await page.waitForSelector("document-page[data-placed]");
}

export const field = (page, name) => page.locator(`.field.mine[data-name="${name}"]`);

/** Fills a text field as the screen allows: on the page itself, or in the sheet. */
export async function fill(page, name, value) {
  const onPage = field(page, name).locator("input, textarea, select").first();
  if (await onPage.isVisible()) {
    await write(onPage, value);
    return;
  }
  await field(page, name).locator("button.open").click();
  await write(page.locator("#sheet-entry"), value);
  await page.locator("#sheet .actions [data-close]").click();
}

async function write(control, value) {
  if ((await control.evaluate((element) => element.tagName)) === "SELECT") await control.selectOption(value);
  else await control.fill(value);
}

/** Draws with the pointer and takes the drawing. */
export async function sign(page, name) {
  await field(page, name).locator("button").click();
  await draw(page);
}

/** Agrees where that is asked, draws in the dialog that is open then, and takes the drawing: with the mouse or a finger. */
export async function draw(page, way = "pointer") {
  const consent = page.locator("#consent-dialog");
  const pad = page.locator("#pad");
  const press = (target) => (way === "touch" ? target.tap() : target.click());
  await page.locator("#consent-dialog[open], #pad[open]").first().waitFor();
  if (await consent.isVisible()) await press(consent.locator("[type=submit]"));
  await pad.waitFor({ state: "visible" });
  const tab = page.locator("#tab-draw");
  if ((await tab.getAttribute("aria-selected")) !== "true") await press(tab);
  const canvas = await page.locator("#pad-canvas").boundingBox();
  const points = Array.from({ length: 13 }, (_, step) => ({
    x: canvas.x + canvas.width * (0.15 + step * 0.056),
    y: canvas.y + canvas.height * (0.5 + Math.sin(step) * 0.2),
  }));
  if (way === "touch") {
    const devtools = await page.context().newCDPSession(page);
    const touch = (type, touchPoints) => devtools.send("Input.dispatchTouchEvent", { type, touchPoints });
    await touch("touchStart", [points[0]]);
    for (const point of points.slice(1)) await touch("touchMove", [point]);
    await touch("touchEnd", []);
    await devtools.detach();
  } else {
    await page.mouse.move(points[0].x, points[0].y);
    await page.mouse.down();
    for (const { x, y } of points.slice(1)) await page.mouse.move(x, y);
    await page.mouse.up();
  }
  await press(pad.locator("[type=submit]"));
  await pad.waitFor({ state: "hidden" });
}

/** Signs a member in, and opens the outbox. */
export async function signIn(page, server, language = "en") {
  await page.goto(`${server.base}/sign-in?lang=${language}&next=/outbox`);
  await page.fill("#company", server.member.company);
  await page.fill("#email", server.member.email);
  await page.fill("#password", server.member.password);
  await pressAndFollow(page, "[type=submit]");
  await page.waitForSelector(".message-list");
}

/** Opens the message in the member's outbox about the document of this name. */
export async function openMessage(page, name) {
  await pressAndFollow(page, `.message-list a:has-text("${name}")`);
}

/** Copies the signing link of the open message, which could not be sent. */
export async function copyLink(page) {
  await pressAndFollow(page, "article form [type=submit]");
  return (await page.locator(".copied").textContent()).trim();
}

/** Presses what leads to another page, and waits for that page: what stood here before is not read by mistake. */
export async function pressAndFollow(page, selector) {
  await Promise.all([page.waitForNavigation({ waitUntil: "domcontentloaded" }), page.click(selector)]);
}

/** Presses what closes its own window. The window may be gone before the browser can say that it was pressed. */
export async function pressAndSeeClosed(page, selector) {
  const pressed = page.click(selector).catch((fault) => {
    if (!/has been closed/.test(fault.message)) throw fault;
  });
  await Promise.all([page.waitForEvent("close"), pressed]);
}

/** Opens a signing page and waits until it can be filled in. */
export async function openSigning(browser, size, address, options) {
  const page = await open(browser, size, options);
  await page.goto(address);
  await ready(page);
  return page;
}

/** Fills what the first signer of the usual template must. */
export async function fillFirst(page) {
  await fill(page, "Name", "김민준");
  await fill(page, "First day", "2026-12-01");
  await field(page, "Agreed").locator("input").click();
  await sign(page, "Signature");
}

/** On a phone, shows what is said about the document and what else can be done. */
export async function unfold(page) {
  const more = page.locator("#intro-more");
  if ((await more.isVisible()) && (await more.getAttribute("aria-expanded")) === "false") await more.click();
}

/** Approves through the dialog and waits for the popup. */
export async function approve(page, comment = "") {
  await page.locator("#approve").click();
  if (comment) {
    await page.locator("#approve-dialog summary").click();
    await page.locator("#approve-comment").fill(comment);
  }
  await page.locator("#approve-dialog [type=submit]").click();
  await page.locator("#done-dialog[open]").waitFor();
}
