// The signer's fields. Each stores its boxes on the pages, its value in the server's format, and whether it is filled
// in. How a field is edited depends on its kind and on the space on the screen.

import { all, fill, one } from "../shared/dom";
import type { DocumentPage } from "./document-page";
import { type Look, showInk } from "./ink";

export interface FieldHost {
  texts: Record<string, string>;
  changed(field: Field): void;
  /** Edits it next to the page, which is too small to write on, or shows its rule there. */
  openSheet(field: SheetField): void;
  openPad(field: PictureField): void;
  attach(field: AttachmentField, file: File): void;
  /** Removes the file. */
  detach(field: AttachmentField): void;
}

/** Fields that can be filled in next to the page. */
export type SheetField = TextField | CheckField | RadioField | AttachmentField;

/** Screens on which the page is too small to write on. */
export const NARROW = "(max-width: 48rem)";

/** A text of more characters than this is too long in any case. */
const MOST_TAKEN = 10_000;

export abstract class Field {
  readonly name: string;
  readonly kind: string;
  readonly label: string;
  readonly required: boolean;
  /** The current error, in words. */
  fault = "";

  constructor(
    readonly boxes: HTMLElement[],
    protected readonly host: FieldHost,
  ) {
    const first = boxes[0];
    if (!first) throw new Error("a field without a box");
    this.name = first.dataset.name ?? "";
    this.kind = first.dataset.kind ?? "text";
    this.label = first.dataset.label ?? this.name;
    this.required = boxes.some((box) => box.dataset.required !== undefined);
    // Clicking another box of the same field moves the focus to the box with the control.
    for (const box of boxes) box.querySelector("button.again")?.addEventListener("click", () => this.touched());
  }

  abstract get value(): string;
  abstract set value(value: string);
  abstract get filled(): boolean;
  protected abstract get controls(): HTMLElement[];

  get texts(): Record<string, string> {
    return this.host.texts;
  }

  /** Scrolls to the field and focuses it, or opens its editor. */
  edit(): void {
    this.scrollTo();
    this.focus();
  }

  focus(): void {
    this.controls.find((control) => !control.hidden)?.focus({ preventScroll: true });
  }

  /** What is wrong with the value, in words. Empty: nothing. */
  check(): string {
    return "";
  }

  /** The rule for the value, in words, before it is entered. */
  get rule(): string {
    return "";
  }

  /** The message if the signer was led to it and left it empty. */
  get missing(): string {
    return "";
  }

  /**
   * The sender's own words and the rule, each on its own line. Often the error is the rule itself, which is then shown
   * once.
   */
  helpBeside(fault: string): string {
    return [this.first.dataset.help, this.rule].filter((line) => line && line !== fault).join("\n");
  }

  /** Associates descriptions with the focused control. */
  describe(ids: string): void {
    for (const control of this.controls) {
      if (ids) control.setAttribute("aria-describedby", ids);
      else control.removeAttribute("aria-describedby");
    }
  }

  get first(): HTMLElement {
    return this.boxes[0] as HTMLElement;
  }

  get ready(): boolean {
    return this.filled && !this.check();
  }

  scrollTo(): void {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.first.scrollIntoView({ block: "center", behavior: calm ? "auto" : "smooth" });
  }

  /** The server refuses the current value. */
  refuse(message: string): void {
    this.showFault(message);
  }

  showFault(message: string): void {
    this.fault = message;
    for (const box of this.boxes) {
      if (message) box.dataset.fault = "";
      else delete box.dataset.fault;
    }
    for (const control of this.controls) {
      if (message) control.setAttribute("aria-invalid", "true");
      else control.removeAttribute("aria-invalid");
      control.title = message;
    }
    this.#sayFault(message);
  }

