//! Stand-ins for gateways. Each refuses requests that do not match its documentation, and verifies signatures with its
//! own computation.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use delivery::messenger::{GatewaySettings, profiles};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use testkit::receiver::{Answer, Received, Receiver};

/// Credentials that a company would get from the gateway.
pub const ACCOUNT: &str = "AC00000000000000000000000000000042";
pub const KEY: &str = "NCS0KEY0KEY0KEY0";
pub const SECRET: &str = "a-secret-of-32-characters-or-so!";
const KOREAN_SENDER: &str = "0212345678";
const SENDER: &str = "+15005550006";
const CHANNEL: &str = "KA01PF0000000000000000000000000042";
/// The templates that the `KakaoTalk` stand-ins know.
pub const APPROVED: [&str; 2] = ["KA01TPREQUEST", "KA01TPCODE"];
/// A number that every gateway refuses.
pub const BAD_NUMBER: &str = "+821000000000";

pub fn answer(status: u16, body: &Value) -> Answer {
    Answer::Plain {
        status,
        headers: vec![("Content-Type".to_owned(), "application/json".to_owned())],
        body: body.to_string().into_bytes(),
    }
}

/// The settings of a profile, pointed at the stand-in.
pub fn at(profile: &str, stand_in: &Receiver) -> GatewaySettings {
    let (mut description, countries) = profiles::profile(profile).expect("a profile");
    description.address = stand_in.url("");
    let texts = |texts: &[(&str, &str)]| -> BTreeMap<String, String> {
        texts
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect()
    };
    let mut settings = GatewaySettings {
        name: profile.to_owned(),
        description,
        account: ACCOUNT.to_owned(),
        secret: SECRET.to_owned(),
        from: SENDER.to_owned(),
        countries: countries.iter().map(|&country| country.to_owned()).collect(),
        order: 10,
        allow_private: true,
        ..GatewaySettings::default()
    };
    match profile {
        "solapi" | "sens" | "sens-alimtalk" => {
            KEY.clone_into(&mut settings.key);
            KOREAN_SENDER.clone_into(&mut settings.from);
            CHANNEL.clone_into(&mut settings.channel);
            settings.templates = texts(&[("request", APPROVED[0]), ("code", APPROVED[1])]);
            settings.variables = texts(&[
                ("#{이름}", "{{ name }}"),
                ("#{문서}", "{{ document }}"),
                ("#{링크}", "{{ link if link else '-' }}"),
                ("#{인증번호}", "{{ code if code else '-' }}"),
            ]);
        }
        "twilio-whatsapp" => {
            settings.templates = texts(&[("request", "HX0123456789abcdef0123456789abcdef")]);
            settings.variables = texts(&[("1", "{{ document }}"), ("2", "{{ link }}")]);
        }
        "line" => settings.ids = texts(&[("+821012345678", "U0123456789abcdef0123456789abcdef")]),
        "line-notification" => settings.countries = vec!["+82".to_owned()],
        "slack" => settings.ids = texts(&[("+821012345678", "U012ABCDEF")]),
        _ => {}
    }
    if profile == "sens-alimtalk" {
        settings.texts = texts(&[
            ("request", "{{ document }} 서명 요청\n{{ link }}"),
            ("code", "인증번호 {{ code }}"),
        ]);
    }
    settings
}

pub fn stand_in(profile: &str) -> Receiver {
    match profile {
        "solapi" => Receiver::answering(|request| judged(request, solapi)),
        "sens" => Receiver::answering(|request| judged(request, sens)),
        "sens-alimtalk" => Receiver::answering(|request| judged(request, sens_alimtalk)),
        "twilio" => Receiver::answering(|request| judged(request, |request| twilio(request, ""))),
        "twilio-whatsapp" => Receiver::answering(|request| judged(request, |request| twilio(request, "whatsapp:"))),
        "line" => Receiver::answering(|request| judged(request, line)),
        "line-notification" => Receiver::answering(|request| judged(request, line_notification)),
        "slack" => Receiver::answering(|request| judged(request, slack)),
        other => panic!("{other} has no stand-in"),
    }
}

