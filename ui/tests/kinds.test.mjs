// Every kind of field, filled in with pointer, touch and the keyboard alone, on phone, tablet and desktop, in three
// languages: each size, language and way at least once, with the value that reached the server. And what a screen reader
// is told: roles, names and their order.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { draw, field, launch, open, pressAndFollow, ready, seriousFaults } from "./browser.mjs";
import { Installation, pdf } from "./installation.mjs";

const place = (row, width = 300) => ({ page: 1, x: 250_000, y: (100 + row * 45) * 1000, width: width * 1000, height: 28_000 });

const KINDS = {
  name: "Every kind",
  steps: [{ order: 1 }, { order: 2 }],
  fields: [
    { name: "Text", kind: "text", step: 1, required: true, help: "As in your passport.", ...place(0) },
    { name: "Number", kind: "number", step: 1, decimals: 2, ...place(1) },
    { name: "Date", kind: "date", step: 1, ...place(2) },
    { name: "Check", kind: "check", step: 1, ...place(3, 30) },
    { name: "Radio", kind: "radio", step: 1, option: "one", ...place(4, 30) },
    { name: "Radio", kind: "radio", step: 1, option: "two", ...place(4, 30), x: 350_000 },
    { name: "List", kind: "select", step: 1, options: ["Seoul", "Tokyo"], ...place(5) },
    { name: "Double", kind: "calc", step: 1, formula: "Number * 2", ...place(6) },
    { name: "Writer", kind: "writer", step: 1, ...place(7) },
    { name: "Label", kind: "label", step: 1, read_only: true, default: "No. 7", ...place(8) },
    { name: "Signature", kind: "signature", step: 1, required: true, ...place(9), height: 60_000 },
    { name: "Initials", kind: "initials", step: 1, ...place(11), height: 60_000 },
    { name: "Seal", kind: "seal", step: 1, ...place(13, 100), height: 60_000 },
    { name: "Picture", kind: "image", step: 1, ...place(15), height: 60_000 },
    { name: "Attachment", kind: "attachment", step: 1, ...place(17) },
    { name: "Later", kind: "text", step: 2, required: true, ...place(18) },
  ],
};

const RED_DOT = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==",
  "base64",
);

let server;
let browser;
let template;

