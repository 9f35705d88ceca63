//! `[bulk]` and `[public_links]`: limits on bulk sends and on documents that strangers start.

use app::BulkSettings;
use serde::{Deserialize, Serialize};
use store::public_link::UseBounds;

/// `[bulk]`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Bulk {
    /// The maximum number of rows in one bulk send.
    pub rows: u32,
    /// The maximum size of the request, in bytes.
    pub largest_request: u64,
}

/// `[public_links]`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PublicLinks {
    /// The maximum number of documents started within an hour for one e-mail address or phone number, over all links of
    /// a company.
    pub hourly_per_addressee: u32,
    /// The maximum number of documents started by one link within an hour.
    pub hourly_per_link: u32,
    /// The maximum number of documents started from one IP address within ten minutes.
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
