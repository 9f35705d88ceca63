//! Builds requests from templates. Values are inserted into strings of a structure, which is serialised afterwards.

use std::collections::BTreeMap;
use std::fmt::Display;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use minijinja::value::Value as Named;
use minijinja::{AutoEscape, Environment, Error, UndefinedBehavior};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::description::{Description, Format, SignatureText};

/// The template with this name is part of an address, so its values are percent-encoded.
const PATH: &str = "path";
/// Everything but the unreserved characters (RFC 3986, 2.3).
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A request that is ready to be sent.
#[derive(Debug)]
pub(super) struct Composed {
    pub(super) url: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

/// Reason why a request cannot be composed, with the setting that causes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unusable {
    pub(super) setting: String,
    pub(super) reason: String,
}

fn unusable(setting: impl Into<String>, reason: impl Display) -> Unusable {
    Unusable {
        setting: setting.into(),
        reason: reason.to_string(),
    }
}

pub(super) struct Composer {
    environment: Environment<'static>,
}

pub(super) type Values = BTreeMap<&'static str, Named>;

impl Composer {
    pub(super) fn new() -> Composer {
        let mut environment = Environment::new();
        // A misspelt name must fail at start-up, instead of leaving a gap in a message.
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        environment.set_formatter(|out, state, value| {
            let text = value.to_string();
            if state.name() == PATH {
                write!(out, "{}", utf8_percent_encode(&text, RESERVED))?;
            } else {
                out.write_str(&text)?;
            }
            Ok(())
        });
        environment.add_filter("korean_bytes", |text: String| korean_bytes(&text));
        environment.add_filter("korean", |text: String| korean(&text));
        environment.add_filter("korean_cut", |text: String, most: usize| korean_cut(&text, most));
        environment.add_filter("slack", |text: String| slack_text(&text));
        environment.add_filter("sha256", |text: String| hex::encode(Sha256::digest(text.as_bytes())));
        environment.add_filter("base64", |text: String| BASE64_STANDARD.encode(text.as_bytes()));
        Composer { environment }
    }

    pub(super) fn fill(&self, setting: &str, template: &str, values: &Values) -> Result<String, Unusable> {
        self.environment
            .render_named_str(setting, template, values)
            .map_err(|error| unusable(setting, described(&error)))
    }

    pub(super) fn compose(
        &self,
        description: &Description,
        secret: &str,
        variables: &BTreeMap<String, String>,
        mut values: Values,
    ) -> Result<Composed, Unusable> {
        let address = description.address.trim_end_matches('/');
        let url = format!("{address}{}", self.fill(PATH, &description.path, &values)?);
        let path = url
            .split_once("://")
            .and_then(|(_, rest)| rest.find('/').and_then(|start| rest.get(start..)))
            .unwrap_or("/");
        values.insert("path", Named::from(path));
        let signed = self.fill("signed", &description.signed, &values)?;
        values.insert(
            "signature",
            Named::from(signature(secret, &signed, description.signature)),
        );
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, content_type(description.format));
        for (name, template) in &description.headers {
            let setting = format!("headers.{name}");
            let value = without_control(&self.fill(&setting, template, &values)?);
            if value.is_empty() {
                continue;
            }
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(|error| unusable(&setting, error))?;
            let mut value = HeaderValue::from_bytes(value.as_bytes()).map_err(|error| unusable(&setting, error))?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        // Only headers may use the signature, so it is not available in the body.
        values.remove("signature");
        let filled_variables = variables
            .iter()
            .map(|(name, template)| {
                let value = self.fill(&format!("variables.{name}"), template, &values)?;
                Ok((name.clone(), Value::from(value)))
            })
            .collect::<Result<Map<String, Value>, Unusable>>()?;
        values.insert("variables", Named::from(minijinja::value::Serde(&filled_variables)));
        let template = serde_json::from_str(&description.body).map_err(|error| unusable("body", error))?;
        let body = self
            .filled(&template, &values, &filled_variables)?
            .unwrap_or_else(|| Value::from(Map::new()));
        let body = match description.format {
            Format::Json => serde_json::to_vec(&body).map_err(|error| unusable("body", error))?,
            Format::Form => form(&body)?.into_bytes(),
        };
        Ok(Composed { url, headers, body })
    }

