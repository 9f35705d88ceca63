//! `POST /api/{companyId}/login`: exchanges credentials for an access token.
//!
//! This is the oldest endpoint, and its clients read only `header.result_code`. So every response is HTTP 200 with
//! `header` and `body`, except 429 for a throttled login and 503 if the service is too busy. Members that older clients
//! also send (`session_id`, `version`, `comp_id`) are ignored.

use app::{Error, LoginAttempt, LoginRefusal};
use axum::Json;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::Language;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::body::declared::{declare, unused};
use crate::body::ignored_members::Unread;
use crate::body::json::{self, JsonBody};
use crate::frame::client_address::ClientAddress;
use crate::frame::faults::Faults;
use crate::frame::path::ApiPath;
use crate::frame::problem::{AnswerLanguage, Failure};
use crate::frame::rate_limit;
use crate::frame::state::Http;

/// `request_code`.
type RequestCode = (Option<String>,);
/// `memb_email` and `memb_pwd`.
type Credentials = (Option<String>, Option<String>);

/// Maximum length of the body. Credentials are short.
const BODY_LIMIT: u64 = 64 * 1024;
const REQUEST_CODE: &str = "1001Q";
const RESPONSE_CODE: &str = "1001A";

declare! {
    /// A login request.
    #[schema(example = json!({"header": {"request_code": "1001Q"}, "body": {"memb_email": "sender@example.com", "memb_pwd": "plover lantern quay 47"}}))]
    LoginRequest -> (Option<RequestCode>, Option<Credentials>) {
        /// The kind of request.
        header: LoginRequestHeader => 0,
        /// The credentials.
        body: LoginRequestBody => 1,
    }
}

declare! {
    /// The kind of request.
    LoginRequestHeader -> RequestCode {
        /// Always `1001Q`.
        #[schema(example = "1001Q", pattern = "^1001Q$")]
        request_code: String => 0,
        /// Sent by older clients.
        #[schema(ignore)]
        session_id: () = unused,
        #[schema(ignore)]
        version: () = unused,
        #[schema(ignore)]
        comp_id: () = unused,
    }
}

declare! {
    /// The credentials.
    LoginRequestBody -> Credentials {
        /// The member's e-mail address.
        #[schema(format = "email")]
        memb_email: String => 0,
        /// The member's password.
        #[schema(format = "password")]
        memb_pwd: String => 1,
        /// Sent by older clients.
        #[schema(ignore)]
        session_id: () = unused,
        #[schema(ignore)]
        version: () = unused,
        #[schema(ignore)]
        comp_id: () = unused,
    }
}

/// The response to a login. The login succeeded only if `header.result_code` is `00`.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct LoginResponse {
    /// The result.
    pub header: LoginResponseHeader,
    /// The token. An empty object if the login failed.
    pub body: LoginResponseBody,
}

/// The result of a login.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct LoginResponseHeader {
    /// Always `1001A`.
    #[schema(example = "1001A")]
    pub response_code: String,
    /// `00`: success. `10`: the credentials are wrong. `12`: the body is invalid. `95`: the company may not call the
    /// API. `99`: an internal failure.
    #[schema(example = "00", pattern = "^(00|10|12|95|99)$")]
    pub result_code: String,
    /// The result as text, in the language of `lang`.
    pub result_msg: String,
    /// Always empty.
    #[schema(example = "")]
    pub session_id: String,
}

/// The result of a successful login.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct LoginResponseBody {
    /// The access token. Treat it as opaque, and keep it on a server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_token: Option<String>,
    /// The company's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "demo")]
    pub comp_id: Option<String>,
    /// Empty: tokens are not bound to devices.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "")]
    pub device_id: Option<String>,
    /// When the token expires: `YYYY-MM-DD HH:MM:SS` in the company's time zone (default: `Asia/Seoul`). The value does
    /// not include the zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "2026-12-01 09:00:00")]
    pub expire_date: Option<String>,
    /// The member's e-mail address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memb_email: Option<String>,
}

/// A result code of the API, and the key of its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ResultCode(&'static str, &'static str);

const SUCCESS: ResultCode = ResultCode("00", "api-login-success");
const WRONG_CREDENTIALS: ResultCode = ResultCode("10", "api-login-wrong-credentials");
const THROTTLED: ResultCode = ResultCode("10", "api-login-throttled");
const WRONG_FORM: ResultCode = ResultCode("12", "api-login-wrong-form");
const API_OFF: ResultCode = ResultCode("95", "api-login-api-off");
const BUSY: ResultCode = ResultCode("99", "api-login-busy");
const FAILURE: ResultCode = ResultCode("99", "api-login-failure");