before(async () => {
  server = await Installation.start();
  browser = await launch();
  template = server.import(KINDS, pdf(1));
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

async function start(language, changes = {}) {
  return await server.startWorkflow({ template_id: template, language, ...changes });
}

/** How a thing is pressed. */
const PRESS = {
  pointer: (target) => target.click(),
  touch: (target) => target.tap(),
  keyboard: async (target) => {
    await target.focus();
    await target.press((await target.evaluate((element) => element.tagName)) === "BUTTON" ? "Enter" : "Space");
  },
};

async function write(page, press, name, value) {
  const box = field(page, name);
  const control = box.locator("input, textarea, select").first();
  const onPage = await control.isVisible();
  if (!onPage) await press(box.locator("button.open"));
  const entry = onPage ? control : page.locator("#sheet-entry");
  if (name === "List") await entry.selectOption(value);
  else if (name === "Date") await entry.fill(value);
  else {
    if (onPage && press !== PRESS.keyboard) await press(entry);
    else await entry.focus();
    await entry.pressSequentially(value);
  }
  if (!onPage) await press(page.locator("#sheet button.button:not(.primary)"));
}

const RUNS = [
  ["phone", "ko", "touch"],
  ["phone", "en", "keyboard"],
  ["phone", "ja", "pointer"],
  ["tablet", "ko", "keyboard"],
  ["tablet", "en", "pointer"],
  ["tablet", "ja", "touch"],
  ["desktop", "ko", "pointer"],
  ["desktop", "ja", "keyboard"],
];

for (const [size, language, way] of RUNS) {
  test(`every kind of field on a ${size}, in ${language}, by ${way}`, async () => {
    const press = PRESS[way];
    const started = await start(language);
    const page = await open(browser, size);
    await page.goto(started.sign_url);
    await ready(page);
    await write(page, press, "Text", "김민준");
    await write(page, press, "Number", "12.5");
    await write(page, press, "Date", "2026-12-01");
    await press(field(page, "Check").locator("input"));
    await press(field(page, "Radio").nth(1).locator("input"));
    await write(page, press, "List", "Tokyo");
    for (const name of ["Signature", "Initials"]) {
      await press(field(page, name).locator("button"));
      if (way !== "keyboard") {
        await draw(page);
        continue;
      }
      await page.locator("#consent-dialog[open], #pad[open]").first().waitFor();
      if (await page.locator("#consent-dialog").isVisible()) await press(page.locator("#consent-dialog [type=submit]"));
      await page.locator("#pad[open]").waitFor();
      await page.locator("#tab-draw").press("ArrowRight");
      await press(page.locator("#pad [type=submit]"));
      await page.locator("#pad").waitFor({ state: "hidden" });
    }
    await press(field(page, "Picture").locator("button"));
    await page.locator("#pad[open]").waitFor();
    await page.setInputFiles("#pad-file", { name: "dot.png", mimeType: "image/png", buffer: RED_DOT });
    await page.locator("#pad-picture-shown canvas").waitFor();
    await press(page.locator("#pad [type=submit]"));
    const chooser = page.waitForEvent("filechooser");
    await press(field(page, "Attachment").locator("button"));
    await (await chooser).setFiles({ name: "통장.txt", mimeType: "text/plain", buffer: Buffer.from("bank") });
    await page.waitForFunction(() => /25/.test(document.querySelector('.field[data-name="Double"]')?.dataset.shown ?? ""));
    assert.deepEqual(await seriousFaults(page), []);
    await press(page.locator("#approve"));
    await press(page.locator("#approve-dialog [type=submit]"));
    await page.locator("#done-dialog[open]").waitFor({ timeout: 30_000 });
    const { field_list: values } = await server.workflow(started.workflow_id);
    const value = (name) => values.find((entry) => entry.name === name)?.value;
    assert.deepEqual(
      ["Text", "Number", "Date", "Check", "Radio", "List", "Double", "Writer", "Attachment"].map(value),
      ["김민준", "12.5", "2026-12-01", "Y", "two", "Tokyo", "25", "김민준", "통장.txt"],
    );
    for (const name of ["Signature", "Initials", "Picture"]) assert.ok(value(name), name);
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });
}

test("a screen reader is told roles, names and states, in the order of reading", async () => {
  const page = await open(browser, "desktop");
  await page.goto((await start("en")).sign_url);
  await ready(page);
  await page.waitForSelector("page-text[data-shown]", { state: "attached" });
  const told = (await page.locator("body").ariaSnapshot()).split("\n").map((line) => line.trim().replace(/^- '?/, ""));
  const wanted = [
    'link "Skip to the content"',
    'navigation "Language"',
    "main",
    'region "About this document"',
    'heading "근로계약서" [level=1]',
    'button "Download the document as it is now"',
    'group "Tools for this document"',
    'button "Smaller"',
    'button "Larger"',
    'button "Step by step"',
    'region "Page 1 of 1"',
    'heading "Page 1 of 1" [level=2]',
    'img "Page 1 of the document"',
    'textbox "Text"',
    'textbox "Number"',
    'textbox "Date"',
    'checkbox "Check"',
    'radio "Radio: one"',
    'radio "Radio: two"',
    'combobox "List"',
    'button "Sign here, Signature, required"',
    'button "Initials, Initials"',
    'button "Add your seal, Seal"',
    'button "Add a picture, Picture"',
    'button "Add a file, Attachment"',
    'region "Approve and finish"',
    "progressbar",
    'button "Reject"',
    'button "Next required field"',
  ];
  let at = 0;
  for (const line of wanted) {
    const found = told.findIndex((candidate, index) => index >= at && candidate.startsWith(line));
    assert.ok(found >= 0, `${line} is missing after ${told[at - 1]} in\n${told.join("\n")}`);
    at = found + 1;
  }
});

test("the sender's help and the rule are said with the field", async () => {
  const page = await open(browser, "phone");
  await page.goto((await start("en")).sign_url);
  await ready(page);
  await field(page, "Text").locator("button.open").tap();
  assert.equal(await page.locator("#sheet-rule").textContent(), "As in your passport.");
  await page.locator("#sheet button.button:not(.primary)").tap();
  await field(page, "Number").locator("button.open").tap();
  assert.match(await page.locator("#sheet-rule").textContent(), /number.*2 at most/);
});

test("a file that is too large is refused before it is sent, in words", async () => {
  const page = await open(browser, "phone");
  await page.goto((await start("en")).sign_url);
  await ready(page);
  const sent = [];
  page.on("request", (request) => request.url().endsWith("/sign/files") && sent.push(request.url()));
  const buffer = Buffer.alloc(10 * 1024 * 1024 + 1);
  await page.setInputFiles('.field[data-name="Attachment"] input', { name: "large.bin", mimeType: "application/octet-stream", buffer });
  await page.waitForSelector('#trouble:has-text("at most 10 MB")');
  assert.deepEqual(sent, []);
});

for (const language of ["ko", "en", "ja"]) {
  test(`who will not sign electronically rejects for that reason: ${language}`, async () => {
    const started = await start(language);
    const page = await open(browser, "phone");
    await page.goto(started.sign_url);
    await ready(page);
    await field(page, "Signature").locator("button").tap();
    await page.locator("#decline").tap();
    assert.deepEqual(await seriousFaults(page), []);
    const reason = await page.locator("#reject-reason").inputValue();
    assert.notEqual(reason, "");
    await page.locator("#reject-dialog [type=submit]").tap();
    await page.locator("#done-dialog[open]").waitFor({ timeout: 30_000 });
    const workflow = await server.workflow(started.workflow_id);
    assert.equal(workflow.status, "Rejected");
    assert.ok(JSON.stringify(workflow).includes(reason));
  });

  test(`the original can be taken before, and the finished document after: ${language}`, async () => {
    const started = await start(language);
    const page = await open(browser, "desktop", { acceptDownloads: true });
    await page.goto(started.sign_url);
    await ready(page);
    const download = page.waitForEvent("download");
    await page.click("#original");
    assert.equal((await download).suggestedFilename(), "근로계약서.pdf");
    await server.call("POST", `/api/v3/workflows/${started.workflow_id}/approve`, {
      field_list: [{ name: "Text", value: "김민준" }, { name: "Signature", value: RED_DOT.toString("base64") }],
    });
    const { playing_url } = await server.workflow(started.workflow_id);
    await page.goto(playing_url);
    await ready(page);
    await field(page, "Later").locator("input").fill("끝");
    await page.click("#approve");
    await page.click("#approve-dialog [type=submit]");
    await page.locator("#done-dialog[open]").waitFor({ timeout: 30_000 });
    assert.match(await page.locator("#done-document").getAttribute("href"), /\/mail\/view\?token=/);
    // The first writer's used link leads there, too.
    const answer = await page.goto(started.sign_url);
    assert.equal(answer.status(), 409);
    assert.equal(await page.locator("html").getAttribute("lang"), language);
    assert.deepEqual(await seriousFaults(page), []);
    await pressAndFollow(page, "a.button.primary");
    await page.waitForSelector(".sheet-pages img");
  });

  test(`each page that stands instead tells in the right language, with the right status: ${language}`, async () => {
    const page = await open(browser, { ko: "phone", en: "tablet", ja: "desktop" }[language]);
    const see = async (address, status, name) => {
      const answer = await page.goto(address);
      assert.equal(answer.status(), status, name);
      assert.equal(await page.locator("html").getAttribute("lang"), language, name);
      assert.ok((await page.locator("main p").first().textContent()).length > 5, name);
      assert.deepEqual(await seriousFaults(page), [], name);
      titles.add(await page.locator("h1").textContent());
    };
    const titles = new Set();
    const act = (id, verb, body) => server.call("POST", `/api/v3/workflows/${id}/${verb}`, body);
    const first = [{ name: "Text", value: "a" }, { name: "Signature", value: RED_DOT.toString("base64") }];

    const signed = await start(language);
    await act(signed.workflow_id, "approve", { field_list: first });
    await see(signed.sign_url, 409, "signed");
    const rejected = await start(language);
    await act(rejected.workflow_id, "reject", { comment: "no" });
    await see(rejected.sign_url, 410, "rejected");
    const canceled = await start(language);
    await act(canceled.workflow_id, "cancel", { comment: "no" });
    await see(canceled.sign_url, 410, "cancelled");
    const corrected = await start(language);
    await server.call("PATCH", `/api/v3/workflows/${corrected.workflow_id}/recipients/1`, { name: "이민준" });
    await see(corrected.sign_url, 410, "an old link");
    await see(`${server.base}/mail/sign?token=wrong&lang=${language}`, 404, "a wrong link");
    assert.equal(titles.size, 5);
    assert.deepEqual(page.faults, []);
  });
}

test("a writer hands the document over, and the page that stands instead says so", async () => {
  const allowed = server.import({ ...KINDS, name: "Handed over", hand_over: true }, pdf(1));
  await start("ja", { template_id: allowed, export_api_info: undefined, workflow_name: "引き継ぐ文書" });
  // Not embedded: the request to sign lies in the outbox.
  const page = await open(browser, "phone");
  await page.goto(`${server.base}/sign-in?lang=en`);
  await page.fill("#company", server.member.company);
  await page.fill("#email", server.member.email);
  await page.fill("#password", server.member.password);
  await pressAndFollow(page, "[type=submit]");
  await pressAndFollow(page, '.message-list a:has-text("引き継ぐ文書")');
  await page.goto(await page.locator("article a.button").getAttribute("href"));
  await ready(page);
  await page.locator("#hand-over").tap();
  await page.fill("#hand-over-name", "佐藤花子");
  await page.locator("#hand-over-dialog [type=submit]").tap();
  await page.waitForFunction(() => document.querySelector("#hand-over-dialog .fault").textContent !== "");
  assert.deepEqual(await seriousFaults(page), []);
  await page.fill("#hand-over-email", "hanako@example.com");
  await page.locator("#hand-over-dialog [type=submit]").tap();
  await page.waitForSelector(".says h1");
  assert.equal(await page.locator("h1").textContent(), "この文書は引き継ぎ済みです");
  assert.deepEqual(await seriousFaults(page), []);
  assert.deepEqual(page.faults, []);
});
