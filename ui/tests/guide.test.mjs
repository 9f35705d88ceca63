// The guided mode, and the tools around the pages, on phone, tablet and desktop, in three languages, with touch,
// pointer and keyboard.

import assert from "node:assert/strict";
import { test } from "node:test";
import { draw, field, fill, open, ready, resize, seriousFaults, SIZES } from "./browser.mjs";
import { FIELDS, pdf } from "./installation.mjs";
import { browser, server, withServer } from "./with-server.mjs";

const count = 71;
const MANY = {
  name: "Many pages",
  steps: [{ order: 1 }],
  fields: Array.from({ length: count }, (_, index) => ({
    name: `Field ${index + 1}`,
    kind: "text",
    step: 1,
    page: index + 1,
    x: 250_000,
    y: 140_000,
    width: 380_000,
    height: 24_000,
  })),
};

let long;
let many;

withServer({
  prepare: () => {
    long = server.import({ ...FIELDS, name: "Nine pages" }, pdf(9));
    // Imported while the first tests run.
    many = server.importAside(MANY, pdf(count));
    many.catch(() => undefined);
  },
});

async function guided(size, language, changes = {}) {
  const started = await server.startWorkflow({ language, ...changes });
  const page = await open(browser, size);
  await page.goto(started.sign_url);
  await ready(page);
  await page.locator("#guide-toggle")[size === "desktop" ? "click" : "tap"]();
  return { page, started };
}

/** Kept where COUNTERSIGN_PICTURES names a folder, to be looked at. */
async function picture(page, name) {
  const folder = process.env.COUNTERSIGN_PICTURES;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
}

const current = (page) => page.evaluate(() => document.querySelector(".field[data-current]")?.dataset.name);

/** Is the box of the field in what header and sheet leave of the window? */
async function inSight(page) {
  return await page.evaluate(() => {
    const box = document.querySelector(".field[data-current]").getBoundingClientRect();
    const top = Math.max(
      ...[...document.querySelectorAll(".tools, .messages")].map((part) => part.getBoundingClientRect().bottom),
    );
    const guide = document.querySelector("#guide");
    const bottom = getComputedStyle(guide).position === "fixed" ? guide.getBoundingClientRect().top : innerHeight;
    return box.top >= top - 1 && box.bottom <= bottom + 1 && box.left >= -1 && box.right <= innerWidth + 1;
  });
}

for (const [language, count, required] of [
  ["en", "Field 1 of 9", "required"],
  ["ko", "9개 항목 중 1번째", "필수"],
  ["ja", "全 9 項目中 1 番目", "必須"],
]) {
  test(`on a phone, by touch, a sheet leads through every kind of field: ${language}`, async () => {
    const { page, started } = await guided("phone", language);
    assert.equal(await page.locator("#guide-count").textContent(), count);
    assert.equal(await page.locator("#guide-label").textContent(), `Name (${required})`);
    assert.equal(await inSight(page), true);
    // The page is enlarged, so that the text around the box is readable.
    assert.ok((await field(page, "Name").boundingBox()).width > 200);
    assert.deepEqual(await seriousFaults(page), []);

    const entry = page.locator("#guide-entry");
    const next = page.locator("#guide-next");
    const steps = [
      ["Name", async () => entry.fill("김민준")],
      [
        "Salary",
        async () => {
          await entry.fill("much");
          await next.tap();
          assert.equal(await current(page), "Salary");
          assert.notEqual(await page.locator("#guide-fault").textContent(), "");
          await entry.fill("1200");
        },
      ],
      ["First day", async () => entry.fill("2026-12-01")],
      ["Remarks", async () => {}],
      ["Agreed", async () => entry.tap()],
      ["Kind", async () => page.locator("#guide-room .choice").nth(1).tap()],
      ["Team", async () => entry.selectOption("Tokyo")],
      [
        "Signature",
        async () => {
          await entry.tap();
          await draw(page);
        },
      ],
    ];
    const optional = ["Salary", "Remarks", "Kind", "Team"];
    const filledButtons = () => page.locator(".button.primary:visible").evaluateAll((buttons) => buttons.map(({ id }) => id));
    for (const [name, work] of steps) {
      assert.equal(await current(page), name);
      assert.equal(await inSight(page), true, `${name} is in sight`);
      // The focus is in the required entry, and no button that would leave it empty is emphasized.
      assert.equal(await page.evaluate(() => document.querySelector("#guide-room").contains(document.activeElement)), true, name);
      const strongest = optional.includes(name) ? ["guide-next"] : name === "Signature" ? ["guide-entry"] : [];
      assert.deepEqual(await filledButtons(), strongest, `${name}, empty`);
      await picture(page, `guide-${language}-${name}`);
      await work();
      if (name !== "Signature") assert.deepEqual(await filledButtons(), ["guide-next"], `${name}, filled in`);
      await next.tap();
    }
    assert.equal(await current(page), "Seal");
    await page.locator("#guide-back").tap();
    assert.equal(await current(page), "Signature");
    await page.locator("#guide-next").tap();
    await next.tap();
    await page.locator("#approve-dialog [type=submit]").tap();
    await page.locator("#done-dialog[open]").waitFor();
    const { field_list: values } = await server.workflow(started.workflow_id);
    const value = (name) => values.find((entry) => entry.name === name)?.value;
    assert.deepEqual(["Name", "Salary", "First day", "Agreed", "Kind", "Team"].map(value), [
      "김민준",
      "1200",
      "2026-12-01",
      "Y",
      "part time",
      "Tokyo",
    ]);
    assert.deepEqual(page.faults, []);
  });
}

