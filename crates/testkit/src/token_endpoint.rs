//! An OAuth 2.0 token endpoint that grants what RFC 6749 allows, and refuses what it forbids.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde_json::json;

use crate::receiver::{Answer, Received, Receiver};

pub const CLIENT: &str = "8f14e45f-ceea-467f-9d0c-f1d6a2b5c3e7";
pub const CLIENT_SECRET: &str = "cl1ent~s3cret";

/// What it grants.
#[derive(Debug, Clone)]
pub struct Grants {
    /// The refresh token that it accepts. Without one, it accepts the client's own credentials.
    pub refresh_token: Option<String>,
    /// Answers with a newer refresh token each time, and accepts that from then on.
    pub rotates: bool,
    /// The life of a token in seconds.
    pub expires_in: u32,
}

pub struct TokenEndpoint {
    receiver: Receiver,
    asked: Arc<Mutex<Vec<BTreeMap<String, String>>>>,
}

impl TokenEndpoint {
    /// Grants `token-1`, `token-2` and so on.
    pub fn start(grants: Grants) -> TokenEndpoint {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (kept, state) = (Arc::clone(&asked), Mutex::new((grants, 0)));
        let receiver = Receiver::answering(move |request| {
            let form = form_of(request);
            kept.lock().expect("no panic while locked").push(form.clone());
            let mut state = state.lock().expect("no panic while locked");
            answer(&mut state, request, &form)
        });
        TokenEndpoint { receiver, asked }
    }

    pub fn url(&self) -> String {
        self.receiver.url("/oauth2/v2.0/token")
    }

    /// The forms that it got, without those that [`TokenEndpoint::refuse_next`] answered.
    pub fn asked(&self) -> Vec<BTreeMap<String, String>> {
        self.asked.lock().expect("no panic while locked").clone()
    }

    /// Refuses the next request like this.
    pub fn refuse_next(&self, error: &str, description: &str) {
        let body = json!({"error": error, "error_description": description});
        self.receiver.answer_next([refusal(body.to_string())]);
    }

    /// How many requests came.
    pub fn count(&self) -> usize {
        self.receiver.received().len()
    }
}

fn refusal(body: String) -> Answer {
    Answer::Plain {
        status: 400,
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
        body: body.into_bytes(),
    }
}

fn form_of(request: &Received) -> BTreeMap<String, String> {
    let text = String::from_utf8_lossy(&request.body).into_owned();
    let decoded = |text: &str| {
        let url = format!("http://x/?{text}");
        reqwest::Url::parse(&url).map(|url| url.query_pairs().into_owned().collect())
    };
    decoded(&text).unwrap_or_default()
}

fn answer((grants, granted): &mut (Grants, u32), request: &Received, form: &BTreeMap<String, String>) -> Answer {
    let refused = |error: &str| refusal(json!({"error": error}).to_string());
    let member = |name: &str| form.get(name).map(String::as_str);
    if request.method != "POST" || request.header("content-type") != "application/x-www-form-urlencoded" {
        return refused("invalid_request");
    }
    if (member("client_id"), member("client_secret")) != (Some(CLIENT), Some(CLIENT_SECRET)) {
        return refused("invalid_client");
    }
    match (member("grant_type"), &grants.refresh_token) {
        (Some("client_credentials"), None) => {}
        (Some("refresh_token"), Some(token)) if member("refresh_token") == Some(token) => {}
        (Some("refresh_token"), _) => return refused("invalid_grant"),
        _ => return refused("unauthorized_client"),
    }
    *granted += 1;
    let mut body = json!({
        "token_type": "Bearer", "access_token": format!("token-{granted}"), "expires_in": grants.expires_in,
    });
    if grants.rotates {
        let newer = format!("refresh-{granted}");
        body["refresh_token"] = json!(newer);
        grants.refresh_token = Some(newer);
    }
    Answer::Plain {
        status: 200,
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
        body: body.to_string().into_bytes(),
    }
}
