// The signature dialog. Ways to sign: draw with finger, pen or mouse, type the name in a handwriting style, use a seal
// made from a name, an image from the device, or the signature kept on this device. The result is an image, or the
// description of a drawing that the server makes and stamps.

import { openDialog } from "../shared/dialogs";
import { all, one } from "../shared/dom";
import { Choices, type Drawing } from "./choices";
import type { SignData } from "./data";
import type { PictureField } from "./fields";
import { type Kept, KeptSignatures } from "./kept";
import { type Photo, photo, read, turned, whole, withoutPaper } from "./paper";
import { Pen } from "./pen";

const LIMIT = 5 * 1024 * 1024;
/** The longest side of a drawn signature in pixels: sharper than paper shows in any box. */
const DRAWN_SIDE = 1600;

type Way = "last" | "draw" | "type" | "seal" | "picture";

/** The ways of each kind of field, in order of preference. */
const WAYS: Record<string, Way[]> = {
  signature: ["last", "draw", "type", "seal", "picture"],
  initials: ["last", "draw", "type", "seal", "picture"],
  seal: ["last", "seal", "picture", "draw", "type"],
  image: ["picture"],
};

export class Pad {
  readonly #dialog = one<HTMLDialogElement>("#pad");
  readonly #title = one<HTMLElement>("#pad-title");
  readonly #hint = one<HTMLElement>("#pad-hint");
  readonly #typed = one<HTMLInputElement>("#pad-typed");
  readonly #sealName = one<HTMLInputElement>("#pad-seal-name");
  readonly #company = one<HTMLInputElement>("#pad-company");
  readonly #companyTitle = one<HTMLInputElement>("#pad-company-title");
  readonly #shown = one<HTMLElement>("#pad-picture-shown");
  readonly #clean = one<HTMLInputElement>("#pad-clean");
  readonly #threshold = one<HTMLInputElement>("#pad-threshold");
  readonly #last = one<HTMLImageElement>("#pad-last");
  readonly #keep = one<HTMLInputElement>("#pad-keep");
  readonly #fault = one<HTMLElement>("#pad-fault");
  readonly #remove = one<HTMLButtonElement>("#pad-remove");
  readonly #tabList = one<HTMLElement>(".tabs", this.#dialog);
  readonly #tabs = all<HTMLButtonElement>("[data-way]", this.#dialog);
  readonly #pen: Pen;
  readonly #hands: Choices;
  readonly #seals: Choices;
  readonly #kept: KeptSignatures;
  #way: Way = "draw";
  #field: PictureField | null = null;
  #photo: Photo | null = null;
  #picture: HTMLCanvasElement | null = null;
  #drawnFor = "";