  /** In words under the box while the signer is typing. */
  #sayFault(message: string): void {
    const said = this.first.querySelector<HTMLElement>(":scope > .words");
    if (said?.textContent === message) return;
    said?.remove();
    if (!message) return;
    const words = document.createElement("span");
    words.className = "words";
    words.setAttribute("role", "alert");
    words.textContent = message;
    this.first.append(words);
  }

  /** Another of its boxes was touched. */
  protected touched(): void {
    this.edit();
  }

  /** Sets a value without sending it: it comes from the server or from this device. */
  restore(value: string): void {
    this.value = value;
  }

  /** Shows what the server says about a saved value. */
  take(_look: Look, _saved: string): void {
    // Images and check marks already look the way they will be stamped.
  }

  /** Shows the current value on the page. */
  protected show(): void {
    for (const box of this.boxes) box.toggleAttribute("data-filled", this.filled);
  }

  protected announce(): void {
    this.show();
    this.showFault(this.value ? this.check() : "");
    this.host.changed(this);
  }
}

type TextControl = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** Text, number, date and list. */
export class TextField extends Field {
  readonly control: TextControl;
  readonly maxLength: number;
  /** Characters as people count them, if each has its own cell. */
  readonly #cells: number | null;
  readonly #decimals: number | null;
  readonly #open: HTMLButtonElement;
  readonly #openText: HTMLSpanElement;
  /** The value that the boxes show in the stamp's letters. */
  #inked: string | null = null;
  #refused: { value: string; message: string } | null = null;

