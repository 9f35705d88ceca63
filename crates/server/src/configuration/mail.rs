//! `[mail]` and `[mail.smtp]`: the content of mails, and the server that sends them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use app::MailTemplates;
use delivery::mailer::{
    LONGEST_SENDING, MailLogin, MailSettings, MailSettingsFault, MailTls, Mailer, OAuthSettings, RefreshToken,
};
use domain::Secret;
use serde::{Deserialize, Serialize};

use super::{Configuration, ConfigurationFault, secret};
use crate::environment::SystemClock;

/// `[mail]`
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Mail {
    /// A folder with templates that replace the built-in ones.
    pub templates_folder: Option<PathBuf>,
    /// The SMTP server. Without one, mails stay in the outbox and are shown on a page.
    pub smtp: Option<Smtp>,
}

/// `[mail.smtp]`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Smtp {
    pub host: String,
    /// Default: 587, 465 or 25, depending on `tls`.
    pub port: Option<u16>,
    #[serde(default)]
    pub tls: SmtpTls,
    pub from: String,
    pub user: Option<String>,
    pub password: Option<Secret>,
    pub password_file: Option<PathBuf>,
    /// Access tokens in place of a password.
    pub oauth: Option<OAuth>,
    #[serde(default = "thirty")]
    pub timeout_seconds: u64,
}

/// `[mail.smtp.oauth]`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OAuth {
    /// The token endpoint.
    pub token_url: String,
    pub client_id: String,
    pub client_secret: Option<Secret>,
    pub client_secret_file: Option<PathBuf>,
    /// Without one, the client's own credentials are used.
    pub refresh_token: Option<Secret>,
    pub refresh_token_file: Option<PathBuf>,
    pub scope: Option<String>,
}

/// How the connection to the SMTP server is protected.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SmtpTls {
    /// No encryption.
    None,
    /// STARTTLS, which must succeed.
    #[default]
    Starttls,
    /// TLS from the first byte.
    Tls,
}

fn thirty() -> u64 {
    30
}

impl Configuration {
    /// Returns the mail templates, including any errors in the operator's own.
    pub fn mail_templates(&self) -> MailTemplates {
        match &self.mail.templates_folder {
            Some(folder) => MailTemplates::with_folder(folder),
            None => MailTemplates::built_in(),
        }
    }

    /// Returns the SMTP server's settings, if there is one.
    pub fn mail(&self) -> Result<Option<MailSettings>, ConfigurationFault> {
        let Some(smtp) = &self.mail.smtp else { return Ok(None) };
        if smtp.host.contains(['@', '/', ' ']) {
            let reason = "use only the server's name; the port, user and password have their own settings";
            return Err(self.senseless("mail.smtp.host", reason));
        }
        let (tls, port) = match smtp.tls {
            SmtpTls::None => (MailTls::None, 25),
            SmtpTls::Starttls => (MailTls::StartTls, 587),
            SmtpTls::Tls => (MailTls::Tls, 465),
        };
        let login = self.mail_login(smtp)?;
        let settings = MailSettings {
            host: smtp.host.clone(),
            port: smtp.port.unwrap_or(port),
            tls,
            login,
            from: smtp.from.clone(),
            timeout: Duration::from_secs(smtp.timeout_seconds.max(1)),
            longest: LONGEST_SENDING,
        };
        match Mailer::new(&settings) {
            Ok(_) => Ok(Some(settings)),
            Err(fault @ MailSettingsFault::From(_)) => Err(self.senseless("mail.smtp.from", fault)),
            Err(fault @ MailSettingsFault::Tls(_)) => Err(self.senseless("mail.smtp.host", fault)),
            Err(fault @ MailSettingsFault::TokenUrl(_)) => Err(self.senseless("mail.smtp.oauth.token_url", fault)),
            Err(fault @ MailSettingsFault::PlainToken) => Err(self.senseless("mail.smtp.tls", fault)),
        }
    }

    fn mail_login(&self, smtp: &Smtp) -> Result<Option<(String, MailLogin)>, ConfigurationFault> {
        if let Some(oauth) = &smtp.oauth {
            let Some(user) = &smtp.user else {
                let reason = "set mail.smtp.user too: the mailbox that sends";
                return Err(self.senseless("mail.smtp.oauth", reason));
            };
            return Ok(Some((user.clone(), MailLogin::OAuth(self.oauth(oauth)?))));
        }
        let password = secret(
            &self.named("mail.smtp.password_file"),
            smtp.password.as_ref(),
            smtp.password_file.as_deref(),
        )?;
        match (&smtp.user, password) {
            (Some(user), Some(password)) => Ok(Some((user.clone(), MailLogin::Password(password)))),
            (None, None) => Ok(None),
            (Some(_), None) => Err(self.senseless("mail.smtp.user", "set mail.smtp.password or mail.smtp.oauth too")),
            (None, Some(_)) => Err(self.senseless("mail.smtp.password", "set mail.smtp.user too")),
        }
    }

    fn oauth(&self, oauth: &OAuth) -> Result<OAuthSettings, ConfigurationFault> {
        let client_secret = secret(
            &self.named("mail.smtp.oauth.client_secret_file"),
            oauth.client_secret.as_ref(),
            oauth.client_secret_file.as_deref(),
        )?;
        // The file is read for each use, but a file that cannot be read is reported now.
        let refresh_token = secret(
            &self.named("mail.smtp.oauth.refresh_token_file"),
            oauth.refresh_token.as_ref(),
            oauth.refresh_token_file.as_deref(),
        )?;
        if client_secret.is_none() && refresh_token.is_none() {
            let reason = "set mail.smtp.oauth.client_secret, mail.smtp.oauth.refresh_token, or both";
            return Err(self.senseless("mail.smtp.oauth", reason));
        }
        Ok(OAuthSettings {
            token_url: oauth.token_url.clone(),
            client_id: oauth.client_id.clone(),
            client_secret,
            refresh_token: match &oauth.refresh_token_file {
                Some(path) => Some(RefreshToken::File(path.clone())),
                None => refresh_token.map(RefreshToken::Text),
            },
            scope: oauth.scope.clone(),
            egress: self.egress()?,
            clock: Arc::new(SystemClock),
        })
    }
}
