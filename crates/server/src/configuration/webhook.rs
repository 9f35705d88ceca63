//! `[webhook]`: the addresses webhooks may be sent to, and how long their history is kept.

use app::HistorySettings;
use domain::public_address::AddressRules;
use serde::{Deserialize, Serialize};

use super::Configuration;

/// `[webhook]`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Webhook {
    /// Allows plain http.
    pub allow_http: bool,
    /// Allows any scheme, port and address, for tests and demonstrations.
    pub allow_private: bool,
    /// Allowed ports in addition to 80 and 443.
    pub ports: Vec<u16>,
    /// The number of days for which the history of deliveries is kept.
    pub history_days: u32,
    /// The maximum number of finished deliveries in each company's history.
    pub history_deliveries: u32,
}

impl Default for Webhook {
    fn default() -> Webhook {
        let AddressRules {
            allow_http,
            allow_private,
            ports,
        } = AddressRules::default();
        let HistorySettings { days, most } = HistorySettings::default();
        Webhook {
            allow_http,
            allow_private,
            ports,
            history_days: days,
            history_deliveries: most,
        }
    }
}

impl Configuration {
    /// Returns the rules for the addresses of webhooks.
    pub fn webhook_rules(&self) -> AddressRules {
        AddressRules {
            allow_http: self.webhook.allow_http,
            allow_private: self.webhook.allow_private,
            ports: self.webhook.ports.clone(),
        }
    }
}