/// Status and body.
type Refusal = (u16, Value);

fn judged(request: &Received, judge: impl Fn(&Received) -> Result<Refusal, Refusal>) -> Answer {
    let (status, body) = judge(request).unwrap_or_else(|refusal| refusal);
    answer(status, &body)
}

/// HMAC (RFC 2104) with SHA-256, whose blocks have 64 bytes.
fn hmac(key: &[u8], message: &[u8]) -> [u8; 32] {
    let mut block = [0; 64];
    if key.len() > 64 {
        block[..32].copy_from_slice(&Sha256::digest(key));
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let inner = Sha256::new()
        .chain_update(block.map(|byte| byte ^ 0x36))
        .chain_update(message)
        .finalize();
    let outer = Sha256::new()
        .chain_update(block.map(|byte| byte ^ 0x5c))
        .chain_update(inner)
        .finalize();
    outer.into()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Returns the length in EUC-KR, or `None` if a character cannot be encoded.
fn euc_kr(text: &str) -> Option<usize> {
    let (bytes, _, has_unknown) = encoding_rs::EUC_KR.encode(text);
    (!has_unknown).then_some(bytes.len())
}

fn text_of<'v>(object: &'v Value, name: &str) -> Option<&'v str> {
    object.get(name)?.as_str().filter(|text| !text.is_empty())
}

/// Returns the first unknown member, if any.
fn unknown(object: &Value, known: &[&str]) -> Option<String> {
    let members = object.as_object()?;
    members.keys().find(|name| !known.contains(&name.as_str())).cloned()
}

fn demand(holds: bool, refusal: impl FnOnce() -> Refusal) -> Result<(), Refusal> {
    if holds { Ok(()) } else { Err(refusal()) }
}

fn json_of(request: &Received, refusal: &dyn Fn(&str) -> Refusal) -> Result<Value, Refusal> {
    demand(request.header("content-type").starts_with("application/json"), || {
        refusal("content type")
    })?;
    serde_json::from_slice(&request.body).map_err(|_| refusal("no JSON"))
}

fn is_national(number: &str) -> bool {
    number.starts_with('0') && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the only message of a request, and its national number.
fn one_message<'b>(
    body: &'b Value,
    known: &[&str],
    refusal: &dyn Fn(&str) -> Refusal,
) -> Result<(&'b Value, &'b str), Refusal> {
    let [message] = body["messages"].as_array().map_or(&[] as &[Value], Vec::as_slice) else {
        return Err(refusal("messages"));
    };
    demand(unknown(message, known).is_none(), || {
        refusal("unknown member of a message")
    })?;
    let to = text_of(message, "to").filter(|to| is_national(to));
    Ok((message, to.ok_or_else(|| refusal("to"))?))
}

/// SMS: up to 90 bytes without a subject. LMS: up to 2,000 bytes with a subject of up to 40.
fn judge_korean(kind: Option<&str>, text: Option<&str>, subject: Option<&str>) -> Result<(), String> {
    let length = text.and_then(euc_kr).ok_or("text")?;
    match kind {
        Some("SMS") if length > 90 => Err(format!("SMS of {length} bytes")),
        Some("SMS") if subject.is_some() => Err("SMS with a subject".to_owned()),
        Some("LMS") if length > 2_000 => Err(format!("LMS of {length} bytes")),
        Some("LMS") if length <= 90 => Err("LMS that an SMS would hold".to_owned()),
        Some("LMS") if subject.and_then(euc_kr).is_none_or(|length| length > 40) => Err("subject".to_owned()),
        Some("SMS" | "LMS") => Ok(()),
        other => Err(format!("type {other:?}")),
    }
}

