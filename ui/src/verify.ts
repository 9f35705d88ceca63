// The verify page works without a script. With it, you can drop a file, see its name, and the button says that the
// check is running.
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

  input.addEventListener("change", () => {
    const file = input.files?.[0];
    name.textContent = file?.name ?? "";
    fault.textContent = file && file.size > limit ? (texts["verify-too-large"] ?? "") : "";
  });
  for (const event of ["dragenter", "dragover"]) pick.addEventListener(event, () => pick.setAttribute("data-over", ""));
  for (const event of ["dragleave", "drop"]) pick.addEventListener(event, () => pick.removeAttribute("data-over"));
  form.addEventListener("submit", (event) => {
    const file = input.files?.[0];
    if (!file || file.size > limit) {
      event.preventDefault();
      fault.textContent = (file ? texts["verify-too-large"] : texts["verify-no-file"]) ?? "";
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
