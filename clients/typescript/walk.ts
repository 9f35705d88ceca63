// Does the main job with a client generated from the OpenAPI document: logs in, starts a document from a template,
// signs for both signers, downloads the sealed document, and verifies it. The compiler checks the types, so this code
// can only read members that the document describes.

import createClient, { type Middleware } from "openapi-fetch";
import type { components, paths } from "./generated.js";

const given = process.argv.slice(2);
if (given.length !== 7) throw new Error("walk.js ADDRESS COMPANY EMAIL PASSWORD HOOK TEMPLATE VALUES");
const [base, company, email, password, hook, template, values] = given as [
  string, string, string, string, string, string, string,
];
const client = createClient<paths>({ baseUrl: base });

/** The answer's data, or the problem that the service names. */
function sound<T>(answer: { data?: T; error?: components["schemas"]["Problem"] | undefined }): T {
  if (answer.data === undefined) throw new Error(answer.error?.detail ?? answer.error?.title ?? "no answer");
  return answer.data;
}

const login = await client.POST("/api/{companyId}/login", {
  params: { path: { companyId: company } },
  body: { header: { request_code: "1001Q" }, body: { memb_email: email, memb_pwd: password } },
});
const token = login.data?.body.access_token;
if (!token) throw new Error(login.data?.header.result_msg ?? "no token");
const authorized: Middleware = {
  onRequest({ request }) {
    request.headers.set("Authorization", `Bearer ${token}`);
    return request;
  },
};
client.use(authorized);

const started = sound(
  await client.POST("/api/v3/workflows/start", {
    params: { header: { "Idempotency-Key": `walk-${Date.now()}` } },
    body: {
      workflow_name: "Employment contract",
      template_id: Number(template),
      recipient_list: [
        { order: 1, name: "김사장", email: "employer@example.com" },
        { order: 2, name: "이직원", email: "employee@example.com" },
      ],
      export_api_info: { url: hook, api_type: "ALL", is_embed: true },
    },
  }),
);
const id = started.workflow_id;
const steps: components["schemas"]["FieldInput"][][] = JSON.parse(values);
for (const [index, field_list] of steps.entries()) {
  sound(
    await client.POST("/api/v3/workflows/{id}/approve", {
      params: { path: { id } },
      body: { order: index + 1, field_list },
    }),
  );
}

const workflow = sound(await client.GET("/api/v3/workflows/{id}", { params: { path: { id } } }));
const refused = await client.POST("/api/v3/workflows/{id}/cancel", { params: { path: { id } }, body: { comment: "too late" } });
const sealed = await client.GET("/api/v3/workflows/{id}/document", { params: { path: { id } }, parseAs: "arrayBuffer" });
const file = sound<ArrayBuffer>(sealed);
const verdict = sound(
  await client.POST("/api/v3/verify", {
    body: "",
    headers: { "Content-Type": "application/pdf" },
    bodySerializer: () => file,
  }),
);
console.log(
  JSON.stringify({
    workflow_id: id,
    status: workflow.status,
    refused: refused.error?.code,
    bytes: file.byteLength,
    outcome: verdict.outcome,
  }),
);
