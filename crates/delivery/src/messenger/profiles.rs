//! Built-in descriptions of gateways. A configuration can express everything they do, and every setting in a
//! configuration replaces the profile's.
//!
//! | profile | what it is |
//! |---|---|
//! | `solapi` | SOLAPI (CoolSMS), Korea: KakaoTalk Alimtalk if the kind of message has a template, otherwise SMS or LMS |
//! | `sens` | NAVER Cloud SENS, Korea: SMS or LMS |
//! | `sens-alimtalk` | NAVER Cloud SENS: KakaoTalk Alimtalk; if it fails, SENS itself sends an SMS or LMS |
//! | `twilio` | Twilio: SMS, everywhere |
//! | `twilio-whatsapp` | Twilio: WhatsApp, with content templates if given |
//! | `line` | LINE Messaging API: push messages to people whose LINE ids are listed |
//! | `line-notification` | LINE notification messages: to numbers (by their hash), in Japan, Taiwan and Thailand |
//! | `slack` | Slack `chat.postMessage`: to people or channels that are listed |

use std::collections::BTreeMap;

use super::description::{Description, Format, Reading, SignatureText};

pub const NAMES: [&str; 8] = [
    "solapi",
    "sens",
    "sens-alimtalk",
    "twilio",
    "twilio-whatsapp",
    "line",
    "line-notification",
    "slack",
];

/// Returns the profile with this name and the countries it serves by default.
pub fn profile(name: &str) -> Option<(Description, &'static [&'static str])> {
    Some(match name {
        "solapi" => (solapi(), &["+82"]),
        "sens" => (sens(), &["+82"]),
        "sens-alimtalk" => (sens_alimtalk(), &["+82"]),
        "twilio" => (twilio(), &[]),
        "twilio-whatsapp" => (twilio_whatsapp(), &[]),
        "line" => (line(), &[]),
        "line-notification" => (line_notification(), &["+81", "+886", "+66"]),
        "slack" => (slack(), &[]),
        _ => return None,
    })
}

fn headers<const N: usize>(headers: [(&str, &str); N]) -> BTreeMap<String, String> {
    headers
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

fn places<const N: usize>(places: [&str; N]) -> Vec<String> {
    places.into_iter().map(str::to_owned).collect()
}

/// If an Alimtalk is refused, SOLAPI itself sends the text as SMS or LMS, unless `disableSms` forbids it.
fn solapi() -> Description {
    Description {
        address: "https://api.solapi.com".to_owned(),
        path: "/messages/v4/send-many/detail".to_owned(),
        signed: "{{ date }}{{ salt }}".to_owned(),
        signature: SignatureText::Hex,
        headers: headers([(
            "Authorization",
            "HMAC-SHA256 apiKey={{ key }}, date={{ date }}, salt={{ salt }}, signature={{ signature }}",
        )]),
        body: r#"{
            "messages": [{
                "to": "{{ national }}",
                "from": "{{ from }}",
                "type": "{{ 'ATA' if template else 'SMS' if text|korean|korean_bytes <= 90 else 'LMS' }}",
                "subject": "{{ '' if not template and text|korean|korean_bytes <= 90 else subject|korean|korean_cut(40) }}",
                "text": "{{ '' if template else text|korean }}",
                "kakaoOptions": {
                    "pfId": "{{ channel if template else '' }}",
                    "templateId": "{{ template }}",
                    "variables": "{{ variables }}",
                    "disableSms": false
                }
            }],
            "showMessageList": true
        }"#
        .to_owned(),
        answer: Reading {
            success_at: Some("/groupInfo/count/registeredFailed".to_owned()),
            success_is: places(["0"]),
            refused: vec![400],
            id_at: places(["/messageList/0/messageId", "/groupInfo/groupId"]),
            code_at: places([
                "/failedMessageList/0/statusCode",
                "/errorCode",
                "/messageList/0/statusCode",
            ]),
            words_at: places([
                "/failedMessageList/0/statusMessage",
                "/errorMessage",
                "/messageList/0/statusMessage",
            ]),
            temporary: places(["NotEnoughBalance", "InsufficientBalance", "TooManyRequests"]),
            ..Reading::default()
        },
        needs: vec!["key", "secret", "from"],
        ..Description::default()
    }
}

/// Data that both SENS services sign: method, path, time and key (API Gateway signature, version 2).
fn sens_base(path: &str, body: &str) -> Description {
    Description {
        address: "https://sens.apigw.ntruss.com".to_owned(),
        path: path.to_owned(),
        signed: "{{ method }} {{ path }}\n{{ milliseconds }}\n{{ key }}".to_owned(),
        signature: SignatureText::Base64,
        headers: headers([
            ("x-ncp-apigw-timestamp", "{{ milliseconds }}"),
            ("x-ncp-iam-access-key", "{{ key }}"),
            ("x-ncp-apigw-signature-v2", "{{ signature }}"),
        ]),
        body: body.to_owned(),
        answer: Reading {
            success_at: Some("/statusCode".to_owned()),
            success_is: places(["202"]),
            refused: vec![400],
            id_at: places(["/messages/0/messageId", "/requestId"]),
            code_at: places([
                "/messages/0/requestStatusCode",
                "/error/errorCode",
                "/statusCode",
                "/status",
            ]),
            words_at: places([
                "/messages/0/requestStatusDesc",
                "/errors/0",
                "/error/message",
                "/errorMessage",
                "/message",
                "/statusName",
            ]),
            ..Reading::default()
        },
        needs: vec!["account", "key", "secret", "from"],
        ..Description::default()
    }
}

