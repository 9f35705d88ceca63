// The form of a public link: another language is another page, and what was filled in goes along to it, even half-finished.
// It is posted, so that no address holds it; nothing is started by that. Without this script the other page comes empty.

import { all, one } from "./shared/dom";

const form = one<HTMLFormElement>("main form");
for (const link of all<HTMLAnchorElement>(".languages a")) {
  link.addEventListener("click", (event) => {
    // Who wants it in another window gets it there, empty.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const entries = new FormData(form);
    entries.set("another_language", "1");
    // A form of its own: who comes back to this page finds the other one as it was.
    const carrier = document.createElement("form");
    carrier.method = "post";
    carrier.action = link.href;
    carrier.hidden = true;
    for (const [name, value] of entries) {
      const input = document.createElement("input");
      input.name = name;
      input.value = String(value);
      carrier.append(input);
    }
    document.body.append(carrier);
    carrier.submit();
    carrier.remove();
  });
}
