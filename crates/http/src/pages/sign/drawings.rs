//! `POST /sign/drawings`: returns a name in every handwriting font, or as every suitable signature stamp, for the
//! signature dialog.
//!
//! The name is in the body, so that no log of URLs contains it. We return outlines that we drew ourselves (SVG), each
//! with its description. The page sends the chosen description back (`drawing`, in `POST /sign/files`).

use app::{Choice, Error, Fault, FaultCode, Wish};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use domain::{Drawing, Hand, Language, Seal, SealShape};
use serde::Serialize;

use super::actions::page_language;
use super::key;
use crate::body::json::Members;
use crate::frame::faults::Faults;
use crate::frame::problem::Failure;
use crate::frame::state::Http;
use crate::html::link_json::LinkJson;
use crate::html::request::PageRequest;

/// Size limit for a name and a title, in any escaping.
const WISH_LIMIT: u64 = 4 * 1024;

#[derive(Serialize)]
struct Choices {
    choices: Vec<Offered>,
}

#[derive(Serialize)]
struct Offered {
    drawing: Drawing,
    /// A description of the choice.
    label: String,
    /// The drawing. Empty if it cannot be drawn.
    svg: String,
    /// The reason why it cannot be drawn.
    message: String,
}

/// `POST /sign/drawings`
pub async fn choices(
    State(http): State<Http>,
    request: PageRequest,
    headers: HeaderMap,
    LinkJson(body): LinkJson<WISH_LIMIT>,
) -> Result<Response, Failure> {
    let key = key(&http, &request);
    let language = page_language(&headers);
    let mut faults = Faults::default();
    let wish = body.read(&mut faults, |members, faults| wish(members, faults))?;
    let wish = faults.check().map(|()| wish)?;
    let Some(wish) = wish else {
        return Err(not_allowed("way", ["typed", "person_seal", "company_seal"].as_slice()).into());
    };
    let choices = http
        .blocking(move |app| app.drawing_choices(&key, &wish, language))
        .await?;
    let choices = choices.into_iter().map(|choice| offered(choice, language)).collect();
    let mut response = Json(Choices { choices }).into_response();
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

fn wish(members: &Members<'_>, faults: &mut Faults) -> Option<Wish> {
    match members.required_text("way", faults)?.as_str() {
        "typed" => Some(Wish::Typed {
            text: members.required_text("text", faults)?,
        }),
        "person_seal" => Some(Wish::PersonSeal {
            name: members.required_text("name", faults)?,
        }),
        "company_seal" => Some(Wish::CompanySeal {
            name: members.required_text("name", faults)?,
            title: members.text("title", faults).unwrap_or_default(),
        }),
        _ => None,
    }
}

fn offered(choice: Choice, language: Language) -> Offered {
    let label = match &choice.drawing {
        Drawing::Typed { hand, .. } => i18n::text(language, &format!("sign-hand-{}", hand.code()), &[]),
        Drawing::Seal(seal) => {
            let words = [seal.name.as_str(), seal.title.as_str()].join(" ");
            let key = format!("sign-seal-{}", seal.shape.code());
            i18n::text(language, &key, &[("words", words.trim())])
        }
    };
    let (svg, message) = match choice.look {
        Ok(svg) => (svg, String::new()),
        Err(fault) => (String::new(), fault.message(language)),
    };
    Offered {
        drawing: choice.drawing,
        label,
        svg,
        message,
    }
}

/// Parses the description of a drawing, as sent to the page before.
pub(super) fn drawing(members: &Members<'_>) -> Result<Drawing, Error> {
    let mut faults = Faults::default();
    let mut text = |name| members.required_text(name, &mut faults).unwrap_or_default();
    let found = match text("way").as_str() {
        "typed" => {
            let hand = text("hand");
            let known = Hand::ALL.into_iter().find(|known| known.code() == hand);
            let text = text("text");
            known
                .map(|hand| Drawing::Typed { text, hand })
                .ok_or_else(|| not_allowed(&members.path_of("hand"), &Hand::ALL.map(Hand::code)))
        }
        "seal" => {
            let shape = text("shape");
            let known = SealShape::ALL.into_iter().find(|known| known.code() == shape);
            let name = text("name");
            let title = members.text("title", &mut faults).unwrap_or_default();
            known
                .map(|shape| Drawing::Seal(Seal { shape, name, title }))
                .ok_or_else(|| not_allowed(&members.path_of("shape"), &SealShape::ALL.map(SealShape::code)))
        }
        _ => Err(not_allowed(&members.path_of("way"), &["typed", "seal"])),
    };
    faults.check()?;
    found
}

fn not_allowed(path: &str, allowed: &[&str]) -> Error {
    let fault = Fault::new(path, FaultCode::InvalidOption).with("allowed", allowed.join(", "));
    Error::Unprocessable(vec![fault])
}
