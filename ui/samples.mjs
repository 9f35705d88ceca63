// A page of samples of the design system, light and dark: `npm run samples` writes ui/samples/light.html and dark.html
// and prints their paths. Nothing on it is a copy: the styles are those of ui/dist, the colours are read from
// tokens.css, icons, dialogs and the bar are cut out of the templates, and texts come from locales/. No server serves
// it. docs/design-system.md explains the components.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ui = fileURLToPath(new URL(".", import.meta.url));
const read = (...path) => readFileSync(join(ui, ...path), "utf8");

/** Who is read on what, and the ratio that WCAG 2.2 asks for: 1.4.3 for text, 1.4.11 for the edges of controls. */
const PAIRS = [
  ...["ground", "surface", "surface-sunk", "raised"].map((ground) => ["ink", ground, 4.5]),
  ...["ground", "surface", "surface-sunk"].map((ground) => ["ink-soft", ground, 4.5]),
  ...["ground", "surface"].map((ground) => ["accent", ground, 4.5]),
  ["ink", "accent-soft", 4.5],
  ["accent-strong", "accent-soft", 4.5],
  ["on-accent", "accent", 4.5],
  ["on-accent", "accent-strong", 4.5],
  ...["good", "warn", "bad"].flatMap((tone) => [
    [tone, `${tone}-soft`, 4.5],
    [tone, "surface", 4.5],
  ]),
  ["line-strong", "surface", 3],
  ["line-strong", "ground", 3],
  ["paper-ink", "paper", 4.5],
  ["field-line", "paper", 3],
  ["field-required", "paper", 3],
  ["field-fault", "paper", 3],
];

/** The tokens of a scheme: name and value, dark laid over light. */
export function tokens(scheme) {
  const [light, dark] = read("src/styles/tokens.css").split("@media (prefers-color-scheme: dark)");
  const named = (css) =>
    [...css.matchAll(/--([\w-]+):\s*([^;]+);/g)].map(([, name, value]) => [name, value.replace(/\s+/g, " ")]);
  return new Map([...named(light), ...(scheme === "dark" ? named(dark) : [])]);
}

