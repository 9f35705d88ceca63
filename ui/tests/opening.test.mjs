// Opening a signing page: access codes, used and invalid links, frames, previews, members.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { approve, field, fill, fillFirst, open, openSigning, pressAndFollow, ready, seriousFaults } from "./browser.mjs";
import { browser, server, withServer } from "./with-server.mjs";

withServer();

test("the access code: a hint, tries that count down, then the document; or a lock", async () => {
  const protectedBy = (password) => ({
    recipient_list: [
      { order: 1, name: "김민준", email: "minjun@example.com", password, password_hint: "birthday" },
      { order: 2, name: "박서연", email: "seoyeon@example.com" },
    ],
  });
  const started = await server.startWorkflow(protectedBy("850101"));
  const page = await open(browser, "phone");
  await page.goto(started.sign_url);
  assert.match(await page.locator("#code-hint").textContent(), /birthday/);
  assert.equal(await page.locator("document-page").count(), 0);
  assert.deepEqual(await seriousFaults(page), []);
  await page.fill("#code", "000000");
  await pressAndFollow(page, "[type=submit]");
  assert.match(await page.locator("#code-fault").textContent(), /4 tries left/);
  await page.fill("#code", "850101");
  await pressAndFollow(page, "[type=submit]");
  await ready(page);
  await page.waitForFunction(() => document.querySelector("img.paper").naturalWidth > 0);

  // The proof of the code expires while the signer is writing. The page asks for it again, and nothing is lost.
  await page.context().clearCookies();
  await field(page, "Name").locator("button.open").click();
  await page.locator("#sheet-entry").fill("김민준");
  await page.waitForSelector("#code");
  await page.fill("#code", "850101");
  await pressAndFollow(page, "[type=submit]");
  await ready(page);
  assert.equal(await field(page, "Name").locator("input").inputValue(), "김민준");

  const locked = await server.startWorkflow(protectedBy("850102"));
  await page.goto(locked.sign_url);
  for (let wrong = 1; wrong <= 5; wrong += 1) {
    await page.fill("#code", "111111");
    await pressAndFollow(page, "[type=submit]");
  }
  assert.equal(await page.locator("h1").textContent(), "This link is locked");
  const again = await page.goto(locked.sign_url);
  assert.equal(again.status(), 409);
});

test("a used link opened again says so and changes nothing", async () => {
  const started = await server.startWorkflow();
  const page = await openSigning(browser, "desktop", started.sign_url);
  await fillFirst(page);
  await approve(page);
  const before = await server.workflow(started.workflow_id);
  const answer = await page.goto(started.sign_url);
  assert.equal(answer.status(), 409);
  assert.equal(await page.locator("h1").textContent(), "Your part is done");
  assert.deepEqual(await seriousFaults(page), []);
  assert.deepEqual(await server.workflow(started.workflow_id), before);
});

test("a cancelled document and a wrong link are pages that tell, with the right status", async () => {
  const started = await server.startWorkflow();
  await server.call("POST", `/api/v3/workflows/${started.workflow_id}/cancel`, { comment: "stop" });
  const page = await open(browser, "phone");
  const gone = await page.goto(started.sign_url);
  assert.equal(gone.status(), 410);
  assert.equal(await page.locator("h1").textContent(), "This document was cancelled");
  const unknown = await page.goto(`${server.base}/mail/sign?token=abc&lang=ko`);
  assert.equal(unknown.status(), 404);
  assert.equal(await page.locator("h1").textContent(), "열 수 없는 링크입니다");
  assert.deepEqual(await seriousFaults(page), []);
  const other = await page.goto(`${server.base}/api/another/sign?token=${started.token}&lang=en`);
  assert.equal(other.status(), 404);
});

