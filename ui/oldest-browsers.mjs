/** The oldest browsers that the pages support. docs/signing-page.md names them; ui/tests/browsers.test.mjs checks our sources. */
export const OLDEST_BROWSERS = ["safari15.4", "chrome92", "firefox98"];
