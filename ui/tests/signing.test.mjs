// The main flow through the pages, in a real browser against the real program: a document is filled in and signed.

import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import {
  approve,
  field,
  fill,
  fillFirst,
  open,
  openSigning,
  pressAndFollow,
  ready,
  resize,
  seriousFaults,
  sign,
  SIZES,
} from "./browser.mjs";
import { browser, server, withServer } from "./with-server.mjs";

withServer();

async function fillSecond(page) {
  await fill(page, "Employer", "박서연");
  await sign(page, "Employer signature");
}

test("two writers complete a document, the first on a phone with the pointer, and fetch it sealed", async () => {
  const started = await server.startWorkflow();
  const first = await openSigning(browser, "phone", started.sign_url);
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

  const second = await openSigning(browser, "desktop", between.playing_url);
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
    `attachment; filename="geunrogyeyakseo.pdf"; filename*=UTF-8''${encodeURIComponent("근로계약서.pdf")}`,
  );
  const file = join(mkdtempSync(join(tmpdir(), "countersign-ui-")), "sealed.pdf");
  const bytes = Buffer.from(await answer.arrayBuffer());
  writeFileSync(file, bytes);
  assert.equal(server.verify(file), 0);

  // The verify page confirms it, and detects one changed byte.
  const verify = await open(browser, "phone");
  await verify.goto(`${server.base}/verify?lang=en`);
  assert.deepEqual(await seriousFaults(verify), []);
  await verify.setInputFiles("input[type=file]", file);
  await verify.waitForSelector("#verdict-1");
  assert.equal(await verify.locator("#verdict-1").textContent(), "Genuine and unchanged");
  assert.deepEqual(await seriousFaults(verify), []);
  const changed = Buffer.from(bytes);
  changed[400] ^= 1;
  await verify.setInputFiles("input[type=file]", { name: "changed.pdf", mimeType: "application/pdf", buffer: changed });
  await verify.waitForSelector(".notice.bad #verdict-1");
  assert.deepEqual(verify.faults, []);
});

test("what is typed is kept, and is there again after the tab was closed", async () => {
  const started = await server.startWorkflow();
  const page = await openSigning(browser, "phone", started.sign_url);
  const saved = page.waitForResponse((answer) => answer.url().endsWith("/sign/drafts") && answer.ok());
  await fill(page, "Name", "반쯤 쓴 이름");
  await saved;
  const uploaded = page.waitForResponse((answer) => answer.url().endsWith("/sign/files") && answer.ok());
  await sign(page, "Signature");
  await uploaded;
  await page.context().close();
  // Opens the document on another device, which shows that it was changed elsewhere.
  const again = await openSigning(browser, "desktop", started.sign_url);
  assert.match(await again.locator("#continued").textContent(), /earlier entries/);
  assert.equal(await field(again, "Name").locator("input").inputValue(), "반쯤 쓴 이름");
  await again.waitForFunction(() => document.querySelector('.field.mine[data-name="Signature"] img')?.naturalWidth > 0);
});

test("what is typed is shown in the letters of the stamp, and what would not fit is said in words", async () => {
  const started = await server.startWorkflow();
  const page = await openSigning(browser, "desktop", started.sign_url);
  const name = field(page, "Name");
  await fill(page, "Name", "김민준 محمد 👍");
  await name.locator("svg.ink path").waitFor({ state: "attached" });
  assert.match(await name.locator("svg.ink path").getAttribute("d"), /^m/);
  // During typing, the box shows the control's own letters.
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

  const phone = await openSigning(browser, "phone", started.sign_url);
  await field(phone, "Name").locator("button.open").click();
  await phone.locator("#sheet-entry").fill("이름 𓀀");
  await phone.waitForFunction(() => document.querySelector("#sheet-fault").textContent.includes("U+13000"));
  assert.deepEqual(phone.faults, []);
});

