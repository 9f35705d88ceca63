// Every webhook of a contract with two signers: its bytes, its order, and its signature, verified with the public
// library of the Standard Webhooks specification.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { Installation, valuesOfStep } from "./installation.mjs";
import { Receiver } from "./receiver.mjs";

let installation, receiver, secret, clientId;

function program(...words) {
  const done = spawnSync(process.env.COUNTERSIGN_BINARY, words, { env: installation.environment, encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
  return done.stdout;
}

before(async () => {
  receiver = new Receiver();
  await receiver.listen();
  installation = await Installation.start();
  const { company } = installation.member;
  const [client] = JSON.parse(program("client", "list", "--company", company, "--json"));
  clientId = client.client_id;
  secret = /whsec_[^\s"]+/.exec(program("client", "secret", "--company", company, clientId))[0];
});
after(async () => {
  receiver.close();
  await installation.stop();
});

/** The code of docs/webhooks.md in a language. */
function documented(language) {
  const guide = readFileSync(new URL("../../docs/webhooks.md", import.meta.url), "utf8");
  return guide.split(`\`\`\`${language}\n`)[1].split("```")[0];
}

/** What the guide's Node code says of a request. */
async function nodeSays(request, secret) {
  const module = await import(`data:text/javascript,${encodeURIComponent(documented("js"))}`);
  return module.verify(secret, request.headers, Buffer.from(request.body));
}

/** What its Python code says. */
function pythonSays(request, secret) {
  const program = `${documented("python")}
import json, sys
given = json.load(sys.stdin)
print(verify(given["secret"], given["headers"], given["body"].encode()))`;
  const input = JSON.stringify({ ...request, secret });
  const done = spawnSync("python3", ["-c", program], { input, encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
  return done.stdout.trim() === "True";
}

test("the code of the guide tells our webhooks from others", async () => {
  const info = { url: receiver.address, api_type: "ALL", is_embed: true };
  const { workflow_id: id } = await installation.startWorkflow({ export_api_info: info });
  const before = receiver.requests.length;
  await installation.call("POST", `/api/v3/workflows/${id}/approve`, { order: 1, field_list: valuesOfStep(1) });
  const request = (await receiver.count(before + 1))[before];
  const others = [
    { ...request, body: request.body.replace("CF", "RT") },
    { ...request, headers: { ...request.headers, "webhook-id": "msg_of_another" } },
    { ...request, headers: { ...request.headers, "webhook-timestamp": "1600000000" } },
    { ...request, headers: { ...request.headers, "webhook-signature": "v1,AAAA" } },
  ];
  for (const says of [nodeSays, pythonSays]) {
    assert.equal(await says(request, secret), true);
    const rotated = { ...request.headers, "webhook-signature": `v1,AAAA ${request.headers["webhook-signature"]}` };
    assert.equal(await says({ ...request, headers: rotated }, secret), true);
    for (const other of others) assert.equal(await says(other, secret), false, JSON.stringify(other.headers));
  }
});

test("each approval sends one webhook, in order, signed, with the interface's members", async () => {
  const info = {
    url: receiver.address,
    api_type: "ALL",
    is_embed: true,
    link_type: "download",
    authorization: "Bearer of-the-customer",
  };
  const started = await installation.startWorkflow({ export_api_info: info });
  const id = started.workflow_id;
  const before = receiver.requests.length;
  for (const order of [1, 2]) {
    const body = { order, field_list: valuesOfStep(order), comment: order === 1 ? "잘 부탁드립니다" : "" };
    await installation.call("POST", `/api/v3/workflows/${id}/approve`, body);
  }
  const requests = (await receiver.count(before + 2)).slice(before);
  const payloads = requests.map(({ headers, body }) => {
    assert.equal(headers.authorization, "Bearer of-the-customer");
    assert.equal(headers.accept, "application/json");
    assert.match(headers["content-type"], /^application\/json/);
    return new Webhook(secret).verify(body, headers);
  });
  assert.notEqual(requests[0].headers["webhook-id"], requests[1].headers["webhook-id"]);
  assert.throws(() => new Webhook(secret).verify(requests[0].body.replace("CF", "RT"), requests[0].headers));

  const [first, second] = payloads;
  const common = [
    "workflow_id",
    "client_id",
    "completed_date",
    "command_type",
    "name",
    "email",
    "comment",
    "field_list",
    "status",
    "order",
    "is_embed",
    "version",
  ];
  assert.deepEqual(Object.keys(first).sort(), [...common, "next_email", "next_name", "sign_url"].sort());
  assert.deepEqual(Object.keys(second).sort(), [...common, "download_url", "certificate_url"].sort());
  for (const payload of payloads) {
    assert.equal(payload.workflow_id, id);
    assert.equal(payload.client_id, clientId);
    assert.equal(payload.command_type, "CF");
    assert.equal(payload.is_embed, true);
    assert.equal(payload.version, "v3");
    assert.match(payload.completed_date, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \(UTC\+09:00\)$/);
  }
  assert.deepEqual(
    [first.status, first.order, first.name, first.email, first.comment],
    ["Playing", 1, "김민준", "minjun@example.com", "잘 부탁드립니다"],
  );
  assert.deepEqual([first.next_name, first.next_email], ["박서연", "seoyeon@example.com"]);
  assert.ok(first.sign_url.startsWith(`${installation.base}/mail/sign?token=`) && first.sign_url.includes("lang="));
  assert.deepEqual([second.status, second.order, second.name], ["Complete", 2, "박서연"]);
  assert.deepEqual(
    first.field_list.map(({ order }) => order),
    first.field_list.map(() => 1),
  );
  assert.deepEqual(
    second.field_list.map(({ order }) => order),
    second.field_list.map(({ order }) => order).toSorted(),
  );
  assert.ok(second.field_list.length > first.field_list.length);
  for (const field of second.field_list) assert.deepEqual(Object.keys(field).sort(), ["email", "name", "order", "value"]);
  for (const url of [second.download_url, second.certificate_url]) {
    const answer = await fetch(url);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("content-type"), "application/pdf");
    assert.match(answer.headers.get("content-disposition"), /^attachment/);
    assert.equal(
      Buffer.from(await answer.arrayBuffer())
        .subarray(0, 5)
        .toString(),
      "%PDF-",
    );
  }
});
