// The verify page: a file is checked as soon as it is chosen, the result comes first, and the details are collapsed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { open, seriousFaults } from "./browser.mjs";
import { valuesOfStep } from "./installation.mjs";
import { browser, server, withServer } from "./with-server.mjs";
import { word } from "../samples.mjs";

const files = {};

withServer({
  prepare: async () => {
    const started = await server.startWorkflow();
    for (const order of [1, 2]) {
      await server.call("POST", `/api/v3/workflows/${started.workflow_id}/approve`, { order, field_list: valuesOfStep(order) });
    }
    const complete = await server.workflow(started.workflow_id);
    for (const [name, address] of [
      ["document", complete.download_url],
      ["certificate", complete.certificate_url],
    ]) {
      const token = new URL(address).searchParams.get("token");
      const answer = await fetch(`${server.base}/mail/file?token=${token}`);
      files[name] = { name: `${name}.pdf`, mimeType: "application/pdf", buffer: Buffer.from(await answer.arrayBuffer()) };
    }
  },
});

test("a document and its certificate are checked together, as soon as they are chosen", async () => {
  for (const [language, size] of [
    ["ko", "phone"],
    ["ja", "phone"],
    ["en", "desktop"],
  ]) {
    const page = await open(browser, size);
    await page.goto(`${server.base}/verify?lang=${language}`);
    await page.setInputFiles("input[type=file]", [files.document, files.certificate]);
    await page.locator("#verdict-2").waitFor();
    assert.equal(await page.locator(".notice.good.verdict").count(), 2);
    const pair = page.locator(".notice.good:not(.verdict)");
    assert.equal(await pair.textContent(), word(language, "verify-certificate-belongs"));
    // The certificate knows the document's zone, in which all times are.
    for (const box of await page.locator(".verdict").allTextContents()) assert.match(box, /Asia\/Seoul \(UTC\+09:00\)/, box);
    // The signer and the time are part of the result.
    for (const box of await page.locator(".verdict").allTextContents()) assert.match(box, /한빛상사[\s\S]*20\d\d/, box);
    assert.deepEqual(await page.locator(".file-name").allTextContents(), ["document.pdf", "certificate.pdf"]);
    const details = page.locator("details").first();
    assert.equal(await details.locator("summary").textContent(), word(language, "verify-details"));
    assert.equal(await details.locator(".mono").isVisible(), false);
    await details.locator("summary").click();
    assert.equal(await details.locator(".mono").isVisible(), true);
    assert.deepEqual(await seriousFaults(page), []);
    assert.deepEqual(page.faults, []);
    await page.context().close();
  }
});

test("what is wrong is not folded, and too many files are not sent", async () => {
  const page = await open(browser, "phone");
  await page.goto(`${server.base}/verify?lang=en`);
  const changed = Buffer.from(files.document.buffer);
  changed[400] ^= 1;
  await page.setInputFiles("input[type=file]", { ...files.document, buffer: changed });
  await page.locator(".notice.bad #verdict-1").waitFor();
  assert.equal(await page.locator("details .mono").isVisible(), true);
  assert.doesNotMatch(await page.locator(".verdict").textContent(), /한빛상사/);
  const { document, certificate } = files;
  await page.setInputFiles("input[type=file]", [document, certificate, document]);
  assert.equal(await page.locator("#verify-fault").textContent(), word("en", "verify-too-many", { count: 2 }));
  await page.click("#verify-form [type=submit]");
  assert.equal(await page.locator(".notice.bad").count(), 1, "the same page");
});
