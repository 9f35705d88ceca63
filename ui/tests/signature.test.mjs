// The signature dialog in a real browser: every way to sign, by pointer and by keyboard, on a desktop and on a phone in
// landscape, and the resulting stamp.

import assert from "node:assert/strict";
import { test } from "node:test";
import { approve, field, fill, open, ready, seriousFaults } from "./browser.mjs";
import { pdf } from "./installation.mjs";
import { browser, server, withServer } from "./with-server.mjs";

withServer();

const LANDSCAPE = { viewport: { width: 740, height: 360 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };

/** Kept where COUNTERSIGN_PICTURES names a folder, to be looked at. */
async function picture(page, name) {
  const folder = process.env.COUNTERSIGN_PICTURES;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
}

async function openSigning(size, changes = {}, options = {}) {
  const started = await server.startWorkflow(changes);
  const page = await open(browser, size, options);
  await page.goto(started.sign_url);
  await ready(page);
  return { page, started };
}

/** Opens the dialog of a field, with the consent where it is asked for. */
async function openPad(page, name) {
  await field(page, name).locator("button").click();
  await page.locator("#consent-dialog[open], #pad[open]").first().waitFor();
  if (await page.locator("#consent-dialog").isVisible()) await page.locator("#consent-dialog [type=submit]").click();
  await page.locator("#pad[open]").waitFor();
}

/** Takes what is chosen, and waits until the server has it. */
async function use(page, press = () => page.locator("#pad [type=submit]").click()) {
  const sent = page.waitForResponse((answer) => answer.url().endsWith("/sign/files"));
  await press();
  await page.locator("#pad").waitFor({ state: "hidden" });
  const answer = await sent;
  assert.ok(answer.ok(), String(answer.status()));
}

async function draw(page, { from = 0.15, to = 0.8, at = 0.5 } = {}) {
  const canvas = await page.locator("#pad-canvas").boundingBox();
  await page.mouse.move(canvas.x + canvas.width * from, canvas.y + canvas.height * at);
  await page.mouse.down();
  for (let step = 1; step <= 20; step += 1) {
    const across = from + ((to - from) * step) / 20;
    await page.mouse.move(canvas.x + canvas.width * across, canvas.y + canvas.height * (at + 0.1 * Math.sin(step)));
  }
  await page.mouse.up();
}

/** How many pixels of the canvas have ink. */
const inked = (page) =>
  page.locator("#pad-canvas").evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let at = 3; at < data.length; at += 4) if (data[at] > 60) count += 1;
    return count;
  });

/** The picture in a field's box: its size, how much of it is transparent, and the mean colour of its ink. */
const shown = (page, name) =>
  field(page, name)
    .locator("img")
    .evaluate(async (image) => {
      await image.decode();
      const canvas = document.createElement("canvas");
      canvas.width = image.naturalWidth;
      canvas.height = image.naturalHeight;
      const context = canvas.getContext("2d");
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
      let [clear, ink, red, green, blue] = [0, 0, 0, 0, 0];
      for (let at = 0; at < data.length; at += 4) {
        if (data[at + 3] < 20) clear += 1;
        if (data[at + 3] < 200) continue;
        ink += 1;
        red += data[at];
        green += data[at + 1];
        blue += data[at + 2];
      }
      const colour = [red, green, blue].map((sum) => Math.round(sum / Math.max(1, ink)));
      return {
        src: image.getAttribute("src"),
        width: canvas.width,
        height: canvas.height,
        clear: clear / (data.length / 4),
        ink,
        colour,
      };
    });

const fileOf = async (id, name) => {
  const answer = await fetch(`${server.base}/api/v3/workflows/${id}/fields/${name}/file`, {
    headers: { authorization: `service ${server.token}` },
  });
  return { status: answer.status, type: answer.headers.get("content-type"), bytes: Buffer.from(await answer.arrayBuffer()) };
};

