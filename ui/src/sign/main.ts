// The signing page. The server sends it complete: pages, fields, dialogs, sentences. This script positions the fields,
// saves drafts, guides to what is still required, and finishes.

import { focusIfNowhere, openDialog, wireCloseButtons } from "../shared/dialogs";
import { all, fill, one, pageData } from "../shared/dom";
import "../shared/page-text";
import type { Drawing } from "./choices";
import { Refusal, type Saved, send, type SignData } from "./data";
import { DocumentPage } from "./document-page";
import { DocumentView } from "./document-view";
import { Drafts } from "./drafts";
import { AttachmentField, collectFields, type Field, type FieldHost, PictureField, type SheetField } from "./fields";
import { Guide } from "./guide";
import { showLook } from "./ink";
import { OtherTabs } from "./other-tabs";
import { Pad } from "./pad";
import { type Mine, Settle } from "./settle";
import { Sheet } from "./sheet";
import { type Kept, ShownDraft } from "./shown";
import { TransferLine } from "./transfer";
import { type Upload, Uploads } from "./uploads";

interface Finished {
  status: string;
  /** Others of the same step have not approved yet. */
  others_of_step?: boolean;
  next_url?: string | null;
  /** The URL of the finished document, if this completed it. */
  document_url?: string | null;
  copy_is_sent?: boolean;
}

/** The most bytes that the server accepts as an attachment. */
const LARGEST_FILE = 10 * 1024 * 1024;
/** How many fields a sentence names before it leaves the others out. */
const MOST_NAMED = 5;
/** Milliseconds until 'viewed' is sent again. */
const AGAIN = 5_000;

class SigningPage extends HTMLElement implements FieldHost {
  #data!: SignData;
  texts: Record<string, string> = {};
  #fields: Field[] = [];
  #drafts!: Drafts;
  #pad!: Pad;
  #sheet!: Sheet;
  #guided!: Guide;
  #consented = false;
  #uploads!: Uploads;
  #others!: OtherTabs;
  #shown!: ShownDraft;
  #settle!: Settle;
  #states = { texts: "idle", files: "idle" };
  /** The line across the page says so; any other message there stays until the signer goes on. */
  #cannotSave = false;
  #last: Field | null = null;
  #finishing = false;

