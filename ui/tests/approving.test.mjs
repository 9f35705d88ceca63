// How a signer ends their turn: one approval or rejection, refusals with their reasons, and the links to the next page.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import {
  approve,
  field,
  fill,
  fillFirst,
  open,
  openSigning,
  pressAndFollow,
  pressAndSeeClosed,
  ready,
  seriousFaults,
} from "./browser.mjs";
import { browser, server, withServer } from "./with-server.mjs";
import { signingLink } from "./mail_server.mjs";

withServer();

test("a signer who presses twice, or approves in a second tab, has approved once", async () => {
  const started = await server.startWorkflow();
  const first = await openSigning(browser, "desktop", started.sign_url);
  await fillFirst(first);
  await first.waitForFunction(() => localStorage.length === 0);
  const second = await first.context().newPage();
  await second.goto(started.sign_url);
  await ready(second);
  // A value saved in one tab appears in the other when the signer returns to it.
  await fill(second, "Name", "이서연");
  await second.waitForSelector('#save-state[data-state="saved"]');
  // Repeats until the message from the other tab has arrived, which takes a moment.
  const comeBack = () =>
    first.evaluate(() => {
      const again = setInterval(() => dispatchEvent(new Event("focus")), 50);
      addEventListener("beforeunload", () => clearInterval(again));
    });
  await Promise.all([first.waitForEvent("load"), comeBack()]);
  await ready(first);
  assert.equal(await field(first, "Name").locator("input").inputValue(), "이서연");
  const asked = [];
  for (const page of [first, second]) page.on("request", (request) => /approve/.test(request.url()) && asked.push(page));
  await first.click("#approve");
  await first.dblclick("#approve-dialog [type=submit]");
  await first.locator("#done-dialog[open]").waitFor();
  assert.deepEqual(asked, [first]);
  await second.click("#approve");
  await second.click("#approve-dialog [type=submit]");
  // The second tab learns what happened in the first.
  await second.waitForSelector(".says h1");
  assert.equal(await second.locator("h1").textContent(), "Your part is done");
  const { history } = await server.workflow(started.workflow_id);
  assert.equal(history.filter((entry) => JSON.stringify(entry).includes('"approved"')).length, 1);
  assert.deepEqual([...first.faults], []);
});

test("two taps open a dialog, and press nothing that came up under the finger", async () => {
  const started = await server.startWorkflow();
  const page = await open(browser, "phone");
  await page.clock.install();
  await page.goto(started.sign_url);
  await ready(page);
  const asked = [];
  page.on("request", (request) => /approve/.test(request.url()) && asked.push(request));
  let later = Date.now();
  /** Taps twice at the same moment: the page's clock stands until it is told to go on. */
  const twice = async (target) => {
    later += 60_000;
    await page.clock.pauseAt(later);
    const { x, y, width, height } = await target.boundingBox();
    for (let taps = 0; taps < 2; taps += 1) await page.touchscreen.tap(x + width / 2, y + height / 2);
  };
  await twice(page.locator("#next"));
  assert.equal(await page.locator("#sheet[open] #sheet-label").textContent(), "Name (required)");
  await page.clock.resume();
  await page.tap("#sheet [data-close]");
  await twice(field(page, "Name").locator("button.open"));
  assert.equal(await page.locator("#sheet").isVisible(), true);
  // A moment later, a tap outside closes it as usual.
  await page.clock.resume();
  await page.waitForSelector('#sheet[closedby="any"]');
  await page.touchscreen.tap(180, 20);
  await page.locator("#sheet").waitFor({ state: "hidden" });
  await fillFirst(page);
  await twice(page.locator("#approve"));
  assert.equal(await page.locator("#approve-dialog").isVisible(), true);
  assert.deepEqual(asked, []);
  await page.clock.resume();
  await page.tap("#approve-dialog [type=submit]");
  await page.locator("#done-dialog[open]").waitFor();
  assert.equal(asked.length, 1);
  assert.deepEqual(page.faults, []);
});

