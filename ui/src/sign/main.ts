// The signing page. The server sends it complete: pages, fields, dialogs, texts. This script connects its parts: they
// position the fields, save drafts, guide the signer through the required fields, and submit.

import { wireCloseButtons } from "../shared/dialogs";
import { all, fill, one, pageData } from "../shared/dom";
import { followKeyboard } from "../shared/keyboard";
import "../shared/page-text";
import { isSupported } from "../shared/support";
import { Approval } from "./approval";
import { Bar } from "./bar";
import { Consent } from "./consent";
import type { SignData } from "./data";
import { DocumentPage } from "./document-page";
import { DocumentView } from "./document-view";
import { Done } from "./done";
import type { Field } from "./fields";
import { Guide } from "./guide";
import { wireIntro } from "./intro";
import { wireWaysOut } from "./leaving";
import { Rejection } from "./rejection";
import { Requests } from "./requests";
import { Values } from "./values";
import { sayViewed } from "./viewed";

/** How many fields a sentence names before it leaves the others out. */
const MOST_NAMED = 5;

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement | HTMLButtonElement;

class SigningPage extends HTMLElement {
  connectedCallback(): void {
    const notice = one<HTMLElement>("#needs-script");
    if (!isSupported()) {
      notice.dataset.found = "";
      return;
    }
    this.#begin();
    // The page works from this point on.
    notice.remove();
  }

  #begin(): void {
    const data = pageData<SignData>("sign-data");
    const { texts } = data;
    wireCloseButtons();
    wireIntro();
    const view = new DocumentView(this, texts);
    if (data.mode === "view") return;

    const requests = new Requests(texts);
    const consent = new Consent(data, requests);
    const values: Values = new Values(this, data, {
      consent,
      changed: () => {
        bar.refresh();
        guided.refresh();
      },
      guideTo: (field) => guided.take(field),
      bring: (box, bottom) => view.bring(box, topAbove(box, bottom), bottom, false),
      isBusy: () => requests.isRunning,
    });
    const done = new Done(data, () => {
      bar.end();
      guided.end();
      for (const control of all<Control>(".field.mine :is(input, textarea, select, button)", this)) control.disabled = true;
    });
    const approval = new Approval(data, values, consent, done, requests);
    const bar = new Bar(values, () => approval.ask());
    const guided: Guide = new Guide(values.fields, view, {
      texts,
      complete: () => values.open.length === 0,
      finish: () => approval.ask(),
      tell: (open) => values.saving.remind(sayOpen(texts, open)),
    });
    new Rejection(data, values, done, requests);
    values.restore();
    countCharacters();
    wireWaysOut(
      () => values.flush(),
      () => values.saving.tell(texts["sign-failed-offline"] ?? ""),
    );
    followKeyboard(() => {
      guided.makeRoom();
      values.makeRoom();
    });
    bar.refresh();
    guided.refresh();
    sayViewed(data);
    values.askChoices();
  }
}

/** Where the room for a box begins: below the tools where they are, or if that is too narrow where they stay when scrolled. */
function topAbove(box: HTMLElement, bottom: number): number {
  const tools = one(".tools").getBoundingClientRect();
  const needed = box.getBoundingClientRect().height + tools.height;
  return bottom - tools.bottom > needed ? Math.max(0, tools.bottom) : tools.height;
}

/** Which fields prevent the approval. */
function sayOpen(texts: Record<string, string>, open: Field[]): string {
  const labels = open.slice(0, MOST_NAMED).map((field) => field.label);
  const fields = [...labels, ...(open.length > MOST_NAMED ? ["…"] : [])].join(", ");
  return fill(texts["sign-guide-open"] ?? "", { count: open.length, fields });
}

function countCharacters(): void {
  for (const area of all<HTMLTextAreaElement>("textarea[data-limit]")) {
    const count = one<HTMLElement>(`#${area.id}-count`);
    const show = () => {
      count.textContent = `${[...area.value].length} / ${area.dataset.limit}`;
    };
    area.addEventListener("input", show);
    show();
  }
}

customElements.define("document-page", DocumentPage);
// A page that the browser prerenders (speculation rules) does nothing until someone opens it.
const begin = () => customElements.define("signing-page", SigningPage);
if ((document as { prerendering?: boolean }).prerendering) document.addEventListener("prerenderingchange", begin, { once: true });
else begin();
