// Every kind of field, filled in by pointer, touch and keyboard, on phone, tablet and desktop, in three languages, in
// all combinations, and the value that reaches the server. Also the roles, names and order for screen readers.

import assert from "node:assert/strict";
import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { draw, field, open, pressAndFollow, ready, seriousFaults, SIZES } from "./browser.mjs";
import { HANDS, WAYS } from "./hands.mjs";
import { pdf } from "./installation.mjs";
import { browser, server, withServer } from "./with-server.mjs";

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

let template;

withServer({
  prepare: () => {
    template = server.import(KINDS, pdf(1));
  },
});

async function start(language, changes = {}) {
  return await server.startWorkflow({ template_id: template, language, ...changes });
}

/** What is filled in on each of three rounds. */
const VALUES = {
  Text: ["김민준", "山田太郎", "Jane Doe"],
  Number: ["12.5", "7", "3.25"],
  Date: ["2026-12-01", "2027-03-09", "2026-01-31"],
  Check: ["Y", "N", "Y"],
  Radio: ["two", "one", "two"],
  List: ["Tokyo", "Seoul", "Tokyo"],
};
const DOUBLES = ["25", "14", "6.5"];
const PICTURES = ["Signature", "Initials", "Seal", "Picture"];
const picture = { name: "dot.png", mimeType: "image/png", buffer: RED_DOT };
/** A file with this number in its name. */
const numbered = (number) => ({ name: `통장 ${number}.txt`, mimeType: "text/plain", buffer: Buffer.from(`bank ${number}`) });
const file = numbered(1);

const LANGUAGES = ["ko", "en", "ja"];

for (const [row, size] of Object.keys(SIZES).entries()) {
  for (const [column, language] of LANGUAGES.entries()) {
    test(`every kind of field on a ${size}, in ${language}, by pointer, touch and keyboard alone`, async () => {
      const started = await start(language);
      // Desktops with a touch screen are also used by touch.
      const page = await open(browser, size, { hasTouch: true });
      const kept = new Map();
      page.on("response", (answer) => {
        const request = answer.request();
        if (!answer.ok() || request.method() === "GET") return;
        if (request.url().endsWith("/sign/drafts")) {
          for (const { name, value } of request.postDataJSON().values) kept.set(name, value);
        }
        if (request.url().endsWith("/sign/files")) kept.set(request.postDataJSON().name, request.postDataJSON());
      });
      await page.goto(started.sign_url);
      await ready(page);
      let hands;
      for (let round = 0; round < WAYS.length; round += 1) {
        // Each way is first and last in some combination.
        const way = WAYS[(row + column + round) % WAYS.length];
        hands = HANDS[way](page);
        kept.clear();
        for (const name of ["Text", "Number", "Date"]) await hands.write(name, VALUES[name][round]);
        for (const name of ["Check", "Radio"]) await hands.mark(name, VALUES[name][round]);
        await hands.write("List", VALUES.List[round]);
        await hands.sign("Signature");
        await hands.sign("Initials");
        await hands.seal("Seal");
        await hands.picture("Picture", picture);
        await hands.attach("Attachment", numbered(round));
        await page.waitForFunction(
          (double) => document.querySelector('.field[data-name="Double"]')?.dataset.shown === double && localStorage.length === 0,
          DOUBLES[round],
        );
        for (const [name, values] of Object.entries(VALUES)) assert.equal(kept.get(name), values[round], `${name} by ${way}`);
        for (const name of PICTURES) assert.ok(kept.get(name)?.data || kept.get(name)?.drawing, `${name} by ${way}`);
        assert.equal(kept.get("Attachment")?.file_name, numbered(round).name, way);
        if (round === 0) assert.deepEqual(await seriousFaults(page), []);
      }
      await hands.approve();
      await page.locator("#done-dialog[open]").waitFor();
      const { field_list: values } = await server.workflow(started.workflow_id);
      const value = (name) => values.find((entry) => entry.name === name)?.value;
      assert.deepEqual(["Text", "Number", "Date", "Check", "Radio", "List", "Double", "Writer", "Attachment"].map(value), [
        "Jane Doe",
        "3.25",
        "2026-01-31",
        "Y",
        "two",
        "Tokyo",
        "6.5",
        "김민준",
        numbered(2).name,
      ]);
      for (const name of PICTURES) assert.ok(value(name), name);
      assert.deepEqual(page.faults, []);
    });
  }
}

