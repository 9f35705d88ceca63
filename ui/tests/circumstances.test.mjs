// Real devices and networks: full storage, a slow connection, reduced motion, a page from the back/forward cache,
// doubled text size.

import assert from "node:assert/strict";
import { test } from "node:test";
import { approve, draw, field, fill, launch, open, ready, seriousFaults, sign, unfold } from "./browser.mjs";
import { browser, server, withServer } from "./with-server.mjs";

withServer();

async function opened(address, options = {}, size = "phone", by = browser) {
  const page = await open(by, size, options);
  await page.goto(address);
  await ready(page);
  return page;
}

const saved = (page) => page.waitForSelector('#save-state[data-state="saved"]', { state: "attached" });

async function fillAndApprove(page) {
  await fill(page, "Name", "김민준");
  await fill(page, "First day", "2026-12-01");
  await field(page, "Agreed").locator("input").click();
  await sign(page, "Signature");
  await approve(page);
}

/** Nothing more fits into local storage. */
async function fillStorage(page) {
  await page.evaluate(() => {
    for (let piece = "x".repeat(1 << 20); piece; piece = piece.slice(1 + piece.length / 2)) {
      try {
        for (let number = 0; ; number += 1) localStorage.setItem(`full-${piece.length}-${number}`, piece);
      } catch {
        // A smaller piece may fit.
      }
    }
  });
}

test("where the device has no room the page says what it cannot keep, and goes on", async () => {
  const { sign_url: address } = await server.startWorkflow();
  const page = await opened(address);
  await fillStorage(page);
  await page.context().setOffline(true);
  // Nothing is lost yet.
  await page.waitForSelector('#trouble:has-text("are kept on this device")');
  await fill(page, "Name", "김민준");
  await page.waitForSelector(
    '#trouble:has-text("This device cannot keep all your entries. Leave this page open until they are saved.")',
  );
  assert.deepEqual(await seriousFaults(page), []);
  await page.context().setOffline(false);
  await saved(page);
  assert.equal(await page.locator("#trouble").textContent(), "");
  // The signature is used, but not offered for the next time.
  await field(page, "Signature").locator("button").tap();
  await page.locator("#consent-dialog [type=submit]").tap();
  await page.locator("#pad[open]").waitFor();
  await page.locator("#pad-keep").check();
  await draw(page, "touch");
  await page.waitForSelector('#trouble:has-text("could not be saved on this device for next time")');
  await page.waitForFunction(() => document.querySelector("#save-state").dataset.state === "saved");
  const again = await opened(address);
  assert.equal(await field(again, "Name").locator("input").inputValue(), "김민준");
  await again.waitForFunction(() => document.querySelector('.field.mine[data-name="Signature"] img')?.naturalWidth > 0);
  assert.deepEqual(page.faults, []);
});

test("where the device keeps nothing at all the document is filled in and approved all the same", async () => {
  const started = await server.startWorkflow();
  const page = await open(browser, "phone");
  await page.addInitScript(() => {
    Object.defineProperty(window, "localStorage", {
      get() {
        throw new DOMException("denied", "SecurityError");
      },
    });
  });
  await page.goto(started.sign_url);
  await ready(page);
  await fillAndApprove(page);
  assert.equal((await server.workflow(started.workflow_id)).order, 2);
  assert.deepEqual(page.faults, []);
});

const nothing = async () => {};
/** What brings up a message, before a press begins or while it lasts. */
const MESSAGES = [
  {
    message: "#transfer",
    before: async (page) => {
      // Keeps the upload of the signature waiting.
      await page.route("**/sign/files", () => {});
      await sign(page, "Signature");
    },
    during: nothing,
  },
  {
    message: '#trouble:has-text("No connection")',
    before: nothing,
    during: (page) => page.context().setOffline(true),
  },
];

for (const { message, before, during } of MESSAGES) {
  test(`a message that comes up by itself moves no field and takes no press: ${message}`, async () => {
    const { sign_url: address } = await server.startWorkflow();
    const page = await opened(address);
    await before(page);
    const salary = field(page, "Salary");
    // Right below the tools, where the message appears.
    await salary.evaluate((box) => {
      scrollBy(0, box.getBoundingClientRect().top - document.querySelector(".tools").getBoundingClientRect().bottom - 2);
    });
    const place = await salary.boundingBox();
    await page.mouse.move(place.x + place.width / 2, place.y + place.height / 2);
    await page.mouse.down();
    await during(page);
    await page.locator(message).waitFor();
    assert.deepEqual(await salary.boundingBox(), place);
    await page.mouse.up();
    await page.locator("#sheet[open]").waitFor();
    assert.match(await page.locator("#sheet-label").textContent(), /^Salary/);
    assert.deepEqual(page.faults, []);
  });
}

test("on slow 3G a document is filled in, signed and approved", async () => {
  const started = await server.startWorkflow();
  const page = await open(browser, "phone");
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.enable");
  // The browser's own preset: 400 kbit/s, 400 ms.
  const conditions = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
  await devtools.send("Network.emulateNetworkConditions", conditions);
  await page.goto(started.sign_url, { waitUntil: "commit" });
  await ready(page);
  await fillAndApprove(page);
  const { order, field_list: values } = await server.workflow(started.workflow_id);
  assert.deepEqual([order, values.find(({ name }) => name === "Name").value], [2, "김민준"]);
  assert.deepEqual(page.faults, []);
});