test("on a desktop, by keyboard alone, fields are filled in place; Enter, Tab and Shift-Tab move, the words follow", async () => {
  const { page, started } = await guided("desktop", "en");
  const focused = () => page.evaluate(() => document.activeElement.closest(".field")?.dataset.name);
  assert.equal(await focused(), "Name");
  await page.keyboard.type("김민준");
  await page.keyboard.press("Enter");
  assert.equal(await focused(), "Salary");
  await page.keyboard.press("Shift+Tab");
  assert.equal(await focused(), "Name");
  assert.equal(await page.locator("#guide-count").textContent(), "Field 1 of 9");
  await page.keyboard.press("Tab");
  await page.keyboard.type("12a");
  assert.match(await page.locator("#guide-fault").textContent(), /number/);
  await page.keyboard.press("Enter");
  assert.equal(await focused(), "Salary", "what is refused is not left by Enter");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Enter");
  assert.equal(await focused(), "First day");
  await page.keyboard.type("12012026");
  await page.keyboard.press("Enter");
  await page.keyboard.type("one");
  await page.keyboard.press("Enter");
  assert.equal(await focused(), "Remarks", "in many lines Enter makes a new one");
  await page.keyboard.type("two");
  await page.keyboard.press("Control+Enter");
  assert.equal(await focused(), "Agreed");
  await page.keyboard.press("Space");
  await page.keyboard.press("Enter");
  assert.equal(await focused(), "Kind");
  await page.keyboard.press("Space");
  await page.keyboard.press("Enter");
  assert.equal(await focused(), "Team");
  await page.keyboard.press("S");
  await page.keyboard.press("Enter");
  assert.equal(await focused(), "Signature");
  assert.equal(await inSight(page), true);
  // A screen reader reads the name, rule and position along with the entry.
  const described = await page.evaluate(() =>
    document.activeElement
      .getAttribute("aria-describedby")
      .split(" ")
      .map((id) => document.getElementById(id).textContent.trim()),
  );
  assert.equal(described[0], "Field 8 of 9");
  assert.deepEqual(await seriousFaults(page), []);
  await page.keyboard.press("Enter");
  await page.locator("#consent-dialog[open]").waitFor();
  await page.locator("#consent-dialog [type=submit]").press("Enter");
  await page.locator("#pad[open]").waitFor();
  await page.locator("#tab-draw").press("ArrowRight");
  await page.locator("#pad [type=submit]").press("Enter");
  await page.locator("#pad").waitFor({ state: "hidden" });
  await page.locator("#guide-approve").press("Enter");
  await page.locator("#approve-dialog [type=submit]").press("Enter");
  await page.locator("#done-dialog[open]").waitFor();
  const { field_list: values } = await server.workflow(started.workflow_id);
  assert.equal(values.find(({ name }) => name === "Remarks").value, "one\ntwo");
  assert.equal(values.find(({ name }) => name === "Salary").value, "12");
  assert.deepEqual(page.faults, []);
});