test("a screen reader announces roles, names and states, in the order of reading", async () => {
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
    'group "Document tools"',
    'button "Zoom out"',
    'button "Zoom in"',
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
    'button "Add your stamp, Seal"',
    'button "Add a picture, Picture"',
    'button "Add a file, Attachment"',
    'region "Sign"',
    "progressbar",
    'button "Decline"',
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
  await page.locator("#sheet .actions [data-close]").tap();
  await field(page, "Number").locator("button.open").tap();
  assert.match(await page.locator("#sheet-rule").textContent(), /number.*: 2\./);
});

test("a file is taken out again, and the keyboard stays where another can be chosen", async () => {
  const { sign_url: address } = await start("en");
  const page = await open(browser, "phone");
  await page.goto(address);
  await ready(page);
  const saved = () => page.waitForResponse((answer) => answer.url().endsWith("/sign/files") && answer.ok());
  await field(page, "Attachment").locator("button").tap();
  const remove = page.getByRole("button", { name: `Remove: ${file.name}` });
  assert.equal(await remove.count(), 0, "nothing is there yet");
  const sent = saved();
  await HANDS.touch(page).choose(() => page.locator("#sheet-entry").tap(), file);
  await sent;
  assert.deepEqual(await seriousFaults(page), []);
  await remove.focus();
  const removed = saved();
  await page.keyboard.press("Enter");
  await removed;
  assert.equal(await page.evaluate(() => document.activeElement.id), "sheet-entry");
  assert.equal(await page.locator("#sheet").getByRole("button", { name: "Add a file, Attachment" }).count(), 1);
  await page.goto(address);
  await ready(page);
  assert.equal(await field(page, "Attachment").getAttribute("data-filled"), null, "the server has it no more");
  assert.deepEqual(page.faults, []);
});

/** What the server answers where it refuses. */
const refusal = (path, message) => ({
  status: 422,
  contentType: "application/problem+json",
  body: JSON.stringify({ status: 422, errors: [{ path, code: "refused", message }] }),
});