test("what moves moves for those who like it, and for nobody else", async () => {
  const { sign_url: address } = await server.startWorkflow();
  /** Whether opening a dialog and being led to a field move anything. */
  const moves = async (reducedMotion) => {
    const page = await opened(address, { reducedMotion }, "desktop");
    const animated = await page.evaluate(async () => {
      document.querySelector("#reject").click();
      const dialog = document.querySelector("#reject-dialog");
      const running =
        dialog.getAnimations({ subtree: true }).length +
        document.querySelector("#progress").getAnimations({ subtree: true }).length;
      dialog.close();
      return running > 0;
    });
    const scrolls = await page.evaluate(() => {
      scrollTo({ top: 0, behavior: "instant" });
      document.querySelector('.field[data-name="Signature"]').scrollIntoView({ block: "center" });
      return scrollY === 0;
    });
    assert.deepEqual(page.faults, []);
    return { animated, scrolls };
  };
  assert.deepEqual(await moves("no-preference"), { animated: true, scrolls: true });
  assert.deepEqual(await moves("reduce"), { animated: false, scrolls: false });
});

for (const [browsers, keeps] of [
  ["that keeps what is not to be stored", true],
  ["that keeps to the headers", false],
]) {
  test(`a signer who comes back to the page in a browser ${browsers} sees the draft and the document as they are now`, async () => {
    // Playwright disables the back/forward cache, and the headless shell has none.
    const keeping = await launch({ whole: true, ignoreDefaultArgs: ["--disable-back-forward-cache"] });
    try {
      const { sign_url: address, workflow_id } = await server.startWorkflow();
      const page = await open(keeping, "desktop");
      await page.addInitScript(() => {
        addEventListener("pageshow", ({ persisted }) =>
          sessionStorage.setItem("persisted", String(persisted || sessionStorage.getItem("persisted") === "true")),
        );
      });
      const isPage = (url) => url.pathname === "/mail/sign";
      if (keeps) {
        await page.route(isPage, async (route) => {
          const response = await route.fetch();
          await route.fulfill({ response, headers: { ...response.headers(), "cache-control": "private" } });
        });
      }
      const cameBack = () => page.evaluate(() => sessionStorage.getItem("persisted"));
      await page.goto(address);
      await ready(page);
      await fill(page, "Name", "김민준");
      await saved(page);
      await page.goto(`${server.base}/verify?lang=en`);
      // Another device makes changes meanwhile.
      const other = await opened(address);
      await fill(other, "Name", "이민준");
      await saved(other);
      await page.goBack();
      await page.waitForFunction(() => document.querySelector('.field[data-name="Name"] input')?.value === "이민준");
      await ready(page);
      assert.equal(await cameBack(), String(keeps));
      // A value entered now does not overwrite one that the signer has not seen.
      await fill(page, "Salary", "100");
      await saved(page);
      assert.equal(await page.locator("#settle-dialog").isVisible(), false);
      // A document that has ended meanwhile is not offered again.
      await page.goto(`${server.base}/verify?lang=en`);
      await server.call("POST", `/api/v3/workflows/${workflow_id}/cancel`, { comment: "-" });
      await page.goBack();
      await page.waitForSelector(".says h1");
      assert.equal(await page.locator("h1").textContent(), "This document was cancelled");
      assert.deepEqual(page.faults, []);
    } finally {
      await keeping.close();
    }
  });
}

test("with letters of twice the size, and on a phone on its side, what stands still leaves room, on every page", async () => {
  const started = await server.startWorkflow();
  const writer = { order: 1, name: "김민준", email: "minjun@example.com", password: "850101", password_hint: "생일 6자리" };
  const guarded = await server.startWorkflow({
    recipient_list: [writer, { order: 2, name: "박서연", email: "seoyeon@example.com" }],
  });
  const link = await server.publicLink();
  const pages = [
    started.sign_url,
    guarded.sign_url,
    link.link_url,
    `${server.base}/mail/sign?token=wrong&lang=en`,
    `${server.base}/verify?lang=en`,
    `${server.base}/sign-in?lang=en`,
  ];
  const large = await launch({ args: ["--blink-settings=defaultFontSize=32"] });
  const found = [];
  /** How many pixels of the screen are covered by what stands still, half-way down a page. */
  const covered = () => {
    scrollTo({ top: document.body.scrollHeight / 2, behavior: "instant" });
    const still = [...document.querySelectorAll("body *")].filter((element) =>
      ["sticky", "fixed"].includes(getComputedStyle(element).position),
    );
    const seen = still
      .map((element) => element.getBoundingClientRect())
      .filter(({ top, bottom, height }) => height > 0 && bottom > 0 && top < innerHeight);
    // An element at the edge of the screen covers everything up to it.
    const above = Math.max(0, ...seen.filter(({ top }) => top <= 0).map(({ bottom }) => bottom));
    const below = Math.max(0, ...seen.filter(({ bottom }) => bottom >= innerHeight - 1).map(({ top }) => innerHeight - top));
    return above + below;
  };
  try {
    for (const [name, by, viewport] of [
      ["large letters", large, { width: 360, height: 740 }],
      ["on its side", browser, { width: 740, height: 360 }],
    ]) {
      const page = await open(by, "phone", { viewport });
      for (const address of pages) {
        await page.goto(address);
        if (address === started.sign_url) await ready(page);
        const { pathname } = new URL(address);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (wide > 0) found.push(`${pathname}, ${name}: scrolls sideways by ${wide} px`);
        const share = (await page.evaluate(covered)) / viewport.height;
        if (share > 0.35) found.push(`${pathname}, ${name}: ${Math.round(share * 100)} % of the screen stand still`);
        const low = await page.evaluate(() =>
          [...document.querySelectorAll(".button, .languages a")]
            .map((control) => [control.textContent.trim(), control.getBoundingClientRect()])
            .filter(([, { width, height }]) => width > 0 && (width < 44 || height < 44))
            .map(([text]) => text),
        );
        if (low.length > 0) found.push(`${pathname}, ${name}: too small for a finger: ${low}`);
      }
      assert.deepEqual(page.faults, []);
    }
  } finally {
    await large.close();
  }
  assert.deepEqual(found, []);
});