  connectedCallback(): void {
    this.#data = pageData<SignData>("sign-data");
    this.texts = this.#data.texts;
    this.#consented = this.#data.consented;
    wireCloseButtons();
    const view = new DocumentView(this, this.texts);
    if (this.#data.mode === "view") return;

    this.#others = new OtherTabs(
      this.#data,
      () =>
        this.#finishing ||
        this.#drafts.waits ||
        this.#uploads.waits ||
        this.#settle.hasItems ||
        document.querySelector("dialog[open]") !== null,
    );
    this.#shown = new ShownDraft(this.#data.draft, (saved, batch) => this.#showSaved(saved, batch));
    this.#settle = new Settle(this.texts, (field, mine) => this.#choose(field, mine));
    this.#drafts = new Drafts(this.#data, this.#shown, {
      state: (state) => this.#showSaveState("texts", state),
      refused: (name, message) => this.#refuseValue(name, message || (this.texts["sign-rule-refused"] ?? "")),
      ended: () => location.reload(),
    });
    const line = new TransferLine(
      {
        texts: this.texts,
        nameOfFile: (name) => {
          const field = this.#field(name);
          return (field instanceof AttachmentField ? field.value : field?.label) ?? "";
        },
        cancel: (name) => this.#uploads.cancel(name),
        again: () => this.#uploads.again(),
        focusOn: (name) => this.#sheet.focus() || this.#field(name)?.focus(),
      },
      one("#trouble"),
    );
    this.#uploads = new Uploads(this.#data, this.#shown, {
      state: (state) => this.#showSaveState("files", state),
      transfer: (name, transfer) => {
        const field = this.#field(name);
        if (field instanceof AttachmentField) field.progress(transfer.at === "sending" ? transfer.part : null);
        line.show(name, transfer);
        if (transfer.at === "sent") this.#others.tell();
        this.#sheet.judge();
      },
      cancelled: (name, shown) => {
        const field = this.#field(name);
        if (field) field.value = shown;
        this.#sheet.judge();
      },
      refused: (upload, message, held) => this.#takeBack(upload, message, held),
      ended: () => location.reload(),
    });
    this.#fields = collectFields(this, this);
    this.#pad = new Pad(
      this.#data,
      (field, source, drawing) => this.#upload(field, source, drawing),
      (field) => this.#upload(field, ""),
      () => {
        one("#trouble").textContent = this.texts["sign-pad-not-kept"] ?? "";
      },
    );
    for (const field of this.#fields) {
      if (isFiled(field)) this.#uploads.has(field.name, field.value);
    }
    this.#sheet = new Sheet(
      this.texts,
      line,
      (after) => this.#nextRequired(after) !== null,
      (after) => this.#nextRequired(after)?.edit(),
    );
    this.#guided = new Guide(this.#fields, view, {
      texts: this.texts,
      complete: () => this.#open.length === 0,
      finish: () => this.#askApproval(),
      tell: (open) => this.#tellOpen(open),
    });
    this.#restore();
    this.#wireBar();
    this.#wireDialogs();
    this.#wireLanguages();
    this.#guide();
    this.#sayViewed();
    this.#askChoices();
  }

  // Fields

  changed(field: Field): void {
    this.#last = field;
    this.#guide();
    if (isFiled(field)) {
      this.#sheet.judge();
      return;
    }
    this.#goOn(field);
    this.#save(field);
    this.#saySaveState();
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
      const field = this.#field(held.name);
      if (!field) continue;
      const before = field.value;
      const mine = isFiled(field) ? this.#uploads.withdraw(field.name) : this.#drafts.withdraw(field.name);
      field.restore(field instanceof PictureField ? (held.src ?? "") : held.value);
      field.take(held, held.value);
      if (isFiled(field)) this.#uploads.has(field.name, field.value);
      if (mine !== undefined && mine !== held.value) {
        this.#settle.choose(field, mine, held);
        continue;
      }
      this.#drafts.drop(field.name);
      if (field.value === before) continue;
      this.#settle.change(field, before);
      changed.push(field.label);
    }
    for (const look of fields) {
      const field = this.#field(look.name);
      if (field) field.take(look, batch.get(look.name) ?? field.value);
      else showLook(look);
    }
    this.#guide();
    this.#sheet.judge();
    if (changed.length > 0) {
      one("#trouble").textContent = fill(this.texts["sign-settle-told"] ?? "", { fields: changed.join(", ") });
    }
    this.#askChoices();
  }

  /** Lets the signer choose between what they entered here and elsewhere, at once if no other dialog is open. */
  #askChoices(): void {
    if (this.#settle.hasChoices && !document.querySelector("dialog[open]")) this.#settle.open(() => {});
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
    this.#guide();
  }

  openSheet(field: SheetField): void {
    this.#last = field;
    if (!this.#guided.take(field)) this.#sheet.open(field);
    // There, its rule is next to it.
    else if (field instanceof AttachmentField) field.open();
  }

  openPad(field: PictureField): void {
    this.#last = field;
    if (field.kind === "image" || this.#consented) this.#pad.open(field);
    else this.#askConsent(() => this.#pad.open(field));
  }

  attach(field: AttachmentField, file: File): void {
    this.#last = field;
    if (file.size > LARGEST_FILE) {
      this.#refuseFile(field, file.name, field.rule);
      return;
    }
    const reader = new FileReader();
    reader.addEventListener("load", () => {
      field.value = file.name;
      this.#put({ name: field.name, shown: file.name, data: String(reader.result), file_name: file.name }, field);
    });
    // A file that was moved or changed meanwhile, or that the device does not release.
    reader.addEventListener("error", () => this.#refuseFile(field, file.name, this.texts["sign-file-unreadable"] ?? ""));
    reader.readAsDataURL(file);
  }

  detach(field: AttachmentField): void {
    this.#last = field;
    field.value = "";
    this.#put({ name: field.name, shown: "", data: "" }, field);
  }

  #put(upload: Upload, field: Field): void {
    this.#goOn(field);
    this.#uploads.put(upload);
    this.#saySaveState();
  }

  /** The signer has filled in the field again: earlier messages about it no longer apply. */
  #goOn(field: Field): void {
    this.#settle.forgive(field);
    if (!this.#cannotSave) one("#trouble").textContent = "";
  }

  /** The server has refused a file: shows the draft's content again, unless another file is on its way. */
  #takeBack(upload: Upload, message: string, held: string | null): void {
    const field = this.#field(upload.name);
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
    this.#settle.refuse(field, message);
    this.#sheet.judge();
    this.#guided.refresh();
    one("#trouble").textContent = `${field.label}: ${message}`;
  }

  #refuseValue(name: string, message: string): void {
    const field = this.#field(name);
    if (!field) one("#trouble").textContent = message;
    field?.refuse(message);
    this.#guide();
    this.#sheet.judge();
  }

  #field(name: string): Field | undefined {
    return this.#fields.find((field) => field.name === name);
  }

  /**
   * Fills in and saves what an earlier visit could not save. If another page has changed a field since, the signer is
   * asked.
   */
  #restore(): void {
    const theirs = (field: Field) => ({
      name: field.name,
      value: field.value,
      src: field instanceof PictureField && field.value ? field.value : null,
      boxes: [],
      message: "",
    });
    const isAsked = (field: Field, kept: Kept) => this.#shown.isNewer(field.name, kept, field.filled);
    for (const [name, value, kept] of this.#drafts.remembered()) {
      const field = this.#field(name);
      if (!field || isFiled(field)) continue;
      if (field.value !== value && isAsked(field, kept)) {
        this.#drafts.hold(name, value);
        this.#settle.choose(field, value, theirs(field));
        continue;
      }
      field.value = value;
      this.#save(field);
    }
    for (const [upload, kept] of this.#uploads.remembered()) {
      const field = this.#field(upload.name);
      if (!field || !isFiled(field)) continue;
      if (isAsked(field, kept)) {
        this.#uploads.hold(upload);
        this.#settle.choose(field, upload, theirs(field));
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

  async #flush(): Promise<void> {
    await this.#uploads.flush();
    await this.#drafts.flush();
  }

  // Guide

  get #open(): Field[] {
    return this.#fields.filter((field) => field.required && !field.ready);
  }

  #tellOpen(open: Field[]): void {
    // That nothing can be saved is the more important message.
    if (this.#cannotSave) return;
    const labels = open.slice(0, MOST_NAMED).map((field) => field.label);
    const fields = [...labels, ...(open.length > MOST_NAMED ? ["…"] : [])].join(", ");
    one("#trouble").textContent = fill(this.texts["sign-guide-open"] ?? "", { count: open.length, fields });
  }

  #nextRequired(after: Field | null): Field | null {
    const open = this.#open.filter((field) => field !== after);
    const at = after ? this.#fields.indexOf(after) : -1;
    return open.find((field) => this.#fields.indexOf(field) > at) ?? open[0] ?? null;
  }

  #guide(): void {
    const required = this.#fields.filter((field) => field.required);
    const done = required.filter((field) => field.ready).length;
    const bar = one<HTMLProgressElement>("#progress");
    bar.max = Math.max(1, required.length);
    bar.value = required.length ? done : 1;
    one("#progress-text").textContent = required.length
      ? fill(this.texts["sign-progress"] ?? "", { done, total: required.length })
      : (this.texts["sign-progress-none"] ?? "");
    const left = required.length - done;
    const next = one<HTMLButtonElement>("#next");
    const approve = one<HTMLButtonElement>("#approve");
    const focused = document.activeElement === next || document.activeElement === approve;
    next.hidden = left === 0;
    approve.hidden = left > 0;
    if (focused) (left === 0 ? approve : next).focus();
    this.#guided.refresh();
  }

  #askApproval(): void {
    if (this.#open.length === 0 && !this.#leadToUnfit()) openDialog(one<HTMLDialogElement>("#approve-dialog"));
  }

  #wireBar(): void {
    one("#next").addEventListener("click", () => {
      const active = document.activeElement?.closest<HTMLElement>(".field.mine");
      const current = active ? (this.#field(active.dataset.name ?? "") ?? null) : this.#last;
      // Go on to another field, even if this one is left open; the last open one says what it needs.
      const next = this.#nextRequired(current) ?? this.#open[0];
      if (!next) return;
      if (next === current && next.missing) next.showFault(next.missing);
      this.#last = next;
      next.edit();
    });
    one("#approve").addEventListener("click", () => this.#askApproval());
    for (const button of all("[data-reject]")) {
      button.addEventListener("click", () => openDialog(one<HTMLDialogElement>("#reject-dialog")));
    }
  }

  /** Success is shown in the corner; trouble across the page until it is over. */
  #showSaveState(of: "texts" | "files", now: string): void {
    this.#states[of] = now;
    this.#saySaveState();
  }

  #saySaveState(): void {
    const states = Object.values(this.#states);
    const state = ["offline", "failed", "saving", "saved"].find((one) => states.includes(one)) ?? "idle";
    const place = one<HTMLElement>("#save-state");
    const trouble = state === "offline" || state === "failed";
    const isKept = this.#drafts.isKept && this.#uploads.isKept;
    const key = `sign-draft-${state}${trouble && !isKept ? "-open" : ""}`;
    const text = state === "idle" ? "" : (this.texts[key] ?? "");
    place.dataset.state = state;
    place.textContent = trouble ? "" : text;
    const line = one("#trouble");
    const said = trouble ? text : "";
    // Do not announce the same message again.
    if ((trouble || this.#cannotSave) && line.textContent !== said) line.textContent = said;
    this.#cannotSave = trouble;
  }

  /**
   * The page itself reports that a person sees it, because a mail scanner's GET does not count. Repeated until the
   * server has it.
   */
  #sayViewed(): void {
    if (this.#data.mode !== "sign") return;
    let said = false;
    const say = () => {
      if (said || document.visibilityState !== "visible") return;
      said = true;
      send(this.#data, "POST", "/sign/viewed", {}).catch((fault: unknown) => {
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

  // Dialogs

  #askConsent(then: () => void): void {
    const dialog = one<HTMLDialogElement>("#consent-dialog");
    const form = one<HTMLFormElement>("form", dialog);
    form.onsubmit = (event) => {
      event.preventDefault();
      void this.#attempt(form, async () => {
        if (this.#data.mode === "sign") {
          await send(this.#data, "POST", "/sign/consent", { version: this.#data.consent_version });
        }
        this.#consented = true;
        dialog.close();
        then();
      });
    };
    openDialog(dialog);
  }

  #wireDialogs(): void {
    for (const area of all<HTMLTextAreaElement>("textarea[data-limit]")) {
      const count = one<HTMLElement>(`#${area.id}-count`);
      const show = () => {
        count.textContent = `${[...area.value].length} / ${area.dataset.limit}`;
      };
      area.addEventListener("input", show);
      show();
    }
    const approve = one<HTMLFormElement>("#approve-dialog form");
    approve.addEventListener("submit", (event) => {
      event.preventDefault();
      const comment = one<HTMLTextAreaElement>("#approve-comment").value.trim();
      void this.#attempt(approve, () => this.#approve(comment));
    });
    // The page that follows says that the document was assigned to someone else.
    document.querySelector("#hand-over")?.addEventListener("click", () => {
      const dialog = one<HTMLDialogElement>("#hand-over-dialog");
      const form = one<HTMLFormElement>("form", dialog);
      form.onsubmit = (event) => {
        event.preventDefault();
        void this.#attempt(form, async () => {
          const [name, email] = ["#hand-over-name", "#hand-over-email"].map((id) => one<HTMLInputElement>(id).value.trim());
          await send(this.#data, "POST", "/sign/hand-over", { name, email });
          this.#drafts.finish();
          this.#uploads.finish();
          location.reload();
        });
      };
      openDialog(dialog);
    });
    // A person who will not sign electronically declines for that reason, in words that they can change.
    one("#decline").addEventListener("click", () => {
      one<HTMLDialogElement>("#consent-dialog").close();
      const reason = one<HTMLTextAreaElement>("#reject-reason");
      reason.value = this.texts["sign-decline-reason"] ?? "";
      reason.dispatchEvent(new Event("input"));
      openDialog(one<HTMLDialogElement>("#reject-dialog"));
    });
    const reject = one<HTMLFormElement>("#reject-dialog form");
    reject.addEventListener("submit", (event) => {
      event.preventDefault();
      const reason = one<HTMLTextAreaElement>("#reject-reason");
      const empty = reason.value.trim() === "";
      reason.setAttribute("aria-invalid", String(empty));
      if (empty) {
        this.#say(reject, this.texts["sign-reject-needed"] ?? "");
        reason.focus();
        return;
      }
      void this.#attempt(reject, () => this.#reject(reason.value.trim()));
    });
  }

  /**
   * Runs one request of a dialog. Meanwhile its buttons are disabled, so that nothing is sent twice, and it stays open,
   * so that nobody thinks the request was given up. A failure is shown inside the dialog.
   */
  async #attempt(form: HTMLFormElement, work: () => Promise<void>): Promise<void> {
    if (this.#finishing) return;
    this.#finishing = true;
    const dialog = form.closest("dialog");
    const stay = (event: Event) => event.preventDefault();
    dialog?.addEventListener("cancel", stay);
    const focused = document.activeElement;
    const buttons = all<HTMLButtonElement>("button", form);
    for (const button of buttons) button.disabled = true;
    form.setAttribute("aria-busy", "true");
    this.#say(form, "");
    try {
      await work();
    } catch (fault) {
      if (fault instanceof Refusal && fault.ended) {
        location.reload();
        return;
      }
      const message =
        fault instanceof Refusal && (fault.status < 500 || fault.problem.code === "cannot-complete")
          ? (fault.problem.errors?.[0]?.message ?? fault.message)
          : (this.texts[navigator.onLine ? "sign-failed" : "sign-failed-offline"] ?? "");
      this.#say(form, message);
      // A browser always lets an insistent user leave a dialog.
      if (!dialog?.open) one("#trouble").textContent = message;
    } finally {
      this.#finishing = false;
      dialog?.removeEventListener("cancel", stay);
      for (const button of buttons) button.disabled = false;
      // A disabled button loses the focus.
      focusIfNowhere(focused);
      form.removeAttribute("aria-busy");
    }
  }

  #say(form: HTMLFormElement, message: string): void {
    const place = one<HTMLElement>(".fault", form);
    place.textContent = message;
    place.hidden = !message;
  }

  /**
   * Leads to a value that its kind refuses, if there is one. It is not in the draft, which contains the previous value:
   * the signer would approve another value than the page shows. Then leads to anything that needs another look.
   */
  #leadToUnfit(): boolean {
    const unfit = this.#fields.find((field) => field.check() !== "");
    if (!unfit && !this.#settle.hasItems) return false;
    one<HTMLDialogElement>("#approve-dialog").close();
    if (!unfit) return this.#settle.open(() => this.#askApproval());
    unfit.showFault(unfit.check());
    unfit.edit();
    return true;
  }

  async #approve(comment: string): Promise<void> {
    const dialog = one<HTMLDialogElement>("#approve-dialog");
    if (this.#leadToUnfit()) return;
    if (this.#data.mode !== "sign") {
      dialog.close();
      this.#finish("approved", null);
      return;
    }
    await this.#flush();
    // Saving has reported values that cannot be stamped, and changes from other pages.
    if (this.#leadToUnfit()) return;
    let finished: Finished;
    try {
      finished = await send<Finished>(this.#data, "POST", `/sign/approve${this.#choices}`, {
        comment,
        revision: this.#shown.stamp.revision,
      });
    } catch (fault) {
      if (!(fault instanceof Refusal) || fault.problem.code === "outcome-unknown") {
        // The answer was lost, but the approval may have arrived.
        this.#approvalUnknown = true;
        throw fault;
      }
      if (fault.problem.code === "draft-changed") {
        // Another page has saved since: show its values, so that the signer sees them before they sign.
        await this.#drafts.look();
        if (this.#leadToUnfit()) return;
        throw fault;
      }
      if (fault.problem.code === "already-approved" && this.#approvalUnknown) finished = { status: "Playing" };
      else if (this.#pointAt(fault)) return;
      else throw fault;
    }
    this.#drafts.finish();
    this.#uploads.finish();
    this.#others.tell();
    dialog.close();
    this.#finish("approved", finished);
  }

  #approvalUnknown = false;

  /** Leads to what the server refuses: to the fields, or to the consent. */
  #pointAt(fault: Refusal): boolean {
    const errors = fault.problem.errors ?? [];
    const dialog = one<HTMLDialogElement>("#approve-dialog");
    if (errors.some(({ code }) => code === "consent-required")) {
      dialog.close();
      this.#consented = false;
      this.#askConsent(() => openDialog(dialog));
      return true;
    }
    const refused = errors.flatMap(({ path, message }) => {
      const field = this.#field(path);
      return field ? [{ field, message }] : [];
    });
    for (const { field, message } of refused) field.showFault(message);
    const first = refused[0];
    if (!first) return false;
    dialog.close();
    first.field.edit();
    return true;
  }

  async #reject(reason: string): Promise<void> {
    const dialog = one<HTMLDialogElement>("#reject-dialog");
    if (this.#data.mode !== "sign") {
      dialog.close();
      this.#finish("rejected", null);
      return;
    }
    let finished: Finished;
    try {
      finished = await send<Finished>(this.#data, "POST", `/sign/reject${this.#choices}`, { comment: reason });
    } catch (fault) {
      if (!(fault instanceof Refusal) || fault.problem.code === "outcome-unknown") {
        this.#rejectionUnknown = true;
        throw fault;
      }
      // The answer was lost, but not the rejection: it ended the document, or returned it and invalidated this link.
      const state = fault.problem.code === "link-replaced" ? "Playing" : fault.problem.state;
      if (!this.#rejectionUnknown || (state !== "Rejected" && state !== "Playing")) throw fault;
      finished = { status: state };
    }
    this.#drafts.finish();
    this.#uploads.finish();
    this.#others.tell();
    dialog.close();
    this.#finish("rejected", finished);
  }

  /**
   * The options of this page's URL also apply to the next document. If the page has no button for it, none is offered.
   */
  get #choices(): string {
    const choices = new URLSearchParams();
    if (this.#data.callback) choices.set("callback_fn", "true");
    if (!document.querySelector("#done-next")) choices.set("next_sign", "false");
    return choices.toString() ? `?${choices.toString()}` : "";
  }

  #rejectionUnknown = false;

  /**
   * The completion dialog. If requested, closing it notifies the page that opened this one, without any personal data,
   * and closes the window. Browsers let a script close only windows that a script opened: in a window opened from a
   * mail or by hand, the signer reads that they may close it.
   */
  #finish(result: "approved" | "rejected", finished: Finished | null): void {
    const dialog = one<HTMLDialogElement>("#done-dialog");
    const say = (id: string, key: string) => {
      one(id).textContent = this.texts[key] ?? "";
    };
    if (!finished) {
      say("#done-title", "sign-done-preview-title");
      say("#done-text", result === "rejected" ? "sign-done-preview-rejected" : "sign-done-preview");
    } else if (result === "rejected") {
      say("#done-title", "sign-done-rejected-title");
      say("#done-text", finished.status === "Playing" ? "sign-done-returned" : "sign-done-rejected");
    } else {
      say("#done-title", "sign-done-title");
      const waiting = finished.others_of_step ? "sign-done-others" : "sign-done-next";
      say("#done-text", finished.status === "Complete" ? "sign-done-complete" : waiting);
    }
    for (const mark of all<HTMLElement>("[data-mark]", dialog)) mark.hidden = mark.dataset.mark !== result;
    const copy = one<HTMLAnchorElement>("#done-document");
    copy.hidden = !finished?.document_url;
    if (finished?.document_url) copy.href = finished.document_url;
    one<HTMLElement>("#done-copy").hidden = !(finished?.copy_is_sent && result === "approved" && !finished.document_url);
    const link = document.querySelector<HTMLAnchorElement>("#done-next");
    if (link) {
      link.hidden = !finished?.next_url;
      if (finished?.next_url) link.href = finished.next_url;
      link.addEventListener("click", (event) => {
        event.preventDefault();
        void this.#goNext(link.href);
      });
    }
    one<HTMLElement>(".bar", this).hidden = true;
    this.#guided.end();
    for (const box of all<HTMLElement>(".field.mine", this)) box.inert = true;
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    const rest = one<HTMLElement>("#done-rest");
    const said = rest.textContent ?? "";
    const close = one<HTMLButtonElement>("#done-close");
    const sayMayClose = () => {
      rest.className = result === "approved" ? "notice good" : "notice";
      rest.textContent = said;
      rest.hidden = false;
      close.hidden = true;
      const wayOn = link && !link.hidden ? link : copy;
      wayOn.classList.add("primary");
    };
    if (finished && !window.opener && !this.#data.callback) sayMayClose();
    close.addEventListener("click", () => {
      if (!finished) {
        dialog.close();
        return;
      }
      if (this.#data.callback && window.opener) {
        (window.opener as Window).postMessage(
          {
            source: "countersign",
            event: result === "approved" ? "completed" : "rejected",
            workflow_id: this.#data.workflow_id,
            result,
          },
          "*",
        );
      }
      window.close();
      // A program asked for the message, but no window opened this one.
      sayMayClose();
      rest.focus();
    });
    if (dialog.open) return;
    dialog.showModal();
  }

  /** Without a connection we stay on this page, which can retry. */
  async #goNext(address: string): Promise<void> {
    const rest = one<HTMLElement>("#done-rest");
    try {
      await fetch(address, { method: "HEAD", credentials: "same-origin", referrerPolicy: "no-referrer" });
      location.assign(address);
    } catch {
      rest.textContent = this.texts["sign-failed-offline"] ?? "";
      rest.className = "notice warn";
      rest.hidden = false;
      rest.focus();
    }
  }

  /**
   * Another language is a new page, so what waits is saved first. Without a connection we stay, because the browser's
   * own error page has no way back.
   */
  #wireLanguages(): void {
    const stay = () => {
      one("#trouble").textContent = this.texts["sign-failed-offline"] ?? "";
    };
    for (const link of all<HTMLAnchorElement>(".languages a")) {
      link.addEventListener("click", (event) => {
        event.preventDefault();
        void this.#flush()
          .catch(() => undefined)
          .then(() => fetch(link.href, { method: "HEAD", credentials: "same-origin", referrerPolicy: "no-referrer" }))
          .then(() => location.assign(link.href), stay);
      });
    }
    document
      .querySelector("#original")
      ?.closest("form")
      ?.addEventListener("submit", (event) => {
        if (navigator.onLine) return;
        event.preventDefault();
        stay();
      });
  }
}

/** Files are sent separately from texts. */
function isFiled(field: Field): field is PictureField | AttachmentField {
  return field instanceof PictureField || field instanceof AttachmentField;
}

customElements.define("document-page", DocumentPage);
// A page that the browser prerenders (speculation rules) does nothing until somebody opens it.
const begin = () => customElements.define("signing-page", SigningPage);
if ((document as { prerendering?: boolean }).prerendering) document.addEventListener("prerenderingchange", begin, { once: true });
else begin();
