// On a phone, the document comes first, the box being filled in stays bright and in view, and the on-screen keyboard
// covers nothing that is needed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { field, open, openSigning, seriousFaults } from "./browser.mjs";
import { FIELDS, pdf } from "./installation.mjs";
import { browser, server, withServer } from "./with-server.mjs";
import { word } from "../samples.mjs";

let handOver;
withServer({
  prepare: () => {
    const fields = [
      ...FIELDS.fields,
      { name: "Photo", kind: "image", step: 1, page: 1, x: 100_000, y: 500_000, width: 200_000, height: 60_000 },
      { name: "Scan", kind: "attachment", step: 1, page: 1, x: 400_000, y: 500_000, width: 300_000, height: 24_000 },
    ];
    handOver = server.import({ ...FIELDS, fields, name: "Assigned", hand_over: true }, pdf());
  },
});

const opened = async (language = "en", size = "phone") => {
  const { sign_url } = await server.startWorkflow({ template_id: handOver, language });
  return await openSigning(browser, size, sign_url);
};
const rectangle = (page, selector) =>
  page.locator(selector).evaluate((element) => JSON.parse(JSON.stringify(element.getBoundingClientRect())));

test("the document comes first: a title, a line, and the rest behind a button", async () => {
  for (const language of ["ko", "ja", "en"]) {
    const page = await opened(language);
    const paper = await rectangle(page, "document-page >> nth=0");
    assert.ok(paper.top < 740 * 0.4, `the page begins at ${paper.top} of 740`);
    const more = page.locator("#intro-more");
    assert.equal(await more.textContent(), word(language, "sign-details"));
    assert.ok((await more.boundingBox()).height >= 44);
    assert.match(await page.locator(".intro .line").textContent(), /한빛상사/);
    for (const hidden of ["#original", ".intro .comment"]) {
      assert.equal(await page.locator(hidden).isVisible(), false, hidden);
    }
    await more.focus();
    await page.keyboard.press("Enter");
    assert.equal(await more.getAttribute("aria-expanded"), "true");
    for (const shown of ["#original", ".intro .comment"]) {
      assert.equal(await page.locator(shown).isVisible(), true, shown);
    }
    assert.deepEqual(await seriousFaults(page), []);
    await more.click();
    assert.equal(await page.locator("#original").isVisible(), false);
    assert.deepEqual(page.faults, []);
    await page.context().close();
  }
  const wide = await opened("en", "desktop");
  assert.equal(await wide.locator("#intro-more").isVisible(), false);
  assert.equal(await wide.locator("#original").isVisible(), true);
});

