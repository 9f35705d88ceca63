// Where the page leads a signer who has signed: by itself after a while, by its link at once, and not at all if the signer
// does something else first.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { approve, fill, open, ready } from "./browser.mjs";
import { pdf } from "./installation.mjs";
import { browser, server, withServer } from "./with-server.mjs";

const TEMPLATE = {
  name: "One name",
  steps: [{ order: 1 }],
  fields: [{ name: "Name", kind: "text", step: 1, page: 1, x: 100_000, y: 100_000, width: 400_000, height: 30_000 }],
};

let shop;
let template;
const visits = [];

withServer({
  prepare: () => {
    template = server.import(TEMPLATE, pdf(1));
    server.set("--redirect-hosts", "127.0.0.1");
  },
});

before(async () => {
  shop = createServer((request, response) => {
    if (request.url.startsWith("/done")) visits.push([request.url, request.headers.referer]);
    response.setHeader("content-type", "text/html").end("<title>Shop</title>");
  });
  await new Promise((resolve) => shop.listen(0, "127.0.0.1", resolve));
});

after(() => shop.close());

const address = () => `http://127.0.0.1:${shop.address().port}/done?order=17`;

/** The page at its end, with a clock that can be put forward; `query` is added to its address. */
async function signed(language, query = "") {
  const { sign_url } = await server.startWorkflow({
    template_id: template,
    language,
    recipient_list: [{ order: 1, name: "Jane Doe", email: "jane@example.com" }],
    redirect_url: address(),
  });
  const page = await open(browser, "desktop");
  await page.goto(sign_url + query);
  await ready(page);
  await fill(page, "Name", "Jane");
  await page.clock.install();
  await approve(page);
  return page;
}

for (const [language, words] of [
  ["en", "You will be taken to 127.0.0.1"],
  ["ko", "127.0.0.1(으)로 이동합니다"],
  ["ja", "127.0.0.1 に移動します"],
]) {
  test(`in ${language} the page says where it leads, and leads there`, async () => {
    visits.length = 0;
    const page = await signed(language);
    // Without the marks around the host, which keep its direction.
    const said = (await page.locator("#done-rest").textContent()).replace(/[\u2066-\u2069]/g, "");
    assert.ok(said.includes(words), said);
    assert.equal(await page.locator("#done-redirect").getAttribute("href"), address());
    assert.deepEqual(visits, [], "there is time to read");
    await page.clock.fastForward(5000);
    await page.waitForURL(address());
    assert.deepEqual(visits, [["/done?order=17", undefined]], "it does not say from which link");
  });
}

test("a signer who does something else stays, and can still follow the link", async () => {
  const page = await signed("en");
  await page.keyboard.press("Shift");
  assert.equal(await page.locator("#done-rest").isVisible(), false);
  await page.clock.fastForward(60_000);
  assert.ok(page.url().startsWith(server.base));
  await page.click("#done-redirect");
  await page.waitForURL(address());
});

test("a page whose opener waits for the message offers the link and stays", async () => {
  const page = await signed("en", "&callback_fn=true");
  assert.ok(await page.locator("#done-redirect").isVisible());
  assert.ok(await page.locator("#done-close").isVisible());
  await page.clock.fastForward(60_000);
  assert.ok(page.url().startsWith(server.base));
});
