// Every page that stands where the signing page was asked for: phone, tablet and desktop, Korean, English and Japanese.
// Each tells what happened and what helps, in the language of the link, with the status code that programs need.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { closePages, launch, linkInOutbox, open, seriousFaults, signIn, SIZES } from "./browser.mjs";
import { Installation, pdf } from "./installation.mjs";
import { word } from "../samples.mjs";

let server;
let browser;
/** Name of the state → where it is met. */
const addresses = {};

/** Status code, the keys of title and text, and that of the way on, where there is one. */
const STATES = {
  signed: [409, "end-signed-title", "end-signed-text"],
  complete: [409, "end-signed-title", "end-signed-text", "end-open-document"],
  rejected: [410, "end-rejected-title", "end-rejected-text"],
  cancelled: [410, "end-canceled-title", "end-canceled-text"],
  expired: [410, "end-expired-title", "end-expired-text"],
  "old link": [410, "end-old-title", "end-old-text"],
  "handed over": [410, "end-handed-over-title", "end-handed-over-text"],
  locked: [409, "sign-code-locked-title", "sign-code-locked"],
  "wrong link": [404, "end-unknown-title", "end-unknown-text"],
  "closed public link": [410, "link-closed-title", "link-closed-text"],
  "no such page": [404, "end-missing-title", "end-missing-text"],
};

const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==";
const place = (y) => ({ page: 1, x: 250_000, y, width: 300_000, height: 60_000 });
const ONE_WRITER = {
  name: "Short",
  hand_over: true,
  steps: [{ order: 1 }],
  fields: [{ name: "Signature", kind: "signature", step: 1, required: true, ...place(200_000) }],
};

before(async () => {
  server = await Installation.start();
  browser = await launch();
  const template = server.import(ONE_WRITER, pdf(1));
  const start = ({ first = {}, query = "", ...changes } = {}) =>
    server.startWorkflow(
      {
        template_id: template,
        recipient_list: [{ order: 1, name: "김민준", email: "minjun@example.com", ...first }],
        ...changes,
      },
      query,
    );
  const act = (workflow, verb, body) => server.call("POST", `/api/v3/workflows/${workflow.workflow_id}/${verb}`, body);

  // Its time runs out while the others are made.
  const soon = new Date(Date.now() + 3000).toISOString().slice(0, 19).replace("T", " ");
  addresses.expired = (await start({ expiry_date: soon, query: "?offset=%2B00:00" })).sign_url;
  const signed = await server.startWorkflow();
  const values = { Name: "김민준", "First day": "2026-12-01", Agreed: "Y", Signature: PICTURE };
  await act(signed, "approve", { order: 1, field_list: Object.entries(values).map(([name, value]) => ({ name, value })) });
  addresses.signed = signed.sign_url;
  const complete = await start();
  await act(complete, "approve", { field_list: [{ name: "Signature", value: PICTURE }] });
  addresses.complete = complete.sign_url;
  for (const [verb, state] of [["reject", "rejected"], ["cancel", "cancelled"]]) {
    const ended = await start();
    await act(ended, verb, { comment: "-" });
    addresses[state] = ended.sign_url;
  }
  const corrected = await start();
  await server.call("PATCH", `/api/v3/workflows/${corrected.workflow_id}/recipients/1`, { name: "이민준" });
  addresses["old link"] = corrected.sign_url;
  const guarded = await start({ first: { password: "850101" } });
  for (let wrong = 0; wrong < 5; wrong += 1) {
    await fetch(`${server.base}/sign/access-code`, { method: "POST", body: new URLSearchParams({ token: guarded.token, code: "0" }) });
  }
  addresses.locked = guarded.sign_url;
  addresses["wrong link"] = `${server.base}/mail/sign?token=wrong&lang=en`;
  const link = await server.publicLink();
  await server.call("POST", `/api/v3/link/${link.link_id}/close`);
  addresses["closed public link"] = link.link_url;
  addresses["no such page"] = `${server.base}/nowhere?lang=en`;
  // Not embedded: the writer's link lies in the outbox.
  await start({ export_api_info: undefined, workflow_name: "넘길 문서" });
  const page = await open(browser, "desktop");
  await signIn(page, server);
  const handed = await linkInOutbox(page, "넘길 문서");
  const given = await fetch(`${server.base}/sign/hand-over`, {
    method: "POST",
    headers: { "content-type": "application/json", "link-token": new URL(handed).searchParams.get("token") },
    body: JSON.stringify({ name: "이서연", email: "seoyeon@example.com" }),
  });
  assert.ok(given.ok, `${given.status} ${await given.text()}`);
  addresses["handed over"] = handed;
  await page.context().close();
  while ((await fetch(addresses.expired)).status !== 410);
});

afterEach(() => closePages(browser));

after(async () => {
  await browser?.close();
  await server?.stop();
});

/** A sentence of the locales as a pattern: a date stands where the date goes. */
function sentence(language, key) {
  const dated = word(language, key, { date: "\0" });
  return new RegExp(`^${dated.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace("\0", ".*20\\d\\d.*")}$`);
}

for (const language of ["ko", "en", "ja"]) {
  test(`each page that stands instead tells, with its status, at every size: ${language}`, async () => {
    const page = await open(browser, "phone");
    const found = [];
    for (const [at, [state, [status, title, text, way]]] of Object.entries(STATES).entries()) {
      const address = new URL(addresses[state]);
      address.searchParams.set("lang", language);
      const answer = await page.goto(address.href);
      assert.equal(answer.status(), status, state);
      assert.equal(await page.locator("html").getAttribute("lang"), language, state);
      assert.equal(await page.locator("h1").textContent(), word(language, title), state);
      const said = (await page.locator("main p").first().textContent()).replace(/[\u2068\u2069]/g, "");
      assert.match(said, sentence(language, text), state);
      const ways = await page.locator("main .actions a").allTextContents();
      assert.deepEqual(ways, way ? [word(language, way)] : [], state);
      for (const [size, { viewport }] of Object.entries(SIZES)) {
        await page.setViewportSize(viewport);
        // Each state is judged in both schemes, at one size or another.
        await page.emulateMedia({ colorScheme: (at + viewport.width) % 3 ? "light" : "dark" });
        found.push(...(await seriousFaults(page)).map((fault) => `${state}, ${size}: ${fault}`));
        found.push(
          ...(await page.evaluate(() => {
            const faults = [];
            if (document.documentElement.scrollWidth > innerWidth) faults.push("scrolls sideways");
            const { top, bottom } = document.querySelector("main .card").getBoundingClientRect();
            if (top < 0 || bottom > innerHeight) faults.push("what it says is not in sight at once");
            for (const control of document.querySelectorAll(".button, .languages a")) {
              const { width, height } = control.getBoundingClientRect();
              if (width < 44 || height < 44) faults.push(`${control.textContent} is ${width} by ${height}`);
            }
            return faults;
          })).map((fault) => `${state}, ${size}: ${fault}`),
        );
      }
    }
    assert.deepEqual(found, []);
    assert.deepEqual(page.faults, []);
  });
}
