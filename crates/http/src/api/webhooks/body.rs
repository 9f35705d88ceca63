//! The webhook sent to a workflow's endpoint, for the `OpenAPI` document.
//!
//! The schema comes from the type that we send ([`app::WebhookBody`]). `delivery` adds the headers, which
//! `docs/webhooks.md` describes.

use serde_json::{Value, json};

const DESCRIPTION: &str = "One POST for each approval (`CF`), decline (`RT`), cancellation (`CC`) and expiry (`EX`) of a \
workflow that was started with `export_api_info`. With `api_type` `StartAndEnd`, approvals are sent only for the first \
step and for the one that completes the document; events that end it early are always sent.\n\nA webhook counts as \
received if you return a 2xx status within 15 seconds; we do not interpret the body of your response. Otherwise we try \
again: 10 tries over about 75 hours, with the same `webhook-id` and the same bytes. A webhook can arrive twice, so keep \
the IDs you have seen. Within a workflow, first tries are sent in the order of the events.\n\nThe headers follow the \
Standard Webhooks specification: `webhook-signature` is `v1,` and the base64 of HMAC-SHA256 over \
`{webhook-id}.{webhook-timestamp}.{body}`. The key is the API client's secret (`countersign client secret`): the bytes \
after `whsec_`, decoded from base64. While a secret is rotated, there are several signatures, separated by spaces.";

pub fn described() -> Value {
    let header = |name: &str, required: bool, description: &str| json!({"name": name, "in": "header", "required": required, "description": description, "schema": {"type": "string"}});
    json!({
        "workflow": {
            "post": {
                "operationId": "workflow_webhook",
                "summary": "Workflow event",
                "description": DESCRIPTION,
                // The webhook is authenticated by its signature, in a separate header.
                "security": [],
                "parameters": [
                    header("webhook-id", true, "The event's ID. It is unique to the event, and the same for every try."),
                    header("webhook-timestamp", true, "When this try was made, in seconds since 1970."),
                    header("webhook-signature", true, "`v1,` and a signature in base64. Several signatures are separated by spaces."),
                    header("Authorization", false, "The value of `export_api_info.authorization`, if it was set."),
                ],
                "requestBody": {
                    "required": true,
                    "content": {"application/json": {
                        "schema": {"$ref": "#/components/schemas/WebhookBody"},
                        "examples": {
                            "in_progress": {"summary": "The first of two signers approved, embedded", "value": in_progress()},
                            "complete": {"summary": "The last signer approved, embedded", "value": complete()},
                        },
                    }},
                },
                "responses": {
                    "2XX": {"description": "The webhook was received. We do not send it again."},
                    "410": {"description": "The endpoint is gone. We stop sending to it, and notify the company's owners and admins by mail."},
                    "default": {"description": "We try again. `Retry-After` (seconds or a date) is honoured up to 24 hours. We do not follow redirects."},
                },
            },
        },
    })
}

fn in_progress() -> Value {
    json!({
        "workflow_id": 42,
        "client_id": "3f2b8a54-6a0e-4b0e-9d53-1f4c2a7d9e10",
        "completed_date": "2026-12-01 10:00:00 (UTC+09:00)",
        "command_type": "CF",
        "name": "김사장",
        "email": "employer@example.com",
        "comment": "",
        "field_list": [{"name": "salary", "value": "3000000", "email": "employer@example.com", "order": 1}],
        "status": "Playing",
        "order": 1,
        "is_embed": true,
        "version": "v3",
        "next_email": "employee@example.com",
        "next_name": "이직원",
        "sign_url": "https://sign.example.com/mail/sign?token=…&lang=ko",
    })
}

fn complete() -> Value {
    let mut body = in_progress();
    for next in ["next_email", "next_name", "sign_url"] {
        if let Some(members) = body.as_object_mut() {
            members.remove(next);
        }
    }
    body["completed_date"] = json!("2026-12-01 11:30:00 (UTC+09:00)");
    body["name"] = json!("이직원");
    body["email"] = json!("employee@example.com");
    body["status"] = json!("Complete");
    body["order"] = json!(2);
    body["download_url"] = json!("https://sign.example.com/mail/view?token=…");
    body["certificate_url"] = json!("https://sign.example.com/mail/view?token=…");
    body
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_examples_hold_nothing_that_the_schema_does_not_know_and_all_that_it_demands() {
        let document = crate::api::openapi::described("https://sign.example.com");
        let schema = &document["components"]["schemas"]["WebhookBody"];
        let known: BTreeSet<&String> = schema["properties"].as_object().expect("properties").keys().collect();
        for example in [in_progress(), complete()] {
            let members: BTreeSet<&String> = example.as_object().expect("members").keys().collect();
            assert!(members.is_subset(&known), "{members:?}");
            for demanded in schema["required"].as_array().expect("required") {
                assert!(members.iter().any(|member| *member == demanded), "{demanded}");
            }
        }
    }
}
