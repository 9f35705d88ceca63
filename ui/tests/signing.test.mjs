// The main job through the pages, in a real browser against the real program.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { approve, closePages, field, fill, launch, open, pressAndFollow, pressAndSeeClosed, ready, resize, seriousFaults, sign, SIZES } from "./browser.mjs";
import { Installation } from "./installation.mjs";
import { signingLink } from "./mail_server.mjs";

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

/** Opens a signing page and waits until it can be filled in. */
async function openSigning(size, address, options) {
  const page = await open(browser, size, options);
  await page.goto(address);
  await ready(page);
  return page;
}

/** Fills what the first writer must. */
async function fillFirst(page) {
  await fill(page, "Name", "김민준");
  await fill(page, "First day", "2026-12-01");
  await field(page, "Agreed").locator("input").click();
  await sign(page, "Signature");
}

async function fillSecond(page) {
  await fill(page, "Employer", "박서연");
  await sign(page, "Employer signature");
}

test("two writers complete a document, the first on a phone with the pointer, and fetch it sealed", async () => {
  const started = await server.startWorkflow();
  const first = await openSigning("phone", started.sign_url);
  assert.deepEqual(await seriousFaults(first), []);
  await fillFirst(first);
  await fill(first, "Salary", "3,500,000");
  await fill(first, "Remarks", "연장 근로는 월 12시간 이내\n그 밖은 취업 규칙에 따름");
  await fill(first, "Team", "Tokyo");
  await field(first, "Kind").nth(1).locator("input").click();
  assert.match(await first.locator("#progress-text").textContent(), /4 of 4/);
  await approve(first, "Thank you");
  assert.deepEqual(await seriousFaults(first), []);
  assert.deepEqual(first.faults, []);

  const between = await server.workflow(started.workflow_id);
  assert.equal(between.status, "Playing");
  const values = Object.fromEntries(between.field_list.map(({ name, value }) => [name, value]));
  assert.equal(values.Name, "김민준");
  assert.equal(values.Salary, "3,500,000");
  assert.equal(values["First day"], "2026-12-01");
  assert.equal(values.Agreed, "Y");
  assert.equal(values.Kind, "part time");
  assert.equal(values.Team, "Tokyo");
  assert.equal(values.Remarks, "연장 근로는 월 12시간 이내\n그 밖은 취업 규칙에 따름");

  const second = await openSigning("desktop", between.playing_url);
  assert.equal(await second.locator('.field.other[data-name="Name"] .value').textContent(), "김민준");
  assert.equal(await second.locator('.field.other[data-name="Signature"] img').evaluate((image) => image.naturalWidth > 0), true);
  assert.deepEqual(await seriousFaults(second), []);
  await fillSecond(second);
  await approve(second);
  assert.match(await second.locator("#done-text").textContent(), /complete/);
  assert.deepEqual(second.faults, []);

  const complete = await server.workflow(started.workflow_id);
  assert.equal(complete.status, "Complete");
  const viewer = await open(browser, "phone");
  await viewer.goto(complete.download_url);
  const picture = viewer.locator(".sheet-pages img").first();
  await picture.waitFor();
  await viewer.waitForFunction(() => document.querySelector(".sheet-pages img").naturalWidth > 0);
  assert.deepEqual(await seriousFaults(viewer), []);
  const address = new URL(await viewer.locator("a.button.primary").getAttribute("href"), server.base);
  const answer = await fetch(address);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("content-type"), "application/pdf");
  assert.equal(
    answer.headers.get("content-disposition"),
    `attachment; filename="_____.pdf"; filename*=UTF-8''${encodeURIComponent("근로계약서.pdf")}`,
  );
  const file = join(mkdtempSync(join(tmpdir(), "countersign-ui-")), "sealed.pdf");
  const bytes = Buffer.from(await answer.arrayBuffer());
  writeFileSync(file, bytes);
  assert.equal(server.verify(file), 0);

  // The verify page says the same, and notices one changed byte.
  const verify = await open(browser, "phone");
  await verify.goto(`${server.base}/verify?lang=en`);
  assert.deepEqual(await seriousFaults(verify), []);
  await verify.setInputFiles("input[type=file]", file);
  await verify.click("button[type=submit]");
  await verify.waitForSelector("#verdict");
  assert.equal(await verify.locator("#verdict").textContent(), "Genuine and unchanged");
  assert.deepEqual(await seriousFaults(verify), []);
  const changed = Buffer.from(bytes);
  changed[400] ^= 1;
  await verify.setInputFiles("input[type=file]", { name: "changed.pdf", mimeType: "application/pdf", buffer: changed });
  await verify.click("button[type=submit]");
  await verify.waitForSelector(".notice.bad #verdict");
  assert.deepEqual(verify.faults, []);
});