    /// Returns a part of the body with its values, or `None` if it is empty.
    fn filled(
        &self,
        template: &Value,
        values: &Values,
        variables: &Map<String, Value>,
    ) -> Result<Option<Value>, Unusable> {
        Ok(match template {
            Value::String(text) if names_variables(text) => {
                (!variables.is_empty()).then(|| Value::from(variables.clone()))
            }
            Value::String(text) => {
                let filled = self.fill("body", text, values)?;
                (!filled.is_empty()).then(|| Value::from(filled))
            }
            Value::Array(parts) => {
                let filled = parts
                    .iter()
                    .filter_map(|part| self.filled(part, values, variables).transpose())
                    .collect::<Result<Vec<_>, _>>()?;
                (!filled.is_empty()).then(|| Value::from(filled))
            }
            Value::Object(members) => {
                let filled = members
                    .iter()
                    .filter_map(|(name, member)| {
                        let filled = self.filled(member, values, variables).transpose()?;
                        Some(filled.map(|filled| (name.clone(), filled)))
                    })
                    .collect::<Result<Map<_, _>, _>>()?;
                // If a part lost its values and only constants remain, it is omitted.
                let is_whole = filled.len() == members.len();
                let says = filled
                    .values()
                    .any(|member| !member.is_boolean() && !member.is_number());
                (says || is_whole && !filled.is_empty()).then(|| Value::from(filled))
            }
            other => Some(other.clone()),
        })
    }
}

/// Whether the text consists only of `{{ variables }}`.
fn names_variables(text: &str) -> bool {
    let inner = text.trim().strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
    inner.is_some_and(|inner| inner.trim() == "variables")
}

fn described(error: &Error) -> String {
    match error.detail() {
        Some(detail) => format!("{}: {detail}", error.kind()),
        None => error.kind().to_string(),
    }
}

fn content_type(format: Format) -> HeaderValue {
    HeaderValue::from_static(match format {
        Format::Json => "application/json; charset=utf-8",
        Format::Form => "application/x-www-form-urlencoded",
    })
}

fn signature(secret: &str, signed: &str, text: SignatureText) -> String {
    if signed.is_empty() {
        return String::new();
    }
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else {
        return String::new(); // HMAC accepts keys of every length.
    };
    mac.update(signed.as_bytes());
    let code = mac.finalize().into_bytes();
    match text {
        SignatureText::Hex => hex::encode(code),
        SignatureText::Base64 => BASE64_STANDARD.encode(code),
    }
}

/// Encodes the members of an object as a form (WHATWG URL, 5.2).
fn form(body: &Value) -> Result<String, Unusable> {
    let members = body
        .as_object()
        .ok_or_else(|| unusable("body", "a form must be one object whose values are texts"))?;
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in members {
        match value {
            Value::String(text) => form.append_pair(name, text),
            Value::Number(_) | Value::Bool(_) => form.append_pair(name, &value.to_string()),
            _ => return Err(unusable("body", format!("the form's value {name} must be a text"))),
        };
    }
    Ok(form.finish())
}

/// Escapes the three characters that are special in Slack's notation.
fn slack_text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn without_control(text: &str) -> String {
    text.chars()
        .map(|character| if character.is_control() { ' ' } else { character })
        .collect::<String>()
        .trim()
        .to_owned()
}

/// Returns the text in characters that Korean carriers can transmit (EUC-KR with all Hangul). Anything else, such as an
/// emoji in a document's name, becomes a question mark, because a gateway would refuse the whole message.
fn korean(text: &str) -> String {
    text.chars()
        .filter(|character| !matches!(character, '\u{fe00}'..='\u{fe0f}' | '\u{200d}'))
        .map(|character| {
            let (_, _, is_lacking) = encoding_rs::EUC_KR.encode(character.encode_utf8(&mut [0; 4]));
            if is_lacking { '?' } else { character }
        })
        .collect()
}

/// Returns the length as counted by Korean carriers: EUC-KR, one byte for ASCII and two for everything else.
fn korean_bytes(text: &str) -> usize {
    text.chars()
        .map(|character| if character.is_ascii() { 1 } else { 2 })
        .sum()
}

