// The interactive API reference: finds calls, opens the call named in the URL, sends the values entered in the forms
// and shows the response. Without this script the page can still be read.
import { all, fill, one, pageData } from "./shared/dom";

const texts = pageData<Record<string, string>>("docs-data");
const said = (key: string, values: Record<string, string | number> = {}) => fill(texts[key] ?? "", values);

// The page may be opened at an address other than the public one. Calls go to the address it came from.
const base = location.pathname.replace(/\/api\/docs\/?$/, "");

/* The token belongs to this tab, and is gone when the tab closes. */

const KEY = "countersign-api-token";
const token = one<HTMLInputElement>("#docs-token");
const tokenState = one<HTMLElement>("#docs-token-state");

/** If the browser keeps nothing, we go on without. */
function kept(): string {
  try {
    return sessionStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}

function keep(value: string, why: string): void {
  try {
    if (value) sessionStorage.setItem(KEY, value);
    else sessionStorage.removeItem(KEY);
  } catch {
    // The value stays in the field until the page is closed.
  }
  token.value = value;
  tokenState.textContent = said(value ? why : "docs-token-none");
}

token.addEventListener("change", () => keep(token.value.trim().replace(/^\w+\s+/, ""), "docs-token-kept"));
one<HTMLElement>("#docs-forget").addEventListener("click", () => {
  keep("", "");
  token.focus();
});
one<HTMLFormElement>("#docs-access").addEventListener("submit", (event) => {
  event.preventDefault();
  keep(token.value.trim().replace(/^\w+\s+/, ""), "docs-token-kept");
});

/* Search. */

const search = one<HTMLFormElement>(".docs-find");
const find = one<HTMLInputElement>("#docs-find");
const found = one<HTMLElement>("#docs-found");
// The text mentions keys, which phones and tablets do not have.
if (matchMedia("(hover: none)").matches) found.textContent = "";
const idle = found.textContent;
const intro = one<HTMLElement>("[data-intro]");
const parts = all<HTMLElement>("[data-part]");
const entries = all<HTMLElement>("[data-words]").map((element) => ({
  element,
  words: (element.dataset.words ?? "").toLowerCase(),
  link: document.querySelector<HTMLElement>(`.docs-list [data-call="${element.id}"]`),
}));

function filter(): void {
  const wanted = find.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const { element, words, link } of entries) {
    const fits = wanted.every((word) => words.includes(word));
    element.hidden = !fits;
    if (link) link.hidden = !fits;
    if (fits) count += 1;
  }
  for (const part of parts) part.hidden = part.querySelector("[data-words]:not([hidden]), [data-call]:not([hidden])") === null;
  intro.hidden = wanted.length > 0;
  found.textContent = wanted.length === 0 ? idle : count === 0 ? said("docs-found-none") : said("docs-found", { count });
}

function everything(): void {
  find.value = "";
  filter();
}

function firstFound(): HTMLElement | undefined {
  return entries.map(({ element }) => element).find((element) => !element.hidden);
}

find.addEventListener("input", filter);
search.addEventListener("submit", (event) => {
  event.preventDefault();
  const first = firstFound();
  if (find.value.trim() === "" || !first) return;
  show(first);
  (first.querySelector<HTMLElement>("summary") ?? first).focus();
});
find.addEventListener("keydown", (event) => {
  if (event.isComposing) return;
  if (event.key === "Escape" && find.value !== "") {
    event.preventDefault();
    everything();
  } else if (event.key === "ArrowDown") {
    const first = firstFound()?.querySelector<HTMLElement>("summary");
    if (!first) return;
    event.preventDefault();
    first.focus();
  }
});
addEventListener("keydown", (event) => {
  const inside = event.target instanceof Element && event.target.matches("input, textarea, select");
  if (event.key !== "/" || inside || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  find.focus();
  find.select();
});

/* Arrow keys move from call to call, as in a list. */
addEventListener("keydown", (event) => {
  if (!(event.target instanceof HTMLElement) || !event.target.matches("summary")) return;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  const summaries = all<HTMLElement>("details.call > summary").filter((summary) => summary.offsetParent !== null);
  const next = summaries[summaries.indexOf(event.target) + step] ?? (step < 0 ? find : undefined);
  if (!next) return;
  event.preventDefault();
  next.focus();
});

/** Opens the element that this page's URL names, and scrolls to it. */
function show(element: Element): void {
  const details = element.closest("details");
  if (details) details.open = true;
  element.scrollIntoView({ block: "start" });
}

function follow(): void {
  const target = document.getElementById(decoded(location.hash.slice(1)));
  if (!target) return;
  // An element hidden by the filter would stay invisible.
  if (target.closest("[hidden]")) everything();
  show(target);
}

addEventListener("hashchange", follow);
// Clicking the same link again does not change the URL.
addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href^="#"]') : null;
  if (link && link.hash === location.hash) follow();
});