test("the way is changed at any time: what was given stays, and the choice is kept for the next page", async () => {
  const { page, started } = await guided("tablet", "ja");
  await page.keyboard.type("김민준");
  await page.locator("#guide-off").tap();
  assert.equal(await page.locator("#guide").isVisible(), false);
  assert.equal(await page.locator(".bar").isVisible(), true);
  assert.equal(await field(page, "Name").locator("input").inputValue(), "김민준");
  await fill(page, "Salary", "5");
  await page.locator("#guide-toggle").tap();
  assert.equal(await current(page), "First day", "it goes on at the first required field that is open");
  await page.waitForSelector('#save-state[data-state="saved"]');
  await page.goto(started.sign_url);
  await ready(page);
  assert.equal(await page.locator("#guide").isVisible(), true);
  assert.equal(await page.locator("#guide-toggle").getAttribute("aria-pressed"), "true");
  assert.deepEqual(await seriousFaults(page), []);
  assert.deepEqual(page.faults, []);
});

test("on a phone a touch on a box leads the sheet to it", async () => {
  const { page } = await guided("phone", "en");
  await field(page, "First day").locator("button.open").tap();
  assert.equal(await current(page), "First day");
  assert.equal(await page.locator("#guide-entry").getAttribute("type"), "date");
  assert.equal(await page.locator("#sheet").isVisible(), false);
});

test("what was left open for later is led to and named at the end; the only one that is open leads to the page", async () => {
  const box = { page: 1, x: 250_000, width: 380_000, height: 24_000 };
  const template = server.import(
    {
      name: "Two fields",
      steps: [{ order: 1 }],
      fields: [
        { name: "Name", kind: "text", step: 1, required: true, y: 140_000, ...box },
        { name: "Signature", kind: "signature", step: 1, required: true, y: 600_000, ...box },
      ],
    },
    pdf(),
  );
  for (const [size, language, texts] of [
    ["phone", "en", ["Required fields left (2): Name, Signature", "Required fields left (1): Signature"]],
    ["phone", "ko", ["아직 입력하지 않은 필수 항목(2개): Name, Signature", "아직 입력하지 않은 필수 항목(1개): Signature"]],
    ["desktop", "ja", ["未入力の必須項目（2 件）：Name, Signature", "未入力の必須項目（1 件）：Signature"]],
  ]) {
    const { page } = await guided(size, language, {
      template_id: template,
      recipient_list: [{ order: 1, name: "김민준", email: "minjun@example.com" }],
    });
    const press = (selector) => page.locator(selector)[size === "desktop" ? "click" : "tap"]();
    const trouble = () => page.locator("#trouble").textContent();
    await press("#guide-next");
    assert.equal(await current(page), "Signature");
    assert.equal(await trouble(), "");
    await press("#guide-next");
    assert.equal(await current(page), "Name", "the first that is open");
    assert.equal(await trouble(), texts[0]);
    assert.equal(await inSight(page), true);
    await picture(page, `guide-open-two-${size}-${language}`);
    await page.keyboard.type("Kim");
    assert.equal(await trouble(), "", "it is being mended");
    await press("#guide-next");
    await press("#guide-next");
    assert.equal(await page.locator("#guide").isVisible(), false, "the page is shown");
    assert.equal(await page.locator(".bar").isVisible(), true);
    assert.equal(await trouble(), texts[1]);
    assert.deepEqual(await seriousFaults(page), []);
    await picture(page, `guide-open-one-${size}-${language}`);
    // The focus is on the button for the next step, which leads to the field.
    assert.equal(await page.evaluate(() => document.activeElement.id), "next");
    await press("#next");
    await page.locator("#consent-dialog[open]").waitFor();
    // The guided mode was chosen for all documents, so it is still on.
    await page.reload();
    await ready(page);
    assert.equal(await page.locator("#guide").isVisible(), true);
    assert.deepEqual(page.faults, []);
    await page.context().close();
  }
});