  constructor(boxes: HTMLElement[], host: FieldHost) {
    super(boxes, host);
    this.control = one<TextControl>("input, textarea, select", this.first);
    const number = (text: string | undefined) => (text === undefined ? null : Number(text));
    this.#cells = number(this.first.dataset.cells);
    this.#decimals = number(this.first.dataset.decimals);
    this.maxLength = Number(this.first.dataset.maxLength ?? 4000);
    // A whole book pasted by mistake is refused as too long and does not freeze the browser.
    if (!(this.control instanceof HTMLSelectElement)) this.control.maxLength = MOST_TAKEN;
    this.control.addEventListener("input", () => this.announce());
    this.control.addEventListener("change", () => this.announce());
    this.control.addEventListener("focus", () => this.first.toggleAttribute("data-editing", true));
    this.control.addEventListener("blur", () => {
      this.first.toggleAttribute("data-editing", false);
      // Half a date is not a value, but it must not disappear silently.
      if (this.#isHalf) this.showFault(this.check());
    });
    if (this.first.dataset.ink !== undefined) this.#inked = this.control.value;
    const refused = this.first.dataset.refused;
    if (refused) this.#refused = { value: this.control.value, message: refused };

    this.#open = document.createElement("button");
    this.#open.type = "button";
    this.#open.className = "open";
    this.#openText = document.createElement("span");
    this.#openText.className = "value";
    this.#openText.dir = "auto";
    const reach = document.createElement("span");
    reach.className = "reach";
    this.#open.append(reach, this.#openText);
    this.#open.addEventListener("click", () => this.host.openSheet(this));
    this.first.append(this.#open);

    const narrow = matchMedia(NARROW);
    // Separate boxes for year, month and day have no space for a date control.
    const apart = this.kind === "date" && boxes.length > 1;
    const choose = () => {
      const focused = this.controls.some((control) => control === document.activeElement);
      this.#open.hidden = !narrow.matches && !apart;
      this.control.hidden = narrow.matches || apart;
      // The field keeps the focus when a phone is turned or unfolded, or the page is zoomed.
      if (focused) this.focus();
    };
    narrow.addEventListener("change", choose);
    choose();
    this.show();
    if (this.value && this.check()) this.showFault(this.check());
  }

  /** Nothing can be approved until it is changed, because the draft contains the previous value. */
  override refuse(message: string): void {
    this.#refused = { value: this.value, message };
    super.refuse(message);
  }

  override take(look: Look, saved: string): void {
    // Anything typed since is saved and answered separately.
    if (saved !== this.value) return;
    this.#refused = look.message ? { value: saved, message: look.message } : null;
    this.#inked = saved;
    for (const { id, ink } of look.boxes) {
      const box = this.boxes.find((candidate) => candidate.id === id);
      if (box) showInk(box, ink);
    }
    const shown = look.boxes.find(({ id }) => id === this.first.id)?.shown;
    if (shown) this.#openText.textContent = shown;
    this.#nameOpen();
    this.showFault(this.value ? this.check() : "");
  }

  protected get controls(): HTMLElement[] {
    return [this.control, this.#open];
  }

  get value(): string {
    return this.control.value;
  }

  set value(value: string) {
    this.control.value = value;
    this.announce();
  }

  override restore(value: string): void {
    this.control.value = value;
    this.show();
  }

  get filled(): boolean {
    return this.value.trim() !== "";
  }

  get #isHalf(): boolean {
    return this.control instanceof HTMLInputElement && this.control.validity.badInput;
  }

  override check(): string {
    const { texts } = this.host;
    const value = this.value.trim();
    if (this.#isHalf) return texts["sign-rule-date"] ?? "";
    if (value && this.kind === "number") {
      const number = ofUsualWidth(value);
      if (!isDecimal(number)) return texts["sign-rule-number"] ?? "";
      const decimals = number.replace(/0+$/, "").split(".")[1]?.length ?? 0;
      if (this.#decimals !== null && decimals > this.#decimals) {
        return fill(texts["sign-rule-decimals"] ?? "", { limit: this.#decimals });
      }
    }
    if ([...value].length > this.maxLength) {
      return fill(texts["sign-rule-too-long"] ?? "", { limit: this.maxLength });
    }
    if (this.#cells !== null && this.kind === "text" && characters(this.value) > this.#cells) {
      return fill(texts["sign-rule-too-long"] ?? "", { limit: this.#cells });
    }
    return this.#refused?.value === this.value ? this.#refused.message : "";
  }

  override get rule(): string {
    const { texts } = this.host;
    const limit = (key: string, count: number) => fill(texts[key] ?? "", { limit: count });
    if (this.kind === "number") {
      const decimals = this.#decimals === null ? "" : limit("sign-rule-decimals", this.#decimals);
      return [texts["sign-rule-number"], decimals].filter(Boolean).join(" ");
    }
    if (this.kind === "date") return texts["sign-rule-date"] ?? "";
    if (this.kind === "select") return texts["sign-rule-choose"] ?? "";
    if (this.#cells !== null) return limit("sign-rule-too-long", this.#cells);
    return this.first.dataset.maxLength ? limit("sign-rule-too-long", this.maxLength) : "";
  }

  override edit(): void {
    this.scrollTo();
    if (this.control.hidden) this.host.openSheet(this);
    else this.focus();
  }

  protected override show(): void {
    super.show();
    const { control, first } = this;
    const shown =
      control instanceof HTMLSelectElement && control.value ? (control.selectedOptions[0]?.text ?? "") : control.value;
    first.dataset.shown = shown;
    if (this.#inked !== control.value) {
      this.#inked = null;
      for (const box of this.boxes) showInk(box, null);
      this.#openText.textContent = shown;
    }
    this.#nameOpen();
    first.closest<DocumentPage>("document-page")?.refit?.(first);
  }

  /** The accessible name contains what is shown. */
  #nameOpen(): void {
    const shown = this.#openText.textContent || this.first.dataset.shown;
    const required = this.required ? `, ${this.host.texts["sign-field-required"]}` : "";
    this.#open.setAttribute("aria-label", `${this.label}${shown ? `: ${shown}` : ""}${required}`);
  }
}

/**
 * Replaces full-width digits and signs, which Japanese and Korean keyboards produce, by ordinary ones. The server does
 * the same.
 */
function ofUsualWidth(text: string): string {
  return text
    .replace(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/[\u2010-\u2015\u2212\u30fc]/g, "-");
}

/** The numbers that the server accepts: digits, optional groups of three, optional fraction. */
export function isDecimal(text: string): boolean {
  return text.length <= 40 && /^[+-]?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?$/.test(text);
}

/** What people count as characters: a letter with its accents, an emoji with its parts. */
function characters(text: string): number {
  const trimmed = text.trimEnd();
  if (!("Segmenter" in Intl)) return [...trimmed].length;
  return [...new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(trimmed)].length;
}

export class CheckField extends Field {
  readonly #control: HTMLInputElement;

  constructor(boxes: HTMLElement[], host: FieldHost) {
    super(boxes, host);
    this.#control = one<HTMLInputElement>("input", this.first);
    this.#control.addEventListener("change", () => this.announce());
    this.show();
  }

  protected get controls(): HTMLElement[] {
    return [this.#control];
  }

  get value(): string {
    return this.#control.checked ? "Y" : "N";
  }

  set value(value: string) {
    this.#control.checked = value === "Y";
    this.show();
  }

  get filled(): boolean {
    return this.#control.checked;
  }

  protected override touched(): void {
    this.#control.click();
  }

  /** Changes it like a tap on its box. */
  set(checked: boolean): void {
    if (this.#control.checked !== checked) this.#control.click();
  }

  override get rule(): string {
    return this.required ? (this.host.texts["sign-rule-check"] ?? "") : "";
  }

  override get missing(): string {
    return this.rule;
  }

  override edit(): void {
    editMark(this, this.host);
  }
}

/** A choice of several options: one field, many boxes. */
export class RadioField extends Field {
  readonly #controls: HTMLInputElement[];

  constructor(boxes: HTMLElement[], host: FieldHost) {
    super(boxes, host);
    this.#controls = boxes.map((box) => one<HTMLInputElement>("input", box));
    for (const control of this.#controls) control.addEventListener("change", () => this.announce());
    this.show();
  }

  protected get controls(): HTMLElement[] {
    return this.#controls;
  }

  get value(): string {
    return this.#controls.find((control) => control.checked)?.value ?? "";
  }

  set value(value: string) {
    for (const control of this.#controls) control.checked = control.value === value;
    this.show();
  }

  get filled(): boolean {
    return this.#controls.some((control) => control.checked);
  }

  get options(): string[] {
    return this.#controls.map((control) => control.value);
  }

  /** Chooses like a tap on the option's box. */
  choose(option: string): void {
    this.#controls.find((control) => control.value === option)?.click();
  }

  override get rule(): string {
    return this.host.texts["sign-rule-choose"] ?? "";
  }

  override get missing(): string {
    return this.rule;
  }

  override edit(): void {
    editMark(this, this.host);
  }

  override focus(): void {
    (this.#controls.find((control) => control.checked) ?? this.#controls[0])?.focus({ preventScroll: true });
  }
}

/** People who see an option tap it where it is; people who are led to it on a phone get it in the size of a finger. */
function editMark(field: CheckField | RadioField, host: FieldHost): void {
  field.scrollTo();
  if (matchMedia(NARROW).matches) host.openSheet(field);
  else field.focus();
}

/** Signature, initials, seal, picture. */
export class PictureField extends Field {
  readonly #button: HTMLButtonElement;
  #source = "";

  constructor(boxes: HTMLElement[], host: FieldHost) {
    super(boxes, host);
    this.#button = one<HTMLButtonElement>("button", this.first);
    this.#source = this.first.querySelector("img")?.getAttribute("src") ?? "";
    this.#button.addEventListener("click", () => this.open());
    this.show();
  }

  protected get controls(): HTMLElement[] {
    return [this.#button];
  }

  /** Pictures are sent separately; this only says whether there is one. */
  get value(): string {
    return this.#source;
  }

  set value(source: string) {
    this.#source = source;
    this.show();
    this.showFault("");
    this.host.changed(this);
  }

  get filled(): boolean {
    return this.#source !== "";
  }

  /** Decides what the dialog offers: a company's seal is not one of the signer's own. */
  get asks(): string {
    return this.first.dataset.companySeal === undefined ? this.kind : "company-seal";
  }

  /** Width divided by height of the box, so that the drawing area has the same proportions. */
  get proportion(): number {
    const { clientWidth, clientHeight } = this.first;
    return clientHeight > 0 ? clientWidth / clientHeight : 3;
  }

  override get rule(): string {
    return this.kind === "image" ? (this.host.texts["sign-rule-picture"] ?? "") : "";
  }

  /** The label of its button. */
  get ask(): string {
    return (this.filled ? this.host.texts["sign-field-change"] : one(".ask", this.#button).textContent?.trim()) ?? "";
  }

  open(): void {
    this.host.openPad(this);
  }

  override edit(): void {
    this.scrollTo();
    this.open();
  }

  protected override show(): void {
    super.show();
    for (const box of this.boxes) {
      let image = box.querySelector("img");
      if (this.#source && !image) {
        image = document.createElement("img");
        image.alt = "";
        box.append(image);
      }
      if (image && this.#source) {
        if (image.getAttribute("src") !== this.#source) image.src = this.#source;
      } else image?.remove();
    }
    const { texts } = this.host;
    const states = [
      ...(this.filled ? [] : [one(".ask", this.#button).textContent?.trim()]),
      this.label,
      ...(this.filled ? [texts["sign-field-filled"]] : []),
      ...(this.required ? [texts["sign-field-required"]] : []),
    ];
    this.#button.setAttribute("aria-label", states.join(", "));
  }
}

/** A file that belongs to the document. The rule is shown before the device asks for a file. */
export class AttachmentField extends Field {
  readonly #button: HTMLButtonElement;
  readonly #input: HTMLInputElement;
  readonly #ask: HTMLElement;
  readonly #askText: string;
  #name: string;
  #percent = "";

  constructor(boxes: HTMLElement[], host: FieldHost) {
    super(boxes, host);
    this.#button = one<HTMLButtonElement>("button", this.first);
    this.#input = one<HTMLInputElement>("input", this.first);
    this.#ask = one<HTMLElement>(".ask > span", this.first);
    this.#name = this.first.dataset.shown ?? "";
    this.#askText = this.first.dataset.ask ?? "";
    this.#button.addEventListener("click", () => this.host.openSheet(this));
    this.#input.addEventListener("change", () => {
      const file = this.#input.files?.[0];
      if (file) this.host.attach(this, file);
      this.#input.value = "";
    });
    this.show();
  }

  protected get controls(): HTMLElement[] {
    return [this.#button];
  }

  /** The file's name. */
  get value(): string {
    return this.#name;
  }

  set value(name: string) {
    this.#name = name;
    this.show();
    this.showFault("");
    this.host.changed(this);
  }

  get filled(): boolean {
    return this.#name !== "";
  }

  override get rule(): string {
    return this.host.texts["sign-rule-file"] ?? "";
  }

  /** How much of it has been sent, from 0 to 1; null when that has ended. */
  progress(part: number | null): void {
    this.#percent = part === null || part >= 1 ? "" : ` ${Math.floor(part * 100)}%`;
    this.#ask.textContent = `${this.#name || this.#askText}${this.#percent}`;
  }

  get ask(): string {
    return this.filled ? (this.host.texts["sign-field-change"] ?? "") : this.#askText;
  }

  /** The file's name, and how much of it has been sent. */
  get sent(): string {
    return this.#name && `${this.#name}${this.#percent}`;
  }

  /** Asks the device for a file. */
  open(): void {
    this.#input.click();
  }

  remove(): void {
    this.host.detach(this);
  }

  override edit(): void {
    this.scrollTo();
    this.host.openSheet(this);
  }

  protected override show(): void {
    super.show();
    this.#ask.textContent = this.#name || this.#askText;
    const { texts } = this.host;
    const required = this.required ? `, ${texts["sign-field-required"]}` : "";
    this.#button.setAttribute("aria-label", `${this.#ask.textContent}, ${this.label}${required}`);
  }
}

/** The signer's own fields on the page, in reading order. */
export function collectFields(root: ParentNode, host: FieldHost): Field[] {
  const groups = new Map<string, HTMLElement[]>();
  for (const box of all<HTMLElement>(".field.mine", root)) {
    const name = box.dataset.name ?? "";
    groups.set(name, [...(groups.get(name) ?? []), box]);
  }
  return [...groups.values()].map((boxes) => {
    switch (boxes[0]?.dataset.kind) {
      case "check":
        return new CheckField(boxes, host);
      case "radio":
        return new RadioField(boxes, host);
      case "signature":
      case "initials":
      case "seal":
      case "image":
        return new PictureField(boxes, host);
      case "attachment":
        return new AttachmentField(boxes, host);
      default:
        return new TextField(boxes, host);
    }
  });
}
