//! `[webhook]`: where webhooks may go, and how long their history is kept.

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
    /// Allows any scheme, port and address: for tests and demonstrations.
    pub allow_private: bool,
    /// Ports besides 80 and 443.
    pub ports: Vec<u16>,
    /// How many days the history of deliveries is kept.
    pub history_days: u32,
    /// The most deliveries that are over in each company's history.
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
    /// Where webhooks may go.
    pub fn webhook_rules(&self) -> AddressRules {
        AddressRules {
            allow_http: self.webhook.allow_http,
            allow_private: self.webhook.allow_private,
            ports: self.webhook.ports.clone(),
        }
    }
}
