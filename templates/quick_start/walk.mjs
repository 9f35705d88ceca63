// node walk.mjs: needs Node 20 and nothing else.
import { writeFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";

const base = "https://sign.example.com";
let token;

async function call(method, path, body) {
  const headers = { "Content-Type": "application/json" };
  if (token) headers.Authorization = "service " + token;
  const response = await fetch(base + path, { method, headers, body: body ? JSON.stringify(body) : undefined });
  if (!response.ok) throw new Error(response.status + " " + (await response.text()));
  return response;
}

const login = await call("POST", "/api/demo/login", {
  header: { request_code: "1001Q" },
  body: { memb_email: "demo@example.com", memb_pwd: "PASSWORD" },
});
token = (await login.json()).body.access_token;

const started = await call("POST", "/api/v3/workflows/start", {
  workflow_name: "Employment contract",
  template_id: 1,
  language: "en",
  recipient_list: [
    { order: 1, name: "Jane Doe", email: "jane@example.com" },
    { order: 2, name: "John Roe", email: "john@example.com" },
  ],
  export_api_info: { url: "https://hooks.example.com/sign", api_type: "ALL", is_embed: true },
});
const { workflow_id, sign_url } = await started.json();
console.log("Document " + workflow_id + ". Sign here: " + sign_url);

// In production, wait for the webhook instead.
for (let status = ""; status !== "Complete"; await setTimeout(2000)) {
  ({ status } = await (await call("GET", "/api/v3/workflows/" + workflow_id)).json());
}

for (const file of ["document", "certificate"]) {
  const pdf = await call("GET", "/api/v3/workflows/" + workflow_id + "/" + file);
  await writeFile(file + ".pdf", Buffer.from(await pdf.arrayBuffer()));
}
