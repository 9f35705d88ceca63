// Whoever opens a public link says who he is and signs: on a phone, from the form to the end.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { approve, closePages, field, fill, launch, open, ready, sign } from "./browser.mjs";
import { Installation } from "./installation.mjs";

let server;
let browser;

before(async () => {
  server = await Installation.start();
  browser = await launch();
});

afterEach(() => closePages(browser));

after(async () => {
  await browser?.close();
  await server?.stop();
});

test("a visitor of a public link fills in the form, signs, and is the first writer", async () => {
  const link = await server.publicLink({ limit: 1 });
  const page = await open(browser, "phone");
  await page.goto(link.link_url);
  await page.fill("#name", "김민준");
  await page.fill("#contact", "minjun@example.com");
  await page.check("#agree");
  await page.click("[type=submit]");
  await ready(page);
  assert.match(new URL(page.url()).pathname, /\/mail\/sign$/);
  await fill(page, "Name", "김민준");
  await fill(page, "First day", "2026-12-01");
  await field(page, "Agreed").locator("input").click();
  await field(page, "Kind").first().locator("input").click();
  await sign(page, "Signature");
  await approve(page);
  const { workflow_list } = await server.call("GET", "/api/v3/workflows");
  assert.equal(workflow_list.length, 1);
  const workflow = await server.workflow(workflow_list[0].workflow_id);
  assert.equal(workflow.order, 2);
  assert.equal(workflow.steps[0].email, "minjun@example.com");
  assert.equal(workflow.steps[0].status, "approved");
  const used = await server.call("GET", `/api/v3/link/${link.link_id}`);
  assert.equal(used.status, "used_up");
  const again = await page.goto(link.link_url);
  assert.equal(again.status(), 410);
  assert.deepEqual(page.faults, []);
});
