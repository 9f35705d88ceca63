// The oldest supported browsers (docs/signing-page.md) have every feature that our sources use, or the source has a
// fallback. esbuild translates syntax for them, but not properties, units, pseudo-classes and functions.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { OLDEST_BROWSERS } from "../oldest-browsers.mjs";

const SOURCES = fileURLToPath(new URL("../src/", import.meta.url));
const files = (extension) => readdirSync(SOURCES, { recursive: true }).filter((name) => name.endsWith(extension));
const read = (name) => readFileSync(SOURCES + name, "utf8").replace(/\/\*.*?\*\//gs, "");

/**
 * What is newer than one of them. `fallback`: a declaration of the same property comes before it. `adds`: why a page is whole
 * without it.
 */
const NEWER = {
  dvh: { pattern: /\ddvh\b/, fallback: true },
  lh: { pattern: /\dlh\b/, fallback: true },
  cqh: { pattern: /\dcq[hwib]\b/, fallback: true },
  "container-type": { pattern: /^container-type$/, adds: "the words on a narrow box are cut off instead of hidden" },
  "@container": { pattern: /^@container/, adds: "see container-type" },
  ":has()": { pattern: /:has\(/, adds: "native radio buttons and check boxes show themselves what is chosen" },
  "text-wrap": { pattern: /^text-wrap$/, adds: "only where lines break" },
  "auto-phrase": { pattern: /auto-phrase/, adds: "only where lines break" },
  "accent-color": { pattern: /^accent-color$/, adds: "the browser's own colour is as clear" },
  "text-size-adjust": { pattern: /text-size-adjust$/, adds: "only phones that enlarge letters by themselves" },
  "scrollbar-width": { pattern: /^scrollbar-width$/, adds: "a wider bar scrolls as well" },
  "@media (scripting)": { pattern: /^@media.*\(scripting/, adds: "the notice then comes after five seconds" },
};

/** Properties that all of them have. A new one must be looked up. */
const PROPERTIES = new Set(
  `align-content align-items align-self animation animation-delay appearance aspect-ratio background border border-block-start
  border-block-end border-bottom border-collapse border-color border-inline-start border-inline-end border-radius border-top
  border-end-end-radius border-end-start-radius border-spacing bottom box-shadow box-sizing break-before break-inside clip-path color color-scheme content column-gap cursor display dominant-baseline
  fill flex flex-basis flex-direction flex-wrap font font-family font-size font-style font-variant-numeric font-weight
  forced-color-adjust gap grid-column grid-row grid-template-columns grid-template-rows height inline-size inset
  inset-block-start inset-inline inset-inline-end inset-inline-start justify-content justify-items justify-self left
  letter-spacing line-break line-height list-style margin margin-block margin-block-end margin-block-start margin-bottom
  margin-inline margin-inline-end margin-inline-start margin-top max-height max-width min-height min-width object-fit opacity
  order outline outline-color outline-offset overflow overflow-wrap overflow-x overflow-y overscroll-behavior
  overscroll-behavior-x padding padding-block padding-block-end padding-block-start padding-bottom padding-inline padding-inline-end padding-inline-start padding-top
  place-items pointer-events position resize right row-gap scroll-behavior scroll-margin-top scroll-margin-block
  scroll-margin-block-start scroll-padding-block tab-size text-align text-anchor text-decoration text-decoration-thickness text-overflow
  text-underline-offset top touch-action transform transform-origin transition user-select vertical-align visibility
  white-space width word-break z-index -webkit-text-fill-color -webkit-text-size-adjust -webkit-user-select`.split(/\s+/),
);
const PSEUDO = new Set(
  `root hover focus focus-visible focus-within checked disabled empty first-child last-child not is where lang before after
  backdrop selection placeholder marker target -webkit-progress-bar -webkit-progress-value -moz-progress-bar
  -webkit-calendar-picker-indicator -webkit-datetime-edit -webkit-details-marker`.split(/\s+/),
);
const FUNCTIONS = new Set(
  `var calc min max clamp env rgb minmax repeat url inset scale rotate translate translateY cubic-bezier attr`.split(/\s+/),
);
const AT_RULES = new Set(["@import", "@media", "@supports", "@keyframes", "@page", "@font-face"]);

/** Rules with their declarations, and the at-rules around them. */
function* rules(text) {
  let prelude = "";
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === ";") {
      yield { prelude: prelude.trim(), declarations: [] };
      prelude = "";
    } else if (text[at] !== "{") prelude += text[at];
    else {
      let [end, depth] = [at + 1, 1];
      for (; depth > 0; end += 1) depth += { "{": 1, "}": -1 }[text[end]] ?? 0;
      const body = text.slice(at + 1, end - 1);
      const contains = body.includes("{");
      yield { prelude: prelude.trim(), declarations: contains ? [] : declarationsOf(body) };
      if (contains) yield* rules(body);
      prelude = "";
      at = end - 1;
    }
  }
}

function declarationsOf(body) {
  const parts = body.split(/;(?![^(]*\))/).map((part) => part.trim());
  return parts.filter(Boolean).map((part) => [part.slice(0, part.indexOf(":")).trim(), part.slice(part.indexOf(":") + 1)]);
}

const isNewer = (word) => Object.values(NEWER).some(({ pattern }) => pattern.test(word));

test("styles use what the oldest browsers have, or say it in another way first", () => {
  const faults = [];
  for (const file of files(".css")) {
    for (const { prelude, declarations } of rules(read(file))) {
      const fault = (what) => faults.push(`${file}: ${prelude.replace(/\s+/g, " ")}: ${what}`);
      const atRule = /^@[a-z-]+/.exec(prelude)?.[0];
      if (atRule && !AT_RULES.has(atRule) && !isNewer(prelude)) fault("at-rule");
      const withoutNewer = prelude.replace(/:has\(.*/, "");
      if (!atRule) {
        for (const [, name] of withoutNewer.matchAll(/::?([a-z-]+)/g)) if (!PSEUDO.has(name)) fault(`:${name}`);
        if (prelude.includes("&")) fault("nesting");
      }
      for (const [index, [property, value]] of declarations.entries()) {
        if (!property.startsWith("--") && !PROPERTIES.has(property) && !isNewer(property)) fault(property);
        for (const [, name] of value.matchAll(/([a-z-]+)\(/gi)) if (!FUNCTIONS.has(name)) fault(`${property}: ${name}()`);
        for (const [name, { pattern, fallback }] of Object.entries(NEWER)) {
          if (!fallback || !pattern.test(value)) continue;
          const before = declarations.slice(0, index).find(([other, said]) => other === property && !isNewer(said));
          if (!before) fault(`${property} with ${name} has no declaration before it for others`);
        }
      }
    }
  }
  assert.deepEqual(faults, []);
});

test("what is newer than the oldest browsers is still used: the list has nothing left over", () => {
  const everything = files(".css")
    .flatMap((file) => [...rules(read(file))])
    .flatMap(({ prelude, declarations }) => [prelude, ...declarations.flat()]);
  const unused = Object.entries(NEWER).filter(([, { pattern }]) => !everything.some((word) => pattern.test(word)));
  assert.deepEqual(
    unused.map(([name]) => name),
    [],
  );
});

test("scripts call nothing that the oldest browsers lack without asking for it first", () => {
  // The compiler checks the language's own library (`lib` in tsconfig.json). These features belong to the browser.
  const newer =
    /\b(requestIdleCallback|structuredClone|showPopover|startViewTransition|showOpenFilePicker|OffscreenCanvas|CloseWatcher)\b|\.(inert|closedBy|ariaCurrent|checkVisibility|setHTMLUnsafe|scrollend)\b|AbortSignal\.(timeout|any)|(query|params|options)\.size\b/g;
  const faults = files(".ts").flatMap((file) => {
    const text = read(file);
    return [...text.matchAll(newer)]
      .filter(([found]) => !text.includes(`"${found.replace(/^\./, "")}" in `))
      .map(([found]) => `${file}: ${found}`);
  });
  assert.deepEqual(faults, []);
});

test("the guide names the browsers that the build is made for", () => {
  const guide = readFileSync(new URL("../../docs/signing-page.md", import.meta.url), "utf8");
  const names = { safari: "Safari", chrome: "Chrome", firefox: "Firefox" };
  for (const browser of OLDEST_BROWSERS) {
    const [, name, version] = /^([a-z]+)([\d.]+)$/.exec(browser);
    assert.ok(guide.includes(`${names[name]} ${version}`), browser);
  }
});
