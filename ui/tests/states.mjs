// Walks through every state of every page. screenshots.mjs takes pictures of them for people to review, and
// visual.test.mjs compares them with the accepted ones.

import { approve, copyLink, field, fill, open, openMessage, pressAndFollow, ready, signIn, unfold } from "./browser.mjs";
import { FIELDS, pdf } from "./installation.mjs";

/** Waits until what will be photographed is there: fonts, pictures in sight, and for the `whole` page all of it. */
export async function shown(page, whole) {
  await page.evaluate(async (whole) => {
    await document.fonts.ready;
    if (whole) {
      // Images far away are otherwise only loaded when they come near.
      for (const image of document.images) image.loading = "eager";
    }
    const wanted = [...document.images].filter((image) => whole || image.getBoundingClientRect().top < innerHeight);
    await Promise.all(wanted.map((image) => image.decode().catch(() => undefined)));
  }, whole);
}

/**
 * Leads a page through all states in `language` and calls `shoot(name, whole)` at each: `whole` asks for the page
 * beyond the screen's edge too. Returns the sealed document.
 */
export async function walk(server, page, { language, size }, shoot) {
  // Each language has signers of its own, because a signer with another document waiting is offered it.
  const writers = [
    { order: 1, name: "김민준", email: `minjun.${language}@example.com` },
    { order: 2, name: "박서연", email: `seoyeon.${language}@example.com` },
  ];
  const start = (changes) => server.startWorkflow({ language, recipient_list: writers, ...changes });
  const other = { ...writers[0], email: `other.${language}@example.com` };
  const expiring = await server.startExpiring({ language, recipient_list: [other, writers[1]] });

  const started = await start();
  await page.goto(started.sign_url);
  await ready(page);
  await page.waitForFunction(() => document.querySelector("img.paper").naturalWidth > 0);
  await shoot("01-sign");
  await shoot("02-sign-whole", true);
  await page.click("#next");
  await shoot("03-next-field");
  if (size === "phone") await page.locator("#sheet .actions [data-close]").click();
  await page.click("#guide-toggle");
  await shoot("03-step-by-step");
  await page.locator("#guide-off, #guide-toggle").filter({ visible: true }).first().click();
  await fill(page, "Name", "김민준");
  await fill(page, "First day", "2026-12-01");
  await fill(page, "Remarks", "연장 근로는 월 12시간 이내로 한다.\n그 밖의 사항은 취업 규칙에 따른다.");
  await field(page, "Agreed").locator("input").click();
  await field(page, "Kind").nth(1).locator("input").click();
  // A saved value is shown in the letters of the stamp.
  await page.waitForFunction(() => localStorage.length === 0);
  const salary = size === "phone" ? page.locator("#sheet-entry") : field(page, "Salary").locator("input");
  if (size === "phone") await field(page, "Salary").locator("button.open").click();
  await salary.fill("12a");
  await bringIntoSight(page, "Salary");
  await shoot("03-refused");
  await salary.fill("3,500,000");
  if (size === "phone") await page.locator("#sheet .actions [data-close]").click();
  await page.waitForFunction(() => localStorage.length === 0);
  await page.context().setOffline(true);
  await page.waitForSelector("#trouble:not(:empty)");
  await bringIntoSight(page, "Salary");
  await shoot("03-offline");
  await page.context().setOffline(false);
  await page.goto(started.sign_url);
  await ready(page);
  await shoot("03-continued");
  await bringIntoSight(page, "Signature");
  await field(page, "Signature").locator("button").click();
  await page.locator("#consent-dialog[open]").waitFor();
  await shoot("04-consent");
  await page.locator("#consent-dialog [type=submit]").click();
  await page.locator("#pad[open]").waitFor();
  await shoot("05-draw");
  await page.click("#tab-type");
  await page.locator("#pad-hands img").first().waitFor();
  await shoot("06-type");
  await page.click("#tab-seal");
  await page.locator("#pad-seals img").first().waitFor();
  await shoot("06-seal");
  await page.click("#tab-picture");
  await shoot("07-picture");
  await page.locator("#pad [data-close]").click();
  await typeSignature(page, "Signature");
  await shoot("08-filled");
  await page.click("#reject");
  await shoot("09-reject");
  await page.locator("#reject-dialog [data-close]").click();
  await page.click("#approve");
  await shoot("10-approve");
  await page.locator("#approve-dialog [data-close]").click();
  await approve(page);
  await shoot("11-done");
  await page.goto(started.sign_url);
  await shoot("12-signed");

  await page.goto((await server.workflow(started.workflow_id)).playing_url);
  await ready(page);
  await fill(page, "Employer", "박서연");
  await typeSignature(page, "Employer signature");
  await shoot("13-second-writer");
  await approve(page);
  await shoot("14-complete");
  const complete = await server.workflow(started.workflow_id);
  for (const [name, address] of [
    ["15-viewer", complete.download_url],
    ["16-certificate", complete.certificate_url],
  ]) {
    await page.goto(address);
    await page.waitForFunction(() => document.querySelector(".sheet-pages img").naturalWidth > 0);
    await shoot(name);
  }
  await page.goto(started.sign_url);
  await shoot("12-complete");
  const token = new URL(complete.download_url).searchParams.get("token");
  const sealed = Buffer.from(await (await fetch(`${server.base}/mail/file?token=${token}`)).arrayBuffer());

  await page.goto(`${server.base}/verify?lang=${language}`);
  await shoot("17-verify");
  await page.setInputFiles("input[type=file]", { name: "근로계약서.pdf", mimeType: "application/pdf", buffer: sealed });
  await page.waitForSelector("#verdict-1");
  await shoot("18-genuine");
  const changed = Buffer.from(sealed);
  changed[400] ^= 1;
  await page.setInputFiles("input[type=file]", { name: "changed.pdf", mimeType: "application/pdf", buffer: changed });
  await page.waitForSelector(".notice.bad #verdict-1");
  await shoot("19-changed");

  const [first, second] = writers;
  const guarded = await start({ recipient_list: [{ ...first, password: "850101", password_hint: "생일 6자리" }, second] });
  await page.goto(guarded.sign_url);
  await shoot("20-access-code");
  await page.fill("#code", "000000");
  await pressAndFollow(page, "[type=submit]");
  await shoot("21-wrong-code");
  for (let wrong = 2; wrong <= 5; wrong += 1) {
    await page.fill("#code", "000000");
    await pressAndFollow(page, "[type=submit]");
  }
  await shoot("21-locked");

  const mailing = await server.withMail();
  const coded = await mailing.startWorkflow({ language, recipient_list: [{ ...first, one_time_code: true }, second] });
  await page.goto(coded.sign_url);
  await shoot("31-one-time-code");
  await page.click("button.primary");
  await page.waitForSelector("#code");
  await shoot("32-one-time-code-sent");
  await page.fill("#code", "1");
  await page.click("button.primary");
  await page.waitForSelector("[aria-invalid]");
  await shoot("33-wrong-one-time-code");
  await pressAndFollow(page, "form:last-of-type button");
  await shoot("34-one-time-code-too-soon");

  const canceled = await start();
  await server.call("POST", `/api/v3/workflows/${canceled.workflow_id}/cancel`, { comment: "-" });
  await page.goto(canceled.sign_url);
  await shoot("22-cancelled");
  const rejected = await start();
  await page.goto(rejected.sign_url);
  await ready(page);
  await page.click("#reject");
  await page.fill("#reject-reason", "-");
  await page.click("#reject-dialog [type=submit]");
  await page.locator("#done-dialog[open]").waitFor();
  await shoot("22-rejected-done");
  await page.goto(rejected.sign_url);
  await shoot("22-rejected");
  while ((await page.goto(expiring.sign_url)).status() !== 410);
  await shoot("22-expired");
  const corrected = await start();
  await server.call("PATCH", `/api/v3/workflows/${corrected.workflow_id}/recipients/1`, { name: "이민준" });
  await page.goto(corrected.sign_url);
  await shoot("22-old-link");
  await page.goto(`${server.base}/mail/sign?token=abc&lang=${language}`);
  await shoot("23-unknown-link");
  await page.goto(`${server.base}/nowhere?lang=${language}`);
  await shoot("23-missing");

  const { preview_url } = await start({ is_preview: true });
  await page.goto(preview_url);
  await ready(page);
  await shoot("24-preview");

  const sent = await start({ export_api_info: undefined });
  await page.goto(`${server.base}/mail/sign?token=${sent.token}&lang=${language}`);
  await ready(page);
  await shoot("25-sender");

  const link = await server.publicLink({ language });
  await page.goto(link.link_url);
  await shoot("28-public-link");
  await page.fill("#name", "김민준");
  await page.fill("#contact", "minjun@");
  await page.check("#agree");
  await page.click("[type=submit]");
  await page.waitForSelector("[aria-invalid=true]");
  await shoot("29-public-link-wrong");
  await server.call("POST", `/api/v3/link/${link.link_id}/close`);
  await page.goto(link.link_url);
  await shoot("30-public-link-closed");

  // Not embedded, so the signer's link is in the outbox.
  const template_id = server.import({ ...FIELDS, name: "Handed over", hand_over: true }, pdf());
  await start({ template_id, export_api_info: undefined, workflow_name: "양수도계약서" });
  await walkWithLook(server, page, { language }, shoot);
  await walkWithPapers(server, page, { language, size, writers }, shoot);

  await page.goto(`${server.base}/sign-in?lang=${language}`);
  await shoot("26-sign-in");
  await signIn(page, server, language);
  await shoot("27-outbox");
  await page.goto(`${server.base}/documents?lang=${language}`);
  await shoot("31-documents");
  // The comparison of pictures hides all but the first rows.
  const about = page.locator(".documents a", { hasText: "양수도계약서" }).first();
  await page.goto(new URL(await about.getAttribute("href"), server.base).href);
  await shoot("32-document");
  await page.goto(`${server.base}/outbox?lang=${language}`);
  await openMessage(page, "양수도계약서");
  await shoot("28-message");
  await page.goto(await copyLink(page));
  await ready(page);
  await unfold(page);
  await page.click("#hand-over");
  await shoot("09-hand-over");
  await page.fill("#hand-over-name", "이서연");
  await page.fill("#hand-over-email", "seoyeon@example.com");
  await page.click("#hand-over-dialog [type=submit]");
  await page.waitForSelector(".says h1");
  await shoot("22-handed-over");
  return sealed;
}