test("an entry that cannot be accepted is never approved as what was there before: the page leads back to it", async () => {
  const started = await server.startWorkflow();
  const page = await openSigning(browser, "desktop", started.sign_url);
  await fillFirst(page);
  await fill(page, "Salary", "12");
  await fill(page, "Salary", "12a");
  await page.click("#approve");
  await page.waitForSelector('.field.mine[data-name="Salary"][data-fault]');
  assert.equal(await page.locator("#approve-dialog").isVisible(), false);
  assert.equal((await server.workflow(started.workflow_id)).status, "Playing");
  await fill(page, "Salary", "13");
  await page.click("#approve");
  await page.click("#approve-dialog [type=submit]");
  await page.waitForSelector("#done-dialog[open]");
  const { field_list: values } = await server.workflow(started.workflow_id);
  assert.equal(values.find(({ name }) => name === "Salary").value, "13");
});

test("a text that cannot fit its box in the PDF is refused at the approval, and the page leads back to it", async () => {
  const started = await server.startWorkflow();
  const page = await openSigning(browser, "desktop", started.sign_url);
  await fillFirst(page);
  await fill(page, "Name", "긴 이름 ".repeat(30));
  await page.click("#approve");
  await page.click("#approve-dialog [type=submit]");
  await page.waitForSelector('.field.mine[data-name="Name"][data-fault]');
  await page.locator("#approve-dialog").waitFor({ state: "hidden" });
  const control = field(page, "Name").locator("input");
  assert.equal(await control.getAttribute("aria-invalid"), "true");
  assert.notEqual(await control.getAttribute("title"), "");
  assert.equal((await server.workflow(started.workflow_id)).status, "Playing");
});

test("an approval whose answer was lost is not made twice, and ends as done", async () => {
  const started = await server.startWorkflow();
  const page = await openSigning(browser, "phone", started.sign_url);
  await fillFirst(page);
  // The request reaches the server, but the answer is lost.
  await page.route(
    "**/sign/approve",
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
  await page.click("#approve");
  await page.click("#approve-dialog [type=submit]");
  await page.waitForFunction(() => document.querySelector("#approve-dialog .fault").textContent !== "");
  await page.click("#approve-dialog [type=submit]");
  await page.locator("#done-dialog[open]").waitFor();
  const workflow = await server.workflow(started.workflow_id);
  assert.equal(workflow.history.filter((entry) => JSON.stringify(entry).includes("approved")).length, 1);
});

test("a signer reads to whom a message goes and where it appears, and one word names the act: they sign, or approve", async () => {
  const words = {
    ko: [
      "서명",
      "문서 서명",
      "보낸 사람에게 보낼 메시지(선택)",
      "이력증명서에도 표시됩니다.",
      "서명했습니다. 감사합니다.",
      "이미 처리한 문서입니다",
    ],
    ja: [
      "署名",
      "文書への署名",
      "送信者へのメッセージ（任意）",
      "履歴証明書にも記載されます。",
      "署名しました。ありがとうございます。",
      "すでに対応済みです",
    ],
    en: [
      "Sign",
      "Sign this document",
      "Message to the sender (optional)",
      "It also appears in the history certificate.",
      "Signed. Thank you.",
      "Your part is done",
    ],
  };
  for (const [language, [act, title, message, where, done, later]] of Object.entries(words)) {
    const started = await server.startWorkflow({ language });
    const page = await openSigning(browser, language === "en" ? "desktop" : "phone", started.sign_url);
    await fillFirst(page);
    assert.equal((await page.locator("#approve").textContent()).trim(), act);
    await page.click("#approve");
    const dialog = page.locator("#approve-dialog");
    assert.equal(await dialog.locator("h2").textContent(), title);
    assert.equal(await dialog.locator("[type=submit]").textContent(), act);
    await dialog.locator("summary").click();
    const entry = dialog.getByRole("textbox", { name: message, exact: true });
    const described = await entry.evaluate((area) =>
      area
        .getAttribute("aria-describedby")
        .split(" ")
        .map((id) => document.getElementById(id).textContent),
    );
    assert.equal(described[0], where);
    assert.equal(await dialog.getByText(where).isVisible(), true);
    await entry.fill("잘 부탁드립니다");
    await dialog.locator("[type=submit]").click();
    await page.locator("#done-dialog[open]").waitFor();
    assert.equal(await page.locator("#done-title").textContent(), done);
    await page.goto(started.sign_url);
    assert.equal(await page.locator("h1").textContent(), later);
    assert.ok(JSON.stringify(await server.workflow(started.workflow_id)).includes("잘 부탁드립니다"));
    assert.deepEqual(page.faults, []);
  }
});

test("rejecting needs a reason and ends the document", async () => {
  const started = await server.startWorkflow();
  const page = await openSigning(browser, "phone", started.sign_url);
  await page.click("#reject");
  await page.click("#reject-dialog [type=submit]");
  assert.equal(await page.locator("#reject-dialog .fault").textContent(), "Enter a reason.");
  assert.deepEqual(await seriousFaults(page), []);
  await page.fill("#reject-reason", "금액이 다릅니다");
  await page.click("#reject-dialog [type=submit]");
  await page.locator("#done-dialog[open]").waitFor();
  assert.equal((await server.workflow(started.workflow_id)).status, "Rejected");
  const answer = await page.goto(started.sign_url);
  assert.equal(answer.status(), 410);
  assert.equal(await page.locator("h1").textContent(), "You declined this document");
});

test("closing the popup tells the page that opened it, without personal data, and closes the window", async () => {
  const started = await server.startWorkflow();
  // The customer's own page, on another origin.
  const customer = createServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end(
      "<!doctype html><title>customer</title><script>window.got = []; addEventListener('message', (event) => got.push(event.data));</script>",
    );
  }).listen(0, "127.0.0.1");
  try {
    const opener = await open(browser, "desktop");
    await opener.goto(`http://127.0.0.1:${customer.address().port}/`);
    const popup = opener.waitForEvent("popup");
    await opener.evaluate((address) => void window.open(address), `${started.sign_url}&callback_fn=true&next_sign=false`);
    const page = await popup;
    await ready(page);
    await fillFirst(page);
    await approve(page);
    assert.equal(await page.locator("#done-next").count(), 0);
    await pressAndSeeClosed(page, "#done-close");
    // The message takes a moment, because it crosses browser processes.
    await opener.waitForFunction(() => window.got.length > 0);
    assert.deepEqual(await opener.evaluate(() => window.got), [
      { source: "countersign", event: "completed", workflow_id: started.workflow_id, result: "approved" },
    ]);
  } finally {
    customer.close();
  }
});

