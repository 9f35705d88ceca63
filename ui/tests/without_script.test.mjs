// A page whose script cannot run says so, and offers no controls that do not work.

import assert from "node:assert/strict";
import { test } from "node:test";
import { open, ready } from "./browser.mjs";
import { browser, server, withServer } from "./with-server.mjs";
import { word } from "../samples.mjs";

withServer();

const BREAKS = {
  "JavaScript is off": (options) => ({ ...options, javaScriptEnabled: false }),
  "its script does not arrive": (options, page) => page?.route("**/sign-*.js", (route) => route.abort()),
  "the browser has no dialogs": (options, page) => page?.addInitScript("delete HTMLDialogElement.prototype.showModal"),
  "the browser lacks a part of the language": (options, page) => page?.addInitScript("delete Array.prototype.at"),
};

for (const [what, spoil] of Object.entries(BREAKS)) {
  test(`where ${what} the page says what it needs`, async () => {
    for (const language of ["ko", "ja", "en"]) {
      const started = await server.startWorkflow({ language });
      const page = await open(browser, "phone", spoil({}) ?? {});
      await spoil({}, page);
      await page.goto(started.sign_url);
      const notice = page.locator("#needs-script");
      await notice.waitFor({ state: "visible" });
      assert.equal(await notice.textContent(), word(language, "page-needs-script"));
      assert.ok((await notice.boundingBox()).height > 44);
      for (const part of [".bar", ".tools"]) await page.locator(part).waitFor({ state: "hidden" });
      await page.context().close();
    }
  });
}

test("where everything works nobody reads that it might not", async () => {
  const started = await server.startWorkflow();
  for (const address of [started.sign_url, (await server.workflow(started.workflow_id)).playing_url]) {
    const page = await open(browser, "phone");
    await page.goto(address);
    await ready(page);
    assert.equal(await page.locator("#needs-script").count(), 0);
    assert.deepEqual(page.faults, []);
  }
});
