import { createServer } from "node:net";

/** Starts a mail server that takes everything and keeps it, with the settings of an installation that sends by it. */
export async function startMailServer() {
  const mails = [];
  const server = sink(mails);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  // What rests here keeps no test from ending.
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
