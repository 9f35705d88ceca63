// The end of a signer's turn: one confirmation, the next signer, and the sender's view afterwards.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { approve, open, openSigning, pressAndSeeClosed, ready, seriousFaults } from "./browser.mjs";
import { pdf } from "./installation.mjs";
import { signingLink } from "./mail_server.mjs";
import { browser, mails, server, withServer } from "./with-server.mjs";
import { word } from "../samples.mjs";

const templates = {};
const LANGUAGES = ["ko", "ja", "en"];
const place = (step) => ({ step, page: 1, x: 250_000, y: 100_000 + step * 200_000, width: 300_000, height: 60_000 });
const note = (step) => ({ name: `Note ${step}`, kind: "text", ...place(step) });

withServer({
  mail: true,
  prepare: () => {
    const one = { steps: [{ order: 1 }], fields: [note(1)] };
    const two = { steps: [{ order: 1 }, { order: 2 }], fields: [note(1), note(2)] };
    const signed = { steps: [{ order: 1 }], fields: [{ name: "Signature", kind: "signature", ...place(1) }] };
    templates.one = server.import({ ...one, name: "One signer" }, pdf(1));
    templates.two = server.import({ ...two, name: "Two signers" }, pdf(1));
    templates.signed = server.import({ ...signed, name: "Signed" }, pdf(1));
    templates.back = server.import({ ...two, name: "Returned", on_reject: "return" }, pdf(1));
  },
});

const act = (started, verb, body) => server.call("POST", `/api/v3/workflows/${started.workflow_id}/${verb}`, body);
const shown = (page) => page.locator("#done-title, #done-name, #done-text").allTextContents();

test("consent is asked for once, before the one confirmation", async () => {
  for (const language of LANGUAGES) {
    const recipient_list = [{ order: 1, name: "김민준", email: "minjun@example.com" }];
    const started = await server.startWorkflow({ template_id: templates.signed, language, recipient_list });
    const page = await openSigning(browser, "phone", started.sign_url);
    const consents = [];
    page.on("request", (request) => request.url().endsWith("/sign/consent") && consents.push(request));
    // The signature is optional and stays empty, so nothing has asked for consent before.
    await page.click("#approve");
    await page.locator("#consent-dialog[open]").waitFor();
    assert.equal(await page.locator("#approve-dialog[open]").count(), 0);
    await page.click("#consent-dialog [type=submit]");
    await page.locator("#approve-dialog[open]").waitFor();
    // The comment box is collapsed.
    assert.equal(await page.locator("#approve-comment").isVisible(), false);
    await page.click("#approve-dialog summary");
    await page.fill("#approve-comment", "확인했습니다");
    assert.deepEqual(await seriousFaults(page), []);
    await page.click("#approve-dialog [type=submit]");
    await page.locator("#done-dialog[open]").waitFor();
    assert.equal(consents.length, 1);
    assert.ok(JSON.stringify(await server.workflow(started.workflow_id)).includes("확인했습니다"));
    assert.deepEqual(page.faults, []);
    await page.context().close();
  }
});

test("the last dialog names the document and who is next, and has the finished copy", async () => {
  for (const language of LANGUAGES) {
    const started = await server.startWorkflow({ template_id: templates.two, language });
    const page = await openSigning(browser, "phone", started.sign_url);
    await approve(page);
    const next = word(language, "sign-done-next-named", { names: "박서연" });
    assert.deepEqual(await shown(page), [word(language, "sign-done-title"), "근로계약서", next]);
    assert.equal(await page.locator("#done-document").isVisible(), false);
    await page.goto((await server.workflow(started.workflow_id)).playing_url);
    await ready(page);
    await approve(page);
    assert.equal((await shown(page))[2], word(language, "sign-done-complete"));
    assert.equal(await page.locator("#done-document").textContent(), word(language, "sign-done-download"));
    const download = page.waitForEvent("download");
    await page.click("#done-document");
    assert.equal((await download).suggestedFilename(), "근로계약서.pdf");
    assert.deepEqual(await seriousFaults(page), []);
    await page.context().close();
  }
});