test("without a connection nothing is lost, and it is saved when the connection is back", async () => {
  const started = await server.startWorkflow();
  const page = await openSigning(browser, "desktop", started.sign_url);
  await page.context().setOffline(true);
  await fill(page, "Name", "오프라인");
  await page.waitForSelector('#trouble:has-text("No connection")');
  // The browser's own error page does not replace this page.
  await page.locator('.languages a[lang="ja"]').click();
  await page.waitForSelector('#trouble:has-text("when you’re online")');
  await page.locator("#original").click();
  assert.equal(await field(page, "Name").locator("input").inputValue(), "오프라인");
  const saved = page.waitForResponse((answer) => answer.url().endsWith("/sign/drafts") && answer.ok());
  await page.context().setOffline(false);
  await saved;
  await page.waitForSelector('#save-state[data-state="saved"]');
  assert.equal(await page.locator("#trouble").textContent(), "");
  const again = await openSigning(browser, "desktop", started.sign_url);
  assert.equal(await field(again, "Name").locator("input").inputValue(), "오프라인");
});

test("another language is chosen without losing what was typed, even what is refused", async () => {
  const started = await server.startWorkflow();
  const page = await openSigning(browser, "desktop", started.sign_url);
  await sign(page, "Signature");
  await fill(page, "Salary", "12");
  await fill(page, "Salary", "12a");
  await fill(page, "Name", "김민준");
  // Immediately, before either is saved.
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

test("the guide leads from one required field to the next, by keyboard alone", async () => {
  const started = await server.startWorkflow();
  const page = await openSigning(browser, "desktop", started.sign_url);
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
  // A skipped signature does not block the other fields.
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
  // The focus is on the title. Pressing Enter again chooses nothing, and in particular does not decline.
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
  const page = await openSigning(browser, "phone", address);
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
  const page = await openSigning(browser, "desktop", address);
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
  assert.equal(
    await page.evaluate(() => document.activeElement.textContent),
    await dialog.locator("[type=submit]").textContent(),
  );
  // Browsers let a persistent user leave the dialog. The page then shows the message.
  await press();
  await dialog.evaluate((element) => element.close());
  await held.pop().abort("connectionreset");
  await page.waitForSelector("#trouble:not(:empty)");
  await page.unroute("**/sign/reject");
});

test("where the screen becomes another one, turned, unfolded or enlarged, the keyboard stays in the field", async () => {
  const { sign_url: address } = await server.startWorkflow();
  const page = await openSigning(browser, "desktop", address);
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
  const page = await openSigning(browser, "phone", started.sign_url);
  await field(page, "Salary").locator("button.open").click();
  await page.locator("#sheet-entry").fill("much");
  assert.match(await page.locator("#sheet-fault").textContent(), /number/);
  // The field can be left as it is, and its box says so.
  await page.locator("#sheet .actions [data-close]").tap();
  assert.equal(await page.locator("#sheet").isVisible(), false);
  assert.equal(await field(page, "Salary").getByRole("alert").isVisible(), true);
  await field(page, "Salary").locator("button.open").click();
  assert.equal(await page.locator("#sheet-entry").inputValue(), "much");
  // As a Japanese keyboard enters it.
  await page.locator("#sheet-entry").fill("１，２００");
  assert.equal(await page.locator("#sheet-fault").isVisible(), false);
  // Continues with the required fields, where a check mark gets a large control too.
  await page.locator("#sheet-next").tap();
  await page.locator("#sheet-entry").fill("2026-12-01");
  await page.locator("#sheet-next").tap();
  assert.equal(await page.locator("#sheet-label").textContent(), "Agreed (required)");
  assert.deepEqual(await seriousFaults(page), []);
  await page.locator("#sheet .choice").tap();
  assert.equal(await field(page, "Agreed").locator("input").isChecked(), true);

  // As it will be stamped.
  await field(page, "Salary").locator("button.open", { hasText: "1,200" }).waitFor();
  // For a field that is edited on the page, the message is below it.
  const wide = await openSigning(browser, "desktop", started.sign_url);
  const salary = field(wide, "Salary");
  await salary.locator("input").fill("");
  await wide.keyboard.type("12a");
  assert.match(await salary.getByRole("alert").textContent(), /number/);
  assert.equal(await salary.getByRole("alert").isVisible(), true);
  assert.deepEqual(await seriousFaults(wide), []);
  await wide.keyboard.press("Backspace");
  assert.equal(await salary.getByRole("alert").count(), 0);
});
