// Adds drag and drop to the verify page, which works without a script. Dropped files are checked immediately.
import { one, pageData } from "./shared/dom";

const texts = pageData<Record<string, string>>("verify-data");
const form = document.querySelector<HTMLFormElement>("#verify-form");

if (form) {
  const pick = one<HTMLElement>(".pick", form);
  const input = one<HTMLInputElement>("input[type=file]", form);
  const name = one<HTMLElement>("#verify-name", form);
  const fault = one<HTMLElement>(".fault", form);
  const button = one<HTMLButtonElement>("button[type=submit]", form);
  const idle = button.textContent;
  const limit = Number(form.dataset.limit ?? 0);
  const most = Number(form.dataset.most ?? 1);

  // The answer shows times in this browser's time zone. Without a script, they are in UTC.
  one<HTMLInputElement>("input[name=zone]", form).value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";

  const files = () => [...(input.files ?? [])];
  const wrong = () => {
    if (files().length === 0) return "verify-no-file";
    if (files().length > most) return "verify-too-many";
    return files().reduce((sum, file) => sum + file.size, 0) > limit ? "verify-too-large" : "";
  };
  input.addEventListener("change", () => {
    name.textContent = files()
      .map((file) => file.name)
      .join(", ");
    const key = wrong();
    fault.textContent = files().length > 0 && key ? (texts[key] ?? "") : "";
    if (!key) form.requestSubmit();
  });
  for (const event of ["dragenter", "dragover"]) pick.addEventListener(event, () => pick.setAttribute("data-over", ""));
  for (const event of ["dragleave", "drop"]) pick.addEventListener(event, () => pick.removeAttribute("data-over"));
  form.addEventListener("submit", (event) => {
    const key = wrong();
    if (key) {
      event.preventDefault();
      fault.textContent = texts[key] ?? "";
      input.focus();
      return;
    }
    button.textContent = texts["verify-checking"] ?? "";
    button.setAttribute("aria-disabled", "true");
  });
  addEventListener("pageshow", () => {
    button.textContent = idle;
    button.removeAttribute("aria-disabled");
  });
}
