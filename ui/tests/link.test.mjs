// Someone opens a public link, enters their name and signs, on a phone, from the form to the end.

import assert from "node:assert/strict";
import { test } from "node:test";
import { approve, field, fill, open, pressAndFollow, ready, seriousFaults, sign } from "./browser.mjs";
import { browser, server, withServer } from "./with-server.mjs";
import { Receiver } from "./receiver.mjs";
import { word } from "../samples.mjs";

// One start per hour for each recipient's address.
withServer({ settings: { COUNTERSIGN_PUBLIC_LINKS__HOURLY_PER_ADDRESSEE: "1" } });

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

/** Kept where COUNTERSIGN_PICTURES names a folder, to be looked at. */
async function picture(page, name) {
  const folder = process.env.COUNTERSIGN_PICTURES;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
}

const documents = async () => (await server.call("GET", "/api/v3/workflows")).workflow_list.length;

async function fillForm(page, name, contact) {
  await page.fill("#name", name);
  await page.fill("#contact", contact);
  await page.check("#agree");
}

test("the form is headed by the name that the link gives its documents, as far as it is known", async () => {
  const page = await open(browser, "phone");
  const day = new Date(Date.now() + 9 * 3_600_000).toISOString().slice(0, 10);
  for (const [workflow_name, heading] of [
    ["회원 가입 신청서", "회원 가입 신청서"],
    ["회원 가입 신청서 ({name}, {date})", `회원 가입 신청서 (…, ${day})`],
    ["{name} {date}", "Employment agreement"],
  ]) {
    const link = await server.publicLink({ workflow_name });
    for (const language of ["ko", "ja", "en"]) {
      await page.goto(`${link.link_url.replace(/lang=\w+/, `lang=${language}`)}`);
      assert.equal(await page.locator("h1").textContent(), heading, language);
      assert.equal(await page.title(), `${heading} · Countersign`);
    }
    await picture(page, `link-heading-${heading.length}`);
  }
  assert.deepEqual(page.faults, []);
});

test("blanks around an address are none of it, for programs either", async () => {
  const receiver = new Receiver();
  await receiver.listen();
  const info = { url: receiver.address, api_type: "ALL", is_embed: true };
  const { link_url } = await server.publicLink({ export_api_info: info });
  const page = await open(browser, "phone");
  await page.goto(link_url);
  // The last character is invisible and comes from pasting out of an address book.
  await fillForm(page, "김민준", "\u3000blanks@example.com \u202c");
  await pressAndFollow(page, "main [type=submit]");
  await ready(page);
  const token = new URL(page.url()).searchParams.get("token");
  const answer = await fetch(`${server.base}/sign/reject`, {
    method: "POST",
    headers: { "content-type": "application/json", "link-token": token },
    body: JSON.stringify({ comment: "-" }),
  });
  assert.ok(answer.ok, await answer.text());
  const [told] = await receiver.count(1);
  receiver.close();
  assert.equal(JSON.parse(told.body).email, "blanks@example.com");
});

for (const [status, contact, members] of [
  [422, "minjun@", {}],
  [409, "taken@example.com", {}],
  // Another link, because this address has not used it.
  [429, "often@example.com", { duplicates: "many" }],
]) {
  test(`a visitor who chooses another language after a refusal (${status}) finds their entries, and has started nothing`, async () => {
    // Embedded documents send no mail, so they are not counted for a recipient's address.
    const { link_url } = await server.publicLink({ export_api_info: undefined, ...members });
    for (const size of ["phone", "desktop"]) {
      const page = await open(browser, size);
      if (status !== 422 && size === "phone") {
        await page.goto(link_url);
        await fillForm(page, "김민준", contact);
        await pressAndFollow(page, "main [type=submit]");
        await ready(page);
      }
      const before = await documents();
      await page.goto(link_url);
      await fillForm(page, "김민준", contact);
      const [answer] = await Promise.all([
        page.waitForNavigation({ waitUntil: "domcontentloaded" }),
        page.click("main [type=submit]"),
      ]);
      assert.equal(answer.status(), status);
      // Later changes are passed on, too.
      await page.fill("#name", "김 민준");
      for (const language of ["ja", "ko", "en"]) {
        await pressAndFollow(page, `.languages a[hreflang="${language}"]`);
        const shown = await page.evaluate(() => ({
          lang: document.documentElement.lang,
          name: document.querySelector("#name").value,
          contact: document.querySelector("#contact").value,
          agreed: document.querySelector("#agree").checked,
          button: document.querySelector("main [type=submit]").textContent,
        }));
        const button = word(language, "link-go-on");
        assert.deepEqual(shown, { lang: language, name: "김 민준", contact, agreed: true, button });
        assert.doesNotMatch(decodeURIComponent(page.url()), /민준|example|minjun|another/);
        await page.emulateMedia({ colorScheme: language === "ja" ? "dark" : "light" });
        await picture(page, `link-${status}-${size}-${language}`);
      }
      assert.equal(await documents(), before);
      assert.deepEqual(await seriousFaults(page), []);
      await page.fill("#contact", `${size}.${status}@example.com`);
      await pressAndFollow(page, "main [type=submit]");
      await ready(page);
      assert.equal(await documents(), before + 1);
      assert.deepEqual(page.faults, []);
      await page.context().close();
    }
  });
}

test("an empty form in another language stays empty, and Enter in it still goes on to the document", async () => {
  const { link_url } = await server.publicLink();
  const page = await open(browser, "desktop");
  await page.goto(link_url);
  await pressAndFollow(page, '.languages a[hreflang="ko"]');
  assert.deepEqual(await page.locator("main .fault:not(:empty), main [aria-invalid=true]").count(), 0);
  await fillForm(page, "이서연", "enter@example.com");
  await Promise.all([page.waitForNavigation({ waitUntil: "domcontentloaded" }), page.locator("#contact").press("Enter")]);
  await ready(page);
  assert.equal(await page.locator("html").getAttribute("lang"), "ko");
  assert.deepEqual(page.faults, []);
});

test("Back from the document leads to the form again, also after another language and after a refusal", async () => {
  const { link_url } = await server.publicLink({ export_api_info: undefined });
  for (const [contact, refused] of [
    ["back@example.com", false],
    ["back2@example.com", true],
  ]) {
    const page = await open(browser, "phone");
    await page.goto(link_url);
    await fillForm(page, "김민준", refused ? "back2@" : contact);
    await pressAndFollow(page, '.languages a[hreflang="ja"]');
    if (refused) {
      await pressAndFollow(page, "main [type=submit]");
      await page.fill("#contact", contact);
    }
    await pressAndFollow(page, "main [type=submit]");
    await ready(page);
    const answer = await page.goBack();
    assert.equal(answer.status(), 200);
    await page.locator("#name").waitFor();
    assert.equal(await page.locator("html").getAttribute("lang"), "ja");
    // No entry stays in the tab for the next person who opens the link.
    assert.equal(await page.evaluate(() => sessionStorage.length), 0);
    assert.deepEqual(page.faults, []);
    await page.context().close();
  }
});
