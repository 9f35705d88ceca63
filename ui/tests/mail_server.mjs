import { createServer } from "node:net";

/** Starts a mail server that takes everything and keeps it, with the settings of an installation that sends by it. */
export async function startMailServer() {
  const mails = [];
  const server = sink(mails);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  // Does not keep a test from ending.
  server.unref();
  return {
    mails,
    settings: {
      COUNTERSIGN_MAIL__SMTP__HOST: "127.0.0.1",
      COUNTERSIGN_MAIL__SMTP__PORT: String(server.address().port),
      COUNTERSIGN_MAIL__SMTP__TLS: "none",
      COUNTERSIGN_MAIL__SMTP__FROM: "sign@example.com",
    },
    close: () => server.close(),
  };
}

/** What a mail says, as its plain text. */
function textOf(mail) {
  const plain = mail.split(/\r\n--[^\r\n]*/).find((part) => /^content-type: text\/plain/im.test(part)) ?? mail;
  const [head, ...body] = plain.trimStart().split("\r\n\r\n");
  const raw = body.join("\r\n\r\n");
  if (/^content-transfer-encoding: base64/im.test(head)) return Buffer.from(raw, "base64").toString();
  if (!/^content-transfer-encoding: quoted-printable/im.test(head)) return raw;
  const bytes = raw.replace(/=\r\n/g, "").replace(/=([0-9A-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(bytes, "latin1").toString();
}

/** The signing link in the newest mail to this address that names this document, once it has come: it proves whose the address is. */
export async function signingLink(mails, to, document) {
  const until = Date.now() + 20_000;
  for (;;) {
    const theirs = mails.filter((mail) => /^to:(.*(\r\n\s.*)*)$/im.exec(mail)?.[1].includes(to));
    for (const mail of theirs.reverse()) {
      const text = textOf(mail);
      const link = text.includes(document) && /https?:\/\/\S+\/mail\/sign\?token=\S+/.exec(text);
      if (link) return link[0];
    }
    if (Date.now() > until) throw new Error(`no mail to ${to} about ${document}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function sink(mails) {
  return createServer((socket) => {
    let [rest, data] = ["", null];
    const say = (line) => socket.write(`${line}\r\n`);
    say("220 sink");
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      rest += bytes.toString("latin1");
      for (let end = rest.indexOf("\r\n"); end >= 0; end = rest.indexOf("\r\n")) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 2);
        if (data !== null) {
          if (line === ".") {
            mails.push(data.join("\r\n"));
            data = null;
            say("250 taken");
          } else {
            data.push(line);
          }
        } else if (/^DATA/i.test(line)) {
          data = [];
          say("354 go on");
        } else {
          say(/^QUIT/i.test(line) ? "221 bye" : "250 fine");
        }
      }
    });
  });
}
