// Every way for a signer to end their turn, by pointer, touch and keyboard, on phone, tablet and desktop, in three
// languages, in all combinations. Each document is opened by the link in its mail, and the page's own button leads to
// the next document that waits for the same signer.

import assert from "node:assert/strict";
import { test } from "node:test";
import { open, ready, seriousFaults, SIZES } from "./browser.mjs";
import { HANDS, WAYS } from "./hands.mjs";
import { pdf } from "./installation.mjs";
import { browser, mails, server, withServer } from "./with-server.mjs";
import { signingLink } from "./mail_server.mjs";
import { word } from "../samples.mjs";

const templates = {};

const place = (step) => ({ step, page: 1, x: 250_000, y: 100_000 + step * 200_000, width: 300_000, height: 60_000 });
const note = (step) => ({ name: `Note ${step}`, kind: "text", ...place(step) });

withServer({
  mail: true,
  prepare: () => {
    const one = { steps: [{ order: 1 }], fields: [note(1)] };
    const two = { steps: [{ order: 1 }, { order: 2 }], fields: [note(1), note(2)] };
    templates.one = server.import({ ...one, name: "One writer", hand_over: true }, pdf(1));
    templates.signed = server.import(
      { ...one, name: "Signed", fields: [{ name: "Signature", kind: "signature", ...place(1) }] },
      pdf(1),
    );
    templates.two = server.import({ ...two, name: "Two writers" }, pdf(1));
    templates.back = server.import({ ...two, name: "Given back", on_reject: "return" }, pdf(1));
  },
});

const REASON = "금액이 다릅니다";
const OTHER = { name: "박서연", email: "seoyeon@example.com" };

/** The documents that wait for one writer. */
async function documents(language, email) {
  const writers = (...people) => people.map((person, index) => ({ order: index + 1, ...person }));
  const me = { name: "김민준", email };
  const start = async (name, template, recipient_list) => {
    const workflow_name = `${name} ${email}`;
    const started = await server.startWorkflow({
      template_id: templates[template],
      language,
      recipient_list,
      workflow_name,
      export_api_info: undefined,
    });
    return { ...started, link: () => signingLink(mails, email, workflow_name) };
  };
  const givenBack = await start("givenBack", "back", writers(OTHER, me));
  await server.call("POST", `/api/v3/workflows/${givenBack.workflow_id}/approve`, { order: 1, field_list: [] });
  return {
    goesOn: await start("goesOn", "two", writers(me, OTHER)),
    completes: await start("completes", "one", writers(me)),
    rejected: await start("rejected", "one", writers(me)),
    declined: await start("declined", "signed", writers(me)),
    givenBack,
    handedOver: await start("handedOver", "one", writers(me)),
  };
}

/** A name alone does not do: the dialog says so, and is open for another try. */
async function findsFault(page, hands) {
  await hands.unfold();
  await hands.press(page.locator("#hand-over"));
  await hands.enter("#hand-over-name", OTHER.name);
  await hands.press(page.locator("#hand-over-dialog [type=submit]"));
  await page.locator("#hand-over-dialog .fault:not(:empty)").waitFor();
  assert.deepEqual(await seriousFaults(page), []);
  await page.fill("#hand-over-name", "");
  await hands.press(page.locator("#hand-over-dialog [data-close]"));
}

for (const size of Object.keys(SIZES)) {
  for (const language of ["ko", "en", "ja"]) {
    test(`a document is approved, completed, rejected, declined, given back and handed over on a ${size}, in ${language}, by pointer, touch and keyboard alone`, async () => {
      // Desktops with a touch screen are also used by touch.
      const page = await open(browser, size, { hasTouch: true });
      for (const way of WAYS) {
        const hands = HANDS[way](page);
        const started = await documents(language, `${way}.${size}.${language}@example.com`);
        const became = (name) => server.workflow(started[name].workflow_id);
        const told = async (title, text, values = {}) => {
          await page.locator("#done-dialog[open]").waitFor();
          const mark = await page
            .locator("#done-dialog .sign:visible")
            .evaluateAll((marks) => marks.map(({ className }) => className));
          // The green tick only appears after success, so a signer who rejected does not see it.
          assert.deepEqual(mark, [title === "sign-done-title" ? "sign good" : "sign"], `${way}: ${title}`);
          assert.deepEqual(
            await page.locator("#done-title, #done-text").allTextContents(),
            [word(language, title), word(language, text, values)],
            way,
          );
          // No script opened this window, so no script can close it. The signer reads that they may close it, and can
          // still continue.
          assert.equal(await page.locator("#done-close").isVisible(), false, way);
          assert.equal(await page.locator("#done-rest:visible").textContent(), word(language, "sign-done-may-close"), way);
          assert.deepEqual(
            await page.locator("#done-dialog .button.primary:visible").evaluateAll((ways) => ways.map(({ id }) => id)),
            ["done-next"],
            way,
          );
        };
        const goNext = async (name) => {
          const answer = await hands.follow(page.locator("#done-next"));
          assert.equal(answer.status(), 200, way);
          await ready(page);
          await page.goto(await started[name].link());
          await ready(page);
        };

        await page.goto(await started.goesOn.link());
        await ready(page);
        await hands.approve();
        await told("sign-done-title", "sign-done-next-named", { names: OTHER.name });
        assert.equal((await became("goesOn")).order, 2, way);
        await goNext("completes");

        await hands.approve();
        await told("sign-done-title", "sign-done-complete");
        assert.equal((await became("completes")).status, "Complete", way);
        const download = page.waitForEvent("download");
        await hands.press(page.locator("#done-document"));
        assert.match((await download).suggestedFilename(), /^completes .*\.pdf$/, way);
        await goNext("rejected");

        await hands.reject(REASON);
        await told("sign-done-rejected-title", "sign-done-rejected");
        const rejected = await became("rejected");
        assert.equal(rejected.status, "Rejected", way);
        assert.ok(JSON.stringify(rejected.history).includes(REASON), way);
        await goNext("declined");

        await hands.decline("Signature");
        await told("sign-done-rejected-title", "sign-done-rejected");
        const declined = await became("declined");
        assert.equal(declined.status, "Rejected", way);
        assert.ok(JSON.stringify(declined.history).includes(word(language, "sign-decline-reason")), way);
        await goNext("givenBack");

        await hands.reject(REASON);
        await told("sign-done-returned-title", "sign-done-returned");
        if (way === "pointer") assert.deepEqual(await seriousFaults(page), []);
        assert.equal((await became("givenBack")).order, 1, way);
        await goNext("handedOver");

        if (way === "touch") await findsFault(page, hands);
        const answer = await hands.handOver(OTHER);
        assert.equal(answer.status(), 410, way);
        assert.equal(await page.locator("h1").textContent(), word(language, "end-handed-over-title"), way);
        assert.equal((await became("handedOver")).steps[0].email, OTHER.email, way);
      }
      assert.deepEqual(page.faults, []);
    });
  }
}
