//! Short-lived addresses of files that a page offers.
//!
//! Browsers inside messengers pass a download to another program on the device, which sends a plain GET without the
//! page's form and cookies. So the page's form redirects to an address that contains everything needed and works for a
//! few minutes.

use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

use crate::App;
use crate::base::vault::Purpose;
use crate::signing::session::SigningKey;

/// Time until a download must start. It allows for programs that ask where to save the file.
const LIFE: Duration = Duration::from_mins(5);

#[derive(Serialize, Deserialize)]
struct Ticket {
    /// End of validity, in seconds since 1970.
    ends: i64,
    token: String,
    proof: Option<String>,
    one_time_proof: Option<String>,
}

impl App {
    /// Creates a ticket for this key, to use in an address. Nobody else can read or create one.
    pub fn download_ticket(&self, key: &SigningKey) -> String {
        let ticket = Ticket {
            ends: self.now().as_second().saturating_add(LIFE.as_secs().cast_signed()),
            token: key.token.clone(),
            proof: key.proof.clone(),
            one_time_proof: key.one_time_proof.clone(),
        };
        // Serialising a text and a number cannot fail. An empty ticket opens nothing.
        let plain = serde_json::to_vec(&ticket).unwrap_or_default();
        BASE64_URL_SAFE_NO_PAD.encode(self.vault.encrypt(Purpose::DownloadTicket, &plain))
    }

    /// Returns the key of a ticket. `None` if we did not create it, or if it has expired.
    pub fn key_of_ticket(&self, ticket: &str) -> Option<SigningKey> {
        let sealed = BASE64_URL_SAFE_NO_PAD.decode(ticket).ok()?;
        let plain = self.vault.decrypt(Purpose::DownloadTicket, &sealed).ok()?;
        let ticket: Ticket = serde_json::from_slice(&plain).ok()?;
        (self.now().as_second() < ticket.ends).then_some(SigningKey {
            token: ticket.token,
            proof: ticket.proof,
            one_time_proof: ticket.one_time_proof,
        })
    }
}
