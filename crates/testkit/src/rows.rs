//! Rows for tests that work below the use cases, in the store.

use domain::{CompanyId, Language, Region, SealMark, Zone};
use jiff::Timestamp;
use store::company::{Company, Style};

/// A company with the default settings.
pub fn company(id: &CompanyId, created_at: Timestamp) -> Company {
    Company {
        id: id.clone(),
        name: "데모 회사".to_owned(),
        language: Language::Ko,
        zone: Zone::SEOUL,
        region: Region::Kr,
        api_enabled: true,
        token_lifetime_seconds: 86_400,
        expiry_days: 14,
        link_days: 30,
        seal_level: None,
        tsa_url: None,
        when_tsa_is_down: None,
        seal_mark: SealMark::None,
        style: Style::default(),
        created_at,
    }
}
