// The changes a signer must review before an approval, and how they are settled.

import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import { load } from "./module.mjs";

let Unsettled, items;

before(async () => ({ Unsettled } = await load("sign/unsettled.ts")));
beforeEach(() => (items = new Unsettled()));

test("a field that was changed here and elsewhere is asked about, not only shown", () => {
  items.change("Name", "Kim");
  items.choose("Name", "Lee", { value: "Park" });
  items.change("Name", "Lee");
  assert.deepEqual([items.fields, items.hasChoices], [["Name"], true]);
  assert.equal(items.changes.size, 0);
});

test("a change is compared with what the page showed first", () => {
  items.change("Name", "Kim");
  items.change("Name", "Park");
  assert.equal(items.changes.get("Name"), "Kim");
  assert.equal(items.hasChoices, false);
});

test("a field that is filled in again needs no other look", () => {
  items.choose("Name", "Lee", { value: "Park" });
  items.change("Team", "Seoul");
  items.refuse("Scan", "too large");
  assert.deepEqual(items.fields, ["Name", "Team", "Scan"]);
  for (const field of ["Name", "Team", "Scan"]) items.forgive(field);
  assert.equal(items.hasItems, false);
});

test("a field with two reasons is named once", () => {
  items.change("Scan", "a.pdf");
  items.refuse("Scan", "too large");
  assert.deepEqual(items.fields, ["Scan"]);
});
