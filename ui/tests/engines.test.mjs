// The main flow in Firefox and in WebKit, the engine of Safari: a part in `script/test`, everything with
// `script/engines`.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ENGINES } from "./engines.mjs";
import { Installation, pdf } from "./installation.mjs";
import { word } from "../samples.mjs";

const ALL = process.env.COUNTERSIGN_ENGINES === "all";
/** WebKit needs more time than script/test has. */
const TRIED = ALL ? ENGINES : { firefox: ENGINES.firefox };
const LANGUAGES = ALL ? ["ko", "ja", "en"] : ["en"];
const SIZES = ALL
  ? { phone: { width: 500, height: 780 }, desktop: { width: 1024, height: 768 } }
  : { desktop: { width: 1024, height: 768 } };

let server;
let returning;

before(async () => {
  server = await Installation.start();
  const place = { page: 1, x: 250_000, y: 200_000, width: 300_000, height: 30_000 };
  const fields = [
    { name: "Note", kind: "text", step: 1, ...place },
    { name: "Optional date", kind: "date", step: 1, ...place, y: 300_000 },
  ];
  returning = server.import({ name: "Optional", steps: [{ order: 1 }], fields }, pdf(3));
});

after(async () => server?.stop());

const box = (name) => `.field.mine[data-name="${name}"]`;

/** Fills in a text as the screen allows. */
async function fill(window, name, value) {
  const onPage = await window.run(
    (box) => document.querySelector(`${box} :is(input, textarea)`).offsetParent !== null,
    box(name),
  );
  await window.press(onPage ? `${box(name)} :is(input, textarea)` : `${box(name)} button.open`);
  if (!onPage) await window.visible("#sheet-entry");
  await window.keys(value);
  if (!onPage) {
    await window.press("#sheet .actions [data-close]");
    await window.until(() => !document.querySelector("#sheet").open);
  }
}

async function ready(window) {
  await window.until(() => document.querySelector("document-page[data-placed]") && !document.querySelector("#needs-script"));
}

async function sign(window, name) {
  await window.press(`${box(name)} button`);
  await window.until(() => document.querySelector("#consent-dialog").open || document.querySelector("#pad").open);
  if (await window.run(() => document.querySelector("#consent-dialog").open)) await window.press("#consent-dialog [type=submit]");
  await window.until(() => document.querySelector("#pad").open);
  await window.press("#tab-type");
  await window.visible("#pad-hands img");
  await window.press("#pad [type=submit]");
  await window.until(() => !document.querySelector("#pad").open);
}

const saved = (window) => window.until(() => document.querySelector("#save-state").dataset.state === "saved");

/** How dark the darkest point of a part of the page is, from 0 to 255, as the engine shows it. */
async function darkest(window, selector) {
  const source = `data:image/png;base64,${(await window.picture()).toString("base64")}`;
  await window.run(
    (source, selector) => {
      window.darkest = null;
      const image = new Image();
      image.addEventListener("load", () => {
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        const scale = image.naturalWidth / innerWidth;
        const { left, top, width, height } = document.querySelector(selector).getBoundingClientRect();
        const [x, y] = [Math.max(0, left), Math.max(0, top)].map((side) => Math.round(side * scale));
        const [w, h] = [Math.min(width, innerWidth - left), Math.min(height, innerHeight - top)].map((side) =>
          Math.round(side * scale),
        );
        const { data } = context.getImageData(x, y, Math.max(1, w), Math.max(1, h));
        let darkest = 255;
        for (let at = 0; at < data.length; at += 4) darkest = Math.min(darkest, Math.max(data[at], data[at + 1], data[at + 2]));
        window.darkest = darkest;
      });
      image.src = source;
    },
    source,
    selector,
  );
  return (await window.until(() => window.darkest !== null && [window.darkest]))[0];
}

for (const [engine, openWindow] of Object.entries(TRIED)) {
  for (const [size, rectangle] of Object.entries(SIZES)) {
    test(`a document is filled in, kept, signed and finished in ${engine} on a ${size}`, async () => {
      const window = await openWindow(rectangle);
      try {
        for (const language of LANGUAGES) {
          const started = await server.startWorkflow({ language });
          await window.open(started.sign_url);
          await ready(window);
          await fill(window, "Name", "Kim");
          await window.press(`${box("Agreed")} input`);
          await saved(window);
          // The draft is restored.
          await window.open(started.sign_url);
          await ready(window);
          assert.equal(await window.run((box) => document.querySelector(`${box} input`).value, box("Name")), "Kim");
          await window.run((box) => {
            const input = document.querySelector(`${box} input`);
            input.value = "2026-12-01";
            input.dispatchEvent(new Event("input", { bubbles: true }));
          }, box("First day"));
          await sign(window, "Signature");
          await window.press("#approve");
          await window.press("#approve-dialog [type=submit]");
          await window.visible("#done-title");
          assert.equal(await window.text("#done-title"), word(language, "sign-done-title", { act: "sign" }));
          for (let presses = 0; presses < 4; presses += 1) await window.key("Escape");
          await window.visible("#done-title");
          const { steps } = await server.workflow(started.workflow_id);
          assert.ok(JSON.stringify(steps).includes("minjun@example.com"));
        }
      } finally {
        await window.close();
      }
    });

    test(`no page turns white, and an empty date is empty, in ${engine} on a ${size}`, async () => {
      const window = await openWindow(rectangle);
      try {
        const recipient_list = [{ order: 1, name: "김민준", email: "minjun@example.com" }];
        const started = await server.startWorkflow({ template_id: returning, recipient_list });
        await window.open(started.sign_url);
        await ready(window);
        await window.run(() =>
          document.querySelector('[data-page="1"] document-page').scrollIntoView({ block: "start", behavior: "instant" }),
        );
        await window.until(() => document.querySelector("img.paper").naturalWidth > 0);
        assert.ok((await darkest(window, '[data-page="1"] document-page')) < 100, "the page is there");
        const date = `${box("Optional date")} input`;
        const isOnPage = await window.run((date) => document.querySelector(date).offsetParent !== null, date);
        // The frame and the calendar icon are light, but a date would be dark.
        if (isOnPage) {
          await window.run(() => document.querySelectorAll("page-text").forEach((text) => text.remove()));
          // Firefox shows light text in an empty date field.
          if (engine === "webkit") assert.ok((await darkest(window, date)) > 100, "nothing dark is in an empty date");
        }
        await window.press("#guide-toggle");
        await window.until(() => document.body.dataset.guided !== undefined);
        assert.ok((await darkest(window, '[data-page="1"] document-page')) < 100, "the page is there in the guided mode");
        await window.press("#guide-off");
        await window.press("#approve");
        await window.press("#approve-dialog [type=submit]");
        await window.visible("#done-title");
        await window.run(() => document.querySelector("#done-dialog").close());
        assert.ok((await darkest(window, '[data-page="1"] document-page')) < 170, "the page is there behind the last dialog");
      } finally {
        await window.close();
      }
    });
  }
}