fn sens() -> Description {
    sens_base(
        "/sms/v2/services/{{ account }}/messages",
        r#"{
            "type": "{{ 'SMS' if text|korean|korean_bytes <= 90 else 'LMS' }}",
            "contentType": "COMM",
            "countryCode": "{{ country }}",
            "from": "{{ from }}",
            "subject": "{{ '' if text|korean|korean_bytes <= 90 else subject|korean|korean_cut(40) }}",
            "content": "{{ text|korean }}",
            "messages": [{ "to": "{{ national }}" }]
        }"#,
    )
}

/// The content must match the template word for word, with its variables filled in. `texts` contains this content.
fn sens_alimtalk() -> Description {
    let base = sens_base(
        "/alimtalk/v2/services/{{ account }}/messages",
        r#"{
            "plusFriendId": "{{ channel }}",
            "templateCode": "{{ template }}",
            "messages": [{
                "countryCode": "{{ country }}",
                "to": "{{ national }}",
                "content": "{{ text }}",
                "useSmsFailover": true,
                "failoverConfig": {
                    "type": "{{ 'SMS' if own_text|korean|korean_bytes <= 90 else 'LMS' }}",
                    "from": "{{ from }}",
                    "subject": "{{ '' if own_text|korean|korean_bytes <= 90 else subject|korean|korean_cut(40) }}",
                    "content": "{{ own_text|korean }}"
                }
            }]
        }"#,
    );
    let answer = Reading {
        success_at: Some("/messages/0/requestStatusCode".to_owned()),
        success_is: places(["A000"]),
        ..base.answer
    };
    Description {
        answer,
        needs: vec!["account", "key", "secret", "from", "channel", "templates"],
        needs_template: true,
        ..base
    }
}

fn twilio_base(body: &str) -> Description {
    Description {
        address: "https://api.twilio.com".to_owned(),
        path: "/2010-04-01/Accounts/{{ account }}/Messages.json".to_owned(),
        headers: headers([(
            "Authorization",
            "Basic {{ ((key if key else account) ~ ':' ~ secret)|base64 }}",
        )]),
        format: Format::Form,
        body: body.to_owned(),
        answer: Reading {
            refused: vec![400],
            id_at: places(["/sid"]),
            code_at: places(["/code", "/error_code"]),
            words_at: places(["/message", "/error_message", "/status"]),
            // The sender's queue is full, or there are too many requests at once.
            temporary: places(["21611", "20429", "14107"]),
            ..Reading::default()
        },
        needs: vec!["account", "secret", "from"],
        ..Description::default()
    }
}

/// The sender may be a number or a messaging service (`MG…`).
fn twilio() -> Description {
    twilio_base(
        r#"{
            "To": "{{ to }}",
            "From": "{{ '' if from is startingwith('MG') else from }}",
            "MessagingServiceSid": "{{ from if from is startingwith('MG') else '' }}",
            "Body": "{{ text }}"
        }"#,
    )
}

/// Outside a conversation, `WhatsApp` accepts only content templates.
fn twilio_whatsapp() -> Description {
    twilio_base(
        r#"{
            "To": "whatsapp:{{ to }}",
            "From": "whatsapp:{{ from }}",
            "Body": "{{ '' if template else text }}",
            "ContentSid": "{{ template }}",
            "ContentVariables": "{{ variables|tojson if template and variables else '' }}"
        }"#,
    )
}

fn line_base(path: &str, to: &str) -> Description {
    Description {
        address: "https://api.line.me".to_owned(),
        path: path.to_owned(),
        headers: headers([("Authorization", "Bearer {{ secret }}")]),
        body: format!(r#"{{ "to": "{to}", "messages": [{{ "type": "text", "text": "{{{{ text }}}}" }}] }}"#),
        answer: Reading {
            refused: vec![400, 422],
            id_at: places(["/sentMessages/0/id"]),
            words_at: places(["/message"]),
            ..Reading::default()
        },
        needs: vec!["secret"],
        ..Description::default()
    }
}

/// The retry key prevents a second push. 409 means that the push was already made.
fn line() -> Description {
    let base = line_base("/v2/bot/message/push", "{{ id }}");
    let mut described = headers([("X-Line-Retry-Key", "{{ uuid }}")]);
    described.extend(base.headers);
    Description {
        headers: described,
        answer: Reading {
            taken: vec![409],
            ..base.answer
        },
        needs: vec!["secret", "ids"],
        needs_id: true,
        ..base
    }
}

/// This API accepts no retry key, and answers 422 if the number does not belong to a LINE user.
fn line_notification() -> Description {
    line_base("/bot/pnp/push", "{{ to|sha256 }}")
}

/// Slack answers 200 to every request it understands, and reports success in `ok`.
fn slack() -> Description {
    Description {
        address: "https://slack.com".to_owned(),
        path: "/api/chat.postMessage".to_owned(),
        headers: headers([("Authorization", "Bearer {{ secret }}")]),
        body: r#"{ "channel": "{{ id }}", "text": "{{ text|slack }}", "unfurl_links": false }"#.to_owned(),
        answer: Reading {
            success_at: Some("/ok".to_owned()),
            success_is: places(["true"]),
            refused: vec![400],
            id_at: places(["/ts"]),
            code_at: places(["/error"]),
            temporary: places([
                "ratelimited",
                "rate_limited",
                "service_unavailable",
                "internal_error",
                "fatal_error",
                "request_timeout",
                "token_expired",
                "token_revoked",
                "invalid_auth",
                "not_authed",
                "account_inactive",
                "missing_scope",
            ]),
            ..Reading::default()
        },
        needs: vec!["secret", "ids"],
        needs_id: true,
        ..Description::default()
    }
}
