//! `[metrics]`: the address that serves the metrics.

use serde::{Deserialize, Serialize};

/// `[metrics]`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Metrics {
    /// The address of `/metrics`, `/livez` and `/readyz`. It must not be the public one. Empty for none.
    pub listen: String,
}

impl Default for Metrics {
    fn default() -> Metrics {
        Metrics {
            listen: "127.0.0.1:9464".to_owned(),
        }
    }
}
