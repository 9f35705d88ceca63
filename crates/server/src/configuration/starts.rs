//! `[bulk]` and `[public_links]`: how many documents may be started at once, and by strangers.

use app::BulkSettings;
use serde::{Deserialize, Serialize};
use store::public_link::UseBounds;

/// `[bulk]`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Bulk {
    /// Rows of one bulk send.
    pub rows: u32,
    /// Bytes of its request.
    pub largest_request: u64,
}

/// `[public_links]`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PublicLinks {
    /// Documents started within an hour for one e-mail address or telephone number, over all links of a company.
    pub hourly_per_addressee: u32,
    /// Documents started by one link within an hour.
    pub hourly_per_link: u32,
    /// Documents started from one network address within ten minutes.
    pub per_network_address: u32,
}

impl Default for Bulk {
    fn default() -> Bulk {
        let BulkSettings { rows, bytes } = BulkSettings::default();
        Bulk {
            rows,
            largest_request: bytes,
        }
    }
}

impl Default for PublicLinks {
    fn default() -> PublicLinks {
        let UseBounds { of_addressee, of_link } = app::Settings::default().public_links;
        PublicLinks {
            hourly_per_addressee: of_addressee,
            hourly_per_link: of_link,
            per_network_address: countersign_http::HttpSettings::default().link_starts,
        }
    }
}
