// What axe finds on every page and in every dialog, on phone and desktop, light and dark, in three
// languages: nothing serious.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { approve, field, fill, launch, open, ready, seriousFaults, sign } from "./browser.mjs";
import { Installation } from "./installation.mjs";
import { contrasts, writeSamples } from "../samples.mjs";

let server;
let browser;

before(async () => {
  server = await Installation.start();
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

for (const [language, size, colorScheme] of [
  ["ko", "phone", "light"],
  ["ja", "phone", "dark"],
  ["en", "desktop", "dark"],
  ["ko", "tablet", "light"],
]) {
  test(`nothing serious on any page: ${language}, ${size}, ${colorScheme}`, async () => {
    const page = await open(browser, size, { colorScheme });
    const found = [];
    const judge = async (name) => {
      assert.equal(await page.locator("html").getAttribute("lang"), language, name);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (wide > 0) found.push(`${name}: scrolls sideways by ${wide} px`);
      found.push(...(await seriousFaults(page)).map((fault) => `${name}: ${fault}`));
    };

    const started = await server.startWorkflow({ language });
    await page.goto(started.sign_url);
    await ready(page);
    await judge("sign");
    if (size === "phone") {
      await field(page, "Name").locator("button.open").click();
      await judge("sheet");
      await page.locator("#sheet button.button:not(.primary)").click();
    }
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
      await judge(way);
    }
    await page.locator("#pad [data-close]").click();
    await sign(page, "Signature");
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

    const second = await server.startWorkflow({ language, export_api_info: undefined });
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
    await page.fill("#company", server.member.company);
    await page.fill("#email", server.member.email);
    await page.fill("#password", server.member.password);
    await page.click("[type=submit]");
    await page.waitForSelector(".message-list");
    await judge("outbox");
    await page.locator(".message-list a").first().click();
    await page.waitForSelector("article");
    await judge("message");
    assert.deepEqual(found, []);
    assert.deepEqual(page.faults, []);
  });
}

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