/// A message made from a template of the channel.
fn alimtalk(
    message: &Value,
    refusal: &dyn Fn(&str) -> Refusal,
    failed: &dyn Fn(&str, &str) -> Refusal,
) -> Result<(), Refusal> {
    let options = &message["kakaoOptions"];
    demand(text_of(options, "pfId") == Some(CHANNEL), || {
        failed("3103", "채널이 없습니다")
    })?;
    let template = text_of(options, "templateId").unwrap_or_default();
    demand(APPROVED.contains(&template), || {
        failed("3104", "승인되지 않은 템플릿입니다")
    })?;
    demand(options["disableSms"] == false, || refusal("disableSms"))?;
    let variables = options["variables"].as_object().ok_or_else(|| refusal("variables"))?;
    for name in ["#{이름}", "#{문서}", "#{링크}", "#{인증번호}"] {
        demand(variables.get(name).is_some_and(Value::is_string), || {
            failed("3105", "변수가 없습니다")
        })?;
    }
    demand(message.get("text").is_none(), || refusal("text beside a template"))
}

fn solapi(request: &Received) -> Result<Refusal, Refusal> {
    let refusal = |words: &str| (400, json!({"errorCode": "ValidationError", "errorMessage": words}));
    let unauthorized = || {
        (
            401,
            json!({"errorCode": "SignatureDoesNotMatch", "errorMessage": "signature"}),
        )
    };
    demand(
        (request.method.as_str(), request.path.as_str()) == ("POST", "/messages/v4/send-many/detail"),
        || (404, json!({"errorCode": "ResourceNotFound", "errorMessage": "path"})),
    )?;
    let parts: BTreeMap<&str, &str> = request
        .header("authorization")
        .strip_prefix("HMAC-SHA256 ")
        .ok_or_else(unauthorized)?
        .split(", ")
        .filter_map(|part| part.split_once('='))
        .collect();
    let part = |name: &str| parts.get(name).copied().unwrap_or_default();
    let (date, salt) = (part("date"), part("salt"));
    demand(
        date.parse::<jiff::Timestamp>().is_ok() && (12..=64).contains(&salt.len()),
        unauthorized,
    )?;
    let wanted = hex(&hmac(SECRET.as_bytes(), format!("{date}{salt}").as_bytes()));
    demand(part("apiKey") == KEY && part("signature") == wanted, unauthorized)?;
    let body = json_of(request, &refusal)?;
    demand(unknown(&body, &["messages", "showMessageList"]).is_none(), || {
        refusal("unknown member")
    })?;
    let known = ["to", "from", "type", "subject", "text", "kakaoOptions"];
    let (message, to) = one_message(&body, &known, &refusal)?;
    demand(text_of(message, "from") == Some(KOREAN_SENDER), || refusal("from"))?;
    let failed = |code: &str, words: &str| {
        let failure = json!({"to": to, "from": KOREAN_SENDER, "type": message["type"], "country": "82",
            "messageId": "M4V0FAILED", "statusCode": code, "statusMessage": words, "accountId": "1"});
        let count = json!({"total": 1, "registeredFailed": 1, "registeredSuccess": 0});
        (
            200,
            json!({"failedMessageList": [failure], "groupInfo": {"groupId": "G4V0", "count": count}}),
        )
    };
    if to == "01000000000" {
        return Err(failed("1021", "수신번호가 잘못되었습니다"));
    }
    if text_of(message, "type") == Some("ATA") {
        alimtalk(message, &refusal, &failed)?;
    } else {
        demand(message.get("kakaoOptions").is_none(), || refusal("kakaoOptions"))?;
        judge_korean(
            text_of(message, "type"),
            text_of(message, "text"),
            text_of(message, "subject"),
        )
        .map_err(|words| refusal(&words))?;
    }
    let sent =
        json!({"messageId": "M4V20261128", "statusCode": "2000", "statusMessage": "정상 접수(이통사로 접수 예정)"});
    Ok((
        200,
        json!({
            "failedMessageList": [],
            "messageList": [sent],
            "groupInfo": {"groupId": "G4V20261128", "count": {"total": 1, "registeredFailed": 0, "registeredSuccess": 1}},
        }),
    ))
}

