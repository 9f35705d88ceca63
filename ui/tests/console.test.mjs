// What members do with documents in a browser, without any script: find one, open it, change it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { open, pressAndFollow, seriousFaults, signIn } from "./browser.mjs";
import { browser, server, withServer } from "./with-server.mjs";

withServer();

const inEnglish = (path) => `${server.base}${path}${path.includes("?") ? "&" : "?"}lang=en`;

/** Opens a page of the console as the member of the tests. */
async function asMember(size, path) {
  const page = await open(browser, size, { locale: "en-US" });
  await signIn(page, server);
  await page.goto(inEnglish(path));
  return page;
}

for (const size of ["phone", "desktop"]) {
  test(`a member finds a document and does all that its page offers: ${size}`, async () => {
    const name = `Lease of a ${size}`;
    await server.startWorkflow({ export_api_info: undefined, workflow_name: name, language: "en" });
    const page = await asMember(size, "/documents");
    await page.fill("#q", "nothing of this kind");
    await pressAndFollow(page, ".finder [type=submit]");
    assert.match(await page.locator("main").innerText(), /No documents found/);
    assert.deepEqual(await seriousFaults(page), []);
    await pressAndFollow(page, "main .card a");
    await pressAndFollow(page, '.page-tabs a:has-text("In progress")');
    assert.equal(await page.locator('.page-tabs [aria-current="page"]').innerText(), "In progress");
    await pressAndFollow(page, `.documents a:has-text("${name}")`);
    assert.equal(await page.locator("h1").innerText(), name);

    await pressAndFollow(page, 'button:has-text("Send a reminder")');
    assert.equal(await page.locator("[role=status]").innerText(), "The reminder is on its way.");

    await page.click('summary:has-text("Change the expiry date")');
    await page.fill("#expiry_date", "2020-01-01");
    await pressAndFollow(page, 'button:has-text("Change date")');
    assert.equal(await page.locator("main [role=alert]").count(), 1);
    assert.deepEqual(await seriousFaults(page), []);
    // The address of a refused form opens the page again.
    await page.goto(page.url());
    assert.equal(await page.locator("h1").innerText(), name);

    // The second signer: the first was asked a moment ago.
    await page.locator('summary:has-text("Correct name or contact")').nth(1).click();
    await page.locator("[id^=name-]").nth(1).fill("Sato Hanako");
    await pressAndFollow(page, 'details[open] button:has-text("Save")');
    assert.deepEqual(await page.locator("main [role=alert]").allInnerTexts(), []);
    assert.match(await page.locator(".signers").innerText(), /Sato Hanako/);

    // By keyboard alone: open the last fold, write a reason, send it.
    await page.locator('summary:has-text("Cancel the document")').focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Signed on paper");
    await page.keyboard.press("Tab");
    await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
    assert.equal(await page.locator("[role=status]").innerText(), "The document has been cancelled.");
    assert.match(await page.locator(".timeline").innerText(), /Cancelled[^]*Signed on paper/);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, "nothing is cut off");
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });
}