test("a name is typed and a seal is made with the keyboard alone, and both are stamped", async () => {
  const { page, started } = await openSigning("desktop");
  await field(page, "Signature").locator("button").focus();
  await page.keyboard.press("Enter");
  await page.locator("#consent-dialog[open]").waitFor();
  await page.locator("#consent-dialog [type=submit]").focus();
  await page.keyboard.press("Enter");
  await page.locator("#pad[open]").waitFor();
  // Arrow keys move through the tabs to typing, where the signer's name is already filled in.
  await page.locator('[role=tab][aria-selected="true"]').focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.evaluate(() => document.activeElement.id), "tab-type");
  assert.equal(await page.locator("#pad-typed").inputValue(), "김민준");
  await page.locator("#pad-hands .card-choice img").nth(1).waitFor();
  const names = await page.locator("#pad-hands input").evaluateAll((all) => all.map((radio) => radio.getAttribute("aria-label")));
  assert.deepEqual(names, ["Felt pen", "Round letters"]);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.id), "pad-typed");
  await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.locator("#pad-hands input:checked").getAttribute("aria-label"), "Round letters");
  await use(page, () => page.keyboard.press("Enter"));
  assert.equal(await page.evaluate(() => document.activeElement.closest(".field")?.dataset.name), "Signature");
  const signature = await shown(page, "Signature");
  assert.match(signature.src, /^data:image\/svg\+xml/);
  assert.deepEqual(signature.colour, [20, 32, 90]);

  await field(page, "Seal").locator("button").focus();
  await page.keyboard.press("Enter");
  await page.locator("#pad[open]").waitFor();
  assert.equal(
    await page.locator('[role=tab][aria-selected="true"]').getAttribute("id"),
    "tab-seal",
    "of a seal field the first",
  );
  await page.locator("#pad-seals .card-choice img").first().waitFor();
  await page.locator("#tab-seal").focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.locator('[name="pad-seal-of"]:checked').getAttribute("value"), "company");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.id), "pad-company");
  await page.keyboard.insertText("주식회사 한빛");
  await page.locator('#pad-seals input[aria-label="Double ring: 주식회사한빛 대표이사"]').waitFor({ state: "attached" });
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.checked), true);
  await use(page, () => page.keyboard.press("Enter"));
  const seal = await shown(page, "Seal");
  assert.ok(Math.abs(seal.width / seal.height - 1) < 0.02, "a ring");
  assert.deepEqual(seal.colour, [196, 30, 26]);

  // Another visit shows the same, and programs receive images.
  await fill(page, "Name", "김민준");
  await fill(page, "First day", "2026-12-01");
  await field(page, "Agreed").locator("input").click();
  await page.reload();
  await ready(page);
  assert.match((await shown(page, "Signature")).src, /\/sign\/file\?/);
  assert.deepEqual((await shown(page, "Seal")).colour, [196, 30, 26]);
  await approve(page);
  for (const name of ["Signature", "Seal"]) {
    const file = await fileOf(started.workflow_id, name);
    assert.deepEqual([file.status, file.type, file.bytes.subarray(1, 4).toString()], [200, "image/png", "PNG"], name);
  }
  assert.deepEqual(page.faults, []);
});

