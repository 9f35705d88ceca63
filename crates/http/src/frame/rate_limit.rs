//! `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-10) on answers to requests that came too often.

use app::{Error, ThrottleCode};
use axum::http::{HeaderMap, HeaderName, HeaderValue};

const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Says that nothing is left of this quota for some seconds.
pub fn used_up(headers: &mut HeaderMap, policy: &str, seconds: u64) {
    if let Ok(value) = HeaderValue::from_str(&format!("\"{policy}\";r=0;t={seconds}")) {
        headers.insert(RATE_LIMIT, value);
    }
}

/// The same for a refusal, with the policy if it is always the same. Others depend on settings.
pub fn describe(headers: &mut HeaderMap, error: &Error) {
    let (Error::Throttled { code, .. }, Some(seconds)) = (error, error.retry_after()) else {
        return;
    };
    used_up(headers, code.id(), seconds);
    let policy = match code {
        ThrottleCode::AskedLately => "\"asked-lately\";q=1;w=600",
        ThrottleCode::WrongCodes => "\"wrong-codes-throttled\";q=10;w=3600",
        _ => return,
    };
    headers.insert(RATE_LIMIT_POLICY, HeaderValue::from_static(policy));
}
