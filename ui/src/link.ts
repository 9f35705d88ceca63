// The form of a public link. Another language is another page, which receives what was entered so far, even if it is
// incomplete. It is posted, so that no URL contains it; that starts nothing. Without this script the other page is
// empty.

import { all, one } from "./shared/dom";

const form = one<HTMLFormElement>("main form");
for (const link of all<HTMLAnchorElement>(".languages a")) {
  link.addEventListener("click", (event) => {
    // A page that is opened in another window stays empty.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const entries = new FormData(form);
    entries.set("another_language", "1");
    // A separate form, so that somebody who comes back to this page finds the other form unchanged.
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