test("a file that is refused leaves the one before, which the page shows and names before the approval", async () => {
  const started = await start("en");
  const page = await open(browser, "desktop");
  await page.goto(started.sign_url);
  await ready(page);
  const attachment = field(page, "Attachment");
  const choose = (file) => page.setInputFiles('.field[data-name="Attachment"] input', file);
  const shows = () => attachment.locator(".ask").innerText();
  const sent = [];
  page.on("request", (request) => request.url().endsWith("/sign/files") && sent.push(request.postDataJSON().file_name));
  const taken = page.waitForResponse((answer) => answer.url().endsWith("/sign/files") && answer.ok());
  await choose({ name: "first.txt", mimeType: "text/plain", buffer: Buffer.from("first") });
  await taken;
  const large = join(server.folder, "large.bin");
  writeFileSync(large, "");
  truncateSync(large, 10 * 1024 * 1024 + 1);
  await choose(large);
  await page.waitForSelector('#trouble:has-text("large.bin” was not added. Add a file of up to 10 MB")');
  assert.deepEqual([sent, await shows()], [["first.txt"], "first.txt"]);
  // The server refuses a file, and the device does not release one.
  await page.route("**/sign/files", (route) => route.fulfill(refusal("Attachment", "Not this one.")), { times: 1 });
  await choose({ name: "second.txt", mimeType: "text/plain", buffer: Buffer.from("second") });
  await page.waitForSelector('#trouble:has-text("second.txt” was not added. Not this one.")');
  assert.equal(await shows(), "first.txt");
  await page.evaluate(() => {
    FileReader.prototype.readAsDataURL = function () {
      this.dispatchEvent(new ProgressEvent("error"));
    };
  });
  await choose({ name: "third.txt", mimeType: "text/plain", buffer: Buffer.from("third") });
  await page.waitForSelector('#trouble:has-text("could not read")');
  assert.equal(await shows(), "first.txt");

  // All texts together are too large, so nothing can be approved without them, and they are sent with the next change.
  const refuse = (route) => route.fulfill(refusal("values", "Too much in all."));
  await page.route("**/sign/drafts", refuse);
  await field(page, "Text").locator("input").fill("김민준");
  await page.waitForSelector('#trouble:has-text("Too much in all.")');
  await field(page, "Signature").locator("button").click();
  await draw(page);
  await page.click("#approve");
  const settle = page.locator("#settle-dialog[open]");
  assert.match(await settle.locator("#settle-items").innerText(), /third.txt” was not added.*still contains “first.txt”/s);
  assert.deepEqual(await seriousFaults(page), []);
  // The page moves there at once, but not again if the signer has already moved elsewhere.
  const led = await page.evaluate(async () => {
    const dialog = document.querySelector("#settle-dialog");
    const told = new Promise((done) => dialog.addEventListener("close", () => setTimeout(done), { once: true }));
    dialog.querySelector("[data-close]").click();
    const first = document.activeElement.closest(".field")?.dataset.name;
    document.querySelector("#zoom-in").focus();
    await told;
    return [first, document.activeElement.id];
  });
  assert.deepEqual(led, ["Attachment", "zoom-in"]);
  await page.click("#approve");
  await settle.locator("[type=submit]").click();
  await page.click("#approve-dialog[open] [type=submit]");
  await page.waitForSelector('#approve-dialog .fault:has-text("Too much in all.")');
  await page.locator("#approve-dialog [data-close]").click();
  await page.unroute("**/sign/drafts", refuse);
  await field(page, "Number").locator("input").fill("7");
  await page.waitForFunction(() => localStorage.length === 0);
  await page.click("#approve");
  await page.click("#approve-dialog[open] [type=submit]");
  await page.locator("#done-dialog[open]").waitFor();
  const { field_list: values } = await server.workflow(started.workflow_id);
  const value = (name) => values.find((entry) => entry.name === name).value;
  assert.deepEqual([value("Attachment"), value("Text"), value("Number")], ["first.txt", "김민준", "7"]);
});