test("the page is refused in a frame, and a scanner's GET or HEAD, a prefetch or a prerendering records no view", async () => {
  const started = await server.startWorkflow();
  for (const method of ["GET", "HEAD", "GET"]) {
    const answer = await fetch(started.sign_url, { method });
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get("content-security-policy"), /frame-ancestors 'none'/);
    assert.equal(answer.headers.get("referrer-policy"), "no-referrer");
    assert.equal(answer.headers.get("cache-control"), "no-store");
    assert.equal(answer.headers.get("cross-origin-opener-policy"), null);
  }
  const seen = async () => JSON.stringify((await server.workflow(started.workflow_id)).history).includes("viewed");
  assert.equal(await seen(), false);
  // A browser that prefetches the page does not count as viewing.
  const reader = await open(browser, "phone");
  await reader.route("**/ahead", (route) =>
    route.fulfill({
      contentType: "text/html",
      body: `<!doctype html><title>ahead</title><link rel="prefetch" href="${started.sign_url}">`,
    }),
  );
  const ahead = reader.waitForEvent("requestfinished", (request) => request.url() === started.sign_url);
  await reader.goto(`${server.base}/ahead`);
  assert.equal(await (await ahead).headerValue("sec-purpose"), "prefetch");
  assert.equal(await seen(), false);
  // A browser that prerenders the page, including scripts, does not count either until a person opens it.
  await reader.addInitScript(() => Object.defineProperty(document, "prerendering", { value: true }));
  const asked = [];
  reader.on("request", (request) => request.method() !== "GET" && asked.push(request.url()));
  await reader.goto(started.sign_url);
  await ready(reader);
  assert.deepEqual([asked, await seen()], [[], false]);
  const said = reader.waitForResponse((answer) => answer.url().endsWith("/sign/viewed"));
  await reader.evaluate(() => document.dispatchEvent(new Event("prerenderingchange")));
  assert.equal((await said).status(), 204);
  assert.equal(await seen(), true);

  const framing = createServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end(`<!doctype html><title>frame</title><iframe src="${started.sign_url}"></iframe>`);
  }).listen(0, "127.0.0.1");
  try {
    const page = await open(browser, "desktop");
    await page.goto(`http://127.0.0.1:${framing.address().port}/`, { waitUntil: "load" });
    const frame = page.frames().find((candidate) => candidate !== page.mainFrame());
    assert.equal(await frame.locator("signing-page").count(), 0);
  } finally {
    framing.close();
  }
});

test("a form POST opens the page as a link does", async () => {
  const started = await server.startWorkflow();
  const answer = await fetch(`${server.base}/api/HANBIT/sign`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", origin: "null" },
    body: new URLSearchParams({ token: started.token, lang: "ja" }),
  });
  assert.equal(answer.status, 200);
  assert.match(await answer.text(), /<html lang="ja"/);
});

test("a preview can be tried and keeps nothing", async () => {
  const { preview_url } = await server.startWorkflow({ is_preview: true });
  const page = await openSigning(browser, "phone", preview_url);
  const sent = [];
  page.on("request", (request) => request.method() !== "GET" && sent.push(request.url()));
  await fillFirst(page);
  await approve(page);
  assert.equal(await page.locator("#done-title").textContent(), "End of the preview");
  await page.goto(preview_url);
  await ready(page);
  await page.click("#reject");
  await page.fill("#reject-reason", "-");
  await page.click("#reject-dialog [type=submit]");
  await page.locator("#done-dialog[open]").waitFor();
  assert.match(await page.locator("#done-text").textContent(), /would be declined/);
  assert.deepEqual(sent, []);
  assert.deepEqual(await seriousFaults(page), []);
});

test("a member signs in, passes a message's link on, and signs out", async () => {
  // Not embedded, so the request to sign goes to the outbox, because no mail server is set up.
  const started = await server.startWorkflow({ export_api_info: undefined, workflow_name: "보낼 문서" });
  const page = await open(browser, "phone", { locale: "en-US" });
  await page.goto(`${server.base}/outbox`);
  assert.match(page.url(), /\/sign-in\?/);
  assert.deepEqual(await seriousFaults(page), []);
  await page.fill("#company", server.member.company);
  await page.fill("#email", server.member.email);
  await page.fill("#password", "wrong");
  await pressAndFollow(page, "[type=submit]");
  assert.equal(await page.locator('[role="alert"]').textContent(), "The company ID, e-mail or password is not correct.");
  await page.fill("#password", server.member.password);
  await page.click("[type=submit]");
  await page.waitForSelector(".message-list");
  const cookie = (await page.context().cookies()).find(({ name }) => name === "countersign_session");
  assert.equal(cookie.httpOnly, true);
  assert.equal(cookie.sameSite, "Lax");
  assert.deepEqual(await seriousFaults(page), []);
  await page.locator(".message-list a").first().click();
  await page.waitForSelector("article");
  assert.equal(await page.locator('article a[href*="/mail/sign"]').count(), 0);
  assert.doesNotMatch(await page.content(), /mail\/sign\?token=/);
  await page
    .getByRole("button", { name: "링크 복사" })
    .or(page.getByRole("button", { name: "Copy link" }))
    .click();
  await page.waitForSelector(".copied");
  assert.deepEqual(await seriousFaults(page), []);
  const link = await page.locator(".copied").textContent();
  assert.match(link, /\/mail\/sign\?token=/);
  const signing = await openSigning(browser, "phone", link);
  assert.equal(await signing.locator("h1").textContent(), "보낼 문서");
  await page.goto(`${server.base}/outbox`);
  await pressAndFollow(page, "form button");
  assert.match(page.url(), /sign-in/);
  await page.goto(`${server.base}/outbox`);
  assert.match(page.url(), /sign-in/);
  assert.ok(started.workflow_id);
  assert.deepEqual(page.faults, []);
});