/// Checks that both SENS services make before they read the body.
fn sens_caller(request: &Received, path: &str) -> Result<(), Refusal> {
    let unauthorized = || {
        (
            401,
            json!({"error": {"errorCode": "200", "message": "Authentication Failed"}}),
        )
    };
    demand(
        (request.method.as_str(), request.path.as_str()) == ("POST", path),
        || (404, json!({"error": {"errorCode": "300", "message": "Not Found"}})),
    )?;
    let time = request.header("x-ncp-apigw-timestamp");
    demand(time.len() == 13 && time.parse::<i64>().is_ok(), unauthorized)?;
    let signed = format!("POST {path}\n{time}\n{KEY}");
    let wanted = BASE64_STANDARD.encode(hmac(SECRET.as_bytes(), signed.as_bytes()));
    demand(
        request.header("x-ncp-iam-access-key") == KEY && request.header("x-ncp-apigw-signature-v2") == wanted,
        unauthorized,
    )
}

fn sens(request: &Received) -> Result<Refusal, Refusal> {
    let refusal = |words: &str| (400, json!({"status": 400, "errors": [words]}));
    sens_caller(request, &format!("/sms/v2/services/{ACCOUNT}/messages"))?;
    let body = json_of(request, &refusal)?;
    let known = [
        "type",
        "contentType",
        "countryCode",
        "from",
        "subject",
        "content",
        "messages",
    ];
    demand(unknown(&body, &known).is_none(), || refusal("unknown member"))?;
    demand(body["contentType"] == "COMM" && body["countryCode"] == "82", || {
        refusal("contentType")
    })?;
    demand(text_of(&body, "from") == Some(KOREAN_SENDER), || refusal("from"))?;
    judge_korean(
        text_of(&body, "type"),
        text_of(&body, "content"),
        text_of(&body, "subject"),
    )
    .map_err(|words| refusal(&words))?;
    let to = body["messages"]
        .as_array()
        .filter(|all| all.len() == 1)
        .and_then(|all| text_of(&all[0], "to"));
    let to = to.filter(|to| is_national(to)).ok_or_else(|| refusal("to"))?;
    demand(to != "01000000000", || refusal("수신번호가 잘못되었습니다"))?;
    Ok((
        202,
        json!({"requestId": "VORSSA-42", "requestTime": "2026-11-28T11:00:00.000",
        "statusCode": "202", "statusName": "success"}),
    ))
}

fn sens_alimtalk(request: &Received) -> Result<Refusal, Refusal> {
    let refusal = |words: &str| (400, json!({"status": 400, "errors": [words]}));
    sens_caller(request, &format!("/alimtalk/v2/services/{ACCOUNT}/messages"))?;
    let body = json_of(request, &refusal)?;
    demand(
        unknown(&body, &["plusFriendId", "templateCode", "messages"]).is_none(),
        || refusal("unknown member"),
    )?;
    demand(text_of(&body, "plusFriendId") == Some(CHANNEL), || {
        refusal("plusFriendId")
    })?;
    let known = ["countryCode", "to", "content", "useSmsFailover", "failoverConfig"];
    let (message, to) = one_message(&body, &known, &refusal)?;
    demand(message["useSmsFailover"] == true, || refusal("useSmsFailover"))?;
    let failover = &message["failoverConfig"];
    demand(text_of(failover, "from") == Some(KOREAN_SENDER), || {
        refusal("failoverConfig.from")
    })?;
    judge_korean(
        text_of(failover, "type"),
        text_of(failover, "content"),
        text_of(failover, "subject"),
    )
    .map_err(|words| refusal(&words))?;
    let template = text_of(&body, "templateCode").unwrap_or_default();
    let content = text_of(message, "content").ok_or_else(|| refusal("content"))?;
    // The fixed text of the approved templates, around their variables.
    let matches = match template {
        "KA01TPREQUEST" => content.contains(" 서명 요청\nhttps://"),
        "KA01TPCODE" => content.strip_prefix("인증번호 ").is_some_and(|code| code.len() == 6),
        _ => false,
    };
    let (code, words) = match (APPROVED.contains(&template), matches) {
        (true, true) => ("A000", "성공"),
        (true, false) => ("3016", "메시지 내용이 템플릿과 일치하지 않음"),
        (false, _) => ("3015", "템플릿을 찾을 수 없음"),
    };
    let sent = json!({"messageId": "alim-42", "to": to, "countryCode": "82", "content": content,
        "requestStatusCode": code, "requestStatusName": if code == "A000" { "success" } else { "fail" },
        "requestStatusDesc": words, "useSmsFailover": true});
    Ok((
        202,
        json!({"requestId": "RAT-42", "requestTime": "2026-11-28T11:00:00", "statusCode": "202",
        "statusName": "processing", "messages": [sent]}),
    ))
}