test("what is typed is kept, and is there again after the tab was closed", async () => {
  const started = await server.startWorkflow();
  const page = await openSigning("phone", started.sign_url);
  const saved = page.waitForResponse((answer) => answer.url().endsWith("/sign/drafts") && answer.ok());
  await fill(page, "Name", "반쯤 쓴 이름");
  await saved;
  const uploaded = page.waitForResponse((answer) => answer.url().endsWith("/sign/files") && answer.ok());
  await sign(page, "Signature");
  await uploaded;
  await page.context().close();
  // On another device, which says so.
  const again = await openSigning("desktop", started.sign_url);
  assert.match(await again.locator("#continued").textContent(), /filled in earlier/);
  assert.equal(await field(again, "Name").locator("input").inputValue(), "반쯤 쓴 이름");
  await again.waitForFunction(() => document.querySelector('.field.mine[data-name="Signature"] img')?.naturalWidth > 0);
});

test("what is typed is shown in the letters of the stamp, and what would not fit is said in words", async () => {
  const started = await server.startWorkflow();
  const page = await openSigning("desktop", started.sign_url);
  const name = field(page, "Name");
  await fill(page, "Name", "김민준 محمد 👍");
  await name.locator("svg.ink path").waitFor({ state: "attached" });
  assert.match(await name.locator("svg.ink path").getAttribute("d"), /^m/);
  // While it is written in, the box shows the control's own letters.
  await name.locator("input").focus();
  assert.equal(await name.locator("svg.ink").isVisible(), false);
  await fill(page, "Salary", "3500000");
  assert.equal(await name.locator("svg.ink").isVisible(), true);

  await fill(page, "Name", "가".repeat(125));
  await page.waitForSelector('.field[data-name="Name"][data-fault]');
  assert.match(await name.locator("input").getAttribute("title"), /does not fit/);
  assert.equal(await name.locator("svg.ink").count(), 0);
  await page.reload();
  await ready(page);
  assert.match(await field(page, "Name").locator("input").getAttribute("title"), /does not fit/);
  await page.context().close();

  const phone = await openSigning("phone", started.sign_url);
  await field(phone, "Name").locator("button.open").click();
  await phone.locator("#sheet-entry").fill("이름 𓀀");
  await phone.waitForFunction(() => document.querySelector("#sheet-fault").textContent.includes("U+13000"));
  assert.deepEqual(phone.faults, []);
});

test("without a connection nothing is lost, and it is saved when the connection is back", async () => {
  const started = await server.startWorkflow();
  const page = await openSigning("desktop", started.sign_url);
  await page.context().setOffline(true);
  await fill(page, "Name", "오프라인");
  await page.waitForSelector('#trouble:has-text("No connection")');
  // The page is not left for one of the browser's own.
  await page.locator('.languages a[lang="ja"]').click();
  await page.waitForSelector('#trouble:has-text("when you are online")');
  await page.locator("#original").click();
  assert.equal(await field(page, "Name").locator("input").inputValue(), "오프라인");
  const saved = page.waitForResponse((answer) => answer.url().endsWith("/sign/drafts") && answer.ok());
  await page.context().setOffline(false);
  await saved;
  await page.waitForSelector('#save-state[data-state="saved"]');
  assert.equal(await page.locator("#trouble").textContent(), "");
  const again = await openSigning("desktop", started.sign_url);
  assert.equal(await field(again, "Name").locator("input").inputValue(), "오프라인");
});

test("another language is chosen without losing what was typed, even what is refused", async () => {
  const started = await server.startWorkflow();
  const page = await openSigning("desktop", started.sign_url);
  await sign(page, "Signature");
  await fill(page, "Salary", "12");
  await fill(page, "Salary", "12a");
  await fill(page, "Name", "김민준");
  // At once: neither is saved yet.
  await pressAndFollow(page, '.languages a[hreflang="ja"]');
  await page.waitForSelector('html[lang="ja"]');
  await ready(page);
  assert.equal(await field(page, "Name").locator("input").inputValue(), "김민준");
  await page.waitForFunction(() => document.querySelector('.field.mine[data-name="Signature"] img')?.naturalWidth > 0);
  assert.match(await page.locator("#next").textContent(), /必須項目/);
  const salary = field(page, "Salary");
  assert.equal(await salary.locator("input").inputValue(), "12a");
  assert.match(await salary.locator(".words").textContent(), /数値/);
  await fill(page, "Salary", "12");
  await page.waitForFunction(() => localStorage.length === 0);
});

