//! Secrets that sign webhooks.

use std::fmt;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use domain::Random;
use zeroize::Zeroizing;

use crate::base::error::Error;
use crate::base::vault::{Purpose, Vault};

/// A secret that signs webhooks.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSecret(Zeroizing<Vec<u8>>);

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecret(…)")
    }
}

impl WebhookSecret {
    pub(crate) fn generate(random: &dyn Random) -> WebhookSecret {
        let mut key = Zeroizing::new(vec![0; 32]);
        random.fill(&mut key);
        WebhookSecret(key)
    }

    pub(crate) fn seal(&self, vault: &Vault) -> Vec<u8> {
        vault.encrypt(Purpose::WebhookSecret, &self.0)
    }

    pub(crate) fn open(sealed: &[u8], vault: &Vault) -> Result<WebhookSecret, Error> {
        vault
            .decrypt(Purpose::WebhookSecret, sealed)
            .map(WebhookSecret)
            .map_err(|error| Error::internal("reading a webhook secret", error))
    }

    /// The key of the HMAC.
    pub fn key(&self) -> &[u8] {
        &self.0
    }

    /// The secret as endpoints receive it. May be shown to people, but never logged.
    pub fn expose(&self) -> String {
        format!("whsec_{}", BASE64_STANDARD.encode(self.0.as_slice()))
    }
}
