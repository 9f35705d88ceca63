// Every kind of field, filled in with pointer, touch and the keyboard alone, on phone, tablet and desktop, in three
// languages: each with each, with the value that reached the server. And what a screen reader is told: roles, names and
// their order.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { draw, field, launch, open, pressAndFollow, ready, seriousFaults, signIn, linkInOutbox } from "./browser.mjs";
import { Installation, pdf } from "./installation.mjs";
