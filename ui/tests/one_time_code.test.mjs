// A one-time code: requested on the page, read in the mail, and the document opens.

import assert from "node:assert/strict";
import { test } from "node:test";
import { open, ready, seriousFaults } from "./browser.mjs";
import { browser, mails, server, withServer } from "./with-server.mjs";

/** The code in a mail: a line of its own in the text. */
function codeIn(mail) {
  for (const part of mail.split(/\r\n--[^\r\n]*/)) {
    const [head, ...body] = part.split("\r\n\r\n");
    const raw = body.join("\r\n\r\n");
    const text = /base64/i.test(head) ? Buffer.from(raw, "base64").toString() : raw;
    const found = /^(\d{6})\r?$/m.exec(text);
    if (found) return found[1];
  }
  return null;
}

async function newestCode(count) {
  const until = Date.now() + 120_000;
  while (mails.length < count && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(mails.length, count);
  return codeIn(mails.at(-1));
}

const guarded = (more = {}) =>
  server.startWorkflow({
    recipient_list: [
      { order: 1, name: "김민준", email: "minjun@example.com", one_time_code: true, ...more },
      { order: 2, name: "박서연", email: "seoyeon@example.com" },
    ],
  });

withServer({ mail: true });

test("the code that the mail brings opens the document, with the keyboard alone", async () => {
  mails.length = 0;
  const started = await guarded({ password: "850101" });
  const page = await open(browser, "phone");
  await page.goto(`${started.sign_url}&next_sign=false`);
  // The access code comes first.
  await page.fill("#code", "850101");
  await page.keyboard.press("Enter");
  const send = page.getByRole("button", { name: "Send me the code" });
  await send.waitFor();
  assert.match(await page.locator("main").textContent(), /m•••@example\.com/);
  assert.deepEqual(await seriousFaults(page), []);
  assert.equal(mails.length, 0);
  await send.focus();
  await page.keyboard.press("Enter");
  const entry = page.getByLabel("Code", { exact: true });
  await entry.waitFor();
  assert.deepEqual(await entry.evaluate((input) => [input.inputMode, input.autocomplete, document.activeElement === input]), [
    "numeric",
    "one-time-code",
    true,
  ]);
  const code = await newestCode(1);
  await entry.fill(code === "000000" ? "111111" : "000000");
  await page.keyboard.press("Enter");
  await page.locator("#code[aria-invalid]").waitFor();
  assert.match(await page.locator("#code-fault").textContent(), /not correct.*4 tries left/);
  assert.deepEqual(await seriousFaults(page), []);
  await page.keyboard.type(code);
  await page.keyboard.press("Enter");
  await ready(page);
  assert.match(page.url(), /next_sign=false/);
  assert.deepEqual(page.faults, []);
  // This device remembers the code, but another one does not.
  await page.reload();
  await ready(page);
  const other = await open(browser, "desktop");
  await other.goto(started.sign_url);
  await other.locator("#code").waitFor();
  assert.equal(await other.locator("document-page").count(), 0);
});

test("a request for a second code at once must wait, in each language and without serious faults", async () => {
  for (const [language, words] of [
    ["ko", /방금 인증번호를 보냈습니다/],
    ["en", /We just sent a code/],
    ["ja", /確認コードを送信したばかりです/],
  ]) {
    const started = await guarded();
    const page = await open(browser, "desktop", { colorScheme: language === "ja" ? "dark" : "light" });
    await page.goto(started.sign_url.replace("lang=en", `lang=${language}`));
    await page.locator("button.primary").click();
    await page.locator("#code").waitFor();
    assert.deepEqual(await seriousFaults(page), []);
    await page.locator("main button:not(.primary)").click();
    await page.locator("#code-fault:not(:empty)").waitFor();
    assert.match(await page.locator("#code-fault").textContent(), words);
    assert.deepEqual(await seriousFaults(page), []);
    assert.deepEqual(page.faults, []);
  }
});