const paper = (name, kind, row, more = {}) => ({
  name,
  kind,
  step: 1,
  page: 1,
  x: 250_000,
  y: (140 + row * 60) * 1000,
  width: 400_000,
  height: 40_000,
  ...more,
});
const PAPERS = {
  name: "Papers",
  on_reject: "return",
  steps: [{ order: 1 }, { order: 2 }],
  fields: [
    paper("Amount", "number", 0),
    paper("Memo", "text", 1),
    paper("Papers", "attachment", 2),
    paper("Photo", "image", 3, { height: 90_000 }),
    paper("Initials", "initials", 5, { height: 90_000 }),
    paper("Received", "text", 8, { step: 2 }),
  ],
};

/** Files on their way, refused and changed elsewhere; pages enlarged; pictures; the last signature; a document given back. */
async function walkWithPapers(server, page, { language, size, writers }, shoot) {
  const started = await server.startWorkflow({ template_id: server.import(PAPERS, pdf(1)), language, recipient_list: writers });
  await page.goto(started.sign_url);
  await ready(page);
  const settled = () => page.waitForFunction(() => localStorage.length === 0);
  const choose = async (name, buffer) => {
    const chooser = page.waitForEvent("filechooser");
    await page.click("#sheet-entry");
    await (await chooser).setFiles({ name, mimeType: "application/pdf", buffer });
  };
  const held = [];
  await page.route("**/sign/files", (route) => void held.push(route));
  await field(page, "Papers").locator("button").click();
  await choose("通帳 통장 사본.pdf", Buffer.from("%PDF"));
  await page.locator("#sheet #transfer").waitFor();
  await shoot("41-transfer");
  while (held.length === 0) await page.evaluate(() => new Promise(requestAnimationFrame));
  await held.pop().abort("connectionreset");
  await page.locator("#transfer button").first().waitFor();
  await page.waitForSelector("#trouble:not(:empty)", { state: "attached" });
  await shoot("42-transfer-waiting");
  await page.unroute("**/sign/files");
  await page.locator("#transfer").getByRole("button").first().click();
  await page.locator("#transfer").waitFor({ state: "hidden" });
  await settled();
  await choose("통장 전체.pdf", Buffer.alloc(10 * 1024 * 1024 + 1));
  await page.waitForSelector("#sheet-fault:not(:empty)");
  await shoot("43-file-refused");
  await page.locator("#sheet .actions [data-close]").click();

  await page.context().setOffline(true);
  await fill(page, "Amount", "1200");
  const other = await open(page.context().browser(), "desktop");
  await other.goto(started.sign_url);
  await ready(other);
  await fill(other, "Amount", "1500");
  await fill(other, "Memo", "계좌를 확인했습니다");
  await other.waitForFunction(() => localStorage.length === 0);
  await other.context().close();
  await page.context().setOffline(false);
  await page.waitForSelector("#settle-dialog[open]");
  await shoot("44-settle");
  await page.locator("#settle-dialog .choice").first().click();
  await page.click("#settle-dialog [type=submit]");
  await settled();

  await page.click("#zoom-in");
  await page.click("#zoom-in");
  await bringIntoSight(page, "Photo");
  await shoot("45-zoom");
  await page.click("#zoom-out");
  await page.click("#zoom-out");
  await field(page, "Photo").locator("button").click();
  await page.locator("#pad[open]").waitFor();
  await page.setInputFiles("#pad-file", {
    name: "stamp.png",
    mimeType: "image/png",
    buffer: await drawnLogo(page, 460, 200, "한빛"),
  });
  await page.locator("#pad-picture-shown canvas").waitFor();
  await shoot("46-picture-chosen");
  await page.locator("#pad [data-close]").click();
  await field(page, "Initials").locator("button").click();
  await page.locator("#consent-dialog[open]").waitFor();
  await page.click("#decline");
  await shoot("47-decline");
  // By keyboard, because a press in the same place would count as the second half of a double tap.
  await page.locator("#reject-dialog [data-close]").press("Enter");
  await field(page, "Initials").locator("button").click();
  await page.locator("#consent-dialog [type=submit]").click();
  await page.locator("#pad[open]").waitFor();
  await page.click("#tab-type");
  await page.locator("#pad-hands img").first().waitFor();
  await page.locator("#pad-keep").check();
  await takeDrawing(page);
  await field(page, "Initials").locator("button").click();
  await page.locator("#pad[open]").waitFor();
  await page.locator("#pad-last").waitFor();
  await shoot("48-last-one");
  await page.click("#pad-forget");
  await page.locator("#pad [data-close]").click();

  await approve(page);
  await server.call("POST", `/api/v3/workflows/${started.workflow_id}/reject`, {
    order: 2,
    comment: "금액이 다릅니다. 다시 확인해 주세요.",
  });
  await page.goto((await server.workflow(started.workflow_id)).playing_url);
  await ready(page);
  await shoot("49-returned");
}