test("a file on its way tells how far it is, is given up with the keyboard, and is sent again after a broken connection", async () => {
  const started = await start("en");
  const page = await open(browser, "phone");
  await page.goto(started.sign_url);
  await ready(page);
  const large = { ...file, buffer: Buffer.alloc(300_000, "bank") };
  const line = page.locator("#transfer");
  await page.evaluate(() => {
    window.said = [];
    const status = document.querySelector("#transfer-said");
    new MutationObserver(() => status.textContent && window.said.push(status.textContent)).observe(status, { childList: true });
  });
  const said = () => page.evaluate(() => window.said.splice(0));
  /** What the server holds, as the page shows it when it is opened again. */
  const taken = async () => {
    const again = await open(browser, "phone");
    await again.goto(started.sign_url);
    await ready(again);
    const filled = await field(again, "Attachment").getAttribute("data-filled");
    await again.context().close();
    return filled !== null;
  };

  // A slow upload in the sheet, which covers the rest.
  const devtools = await page.context().newCDPSession(page);
  const slow = (uploadThroughput) =>
    devtools.send("Network.emulateNetworkConditions", { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput });
  await slow(4_000);
  const hands = HANDS.keyboard(page);
  await hands.press(field(page, "Attachment").locator("button"));
  await hands.choose(() => hands.press(page.locator("#sheet-entry")), large);
  await page.locator("#sheet #transfer").waitFor();
  assert.match(await line.locator("#transfer-words").textContent(), /^Sending 통장 1.txt: \d+%$/);
  assert.deepEqual(await seriousFaults(page), []);
  await hands.press(line.getByRole("button", { name: "Cancel sending" }));
  await line.waitFor({ state: "hidden" });
  assert.equal(await page.evaluate(() => document.activeElement.id), "sheet-entry", "the keyboard is not lost");
  assert.equal(await field(page, "Attachment").getAttribute("data-filled"), null);
  const heard = await said();
  assert.match(heard[0], /^Sending 통장 1.txt: \d+%$/);
  assert.equal(heard.at(-1), "통장 1.txt was not sent.");
  assert.ok(heard.length <= 5, `not each percent: ${heard}`);
  assert.equal(await taken(), false, "nothing of it has arrived");
  await slow(-1);

  // A broken connection: a waiting file says so, and is sent when the signer asks for it. The connection is fixed only
  // with that press, because the page also retries by itself, and a successful retry would remove the button.
  await page.evaluate(() =>
    document.addEventListener(
      "click",
      ({ target }) => {
        window.isMended ||= target.id === "transfer-again";
      },
      { capture: true },
    ),
  );
  await page.route("**/sign/files", async (route) =>
    (await page.evaluate(() => window.isMended)) ? route.continue() : route.abort("connectionreset"),
  );
  await hands.choose(() => hands.press(page.locator("#sheet-entry")), large);
  const again = line.getByRole("button", { name: "Try again now" });
  await again.waitFor();
  assert.equal(await line.locator("#transfer-words").textContent(), "통장 1.txt has not been sent yet.");
  // Continues with the next field in the same sheet, which still covers the rest.
  await page.evaluate(() => {
    window.told = new Promise((done) =>
      document.querySelector("#sheet").addEventListener("close", () => setTimeout(done), { once: true }),
    );
  });
  await hands.press(page.locator("#sheet-next"));
  await page.evaluate(() => window.told);
  assert.equal(await page.locator("#sheet[open] #transfer").count(), 1);
  await hands.closeSheet();
  // The message appears outside the sheet, too.
  await page.locator(".tools ~ #transfer, .tools #transfer").waitFor();
  assert.deepEqual(await seriousFaults(page), []);
  await hands.press(again);
  await line.waitFor({ state: "hidden" });
  // The page's own retries all show the same message as the first try.
  const outcomes = new Set((await said()).filter((words) => !words.startsWith("Sending")));
  assert.deepEqual([...outcomes], ["통장 1.txt has not been sent yet.", "통장 1.txt has been sent."]);
  assert.equal(await taken(), true);
  assert.deepEqual(page.faults, []);
});

for (const language of LANGUAGES) {
  test(`the original can be downloaded before, and the finished document after: ${language}`, async () => {
    const started = await start(language);
    const page = await open(browser, "desktop", { acceptDownloads: true });
    await page.goto(started.sign_url);
    await ready(page);
    const download = page.waitForEvent("download");
    await page.click("#original");
    assert.equal((await download).suggestedFilename(), "근로계약서.pdf");
    await server.call("POST", `/api/v3/workflows/${started.workflow_id}/approve`, {
      order: 1,
      field_list: [
        { name: "Text", value: "김민준" },
        { name: "Signature", value: RED_DOT.toString("base64") },
      ],
    });
    const { playing_url } = await server.workflow(started.workflow_id);
    await page.goto(playing_url);
    await ready(page);
    await field(page, "Later").locator("input").fill("끝");
    await page.click("#approve");
    await page.click("#approve-dialog [type=submit]");
    await page.locator("#done-dialog[open]").waitFor();
    assert.match(await page.locator("#done-document").getAttribute("href"), /\/mail\/file\?token=/);
    // The first signer's used link also leads there.
    const answer = await page.goto(started.sign_url);
    assert.equal(answer.status(), 409);
    assert.equal(await page.locator("html").getAttribute("lang"), language);
    assert.deepEqual(await seriousFaults(page), []);
    await pressAndFollow(page, "a.button.primary");
    await page.waitForSelector(".sheet-pages img");
  });
}