test("a window that no script opened offers no button that closes it, unless a program asked for a message", async () => {
  for (const [address, offers] of [
    ["", false],
    ["&callback_fn=true", true],
  ]) {
    const started = await server.startWorkflow();
    const page = await openSigning(browser, "phone", `${started.sign_url}${address}&next_sign=false`);
    await fillFirst(page);
    await approve(page);
    assert.equal(await page.locator("#done-close").isVisible(), offers);
    if (offers) await page.click("#done-close");
    assert.equal(await page.locator("#done-rest:visible").textContent(), "You can close this window now.");
    assert.equal(await page.locator("#done-close").isVisible(), false);
    assert.equal(await page.evaluate(() => document.activeElement.closest("dialog")?.id), "done-dialog");
    assert.deepEqual(await seriousFaults(page), []);
    assert.deepEqual(page.faults, []);
  }
});

test("the next document of the same writer is offered, unless the address says not to", async () => {
  const people = [
    { order: 1, name: "이다음", email: "next@example.com" },
    { order: 2, name: "박서연", email: "seoyeon@example.com" },
  ];
  // By mail, because a link that was returned to a program does not prove who owns the address.
  const mailing = await server.withMail();
  const send = (workflow_name) => mailing.startWorkflow({ recipient_list: people, workflow_name, export_api_info: undefined });
  for (const name of ["첫 문서", "둘째 문서", "비밀유지계약서"]) await send(name);
  const link = await signingLink(await server.mails(), people[0].email, "첫 문서");
  const quiet = await openSigning(browser, "phone", `${link}&next_sign=false`);
  const answered = quiet.waitForResponse((response) => response.url().includes("/sign/approve"));
  await fillFirst(quiet);
  await approve(quiet);
  assert.equal("next_url" in (await (await answered).json()), false);
  assert.equal(await quiet.locator("#done-next").count(), 0);
  const page = await openSigning(browser, "phone", await signingLink(await server.mails(), people[0].email, "둘째 문서"));
  await fillFirst(page);
  await approve(page);
  assert.equal(await page.locator("#done-next").isVisible(), true);
  await pressAndFollow(page, "#done-next");
  await ready(page);
  assert.equal(await page.locator("h1").textContent(), "비밀유지계약서");
});

test("an embedded document offers no next one, no matter who else has its address", async () => {
  const started = await server.startWorkflow();
  await server.startWorkflow();
  const page = await openSigning(browser, "phone", started.sign_url);
  await fillFirst(page);
  await approve(page);
  assert.equal(await page.locator("#done-next").isVisible(), false);
});