/* Trying calls. */

type Given = HTMLInputElement | HTMLTextAreaElement;

interface Wish {
  method: string;
  address: string;
  headers: Record<string, string>;
  json?: string;
  members: [string, string | File][];
  file?: File;
}

/** The request in a form. `undefined` if the browser reported missing input. */
function wishOf(form: HTMLFormElement): Wish | undefined {
  if (!form.reportValidity()) return undefined;
  const wish: Wish = { method: form.dataset.method ?? "GET", address: "", headers: {}, members: [] };
  const query = new URLSearchParams();
  let path = form.dataset.path ?? "";
  for (const input of all<HTMLInputElement>("[data-in]", form)) {
    if (input.dataset.in === "path") path = path.replace(`{${input.name}}`, encodeURIComponent(input.value));
    else if (input.value === "") continue;
    else if (input.dataset.in === "query") query.set(input.name, input.value);
    else wish.headers[input.name] = input.value;
  }
  for (const member of all<Given>("[data-member]", form)) {
    const value = member instanceof HTMLInputElement && member.type === "file" ? member.files?.[0] : member.value;
    if (value) wish.members.push([member.name, value]);
  }
  const body = form.elements.namedItem("body");
  const file = form.elements.namedItem("file");
  if (wish.members.length === 0 && body instanceof HTMLTextAreaElement) {
    wish.headers["Content-Type"] = "application/json";
    wish.json = body.value;
  } else if (file instanceof HTMLInputElement && file.dataset.type && file.files?.[0]) {
    wish.headers["Content-Type"] = file.dataset.type;
    wish.file = file.files[0];
  }
  wish.address = `${base}${path}${String(query) && `?${query}`}`;
  return wish;
}

async function send(form: HTMLFormElement): Promise<void> {
  const wish = wishOf(form);
  if (!wish || form.dataset.busy !== undefined) return;
  const outcome = one<HTMLElement>(".outcome", form);
  const answer = one<HTMLElement>(".answer", form);
  const request: RequestInit = { method: wish.method, headers: wish.headers, credentials: "omit", redirect: "manual" };
  wish.headers["Accept-Language"] = document.documentElement.lang;
  if (form.dataset.token !== undefined && token.value) wish.headers.Authorization = `Bearer ${token.value}`;
  if (wish.members.length > 0) {
    // The browser sets the media type, including the boundary it chose.
    const data = new FormData();
    for (const [name, value] of wish.members) data.append(name, value);
    request.body = data;
  } else {
    request.body = wish.json ?? wish.file ?? null;
  }
  form.dataset.busy = "";
  outcome.className = "outcome small";
  outcome.textContent = said("docs-sending");
  const began = performance.now();
  try {
    const response = await fetch(wish.address, request);
    const shown = await shownBody(response);
    const milliseconds = Math.round(performance.now() - began);
    outcome.classList.add(response.ok ? "good" : "bad");
    outcome.textContent = `${response.status} ${response.statusText} · ${milliseconds} ms`;
    const wait = response.headers.get("retry-after");
    if (wait) outcome.textContent += ` · Retry-After: ${wait}`;
    answer.replaceChildren(shown);
    answer.hidden = false;
  } catch {
    outcome.classList.add("bad");
    outcome.textContent = said("docs-no-answer");
    answer.hidden = true;
  } finally {
    delete form.dataset.busy;
  }
}

