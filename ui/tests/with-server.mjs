// The server and the browser of a test file: `withServer()` starts both before its tests and stops both after them. A
// file runs in a process of its own, so it imports its helpers from here.

import { after, afterEach, before } from "node:test";
import { closePages, launch } from "./browser.mjs";
import { Installation } from "./installation.mjs";
import { startMailServer } from "./mail_server.mjs";

export let server;
export let browser;
/** What the server has sent, if it can send mails. */
export let mails;

/**
 * `settings` as environment variables; `mail`: it can send mails; `keepPages`: a test goes on with the page of another.
 * `prepare` runs once the server is there, and before the first test: hooks of a file do not wait for each other.
 */
export function withServer({ settings = {}, mail = false, keepPages = false, prepare = () => {} } = {}) {
  let mailServer;

  before(async () => {
    if (mail) {
      mailServer = await startMailServer();
      mails = mailServer.mails;
    }
    server = await Installation.start({ ...mailServer?.settings, ...settings });
    browser = await launch();
    await prepare();
  });

  if (!keepPages) afterEach(() => closePages(browser));

  after(async () => {
    await browser?.close();
    await server?.stop();
    mailServer?.close();
  });
}