test("who presses twice, or approves in a second tab, has approved once", async () => {
  const started = await server.startWorkflow();
  const first = await openSigning("desktop", started.sign_url);
  await fillFirst(first);
  await first.waitForFunction(() => localStorage.length === 0);
  const second = await first.context().newPage();
  await second.goto(started.sign_url);
  await ready(second);
  // What one tab saves the other shows when somebody comes back to it.
  await fill(second, "Name", "이서연");
  await second.waitForSelector('#save-state[data-state="saved"]');
  // Until it has heard of it: what one tab tells the other takes its time.
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
  // It is told what the other tab did.
  await second.waitForSelector(".says h1");
  assert.equal(await second.locator("h1").textContent(), "You have already approved");
  const { history } = await server.workflow(started.workflow_id);
  assert.equal(history.filter((entry) => JSON.stringify(entry).includes('"approved"')).length, 1);
  assert.deepEqual([...first.faults], []);
});

test("who taps twice opens a dialog, and presses nothing that came up under the finger", async () => {
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
  // A moment later a tap beside it closes it, as ever.
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

test("the guide leads from one required field to the next, by keyboard alone", async () => {
  const started = await server.startWorkflow();
  const page = await openSigning("desktop", started.sign_url);
  await page.focus("#next");
  await page.keyboard.press("Enter");
  await page.keyboard.type("김민준");
  assert.equal(await field(page, "Name").locator("input").inputValue(), "김민준");
  await page.focus("#next");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.closest(".field").dataset.name), "First day");
  await field(page, "First day").locator("input").fill("2026-12-01");
  await page.focus("#next");
  await page.keyboard.press("Enter");
  // Left open, it is not in the way of the others.
  await page.focus("#next");
  await page.keyboard.press("Enter");
  await page.locator("#consent-dialog[open]").waitFor();
  await page.keyboard.press("Escape");
  await page.focus("#next");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.closest(".field").dataset.name), "Agreed");
  await page.keyboard.press("Space");
  assert.equal(await field(page, "Agreed").locator("input").isChecked(), true);
  await page.focus("#next");
  await page.keyboard.press("Enter");
  await page.locator("#consent-dialog[open]").waitFor();
  // Read from its title on: who presses on has chosen nothing, least of all to decline.
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "consent-title");
  await page.locator("#consent-dialog[open]").waitFor();
  await page.locator("#consent-dialog [type=submit]").focus();
  await page.keyboard.press("Enter");
  await page.locator("#pad[open]").waitFor();
  await page.locator("#tab-draw").focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.locator("#tab-type").getAttribute("aria-selected"), "true");
  await page.locator("#pad [type=submit]").focus();
  await page.keyboard.press("Enter");
  await page.locator("#pad[open]").waitFor({ state: "detached" });
  assert.equal(await page.locator("#approve").isVisible(), true);
  await page.locator("#approve").focus();
  await page.keyboard.press("Enter");
  await page.locator("#approve-dialog[open]").waitFor();
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "approve-title");
  await page.locator("#approve-dialog [type=submit]").focus();
  await page.keyboard.press("Enter");
  await page.locator("#done-dialog[open]").waitFor();
  assert.equal((await server.workflow(started.workflow_id)).status, "Playing");
  assert.deepEqual(page.faults, []);
});

test("a dialog that closes takes the keyboard from nobody, and gives it back where nobody has it", async () => {
  const { sign_url: address } = await server.startWorkflow();
  const page = await openSigning("phone", address);
  /** Closes it by its own button and goes on in the same breath; answers where the keyboard is once the close was told. */
  const close = (dialog, to) =>
    page.evaluate(
      async ({ dialog, to }) => {
        const open = document.querySelector(dialog);
        const told = new Promise((done) => open.addEventListener("close", () => setTimeout(done), { once: true }));
        open.querySelector("[data-close]").click();
        if (to) document.querySelector(to).focus();
        else document.activeElement.blur();
        await told;
        return document.activeElement.id || document.activeElement.className;
      },
      { dialog, to },
    );
  for (const [opener, dialog, place] of [
    [field(page, "Name").locator("button.open"), "#sheet", "open"],
    [page.locator("#reject"), "#reject-dialog", "reject"],
  ]) {
    await opener.click();
    assert.equal(await close(dialog, "#zoom-in"), "zoom-in", dialog);
    await opener.click();
    assert.equal(await close(dialog, null), place, dialog);
  }
});