test("a phone held sideways gives the whole screen to draw on, and a turn loses nothing", async () => {
  const { page } = await openSigning("phone", {}, LANDSCAPE);
  await openPad(page, "Signature");
  const canvas = await page.locator("#pad-canvas").boundingBox();
  assert.ok(canvas.width >= 740 * 0.65, `${canvas.width} wide`);
  assert.ok(canvas.height >= 360 * 0.9, `${canvas.height} high`);
  for (const button of await page.locator("#pad button:visible").all()) {
    const box = await button.boundingBox();
    assert.ok(box.height >= 44 && box.width >= 44, `${await button.textContent()}: ${box.width} by ${box.height}`);
    assert.ok(
      box.x >= 0 && box.x + box.width <= 740 && box.y + box.height <= 360,
      `${await button.textContent()} is on the screen`,
    );
  }
  await draw(page, { at: 0.3 });
  const one = await inked(page);
  await draw(page, { at: 0.7 });
  const two = await inked(page);
  assert.ok(one > 500 && two > one * 1.5, `${one}, ${two}`);
  await page.click("#pad-undo");
  assert.ok(Math.abs((await inked(page)) - one) < one * 0.05);
  await draw(page, { at: 0.8, to: 0.95 });
  await picture(page, "landscape");
  assert.deepEqual(await seriousFaults(page), []);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.waitForFunction(() => document.querySelector("#pad-canvas").clientWidth < 360);
  assert.ok((await inked(page)) > 500, "turned, the strokes are still there");
  await use(page);
  const drawn = await shown(page, "Signature");
  assert.match(drawn.src, /^data:image\/png/);
  assert.ok(Math.max(drawn.width, drawn.height) >= 1600 && drawn.clear > 0.5, JSON.stringify(drawn));
  await openPad(page, "Signature");
  await page.click("#pad-clear");
  assert.equal(await inked(page), 0);
  await page.locator("#pad [type=submit]").click();
  assert.equal(await page.locator("#pad-fault").textContent(), "Draw or choose something first.");
  assert.deepEqual(page.faults, []);
});

test("a pen writes with its pressure; only what is new is drawn, and it looks as if all were drawn again", async () => {
  const { page } = await openSigning("desktop");
  await openPad(page, "Signature");
  const stroke = (pressure, points = 50) =>
    page.locator("#pad-canvas").evaluate(
      (canvas, [pressure, points]) => {
        const box = canvas.getBoundingClientRect();
        // A simulated pen cannot be captured.
        canvas.setPointerCapture = () => undefined;
        const say = (type, step) => {
          const [clientX, clientY] = [box.left + 40 + ((step * 5) % 260), box.top + 60 + 30 * Math.sin(step / 7)];
          const event = new PointerEvent(type, {
            pointerId: 7,
            pointerType: "pen",
            pressure,
            clientX,
            clientY,
            bubbles: true,
            cancelable: true,
          });
          canvas.dispatchEvent(event);
        };
        let drawn = 0;
        const { stroke } = CanvasRenderingContext2D.prototype;
        CanvasRenderingContext2D.prototype.stroke = function (...path) {
          drawn += 1;
          stroke.apply(this, path);
        };
        say("pointerdown", 0);
        for (let step = 1; step <= points / 2; step += 1) say("pointermove", step);
        const half = drawn;
        for (let step = points / 2 + 1; step <= points; step += 1) say("pointermove", step);
        say("pointerup", points);
        CanvasRenderingContext2D.prototype.stroke = stroke;
        return [half, drawn];
      },
      [pressure, points],
    );
  await stroke(0.05);
  const light = await inked(page);
  await page.click("#pad-clear");
  await stroke(1);
  const heavy = await inked(page);
  assert.ok(light > 100 && heavy > light * 1.5, `${light}, ${heavy}`);
  const pixels = () => page.locator("#pad-canvas").evaluate((canvas) => canvas.toDataURL());
  const written = await pixels();
  // Draws another stroke across it. Undoing that redraws everything.
  const [half, whole] = await stroke(0.6, 400);
  assert.ok(whole < half * 2.5, `${half} lines for the first half of a stroke, ${whole} for all of it`);
  assert.notEqual(await pixels(), written);
  await page.click("#pad-undo");
  assert.equal(await pixels(), written);
});