/// Log in.
///
/// Issues an access token for the other calls. The status is always HTTP 200, and `header.result_code` contains the result.
/// There are two exceptions: 429 after too many wrong credentials, and 503 when the service is too busy.
#[utoipa::path(
    post, path = "/api/{companyId}/login", operation_id = "login", tag = "Login",
    params(
        ("companyId" = String, Path, description = "The company's ID, in upper or lower case.", example = "demo"),
    ),
    request_body = LoginRequest,
    responses(
        (status = 200, description = "The result is in `header.result_code`.", body = LoginResponse,
         example = json!({"header": {"response_code": "1001A", "result_code": "00", "result_msg": "Logged in.", "session_id": ""},
             "body": {"access_token": "N0tARealT0kenN0tARealT0kenN0tARealT0kenN0tA", "comp_id": "demo", "device_id": "",
                 "expire_date": "2026-12-01 09:00:00", "memb_email": "sender@example.com"}})),
        (status = 429, description = "Too many attempts with wrong credentials. The body has the same format.", body = LoginResponse,
         headers(("Retry-After" = u64, description = "Seconds to wait."))),
        (status = 503, description = "The service is too busy, or the database is unavailable. The credentials were not checked. The body has the same format.", body = LoginResponse,
         headers(("Retry-After" = u64, description = "Seconds to wait."))),
    ),
)]
pub async fn login(
    State(http): State<Http>,
    company: Result<ApiPath<String>, Failure>,
    ClientAddress { address, .. }: ClientAddress,
    AnswerLanguage(language): AnswerLanguage,
    request: Request,
) -> Response {
    let (head, body) = request.into_parts();
    // A company id that is not UTF-8 is treated as one that does not exist.
    let company = company.map_or_else(|_| String::new(), |ApiPath(company)| company);
    // Clients of the older interface send a different media type, or none.
    let bytes = json::read(&head.headers, body, BODY_LIMIT).await;
    let Some((email, password)) = bytes
        .ok()
        .and_then(|bytes| JsonBody::parse(bytes, Unread::of(&head.extensions)).ok())
        .and_then(|body| credentials(&body))
    else {
        return answer(StatusCode::OK, WRONG_FORM, language, LoginResponseBody::default());
    };
    let attempt = LoginAttempt {
        company,
        email,
        password,
        address,
    };
    // Here a refusal is a response, not an error.
    let result = match http.turn_to_log_in(address, &attempt.company).await {
        Ok(turn) => {
            let login = http.blocking(move |app| {
                let _turn = turn;
                Ok(app.login(&attempt))
            });
            login.await.unwrap_or_else(|error| Err(LoginRefusal::Failed(error)))
        }
        Err(error) => Err(LoginRefusal::Failed(error)),
    };
    match result {
        Ok(token) => answer(
            StatusCode::OK,
            SUCCESS,
            language,
            LoginResponseBody {
                expire_date: Some(token.expire_date()),
                access_token: Some(token.access_token.expose().to_owned()),
                comp_id: Some(token.company.to_string()),
                device_id: Some(String::new()),
                memb_email: Some(token.email),
            },
        ),
        Err(LoginRefusal::WrongCredentials) => refusal(WRONG_CREDENTIALS, language),
        Err(LoginRefusal::ApiOff) => refusal(API_OFF, language),
        Err(LoginRefusal::Throttled { retry_after }) => {
            let mut response = later(StatusCode::TOO_MANY_REQUESTS, THROTTLED, retry_after, language);
            rate_limit::used_up(response.headers_mut(), "login", retry_after.max(1));
            response
        }
        Err(LoginRefusal::Failed(error)) => {
            error.log();
            match error {
                Error::Unavailable { retry_after, .. } => {
                    later(StatusCode::SERVICE_UNAVAILABLE, BUSY, retry_after, language)
                }
                _ => refusal(FAILURE, language),
            }
        }
    }
}

/// Returns the address and password, if the body has the required format.
fn credentials(body: &JsonBody) -> Option<(String, String)> {
    let mut faults = Faults::default();
    let (header, given) = body.request::<LoginRequest>(&mut faults).ok()?;
    faults.check().ok()?;
    let ((code,), (email, password)) = (header?, given?);
    (code? == REQUEST_CODE).then_some((email?, password?))
}

fn refusal(code: ResultCode, language: Language) -> Response {
    answer(StatusCode::OK, code, language, LoginResponseBody::default())
}

fn later(status: StatusCode, code: ResultCode, retry_after: u64, language: Language) -> Response {
    let mut response = answer(status, code, language, LoginResponseBody::default());
    response
        .headers_mut()
        .insert(header::RETRY_AFTER, retry_after.max(1).into());
    response
}

fn answer(status: StatusCode, code: ResultCode, language: Language, body: LoginResponseBody) -> Response {
    let ResultCode(code, key) = code;
    let header = LoginResponseHeader {
        response_code: RESPONSE_CODE.to_owned(),
        result_code: code.to_owned(),
        result_msg: i18n::text(language, key, &[]),
        session_id: String::new(),
    };
    (status, Json(LoginResponse { header, body })).into_response()
}
