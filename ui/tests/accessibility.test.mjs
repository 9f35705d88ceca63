// Runs axe on every page and in every dialog, on phone, tablet and desktop, light and dark, in three languages, and
// expects no serious findings. Also checks what a screen reader announces in each of these states.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import {
  approve,
  copyLink,
  field,
  fill,
  open,
  openMessage,
  pressAndFollow,
  ready,
  resize,
  seriousFaults,
  sign,
  signIn,
  SIZES,
  unfold,
} from "./browser.mjs";
import { FIELDS, pdf } from "./installation.mjs";
import { browser, server, withServer } from "./with-server.mjs";
import { contrasts, writeSamples } from "../samples.mjs";

let handOver;

withServer({
  keepPages: true,
  prepare: () => {
    handOver = server.import({ ...FIELDS, name: "Handed over", hand_over: true }, pdf());
  },
});

/** What a screen reader is told in each state: language → state → lines. */
const told = { ko: new Map(), en: new Map(), ja: new Map() };
const BASE = SIZES.phone.viewport;

/** The tree of what is open, without what differs at each run. */
async function tree(page) {
  // Waits for the page's own text, which is part of the result.
  await page.waitForFunction(() =>
    [...document.querySelectorAll("page-text")].every(({ dataset }) => dataset.shown !== undefined),
  );
  const root = page.locator((await page.locator("dialog[open]").count()) > 0 ? "dialog[open]" : "body");
  return (await root.ariaSnapshot())
    .split("\n")
    .filter((line) => !/^ *- \/url:/.test(line))
    .map((line) =>
      line
        .replace(/[\u2066-\u2069]/g, "")
        .replace(/[0-9a-f]{16,}/gi, "…")
        .replace(/token=[\w.~-]+/g, "token=…")
        .replace(/127\.0\.0\.1:\d+/g, "sign.example")
        .replace(
          /\d{1,2} (January|February|March|April|May|June|July|August|September|October|November|December) \d{4}/g,
          "1 December 2026",
        )
        .replace(/\d{1,2}:\d{2}(:\d{2})?/g, "09:00")
        // Leaves out the message about a file that was sent immediately.
        .replace(/^(\s*- status): .+ (has been sent\.|보냈습니다\.|送信しました。)$/, "$1"),
    );
}