test("the paper around a photographed seal is removed, and the rest is cropped", async () => {
  const { page, started } = await openSigning("desktop");
  // Red ink on grey paper that is darker to the right, in the middle of a large photo.
  const photograph = await page.evaluate(() => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [1200, 900];
    const context = canvas.getContext("2d");
    const light = context.createLinearGradient(0, 0, 1200, 0);
    light.addColorStop(0, "#f4f1ea");
    light.addColorStop(1, "#a39f97");
    context.fillStyle = light;
    context.fillRect(0, 0, 1200, 900);
    context.strokeStyle = "#b8332b";
    context.lineWidth = 18;
    context.beginPath();
    context.arc(800, 500, 120, 0, 2 * Math.PI);
    context.stroke();
    return canvas.toDataURL("image/jpeg", 0.9).split(",")[1];
  });
  await openPad(page, "Seal");
  await page.click("#tab-picture");
  assert.match(await page.locator("#panel-picture .pick").first().textContent(), /5 MB/);
  assert.equal(await page.locator("#pad-camera").getAttribute("capture"), "environment");
  await page.setInputFiles("#pad-file", { name: "seal.jpg", mimeType: "image/jpeg", buffer: Buffer.from(photograph, "base64") });
  await page.locator("#pad-picture-shown canvas").waitFor();
  await picture(page, "photograph");
  assert.deepEqual(await seriousFaults(page), []);
  await use(page);
  const seal = await shown(page, "Seal");
  assert.match(seal.src, /^data:image\/png/);
  assert.ok(seal.width > 250 && seal.width < 300 && Math.abs(seal.width - seal.height) <= 4, `${seal.width} by ${seal.height}`);
  assert.ok(seal.clear > 0.6, `${seal.clear} of it is clear`);
  assert.ok(seal.colour[0] > 150 && seal.colour[1] < 90, String(seal.colour));

  // The paper may stay. A file that is not an image is refused with a message.
  await openPad(page, "Seal");
  await page.click("#tab-picture");
  await page.setInputFiles("#pad-file", { name: "seal.jpg", mimeType: "image/jpeg", buffer: Buffer.from(photograph, "base64") });
  await page.locator("#pad-clean").uncheck();
  await use(page);
  const whole = await shown(page, "Seal");
  assert.deepEqual([whole.width, whole.height, whole.clear], [1200, 900, 0]);
  await openPad(page, "Seal");
  await page.click("#tab-picture");
  await page.setInputFiles("#pad-file", { name: "no.jpg", mimeType: "image/jpeg", buffer: Buffer.from("no picture") });
  await page.locator("#pad-fault:not([hidden])").waitFor();
  assert.match(await page.locator("#pad-fault").textContent(), /not a PNG or JPEG/);
  await page.locator("#pad-remove").click();
  await page.waitForFunction(() => !document.querySelector('[data-name="Seal"] img'));
  assert.equal((await server.workflow(started.workflow_id)).status, "Playing");
  assert.deepEqual(page.faults, []);
});

test("the last signature is offered again if the signer let the device keep it, and forgotten when they say so", async () => {
  const { page } = await openSigning("desktop");
  const kept = () => page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("countersign-last")));
  await openPad(page, "Signature");
  assert.equal(await page.locator("#tab-last").isVisible(), false);
  await page.click("#tab-type");
  await page.locator("#pad-hands .card-choice img").first().waitFor();
  await use(page);
  assert.deepEqual(await kept(), [], "nothing is kept unasked");
  await openPad(page, "Signature");
  await page.click("#tab-type");
  assert.match(await page.locator("#pad-keep-where").textContent(), /Only on this device/);
  await page.locator("#pad-keep").check();
  await use(page);
  assert.equal((await kept()).length, 1);
  const first = await shown(page, "Signature");

  const again = await server.startWorkflow();
  await page.goto(again.sign_url);
  await ready(page);
  await openPad(page, "Signature");
  assert.equal(await page.locator('[role=tab][aria-selected="true"]').getAttribute("id"), "tab-last");
  await picture(page, "last");
  assert.deepEqual(await seriousFaults(page), []);
  await use(page, () => page.keyboard.press("Enter"));
  assert.deepEqual(await shown(page, "Signature"), first);
  await page.reload();
  await ready(page);
  await field(page, "Signature").locator("img").waitFor();

  // Another signer on the same device is not offered the signature.
  const other = await server.startWorkflow({
    recipient_list: [
      { order: 1, name: "이서연", email: "other@example.com" },
      { order: 2, name: "박서연", email: "seoyeon@example.com" },
    ],
  });
  await page.goto(other.sign_url);
  await ready(page);
  await openPad(page, "Signature");
  assert.equal(await page.locator("#tab-last").isVisible(), false);

  await page.goto(again.sign_url);
  await ready(page);
  await openPad(page, "Signature");
  await page.click("#pad-forget");
  assert.equal(await page.locator('[role=tab][aria-selected="true"]').getAttribute("id"), "tab-draw");
  assert.equal(await page.locator("#tab-last").isVisible(), false);
  assert.deepEqual(await kept(), []);
  assert.deepEqual(page.faults, []);
});

