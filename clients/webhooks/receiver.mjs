// An endpoint for Countersign's webhooks in Node, without a library:
//     WEBHOOK_SECRET=whsec_… node receiver.mjs [PORT] It trusts nothing unsigned, answers before it processes an event,
//     and processes each event only once, even if it arrives several times.

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";

/** The most that the sender's clock may differ from ours, in seconds. */
const TOLERANCE = 300;
/** The longest body of a webhook, in bytes. A longer one is not from Countersign. */
const LONGEST = 8 * 1024 * 1024;

/** Whether these headers and this body, byte for byte as received, were signed with the secret (Standard Webhooks). */
export function verify(secret, headers, body, now = Date.now() / 1000) {
  const sent = Number(headers["webhook-timestamp"]);
  if (!(Math.abs(now - sent) <= TOLERANCE)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const hmac = createHmac("sha256", key).update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.`).update(body);
  const wanted = Buffer.from(`v1,${hmac.digest("base64")}`);
  // There are several signatures while an old secret is still valid.
  const given = String(headers["webhook-signature"] ?? "").split(" ").map((one) => Buffer.from(one));
  return given.some((one) => one.length === wanted.length && timingSafeEqual(one, wanted));
}

/** Your work for an event. */
function work(event) {
  console.log(JSON.stringify({ workflow_id: event.workflow_id, command_type: event.command_type, status: event.status, order: event.order }));
}

/** Ids of handled events. Store them with your data, in the same transaction as the work. */
const done = new Set();

function main(secret, port) {
  const server = createServer((request, response) => {
    const parts = [];
    let length = 0;
    request.on("data", (part) => {
      length += part.length;
      if (length <= LONGEST) parts.push(part);
      else request.destroy();
    });
    request.on("end", () => {
      const body = Buffer.concat(parts);
      if (request.method !== "POST" || !verify(secret, request.headers, body)) {
        response.writeHead(401).end();
        return;
      }
      response.writeHead(204).end();
      const id = request.headers["webhook-id"];
      if (done.has(id)) return;
      done.add(id);
      work(JSON.parse(body.toString("utf8")));
    });
  });
  server.listen(port, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}/`));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const secret = process.env.WEBHOOK_SECRET;
  if (!secret) {
    console.error("WEBHOOK_SECRET is missing: `countersign client secret --company ID` shows it");
    process.exit(2);
  }
  main(secret, Number(process.argv[2] ?? 9000));
}
