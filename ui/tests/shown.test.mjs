// How a page shows a draft that several pages write.

import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import { load } from "./module.mjs";

let ShownDraft, shown, told;

before(async () => ({ ShownDraft } = await load("sign/shown.ts")));

beforeEach(() => {
  told = [];
  const state = { link: 2, revision: 7, changes: { Name: [6, "another"], Team: [7, "another"] } };
  shown = new ShownDraft(state, (saved) => told.push(saved));
});

const answer = (revision, names = [], newer = []) => ({
  revision,
  fields: names.map((name) => ({ name })),
  newer: newer.map((name) => ({ name })),
});

test("a page names the newest revision that it has seen", () => {
  assert.equal(shown.stamp.revision, 7);
  shown.take(answer(9));
  shown.take(answer(8));
  assert.equal(shown.stamp.revision, 9);
});

test("a late answer says nothing but what became of what was sent with it", () => {
  shown.take(answer(9, ["Sum"]));
  shown.take(answer(8, ["Name", "Sum"], ["Team"]), new Map([["Name", "Kim"]]));
  assert.deepEqual(told[1].newer, []);
  assert.deepEqual(
    told[1].fields.map(({ name }) => name),
    ["Name"],
  );
});

test("a stored value is older than what another page has saved since", () => {
  const kept = (changes) => ({ link: 2, page: "this", revision: 6, ...changes });
  assert.equal(shown.isNewer("Team", kept({}), true), true);
  assert.equal(shown.isNewer("Name", kept({}), true), false, "it was seen");
  assert.equal(shown.isNewer("Salary", kept({}), true), false, "nobody has touched it");
  assert.equal(shown.isNewer("Team", kept({ page: "another" }), true), false, "its own change, whose answer was lost");
  assert.equal(shown.isNewer("Salary", kept({ revision: -1 }), true), true, "the signer was about to choose");
});

test("of another link's draft nobody knows: a filled field is not overwritten", () => {
  const kept = { link: 1, page: "this", revision: 99 };
  assert.equal(shown.isNewer("Name", kept, true), true);
  assert.equal(shown.isNewer("Name", kept, false), false);
});

test("two pages have different names", () => {
  const other = new ShownDraft({ link: 2, revision: 7, changes: {} }, () => {});
  assert.notEqual(shown.page, other.page);
});