test("what no hand can write is said in words, and previews that failed come when the connection is back", async () => {
  const { page } = await openSigning("phone");
  await openPad(page, "Signature");
  await page.click("#tab-type");
  await page.locator("#pad-hands .card-choice img").first().waitFor();
  await page.fill("#pad-typed", "김𓀀");
  await page.locator("#pad-fault:not([hidden])").waitFor();
  assert.match(await page.locator("#pad-fault").textContent(), /𓀀 \(U\+13000\)/);
  assert.equal(await page.locator("#pad").getByText("U+13000").count(), 1, "once, and not in each hand's place");
  assert.equal(await page.locator("#pad-hands input").count(), 0);
  await page.locator("#pad [type=submit]").click();
  assert.ok(await page.locator("#pad").isVisible(), "nothing is taken");
  await page.fill("#pad-typed", "");
  await page.locator("#pad [type=submit]").click();
  assert.equal(await page.locator("#pad-fault").textContent(), "Enter a name first.");
  await page.context().setOffline(true);
  await page.fill("#pad-typed", "Jane Doe");
  await page.waitForFunction(() => /connection/.test(document.querySelector("#pad-fault").textContent));
  await page.context().setOffline(false);
  await page.locator("#pad-hands .card-choice img").nth(5).waitFor();
  assert.equal(await page.locator("#pad-fault").isVisible(), false);
  await use(page);
  assert.match((await shown(page, "Signature")).src, /^data:image\/svg/);
});