test("while a word is composed Enter belongs to the word", async () => {
  const { page } = await guided("phone", "ko");
  await page.locator("#guide-entry").evaluate((entry) => {
    entry.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, isComposing: true }));
  });
  assert.equal(await current(page), "Name");
  await page.locator("#guide-entry").press("Enter");
  assert.equal(await current(page), "Salary");
});

test("pages are reached from the list, and on a desktop from their thumbnails, drawn only where they are in sight", async () => {
  const started = await server.startWorkflow({ template_id: long });
  const page = await open(browser, "desktop");
  const asked = new Set();
  page.on("request", (request) => /\/sign\/pages\//.test(request.url()) && asked.add(request.url()));
  await page.goto(started.sign_url);
  await ready(page);
  await page.locator(".thumbnail img").first().waitFor();
  assert.equal(await page.locator('.thumbnails a[data-page="9"] img').count(), 0);
  const links = page.getByRole("navigation", { name: "Pages" }).getByRole("link");
  assert.equal(await links.count(), 9);
  await page.getByRole("link", { name: "Go to page 4" }).click();
  await page.waitForFunction(() => document.querySelector("#page-jump").value === "4");
  assert.equal(await page.getByRole("link", { name: "Go to page 4" }).getAttribute("aria-current"), "page");
  await page.getByRole("combobox", { name: "Page" }).selectOption("9");
  await page.waitForFunction(() => {
    const { top } = document.querySelector("#page-9").getBoundingClientRect();
    return top >= 0 && top < innerHeight / 2;
  });
  assert.equal(new URL(page.url()).hash, "");
  assert.ok(asked.size <= 9);
  assert.deepEqual(await seriousFaults(page), []);
  assert.deepEqual(page.faults, []);
});

test("pages are enlarged by buttons and keyboard, stay where they were, and their boxes with them", async () => {
  for (const size of ["phone", "desktop"]) {
    const started = await server.startWorkflow();
    const page = await open(browser, size);
    await page.goto(started.sign_url);
    await ready(page);
    const before = await field(page, "Team").boundingBox();
    await page.locator("#zoom-in").focus();
    for (let press = 0; press < 4; press += 1) await page.keyboard.press("Enter");
    assert.equal(await page.locator("#zoom-now").textContent(), "300%");
    assert.equal(await page.locator("#zoom-in").getAttribute("aria-disabled"), "true");
    const after = await field(page, "Team").boundingBox();
    assert.ok(Math.abs(after.width / before.width - 3) < 0.01);
    const place = await page.evaluate(() => {
      const box = document.querySelector('.field[data-name="Team"]').getBoundingClientRect();
      const paper = document.querySelector("document-page").getBoundingClientRect();
      return [(box.left - paper.left) / paper.width, (box.top - paper.top) / paper.height];
    });
    assert.ok(Math.abs(place[0] - 0.25) < 0.001 && Math.abs(place[1] - 0.414) < 0.001, String(place));
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    assert.deepEqual(await seriousFaults(page), []);
    // Pinch zoom is never disabled.
    assert.doesNotMatch(await page.locator("meta[name=viewport]").getAttribute("content"), /user-scalable|maximum-scale/);
    await page.context().close();
  }
});

test("pages are as large as is asked for, at once: made smaller again, and where the screen becomes another one", async () => {
  const page = await open(browser, "phone");
  await page.goto((await server.startWorkflow()).sign_url);
  await ready(page);
  /** Each page as wide as all of them shall be, and as high as its paper. */
  const misfits = () =>
    page.evaluate(() => {
      const { offsetWidth: asked } = document.querySelector(".pages");
      return [...document.querySelectorAll("document-page")]
        .map(({ offsetWidth, offsetHeight, dataset }) => ({
          asked,
          offsetWidth,
          offsetHeight,
          high: (asked * dataset.pointsHigh) / dataset.points,
        }))
        .filter(({ offsetWidth, offsetHeight, high }) => Math.abs(offsetWidth - asked) > 1 || Math.abs(offsetHeight - high) > 2);
    });
  for (const size of ["phone", "tablet", "desktop", "phone"]) {
    await resize(page, SIZES[size].viewport);
    for (const way of ["in", "in", "in", "in", "out", "out", "out", "out", "out", "out", "in", "in"]) {
      await page.locator(`#zoom-${way}`).evaluate((button) => button.click());
      assert.deepEqual(await misfits(), [], `${size}, ${way}`);
    }
    assert.equal(await page.locator("#zoom-now").textContent(), "100%");
  }
  await page.click("#guide-toggle");
  for (const size of ["tablet", "desktop", "phone"]) {
    await resize(page, SIZES[size].viewport);
    assert.deepEqual(await misfits(), [], `guided, ${size}`);
  }
  await page.click("#guide-off");
  assert.deepEqual(await misfits(), []);
  assert.deepEqual(page.faults, []);
});

test("with the fingers the page is enlarged, and a box is still met where it stands", async () => {
  const started = await server.startWorkflow();
  const page = await open(browser, "phone");
  await page.goto(started.sign_url);
  await ready(page);
  await field(page, "Agreed").scrollIntoViewIfNeeded();
  const devtools = await page.context().newCDPSession(page);
  const box = await field(page, "Agreed").boundingBox();
  const [left, top] = [box.x + box.width / 2, box.y + box.height / 2];
  const fingers = (apart) => [-1, 1].map((side, id) => ({ x: left, y: top + side * apart, id }));
  await devtools.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: fingers(65) });
  for (let apart = 70; apart <= 150; apart += 5) {
    await devtools.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: fingers(apart) });
  }
  await devtools.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  // Waits until the page stops, because fingers that leave it give it momentum.
  await page.waitForFunction(
    () => {
      const now = [visualViewport.scale, visualViewport.pageTop, visualViewport.pageLeft].join();
      const rests = now === window.before && visualViewport.scale > 2;
      window.before = now;
      return rests;
    },
    undefined,
    { polling: 250 },
  );
  // The point in the middle of the box belongs to the box, so it has kept its place on the page.
  await field(page, "Agreed").evaluate((element) => {
    scrollBy({ top: element.getBoundingClientRect().top - innerHeight / 3, behavior: "instant" });
    const { left, top, width, height } = element.getBoundingClientRect();
    const met = document.elementFromPoint(left + width / 2, top + height / 2);
    if (met.closest(".field") !== element) throw new Error(`${met.outerHTML} is met instead`);
    met.click();
  });
  await page.waitForFunction(() => document.querySelector('.field[data-name="Agreed"] input').checked);
  assert.deepEqual(page.faults, []);
});

