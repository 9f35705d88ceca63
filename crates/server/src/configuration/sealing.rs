//! `[sealing]` and `[pkcs11]`: how documents are sealed, and the tokens that contain seal keys.

use std::path::PathBuf;
use std::time::Duration;

use app::{SealingSettings, TimeStampAuthority};
use delivery::SourceRules;
use domain::public_address::{AddressRules, CallbackUrl};
use domain::{SealLevel, Secret, WhenTsaIsDown};
use serde::{Deserialize, Serialize};

use super::server::public_url;
use super::{Configuration, ConfigurationFault, secret};

/// `[sealing]`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sealing {
    /// `B-B`, `B-T`, `B-LT` or `B-LTA`. Default: `B-LTA` with a time-stamp authority, `B-B` without.
    pub level: Option<SealLevel>,
    /// The time-stamp authority (RFC 3161 over HTTP).
    pub tsa_url: Option<String>,
    /// The policy to request. Default: the authority's own.
    pub tsa_policy: Option<String>,
    /// The value of the Authorization header, if the authority requires one.
    pub tsa_authorization: Option<Secret>,
    pub tsa_authorization_file: Option<PathBuf>,
    /// `seal_and_upgrade` or `wait`.
    pub when_tsa_is_down: WhenTsaIsDown,
    /// Time-stamp authorities that companies choose may have addresses that are not public. The operator's own always may.
    pub allow_private: bool,
    /// Hosts from which revocation lists, OCSP responses and certificates are fetched even if their addresses are not
    /// public.
    pub private_hosts: Vec<String>,
    /// How long an approval waits for the proof that certificates are valid, in seconds.
    pub proof_seconds: u64,
    /// The place that is stated in seals (`/Location`), if any.
    pub location: Option<String>,
    /// The URL of the root's revocation list in new seal certificates. Default: `/ca/root.crl` below
    /// `server.public_url`, or none if that is not set.
    pub revocation_list_url: Option<String>,
}

/// `[pkcs11]`
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tokens {
    /// The path of the module, a shared library from the vendor of the token.
    pub module: Option<PathBuf>,
    /// The user PIN of the tokens.
    pub pin: Option<Secret>,
    pub pin_file: Option<PathBuf>,
}

impl Default for Sealing {
    fn default() -> Sealing {
        let SealingSettings {
            level,
            when_tsa_is_down,
            location,
            proof_wait,
            ..
        } = SealingSettings::default();
        Sealing {
            level,
            tsa_url: None,
            tsa_policy: None,
            tsa_authorization: None,
            tsa_authorization_file: None,
            when_tsa_is_down,
            allow_private: false,
            private_hosts: Vec::new(),
            proof_seconds: proof_wait.as_secs(),
            location,
            revocation_list_url: None,
        }
    }
}

impl Configuration {
    /// The rules for time-stamp authorities that companies choose. Most use plain http, and what they send is signed.
    pub fn authority_rules(&self) -> AddressRules {
        AddressRules {
            allow_http: true,
            allow_private: self.sealing.allow_private || self.webhook.allow_private,
            ports: self.webhook.ports.clone(),
        }
    }

    /// Returns the rules for revocation lists, OCSP responders and certificates named in other people's certificates. A
    /// private address is allowed only for a host that is listed by name.
    pub fn source_rules(&self) -> SourceRules {
        SourceRules {
            ports: self.webhook.ports.clone(),
            private_hosts: self.sealing.private_hosts.clone(),
        }
    }

    /// Returns the PKCS#11 module and the PIN of its tokens, if there is one.
    pub fn pkcs11(&self) -> Result<Option<(PathBuf, String)>, ConfigurationFault> {
        let Some(module) = &self.pkcs11.module else {
            return Ok(None);
        };
        let pin = secret(
            &self.named("pkcs11.pin_file"),
            self.pkcs11.pin.as_ref(),
            self.pkcs11.pin_file.as_deref(),
        )?;
        let pin = pin.ok_or_else(|| {
            self.senseless(
                "pkcs11.module",
                "a PKCS#11 module needs the PIN of its tokens; set pkcs11.pin_file",
            )
        })?;
        Ok(Some((module.clone(), pin.expose().to_owned())))
    }

    pub(super) fn sealing(&self) -> Result<SealingSettings, ConfigurationFault> {
        let sealing = &self.sealing;
        let authorization = secret(
            &self.named("sealing.tsa_authorization_file"),
            sealing.tsa_authorization.as_ref(),
            sealing.tsa_authorization_file.as_deref(),
        )?;
        let policy = sealing
            .tsa_policy
            .as_ref()
            .map(|policy| policy.parse())
            .transpose()
            .map_err(|error| self.senseless("sealing.tsa_policy", error))?;
        let tsa = match &sealing.tsa_url {
            // The `@` could belong to a password, and quoting any part of the URL could reveal it.
            Some(url) if url.contains('@') => {
                let reason = "remove the user and password; use sealing.tsa_authorization_file instead";
                return Err(self.senseless("sealing.tsa_url", reason));
            }
            Some(url) => {
                let anywhere = AddressRules {
                    allow_private: true,
                    ..self.authority_rules()
                };
                CallbackUrl::parse(url, &anywhere).map_err(|error| self.senseless("sealing.tsa_url", error))?;
                Some(TimeStampAuthority {
                    url: url.clone(),
                    policy,
                    authorization: authorization.map(|value| value.expose().to_owned()),
                })
            }
            None if sealing.level.is_some_and(|level| level > SealLevel::Basic) => {
                return Err(self.senseless(
                    "sealing.level",
                    "a level above B-B needs a time-stamp authority; set sealing.tsa_url",
                ));
            }
            None => None,
        };
        let own = match &self.server.public_url {
            Some(url) => {
                let url = public_url(url).map_err(|reason| self.senseless("server.public_url", reason))?;
                Some(format!("{url}/ca/root.crl"))
            }
            None => None,
        };
        Ok(SealingSettings {
            level: sealing.level,
            tsa,
            when_tsa_is_down: sealing.when_tsa_is_down,
            location: sealing.location.clone(),
            revocation_list_url: sealing.revocation_list_url.clone().or(own),
            addresses: self.authority_rules(),
            proof_wait: Duration::from_secs(sealing.proof_seconds),
        })
    }
}
