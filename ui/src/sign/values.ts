// The signer's values: the fields on the pages, the dialogs in which they are filled in, and the server's draft. Other
// pages of the same signer write into the same draft, and their changes are shown here too.

import { fill, one } from "../shared/dom";
import type { Drawing } from "./choices";
import type { Consent } from "./consent";
import type { Saved, SignData } from "./data";
import { Drafts } from "./drafts";
import { AttachmentField, collectFields, type Field, type FieldHost, PictureField, type SheetField } from "./fields";
import { showLook } from "./ink";
import { OtherTabs } from "./other-tabs";
import { Pad } from "./pad";
import { SaveState } from "./save-state";
import { type Mine, Settle } from "./settle";
import { Sheet } from "./sheet";
import { type Kept, ShownDraft } from "./shown";
import { TransferLine } from "./transfer";
import { type Upload, Uploads } from "./uploads";

/** The most bytes that the server accepts as an attachment. */
const LARGEST_FILE = 10 * 1024 * 1024;

export interface ValuesHost {
  consent: Consent;
  /** A value, or what is wrong with it, has changed. */
  changed(): void;
  /** Fills in the field in the guided mode, if that is on. */
  guideTo(field: Field): boolean;
  /** Scrolls a box into view above this line of the window. */
  bring(box: HTMLElement, bottom: number): void;
  /** Whether a request is running that a reload would disturb. */
  isBusy(): boolean;
}

export class Values implements FieldHost {
  readonly texts: Record<string, string>;
  readonly fields: Field[];
  readonly settle: Settle;
  readonly saving: SaveState;
  /** The field that the signer has filled in last. */
  last: Field | null = null;
  readonly #shown: ShownDraft;
  readonly #drafts: Drafts;
  readonly #uploads: Uploads;
  readonly #others: OtherTabs;
  readonly #sheet: Sheet;
  readonly #pad: Pad;

