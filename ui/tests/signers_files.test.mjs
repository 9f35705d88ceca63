// The finished files of a signer who had to enter a code: they open on this device, and another device asks for the
// code.

import assert from "node:assert/strict";
import { test } from "node:test";
import { open, seriousFaults } from "./browser.mjs";
import { valuesOfStep } from "./installation.mjs";
import { browser, server, withServer } from "./with-server.mjs";

const CODE = "850101";

withServer();

/** A complete document whose first signer had to enter a code. */
async function completed() {
  const started = await server.startWorkflow({
    recipient_list: [
      { order: 1, name: "김민준", email: "minjun@example.com", password: CODE, password_hint: "your birthday" },
      { order: 2, name: "박서연", email: "seoyeon@example.com" },
    ],
  });
  for (const order of [1, 2]) {
    await server.call("POST", `/api/v3/workflows/${started.workflow_id}/approve`, { order, field_list: valuesOfStep(order) });
  }
  return started;
}

async function enter(page, code) {
  await page.fill("#code", code);
  await page.keyboard.press("Enter");
}

test("the files open with the session's proof, and on another device with the code", async () => {
  const started = await completed();
  const own = await open(browser, "desktop");
  await own.goto(started.sign_url);
  await enter(own, CODE);
  const way = own.getByRole("link", { name: "Open the finished document" });
  await way.waitFor();
  const address = await way.evaluate((link) => link.href);
  await way.click();
  await own.locator(".sheet-page img").first().waitFor();
  assert.match(own.url(), /\/mail\/view\?/);
  assert.deepEqual(own.faults, []);

  for (const [size, colorScheme] of [
    ["phone", "light"],
    ["desktop", "dark"],
  ]) {
    const page = await open(browser, size, { colorScheme });
    await page.goto(address);
    await page.locator("#code").waitFor();
    assert.match(await page.locator("main").textContent(), /your birthday/);
    assert.equal(await page.locator(".sheet-page").count(), 0);
    assert.deepEqual(await seriousFaults(page), []);
    await enter(page, "000000");
    await page.locator("#code[aria-invalid]").waitFor();
    assert.match(await page.locator("#code-fault").textContent(), /4 tries left/);
    assert.deepEqual(await seriousFaults(page), []);
    // In another language it is still the file's page.
    await page.goto(
      await page
        .locator('a[hreflang="ja"]')
        .first()
        .evaluate((link) => link.href),
    );
    assert.match(page.url(), /\/mail\/view\?/);
    await enter(page, CODE);
    await page.locator(".sheet-page img").first().waitFor();
    assert.equal(await page.locator("html").getAttribute("lang"), "ja");
    assert.deepEqual(page.faults, []);
  }
});

test("a link that was revoked says so, before and after the code", async () => {
  const started = await completed();
  const page = await open(browser, "phone");
  await page.goto(started.sign_url);
  await enter(page, CODE);
  const address = await page.getByRole("link", { name: "Open the finished document" }).evaluate((link) => link.href);
  await server.call("POST", `/api/v3/workflows/${started.workflow_id}/links`, { action: "revoke" });
  await page.reload();
  assert.equal(await page.getByRole("link", { name: "Open the finished document" }).count(), 0);
  const answer = await page.goto(address);
  assert.equal(answer.status(), 410);
  await page.getByRole("heading", { name: "This link no longer works" }).waitFor();
  assert.deepEqual(page.faults, []);
});