/** Text as text, JSON in lines, and a file as a download link. */
async function shownBody(response: Response): Promise<HTMLElement> {
  const type = response.headers.get("content-type") ?? "";
  if (/json|text|pem/.test(type)) {
    const text = await response.text();
    const pre = document.createElement("pre");
    pre.className = "code";
    pre.tabIndex = 0;
    pre.textContent = type.includes("json") ? lines(text) : text;
    return pre;
  }
  const bytes = await response.blob();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(bytes);
  link.download = fileName(response.headers.get("content-disposition") ?? "");
  link.textContent = `${link.download} (${type}, ${bytes.size.toLocaleString(document.documentElement.lang)} bytes)`;
  return link;
}

function lines(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    takeToken(value);
    return JSON.stringify(value, null, 2);
  } catch {
    return text;
  }
}

/** The token of a tried login is what the other calls need. */
function takeToken(answer: unknown): void {
  const given = (answer as { body?: { access_token?: unknown } } | null)?.body?.access_token;
  if (typeof given === "string" && given !== "") keep(given, "docs-token-of-login");
}

/** Returns the text unchanged if it is not valid. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function fileName(disposition: string): string {
  const named = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  return named ? decoded(named) : (/filename="([^"]+)"/i.exec(disposition)?.[1] ?? "answer");
}

/** The same request for a shell. It does not contain the token. */
function curl(form: HTMLFormElement): string | undefined {
  const wish = wishOf(form);
  if (!wish) return undefined;
  const quoted = (text: string) => `'${text.replace(/'/g, "'\\''")}'`;
  const words = [`curl -X ${wish.method} ${quoted(location.origin + wish.address)}`];
  if (form.dataset.token !== undefined) words.push(`-H "Authorization: Bearer $TOKEN"`);
  for (const [name, value] of Object.entries(wish.headers)) words.push(`-H ${quoted(`${name}: ${value}`)}`);
  for (const [name, value] of wish.members) {
    words.push(typeof value === "string" ? `-F ${quoted(`${name}=${value}`)}` : `-F ${quoted(`${name}=@${value.name}`)}`);
  }
  if (wish.json !== undefined) words.push(`-d ${quoted(wish.json)}`);
  if (wish.file) words.push(`--data-binary ${quoted(`@${wish.file.name}`)}`);
  return words.join(" \\\n  ");
}

async function copy(form: HTMLFormElement): Promise<void> {
  const text = curl(form);
  if (text === undefined) return;
  const outcome = one<HTMLElement>(".outcome", form);
  const answer = one<HTMLElement>(".answer", form);
  const pre = document.createElement("pre");
  pre.className = "code";
  pre.tabIndex = 0;
  pre.textContent = text;
  answer.replaceChildren(pre);
  answer.hidden = false;
  outcome.className = "outcome small";
  outcome.textContent = "";
  try {
    // The clipboard only works over TLS or on this machine.
    await navigator.clipboard.writeText(text);
    outcome.textContent = said("docs-copied");
  } catch {
    getSelection()?.selectAllChildren(pre);
  }
}

for (const form of all<HTMLFormElement>("form.try")) {
  for (const element of all<HTMLElement>(".given", form)) element.hidden = false;
  for (const area of all<HTMLTextAreaElement>("textarea", form)) area.readOnly = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void send(form);
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  one<HTMLElement>("[data-copy]", form).addEventListener("click", () => void copy(form));
}

for (const hidden of [search, one<HTMLElement>("#docs-access"), one<HTMLElement>("#docs-warning")]) hidden.hidden = false;
keep(kept(), "docs-token-kept");
follow();