  constructor(
    root: ParentNode,
    data: SignData,
    private readonly host: ValuesHost,
  ) {
    this.texts = data.texts;
    this.saving = new SaveState(this.texts, () => this.#drafts.isKept && this.#uploads.isKept);
    this.#others = new OtherTabs(data, () => this.#isBusy);
    this.#shown = new ShownDraft(data.draft, (saved, batch) => this.#showSaved(saved, batch));
    this.settle = new Settle(this.texts, (field, mine) => this.#choose(field, mine));
    this.#drafts = new Drafts(data, this.#shown, {
      state: (state) => this.saving.show("texts", state),
      refused: (name, message) => this.#refuseValue(name, message || (this.texts["sign-rule-refused"] ?? "")),
      ended: () => location.reload(),
    });
    const line = this.#transferLine();
    this.#uploads = this.#makeUploads(data, line);
    this.fields = collectFields(root, this);
    this.#pad = new Pad(
      data,
      (field, source, drawing) => this.#upload(field, source, drawing),
      (field) => this.#upload(field, ""),
      () => this.saving.tell(this.texts["sign-pad-not-kept"] ?? ""),
    );
    for (const field of this.fields) {
      if (isFiled(field)) this.#uploads.has(field.name, field.value);
    }
    this.#sheet = new Sheet(
      this.texts,
      line,
      (after) => this.nextRequired(after) !== null,
      (after) => this.nextRequired(after)?.edit(),
      (box, bottom) => this.host.bring(box, bottom),
    );
  }

  #transferLine(): TransferLine {
    return new TransferLine(
      {
        texts: this.texts,
        nameOfFile: (name) => {
          const field = this.named(name);
          return (field instanceof AttachmentField ? field.value : field?.label) ?? "";
        },
        cancel: (name) => this.#uploads.cancel(name),
        again: () => this.#uploads.again(),
        focusOn: (name) => this.#sheet.focus() || this.named(name)?.focus(),
      },
      one("#trouble"),
    );
  }

  #makeUploads(data: SignData, line: TransferLine): Uploads {
    return new Uploads(data, this.#shown, {
      state: (state) => this.saving.show("files", state),
      transfer: (name, transfer) => {
        const field = this.named(name);
        if (field instanceof AttachmentField) field.progress(transfer.at === "sending" ? transfer.part : null);
        line.show(name, transfer);
        if (transfer.at === "sent") this.#others.tell();
        this.#sheet.judge();
      },
      cancelled: (name, shown) => {
        const field = this.named(name);
        if (field) field.value = shown;
        this.#sheet.judge();
      },
      refused: (upload, message, held) => this.#takeBack(upload, message, held),
      ended: () => location.reload(),
    });
  }

  /** A reload would lose something, or disturb. */
  get #isBusy(): boolean {
    const waits = this.#drafts.waits || this.#uploads.waits || this.settle.hasItems;
    return waits || this.host.isBusy() || document.querySelector("dialog[open]") !== null;
  }

  /** The screen keyboard has come or gone. */
  makeRoom(): void {
    this.#sheet.makeRoom();
  }

  named(name: string): Field | undefined {
    return this.fields.find((field) => field.name === name);
  }

  get open(): Field[] {
    return this.fields.filter((field) => field.required && !field.ready);
  }

  nextRequired(after: Field | null): Field | null {
    const open = this.open.filter((field) => field !== after);
    const at = after ? this.fields.indexOf(after) : -1;
    return open.find((field) => this.fields.indexOf(field) > at) ?? open[0] ?? null;
  }

  /** Sends everything that waits; fails if it cannot. */
  async flush(): Promise<void> {
    await this.#uploads.flush();
    await this.#drafts.flush();
  }

  /** What the page shows, for an approval. */
  get revision(): number {
    return this.#shown.stamp.revision;
  }

  /** Asks what other pages have changed. */
  async look(): Promise<void> {
    await this.#drafts.look();
  }

  /** The signer's turn is over: nothing of it stays on this device, and other tabs are outdated. */
  finish(): void {
    this.#drafts.finish();
    this.#uploads.finish();
    this.#others.tell();
  }

  changed(field: Field): void {
    this.last = field;
    this.host.changed();
    if (isFiled(field)) {
      this.#sheet.judge();
      return;
    }
    this.#goOn(field);
    this.#save(field);
    this.saving.refresh();
  }

  /** A value that its kind refuses does not go into the draft, but is not lost either. */
  #save(field: Field): void {
    if (field.check()) this.#drafts.keep(field.name, field.value);
    else this.#drafts.put(field.name, field.value);
  }

  /** Shows saved values as they will be stamped, and the current state of what other pages have changed. */
  #showSaved({ fields, newer }: Saved, batch: Map<string, string>): void {
    if (batch.size > 0) this.#others.tell();
    const changed: string[] = [];
    for (const held of newer) {
      const field = this.named(held.name);
      if (!field) continue;
      const before = field.value;
      const mine = isFiled(field) ? this.#uploads.withdraw(field.name) : this.#drafts.withdraw(field.name);
      field.restore(field instanceof PictureField ? (held.src ?? "") : held.value);
      field.take(held, held.value);
      if (isFiled(field)) this.#uploads.has(field.name, field.value);
      if (mine !== undefined && mine !== held.value) {
        this.settle.choose(field, mine, held);
        continue;
      }
      this.#drafts.drop(field.name);
      if (field.value === before) continue;
      this.settle.change(field, before);
      changed.push(field.label);
    }
    for (const look of fields) {
      const field = this.named(look.name);
      if (field) field.take(look, batch.get(look.name) ?? field.value);
      else showLook(look);
    }
    this.host.changed();
    this.#sheet.judge();
    if (changed.length > 0) {
      this.saving.tell(fill(this.texts["sign-settle-told"] ?? "", { fields: changed.join(", ") }));
    }
    this.askChoices();
  }

  /** Lets the signer choose between what they entered here and elsewhere, at once if no other dialog is open. */
  askChoices(): void {
    if (this.settle.hasChoices && !document.querySelector("dialog[open]")) this.settle.open(() => {});
  }

  #choose(field: Field, mine: Mine | null): void {
    if (mine === null) {
      this.#drafts.drop(field.name);
      this.#uploads.drop(field.name);
    } else if (typeof mine === "string") {
      field.restore(mine);
      this.#save(field);
    } else {
      field.value = mine.shown;
      this.#uploads.put(mine);
    }
    this.host.changed();
  }

  openSheet(field: SheetField): void {
    this.last = field;
    if (!this.host.guideTo(field)) this.#sheet.open(field);
    // In the guided mode, the field's rule is next to it, so its file dialog opens directly.
    else if (field instanceof AttachmentField) field.open();
  }

  openPad(field: PictureField): void {
    this.last = field;
    if (field.kind === "image") this.#pad.open(field);
    else this.host.consent.ask(() => this.#pad.open(field));
  }

  attach(field: AttachmentField, file: File): void {
    this.last = field;
    if (file.size > LARGEST_FILE) {
      this.#refuseFile(field, file.name, field.rule);
      return;
    }
    const reader = new FileReader();
    reader.addEventListener("load", () => {
      field.value = file.name;
      this.#put({ name: field.name, shown: file.name, data: String(reader.result), file_name: file.name }, field);
    });
    // The file was moved or changed meanwhile, or the device does not release it.
    reader.addEventListener("error", () => this.#refuseFile(field, file.name, this.texts["sign-file-unreadable"] ?? ""));
    reader.readAsDataURL(file);
  }

  detach(field: AttachmentField): void {
    this.last = field;
    field.value = "";
    this.#put({ name: field.name, shown: "", data: "" }, field);
  }

  #put(upload: Upload, field: Field): void {
    this.#goOn(field);
    this.#uploads.put(upload);
    this.saving.refresh();
  }

  /** The signer has filled in the field again: earlier messages about it no longer apply. */
  #goOn(field: Field): void {
    this.settle.forgive(field);
    this.saving.remind("");
  }

  /** The server has refused a file: shows the draft's content again, unless another file is on its way. */
  #takeBack(upload: Upload, message: string, held: string | null): void {
    const field = this.named(upload.name);
    if (!field) return;
    if (held !== null) field.value = held;
    this.#refuseFile(field, upload.file_name ?? "", message);
  }

  /**
   * Says that a file was not accepted. The field shows its previous content, and nothing can be approved until the
   * signer has read this.
   */
  #refuseFile(field: Field, file: string, reason: string): void {
    const message = file ? fill(this.texts["sign-file-refused"] ?? "", { file, reason }) : reason;
    field.showFault(message);
    this.settle.refuse(field, message);
    this.#sheet.judge();
    this.host.changed();
    this.saving.tell(`${field.label}: ${message}`);
  }

  #refuseValue(name: string, message: string): void {
    const field = this.named(name);
    if (!field) this.saving.tell(message);
    field?.refuse(message);
    this.host.changed();
    this.#sheet.judge();
  }

  /**
   * Fills in and saves what an earlier visit could not save. If another page has changed a field since, the signer is
   * asked.
   */
  restore(): void {
    const theirs = (field: Field) => ({
      name: field.name,
      value: field.value,
      src: field instanceof PictureField && field.value ? field.value : null,
      boxes: [],
      message: "",
    });
    const isAsked = (field: Field, kept: Kept) => this.#shown.isNewer(field.name, kept, field.filled);
    for (const [name, value, kept] of this.#drafts.remembered()) {
      const field = this.named(name);
      if (!field || isFiled(field)) continue;
      if (field.value !== value && isAsked(field, kept)) {
        this.#drafts.hold(name, value);
        this.settle.choose(field, value, theirs(field));
        continue;
      }
      field.value = value;
      this.#save(field);
    }
    for (const [upload, kept] of this.#uploads.remembered()) {
      const field = this.named(upload.name);
      if (!field || !isFiled(field)) continue;
      if (isAsked(field, kept)) {
        this.#uploads.hold(upload);
        this.settle.choose(field, upload, theirs(field));
        continue;
      }
      field.value = upload.shown;
      this.#uploads.put(upload);
    }
  }

  #upload(field: PictureField, source: string, drawing?: Drawing): void {
    field.value = source;
    const content = drawing ? { drawing } : { data: source };
    this.#put({ name: field.name, shown: source, ...content }, field);
  }
}

/** Files are sent separately from texts. */
function isFiled(field: Field): field is PictureField | AttachmentField {
  return field instanceof PictureField || field instanceof AttachmentField;
}