/** Each pair of colours with the contrast it has and the one it needs. */
export function contrasts(scheme) {
  const values = tokens(scheme);
  const luminance = (name) => {
    const hex = /^#([0-9a-f]{6})$/i.exec(values.get(name) ?? "");
    if (!hex) throw new Error(`--${name} is no colour of six digits`);
    const [red, green, blue] = [0, 2, 4].map((at) => {
      const share = Number.parseInt(hex[1].slice(at, at + 2), 16) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  return PAIRS.map(([text, ground, needed]) => {
    const [less, more] = [luminance(text), luminance(ground)].sort((a, b) => a - b);
    return { text, ground, needed, ratio: (more + 0.05) / (less + 0.05) };
  });
}

const icons = read("../templates/pages/icons.html");
const iconNames = [...icons.matchAll(/name == "(\w+)"/g)].map(([, name]) => name);

function icon(name) {
  const drawn = new RegExp(`name == "${name}" %}(.*)`).exec(icons)?.[1];
  if (drawn === undefined) throw new Error(`no icon ${name}`);
  return `<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false">${drawn}</svg>`;
}

const SAMPLE_VALUES = { limit: 250, megabytes: 5, version: "2026-11", done: 2, total: 5, count: 3 };

/** The words of a key in a language. Of several forms it is the one that a value chooses, or else the default. */
export function word(language, key, values = {}) {
  const texts = ["pages", "verify"].map((name) => read(`../locales/${language}/${name}.ftl`)).join("\n");
  const forms = new RegExp(`^${key} = \\{ \\$(\\w+) ->\\n((?: +\\*?\\[.+\\n)+)`, "m").exec(texts);
  let line = new RegExp(`^${key} = (.+)$`, "m").exec(texts)?.[1];
  if (forms) {
    const all = [...forms[2].matchAll(/ +(\*?)\[(\w+)\] (.+)\n/g)];
    const chosen = all.find(([, , name]) => name === values[forms[1]]) ?? all.find(([, isDefault]) => isDefault);
    line = chosen?.[3];
  }
  if (line === undefined) throw new Error(`no words for ${key} in ${language}`);
  return line.replace(/\{ \$(\w+) \}/g, (_, name) => String({ ...SAMPLE_VALUES, ...values }[name] ?? name));
}

/** A piece of a page's template, from `start` to `end`, with its words in `language` and every condition taken as met. */
function piece(template, start, end, language) {
  const text = read("../templates/pages", template);
  const from = text.indexOf(start);
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`${template} has no ${start}`);
  return text
    .slice(from, to + end.length)
    .replace(/\{\{ icon\("(\w+)"\) \}\}/g, (_, name) => icon(name))
    .replace(/\{\{ t\("([\w-]+)"[^}]*\) \}\}/g, (_, key) => word(language, key))
    .replace(/\{%.*?%\}|\{\{.*?\}\}/g, "");
}

const dialog = (id, language) =>
  `<div class="stage" lang="${language}">${piece("sign.html", `<dialog id="${id}"`, "</dialog>", language).replace("<dialog", "<dialog open")}</div>`;

const section = (title, content, note = "") =>
  `<section class="card"><h2>${title}</h2>${note && `<p class="soft small">${note}</p>`}${content}</section>`;

function colours(scheme) {
  const values = tokens(scheme);
  const swatch = ([name, value]) =>
    `<li><span class="swatch" style="background:var(--${name})"></span><span><code>--${name}</code><br><span class="small soft">${value}</span></span></li>`;
  const shades = [...values].filter(([, value]) => /^(#|rgb)/.test(value)).map(swatch);
  const pairs = contrasts(scheme).map(
    ({ text, ground, needed, ratio }) =>
      `<tr><td><span class="pair" style="background:var(--${ground});${needed < 4.5 ? `border:3px solid var(--${text});color:transparent` : `color:var(--${text})`}" ${needed < 4.5 ? "aria-hidden=true" : ""}>가 あ Aa</span></td><td><code>${text}</code> on <code>${ground}</code></td><td>${ratio.toFixed(1)}</td><td>${needed}</td></tr>`,
  );
  return (
    section("Colours", `<ul class="swatches">${shades.join("")}</ul>`) +
    section(
      "Contrast",
      `<div class="wide" tabindex="0" role="region" aria-label="Contrast"><table><thead><tr><th>Seen</th><th>Pair</th><th>Ratio</th><th>Needed</th></tr></thead><tbody>${pairs.join("")}</tbody></table></div>`,
      "WCAG 2.2: 4.5 for text, 3 for the edges of controls. A test holds every pair to it.",
    )
  );
}

function scale() {
  const lines = [
    ["ko", "계약서를 읽고 서명해 주세요. 2026년 12월 1일까지"],
    ["ja", "契約書をお読みのうえ、署名してください。2026年12月1日まで"],
    ["en", "Please read the agreement and sign it by 1 December 2026."],
  ];
  const sizes = ["title", "lead", "body", "small"].map(
    (size) =>
      `<div><p class="small soft"><code>--text-${size}</code></p>${lines
        .map(([language, text]) => `<p lang="${language}" style="font-size:var(--text-${size})">${text}</p>`)
        .join("")}</div>`,
  );
  const spaces = [...tokens("light").keys()].filter((name) => name.startsWith("space-"));
  return (
    section(
      "Type",
      sizes.join(""),
      "Hangul breaks between words, Kana by its strict rules; the same line height carries all three.",
    ) +
    section(
      "Space",
      `<ul class="spaces">${spaces.map((name) => `<li><span style="width:var(--${name})"></span><code>--${name}</code></li>`).join("")}</ul>`,
    )
  );
}

function controls() {
  const buttons = [
    ["button primary", word("ko", "sign-approve")],
    ["button", word("ja", "page-cancel")],
    ["button danger", word("en", "sign-reject-confirm")],
    ["button plain", word("ko", "sign-pad-undo")],
  ];
  const row = (attributes) =>
    `<p class="actions">${buttons.map(([kind, text]) => `<button type="button" class="${kind}"${attributes}>${text}</button>`).join("")}</p>`;
  const entry = (id, label, control, fault = "") =>
    `<div class="entry"><label for="${id}">${label}</label>${control}${fault && `<p class="fault" id="${id}-fault">${fault}</p>`}</div>`;
  const notices = ["", "good", "warn", "bad"].map(
    (tone) => `<p class="notice ${tone}">${word("ko", "sign-continued")} ${word("ja", "sign-continued")}</p>`,
  );
  const emblems = [
    ["check", "good"],
    ["alert", "bad"],
    ["clock", "warn"],
    ["lock", ""],
  ].map(([name, tone]) => `<span class="sign ${tone}">${icon(name)}</span>`);
  return (
    section(
      "Buttons",
      `${row("")}${row(" disabled")}<p class="actions"><button type="button" class="button primary">${icon("check")}${word("en", "sign-approve")}</button><button type="button" class="button" aria-pressed="true">${icon("steps")}${word("ko", "sign-guide")}</button><a class="button" href="#buttons">${icon("down")}${word("ja", "view-download")}</a></p>`,
      "At most one filled button in sight. Every target is at least 44 pixels high.",
    ) +
    section(
      "Entries",
      `<div class="form">${entry("e1", "Empty", '<input id="e1" type="text">')}${entry("e2", "Filled", '<input id="e2" type="text" value="김민준">')}${entry("e3", "Refused", '<input id="e3" type="text" value="2026-13-01" aria-invalid="true" aria-describedby="e3-fault">', "A date such as 2026-12-01.")}${entry("e4", "Choice", '<select id="e4"><option>Seoul</option><option>Tokyo</option></select>')}${entry("e5", "Several lines", '<textarea id="e5">山田太郎</textarea>')}</div>`,
      "A fault says the rule, below the entry, and is announced.",
    ) +
    section("Notices", `${notices.join("")}<p class="says emblems">${emblems.join("")}</p>`) +
    section("Icons", `<ul class="icons">${iconNames.map((name) => `<li>${icon(name)}<code>${name}</code></li>`).join("")}</ul>`)
  );
}

function fields() {
  const states = [
    ["asked for", "data-required", ""],
    ["optional", "", ""],
    ["filled", "data-filled", "김민준"],
    ["refused", "data-fault", "2026-13-01"],
    ["current of the guided way", "data-current data-required", ""],
  ];
  const mine = states.map(
    ([label, state, value], at) =>
      `<div class="field mine" data-kind="text" ${state} style="left:6%;top:${1 + at * 3.5}rem;width:42%;height:2rem"><input type="text" aria-label="${label}" value="${value}"></div><span class="note" style="top:${1.3 + at * 3.5}rem">${label}</span>`,
  );
  const others = [
    `<div class="field mine picture" data-kind="signature" data-required style="left:6%;top:19rem;width:42%;height:4rem"><button type="button" aria-label="${word("ko", "sign-field-signature")}"><span class="ask">${icon("pen")}<span>${word("ko", "sign-field-signature")}</span></span></button></div><span class="note" style="top:20rem">signature</span>`,
    `<div class="field other" data-waiting style="left:6%;top:24.5rem;width:42%;height:2rem"><span class="waiting">${word("ja", "sign-field-waiting", { name: "山田太郎" })}</span></div><span class="note" style="top:24.8rem">another writer’s</span>`,
  ];
  return section(
    "Fields on the paper",
    `<document-page data-placed class="paper">${[...mine, ...others].join("")}</document-page>`,
    "Paper is white in both schemes: it is what will be printed.",
  );
}

/** The head of a company's page: its logo in the place of our mark. */
function companyHead() {
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="80"><rect width="400" height="80" fill="#fff"/><circle cx="40" cy="40" r="32" fill="#b3124f"/><rect x="90" y="26" width="290" height="28" fill="#1b1f2a"/></svg>`;
  const src = `data:image/svg+xml;base64,${Buffer.from(drawing).toString("base64")}`;
  return section(
    "A company’s look",
    `<div class="stage"><div class="top"><img class="logo" src="${src}" alt="한빛상사" width="200" height="40"><span class="name">근로계약서</span></div></div>`,
    "A logo is laid on white and stands on a plate in the dark. Of the company’s colour, accent, accent-strong, accent-soft and on-accent are made; the server moves it until every pair above holds.",
  );
}

function page(scheme) {
  const manifest = JSON.parse(read("dist/manifest.json"));
  const question = /@media\s*\(prefers-color-scheme:\s*dark\)/g;
  const css = read("dist", manifest["pages.css"]);
  if (!question.test(css)) throw new Error("the styles do not ask for a scheme");
  const styles = css.replace(question, scheme === "dark" ? "@media all" : "@media not all");
  const other = scheme === "dark" ? "light" : "dark";
  const dialogs = [
    dialog("consent-dialog", "ja"),
    dialog("pad", "ko"),
    dialog("approve-dialog", "ko"),
    dialog("reject-dialog", "en"),
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Design system, ${scheme}</title>
<style>${styles}</style>
<style>
:root { color-scheme: ${scheme}; }
.swatches, .icons { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: var(--space-3); }
.swatches li, .icons li, .spaces li { display: flex; gap: var(--space-3); align-items: center; }
.swatch { flex: none; width: 3rem; height: 3rem; border: 1px solid var(--line-strong); border-radius: var(--radius); }
.spaces span { height: 1.5rem; background: var(--accent); }
.icons svg { width: 1.75rem; height: 1.75rem; }
.pair { display: block; padding: var(--space-2) var(--space-3); border-radius: var(--radius); white-space: nowrap; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: var(--space-1) var(--space-2); text-align: start; }
th, td:nth-child(n + 3) { white-space: nowrap; }
.emblems { display: flex; gap: var(--space-3); margin: 0; }
.stage dialog, .stage .bar { position: static; width: 100%; margin: 0; max-height: none; }
.stage .top { position: static; }
.stage .bar { padding-inline: var(--space-4); }
document-page.paper[data-placed] { height: 28rem; }
.note { position: absolute; left: 52%; font-size: var(--text-small); }
</style></head>
<body><header class="top"><span class="name">Design system</span><nav class="languages" aria-label="Scheme"><a href="${other}.html">${other}</a></nav></header>
<main><div class="column wide"><h1>Samples, ${scheme}</h1>${colours(scheme)}${scale()}${controls()}${companyHead()}${fields()}${section(
    "Progress",
    `<div class="stage" lang="ko">${piece("sign.html", '<div class="bar"', "</div>\n</div>", "ko")
      .replace('id="progress-text" class="small" role="status">', `$&${word("ko", "sign-progress")}`)
      .replace('max="1" value="0"', 'max="5" value="2"')
      .replace('id="next" class="button primary main" hidden', 'id="next" class="button primary main"')}</div>`,
    "The way on is the widest button of the bar.",
  )}${section("Dialogs and tabs", dialogs.join(""), "From the bottom edge on a phone, in the middle elsewhere; here they stand in the page.")}</div></main></body></html>
`;
}

/** Writes both pages into `folder` and returns their addresses. */
export function writeSamples(folder) {
  mkdirSync(folder, { recursive: true });
  return ["light", "dark"].map((scheme) => {
    const path = join(folder, `${scheme}.html`);
    writeFileSync(path, page(scheme));
    return pathToFileURL(path).href;
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(writeSamples(join(ui, "samples")).join("\n"));