/** Scrolls by twice so many screens as fast as the browser follows: whether the end is reached, and how many pages moved. */
async function scrollOn(page, screens) {
  return await page.evaluate(async (screens) => {
    // Resolves at a frame, after the page's own observers have run.
    const frame = () =>
      new Promise((seen) => {
        const observer = new IntersectionObserver(() => {
          observer.disconnect();
          seen();
        });
        observer.observe(document.documentElement);
      });
    const papers = [...document.querySelectorAll("document-page, .sheet-page")];
    const tops = () => papers.map((paper) => paper.getBoundingClientRect().top + scrollY);
    const before = tops();
    for (let screen = 0; screen < screens; screen += 1) {
      scrollBy({ top: 2 * innerHeight, behavior: "instant" });
      await frame();
    }
    const ended = scrollY + innerHeight >= document.documentElement.scrollHeight - 1;
    // Addition loses a fraction of a pixel.
    const moved = tops().filter((top, index) => Math.abs(top - before[index]) >= 1).length;
    return { ended, moved };
  }, screens);
}

test("of 71 pages with a field on each only the near pictures are held, those scrolled past are not asked for; they come back, and nothing moves", async () => {
  const started = await server.startWorkflow({
    template_id: await many,
    recipient_list: [{ order: 1, name: "김민준", email: "minjun@example.com" }],
  });
  const loaded = (page, images, number) =>
    page.waitForFunction(([images, number]) => document.querySelectorAll(images)[number - 1].naturalWidth > 0, [images, number]);
  /** Opens the page with a clock that stands: only the test says that somebody stays somewhere. */
  const openStill = async (size, address) => {
    const page = await open(browser, size);
    page.asked = [];
    page.on("request", (request) => /\/pages\/[0-9a-f]{64}\//.test(request.url()) && page.asked.push(request.url()));
    await page.clock.install();
    await page.goto(address);
    return page;
  };
  const through = async (page, images) => {
    await loaded(page, images, 1);
    // Letters that load late move the content below them.
    await page.evaluate(() => document.fonts.ready.then(() => {}));
    await page.clock.pauseAt(Date.now() + 60_000);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    const held = (selector) => page.locator(`${selector}[src]`).count();
    for (let leg = { ended: false }; !leg.ended;) {
      const before = page.asked.length;
      leg = await scrollOn(page, 20);
      assert.equal(leg.moved, 0, "no page moves");
      assert.ok(page.asked.length - before <= 8, `${page.asked.length - before} pictures were asked for while scrolling`);
      await page.evaluate((images) => {
        window.shifts = [];
        // An image that appears in an empty place has moved nothing else.
        const isAnother = ({ node }) => !(node instanceof Element && node.matches(images));
        const observer = new PerformanceObserver((list) =>
          window.shifts.push(
            ...list
              .getEntries()
              .filter(({ sources }) => sources.some(isAnother))
              .map(({ value }) => value),
          ),
        );
        observer.observe({ type: "layout-shift" });
      }, images);
      // After a pause, the visible images are kept, and three before and after them.
      await page.clock.runFor(4000);
      const [pictures, thumbnails] = [await held(images), await held(".thumbnail img")];
      assert.ok(pictures >= 4 && pictures <= 10, `${pictures} pictures are held at once`);
      assert.ok(thumbnails <= 8, `${thumbnails} thumbnails are held at once`);
      await page.waitForFunction(
        (images) => [...document.querySelectorAll(`${images}[src]`)].some((image) => image.naturalWidth > 0),
        images,
      );
      assert.deepEqual(await page.evaluate(() => window.shifts), [], "nothing moves where a picture comes");
    }
    await loaded(page, images, count);
    await page.evaluate(() => scrollTo({ top: 0, behavior: "instant" }));
    await page.waitForFunction(
      ([images, count]) => !document.querySelectorAll(images)[count - 1].hasAttribute("src"),
      [images, count],
    );
    await page.clock.resume();
    await loaded(page, images, 1);
    // Printing needs all images.
    const printed = await page.evaluate((images) => {
      dispatchEvent(new Event("beforeprint"));
      const held = [...document.querySelectorAll(images)].filter((image) => image.hasAttribute("src")).length;
      dispatchEvent(new Event("afterprint"));
      return held;
    }, images);
    assert.equal(printed, count);
    assert.deepEqual(page.faults, []);
  };
  for (const size of ["phone", "desktop"]) {
    const page = await openStill(size, started.sign_url);
    await ready(page);
    await through(page, "img.paper");
    if (size === "phone") {
      // A field's content does not depend on its page's image.
      await fill(page, `Field ${count}`, "the last page");
      await page.waitForSelector('#save-state[data-state="saved"]', { state: "attached" });
    } else {
      await page.getByRole("combobox", { name: "Page" }).selectOption(String(count));
      await page.locator(`.thumbnails a[data-page="${count}"] img`).waitFor();
      await loaded(page, "img.paper", count);
    }
    await page.context().close();
  }
  await server.call("POST", `/api/v3/workflows/${started.workflow_id}/approve`, { field_list: [] });
  const viewer = await openStill("phone", (await server.workflow(started.workflow_id)).download_url);
  await through(viewer, ".sheet-page > img");
  // A failed image is requested again.
  await viewer.route("**/pages/**", (route) => route.abort());
  await viewer.evaluate(() => scrollTo({ top: document.documentElement.scrollHeight / 2, behavior: "instant" }));
  // Aborted requests, such as those after printing, fail with another error.
  const isBroken = (request) => /\/pages\//.test(request.url()) && request.failure().errorText === "net::ERR_FAILED";
  const failed = await viewer.waitForEvent("requestfailed", isBroken);
  await viewer.unroute("**/pages/**");
  const number = Number(/\/pages\/[0-9a-f]+\/(\d+)/.exec(failed.url())[1]);
  await loaded(viewer, ".sheet-page > img", number);
});
