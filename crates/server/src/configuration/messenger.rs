//! `[messenger.NAME]`: gateways for text messages.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use delivery::Messengers;
use delivery::messenger::{Format as BodyFormat, GatewayFault, GatewaySettings, Method, SignatureText, profiles};
use domain::Secret;
use serde::{Deserialize, Serialize};

use super::{Configuration, ConfigurationFault, secret};
use crate::environment::SystemRandom;

/// `[messenger.NAME]`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Messenger {
    /// A built-in description. The settings below `allow_private` override its parts.
    pub profile: Option<String>,
    /// Gateways with lower numbers are tried first.
    pub order: u32,
    /// Prefixes of the numbers that the gateway serves. Default: the profile's, or all.
    pub countries: Option<Vec<String>>,
    /// Our account, project or service at the gateway.
    pub account: String,
    /// The key that identifies us.
    pub key: Option<Secret>,
    /// The secret that belongs to the key.
    pub secret: Option<Secret>,
    pub secret_file: Option<PathBuf>,
    /// The sender's number or name.
    pub from: String,
    /// The `KakaoTalk` channel to send from.
    pub channel: String,
    /// The gateway's template IDs, by kind of message.
    pub templates: BTreeMap<String, String>,
    pub variables: BTreeMap<String, String>,
    /// Texts that replace ours, by kind of message.
    pub texts: BTreeMap<String, String>,
    /// The gateway's IDs of people, by phone number.
    pub ids: BTreeMap<String, String>,
    /// Allows an address that is not public, and plain http.
    pub allow_private: bool,
    /// Scheme, host and port.
    pub address: Option<String>,
    /// The rest of the URL.
    pub path: Option<String>,
    pub method: Option<Method>,
    /// Headers, added to the profile's.
    pub headers: BTreeMap<String, String>,
    pub format: Option<BodyFormat>,
    pub body: Option<String>,
    pub signed: Option<String>,
    pub signature: Option<SignatureText>,
    /// The gateway only carries kinds of messages that have a template.
    pub needs_template: Option<bool>,
    /// The gateway only reaches people whose ID is listed.
    pub needs_id: Option<bool>,
    pub answer: MessengerAnswer,
}

/// `[messenger.NAME.answer]`
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MessengerAnswer {
    /// Points to the value that indicates success.
    pub success_at: Option<String>,
    /// The values that mean success.
    pub success_is: Option<Vec<String>>,
    /// Status codes that mean the message was accepted before.
    pub taken: Option<Vec<u16>>,
    /// Status codes that mean the message will never be accepted.
    pub refused: Option<Vec<u16>>,
    /// Points to the message's ID.
    pub id_at: Option<Vec<String>>,
    /// Points to the gateway's explanation.
    pub words_at: Option<Vec<String>>,
    /// Points to the error code.
    pub code_at: Option<Vec<String>>,
    /// Error codes that mean a temporary problem.
    pub temporary: Option<Vec<String>>,
}

impl Default for Messenger {
    fn default() -> Messenger {
        Messenger {
            profile: None,
            order: 10,
            countries: None,
            account: String::new(),
            key: None,
            secret: None,
            secret_file: None,
            from: String::new(),
            channel: String::new(),
            templates: BTreeMap::new(),
            variables: BTreeMap::new(),
            texts: BTreeMap::new(),
            ids: BTreeMap::new(),
            allow_private: false,
            address: None,
            path: None,
            method: None,
            headers: BTreeMap::new(),
            format: None,
            body: None,
            signed: None,
            signature: None,
            needs_template: None,
            needs_id: None,
            answer: MessengerAnswer::default(),
        }
    }
}

