// Ways to use a page: pointer, touch, or only the keyboard. All three have the same methods, so a test runs unchanged
// for each.

import assert from "node:assert/strict";
import { draw, field } from "./browser.mjs";

/** Hands that use the page with a pointing device or with the fingers; what is written comes from a keyboard. */
class Hands {
  constructor(page, way, press) {
    this.page = page;
    this.way = way;
    this.press = press;
  }

  /** Presses what leads to another page of this window, and answers what the server answered. */
  async follow(target) {
    const answered = this.page.waitForNavigation({ waitUntil: "domcontentloaded" });
    // The pressed element may be gone before the browser reports the press.
    const [answer] = await Promise.all([answered, this.press(target)]);
    return answer;
  }

  /** Writes into what stands in a dialog. */
  async enter(selector, text) {
    await this.press(this.page.locator(selector));
    await this.page.keyboard.type(text);
  }

  async write(name, value) {
    const { page } = this;
    const box = field(page, name);
    const onPage = box.locator("input, textarea, select").first();
    const wide = await onPage.isVisible();
    if (!wide) await this.press(box.locator("button.open"));
    const entry = wide ? onPage : page.locator("#sheet-entry");
    // Lists and calendars are drawn by the browser itself.
    if (name === "List") await entry.selectOption(value);
    else if (name === "Date") await entry.fill(value);
    else {
      await this.press(entry);
      await page.keyboard.press("Control+A");
      await page.keyboard.type(value);
    }
    if (!wide) await this.closeSheet();
  }

  async mark(name, value) {
    const place = name === "Radio" && value === "two" ? 1 : 0;
    await this.press(field(this.page, name).nth(place).locator("input"));
  }

  async sign(name) {
    await this.press(field(this.page, name).locator("button"));
    await draw(this.page, this.way);
  }

  async seal(name) {
    await this.press(field(this.page, name).locator("button"));
    await this.page.locator("#pad-seals img").first().waitFor();
    await this.take();
  }

  /** What is pressed to choose a picture: seen by who points at it, heard by who comes with the keyboard. */
  get picker() {
    return this.page.locator(".pick:has(#pad-file)");
  }

  async picture(name, file) {
    const { page } = this;
    await this.press(field(page, name).locator("button"));
    await this.choose(() => this.press(this.picker), file);
    await page.locator("#pad-picture-shown canvas").waitFor();
    await this.take();
  }

  /** What may be given is told before the device is asked for a file. */
  async attach(name, file) {
    const { page } = this;
    await this.press(field(page, name).locator("button"));
    assert.match(await page.locator("#sheet-rule").textContent(), /10 ?MB/);
    await this.choose(() => this.press(page.locator("#sheet-entry")), file);
    await this.closeSheet();
  }

  async choose(press, chosen) {
    const chooser = this.page.waitForEvent("filechooser");
    await press();
    await (await chooser).setFiles(chosen);
  }

  async closeSheet() {
    await this.press(this.page.locator("#sheet .actions [data-close]"));
  }

  async take() {
    await this.press(this.page.locator("#pad [type=submit]"));
    await this.page.locator("#pad").waitFor({ state: "hidden" });
  }

  async approve() {
    await this.press(this.page.locator("#approve"));
    await this.press(this.page.locator("#approve-dialog[open] [type=submit]"));
  }

  async reject(reason) {
    await this.press(this.page.locator("#reject"));
    await this.enter("#reject-reason", reason);
    await this.press(this.page.locator("#reject-dialog[open] [type=submit]"));
  }

  /** Does not consent to sign this field electronically, and leaves the reason as the page words it. */
  async decline(name) {
    await this.press(field(this.page, name).locator("button"));
    await this.press(this.page.locator("#consent-dialog[open] #decline"));
    await this.press(this.page.locator("#reject-dialog[open] [type=submit]"));
  }

  /** On a phone, what is said about the document and what else can be done unfolds first. */
  async unfold() {
    const more = this.page.locator("#intro-more");
    if ((await more.isVisible()) && (await more.getAttribute("aria-expanded")) === "false") await this.press(more);
  }

  /** Hands over; answers how the page that stands instead was answered. */
  async handOver({ name, email }) {
    await this.unfold();
    await this.press(this.page.locator("#hand-over"));
    await this.enter("#hand-over-name", name);
    await this.enter("#hand-over-email", email);
    return await this.follow(this.page.locator("#hand-over-dialog[open] [type=submit]"));
  }
}

/** Hands on the keyboard alone: Tab leads everywhere. */
class Keys extends Hands {
  constructor(page) {
    super(page, "keyboard", async (target) => {
      const element = await target.elementHandle();
      await this.reach((element) => document.activeElement === element, element);
      const kind = await element.evaluate(({ tagName, type }) => (tagName === "A" || tagName === "BUTTON" ? "pressed" : type));
      if (kind === "pressed") await page.keyboard.press("Enter");
      else if (kind === "checkbox" || kind === "file") await page.keyboard.press("Space");
      await element.dispose();
    });
  }

  async reach(arrived, argument) {
    for (let presses = 0; presses < 60; presses += 1) {
      if (await this.page.evaluate(arrived, argument)) return;
      await this.page.keyboard.press("Tab");
    }
    throw new Error("Tab does not lead there");
  }

  async reachField(name) {
    await this.reach((name) => document.activeElement.closest(".field.mine")?.dataset.name === name, name);
  }

  async write(name, value) {
    const { keyboard } = this.page;
    await this.reachField(name);
    const inSheet = await this.page.evaluate(() => document.activeElement.matches("button.open"));
    if (inSheet) {
      await keyboard.press("Enter");
      await this.page.locator("#sheet-entry:focus").waitFor();
    }
    if (name === "List") await keyboard.press(value[0]);
    else if (name === "Date") {
      // Month, day and year, which is the browser's own order.
      const [year, month, day] = value.split("-");
      await keyboard.type(`${month}${day}${year}`);
    } else {
      await keyboard.press("Control+A");
      await keyboard.type(value);
    }
    if (inSheet) await this.closeSheet();
  }

  async mark(name, value) {
    const { keyboard } = this.page;
    await this.reachField(name);
    await keyboard.press(name === "Check" ? "Space" : value === "two" ? "ArrowDown" : "ArrowUp");
  }

  /** Who cannot draw types the name. */
  async sign(name) {
    const { page } = this;
    await this.press(field(page, name).locator("button"));
    await page.locator("#consent-dialog[open], #pad[open]").first().waitFor();
    if (await page.locator("#consent-dialog").isVisible()) await this.press(page.locator("#consent-dialog [type=submit]"));
    await page.locator("#pad[open]").waitFor();
    await this.reach(() => document.activeElement.getAttribute("role") === "tab");
    while ((await page.locator("#tab-type").getAttribute("aria-selected")) !== "true") await page.keyboard.press("ArrowRight");
    await page.locator("#pad-hands img").first().waitFor();
    await this.take();
  }

  get picker() {
    return this.page.locator("#pad-file");
  }
}

/** Way → hands on a page. */
export const HANDS = {
  pointer: (page) => new Hands(page, "pointer", (target) => target.click()),
  touch: (page) => new Hands(page, "touch", (target) => target.tap()),
  keyboard: (page) => new Keys(page),
};
export const WAYS = Object.keys(HANDS);