/** The same company with a colour and a logo of its own: before, during and after, and logos that are very wide and very tall. */
async function walkWithLook(server, page, { language }, shoot) {
  const start = (changes) => server.startWorkflow({ language, ...changes });
  await page.goto("about:blank");
  server.dress({ accent: "#b3124f", logo: await drawnLogo(page, 460, 120, "한빛상사") });
  const open = await start();
  await page.goto(open.sign_url);
  await ready(page);
  await shoot("35-look-sign");
  await server.call("POST", `/api/v3/workflows/${open.workflow_id}/cancel`, { comment: "-" });
  await page.goto(open.sign_url);
  await shoot("36-look-ended");
  const link = await server.publicLink({ language });
  await page.goto(link.link_url);
  await shoot("37-look-public-link");
  // A colour that is unreadable without adjustment, and no logo. The company's name is shown instead, as usual.
  server.dress({ accent: "#ffd400" });
  await page.goto(link.link_url);
  await shoot("38-look-yellow");
  await page.goto("about:blank");
  server.dress({ accent: "#1a7f5a", logo: await drawnLogo(page, 1600, 90, "한빛상사 HANBIT CORPORATION") });
  await page.goto((await start()).sign_url);
  await ready(page);
  await shoot("39-look-wide");
  await page.goto("about:blank");
  server.dress({ accent: "#000000", logo: await drawnLogo(page, 120, 480, "한") });
  await page.goto(link.link_url);
  await shoot("40-look-tall");
  server.dress();
}

