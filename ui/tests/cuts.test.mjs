// The connection is cut at each of the page's requests, before or after the server receives it. Nothing is lost, and
// nothing is done twice.

import assert from "node:assert/strict";
import { test } from "node:test";
import { approve, field, fill, open, pressAndFollow, ready, seriousFaults, sign } from "./browser.mjs";
import { browser, server, withServer } from "./with-server.mjs";
import { signingLink } from "./mail_server.mjs";

withServer();

const CUTS = ["before the server gets it", "after the server got it"];

/** Cuts the next request to `path`; answers a promise that tells when it was cut. */
function cut(page, path, when) {
  return new Promise((done) => {
    void page.route(
      `**${path}`,
      async (route) => {
        if (when === CUTS[1]) await route.fetch();
        await route.abort("connectionreset");
        done();
      },
      { times: 1 },
    );
  });
}

async function opened(started, options) {
  const page = await open(browser, "phone", options);
  await page.goto(started.sign_url);
  await ready(page);
  return page;
}

async function count(id, event) {
  const { history } = await server.workflow(id);
  return history.filter((entry) => JSON.stringify(entry).includes(`"${event}"`)).length;
}

async function fillRequired(page) {
  await fill(page, "Name", "김민준");
  await fill(page, "First day", "2026-12-01");
  await field(page, "Agreed").locator("input").click();
  await sign(page, "Signature");
}

/** The browser says that it is on line again: what waits need not wait for its next try. */
async function onLineAgain(page) {
  await page.evaluate(() => dispatchEvent(new Event("online")));
}

for (const when of CUTS) {
  test(`a draft, cut ${when}, is saved all the same`, async () => {
    const started = await server.startWorkflow();
    const page = await opened(started);
    const isCut = cut(page, "/sign/drafts", when);
    await fill(page, "Name", "김민준");
    await isCut;
    await page.waitForSelector("#trouble:not(:empty)");
    await onLineAgain(page);
    await page.waitForSelector('#save-state[data-state="saved"]', { state: "attached" });
    assert.equal(await page.locator("#trouble").textContent(), "");
    const again = await opened(started);
    assert.equal(await field(again, "Name").locator("input").inputValue(), "김민준");
  });

  test(`a signature's file, cut ${when}, arrives all the same`, async () => {
    const started = await server.startWorkflow();
    const page = await opened(started);
    const isCut = cut(page, "/sign/files", when);
    await sign(page, "Signature");
    await isCut;
    await page.waitForSelector("#trouble:not(:empty)");
    await onLineAgain(page);
    await page.waitForSelector('#save-state[data-state="saved"]', { state: "attached" });
    const again = await opened(started);
    await again.waitForFunction(() => document.querySelector('.field.mine[data-name="Signature"] img')?.naturalWidth > 0);
  });

  test(`'viewed', cut ${when}, is recorded once`, async () => {
    const started = await server.startWorkflow();
    const page = await open(browser, "phone");
    const isCut = cut(page, "/sign/viewed", when);
    await page.goto(started.sign_url);
    await isCut;
    const said = page.waitForResponse((answer) => answer.url().endsWith("/sign/viewed"));
    await ready(page);
    await onLineAgain(page);
    assert.equal((await said).status(), 204);
    assert.equal(await count(started.workflow_id, "viewed"), 1);
  });

  test(`the consent, cut ${when}, is given once`, async () => {
    const started = await server.startWorkflow();
    const page = await opened(started);
    const isCut = cut(page, "/sign/consent", when);
    await field(page, "Signature").locator("button").click();
    await page.locator("#consent-dialog [type=submit]").click();
    await isCut;
    await page.waitForFunction(() => document.querySelector("#consent-dialog .fault").textContent !== "");
    await page.locator("#consent-dialog [type=submit]").click();
    await page.locator("#pad[open]").waitFor();
    assert.equal(await count(started.workflow_id, "consented"), 1);
  });

  test(`the approval, cut ${when}, is made once, with all that was filled in`, async () => {
    const started = await server.startWorkflow();
    const page = await opened(started);
    await fillRequired(page);
    const isCut = cut(page, "/sign/approve", when);
    await page.click("#approve");
    await page.click("#approve-dialog [type=submit]");
    await isCut;
    await page.waitForFunction(() => document.querySelector("#approve-dialog .fault").textContent !== "");
    await page.click("#approve-dialog [type=submit]");
    await page.locator("#done-dialog[open]").waitFor();
    assert.equal(await page.locator("#done-title").textContent(), "Signed. Thank you.");
    assert.equal(await count(started.workflow_id, "approved"), 1);
    const { field_list: values } = await server.workflow(started.workflow_id);
    assert.equal(values.find(({ name }) => name === "Name").value, "김민준");
    assert.notEqual(values.find(({ name }) => name === "Signature").value, "");
    assert.equal(await page.evaluate(() => localStorage.length), 0);
  });

  test(`the rejection, cut ${when}, is made once, with its reason`, async () => {
    const started = await server.startWorkflow();
    const page = await opened(started);
    const isCut = cut(page, "/sign/reject", when);
    await page.click("#reject");
    await page.fill("#reject-reason", "금액이 다릅니다");
    await page.click("#reject-dialog [type=submit]");
    await isCut;
    await page.waitForFunction(() => document.querySelector("#reject-dialog .fault").textContent !== "");
    await page.click("#reject-dialog [type=submit]");
    await page.locator("#done-dialog[open]").waitFor();
    assert.equal(await page.locator("#done-title").textContent(), "You declined this document");
    assert.equal(await count(started.workflow_id, "rejected"), 1);
    assert.equal((await server.workflow(started.workflow_id)).status, "Rejected");
  });

  test(`the way to the next document, cut ${when}, is not lost`, async () => {
    const email = `next-${CUTS.indexOf(when)}@example.com`;
    const people = [
      { order: 1, name: "이다음", email },
      { order: 2, name: "박서연", email: "seoyeon@example.com" },
    ];
    const mailing = await server.withMail();
    const send = (workflow_name) => mailing.startWorkflow({ recipient_list: people, workflow_name, export_api_info: undefined });
    await send(`first of ${email}`);
    await send("비밀유지계약서");
    const page = await opened({ sign_url: await signingLink(await server.mails(), email, `first of ${email}`) });
    await fillRequired(page);
    await approve(page);
    const isCut = cut(page, "/sign?**", when);
    await page.click("#done-next");
    await isCut;
    await page.waitForFunction(() => /online|connection/i.test(document.querySelector("#done-rest").textContent));
    await pressAndFollow(page, "#done-next");
    await ready(page);
    assert.equal(await page.locator("h1").textContent(), "비밀유지계약서");
  });
}