test("while an answer is on its way its dialog stays; what failed is said, and the keyboard is where it was", async () => {
  const { sign_url: address } = await server.startWorkflow();
  const page = await openSigning("desktop", address);
  const held = [];
  await page.route("**/sign/reject", (route) => void held.push(route));
  const dialog = page.locator("#reject-dialog");
  await page.click("#reject");
  await page.fill("#reject-reason", "-");
  const press = async () => {
    await dialog.locator("[type=submit]").focus();
    const asked = page.waitForRequest("**/sign/reject");
    await page.keyboard.press("Enter");
    await asked;
  };
  await press();
  await page.keyboard.press("Escape");
  assert.equal(await dialog.isVisible(), true);
  await held.pop().abort("connectionreset");
  await dialog.locator(".fault:not(:empty)").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.textContent), await dialog.locator("[type=submit]").textContent());
  // A browser holds nobody who insists: the page says it then.
  await press();
  await dialog.evaluate((element) => element.close());
  await held.pop().abort("connectionreset");
  await page.waitForSelector("#trouble:not(:empty)");
  await page.unroute("**/sign/reject");
});

test("where the screen becomes another one, turned, unfolded or enlarged, the keyboard stays in the field", async () => {
  const { sign_url: address } = await server.startWorkflow();
  const page = await openSigning("desktop", address);
  const { viewport: narrow } = SIZES.phone;
  const { viewport: wide } = SIZES.desktop;
  const resized = async (size) => {
    await resize(page, size);
    return await page.evaluate(() => document.activeElement.id || document.activeElement.closest(".field")?.dataset.name);
  };
  await field(page, "Name").locator("input").focus();
  assert.equal(await resized(narrow), "Name");
  assert.equal(await resized(wide), "Name");
  await page.click("#guide-toggle");
  await page.keyboard.type("김");
  assert.equal(await resized(narrow), "guide-entry");
  await page.keyboard.type("민준");
  assert.equal(await resized(wide), "Name");
  assert.equal(await field(page, "Name").locator("input").inputValue(), "김민준");
});

test("a wrong number is said in words and not sent", async () => {
  const started = await server.startWorkflow();
  const page = await openSigning("phone", started.sign_url);
  await field(page, "Salary").locator("button.open").click();
  await page.locator("#sheet-entry").fill("much");
  assert.match(await page.locator("#sheet-fault").textContent(), /number/);
  // It can be left as it is; the box says so.
  await page.locator("#sheet .actions .button:not(.primary)").tap();
  assert.equal(await page.locator("#sheet").isVisible(), false);
  assert.equal(await field(page, "Salary").getByRole("alert").isVisible(), true);
  await field(page, "Salary").locator("button.open").click();
  assert.equal(await page.locator("#sheet-entry").inputValue(), "much");
  // As a Japanese keyboard writes it.
  await page.locator("#sheet-entry").fill("１，２００");
  assert.equal(await page.locator("#sheet-fault").isVisible(), false);
  // On to what is required: a mark is as large there as what is written.
  await page.locator("#sheet-next").tap();
  await page.locator("#sheet-entry").fill("2026-12-01");
  await page.locator("#sheet-next").tap();
  assert.equal(await page.locator("#sheet-label").textContent(), "Agreed (required)");
  assert.deepEqual(await seriousFaults(page), []);
  await page.locator("#sheet .choice").tap();
  assert.equal(await field(page, "Agreed").locator("input").isChecked(), true);

  // As it will be stamped.
  await field(page, "Salary").locator("button.open", { hasText: "1,200" }).waitFor();
  // Where it is written on the page, the words stand under it.
  const wide = await openSigning("desktop", started.sign_url);
  const salary = field(wide, "Salary");
  await salary.locator("input").fill("");
  await wide.keyboard.type("12a");
  assert.match(await salary.getByRole("alert").textContent(), /number/);
  assert.equal(await salary.getByRole("alert").isVisible(), true);
  assert.deepEqual(await seriousFaults(wide), []);
  await wide.keyboard.press("Backspace");
  assert.equal(await salary.getByRole("alert").count(), 0);
});