test("the box that the sheet fills in is ringed, in view above it, and not dimmed", async () => {
  const page = await opened();
  for (const name of ["Name", "First day", "Scan"]) {
    const box = `.field.mine[data-name="${name}"]`;
    await field(page, name).locator("button").first().click();
    await page.locator("#sheet[open]").waitFor();
    const [at, sheet] = [await rectangle(page, box), await rectangle(page, "#sheet")];
    assert.ok(at.top >= 0 && at.bottom <= sheet.top, `${name}: ${at.top} to ${at.bottom}, and the sheet begins at ${sheet.top}`);
    assert.notEqual(await page.locator(box).getAttribute("data-current"), null);
    const hole = await page.locator("#sheet").evaluate((dialog) => getComputedStyle(dialog, "::backdrop").clipPath);
    assert.match(hole, /^polygon\(evenodd/);
    const [x, y] = [Math.round(at.left) - 8, Math.round(at.top) - 8];
    assert.ok(hole.includes(`${x}px ${y}px`), `${hole} has no corner at ${x}, ${y}`);
    await page.locator("#sheet .actions [data-close]").first().click();
    await page.locator("#sheet").waitFor({ state: "hidden" });
    assert.equal(await page.locator(box).getAttribute("data-current"), null);
  }
  assert.deepEqual(page.faults, []);
});

test("adding a file is the one filled button of its sheet, until there is one", async () => {
  const page = await opened();
  await field(page, "Scan").locator("button").click();
  const filled = () => page.locator("#sheet .button.primary:visible").evaluateAll((buttons) => buttons.map(({ id }) => id));
  assert.deepEqual(await filled(), ["sheet-entry"]);
  await page.setInputFiles('.field[data-name="Scan"] input', { name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("a") });
  await page.waitForFunction(() => document.querySelector("#sheet-next").classList.contains("primary"));
  assert.deepEqual(await filled(), (await page.locator("#sheet-next").isVisible()) ? ["sheet-next"] : []);
});

test("today is one press away in a date", async () => {
  for (const language of ["ko", "ja", "en"]) {
    const page = await opened(language);
    await field(page, "First day").locator("button.open").click();
    const today = page.locator("#sheet .date-entry button");
    assert.equal(await today.textContent(), word(language, "sign-field-today"));
    assert.ok((await today.boundingBox()).height >= 44);
    await today.click();
    const expected = await page.evaluate(() => new Date().toLocaleDateString("sv"));
    assert.equal(await page.inputValue("#sheet-entry"), expected);
    assert.equal(await field(page, "First day").locator("input").inputValue(), expected);
    await page.context().close();
  }
});

test("sheet, signature and confirmation stand above the screen keyboard, and follow the page behind it", async () => {
  const page = await opened();
  // A keyboard as on an iPhone: the window keeps its size, but only part of it is visible.
  const keyboard = (height, offsetTop = 0) =>
    page.evaluate(
      ([height, offsetTop]) => {
        for (const [name, value] of Object.entries({ height: innerHeight - height, offsetTop, scale: 1 })) {
          Object.defineProperty(visualViewport, name, { value, configurable: true });
        }
        visualViewport.dispatchEvent(new Event(offsetTop ? "scroll" : "resize"));
      },
      [height, offsetTop],
    );
  const isSeen = async (selector, covered, offset = 0) => {
    const { top, bottom } = await rectangle(page, selector);
    assert.ok(top >= offset && bottom <= 740 - covered + offset + 1, `${selector}: ${top} to ${bottom} of ${740 - covered}`);
  };
  await field(page, "Remarks").locator("button.open").click();
  await page.locator("#sheet[open]").waitFor();
  await keyboard(300);
  await isSeen("#sheet", 300);
  assert.ok((await rectangle(page, '.field[data-name="Remarks"]')).bottom <= (await rectangle(page, "#sheet")).top + 1);
  await keyboard(300, 120);
  await isSeen("#sheet", 300, 120);
  await keyboard(0);
  await isSeen("#sheet", 0);
  await page.locator("#sheet .actions [data-close]").first().click();

  await page.click("#reject");
  await keyboard(300);
  await isSeen("#reject-dialog", 300);
  await keyboard(0);
  await page.click("#reject-dialog [data-close]");

  await field(page, "Signature").locator("button").click();
  await page.click("#consent-dialog [type=submit]");
  await page.click("#tab-type");
  await keyboard(300);
  await isSeen("#pad", 300);
  assert.deepEqual(page.faults, []);
});

test("a tap beside the sheet closes it, also where the browser does not do that by itself", async () => {
  for (const has of [true, false]) {
    const page = await open(browser, "phone");
    if (!has) await page.addInitScript("delete HTMLDialogElement.prototype.closedBy");
    await page.goto((await server.startWorkflow({ template_id: handOver })).sign_url);
    // As in WebKit, the browser ignores the attribute, and only our own code reads it.
    if (!has) {
      await page.evaluate(() => {
        const { getAttribute, setAttribute } = Element.prototype;
        let said = "any";
        const sheet = document.querySelector("#sheet");
        sheet.removeAttribute("closedby");
        sheet.hasAttribute = (name) => name === "closedby" || Element.prototype.hasAttribute.call(sheet, name);
        sheet.getAttribute = (name) => (name === "closedby" ? said : getAttribute.call(sheet, name));
        sheet.setAttribute = (name, value) => (name === "closedby" ? (said = value) : setAttribute.call(sheet, name, value));
      });
    }
    await page.waitForSelector("document-page[data-placed]");
    await field(page, "Name").locator("button.open").click();
    await page.locator("#sheet[open]").waitFor();
    await page.waitForFunction(() => document.querySelector("#sheet").getAttribute("closedby") === "any");
    await page.mouse.click(10, 10);
    await page.locator("#sheet").waitFor({ state: "hidden" });
    await page.context().close();
  }
});

/** A picture of 40 × 20 pixels, dark on its left half: a photograph that lies on its side. */
const picture = (page) =>
  page.evaluate(() => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [40, 20];
    const context = canvas.getContext("2d");
    context.fillStyle = "#fff";
    context.fillRect(0, 0, 40, 20);
    context.fillStyle = "#123";
    context.fillRect(0, 0, 20, 20);
    return canvas.toDataURL("image/png").split(",")[1];
  });

test("a photograph can be turned, and keeps its paper", async () => {
  for (const language of ["ko", "ja", "en"]) {
    const page = await opened(language);
    await field(page, "Photo").locator("button").click();
    const buffer = Buffer.from(await picture(page), "base64");
    await page.setInputFiles("#pad-file", { name: "a.png", mimeType: "image/png", buffer });
    const shown = page.locator("#pad-picture-shown canvas");
    await shown.waitFor();
    assert.equal(await page.locator("#pad-cleaning").isVisible(), false);
    const turn = page.locator("#pad-turn");
    assert.equal((await turn.textContent()).trim(), word(language, "sign-pad-turn"));
    assert.ok((await turn.boundingBox()).height >= 44);
    await turn.click();
    const [size, corners] = await shown.evaluate((canvas) => {
      const context = canvas.getContext("2d");
      const dark = (x, y) => context.getImageData(x, y, 1, 1).data[0] < 128;
      return [
        [canvas.width, canvas.height],
        [dark(10, 5), dark(10, 35)],
      ];
    });
    assert.deepEqual(
      [size, corners],
      [
        [20, 40],
        [true, false],
      ],
    );
    assert.deepEqual(await seriousFaults(page), []);
    await page.context().close();
  }
});

test("a photograph of 48 million pixels is accepted", async () => {
  const page = await opened();
  await field(page, "Photo").locator("button").click();
  const large = await page.evaluate(async () => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [8000, 6000];
    canvas.getContext("2d").fillRect(0, 0, 4000, 6000);
    return canvas.toDataURL("image/jpeg", 0.5).split(",")[1];
  });
  await page.setInputFiles("#pad-file", { name: "a.jpg", mimeType: "image/jpeg", buffer: Buffer.from(large, "base64") });
  const shown = page.locator("#pad-picture-shown canvas");
  await shown.waitFor();
  assert.deepEqual(await shown.evaluate(({ width, height }) => [width, height]), [1600, 1200]);
});
