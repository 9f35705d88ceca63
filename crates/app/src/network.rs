//! The network, as sealing needs it: time-stamp authorities, revocation lists, OCSP responders, certificates of issuers.
//!
//! The use-cases know this port; the program puts the guarded client behind it. Most addresses that are asked here stand in
//! certificates of strangers, so whoever implements it holds every one to the rules about addresses.

/// Asks over HTTP, and waits for the answer. An answer is one of status 200; anything else is a fault.
pub trait Network: Send + Sync {
    /// Fetches a file.
    fn get(&self, url: &str) -> Result<Vec<u8>, NetworkFault>;

    /// Sends a question of a media type, with an Authorization value where the receiver wants one.
    fn post(
        &self,
        url: &str,
        media_type: &'static str,
        authorization: Option<&str>,
        body: Vec<u8>,
    ) -> Result<Vec<u8>, NetworkFault>;
}

/// Why nothing came.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{url}: {reason}")]
pub struct NetworkFault {
    /// Who was asked.
    pub url: String,
    /// Why.
    pub reason: String,
}

/// No network: whatever is asked fails. For installations and tests that seal without a time-stamp authority.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoNetwork;

impl NoNetwork {
    fn fault(url: &str) -> NetworkFault {
        NetworkFault {
            url: url.to_owned(),
            reason: "there is no network here".to_owned(),
        }
    }
}

impl Network for NoNetwork {
    fn get(&self, url: &str) -> Result<Vec<u8>, NetworkFault> {
        Err(NoNetwork::fault(url))
    }

    fn post(
        &self,
        url: &str,
        _media_type: &'static str,
        _authorization: Option<&str>,
        _body: Vec<u8>,
    ) -> Result<Vec<u8>, NetworkFault> {
        Err(NoNetwork::fault(url))
    }
}