test("what cannot be taken is never approved as what stood there before: the page leads back to it", async () => {
  const started = await server.startWorkflow();
  const page = await openSigning("desktop", started.sign_url);
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
  const page = await openSigning("desktop", started.sign_url);
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
  const page = await openSigning("phone", started.sign_url);
  await fillFirst(page);
  // The request reaches the server; the answer does not come back.
  await page.route("**/sign/approve", async (route) => {
    await route.fetch();
    await route.abort();
  }, { times: 1 });
  await page.click("#approve");
  await page.click("#approve-dialog [type=submit]");
  await page.waitForFunction(() => document.querySelector("#approve-dialog .fault").textContent !== "");
  await page.click("#approve-dialog [type=submit]");
  await page.locator("#done-dialog[open]").waitFor();
  const workflow = await server.workflow(started.workflow_id);
  assert.equal(workflow.history.filter((entry) => JSON.stringify(entry).includes("approved")).length, 1);
});

test("who approves reads to whom a message goes and where it stands, and one word names the act", async () => {
  const words = {
    ko: ["승인", "문서 승인", "보낸 사람에게 보낼 메시지(선택)", "이력 증명서에도 표시됩니다.", "승인했습니다. 감사합니다.", "이미 승인한 문서입니다"],
    ja: ["承認", "文書の承認", "送信者へのメッセージ（任意）", "履歴証明書にも記載されます。", "承認しました。ありがとうございます。", "すでに承認済みです"],
    en: ["Approve", "Approve this document", "Message to the sender (optional)", "It appears in the history certificate, too.", "Approved. Thank you.", "You have already approved"],
  };
  for (const [language, [act, title, message, where, done, later]] of Object.entries(words)) {
    const started = await server.startWorkflow({ language });
    const page = await openSigning(language === "en" ? "desktop" : "phone", started.sign_url);
    await fillFirst(page);
    assert.equal((await page.locator("#approve").textContent()).trim(), act);
    await page.click("#approve");
    const dialog = page.locator("#approve-dialog");
    assert.equal(await dialog.locator("h2").textContent(), title);
    assert.equal(await dialog.locator("[type=submit]").textContent(), act);
    const entry = dialog.getByRole("textbox", { name: message, exact: true });
    const described = await entry.evaluate((area) =>
      area.getAttribute("aria-describedby").split(" ").map((id) => document.getElementById(id).textContent),
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
  const page = await openSigning("phone", started.sign_url);
  await page.click("#reject");
  await page.click("#reject-dialog [type=submit]");
  assert.equal(await page.locator("#reject-dialog .fault").textContent(), "Please give a reason.");
  assert.deepEqual(await seriousFaults(page), []);
  await page.fill("#reject-reason", "금액이 다릅니다");
  await page.click("#reject-dialog [type=submit]");
  await page.locator("#done-dialog[open]").waitFor();
  assert.equal((await server.workflow(started.workflow_id)).status, "Rejected");
  const answer = await page.goto(started.sign_url);
  assert.equal(answer.status(), 410);
  assert.equal(await page.locator("h1").textContent(), "You rejected this document");
});

test("closing the popup tells the page that opened it, without personal data, and closes the window", async () => {
  const started = await server.startWorkflow();
  // The customer's own page, on another origin.
  const customer = createServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><title>customer</title><script>window.got = []; addEventListener('message', (event) => got.push(event.data));</script>");
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
    // The message crosses from one process of the browser to another.
    await opener.waitForFunction(() => window.got.length > 0);
    assert.deepEqual(await opener.evaluate(() => window.got), [
      { source: "countersign", event: "completed", workflow_id: started.workflow_id, result: "approved" },
    ]);
  } finally {
    customer.close();
  }
});

test("a window that no script opened offers no button that closes it, unless a program asked to be told", async () => {
  for (const [address, offers] of [["", false], ["&callback_fn=true", true]]) {
    const started = await server.startWorkflow();
    const page = await openSigning("phone", `${started.sign_url}${address}&next_sign=false`);
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
  // By mail: a link that a program was given does not show whose the address is.
  const mailing = await server.withMail();
  const send = (workflow_name) => mailing.startWorkflow({ recipient_list: people, workflow_name, export_api_info: undefined });
  for (const name of ["첫 문서", "둘째 문서", "비밀유지계약서"]) await send(name);
  const link = await signingLink(await server.mails(), people[0].email, "첫 문서");
  const quiet = await openSigning("phone", `${link}&next_sign=false`);
  const answered = quiet.waitForResponse((response) => response.url().includes("/sign/approve"));
  await fillFirst(quiet);
  await approve(quiet);
  assert.equal("next_url" in (await (await answered).json()), false);
  assert.equal(await quiet.locator("#done-next").count(), 0);
  const page = await openSigning("phone", await signingLink(await server.mails(), people[0].email, "둘째 문서"));
  await fillFirst(page);
  await approve(page);
  assert.equal(await page.locator("#done-next").isVisible(), true);
  await pressAndFollow(page, "#done-next");
  await ready(page);
  assert.equal(await page.locator("h1").textContent(), "비밀유지계약서");
});

test("an embedded document offers no next one, whoever else has its address", async () => {
  const started = await server.startWorkflow();
  await server.startWorkflow();
  const page = await openSigning("phone", started.sign_url);
  await fillFirst(page);
  await approve(page);
  assert.equal(await page.locator("#done-next").isVisible(), false);
});

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

  // The proof of the code ends while he writes: it is asked for again, and nothing is lost.
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
  const page = await openSigning("desktop", started.sign_url);
  await fillFirst(page);
  await approve(page);
  const before = await server.workflow(started.workflow_id);
  const answer = await page.goto(started.sign_url);
  assert.equal(answer.status(), 409);
  assert.equal(await page.locator("h1").textContent(), "You have already approved");
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
  // A browser that loads it ahead does not.
  const reader = await open(browser, "phone");
  await reader.route("**/ahead", (route) =>
    route.fulfill({ contentType: "text/html", body: `<!doctype html><title>ahead</title><link rel="prefetch" href="${started.sign_url}">` }),
  );
  const ahead = reader.waitForEvent("requestfinished", (request) => request.url() === started.sign_url);
  await reader.goto(`${server.base}/ahead`);
  assert.equal(await (await ahead).headerValue("sec-purpose"), "prefetch");
  assert.equal(await seen(), false);
  // Nor one that prepares it out of sight, scripts and all, until a person comes to it.
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
  assert.match(await answer.text(), /<html lang="ja">/);
});