test("what was entered and drawn without a connection is there again after the tab was closed", async () => {
  const started = await server.startWorkflow();
  const page = await opened(started);
  // Giving consent needs the server. After that the connection is gone.
  await field(page, "Signature").locator("button").click();
  await page.locator("#consent-dialog [type=submit]").click();
  await page.locator("#pad[open]").waitFor();
  await page.locator("#pad [data-close]").click();
  await page.context().setOffline(true);
  await page.waitForSelector('#trouble:has-text("No connection")');
  await fill(page, "Name", "오프라인");
  await sign(page, "Signature");
  const context = page.context();
  await page.close();
  await context.setOffline(false);
  const again = await context.newPage();
  const arrived = again.waitForResponse((answer) => answer.url().endsWith("/sign/files") && answer.ok());
  await again.goto(started.sign_url);
  await ready(again);
  await arrived;
  await again.waitForSelector('#save-state[data-state="saved"]', { state: "attached" });
  await again.waitForFunction(() => localStorage.length === 0);
  const elsewhere = await opened(started);
  assert.equal(await field(elsewhere, "Name").locator("input").inputValue(), "오프라인");
  await elsewhere.waitForFunction(() => document.querySelector('.field.mine[data-name="Signature"] img')?.naturalWidth > 0);
});

/** Waits until all that was entered is on the server. */
async function saved(page) {
  await page.waitForFunction(() => localStorage.length === 0);
}

const settle = "#settle-dialog[open]";

test("an approval signs what its page shows: what another device has saved is looked at first", async () => {
  const started = await server.startWorkflow();
  const desk = await opened(started);
  await fillRequired(desk);
  await fill(desk, "Salary", "100");
  await saved(desk);
  const phone = await opened(started);
  await fill(phone, "Salary", "200");
  await field(phone, "Kind").nth(1).locator("input").click();
  await saved(phone);

  await desk.click("#approve");
  await desk.click("#approve-dialog [type=submit]");
  await desk.waitForSelector(settle);
  assert.deepEqual(await seriousFaults(desk), []);
  const told = await desk.locator("#settle-items").innerText();
  assert.match(told, /Salary\s+Changed on another page or device. Now: 200. Before, on this page: 100/);
  assert.match(told, /Kind\s+Changed on another page or device. Now: part time. Before, on this page: \(empty\)/);
  assert.equal(await field(desk, "Salary").locator("input").inputValue(), "200");
  assert.equal(await count(started.workflow_id, "approved"), 0);
  // Clicks elsewhere first, because a press on a dialog that has just appeared is ignored.
  await desk.click("#settle-title");
  await desk.click(`${settle} [type=submit]`);
  await desk.click("#approve-title");
  await desk.click("#approve-dialog[open] [type=submit]");
  await desk.locator("#done-dialog[open]").waitFor();
  const { field_list: values } = await server.workflow(started.workflow_id);
  const value = (name) => values.find((entry) => entry.name === name).value;
  assert.deepEqual([value("Salary"), value("Kind"), value("Name")], ["200", "part time", "김민준"]);
  assert.deepEqual(desk.faults, []);
});

test("what waited without a connection is not put over what another device has saved since", async () => {
  const started = await server.startWorkflow();
  const phone = await opened(started);
  await fillRequired(phone);
  await saved(phone);
  await phone.context().setOffline(true);
  await fill(phone, "Salary", "100");
  await fill(phone, "Remarks", "from the phone");
  const context = phone.context();
  await phone.close();
  const desk = await opened(started);
  await fill(desk, "Salary", "200");
  await saved(desk);
  await context.setOffline(false);

  // Both values are shown. The one that nobody else has changed is saved immediately.
  const again = await context.newPage();
  await again.goto(started.sign_url);
  await again.waitForSelector(settle);
  assert.deepEqual(await seriousFaults(again), []);
  assert.equal(await field(again, "Salary").locator("input").inputValue(), "200");
  assert.deepEqual(await again.locator("#settle-items fieldset").allInnerTexts(), [
    "Salary\nSaved on another page or device: 200\nEntered here: 100",
  ]);
  await again.waitForSelector('#save-state[data-state="saved"]', { state: "attached" });
  // An undecided question returns after a reload, and must be answered before the approval.
  await again.reload();
  await again.locator(`${settle} [data-close]`).click();
  await again.click("#approve");
  await again.waitForSelector(settle);
  await again.locator(`${settle} label`, { hasText: "Entered here: 100" }).click();
  await again.click(`${settle} [type=submit]`);
  await again.locator("#approve-dialog [data-close]").click();
  await saved(again);
  const elsewhere = await opened(started);
  const value = (name) => field(elsewhere, name).locator("input, textarea").inputValue();
  assert.deepEqual([await value("Salary"), await value("Remarks")], ["100", "from the phone"]);
});
