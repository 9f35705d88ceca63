//! One try of a webhook: the request that we send, and the meaning of the answer.
//!
//! Every try sends the same body, byte for byte. The headers follow the Standard Webhooks specification: `webhook-id`
//! (the same on every try), `webhook-timestamp` (of this try), and `webhook-signature` (one signature per valid secret,
//! so that a receiver can switch while a secret is rotated).

use app::WebhookSecret;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use domain::public_address::CallbackUrl;
use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, InvalidHeaderValue};
use sha2::Sha256;

use crate::guarded_client::{Answer, Fault, GuardedClient};

const JSON: HeaderValue = HeaderValue::from_static("application/json");

const GONE: u16 = 410;

/// A webhook that is ready to send.
pub struct Webhook<'w> {
    pub url: &'w CallbackUrl,
    pub event_id: &'w str,
    /// Value of the `Authorization` header, chosen by the customer.
    pub authorization: Option<&'w [u8]>,
    pub secrets: &'w [WebhookSecret],
    pub body: Vec<u8>,
}

#[derive(Debug, thiserror::Error)]
pub enum TryFault {
    #[error(transparent)]
    Client(#[from] Fault),
    #[error(
        "the authorization value contains characters that a header cannot contain; start the workflow with another one"
    )]
    Header(#[from] InvalidHeaderValue),
}

impl TryFault {
    /// Returns whether the try failed before we contacted the receiver, for reasons on our side.
    pub fn is_before_sending(&self) -> bool {
        matches!(self, TryFault::Header(_) | TryFault::Client(Fault::Client(_)))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Success,
    Failure,
    Gone,
}

/// Treats a 2xx answer as success, regardless of its body. A redirect is a failure like any other.
pub fn verdict(answer: &Answer) -> Verdict {
    match answer.status {
        200..=299 => Verdict::Success,
        GONE => Verdict::Gone,
        _ => Verdict::Failure,
    }
}

impl Webhook<'_> {
    pub async fn send(self, client: &GuardedClient, now: Timestamp) -> Result<Answer, TryFault> {
        let headers = self.headers(now)?;
        Ok(client.post(self.url, headers, self.body).await?)
    }

    fn headers(&self, now: Timestamp) -> Result<HeaderMap, InvalidHeaderValue> {
        let timestamp = now.as_second();
        let signatures: Vec<String> = self
            .secrets
            .iter()
            .map(|secret| signature(secret.key(), self.event_id, timestamp, &self.body))
            .collect();
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, JSON);
        headers.insert(CONTENT_TYPE, JSON);
        headers.insert(
            HeaderName::from_static("webhook-id"),
            HeaderValue::from_str(self.event_id)?,
        );
        headers.insert(
            HeaderName::from_static("webhook-timestamp"),
            HeaderValue::from(timestamp),
        );
        headers.insert(
            HeaderName::from_static("webhook-signature"),
            HeaderValue::from_str(&signatures.join(" "))?,
        );
        if let Some(authorization) = self.authorization {
            let mut value = HeaderValue::from_bytes(authorization)?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        Ok(headers)
    }
}

/// Returns `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`.
pub fn signature(key: &[u8], event_id: &str, timestamp: i64, body: &[u8]) -> String {
    // HMAC accepts keys of any length.
    let Ok(mut mac) = <Hmac<Sha256> as KeyInit>::new_from_slice(key) else {
        return String::new();
    };
    mac.update(event_id.as_bytes());
    mac.update(b".");
    mac.update(timestamp.to_string().as_bytes());
    mac.update(b".");
    mac.update(body);
    format!("v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uses the example in the Standard Webhooks specification.
    #[test]
    fn the_signature_is_the_specifications() {
        let key = BASE64_STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let found = signature(
            &key,
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            br#"{"test": 2432232314}"#,
        );
        assert_eq!(found, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn two_hundreds_are_success_410_is_gone_and_all_else_a_failure() {
        let verdict_of = |status| {
            verdict(&Answer {
                status,
                retry_after: None,
                start: Vec::new(),
            })
        };
        for status in [200, 201, 202, 204, 299] {
            assert_eq!(verdict_of(status), Verdict::Success, "{status}");
        }
        for status in [100, 300, 301, 302, 307, 308, 400, 401, 404, 429, 500, 503] {
            assert_eq!(verdict_of(status), Verdict::Failure, "{status}");
        }
        assert_eq!(verdict_of(410), Verdict::Gone);
    }
}