test("a preview can be tried and keeps nothing", async () => {
  const { preview_url } = await server.startWorkflow({ is_preview: true });
  const page = await openSigning("phone", preview_url);
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
  assert.match(await page.locator("#done-text").textContent(), /would be rejected/);
  assert.deepEqual(sent, []);
  assert.deepEqual(await seriousFaults(page), []);
});

test("a member signs in, passes a message's link on, and signs out", async () => {
  // Not embedded: the request to sign goes to the outbox, since no mail server is set up.
  const started = await server.startWorkflow({ export_api_info: undefined, workflow_name: "보낼 문서" });
  const page = await open(browser, "phone", { locale: "en-US" });
  await page.goto(`${server.base}/outbox`);
  assert.match(page.url(), /\/sign-in\?/);
  assert.deepEqual(await seriousFaults(page), []);
  await page.fill("#company", server.member.company);
  await page.fill("#email", server.member.email);
  await page.fill("#password", "wrong");
  await pressAndFollow(page, "[type=submit]");
  assert.equal(await page.locator('[role="alert"]').textContent(), "Company, e-mail or password is not right.");
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
  await page.getByRole("button", { name: "링크 복사" }).or(page.getByRole("button", { name: "Copy link" })).click();
  await page.waitForSelector(".copied");
  assert.deepEqual(await seriousFaults(page), []);
  const link = await page.locator(".copied").textContent();
  assert.match(link, /\/mail\/sign\?token=/);
  const signing = await openSigning("phone", link);
  assert.equal(await signing.locator("h1").textContent(), "보낼 문서");
  await page.goto(`${server.base}/outbox`);
  await pressAndFollow(page, "form button");
  assert.match(page.url(), /sign-in/);
  await page.goto(`${server.base}/outbox`);
  assert.match(page.url(), /sign-in/);
  assert.ok(started.workflow_id);
  assert.deepEqual(page.faults, []);
});
