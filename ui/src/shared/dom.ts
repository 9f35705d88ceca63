// Small helpers for the document. None of them writes HTML from text.

/** The element, which the template must contain. */
export function one<T extends Element>(selector: string, root: ParentNode = document): T {
  const found = root.querySelector<T>(selector);
  if (!found) throw new Error(`the page lacks ${selector}`);
  return found;
}

export function all<T extends Element>(selector: string, root: ParentNode = document): T[] {
  return [...root.querySelectorAll<T>(selector)];
}

/** The data that the server wrote into `<script type="application/json" id=…>`. */
export function pageData<T>(id: string): T {
  return JSON.parse(one<HTMLScriptElement>(`#${id}`).textContent ?? "null") as T;
}

/** Fills the `{name}` places of a sentence. */
export function fill(sentence: string, values: Record<string, string | number>): string {
  return sentence.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));
}
