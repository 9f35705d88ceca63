// Drafts: what is sent when, what waits on the device, and what happens to a value that is refused.

import assert from "node:assert/strict";
import { before, beforeEach, mock, test } from "node:test";
import { load, StandIn } from "./module.mjs";

let Drafts, ShownDraft, browser, events, drafts, shown, onSaved;

const DATA = { mode: "sign", base: "", token: "t", language: "en", workflow_id: 7, recipient_id: 3 };
const KEY = "countersign-draft-7-3";

before(async () => {
  ({ Drafts } = await load("sign/drafts.ts"));
  ({ ShownDraft } = await load("sign/shown.ts"));
  mock.timers.enable({ apis: ["setTimeout"] });
});

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  browser = new StandIn();
  browser.install();
  events = [];
  onSaved = () => {};
  reopen();
});

function reopen(data = DATA) {
  shown = new ShownDraft({ link: 1, revision: 4, changes: {} }, (saved) => onSaved(saved));
  drafts = new Drafts(data, shown, {
    state: (state) => events.push(state),
    refused: (name, message) => events.push(["refused", name, message]),
    ended: () => events.push("ended"),
  });
}

const saved = (revision, newer = []) => ({ body: { revision, fields: [], newer } });
const refusal = (status, body) => ({ status, body });
/** Lets what is due happen, with everything that follows from it at once. */
async function pass(milliseconds) {
  mock.timers.tick(milliseconds);
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  await new Promise((done) => setImmediate(done));
}
const sent = () => browser.requests.map(({ body }) => Object.fromEntries(body.values.map(({ name, value }) => [name, value])));
const kept = () => JSON.parse(browser.storage.get(KEY) ?? "null")?.values ?? [];

test("a value is sent a moment after its last change, with the revision that the page shows", async () => {
  browser.answers.push(saved(5), saved(6));
  drafts.put("Name", "K");
  await pass(599);
  drafts.put("Name", "Kim");
  await pass(599);
  assert.deepEqual(sent(), []);
  await pass(1);
  assert.deepEqual(sent(), [{ Name: "Kim" }]);
  assert.equal(browser.requests[0].body.revision, 4);
  assert.deepEqual([events.at(-1), drafts.waits, kept()], ["saved", false, []]);
  drafts.put("Name", "Kim Minjun");
  await pass(600);
  assert.equal(browser.requests[1].body.revision, 5);
});

test("what is typed while a value is being saved is sent afterwards", async () => {
  browser.answers.push(() => {
    drafts.put("Name", "second");
    return saved(5);
  }, saved(6));
  drafts.put("Name", "first");
  await pass(600);
  assert.equal(drafts.waits, true);
  await pass(600);
  assert.deepEqual(sent(), [{ Name: "first" }, { Name: "second" }]);
  assert.equal(drafts.waits, false);
});

test("without a connection a value waits on the device, also for the next visit, and is sent when it is back", async () => {
  browser.onLine = false;
  drafts.put("Name", "Kim");
  await pass(600);
  assert.equal(events.at(-1), "offline");
  assert.deepEqual(kept(), [["Name", "Kim", 4]]);
  reopen();
  assert.deepEqual(
    drafts.remembered().map(([name, value, { revision }]) => [name, value, revision]),
    [["Name", "Kim", 4]],
  );
  drafts.put("Name", "Kim");
  browser.onLine = true;
  browser.answers.push(saved(5));
  browser.happen("online");
  await pass(0);
  assert.deepEqual([events.at(-1), kept()], ["saved", []]);
});

test("pauses between tries grow to half a minute", async (t) => {
  t.mock.method(Math, "random", () => 0.5);
  drafts.put("Name", "Kim");
  await pass(600);
  for (const seconds of [2, 4, 8, 16, 30, 30]) {
    const before = browser.requests.length;
    await pass(seconds * 1000 - 1);
    assert.equal(browser.requests.length, before, `not before ${seconds} seconds`);
    await pass(1);
    assert.equal(browser.requests.length, before + 1, `after ${seconds} seconds`);
  }
});

test("a refused value stays on the device and is not sent again, and the others are", async () => {
  browser.answers.push(refusal(422, { errors: [{ path: "Name", code: "x", message: "too wide" }] }), saved(5));
  drafts.put("Name", "WWWW");
  drafts.put("Team", "Seoul");
  await pass(600);
  assert.deepEqual(events.at(-1), ["refused", "Name", "too wide"]);
  await pass(600);
  assert.deepEqual(sent(), [{ Name: "WWWW", Team: "Seoul" }, { Team: "Seoul" }]);
  assert.deepEqual(kept(), [["Name", "WWWW", 4]]);
});

test("a batch that is refused as a whole waits until part of it changes", async () => {
  browser.answers.push(refusal(422, { errors: [{ path: "values", code: "x", message: "too much" }] }), saved(5));
  drafts.put("Name", "a book");
  await pass(600);
  assert.deepEqual(events.at(-1), ["refused", "", "too much"]);
  await pass(60_000);
  assert.equal(browser.requests.length, 1);
  drafts.put("Name", "a page");
  await pass(600);
  assert.deepEqual(sent().at(-1), { Name: "a page" });
});

test("a value that another page has changed waits for the signer's choice, and the next visit asks for it", async () => {
  const newer = [{ name: "Name", value: "theirs", src: null, boxes: [], message: "" }];
  browser.answers.push(saved(9, newer));
  let mine;
  onSaved = () => (mine = drafts.withdraw("Name"));
  drafts.put("Name", "mine");
  await pass(600);
  assert.equal(mine, "mine");
  await pass(60_000);
  assert.equal(browser.requests.length, 1);
  assert.deepEqual(kept(), [["Name", "mine", -1]]);
  drafts.drop("Name");
  assert.deepEqual(kept(), []);
});

test("full storage is reported, and the value is sent all the same", async () => {
  browser.isStorageFull = true;
  drafts.put("Name", "Kim");
  assert.equal(drafts.isKept, false);
  browser.answers.push(saved(5));
  await pass(600);
  assert.deepEqual(sent(), [{ Name: "Kim" }]);
});

test("nothing of a finished document stays on the device, and nothing more is sent", async () => {
  drafts.put("Name", "Kim");
  drafts.finish();
  drafts.put("Name", "Lee");
  await pass(60_000);
  assert.deepEqual([browser.requests.length, browser.storage.size], [0, 0]);
});

test("somebody who leaves sends what waits", async () => {
  drafts.put("Name", "Kim");
  browser.answers.push(saved(5));
  browser.happen("pagehide");
  assert.deepEqual([sent(), browser.requests[0].keepalive], [[{ Name: "Kim" }], true]);
});

test("a document that went on without the page ends it", async () => {
  browser.answers.push(refusal(410, { code: "link-replaced" }));
  drafts.put("Name", "Kim");
  await pass(600);
  assert.equal(events.at(-1), "ended");
});

test("a preview sends and keeps nothing", async () => {
  reopen({ ...DATA, mode: "preview" });
  drafts.put("Name", "Kim");
  await pass(60_000);
  assert.deepEqual([browser.requests.length, browser.storage.size], [0, 0]);
});