  constructor(
    private readonly data: SignData,
    private readonly use: (field: PictureField, source: string, drawing?: Drawing) => void,
    private readonly removed: (field: PictureField) => void,
    /** It was used, but could not be stored for next time. */
    private readonly cannotKeep: () => void,
  ) {
    const canvas = one<HTMLCanvasElement>("#pad-canvas");
    this.#pen = new Pen(canvas, () => this.#said());
    this.#kept = new KeptSignatures(data.writer_name);
    const say = (way: Way) => (message: string) => this.#way === way && this.#say(message);
    this.#hands = new Choices(one<HTMLFieldSetElement>("#pad-hands"), data, say("type"));
    this.#seals = new Choices(one<HTMLFieldSetElement>("#pad-seals"), data, say("seal"));
    this.#sealName.value = data.writer_name;
    this.#typed.addEventListener("input", () => this.#showHands());
    for (const input of [this.#sealName, this.#company, this.#companyTitle]) {
      input.addEventListener("input", () => this.#showSeals());
    }
    for (const kind of all<HTMLInputElement>('[name="pad-seal-of"]', this.#dialog)) {
      kind.addEventListener("change", () => this.#showSeals());
    }
    for (const input of all<HTMLInputElement>("#panel-picture input[type=file]", this.#dialog)) {
      input.addEventListener("change", () => {
        void this.#take(input.files?.[0]);
        // So that the same file can be chosen again.
        input.value = "";
      });
    }
    this.#clean.addEventListener("change", () => this.#showPicture());
    this.#threshold.addEventListener("input", () => this.#showPicture());
    one("#pad-turn").addEventListener("click", () => {
      this.#photo = this.#photo && turned(this.#photo);
      this.#showPicture();
    });
    this.#wireTabs();
    one("#pad-undo").addEventListener("click", () => this.#pen.undo());
    one("#pad-clear").addEventListener("click", () => this.#pen.clear());
    one("#pad-forget").addEventListener("click", () => this.#forget());
    this.#remove.addEventListener("click", () => {
      if (this.#field) this.removed(this.#field);
      this.#dialog.close();
    });
    one<HTMLFormElement>("#pad form").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#finish();
    });
    new ResizeObserver(() => this.#dialog.open && this.#pen.resize()).observe(canvas);
  }

  open(field: PictureField): void {
    this.#field = field;
    this.#title.textContent = this.data.texts[`sign-pad-title-${field.asks}`] ?? field.label;
    this.#remove.hidden = !field.filled;
    this.#say("");
    this.#photo = null;
    this.#clean.checked = field.kind !== "image";
    this.#showPicture();
    // A second field of the same kind starts with the drawing and text of the first.
    if (this.#drawnFor !== field.asks) {
      this.#offerSealOf(field.asks === "company-seal" ? "company" : "person");
      this.#pen.clear();
      this.#typed.value = field.kind === "initials" ? initials(this.data.writer_name) : this.data.writer_name;
    }
    this.#drawnFor = field.asks;
    const kept = this.#mayKeep ? this.#kept.find(field.asks) : null;
    if (kept) this.#last.src = kept.source;
    this.#keep.checked = false;
    const ways = (WAYS[field.kind] ?? WAYS.signature ?? []).filter((way) => way !== "last" || kept);
    this.#offer(ways);
    openDialog(this.#dialog);
    this.#choose(ways[0] ?? "draw");
    // One press of Enter accepts the last used signature. Otherwise the selected way gets the focus, not the first one.
    if (ways[0] === "last") one<HTMLElement>("[type=submit]", this.#dialog).focus();
    else if (ways.length > 1) this.#focusTab();
  }

  /** Only what belongs to a signer can be stored for them, and a picture is nobody's signature. */
  get #mayKeep(): boolean {
    return this.data.mode === "sign" && this.#field?.kind !== "image";
  }

  /** The tabs of these ways, in the same order for eyes and keyboard. */
  #offer(ways: Way[]): void {
    for (const tab of this.#tabs) tab.hidden = !ways.includes(tab.dataset.way as Way);
    const order = (tab: HTMLElement) => ways.indexOf(tab.dataset.way as Way);
    this.#tabList.append(...[...this.#tabs].sort((first, second) => order(first) - order(second)));
    this.#tabList.hidden = ways.length < 2;
  }

  #wireTabs(): void {
    for (const tab of this.#tabs) {
      tab.addEventListener("click", () => this.#choose(tab.dataset.way as Way));
      tab.addEventListener("keydown", (event) => {
        const tabs = all<HTMLButtonElement>("[data-way]:not([hidden])", this.#tabList);
        const at = tabs.indexOf(tab);
        const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
        const next = to === undefined ? undefined : tabs[(to + tabs.length) % tabs.length];
        if (!next) return;
        event.preventDefault();
        this.#choose(next.dataset.way as Way);
        next.focus();
      });
    }
  }

  #choose(way: Way): void {
    this.#way = way;
    this.#dialog.dataset.way = way;
    this.#say("");
    for (const tab of this.#tabs) {
      const chosen = tab.dataset.way === way;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
    }
    for (const panel of all<HTMLElement>("[data-panel]", this.#dialog)) panel.hidden = panel.dataset.panel !== way;
    // A signature that is already stored need not be stored again.
    one<HTMLElement>("#pad-keeping").hidden = way === "last" || !this.#mayKeep;
    if (way === "draw") this.#pen.resize();
    if (way === "type") this.#showHands();
    if (way === "seal") this.#showSeals();
    this.#said();
  }

  #said(): void {
    this.#hint.hidden = !this.#pen.empty;
    if (this.#way === "draw") this.#say("");
  }

  // Typed names and seals.

  #showHands(): void {
    this.#say("");
    this.#hands.show({ way: "typed", text: this.#typed.value }, this.#typed.value);
  }

  get #isOfCompany(): boolean {
    return this.#sealOf("company").checked;
  }

  #sealOf(whose: "person" | "company"): HTMLInputElement {
    return one<HTMLInputElement>(`[name="pad-seal-of"][value="${whose}"]`, this.#dialog);
  }

  /** Chooses it, and puts it before the other one for eyes and keyboard. */
  #offerSealOf(whose: "person" | "company"): void {
    const seal = this.#sealOf(whose);
    seal.checked = true;
    const label = seal.closest("label");
    if (label) one("legend", label.parentElement ?? this.#dialog).after(label);
  }

  #showSeals(): void {
    this.#say("");
    const company = this.#isOfCompany;
    for (const part of all<HTMLElement>("[data-seal-of]", this.#dialog)) {
      part.hidden = (part.dataset.sealOf === "company") !== company;
    }
    const name = company ? this.#company.value : this.#sealName.value;
    const wish = company ? { way: "company_seal", name, title: this.#companyTitle.value } : { way: "person_seal", name };
    this.#seals.show(wish, name);
  }

  // Images from the device.

  async #take(file: File | undefined): Promise<void> {
    this.#photo = null;
    this.#say("");
    if (file) {
      try {
        this.#photo = ["image/png", "image/jpeg"].includes(file.type) ? photo(await read(file)) : null;
      } catch {
        // This browser cannot read the file as an image.
      }
      if (!this.#photo) this.#refuse("sign-pad-not-picture");
    }
    this.#showPicture();
  }

  #showPicture(): void {
    const taken = this.#photo;
    const cleans = this.#clean.checked;
    this.#picture = taken && (cleans ? withoutPaper(taken, Number(this.#threshold.value) / 100) : whole(taken));
    // A photo keeps its paper background.
    one<HTMLElement>("#pad-cleaning").hidden = !taken || this.#field?.kind === "image";
    one<HTMLElement>("#pad-turning").hidden = !taken;
    one<HTMLElement>("#pad-thresholding").hidden = !cleans || taken?.transparent === true;
    this.#shown.hidden = !taken;
    if (this.#picture) {
      this.#picture.setAttribute("role", "img");
      this.#picture.setAttribute("aria-label", this.#shown.dataset.label ?? "");
    }
    this.#shown.replaceChildren(...(this.#picture ? [this.#picture] : []));
    if (taken) this.#say(this.#picture ? "" : (this.data.texts["sign-pad-no-ink"] ?? ""));
  }

  // The kept signature.

  #forget(): void {
    if (!this.#field) return;
    this.#kept.forget(this.#field.asks);
    this.#last.removeAttribute("src");
    const ways = (WAYS[this.#field.kind] ?? []).filter((way) => way !== "last");
    this.#offer(ways);
    this.#choose(ways[0] ?? "draw");
    this.#focusTab();
  }

  #focusTab(): void {
    one<HTMLElement>('[role="tab"][aria-selected="true"]', this.#dialog).focus();
  }

  // The result.

  async #finish(): Promise<void> {
    const field = this.#field;
    const way = this.#way;
    // If the signer is faster than the drawings, they get the one that would be preselected.
    if (way === "type") await this.#hands.settled();
    if (way === "seal") await this.#seals.settled();
    if (!this.#dialog.open || this.#way !== way || this.#field !== field) return;
    const made = this.#made();
    if (!field || !made) return;
    const isLost = this.#keep.checked && way !== "last" && !this.#kept.keep(field.asks, made);
    this.use(field, made.source, made.drawing);
    this.#dialog.close();
    if (isLost) this.cannotKeep();
  }

  #made(): Kept | null {
    switch (this.#way) {
      case "last":
        return this.#field ? this.#kept.find(this.#field.asks) : null;
      case "draw": {
        const source = this.#pen.picture(DRAWN_SIDE);
        return source ? { source } : this.#refuse("sign-pad-empty");
      }
      case "type":
        return this.#drawn(this.#hands, this.#typed);
      case "seal":
        return this.#drawn(this.#seals, this.#isOfCompany ? this.#company : this.#sealName);
      case "picture": {
        if (!this.#photo) return this.#refuse("sign-pad-empty");
        if (!this.#picture) return this.#refuse("sign-pad-no-ink");
        const source = encoded(this.#picture, this.#clean.checked || this.#photo.transparent);
        return source ? { source } : this.#refuse("sign-pad-too-large");
      }
    }
  }

  #drawn(choices: Choices, name: HTMLInputElement): Kept | null {
    const { chosen } = choices;
    if (chosen) return chosen;
    if (!name.value.trim()) {
      name.focus();
      return this.#refuse("sign-pad-no-name");
    }
    // The error is already shown.
    return null;
  }

  #refuse(key: string): null {
    this.#say(this.data.texts[key] ?? "");
    return null;
  }

  #say(message: string): void {
    this.#fault.textContent = message;
    this.#fault.hidden = !message;
  }
}

/** A picture small enough to send: PNG if it has transparent parts, otherwise JPEG. */
function encoded(picture: HTMLCanvasElement, transparent: boolean): string | null {
  for (const factor of [1, 0.7, 0.45, 0.3]) {
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(picture.width * factor));
    canvas.height = Math.max(1, Math.round(picture.height * factor));
    const context = canvas.getContext("2d");
    if (!context) return null;
    context.imageSmoothingQuality = "high";
    context.drawImage(picture, 0, 0, canvas.width, canvas.height);
    const source = transparent ? canvas.toDataURL("image/png") : canvas.toDataURL("image/jpeg", 0.9);
    if ((source.length * 3) / 4 < LIMIT) return source;
  }
  return null;
}

/** J. D. for Jane Doe; names without blanks between their parts stay whole. */
function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  const latin = /^\p{Script=Latin}/u.test(name.trim());
  return latin ? words.map((word) => [...word][0] ?? "").join("") : name;
}