fn twilio(request: &Received, prefix: &str) -> Result<Refusal, Refusal> {
    let refusal = |code: u32, words: &str| {
        (
            400,
            json!({"code": code, "message": words, "more_info": format!("https://www.twilio.com/docs/errors/{code}"), "status": 400}),
        )
    };
    let path = format!("/2010-04-01/Accounts/{ACCOUNT}/Messages.json");
    demand(
        (request.method.as_str(), request.path.as_str()) == ("POST", path.as_str()),
        || (404, json!({"code": 20404, "message": "not found", "status": 404})),
    )?;
    let login = format!("Basic {}", BASE64_STANDARD.encode(format!("{ACCOUNT}:{SECRET}")));
    demand(request.header("authorization") == login, || {
        (401, json!({"code": 20003, "message": "Authenticate", "status": 401}))
    })?;
    demand(
        request.header("content-type") == "application/x-www-form-urlencoded",
        || refusal(21_000, "content type"),
    )?;
    let pairs: Vec<(String, String)> = url_pairs(&request.body);
    let form: BTreeMap<&str, &str> = pairs
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    demand(form.len() == pairs.len(), || refusal(21_000, "a parameter twice"))?;
    let field = |name: &str| form.get(name).copied();
    let known = ["To", "From", "Body", "ContentSid", "ContentVariables"];
    demand(form.keys().all(|name| known.contains(name)), || {
        refusal(21_000, "unknown parameter")
    })?;
    let to = field("To")
        .and_then(|to| to.strip_prefix(prefix))
        .filter(|to| to.starts_with('+'));
    let to = to.filter(|to| to[1..].bytes().all(|byte| byte.is_ascii_digit()));
    let to = to.ok_or_else(|| refusal(21_211, "The 'To' number is not a valid phone number."))?;
    demand(to != BAD_NUMBER, || {
        refusal(21_211, "The 'To' number is not a valid phone number.")
    })?;
    demand(field("From") == Some(&format!("{prefix}{SENDER}")), || {
        refusal(21_606, "From")
    })?;
    match (field("Body"), field("ContentSid"), field("ContentVariables")) {
        (Some(text), None, None) => demand(text.chars().count() <= 1_600, || refusal(21_617, "too long"))?,
        (None, Some(content), Some(variables)) if !prefix.is_empty() => {
            demand(content.len() == 34 && content.starts_with("HX"), || {
                refusal(21_655, "ContentSid")
            })?;
            let variables: Value = serde_json::from_str(variables).map_err(|_| refusal(21_656, "no JSON"))?;
            let is_good = variables.as_object().is_some_and(|all| {
                all.values()
                    .all(|value| value.as_str().is_some_and(|text| !text.is_empty()))
            });
            demand(is_good, || refusal(21_656, "The ContentVariables Parameter is invalid"))?;
        }
        _ => return Err(refusal(21_619, "Body or ContentSid")),
    }
    Ok((
        201,
        json!({"sid": "SM0123456789abcdef0123456789abcdef", "status": "queued", "error_code": null, "error_message": null}),
    ))
}

