// Links from this page to others. Without a connection the signer stays here, because the browser's own error page has
// no way back.

import { all } from "../shared/dom";

/** Whether the server can be reached; the address is the one that would be opened. */
export async function reach(address: string): Promise<void> {
  await fetch(address, { method: "HEAD", credentials: "same-origin", referrerPolicy: "no-referrer" });
}

/** Another language is a new page, so what waits is saved first. */
export function wireWaysOut(flush: () => Promise<void>, cannot: () => void): void {
  for (const link of all<HTMLAnchorElement>(".languages a")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      void flush()
        .catch(() => undefined)
        .then(() => reach(link.href))
        .then(() => location.assign(link.href), cannot);
    });
  }
  document
    .querySelector("#original")
    ?.closest("form")
    ?.addEventListener("submit", (event) => {
      if (navigator.onLine) return;
      event.preventDefault();
      cannot();
    });
}
