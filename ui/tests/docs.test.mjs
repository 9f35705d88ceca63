// The interactive API reference: a person finds a call, reads it, logs in and sends it, with touch, a mouse, or only
// the keyboard, in three languages, light and dark.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { promisify } from "node:util";
import { open, seriousFaults, SIZES } from "./browser.mjs";
import { valuesOfStep } from "./installation.mjs";
import { browser, server, withServer } from "./with-server.mjs";

const LANGUAGES = ["ko", "ja", "en"];

withServer();

const address = (language, hash = "") => `${server.base}/api/docs?lang=${language}${hash}`;
const call = (page, id) => page.locator(`details#${id}`);
const unfold = async (page, id) => {
  if ((await call(page, id).getAttribute("open")) === null) await call(page, id).locator("> summary").click();
};
const logIn = async (page) => {
  const { company, email, password } = server.member;
  await unfold(page, "login");
  await call(page, "login").locator("[name=companyId]").fill(company);
  const body = { header: { request_code: "1001Q" }, body: { memb_email: email, memb_pwd: password } };
  await call(page, "login").locator("[name=body]").fill(JSON.stringify(body));
  await call(page, "login").locator("[type=submit]").click();
  await call(page, "login").locator(".outcome.good").waitFor();
};

for (const language of LANGUAGES) {
  test(`nothing serious, nothing too wide, at every size, light and dark: ${language}`, async () => {
    for (const size of Object.keys(SIZES)) {
      const page = await open(browser, size);
      await page.goto(address(language));
      assert.deepEqual(await seriousFaults(page), [], `${size}, folded`);
      for (const name of ["workflows_start", "templates_create", "schema-WorkflowView", "webhook-workflow"])
        await unfold(page, name);
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        assert.deepEqual(await seriousFaults(page), [], `${size}, ${colorScheme}, unfolded`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${size} scrolls sideways by ${wide} px`);
      }
      assert.equal(await page.locator("html").getAttribute("lang"), language);
      assert.deepEqual(page.faults, []);
      await page.context().close();
    }
  });
}

test("a call is found by its name in each language, by its path, and by an error id", async () => {
  const page = await open(browser, "desktop");
  const visible = () => page.locator("details.call:visible > summary .path").allTextContents();
  for (const [language, words] of [
    ["ko", "서명자에게 재요청"],
    ["ja", "リマインド"],
    ["en", "remind the"],
    ["ja", "remind the"],
  ]) {
    await page.goto(address(language));
    await page.fill("#docs-find", words);
    assert.deepEqual(await visible(), ["/api/v3/workflows/{id}/remind"], `${language}: ${words}`);
    assert.equal(await page.locator(".docs-list [data-call]:visible").count(), 1);
  }
  await page.fill("#docs-find", "post link/start");
  assert.deepEqual(await visible(), ["/api/v3/link/start"]);
  await page.fill("#docs-find", "link-used-up");
  assert.ok(await page.locator("#link-used-up").isVisible());
  assert.deepEqual(await visible(), []);
  await page.fill("#docs-find", "no such thing");
  assert.equal(await page.locator("details.call:visible").count(), 0);
  assert.notEqual(await page.locator("#docs-found").textContent(), "");
  await page.press("#docs-find", "Escape");
  assert.ok((await visible()).length > 40);
  assert.deepEqual(page.faults, []);
});

test("an address leads to what it names, and opens it", async () => {
  const page = await open(browser, "phone");
  await page.goto(address("en", "#workflows_start"));
  assert.ok(await call(page, "workflows_start").locator("textarea").isVisible());
  await call(page, "workflows_start").locator('a[href="#schema-RecipientInput"]').first().click();
  assert.ok(await call(page, "schema-RecipientInput").locator(".members").isVisible());
  // The URL in a problem's `type` opens its section even if the filter has hidden it.
  await page.fill("#docs-find", "template");
  await page.evaluate(() => (location.hash = "#not-your-turn"));
  await page.locator("#not-your-turn").waitFor();
  assert.equal(await page.inputValue("#docs-find"), "");
  const box = await page.locator("#not-your-turn").boundingBox();
  assert.ok(box.y > 0 && box.y < SIZES.phone.viewport.height, `it stands at ${box.y}`);
  assert.deepEqual(page.faults, []);
});

test("a login that is tried gives its token to the other calls, in this tab alone", async () => {
  const page = await open(browser, "desktop");
  await page.goto(address("en"));
  const list = call(page, "workflows_list");
  await unfold(page, "workflows_list");
  await list.locator("[type=submit]").click();
  await list.locator(".outcome.bad").waitFor();
  assert.match(await list.locator(".outcome").textContent(), /^401 /);
  await logIn(page);
  await list.locator("[name=limit]").fill("5");
  await list.locator("[type=submit]").click();
  await list.locator(".outcome.good").waitFor();
  assert.deepEqual(JSON.parse(await list.locator(".answer pre").textContent()).workflow_list, []);

  await page.reload();
  assert.notEqual(await page.inputValue("#docs-token"), "", "it stays in the tab");
  assert.equal(await page.getAttribute("#docs-token", "type"), "password");
  const other = await page.context().newPage();
  await other.goto(address("en"));
  assert.equal(await other.inputValue("#docs-token"), "", "another tab has none");
  assert.equal(await page.evaluate(() => localStorage.length + document.cookie.length), 0);
  await page.click("#docs-forget");
  await page.reload();
  assert.equal(await page.inputValue("#docs-token"), "");
  assert.deepEqual(page.faults, []);
});

test("a document is started, a mistake is explained in the page's language, and a file is kept", async () => {
  const page = await open(browser, "phone");
  await page.goto(address("ja"));
  await logIn(page);
  await unfold(page, "workflows_start");
  const start = call(page, "workflows_start");
  const body = (more) =>
    JSON.stringify({
      workflow_name: "A",
      template_id: server.template,
      recipient_list: [
        { order: 1, name: "Ann", email: "ann@example.com" },
        { order: 2, name: "Bob", email: "bob@example.com" },
      ],
      ...more,
    });
  await start.locator("[name=body]").fill(body({ template_id: 0 }));
  await start.locator("[type=submit]").tap();
  await start.locator(".outcome.bad").waitFor();
  assert.match(await start.locator(".answer pre").textContent(), /[ぁ-ん]/);
  await start.locator("[name=body]").fill(body({ is_preview: true, limt: 5 }));
  await start.locator("[type=submit]").tap();
  await start.locator(".outcome.good").waitFor();
  assert.deepEqual(JSON.parse(await start.locator(".answer pre").textContent()).ignored_members, ["limt"]);

  await unfold(page, "bulk_get_sheet");
  const sheet = call(page, "bulk_get_sheet");
  await sheet.locator("[name=template_id]").fill(String(server.template));
  await sheet.locator("[type=submit]").tap();
  await sheet.locator(".answer pre").waitFor();
  assert.match(await sheet.locator(".answer pre").textContent(), /workflow_name/);
  await unfold(page, "service_revocation_list");
  const list = call(page, "service_revocation_list");
  await list.locator("[type=submit]").tap();
  const kept = page.waitForEvent("download");
  await list.locator(".answer a").tap();
  assert.ok((await kept).suggestedFilename());
  assert.deepEqual(page.faults, []);
});

test("a form of files is sent, and a call is copied for a shell", async () => {
  const page = await open(browser, "desktop");
  await page.goto(address("en"));
  await logIn(page);
  await unfold(page, "templates_create");
  const make = call(page, "templates_create");
  await make.locator("[name=file]").setInputFiles({ name: "a.pdf", mimeType: "application/pdf", buffer: Buffer.from("no PDF") });
  await make.locator("[name=fields]").fill("{}");
  await make.locator("[type=submit]").click();
  await make.locator(".outcome.bad").waitFor();
  assert.match(await make.locator(".answer pre").textContent(), /"document-refused"/);
  await unfold(page, "workflows_cancel");
  const cancel = call(page, "workflows_cancel");
  await cancel.locator("[name=id]").fill("7");
  await cancel.locator("[name=body]").fill('{"comment": "it\'s over"}');
  await cancel.locator("[data-copy]").click();
  const copied = await cancel.locator(".answer pre").textContent();
  assert.match(copied, /^curl -X POST 'http:\/\/127\.0\.0\.1:\d+\/api\/v3\/workflows\/7\/cancel'/);
  assert.ok(copied.includes("Authorization: Bearer $TOKEN"), "the token stays where it is");
  assert.ok(copied.includes(`it'\\''s over`), copied);
  assert.deepEqual(page.faults, []);
});

test("with the keyboard alone: a slash, words, Enter, and Control with Enter", async () => {
  const page = await open(browser, "desktop");
  await page.goto(address("en"));
  await page.keyboard.press("/");
  await page.keyboard.type("health of the service");
  await page.keyboard.press("Enter");
  const health = call(page, "service_health");
  assert.notEqual(await health.getAttribute("open"), null);
  // Skips the elements before it that can be read and scrolled.
  const isAtSend = () => page.evaluate(() => document.activeElement.matches("#service_health [type=submit]"));
  for (let stops = 0; stops < 15 && !(await isAtSend()); stops += 1) await page.keyboard.press("Tab");
  assert.ok(await isAtSend(), "the keyboard comes to the button that sends");
  await page.keyboard.press("Enter");
  await health.locator(".outcome.good").waitFor();
  await page.keyboard.press("/");
  await page.keyboard.press("Escape");
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.evaluate(() => document.activeElement.parentElement.id), "login");
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.evaluate(() => document.activeElement.parentElement.id), "workflows_start");
  await page.keyboard.press("Enter");
  await call(page, "workflows_start").locator("[name=body]").focus();
  await page.keyboard.press("Control+Enter");
  await call(page, "workflows_start").locator(".outcome.bad").waitFor();
  assert.deepEqual(page.faults, []);
});

test("without script it is read all the same", async () => {
  const page = await open(browser, "phone", { javaScriptEnabled: false });
  await page.goto(address("ko"));
  await call(page, "workflows_start").locator("> summary").click();
  assert.ok(await call(page, "workflows_start").locator(".members").first().isVisible());
  assert.ok(await call(page, "workflows_start").locator("textarea").isVisible());
  assert.equal(
    await call(page, "workflows_start").locator("[type=submit]").isVisible(),
    false,
    "what would do nothing is not shown",
  );
});

test("the quick start names this installation, and its programs run as they stand there", async () => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-quick-start-"));
  const page = await open(browser, "desktop");
  await page.goto(address("en"));
  assert.equal(await page.locator(".quick-start > li").count(), 4);
  const { company, email, password } = server.member;
  const mine = (code) =>
    code
      .replaceAll("/api/demo/", `/api/${company}/`)
      .replaceAll("demo@example.com", email)
      .replaceAll("PASSWORD", password)
      .replaceAll(/(template_id"?): 1\b/g, `$1: ${server.template}`)
      .replaceAll("https://hooks.example.com/sign", "http://127.0.0.1:9/hook");
  const codes = await page.locator(".quick-start pre, .docs-intro details pre").allTextContents();
  assert.equal(codes.length, 6);
  for (const code of codes) assert.ok(code.includes(server.base), code);
  const [login, start, status, fetchFiles, node, python] = codes.map(mine);
  const shell = async (code, env = {}) =>
    (await promisify(execFile)("bash", ["-ec", code], { cwd: folder, env: { ...process.env, ...env } })).stdout;
  const sign = async (workflow_id) => {
    for (const order of [1, 2]) {
      await server.call("POST", `/api/v3/workflows/${workflow_id}/approve`, { order, field_list: valuesOfStep(order) });
    }
  };
  const check = () => {
    for (const name of readdirSync(folder).filter((name) => name.endsWith(".pdf"))) {
      assert.equal(server.verify(join(folder, name)), 0, name);
      rmSync(join(folder, name));
    }
  };
  const TOKEN = JSON.parse(await shell(login)).body.access_token;
  const { workflow_id: WORKFLOW_ID, sign_url } = JSON.parse(await shell(start, { TOKEN }));
  assert.match(sign_url, /\/sign\?token=/);
  assert.equal(JSON.parse(await shell(status, { TOKEN, WORKFLOW_ID })).status, "Playing");
  await sign(WORKFLOW_ID);
  await shell(fetchFiles, { TOKEN, WORKFLOW_ID });
  assert.equal(readdirSync(folder).length, 2);
  check();
  for (const [program, file, code] of [
    [process.execPath, "walk.mjs", node],
    ["python3", "walk.py", python],
  ]) {
    writeFileSync(join(folder, file), code);
    const child = spawn(program, [file], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
    const ended = new Promise((done) => child.once("exit", done));
    const [line] = await once(createInterface({ input: child.stdout }), "line");
    await sign(/^Document (\d+)\. Sign here: http/.exec(line)[1]);
    assert.equal(await ended, 0, program);
    check();
  }
  rmSync(folder, { recursive: true });
});