/** A logo of so many pixels: a bar of colour and a name, on clear ground. */
export async function drawnLogo(page, width, height, name) {
  const drawn = await page.evaluate(
    ({ width, height, name }) => {
      const canvas = Object.assign(document.createElement("canvas"), { width, height });
      const context = canvas.getContext("2d");
      context.fillStyle = "#b3124f";
      context.fillRect(0, 0, Math.min(width, height) * 0.8, height);
      context.fillStyle = "#1b1f2a";
      context.font = `bold ${Math.min(height * 0.6, width)}px "Noto Sans CJK KR", sans-serif`;
      context.textBaseline = "middle";
      context.fillText(name, Math.min(width, height) * 0.9, height / 2, width - Math.min(width, height));
      return canvas.toDataURL("image/png").split(",")[1];
    },
    { width, height, name },
  );
  return Buffer.from(drawn, "base64");
}

/** Takes what was drawn, and waits until the server has it: what takes a while to send is spoken of on the page. */
async function takeDrawing(page) {
  const sent = page.waitForResponse((answer) => answer.url().endsWith("/sign/files") && answer.ok());
  await page.locator("#pad [type=submit]").click();
  await page.locator("#pad").waitFor({ state: "hidden" });
  await sent;
  await page.locator("#transfer").waitFor({ state: "hidden" });
}

/** Signs with the writer's name in a handwriting font: a drawing's strokes are as thick as the hand was slow. */
async function typeSignature(page, name) {
  await bringIntoSight(page, name);
  await field(page, name).locator("button").click();
  await page.locator("#consent-dialog[open], #pad[open]").first().waitFor();
  if (await page.locator("#consent-dialog").isVisible()) await page.locator("#consent-dialog [type=submit]").click();
  await page.locator("#pad[open]").waitFor();
  await page.click("#tab-type");
  await page.locator("#pad-hands img").first().waitFor();
  await takeDrawing(page);
  await field(page, name).locator("img").waitFor();
  await bringIntoSight(page, name);
}

/** Scrolls to the same place every time; the browser's own way to a control may end a pixel higher or lower. */
async function bringIntoSight(page, name) {
  await field(page, name).evaluate((element) => {
    const top = Math.floor(element.getBoundingClientRect().top + scrollY - innerHeight / 2);
    scrollTo({ top, behavior: "instant" });
  });
}