test("a signer who returns a document reads that they returned it", async () => {
  for (const language of LANGUAGES) {
    const started = await server.startWorkflow({ template_id: templates.back, language });
    await act(started, "approve", { order: 1, field_list: [] });
    const page = await openSigning(browser, "desktop", (await server.workflow(started.workflow_id)).playing_url);
    await page.click("#reject");
    assert.equal(await page.locator("#reject-title").textContent(), word(language, "sign-return-title"));
    assert.equal(await page.locator("#reject-dialog [type=submit]").textContent(), word(language, "sign-return-confirm"));
    await page.fill("#reject-reason", "금액이 다릅니다");
    await page.click("#reject-dialog [type=submit]");
    await page.locator("#done-dialog[open]").waitFor();
    const [title, , text] = await shown(page);
    assert.deepEqual([title, text], [word(language, "sign-done-returned-title"), word(language, "sign-done-returned")]);
    await page.context().close();
  }
});

test("the last dialog stays, however often Escape is pressed", async () => {
  const started = await server.startWorkflow({ template_id: templates.two });
  const page = await openSigning(browser, "desktop", started.sign_url);
  await approve(page);
  for (let presses = 0; presses < 6; presses += 1) {
    await page.keyboard.press("Escape");
    await page.locator("#done-dialog[open]").waitFor();
  }
  assert.equal(await page.locator("#done-title").isVisible(), true);
});

test("the sender of an ended document reads how it ended, and no step", async () => {
  const request = {
    template_id: templates.one,
    recipient_list: [{ order: 1, name: "김민준", email: "minjun@example.com" }],
    // The token in the start's answer then opens the sender's view.
    export_api_info: undefined,
  };
  const ends = {
    expired: await server.startExpiring(request),
    complete: await server.startWorkflow(request),
    canceled: await server.startWorkflow(request),
    "rejected-by": await server.startWorkflow(request),
  };
  await act(ends.complete, "approve", { field_list: [] });
  await act(ends.canceled, "cancel", { comment: "-" });
  await act(ends["rejected-by"], "reject", { comment: "-" });
  const page = await open(browser, "desktop");
  for (const [end, started] of Object.entries(ends)) {
    for (const language of LANGUAGES) {
      const address = `${server.base}/mail/sign?token=${started.token}&lang=${language}`;
      await page.goto(address);
      // One of them expires while we wait.
      while ((await page.locator("#ended").count()) === 0) await page.goto(address);
      const told = await page.locator("#ended").textContent();
      const expected = word(language, `sign-ended-${end}`, { name: "김민준", date: "\u0000" });
      const [before, after] = expected.split("\u0000");
      assert.ok(told.startsWith(before) && told.endsWith(after ?? ""), `${end}: ${told}`);
      const facts = await page.locator(".intro .facts").textContent();
      assert.ok(!facts.includes(word(language, "sign-step", { step: 1, steps: 1 })), facts);
    }
  }
  assert.deepEqual(page.faults, []);
});

test("the next document goes on as the first was opened: the opener hears of it, in the same language", async () => {
  const email = "onward@example.com";
  const start = (workflow_name) =>
    server.startWorkflow({
      template_id: templates.one,
      workflow_name,
      language: "ko",
      recipient_list: [{ order: 1, name: "김민준", email }],
      export_api_info: undefined,
    });
  const started = [await start("첫째 문서"), await start("둘째 문서")];
  const customer = createServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end(
      "<!doctype html><title>customer</title><script>window.got = []; addEventListener('message', (event) => got.push(event.data));</script>",
    );
  }).listen(0, "127.0.0.1");
  try {
    const opener = await open(browser, "desktop");
    await opener.goto(`http://127.0.0.1:${customer.address().port}/`);
    const address = (await signingLink(mails, email, "첫째 문서")).replace(/lang=\w+/, "lang=ja");
    const popup = opener.waitForEvent("popup");
    await opener.evaluate((address) => void window.open(address), `${address}&callback_fn=true`);
    const page = await popup;
    await ready(page);
    await approve(page);
    await Promise.all([page.waitForNavigation({ waitUntil: "domcontentloaded" }), page.click("#done-next")]);
    await ready(page);
    assert.equal(await page.locator("html").getAttribute("lang"), "ja");
    assert.equal(new URL(page.url()).searchParams.get("callback_fn"), "true");
    await approve(page);
    await pressAndSeeClosed(page, "#done-close");
    await opener.waitForFunction(() => window.got.length > 0);
    const { workflow_id } = started[1];
    assert.deepEqual(await opener.evaluate(() => window.got), [
      { source: "countersign", event: "completed", workflow_id, result: "approved" },
    ]);
  } finally {
    customer.close();
  }
});