/// Cuts the text to `most` bytes, as counted by `korean_bytes`.
fn korean_cut(text: &str, most: usize) -> String {
    let mut length = 0;
    text.chars()
        .take_while(|character| {
            length += if character.is_ascii() { 1 } else { 2 };
            length <= most
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn values(text: &str) -> Values {
        Values::from([("text", Named::from(text)), ("key", Named::from("k"))])
    }

    fn described(format: Format, body: &str) -> Description {
        Description {
            address: "https://gateway.example.com/v1/".to_owned(),
            path: "/send/{{ text }}?to={{ text }}".to_owned(),
            headers: BTreeMap::from([("X-Name".to_owned(), "<{{ text }}>".to_owned())]),
            format,
            body: body.to_owned(),
            ..Description::default()
        }
    }

    fn composed(description: &Description, text: &str) -> Composed {
        let variables = BTreeMap::from([("#{이름}".to_owned(), "{{ text }}".to_owned())]);
        Composer::new()
            .compose(description, "secret", &variables, values(text))
            .unwrap()
    }

    proptest! {
        #[test]
        fn no_value_changes_the_shape_of_a_request(text in any::<String>()) {
            let body = r#"{"a": {"text": "{{ text }}", "n": 1, "deep": [["x{{ text }}y"]]}, "vars": "{{ variables }}"}"#;
            let json = composed(&described(Format::Json, body), &text);
            let read: Value = serde_json::from_slice(&json.body).unwrap();
            let mut wanted = serde_json::json!({
                "a": {"text": text, "n": 1, "deep": [[format!("x{text}y")]]},
                "vars": {"#{이름}": text},
            });
            if text.is_empty() {
                wanted["a"].as_object_mut().unwrap().remove("text");
            }
            prop_assert_eq!(read, wanted);

            let form = r#"{"To": "{{ text }}", "Vars": "{{ variables|tojson }}", "Last": "z"}"#;
            let form = composed(&described(Format::Form, form), &text);
            let pairs: BTreeMap<String, String> = url::form_urlencoded::parse(&form.body).into_owned().collect();
            prop_assert_eq!(pairs.get("To").map_or("", String::as_str), text.as_str());
            let variables: Value = serde_json::from_str(&pairs["Vars"]).unwrap();
            prop_assert_eq!(&variables["#{이름}"], &Value::from(text.as_str()));
            prop_assert_eq!(pairs.len(), if text.is_empty() { 2 } else { 3 });

            let url = url::Url::parse(&form.url).unwrap();
            prop_assert_eq!(url.host_str(), Some("gateway.example.com"));
            prop_assert_eq!(url.query_pairs().count(), 1);
            prop_assert_eq!(url.query_pairs().next().unwrap().1, text.as_str());
            // A segment that consists only of dots refers to a folder (RFC 3986, 5.2.4), and must not change the path
            // of the address.
            if !text.chars().all(|character| character == '.') {
                prop_assert_eq!(url.path_segments().unwrap().count(), 3);
            }
            let header = form.headers["X-Name"].as_bytes();
            prop_assert!(header.starts_with(b"<") && header.ends_with(b">"));
            prop_assert!(!header.iter().any(|byte| *byte < 32 || *byte == 127));
        }
    }

    #[test]
    fn what_comes_out_empty_is_left_out() {
        let description = described(
            Format::Json,
            r#"{
                "subject": "{{ '' }}",
                "kakao": {"pfId": "{{ '' }}", "disableSms": false},
                "kept": {"flag": true},
                "list": ["{{ '' }}", "x"],
                "nothing": ["{{ '' }}"]
            }"#,
        );
        let body: Value = serde_json::from_slice(&composed(&description, "t").body).unwrap();
        assert_eq!(body, serde_json::json!({"kept": {"flag": true}, "list": ["x"]}));
    }

    #[test]
    fn a_signature_is_hmac_sha256_as_its_documents_say() {
        // RFC 4231, test case 2.
        assert_eq!(
            signature("Jefe", "what do ya want for nothing?", SignatureText::Hex),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        assert_eq!(
            signature("Jefe", "what do ya want for nothing?", SignatureText::Base64),
            "W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM="
        );
        assert_eq!(signature("Jefe", "", SignatureText::Hex), "");
    }

    #[test]
    fn korean_lengths_count_two_for_what_is_not_ascii() {
        assert_eq!(korean_bytes("[데모] a"), 2 + 4 + 2);
        assert_eq!(korean("뷁 A「戻」📄\u{fe0f}金"), "뷁 A「?」?金");
        assert_eq!(korean_cut("가나다", 5), "가나");
        assert_eq!(korean_cut("a가", 3), "a가");
    }
}
