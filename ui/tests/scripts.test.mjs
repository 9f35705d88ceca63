// Names in the 18 scripts for which we have fonts, typed in a real browser, each into a text field and as a typed
// signature, then approved, stamped and sealed. Poppler renders ink in each box of the sealed page.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { approve, field, fill, open, ready } from "./browser.mjs";
import { pdfOf } from "./installation.mjs";
import { browser, server, withServer } from "./with-server.mjs";

withServer();

const NAMES = {
  Thai: "ณัฐพล ศรีสุวรรณ",
  Devanagari: "श्रीकृष्ण द्विवेदी",
  Bengali: "শ্রীমতী চট্টোপাধ্যায়",
  Tamil: "கிருஷ்ணன் ஸ்ரீ",
  Telugu: "శ్రీనివాస్ కృష్ణ",
  Gurmukhi: "ਗੁਰਪ੍ਰੀਤ ਸਿੰਘ",
  Gujarati: "જ્યોતિ ક્ષત્રિય",
  Kannada: "ಶ್ರೀನಿವಾಸ ಕೃಷ್ಣ",
  Malayalam: "ശ്രീകുമാർ കൃഷ്ണൻ",
  Sinhala: "ශ්‍රීමත් ක්‍රිෂ්ණ",
  Khmer: "ព្រះសីហនុ សុខា",
  Lao: "ສົມສັກ ພົມມະຈັນ",
  Burmese: "အောင်ဆန်း ကျော်စွာ",
  Georgian: "ნინო ბერიძე",
  Armenian: "Արամ Խաչատրյան",
  Ethiopic: "አበበ ቢቂላ",
  Hebrew: "שרה כהן",
  Arabic: "محمد عبد الله",
};

const ROW = 54_000;

/** The boxes of a script: its text at the left, its signature at the right. */
const boxes = (row) => ({
  text: { page: 1, x: 30_000, y: 15_000 + row * ROW, width: 440_000, height: 40_000 },
  signature: { page: 1, x: 500_000, y: 12_000 + row * ROW, width: 460_000, height: 46_000 },
});

const FIELDS = {
  name: "Names",
  steps: [{ order: 1 }],
  fields: Object.keys(NAMES).flatMap((script, row) => [
    { name: script, kind: "text", step: 1, required: true, ...boxes(row).text },
    { name: `${script} signature`, kind: "signature", step: 1, required: true, ...boxes(row).signature },
  ]),
};

/** Types the name in the signature dialog and uses the first handwriting or print that is offered. */
async function typeSignature(page, name, text) {
  await field(page, name).locator("button").click();
  await page.locator("#consent-dialog[open], #pad[open]").first().waitFor();
  if (await page.locator("#consent-dialog").isVisible()) await page.locator("#consent-dialog [type=submit]").click();
  await page.locator("#pad[open]").waitFor();
  await page.locator("#tab-type").click();
  await page.locator("#pad-typed").fill("");
  await page.locator("#pad-typed").pressSequentially(text);
  await page.locator("#pad-hands .card-choice img").first().waitFor();
  const sent = page.waitForResponse((answer) => answer.url().endsWith("/sign/files"));
  await page.locator("#pad [type=submit]").click();
  const answer = await sent;
  assert.ok(answer.ok(), `${name}: ${answer.status()} ${await answer.text().catch(() => "")}`);
  await page.locator("#pad").waitFor({ state: "hidden" });
}

/** A page as poppler shows it: width, height, and a grey value a pixel. */
function shown(file) {
  const pgm = execFileSync("pdftoppm", ["-gray", "-r", "100", "-f", "1", "-l", "1", file], { maxBuffer: 1 << 28 });
  const [, width, height, , ...header] = /^P5\s+(\d+)\s+(\d+)\s+(\d+)\s/.exec(pgm.subarray(0, 40).toString("latin1"));
  assert.equal(header.length, 0);
  return { width: Number(width), height: Number(height), grey: pgm.subarray(pgm.length - width * height) };
}

function ink({ width, height, grey }, box) {
  let count = 0;
  for (let y = Math.floor((box.y * height) / 1e6); y < ((box.y + box.height) * height) / 1e6; y += 1)
    for (let x = Math.floor((box.x * width) / 1e6); x < ((box.x + box.width) * width) / 1e6; x += 1)
      if (grey[y * width + x] < 140) count += 1;
  return count;
}

test("names in 18 scripts are typed in the browser, stamped and sealed", async () => {
  const template_id = server.import(FIELDS, pdfOf([""]));
  const { sign_url, workflow_id } = await server.startWorkflow({
    template_id,
    recipient_list: [{ order: 1, name: NAMES.Devanagari, email: "writer@example.com" }],
  });
  const page = await open(browser, "desktop");
  await page.goto(sign_url);
  await ready(page);
  for (const [script, name] of Object.entries(NAMES)) {
    await fill(page, script, name);
    await typeSignature(page, `${script} signature`, name);
  }
  const folder = process.env.COUNTERSIGN_PICTURES;
  if (folder) await page.screenshot({ path: join(folder, "scripts.png"), fullPage: true });
  await approve(page);

  const { field_list } = await server.workflow(workflow_id);
  for (const [script, name] of Object.entries(NAMES)) {
    assert.equal(field_list.find(({ name }) => name === script)?.value, name, script);
  }
  const answer = await fetch(`${server.base}/api/v3/workflows/${workflow_id}/document`, {
    headers: { authorization: `service ${server.token}` },
  });
  assert.equal(answer.status, 200);
  const file = join(server.folder, "names.pdf");
  writeFileSync(file, Buffer.from(await answer.arrayBuffer()));
  assert.equal(server.verify(file), 0, "the seal is valid");
  if (folder) copyFileSync(file, join(folder, "scripts.pdf"));
  const picture = shown(file);
  for (const [row, script] of Object.keys(NAMES).entries()) {
    const { text, signature } = boxes(row);
    assert.ok(ink(picture, text) > 80, `${script}: ${ink(picture, text)} dark pixels in the text's box`);
    assert.ok(ink(picture, signature) > 80, `${script}: ${ink(picture, signature)} dark pixels in the signature's box`);
  }
  assert.deepEqual(page.faults, []);
});
