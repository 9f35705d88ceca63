// The page itself reports that a person has viewed it, because a mail scanner's GET does not count.

import { Refusal, send, type SignData } from "./data";

/** Milliseconds until 'viewed' is sent again. */
const AGAIN = 5_000;

/** Repeated until the server has it. */
export function sayViewed(data: SignData): void {
  if (data.mode !== "sign") return;
  let said = false;
  const say = () => {
    if (said || document.visibilityState !== "visible") return;
    said = true;
    send(data, "POST", "/sign/viewed", {}).catch((fault: unknown) => {
      if (fault instanceof Refusal && fault.ended) location.reload();
      else if (!(fault instanceof Refusal) || fault.status >= 500) {
        said = false;
        setTimeout(say, AGAIN);
      }
    });
  };
  document.addEventListener("visibilitychange", say);
  addEventListener("online", say);
  say();
}
