//! The appearance of a company's pages and mails: its name, colour and logo.
//!
//! Content served under a hash never changes. The style is served under the hash of its text, and the logo under that
//! of its file. Neither is secret, because everybody who was sent a link can see both.

use domain::{BlobHash, Colour, CompanyId, Palette, WorkflowId};
use store::company::{Logo, Style};

use crate::App;
use crate::base::error::Error;
use crate::links::link_token::{LinkPurpose, LinkToken};

/// Bytes of the hash that names a style: 64 bits.
const NAME_BYTES: usize = 8;

/// Returns the appearance of a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompanyLook {
    pub company: CompanyId,
    pub name: String,
    /// The company's colour, as entered.
    pub accent: Option<Colour>,
    pub logo: Option<Logo>,
}

impl CompanyLook {
    pub(crate) fn of(company: &CompanyId, name: &str, style: &Style) -> CompanyLook {
        CompanyLook {
            company: company.clone(),
            name: name.to_owned(),
            accent: style.accent,
            logo: style.logo,
        }
    }

    /// The stylesheet with the company's colour. `None` if the company has not set a colour.
    pub fn stylesheet(&self) -> Option<String> {
        let Palette { light, dark } = Palette::of(self.accent?);
        let tokens = |tones: domain::look::Tones| {
            format!(
                ":root{{--accent:{};--accent-strong:{};--accent-soft:{};--on-accent:{}}}",
                tones.accent, tones.accent_strong, tones.accent_soft, tones.on_accent
            )
        };
        Some(format!(
            "{}@media (prefers-color-scheme:dark){{{}}}\n",
            tokens(light),
            tokens(dark)
        ))
    }

    /// The name under which the stylesheet is served: a hash of its text.
    pub fn stylesheet_name(&self) -> Option<String> {
        let hash = BlobHash::of(self.stylesheet()?.as_bytes());
        Some(hash.to_string().chars().take(NAME_BYTES * 2).collect())
    }
}

/// Returns the displayed width and height, in CSS pixels, of a logo with this many pixels. It is as large as `most`
/// allows, but never larger than its pixels.
pub fn shown_logo_size(pixels: (u32, u32), most: (u32, u32)) -> (u32, u32) {
    let (width, height) = (u64::from(pixels.0.max(1)), u64::from(pixels.1.max(1)));
    let (widest, highest) = (u64::from(most.0), u64::from(most.1));
    let shown = if width <= widest && height <= highest {
        (width, height)
    } else if width * highest > height * widest {
        (widest, (height * widest).div_ceil(width))
    } else {
        ((width * highest).div_ceil(height), highest)
    };
    let side = |side: u64, most: u32| u32::try_from(side).unwrap_or(most);
    (side(shown.0, most.0), side(shown.1, most.1))
}

impl App {
    /// Returns the appearance of a company.
    pub fn company_look(&self, id: &CompanyId) -> Result<CompanyLook, Error> {
        let company = self.company(id)?;
        Ok(CompanyLook::of(&company.id, &company.name, &company.style))
    }

    /// Returns the appearance of the company that created a link, even if the link no longer works. `None` if there is
    /// no such link.
    pub fn look_behind_link(&self, token: &str) -> Result<Option<CompanyLook>, Error> {
        let Some(token) = self.outgoing.addresses.read(token) else {
            return Ok(None);
        };
        let company = self.company_behind_link(token)?;
        company.map(|company| self.company_look(&company)).transpose()
    }

    /// Returns the company that created a link. `None` if the link's target no longer exists.
    pub fn company_behind_link(&self, token: LinkToken) -> Result<Option<CompanyId>, Error> {
        let (subject, now) = (token.subject, self.now());
        self.store.read(move |tx| {
            Ok::<_, Error>(match token.purpose {
                LinkPurpose::Sign
                | LinkPurpose::SignDelivered
                | LinkPurpose::SignersDocument
                | LinkPurpose::SignersCertificate => {
                    let found = store::workflow::of_recipient(tx, domain::RecipientId(subject))?;
                    found.map(|(company, _)| company)
                }
                LinkPurpose::View | LinkPurpose::Watch | LinkPurpose::Document | LinkPurpose::Certificate => {
                    store::workflow::company_of(tx, WorkflowId(subject))?
                }
                LinkPurpose::Start => {
                    let found = store::public_link::open(tx, store::public_link::PublicLinkId(subject))?;
                    found.map(|link| link.company)
                }
                LinkPurpose::Preview => store::preview::find(tx, subject, now)?.map(|(company, _)| company),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logo_is_shown_as_large_as_its_box_and_its_pixels_allow() {
        for (pixels, shown) in [
            ((480, 96), (200, 40)),
            ((480, 10), (200, 5)),
            ((10, 96), (5, 40)),
            ((120, 30), (120, 30)),
            ((1, 96), (1, 40)),
            ((480, 1), (200, 1)),
        ] {
            assert_eq!(shown_logo_size(pixels, (200, 40)), shown, "{pixels:?}");
        }
    }

    fn look(accent: Option<&str>) -> CompanyLook {
        CompanyLook {
            company: CompanyId::parse("demo").unwrap(),
            name: "Demo".to_owned(),
            accent: accent.and_then(Colour::parse),
            logo: None,
        }
    }

    #[test]
    fn a_colour_is_a_style_with_a_name_of_its_own_and_none_is_none() {
        assert_eq!(look(None).stylesheet(), None);
        assert_eq!(look(None).stylesheet_name(), None);
        let style = look(Some("#a5231c")).stylesheet().unwrap();
        assert!(style.starts_with(":root{--accent:#a5231c;--accent-strong:#"), "{style}");
        assert_eq!(style.matches("--on-accent").count(), 2, "{style}");
        let name = look(Some("#a5231c")).stylesheet_name().unwrap();
        assert_eq!(name.len(), 16);
        assert_ne!(Some(name), look(Some("#17663a")).stylesheet_name());
    }
}