/// Parses a form by hand.
fn url_pairs(body: &[u8]) -> Vec<(String, String)> {
    let decoded = |text: &str| {
        let mut bytes = Vec::new();
        let mut rest = text.bytes();
        while let Some(byte) = rest.next() {
            bytes.push(match byte {
                b'+' => b' ',
                b'%' => {
                    let digits = [rest.next().expect("a digit"), rest.next().expect("a digit")];
                    u8::from_str_radix(std::str::from_utf8(&digits).expect("ASCII"), 16).expect("hexadecimal")
                }
                other => other,
            });
        }
        String::from_utf8(bytes).expect("UTF-8")
    };
    let text = std::str::from_utf8(body).expect("ASCII");
    text.split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (decoded(name), decoded(value)))
        .collect()
}

/// Checks that the LINE APIs have in common: the caller, and one text of up to 5,000 characters.
fn line_message(request: &Received, path: &str) -> Result<String, Refusal> {
    let refusal = |words: &str| (400, json!({"message": words}));
    demand(
        (request.method.as_str(), request.path.as_str()) == ("POST", path),
        || (404, json!({"message": "Not found"})),
    )?;
    demand(request.header("authorization") == format!("Bearer {SECRET}"), || {
        (401, json!({"message": "Authentication failed"}))
    })?;
    let body = json_of(request, &refusal)?;
    demand(unknown(&body, &["to", "messages"]).is_none(), || {
        refusal("unknown property")
    })?;
    let messages = body["messages"].as_array().filter(|all| (1..=5).contains(&all.len()));
    let message = &messages.ok_or_else(|| refusal("messages"))?[0];
    demand(
        message["type"] == "text" && unknown(message, &["type", "text"]).is_none(),
        || refusal("type"),
    )?;
    demand(
        text_of(message, "text").is_some_and(|text| text.chars().count() <= 5_000),
        || refusal("text"),
    )?;
    text_of(&body, "to").map(str::to_owned).ok_or_else(|| refusal("to"))
}

fn line(request: &Received) -> Result<Refusal, Refusal> {
    let to = line_message(request, "/v2/bot/message/push")?;
    let is_id = to.len() == 33 && to.starts_with('U');
    demand(is_id, || {
        (
            400,
            json!({"message": "The property, 'to', in the request body is invalid"}),
        )
    })?;
    let key = request.header("x-line-retry-key");
    let groups: Vec<usize> = key.split('-').map(str::len).collect();
    demand(
        groups == [8, 4, 4, 4, 12] && key.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit()),
        || (400, json!({"message": "The retry key is invalid"})),
    )?;
    Ok((200, json!({"sentMessages": [{"id": "461230966842064897"}]})))
}

fn line_notification(request: &Received) -> Result<Refusal, Refusal> {
    // This API knows no retry key, and refuses it.
    demand(request.header("x-line-retry-key").is_empty(), || {
        (400, json!({"message": "Retry key is not supported"}))
    })?;
    let to = line_message(request, "/bot/pnp/push")?;
    let known = hex(&Sha256::digest(b"+821012345678"));
    demand(to == known, || (422, json!({"message": "Failed to send messages"})))?;
    Ok((200, json!({})))
}

fn slack(request: &Received) -> Result<Refusal, Refusal> {
    // Slack answers 200, and reports success in the body.
    let refusal = |words: &str| (200, json!({"ok": false, "error": words}));
    demand(
        (request.method.as_str(), request.path.as_str()) == ("POST", "/api/chat.postMessage"),
        || refusal("unknown_method"),
    )?;
    demand(request.header("authorization") == format!("Bearer {SECRET}"), || {
        refusal("invalid_auth")
    })?;
    let body = json_of(request, &refusal)?;
    demand(unknown(&body, &["channel", "text", "unfurl_links"]).is_none(), || {
        refusal("invalid_arguments")
    })?;
    demand(text_of(&body, "channel") == Some("U012ABCDEF"), || {
        refusal("channel_not_found")
    })?;
    let text = text_of(&body, "text").ok_or_else(|| refusal("no_text"))?;
    demand(text.len() <= 40_000 && !text.contains(['<', '>']), || {
        refusal("msg_too_long")
    })?;
    Ok((
        200,
        json!({"ok": true, "channel": "D012ABCDEF", "ts": "1764327600.000100"}),
    ))
}
