// The control for filling in a field next to the page: a large text box, a check box, a choice, or a button that opens
// the image dialog. It writes into the field, which remains the only place that stores the value.

import { AttachmentField, CheckField, type Field, PictureField, RadioField, TextField } from "./fields";

export interface Entry {
  element: HTMLElement;
  focus(): void;
  /** Shows the field's value and whether it is refused, after either changed elsewhere. */
  refresh(): void;
}

/** `describedBy` names the elements with the rule and the fault; `changed` is called after each change made here. */
export function entryFor(field: Field, id: string, describedBy: string, changed: () => void): Entry {
  if (field instanceof TextField) return textEntry(field, id, describedBy, changed);
  if (field instanceof CheckField) return checkEntry(field, id, describedBy, changed);
  if (field instanceof RadioField) return radioEntry(field, id, describedBy, changed);
  if (field instanceof AttachmentField) return fileEntry(field, id, describedBy);
  if (field instanceof PictureField) return buttonEntry(field, id, describedBy);
  throw new Error(`no entry for ${field.kind}`);
}

function textEntry(field: TextField, id: string, describedBy: string, changed: () => void): Entry {
  const entry = field.control.cloneNode(true) as typeof field.control;
  entry.hidden = false;
  entry.id = id;
  entry.className = "sheet-input";
  entry.removeAttribute("aria-label");
  entry.removeAttribute("title");
  entry.setAttribute("aria-describedby", describedBy);
  entry.value = field.value;
  entry.addEventListener("input", () => {
    field.value = entry.value;
    changed();
  });
  return {
    element: entry.type === "date" ? withToday(entry as HTMLInputElement, field) : entry,
    focus: () => {
      const isNew = document.activeElement !== entry;
      // Focusing it again would take the focus from the parts of a date in WebKit, and typed text would be lost.
      if (isNew) entry.focus({ preventScroll: true });
      // The caret goes to the end.
      const hasCaret = entry instanceof HTMLTextAreaElement || entry.type === "text";
      if (isNew && hasCaret) (entry as HTMLInputElement).setSelectionRange(entry.value.length, entry.value.length);
    },
    refresh: () => {
      if (entry.value !== field.value) entry.value = field.value;
      if (field.check()) entry.setAttribute("aria-invalid", "true");
      else entry.removeAttribute("aria-invalid");
    },
  };
}

/** A date entry, and a button for the usual one. */
function withToday(entry: HTMLInputElement, field: TextField): HTMLElement {
  const today = document.createElement("button");
  today.type = "button";
  today.className = "button";
  today.textContent = field.texts["sign-field-today"] ?? "";
  today.addEventListener("click", () => {
    const now = new Date();
    const [month, day] = [now.getMonth() + 1, now.getDate()].map((number) => String(number).padStart(2, "0"));
    entry.value = `${now.getFullYear()}-${month}-${day}`;
    entry.dispatchEvent(new Event("input"));
  });
  const element = document.createElement("div");
  element.className = "date-entry";
  element.append(entry, today);
  return element;
}

export function mark(type: "checkbox" | "radio", id: string, text: string): { label: HTMLLabelElement; input: HTMLInputElement } {
  const label = document.createElement("label");
  label.className = "choice";
  const input = document.createElement("input");
  input.type = type;
  input.id = id;
  const words = document.createElement("span");
  words.textContent = text;
  words.dir = "auto";
  label.append(input, words);
  return { label, input };
}

function checkEntry(field: CheckField, id: string, describedBy: string, changed: () => void): Entry {
  const { label, input } = mark("checkbox", id, field.label);
  input.setAttribute("aria-describedby", describedBy);
  input.addEventListener("change", () => {
    field.set(input.checked);
    changed();
  });
  return { element: label, focus: () => input.focus({ preventScroll: true }), refresh: () => (input.checked = field.filled) };
}

function radioEntry(field: RadioField, id: string, describedBy: string, changed: () => void): Entry {
  const group = document.createElement("div");
  group.className = "choices";
  group.setAttribute("role", "radiogroup");
  group.setAttribute("aria-label", field.label);
  group.setAttribute("aria-describedby", describedBy);
  const inputs = field.options.map((option, index) => {
    const { label, input } = mark("radio", index === 0 ? id : `${id}-${index}`, option);
    input.name = id;
    input.value = option;
    input.addEventListener("change", () => {
      field.choose(option);
      changed();
    });
    group.append(label);
    return input;
  });
  return {
    element: group,
    focus: () => (inputs.find((input) => input.checked) ?? inputs[0])?.focus({ preventScroll: true }),
    refresh: () => {
      for (const input of inputs) input.checked = input.value === field.value;
    },
  };
}

function fileEntry(field: AttachmentField, id: string, describedBy: string): Entry {
  const choose = buttonEntry(field, id, describedBy);
  const remove = document.createElement("button");
  remove.type = "button";
  remove.id = `${id}-remove`;
  remove.className = "button plain danger";
  remove.textContent = field.texts["sign-field-remove"] ?? "";
  remove.addEventListener("click", () => {
    // The focused button is about to disappear.
    choose.focus();
    field.remove();
  });
  const element = document.createElement("div");
  element.className = "file-entry";
  element.append(choose.element, remove);
  const refresh = () => {
    choose.refresh();
    remove.hidden = !field.filled;
    remove.setAttribute("aria-label", `${remove.textContent}: ${field.value}`);
  };
  return { ...choose, element, refresh };
}

function buttonEntry(field: PictureField | AttachmentField, id: string, describedBy: string): Entry {
  const button = document.createElement("button");
  button.type = "button";
  button.id = id;
  button.className = "button";
  button.setAttribute("aria-describedby", describedBy);
  button.addEventListener("click", () => field.open());
  const refresh = () => {
    const sent = field instanceof AttachmentField ? field.sent : "";
    button.textContent = [sent, field.ask].filter(Boolean).join(" · ");
    button.setAttribute("aria-label", `${button.textContent}, ${field.label}`);
  };
  return { element: button, focus: () => button.focus({ preventScroll: true }), refresh };
}
