// The main job with the other generated TypeScript client: log in, start a document, and read its status. Each answer has one
// type, so nothing has to be told apart.

import { login, workflowsGet, workflowsPreview, workflowsStart } from "./generated/index.js";
import { client } from "./generated/client.gen.js";

const given = process.argv.slice(2);
if (given.length !== 7) throw new Error("walk.js ADDRESS COMPANY EMAIL PASSWORD HOOK TEMPLATE VALUES");
const [base, companyId, memb_email, memb_pwd, url, template] = given as [string, string, string, string, string, string];
client.setConfig({ baseUrl: base });

const answered = await login({
  path: { companyId },
  body: { header: { request_code: "1001Q" }, body: { memb_email, memb_pwd } },
  throwOnError: true,
});
const token = answered.data.body.access_token;
if (!token) throw new Error(answered.data.header.result_msg);
client.setConfig({ baseUrl: base, auth: token });

const body = {
  workflow_name: "Employment contract",
  template_id: Number(template),
  recipient_list: [
    { order: 1, name: "김사장", email: "employer@example.com" },
    { order: 2, name: "이직원", email: "employee@example.com" },
  ],
  export_api_info: { url, api_type: "ALL", is_embed: true },
};
const preview = await workflowsPreview({ body, throwOnError: true });
const started = await workflowsStart({ body, throwOnError: true });
const id: number = started.data.workflow_id;
const workflow = await workflowsGet({ path: { id }, throwOnError: true });
const missing = await workflowsGet({ path: { id: 999_999 } });
console.log(
  JSON.stringify({
    workflow_id: id,
    sign_url: started.data.sign_url,
    preview_url: preview.data.preview_url,
    status: workflow.data.status,
    refused: missing.error?.code,
  }),
);
