//! `GET /api/{company}/look/{name}`: a company's style and logo, which only its own pages load.
//!
//! The name contains the hash of the content, so browsers cache both forever. Any other name is unknown, whether or not
//! the company exists.

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

/// The space for a logo at the top of a page, in CSS pixels. `ui/src/styles/base.css` makes it smaller on phones.
const BOX_WIDTH: u32 = 200;
const BOX_HEIGHT: u32 = 40;

/// A company's additions to the frame of its pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FrameLook {
    stylesheet: Option<String>,
    logo: Option<FrameLogo>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct FrameLogo {
    src: String,
    alt: String,
    width: u32,
    height: u32,
    /// Whether the logo is too narrow to contain a name, so that the name is shown next to it.
    is_symbol: bool,
}

impl FrameLook {
    /// Returns the look. `None` if the company has the default look.
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
            // For an unknown company, report the file as missing, not the company.
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
