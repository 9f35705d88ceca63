//! `GET /api/{company}/look/{name}`: the style and the logo of a company, as its pages and nobody else's ask for them.
//!
//! The name holds the hash of the content, so a browser keeps both for ever; a name that is not the company's own is
//! unknown, whether or not there is such a company.

use app::{CompanyLook, Error, Subject, shown_logo_size};
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use domain::{BlobHash, CompanyId};
use serde::Serialize;

use crate::frame::path::ApiPath;
use crate::frame::problem::Failure;
use crate::frame::security_headers;
use crate::frame::state::Http;

/// The box that a logo has at the head of a page, in CSS pixels; `ui/src/styles/base.css` makes it smaller on phones.
const BOX_WIDTH: u32 = 200;
const BOX_HEIGHT: u32 = 40;

/// What the frame of a company's page has besides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FrameLook {
    /// Where its style is.
    stylesheet: Option<String>,
    logo: Option<FrameLogo>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct FrameLogo {
    src: String,
    alt: String,
    width: u32,
    height: u32,
    /// Too narrow to hold a name: the name stands beside it.
    is_symbol: bool,
}

impl FrameLook {
    /// Nothing where the company looks like any other: its pages ask for nothing more.
    pub fn of(base: &str, look: &CompanyLook) -> Option<FrameLook> {
        let address = |name: String| format!("{base}/api/{}/look/{name}", look.company);
        let stylesheet = look.stylesheet_name().map(|name| address(format!("{name}.css")));
        let logo = look.logo.map(|logo| {
            let (width, height) = shown_logo_size((logo.width, logo.height), (BOX_WIDTH, BOX_HEIGHT));
            FrameLogo {
                src: address(format!("{}.png", logo.hash)),
                alt: look.name.clone(),
                width,
                height,
                is_symbol: width < height.saturating_mul(2),
            }
        });
        (stylesheet.is_some() || logo.is_some()).then_some(FrameLook { stylesheet, logo })
    }
}

/// `GET /api/{company}/look/{name}`
pub async fn get(
    State(http): State<Http>,
    ApiPath((company, name)): ApiPath<(String, String)>,
) -> Result<Response, Failure> {
    let unknown = || Failure::App(Error::NotFound(Subject::File));
    let company = CompanyId::parse(&company).map_err(|_| unknown())?;
    let (stem, extension) = name.rsplit_once('.').ok_or_else(unknown)?;
    let (content, media_type) = match extension {
        "css" => {
            let look = http.blocking(move |app| app.company_look(&company)).await;
            // Of a company that is not there, the file is what is not there.
            let look = look.map_err(|error| match error {
                Error::NotFound(_) => unknown(),
                other => Failure::App(other),
            })?;
            let style = look
                .stylesheet()
                .filter(|_| look.stylesheet_name().as_deref() == Some(stem));
            (style.ok_or_else(unknown)?.into_bytes(), "text/css; charset=utf-8")
        }
        "png" => {
            let hash = BlobHash::parse(stem).ok_or_else(unknown)?;
            let png = http.blocking(move |app| app.company_logo(&company, &hash)).await?;
            (png, "image/png")
        }
        _ => return Err(unknown()),
    };
    let mut response = content.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    security_headers::immutable_for_all(headers);
    Ok(response)
}