/** What breaks its words or touches its frame, in the dialog that is open or on the page. */
const cramped = (page) =>
  page.evaluate(() => {
    const root = document.querySelector("dialog[open]") ?? document.querySelector("main");
    const linesOf = (element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return [...range.getClientRects()].filter(({ width, height }) => width > 0 && height > 4);
    };
    const found = [];
    for (const button of root.querySelectorAll("dialog .button, .bar .button, .guide .button")) {
      if (button.checkVisibility() && button.getBoundingClientRect().height > 56)
        found.push(`breaks its words: ${button.textContent.trim()}`);
    }
    for (const frame of root.querySelectorAll(".choice, .notice, .button, .pick, dialog[open] > *")) {
      if (!frame.checkVisibility()) continue;
      const box = frame.getBoundingClientRect();
      const words = [...frame.querySelectorAll("*"), frame].filter(({ childNodes }) =>
        [...childNodes].some((node) => node.nodeType === 3 && node.data.trim()),
      );
      for (const word of words.filter((word) => word.checkVisibility() && !word.closest(".unseen, option"))) {
        for (const line of linesOf(word)) {
          // Letters have some space within their line.
          const near = Math.min(
            line.left - box.left,
            box.right - line.right,
            line.top - box.top + 4,
            box.bottom - line.bottom + 4,
          );
          if (near < 8 && !frame.matches("dialog > *"))
            found.push(`touches its frame: ${word.textContent.trim().slice(0, 40)} (${Math.round(near)})`);
        }
      }
    }
    if (document.documentElement.scrollWidth > innerWidth) found.push("scrolls sideways");
    return [...new Set(found)];
  });

test("on a phone of 390 pixels no button of a dialog breaks its words, and no text touches its frame", async () => {
  const found = [];
  for (const language of ["ko", "ja", "en"]) {
    const started = await server.startWorkflow({ language });
    const page = await open(browser, "phone", { viewport: { width: 390, height: 844 } });
    const look = async (where) => found.push(...(await cramped(page)).map((fault) => `${language}, ${where}: ${fault}`));
    await page.goto((await server.publicLink({ language })).link_url);
    await look("public link");
    await page.goto(started.sign_url);
    await ready(page);
    await look("page");
    await unfold(page);
    await look("details");
    const words = await page.evaluate(() =>
      [".intro h1", "#original"].map((selector) => document.querySelector(selector).getBoundingClientRect().left),
    );
    const inset = await page.locator("#original").evaluate((button) => parseFloat(getComputedStyle(button).paddingLeft) + 1);
    assert.ok(Math.abs(words[1] + inset - words[0]) <= 1, "the words of the introduction stand below each other");
    await field(page, "Signature").locator("button").click();
    await page.locator("#consent-dialog[open]").waitFor();
    await look("consent");
    await page.locator("#consent-dialog [type=submit]").click();
    await page.locator("#pad[open]").waitFor();
    await page.click("#tab-type");
    await page.locator("#pad-hands img").first().waitFor();
    await page.locator("#pad [type=submit]").click();
    await page.locator("#pad").waitFor({ state: "hidden" });
    await field(page, "Signature").locator("button").click();
    await page.locator("#pad-remove").waitFor();
    await look("signature");
    await page.locator("#pad [data-close]").click();
    await fill(page, "Name", "김민준");
    await fill(page, "First day", "2026-12-01");
    await field(page, "Agreed").locator("input").click();
    await page.click("#reject");
    await look("reject");
    await page.locator("#reject-dialog [data-close]").click();
    await page.click("#approve");
    await look("approve");
    await page.locator("#approve-dialog [type=submit]").click();
    await page.locator("#done-dialog[open]").waitFor();
    await look("done");
    await page.context().close();
  }
  assert.deepEqual(found, []);
});