const roles = (lines) => lines.map((line) => line.replace(/^( *- '?[a-z]+).*/s, "$1").replace(/'/g, ""));

for (const language of ["ko", "ja", "en"]) {
  test(`nothing serious on any page and in any dialog, at every size, light and dark: ${language}`, async () => {
    const page = await open(browser, "phone");
    const found = [];
    // Each language has signers of its own, because a signer with another document waiting is offered it.
    const people = (more = {}) => [
      { order: 1, name: "김민준", email: `minjun.${language}@example.com`, ...more },
      { order: 2, name: "박서연", email: `seoyeon.${language}@example.com` },
    ];
    const start = (changes) => server.startWorkflow({ language, recipient_list: people(), ...changes });
    let turn = 0;
    const judge = async (name) => {
      assert.equal(await page.locator("html").getAttribute("lang"), language, name);
      for (const [size, { viewport }] of Object.entries(SIZES)) {
        if (size !== "phone") await resize(page, viewport);
        // Each state in both colour schemes, at one size or another.
        turn += 1;
        await page.emulateMedia({ colorScheme: turn % 2 ? "light" : "dark" });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (wide > 0) found.push(`${name}, ${size}: scrolls sideways by ${wide} px`);
        found.push(...(await seriousFaults(page)).map((fault) => `${name}, ${size}: ${fault}`));
        if (size === "tablet") told[language].set(name, await tree(page));
      }
      await resize(page, BASE);
    };

    const started = await start();
    await page.goto(started.sign_url);
    await ready(page);
    await judge("sign");
    await field(page, "Name").locator("button.open").click();
    await judge("sheet");
    await page.locator("#sheet .actions [data-close]").click();
    await page.click("#guide-toggle");
    await judge("step by step");
    await page.click("#guide-off");
    await fill(page, "Name", "김민준");
    await fill(page, "First day", "2026-12-01");
    await field(page, "Agreed").locator("input").click();
    await field(page, "Kind").first().locator("input").click();
    await field(page, "Signature").locator("button").click();
    await page.locator("#consent-dialog[open]").waitFor();
    await judge("consent");
    await page.locator("#consent-dialog [type=submit]").click();
    for (const way of ["draw", "type", "seal", "picture"]) {
      await page.click(`#tab-${way}`);
      if (way === "type") await page.locator("#pad-hands img").first().waitFor();
      if (way === "seal") await page.locator("#pad-seals img").first().waitFor();
      await judge(way);
    }
    await page.locator("#pad [data-close]").click();
    await sign(page, "Signature");
    await page.waitForFunction(() => localStorage.length === 0);
    await page.waitForSelector('#save-state[data-state="saved"]', { state: "attached" });
    await judge("filled");
    await page.click("#reject");
    await judge("reject");
    await page.locator("#reject-dialog [data-close]").click();
    await page.click("#approve");
    await judge("approve");
    await page.locator("#approve-dialog [data-close]").click();
    await approve(page);
    await judge("done");
    await page.goto(started.sign_url);
    await judge("already signed");

    await page.goto((await server.workflow(started.workflow_id)).playing_url);
    await ready(page);
    await judge("second writer");
    await fill(page, "Employer", "박서연");
    await sign(page, "Employer signature");
    await approve(page);
    await judge("complete");
    const complete = await server.workflow(started.workflow_id);
    await page.goto(complete.download_url);
    await judge("viewer");
    await page.goto(complete.certificate_url);
    found.push(...(await seriousFaults(page)).map((fault) => `certificate: ${fault}`));

    await page.goto((await start({ recipient_list: people({ password: "850101", password_hint: "8…" }) })).sign_url);
    await judge("access code");
    const coded = { language, recipient_list: people({ one_time_code: true }) };
    await page.goto((await (await server.withMail()).startWorkflow(coded)).sign_url);
    await judge("one-time code");
    await start({ template_id: handOver, export_api_info: undefined, workflow_name: `넘길 문서 ${language}` });
    const second = await start({ export_api_info: undefined });
    await page.goto(`${server.base}/mail/sign?token=${second.token}&lang=${language}`);
    await ready(page);
    await judge("sender’s view");
    await page.goto(`${server.base}/verify?lang=${language}`);
    await judge("verify");
    const link = await server.publicLink({ language });
    await page.goto(link.link_url);
    await judge("public link");
    await page.fill("#name", "김민준");
    await page.fill("#contact", "minjun@");
    await page.check("#agree");
    await page.click("[type=submit]");
    await page.waitForSelector("[aria-invalid=true]");
    await judge("public link, wrong address");
    await server.call("POST", `/api/v3/link/${link.link_id}/close`);
    await page.goto(link.link_url);
    await judge("closed public link");
    await page.goto(`${server.base}/sign-in?lang=${language}`);
    await judge("sign-in");
    await signIn(page, server, language);
    // The number of messages depends on the earlier tests.
    found.push(...(await seriousFaults(page)).map((fault) => `outbox: ${fault}`));
    await page.goto(`${server.base}/documents?lang=${language}`);
    found.push(...(await seriousFaults(page)).map((fault) => `documents: ${fault}`));
    await pressAndFollow(page, `.documents a:has-text("넘길 문서 ${language}")`);
    for (const fold of await page.locator("details").all()) await fold.locator("summary").click();
    found.push(...(await seriousFaults(page)).map((fault) => `document: ${fault}`));
    await page.goto(`${server.base}/outbox?lang=${language}`);
    await openMessage(page, `넘길 문서 ${language}`);
    await judge("message");
    const handed = await copyLink(page);
    await judge("copied link");
    await page.goto(handed);
    await ready(page);
    await unfold(page);
    await page.click("#hand-over");
    await judge("hand over");
    assert.deepEqual(found, []);
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });
}

test("a screen reader announces each step of the whole flow: roles, names and their order, alike in three languages", () => {
  const text = [...told.en].map(([state, lines]) => `## ${state}\n${lines.join("\n")}\n`).join("\n");
  const kept = new URL("./snapshots/tree.txt", import.meta.url);
  if (process.env.UPDATE_SNAPSHOTS === "1") writeFileSync(kept, text);
  assert.equal(text, readFileSync(kept, "utf8"), "if it is meant: cd ui && npm run snapshots");
  for (const language of ["ko", "ja"]) {
    assert.deepEqual([...told[language].keys()], [...told.en.keys()]);
    for (const [state, lines] of told[language])
      assert.deepEqual(roles(lines), roles(told.en.get(state)), `${state}: ${language}`);
  }
  // Every interactive element has a name.
  for (const [language, states] of Object.entries(told)) {
    for (const [state, lines] of states) {
      const nameless = lines.filter((line) =>
        /^ *- (button|link|textbox|checkbox|radio|combobox|tab|slider|dialog|img)\b(?! ")/.test(line),
      );
      assert.deepEqual(nameless, [], `${state}: ${language}`);
    }
  }
});

test("nothing serious on the samples of the design system, light and dark", async () => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-samples-"));
  const found = [];
  for (const address of writeSamples(folder)) {
    for (const size of ["phone", "desktop"]) {
      const page = await open(browser, size);
      await page.goto(address);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (wide > 0) found.push(`${address}, ${size}: scrolls sideways by ${wide} px`);
      found.push(...(await seriousFaults(page)).map((fault) => `${address}, ${size}: ${fault}`), ...page.faults);
      await page.context().close();
    }
  }
  rmSync(folder, { recursive: true, force: true });
  assert.deepEqual(found, []);
});

test("every colour stands out from its ground as far as its use needs", () => {
  const pairs = ["light", "dark"].flatMap((scheme) => contrasts(scheme).map((pair) => ({ scheme, ...pair })));
  assert.ok(pairs.length > 40);
  assert.deepEqual(
    pairs.filter(({ ratio, needed }) => ratio < needed),
    [],
  );
});
