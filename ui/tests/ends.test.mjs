// Every page that is shown instead of the signing page, and after the end, on phone, tablet and desktop, in Korean,
// English and Japanese. Each explains what happened and what to do, in the language of the link, with the status code
// that programs need. Every control on it works by pointer, touch and keyboard, in all combinations.

import assert from "node:assert/strict";
import { test } from "node:test";
import { copyLink, open, openMessage, ready, seriousFaults, signIn, SIZES } from "./browser.mjs";
import { HANDS, WAYS } from "./hands.mjs";
import { pdf } from "./installation.mjs";
import { browser, server, withServer } from "./with-server.mjs";
import { word } from "../samples.mjs";

/** Name of the state → where it is met. */
const addresses = {};
const LANGUAGES = ["ko", "en", "ja"];

/** Status code, the keys of title and text, and that of the way on, where there is one. */
const STATES = {
  signed: [409, "end-signed-title", "end-signed-text"],
  complete: [409, "end-signed-title", "end-signed-text", "end-open-document"],
  rejected: [410, "end-rejected-own-title", "end-rejected-own-text"],
  "rejected by another": [410, "end-rejected-title", "end-rejected-by-text"],
  cancelled: [410, "end-canceled-title", "end-canceled-text"],
  expired: [410, "end-expired-title", "end-expired-text"],
  "old link": [410, "end-old-title", "end-old-text"],
  "handed over": [410, "end-handed-over-title", "end-handed-over-text"],
  locked: [409, "sign-code-locked-title", "sign-code-locked"],
  "wrong link": [404, "end-unknown-title", "end-unknown-text"],
  "closed public link": [410, "link-closed-title", "link-closed-text"],
  "used public link": [410, "link-used-up-title", "link-used-up-text"],
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
const BESIDE = {
  name: "Two at a time",
  steps: [
    { order: 1, role: "seller" },
    { order: 1, role: "buyer" },
  ],
  fields: ["seller", "buyer"].map((role, row) => ({
    name: `Note ${role}`,
    kind: "text",
    step: 1,
    role,
    ...place((row + 1) * 200_000),
  })),
};
const GIVES_BACK = {
  name: "Given back",
  on_reject: "return",
  steps: [{ order: 1 }, { order: 2 }],
  fields: [1, 2].map((step) => ({ name: `Note ${step}`, kind: "text", step, ...place(step * 200_000) })),
};

withServer({
  prepare: async () => {
    const template = server.import(ONE_WRITER, pdf(1));
    const request = ({ first = {}, ...changes } = {}) => ({
      template_id: template,
      recipient_list: [{ order: 1, name: "김민준", email: "minjun@example.com", ...first }],
      ...changes,
    });
    const start = (changes) => server.startWorkflow(request(changes));
    const act = (workflow, verb, body) => server.call("POST", `/api/v3/workflows/${workflow.workflow_id}/${verb}`, body);

    // This one expires while the others are created.
    addresses.expired = (await server.startExpiring(request())).sign_url;
    const signed = await server.startWorkflow();
    const values = { Name: "김민준", "First day": "2026-12-01", Agreed: "Y", Signature: PICTURE };
    await act(signed, "approve", { order: 1, field_list: Object.entries(values).map(([name, value]) => ({ name, value })) });
    addresses.signed = signed.sign_url;
    const complete = await start();
    await act(complete, "approve", { field_list: [{ name: "Signature", value: PICTURE }] });
    addresses.complete = complete.sign_url;
    const back = await server.startWorkflow({ template_id: server.import(GIVES_BACK, pdf(1)) });
    await act(back, "approve", { order: 1, field_list: [] });
    await act(back, "reject", { order: 2, comment: "금액이 다릅니다" });
    addresses.returned = (await server.workflow(back.workflow_id)).playing_url;
    for (const [verb, state] of [
      ["reject", "rejected"],
      ["cancel", "cancelled"],
    ]) {
      const ended = await start();
      await act(ended, verb, { comment: "-" });
      addresses[state] = ended.sign_url;
    }
    const beside = await server.startWorkflow({
      template_id: server.import(BESIDE, pdf(1)),
      recipient_list: ["김민준", "박서연"].map((name, index) => ({ order: 1, name, email: `writer${index}@example.com` })),
    });
    addresses["rejected by another"] = beside.sign_url;
    await act(beside, "reject", { order: 1, email: "writer1@example.com", comment: "-" });
    const corrected = await start();
    await server.call("PATCH", `/api/v3/workflows/${corrected.workflow_id}/recipients/1`, { name: "이민준" });
    addresses["old link"] = corrected.sign_url;
    const guarded = await start({ first: { password: "850101" } });
    for (let wrong = 0; wrong < 5; wrong += 1) {
      await fetch(`${server.base}/sign/access-code`, {
        method: "POST",
        body: new URLSearchParams({ token: guarded.token, code: "0" }),
      });
    }
    addresses.locked = guarded.sign_url;
    addresses["wrong link"] = `${server.base}/mail/sign?token=wrong&lang=en`;
    const link = await server.publicLink();
    await server.call("POST", `/api/v3/link/${link.link_id}/close`);
    addresses["closed public link"] = link.link_url;
    const once = await server.publicLink({ limit: 1 });
    const visitor = {
      token: new URL(once.link_url).searchParams.get("token"),
      name: "김민준",
      contact: "minjun@example.com",
      agree: "1",
    };
    assert.ok(
      (await fetch(`${server.base}/link`, { method: "POST", body: new URLSearchParams(visitor), redirect: "manual" })).status ===
        303,
    );
    addresses["used public link"] = once.link_url;
    addresses["no such page"] = `${server.base}/nowhere?lang=en`;
    // Not embedded, so the signer's link is in the outbox.
    await start({ export_api_info: undefined, workflow_name: "넘길 문서" });
    const page = await open(browser, "desktop");
    await signIn(page, server);
    await openMessage(page, "넘길 문서");
    const handed = await copyLink(page);
    const given = await fetch(`${server.base}/sign/hand-over`, {
      method: "POST",
      headers: { "content-type": "application/json", "link-token": new URL(handed).searchParams.get("token") },
      body: JSON.stringify({ name: "이서연", email: "seoyeon@example.com" }),
    });
    assert.ok(given.ok, `${given.status} ${await given.text()}`);
    addresses["handed over"] = handed;
    const workflow_name = "되돌아올 문서";
    const replaced = await server.startWorkflow({
      template_id: server.import({ ...GIVES_BACK, name: "Given back by mail" }, pdf(1)),
      export_api_info: undefined,
      workflow_name,
    });
    await page.goto(`${server.base}/outbox`);
    await openMessage(page, workflow_name);
    addresses.replaced = await copyLink(page);
    await act(replaced, "approve", { order: 1, field_list: [] });
    await act(replaced, "reject", { order: 2, comment: "-" });
    addresses.replacedDocument = replaced.workflow_id;
    await page.context().close();
    while ((await fetch(addresses.expired)).status !== 410);
  },
});

/** A sentence of the locales as a pattern: a date stands where the date goes. */
function sentence(language, key) {
  const dated = word(language, key, { date: "\0", name: "박서연" });
  return new RegExp(`^${dated.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace("\0", ".*20\\d\\d.*")}$`);
}

/** What is wrong with how the page lies on the screen. */
async function faultsOfLayout(page) {
  return await page.evaluate(() => {
    const faults = [];
    if (document.documentElement.scrollWidth > innerWidth) faults.push("scrolls sideways");
    const { top, bottom } = document.querySelector("main .card").getBoundingClientRect();
    if (top < 0 || bottom > innerHeight) faults.push("what it says is not in sight at once");
    for (const control of document.querySelectorAll(".button, .languages a")) {
      const { width, height } = control.getBoundingClientRect();
      if (width < 44 || height < 44) faults.push(`${control.textContent} is ${width} by ${height}`);
    }
    return faults;
  });
}

/** By each way from Korean to each other language and back; `look` sees each page that is come to. */
async function throughLanguages(page, look) {
  for (const way of WAYS) {
    const hands = HANDS[way](page);
    for (const language of ["en", "ja", "ko"]) {
      const answer = await hands.follow(page.locator(`.languages a[hreflang="${language}"]`));
      await look(way, language, answer, hands);
    }
  }
}

/** The page of a finished file is there, in this language. */
async function seeFinished(page, kind, language, where) {
  await page.waitForSelector(".sheet-pages");
  const told = await page.evaluate(() => [document.documentElement.lang, document.querySelector(".head-row p").textContent]);
  assert.deepEqual(told, [language, word(language, kind)], where);
}

const inKorean = (address) => {
  const korean = new URL(address);
  korean.searchParams.set("lang", "ko");
  return korean.href;
};

for (const [row, size] of Object.keys(SIZES).entries()) {
  test(`each page that stands instead tells, with its status, in each language, which is chosen by each way, on a ${size}`, async () => {
    // Desktops with a touch screen are also used by touch.
    const page = await open(browser, size, { hasTouch: true, acceptDownloads: true });
    const found = [];
    for (const [at, [state, [status, title, text, wayOn]]] of Object.entries(STATES).entries()) {
      await page.goto(inKorean(addresses[state]));
      await throughLanguages(page, async (way, language, answer, hands) => {
        const where = `${state}, ${language}, ${way}`;
        const told = await page.evaluate(() => ({
          lang: document.documentElement.lang,
          title: document.querySelector("h1").textContent,
          said: document.querySelector("main p").textContent.replace(/[\u2068\u2069]/g, ""),
          ways: [...document.querySelectorAll("main .actions a")].map((link) => link.textContent),
        }));
        assert.equal(answer.status(), status, where);
        assert.deepEqual([told.lang, told.title], [language, word(language, title)], where);
        assert.match(told.said, sentence(language, text), where);
        assert.deepEqual(told.ways, wayOn ? [word(language, wayOn)] : [], where);
        if (way === WAYS[0]) found.push(...(await faultsOfLayout(page)).map((fault) => `${where}: ${fault}`));
        // Each state is checked on each size and in each language, light or dark.
        if (way === WAYS[at % 3] && language === LANGUAGES[(at + row) % 3]) {
          await page.emulateMedia({ colorScheme: (at + row) % 2 ? "light" : "dark" });
          found.push(...(await seriousFaults(page)).map((fault) => `${where}: ${fault}`));
        }
        if (!wayOn) return;
        const back = page.url();
        await hands.follow(page.locator("main .actions a"));
        await seeFinished(page, "view-title-document", language, where);
        const download = page.waitForEvent("download");
        await hands.press(page.locator("main a.button.primary"));
        assert.equal((await download).suggestedFilename(), "근로계약서.pdf", where);
        const other = LANGUAGES[(LANGUAGES.indexOf(language) + 1) % 3];
        await hands.follow(page.locator(`.languages a[hreflang="${other}"]`));
        await seeFinished(page, "view-title-document", other, where);
        await page.goto(back);
      });
    }
    assert.deepEqual(found, []);
    assert.deepEqual(page.faults, []);
  });

  test(`a signer with a replaced link asks for a new one, in each language and by each way, on a ${size}`, async () => {
    const page = await open(browser, size, { hasTouch: true });
    const found = [];
    for (const [at, way] of WAYS.entries()) {
      const hands = HANDS[way](page);
      for (const language of LANGUAGES) {
        const where = `${language}, ${way}`;
        const address = new URL(addresses.replaced);
        address.searchParams.set("lang", language);
        await page.goto(address.href);
        const judge = async (state) => {
          found.push(...(await faultsOfLayout(page)).map((fault) => `${where}: ${state}: ${fault}`));
          if (language !== LANGUAGES[(at + row) % 3]) return;
          found.push(...(await seriousFaults(page)).map((fault) => `${where}: ${state}: ${fault}`));
        };
        await page.emulateMedia({ colorScheme: (at + row) % 2 ? "light" : "dark" });
        await judge("replaced");
        const answer = await hands.follow(page.getByRole("button", { name: word(language, "end-new-link"), exact: true }));
        assert.equal(answer.status(), 200, where);
        assert.equal(new URL(page.url()).search, `?lang=${language}`, "the answer's address does not name the link");
        const said = await page.locator("h1, main p").allTextContents();
        assert.deepEqual(said, [word(language, "link-sent-title"), word(language, "end-new-link-asked")], where);
        await judge("asked");
      }
    }
    assert.deepEqual(found, []);
    assert.deepEqual(page.faults, []);
    const { history } = await server.workflow(addresses.replacedDocument);
    assert.equal(history.filter(({ event }) => event === "new_link_requested").length, 1, "once in ten minutes");
  });

  test(`a signer who gets a document back reads why, in each language, which is chosen by each way, on a ${size}`, async () => {
    const page = await open(browser, size, { hasTouch: true });
    await page.goto(inKorean(addresses.returned));
    await ready(page);
    await throughLanguages(page, async (way, language, answer) => {
      const where = `${language}, ${way}`;
      await ready(page);
      assert.equal(answer.status(), 200, where);
      const told = (await page.locator("#returned p").allTextContents()).map((line) => line.replace(/[\u2068\u2069]/g, ""));
      assert.deepEqual(told, [word(language, "sign-returned", { name: "박서연" }), "금액이 다릅니다"], where);
      if (way === WAYS[row] && language === LANGUAGES[row]) assert.deepEqual(await seriousFaults(page), [], where);
    });
    assert.deepEqual(page.faults, []);
  });
}
