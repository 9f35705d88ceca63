// The text over the pages' images: found, selected and copied in its place, and read aloud.

import assert from "node:assert/strict";
import { test } from "node:test";
import { approve, field, fill, open, ready, seriousFaults, sign } from "./browser.mjs";
import { FIELDS, pdfOf } from "./installation.mjs";
import { browser, server, withServer } from "./with-server.mjs";

withServer();

/** Where a word stands, in points of the page that it is on: by the browser's own search. */
async function find(page, number, word) {
  const host = page.locator("page-text").nth(number - 1);
  await host.scrollIntoViewIfNeeded();
  await page.waitForFunction((index) => document.querySelectorAll("page-text")[index].dataset.shown !== undefined, number - 1);
  return await host.evaluate((element, wanted) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const at = node.data.indexOf(wanted);
      if (at < 0) continue;
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      const [box, paper] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
      const scale = Number(element.dataset.width) / paper.width;
      return {
        left: (box.left - paper.left) * scale,
        right: (box.right - paper.left) * scale,
        top: (box.top - paper.top) * scale,
        bottom: (box.bottom - paper.top) * scale,
        screen: { x: box.left, y: box.top, width: box.width, height: box.height },
      };
    }
    return null;
  }, word);
}

/** Widths of Helvetica, in thousandths of its size: what the file itself says. */
const HELVETICA = { S: 667, a: 556, l: 222, r: 333, y: 500 };
const width = (word, size) => [...word].reduce((sum, letter) => sum + HELVETICA[letter], 0) * (size / 1000);

function near(found, expected) {
  for (const side of ["left", "right"]) {
    assert.ok(Math.abs(found[side] - expected[side]) < 2, `${side}: ${found[side]} is not within 2 points of ${expected[side]}`);
  }
  // The baseline runs through the box, with four fifths of the font size above it.
  assert.ok(Math.abs(found.top - (expected.baseline - 0.8 * expected.size)) < 2, `top: ${found.top}`);
  assert.ok(Math.abs(found.bottom - (expected.baseline + 0.2 * expected.size)) < 2, `bottom: ${found.bottom}`);
}

for (const size of ["phone", "desktop"]) {
  test(`on a ${size} a word is found and selected at its place, and copied`, async () => {
    const started = await server.startWorkflow();
    const page = await open(browser, size);
    await page.goto(started.sign_url);
    await ready(page);
    // In the file it is 60 points from the left and 678 from the bottom of 842.
    const found = await find(page, 1, "Salary");
    near(found, { left: 60, right: 60 + width("Salary", 11), baseline: 842 - 678, size: 11 });
    assert.equal(await page.evaluate(() => window.find("First day")), true);
    assert.equal(await page.evaluate(() => getSelection().toString()), "First day");
    if (size === "desktop") {
      const { x, y, width: wide, height } = found.screen;
      await page.mouse.dblclick(x + wide / 2, y + height / 2);
      assert.equal((await page.evaluate(() => getSelection().toString())).trim(), "Salary");
    }
    const copied = await page.evaluate(() => {
      getSelection().selectAllChildren(document.querySelector("page-text"));
      return getSelection().toString();
    });
    assert.deepEqual(
      copied
        .split("\n")
        .map((line) => line.trim())
        .filter(Boolean),
      ["Employment agreement, page 1", "Name", "Salary", "First day", "Remarks", "Agreed", "Kind", "Team"],
    );
    assert.equal(await page.locator("page-text > div").first().getAttribute("lang"), "en");
    // The fields are above the text, so they can still be filled in.
    await fill(page, "Salary", "12");
    assert.deepEqual(await seriousFaults(page), []);
    assert.deepEqual(page.faults, []);
  });
}

test("the finished document's text, with what was written, stands where it was stamped", async () => {
  const started = await server.startWorkflow();
  const first = await open(browser, "desktop");
  await first.goto(started.sign_url);
  await ready(first);
  await fill(first, "Name", "Salary 김민준");
  await fill(first, "First day", "2026-12-01");
  await field(first, "Agreed").locator("input").click();
  await sign(first, "Signature");
  await approve(first);
  const second = await open(browser, "desktop");
  await second.goto((await server.workflow(started.workflow_id)).playing_url);
  await ready(second);
  await fill(second, "Employer", "박서연");
  await sign(second, "Employer signature");
  await approve(second);
  const { download_url, certificate_url } = await server.workflow(started.workflow_id);
  const viewer = await open(browser, "phone");
  await viewer.goto(download_url);
  const found = await find(viewer, 1, "김민준");
  // Within the field's box.
  assert.ok(
    found.left > 148 && found.right < 375 && found.top > 842 * 0.14 - 2 && found.bottom < 842 * 0.164 + 2,
    JSON.stringify(found),
  );
  assert.deepEqual(await seriousFaults(viewer), []);
  await viewer.goto(certificate_url);
  assert.ok(await find(viewer, 1, "박서연"));
  assert.deepEqual(await seriousFaults(viewer), []);
  assert.deepEqual(viewer.faults, []);
});

test("a page without text says so to people who cannot see it, in the page's language", async () => {
  const template = server.import({ ...FIELDS, name: "Picture" }, pdfOf(["0.2 g 100 100 300 300 re f"]));
  const started = await server.startWorkflow({ template_id: template });
  const page = await open(browser, "phone");
  await page.goto(`${started.sign_url.replace("lang=en", "lang=ja")}`);
  const said = page.locator("page-text .unseen");
  await said.waitFor({ state: "attached" });
  assert.match(await said.textContent(), /文字はありません/);
  assert.deepEqual(await seriousFaults(page), []);
});

test("a long and dense document stays light: what is near is there, and not everything at once", async () => {
  const line = "0123456789 ".repeat(10).trim();
  const dense = (number) =>
    Array.from({ length: 100 }, (_, row) => `BT /F1 4 Tf 20 ${820 - row * 8} Td (${line}) Tj ET`).join("\n") +
    `\nBT /F1 9 Tf 20 10 Td (sheet ${number}) Tj ET`;
  const template = server.import({ ...FIELDS, name: "Dense" }, pdfOf(Array.from({ length: 10 }, (_, index) => dense(index + 1))));
  const started = await server.startWorkflow({ template_id: template });
  const page = await open(browser, "phone");
  await page.goto(started.sign_url);
  await ready(page);
  await page.waitForSelector("page-text[data-shown]", { state: "attached" });
  const held = () =>
    page.evaluate(() =>
      [...document.querySelectorAll("page-text")].reduce((sum, element) => sum + element.textContent.length, 0),
    );
  assert.ok(await find(page, 1, "sheet"));
  assert.ok((await held()) < 80_000, `${await held()} characters at the beginning`);
  assert.ok(await find(page, 10, "sheet"));
  assert.ok((await held()) < 80_000, `${await held()} characters at the end`);
  assert.ok(await find(page, 1, "sheet"));
  assert.deepEqual(page.faults, []);
});

test("texts are kept by the browser and belong to the link", async () => {
  const started = await server.startWorkflow();
  const html = await (await fetch(started.sign_url)).text();
  const address = /data-src="([^"]+)"/.exec(html)[1].replaceAll("&amp;", "&").replaceAll("&#x2f;", "/");
  const answer = await fetch(server.base + address);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("content-type"), "application/json");
  assert.match(answer.headers.get("cache-control"), /private.*immutable/);
  const again = await fetch(server.base + address, { headers: { "if-none-match": answer.headers.get("etag") } });
  assert.equal(again.status, 304);
  assert.equal((await fetch(server.base + address.replace(/token=[^&]+/, "token=wrong"))).status, 404);
});