for (const [language, name, company] of [
  ["ko", "남궁민수", "주식회사 한빛"],
  ["ja", "山田 太郎", "株式会社青空"],
  ["en", "Jane Doe", "Blue Sky Ltd."],
]) {
  test(`every way of the dialog is usable by everybody in ${language}, light and dark, on phone and desktop`, async () => {
    const recipients = [
      { order: 1, name, email: "minjun@example.com" },
      { order: 2, name: "박서연", email: "seoyeon@example.com" },
    ];
    for (const [size, colorScheme] of [
      ["phone", "dark"],
      ["desktop", "light"],
    ]) {
      const { page } = await openSigning(size, { language, recipient_list: recipients }, { colorScheme, locale: language });
      await openPad(page, "Seal");
      const judge = async (what) => {
        await picture(page, `${what}-${language}-${size}`);
        assert.deepEqual(await seriousFaults(page), [], `${what} ${size}`);
        const small = await page.locator("#pad :is(button, input, label):visible").evaluateAll((all) =>
          all
            // An element inside a large enough label is reached through the label.
            .filter((element) => !element.closest("label") || element.matches("label"))
            .filter((element) => element.matches("button, input, label:has(input)"))
            .map((element) => ({ text: element.textContent || element.id, ...element.getBoundingClientRect().toJSON() }))
            .filter(({ width, height }) => width < 44 || height < 44)
            .map(({ text, width, height }) => `${text}: ${width} by ${height}`),
        );
        assert.deepEqual(small, [], `${what} ${size}`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${what} ${size} scrolls sideways by ${wide}`);
      };
      await page.locator("#pad-seals .card-choice img").nth(1).waitFor();
      await judge("seal");
      await page.locator('[name="pad-seal-of"][value="company"]').check();
      await page.fill("#pad-company", company);
      await page.locator("#pad-seals .card-choice img").nth(1).waitFor();
      await judge("company");
      await page.click("#tab-type");
      await page.locator("#pad-hands .card-choice img").nth(1).waitFor();
      await judge("type");
      await page.click("#tab-draw");
      await draw(page);
      await judge("draw");
      await page.click("#tab-picture");
      await judge("picture");
      assert.deepEqual(page.faults, []);
      await page.context().close();
    }
  });
}

test("where the company's seal is asked for it is offered first, and each seal is kept apart", async () => {
  const place = (row) => ({ kind: "seal", step: 1, page: 1, x: 250_000, y: row * 200_000, width: 150_000, height: 106_000 });
  const template_id = server.import(
    {
      name: "Two seals",
      steps: [{ order: 1 }],
      fields: [
        { name: "Company seal", detail: "company", required: true, ...place(1) },
        { name: "Own seal", ...place(2) },
      ],
    },
    pdf(1),
  );
  const words = {
    ko: ["회사 도장 찍기", "회사 도장 입력", "도장 입력"],
    ja: ["会社印を押す", "会社印の入力", "印鑑の入力"],
    en: ["Add the company’s stamp", "The company’s signature stamp", "Your signature stamp"],
  };
  for (const [language, [ask, title, own]] of Object.entries(words)) {
    const size = language === "en" ? "desktop" : "phone";
    const recipient_list = [{ order: 1, name: "김민준", email: `seal.${language}@example.com` }];
    const { page, started } = await openSigning(size, { template_id, language, recipient_list });
    assert.equal(await field(page, "Company seal").locator(".ask").textContent(), ask);
    const offered = () =>
      page.evaluate(() => ({
        title: document.querySelector("#pad-title").textContent,
        tab: document.querySelector('#pad [role=tab][aria-selected="true"]').id,
        order: [...document.querySelectorAll('[name="pad-seal-of"]')].map(({ value }) => value),
        chosen: document.querySelector('[name="pad-seal-of"]:checked').value,
        entries: [...document.querySelectorAll("#panel-seal input:not([type=radio])")]
          .filter((entry) => entry.checkVisibility())
          .map(({ id }) => id),
      }));
    await openPad(page, "Company seal");
    const company = {
      title,
      tab: "tab-seal",
      order: ["company", "person"],
      chosen: "company",
      entries: ["pad-company", "pad-company-title"],
    };
    assert.deepEqual(await offered(), company);
    await page.fill("#pad-company", "한빛상사");
    await page.locator("#pad-seals img").first().waitFor();
    await page.emulateMedia({ colorScheme: language === "ja" ? "dark" : "light" });
    await picture(page, `company-seal-${language}`);
    assert.deepEqual(await seriousFaults(page), []);
    await page.locator("#pad-keep").check();
    await use(page);

    await openPad(page, "Own seal");
    const person = { title: own, tab: "tab-seal", order: ["person", "company"], chosen: "person", entries: ["pad-seal-name"] };
    assert.deepEqual(await offered(), person, "the company's seal that was kept is none of the writer's own");
    await page.locator("#pad [data-close]").click();
    await openPad(page, "Company seal");
    assert.equal((await offered()).tab, "tab-last");
    await page.locator("#pad [data-close]").click();
    await page.waitForFunction(() => document.querySelector("#save-state").dataset.state === "saved");
    await approve(page);
    assert.equal((await server.workflow(started.workflow_id)).status, "Complete");
    assert.deepEqual(page.faults, []);
    await page.context().close();
  }
});