impl Configuration {
    /// Returns the gateways for text messages, if there are any.
    pub fn messengers(&self) -> Result<Option<Messengers>, ConfigurationFault> {
        if self.messenger.is_empty() {
            return Ok(None);
        }
        let gateways = self
            .messenger
            .iter()
            .map(|(name, messenger)| self.gateway(name, messenger))
            .collect::<Result<Vec<_>, _>>()?;
        Messengers::through(&self.egress()?, gateways, Arc::new(SystemRandom))
            .map(Some)
            .map_err(
                |GatewayFault {
                     gateway,
                     setting,
                     reason,
                 }| self.senseless(&format!("messenger.{gateway}.{setting}"), reason),
            )
    }

    pub(super) fn gateway(&self, name: &str, given: &Messenger) -> Result<GatewaySettings, ConfigurationFault> {
        let setting = |key: &str| format!("messenger.{name}.{key}");
        // The `@` could belong to a password, and quoting any part of the address could reveal it.
        if given.address.as_ref().is_some_and(|address| address.contains('@')) {
            let reason = "remove the user and password; use the settings account, key and secret instead";
            return Err(self.senseless(&setting("address"), reason));
        }
        let (mut description, countries) = match &given.profile {
            None => {
                for (key, missing) in [("address", given.address.is_none()), ("body", given.body.is_none())] {
                    if missing {
                        let reason = "it is missing; set it, or use a profile";
                        return Err(self.senseless(&setting(key), reason));
                    }
                }
                // The usual status codes for an error in the message itself.
                let mut description = delivery::messenger::Description::default();
                description.answer.refused = vec![400, 422];
                (description, &[] as &[&str])
            }
            Some(profile) => profiles::profile(profile).ok_or_else(|| {
                let known = profiles::NAMES.join(", ");
                self.senseless(
                    &setting("profile"),
                    format!("{profile} is not a profile; the profiles are {known}"),
                )
            })?,
        };
        replace(&mut description.address, given.address.as_ref());
        replace(&mut description.path, given.path.as_ref());
        replace(&mut description.method, given.method.as_ref());
        replace(&mut description.format, given.format.as_ref());
        replace(&mut description.body, given.body.as_ref());
        replace(&mut description.signed, given.signed.as_ref());
        replace(&mut description.signature, given.signature.as_ref());
        replace(&mut description.needs_template, given.needs_template.as_ref());
        replace(&mut description.needs_id, given.needs_id.as_ref());
        description.headers.extend(given.headers.clone());
        let (reading, answer) = (&mut description.answer, &given.answer);
        if answer.success_at.is_some() {
            reading.success_at.clone_from(&answer.success_at);
        }
        replace(&mut reading.success_is, answer.success_is.as_ref());
        replace(&mut reading.taken, answer.taken.as_ref());
        replace(&mut reading.refused, answer.refused.as_ref());
        replace(&mut reading.id_at, answer.id_at.as_ref());
        replace(&mut reading.words_at, answer.words_at.as_ref());
        replace(&mut reading.code_at, answer.code_at.as_ref());
        replace(&mut reading.temporary, answer.temporary.as_ref());
        let credential = secret(
            &self.named(&setting("secret_file")),
            given.secret.as_ref(),
            given.secret_file.as_deref(),
        )?;
        let countries = match &given.countries {
            Some(countries) => countries.clone(),
            None => countries.iter().map(|&country| country.to_owned()).collect(),
        };
        Ok(GatewaySettings {
            name: name.to_owned(),
            description,
            account: given.account.clone(),
            key: given
                .key
                .as_ref()
                .map_or_else(String::new, |key| key.expose().to_owned()),
            secret: credential.map_or_else(String::new, |secret| secret.expose().to_owned()),
            from: given.from.clone(),
            channel: given.channel.clone(),
            templates: given.templates.clone(),
            variables: given.variables.clone(),
            texts: given.texts.clone(),
            ids: given.ids.clone(),
            countries,
            order: given.order,
            allow_private: given.allow_private,
        })
    }
}

/// Replaces a profile's value if one is given.
fn replace<T: Clone>(of_profile: &mut T, given: Option<&T>) {
    if let Some(given) = given {
        of_profile.clone_from(given);
    }
}
