// The form of a public link. Another language is another page, so entries are passed on in this tab's session storage,
// which keeps them out of URLs, and removed from there immediately. Without this script the other page is empty.

import { all, one } from "./shared/dom";
import "./shared/form-page";

const KEY = "countersign-link-entries";
const form = one<HTMLFormElement>("main form");
const inputs = all<HTMLInputElement>("input[name]", form);

function remembered(): Record<string, string | boolean> {
  try {
    const text = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    const { action, entries } = JSON.parse(text ?? "{}");
    return action === token() ? entries : {};
  } catch {
    return {};
  }
}

/** Which link it is: entries in one form say nothing in another. */
function token(): string {
  return new URL(form.action).searchParams.get("token") ?? "";
}

for (const [name, value] of Object.entries(remembered())) {
  const input = inputs.find((candidate) => candidate.name === name);
  if (input && typeof value === "boolean") input.checked = value;
  else if (input && typeof value === "string") input.value = value;
}

for (const link of all<HTMLAnchorElement>(".languages a")) {
  link.addEventListener("click", (event) => {
    // A page opened in another window starts empty.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const entries = inputs.map((input) => [input.name, input.type === "checkbox" ? input.checked : input.value]);
    try {
      sessionStorage.setItem(KEY, JSON.stringify({ action: token(), entries: Object.fromEntries(entries) }));
    } catch {
      // Without storage, the other page starts empty.
    }
  });
}
