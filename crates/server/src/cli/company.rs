//! `company add`, `company set`, `company list`.

use std::path::PathBuf;
use std::process::ExitCode;

use app::{App, CompanyChange, NewCompany, SealKeyDetails};
use clap::{Args, Subcommand, ValueEnum};
use document::pki::keys::KeyKind;
use document::pki::revocation::RevocationReason;
use domain::redirect::MOST_HOSTS;
use domain::{
    Colour, CompanyId, CompletedMails, Language, Palette, RedirectHosts, Region, SealLevel, SealMark, WhenTsaIsDown,
    Zone,
};
use serde_json::{Value, json};

use super::erase_person::ErasePerson;
use super::{Context, OfCompany, company_id, language, read};
use crate::opened::Absent;
use crate::output::{Failure, print, remark, table};

/// Add and change companies
#[derive(Debug, Subcommand)]
pub enum Company {
    /// Add a company with a seal key and a default API client; shows the webhook secret, as `client secret` does later
    Add {
        /// The company's ID, which is part of URLs: 1 to 40 of a-z, 0-9, - and _ (capitals become lowercase)
        id: String,
        /// The company's name, as shown in certificates and mails
        #[arg(long)]
        name: String,
        /// The kind of seal key
        #[arg(long, value_enum, default_value_t = Key::P256)]
        key: Key,
        #[command(flatten)]
        settings: Settings,
    },
    /// Change a company's settings
    Set {
        /// The company's ID
        #[arg(value_parser = company_id)]
        id: CompanyId,
        /// The company's new name
        #[arg(long)]
        name: Option<String>,
        #[command(flatten)]
        settings: Settings,
    },
    /// Show, replace or import the key that a company seals with
    #[command(subcommand)]
    Key(SealKeys),
    /// Erase a person from the company's finished documents; the sealed documents themselves stay
    ErasePerson(ErasePerson),
    /// List the companies
    List,
}

/// Show, replace or import the key that a company seals with
#[derive(Debug, Subcommand)]
pub enum SealKeys {
    /// Show the company's current seal certificate
    Show {
        #[command(flatten)]
        of: OfCompany,
    },
    /// Import the company's own key and certificates from a PKCS#12 file
    Import {
        #[command(flatten)]
        of: OfCompany,
        /// The PKCS#12 file (.p12, .pfx)
        #[arg(long, value_name = "FILE")]
        p12: PathBuf,
        /// A file that contains the password of the PKCS#12 file
        #[arg(long, value_name = "FILE")]
        password_file: PathBuf,
    },
    /// Seal with a key in a PKCS#11 token (configure the module in [pkcs11])
    UseToken {
        #[command(flatten)]
        of: OfCompany,
        /// The key's URI: pkcs11:token=LABEL;object=LABEL
        #[arg(long, value_name = "URI")]
        uri: String,
        /// The key's certificate in PEM, followed by those of its issuers
        #[arg(long, value_name = "FILE")]
        certificates: PathBuf,
    },
    /// Create a new key, certified by the installation's root; documents sealed with the old one stay valid
    Renew {
        #[command(flatten)]
        of: OfCompany,
        /// The kind of the new key
        #[arg(long, value_enum, default_value_t = Key::P256)]
        key: Key,
        /// Add the old certificate to the revocation list with this reason
        #[arg(long, value_enum, value_name = "REASON")]
        revoke: Option<Revoke>,
    },
}

/// The reason to revoke a certificate.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Revoke {
    /// No reason given
    Unspecified,
    /// Someone else may have the key
    KeyCompromise,
    /// The key was replaced
    Superseded,
    /// The company no longer seals here
    CessationOfOperation,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Key {
    /// ECDSA on P-256
    P256,
    /// RSA with 3072 bits
    Rsa3072,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Switch {
    /// On
    On,
    /// Off
    Off,
}

/// A company's own settings.
#[derive(Debug, Args)]
pub struct Settings {
    /// Whether programs may use the API in this company's name
    #[arg(long, value_enum)]
    api: Option<Switch>,
    /// Language of responses, of mails to members, and of documents that are started without a language: ko, en, ja
    #[arg(long, value_parser = language)]
    language: Option<Language>,
    /// The company's time zone, such as Asia/Seoul, or a fixed UTC offset, +HH:MM
    #[arg(long, alias = "offset", value_parser = zone, value_name = "ZONE", allow_hyphen_values = true)]
    time_zone: Option<Zone>,
    /// Country of phone numbers without a country code: KR, JP, US
    #[arg(long, value_parser = region)]
    region: Option<Region>,
    /// How long access tokens are valid, such as 24h, 30d or 90m; at most 30 days
    #[arg(long, value_parser = lifetime, value_name = "TIME")]
    token_lifetime: Option<i64>,
    /// How many days a workflow may take, unless it sets its own expiry date
    #[arg(long, value_name = "DAYS")]
    expiry_days: Option<i64>,
    /// Number of days for which links to finished files work
    #[arg(long, value_name = "DAYS")]
    link_days: Option<i64>,
    /// Seal level of the company's documents: B-B, B-T, B-LT, B-LTA; `default` uses the installation's
    #[arg(long, value_parser = or_default(seal_level), value_name = "LEVEL")]
    seal_level: Option<OrDefault<SealLevel>>,
    /// The URL of the company's time-stamp authority (RFC 3161); `default` uses the installation's
    #[arg(long, value_parser = or_default(|url| Ok(url.to_owned())), value_name = "URL")]
    tsa_url: Option<OrDefault<String>>,
    /// What to do while the time-stamp authority does not answer: `seal_and_upgrade`, `wait`; `default` uses the
    /// installation's
    #[arg(long, value_parser = or_default(when_tsa_is_down), value_name = "CHOICE")]
    when_tsa_is_down: Option<OrDefault<WhenTsaIsDown>>,
    /// A small note in the margin that says who sealed a document and when: none, last-page, every-page
    #[arg(long, value_parser = seal_mark, value_name = "WHERE")]
    seal_mark: Option<SealMark>,
    /// The colour of the company's pages and mails: #RRGGBB; adjusted if it would be hard to read
    #[arg(long, value_parser = colour, value_name = "COLOUR", conflicts_with = "no_accent")]
    accent: Option<Colour>,
    /// Remove the company's colour
    #[arg(long)]
    no_accent: bool,
    /// The logo on the company's pages and mails: a PNG or JPEG for a light background, at most 5 MiB
    #[arg(long, value_name = "FILE", conflicts_with = "no_logo")]
    logo: Option<PathBuf>,
    /// Remove the company's logo
    #[arg(long)]
    no_logo: bool,
    /// The sender name of the company's mails; `default` uses the company's name
    #[arg(long, value_parser = or_default(|name| Ok(name.to_owned())), value_name = "NAME")]
    mail_sender_name: Option<OrDefault<String>>,
    /// The address for replies to the company's mails; `default` uses the installation's
    #[arg(long, value_parser = or_default(|address| Ok(address.to_owned())), value_name = "ADDRESS")]
    mail_reply_to: Option<OrDefault<String>>,
    /// Who gets finished documents: writers, copies, sender (separated by commas), or none
    #[arg(long, value_parser = completed_mails, value_name = "WHOM")]
    completed_mails: Option<CompletedMails>,
    /// Days between reminders to signers, or `never`
    #[arg(long, value_parser = days_or_never, value_name = "DAYS")]
    remind_every: Option<DaysOrNever>,
    /// Days before the expiry date when signers are reminded, or `never`
    #[arg(long, value_parser = days_or_never, value_name = "DAYS")]
    remind_before: Option<DaysOrNever>,
    /// Hosts to which documents may lead signers at the end (`redirect_url`), separated by commas; "" for none
    #[arg(long, value_parser = redirect_hosts, value_name = "HOSTS")]
    redirect_hosts: Option<RedirectHosts>,
}

/// A number of days, or `never`.
#[derive(Debug, Clone, Copy)]
struct DaysOrNever(Option<i64>);

fn days_or_never(text: &str) -> Result<DaysOrNever, String> {
    if text == "never" {
        return Ok(DaysOrNever(None));
    }
    let days = text.parse().map_err(|_| "use a number of days, or never".to_owned())?;
    Ok(DaysOrNever(Some(days)))
}

fn colour(text: &str) -> Result<Colour, String> {
    Colour::parse(text).ok_or_else(|| "use a colour such as #2450a4".to_owned())
}

fn redirect_hosts(text: &str) -> Result<RedirectHosts, String> {
    RedirectHosts::parse(text).map_err(|host| {
        format!("'{host}' cannot be allowed; write up to {MOST_HOSTS} hosts such as app.example.com, without scheme, port and *")
    })
}

fn completed_mails(text: &str) -> Result<CompletedMails, String> {
    CompletedMails::parse(text).ok_or_else(|| "use one or more of writers, copies and sender, or none".to_owned())
}

/// A value, or `default`.
#[derive(Debug, Clone)]
struct OrDefault<T>(Option<T>);

fn or_default<T>(read: fn(&str) -> Result<T, String>) -> impl Fn(&str) -> Result<OrDefault<T>, String> + Clone {
    move |text| match text {
        "default" => Ok(OrDefault(None)),
        text => read(text).map(|value| OrDefault(Some(value))),
    }
}

fn seal_level(text: &str) -> Result<SealLevel, String> {
    SealLevel::parse(text).ok_or_else(|| "use B-B, B-T, B-LT, B-LTA or default".to_owned())
}

fn seal_mark(text: &str) -> Result<SealMark, String> {
    SealMark::parse(text).ok_or_else(|| "use none, last-page or every-page".to_owned())
}

fn when_tsa_is_down(text: &str) -> Result<WhenTsaIsDown, String> {
    WhenTsaIsDown::parse(text).ok_or_else(|| "use seal_and_upgrade, wait or default".to_owned())
}

impl Settings {
    fn change(&self, name: Option<String>) -> Result<CompanyChange, Failure> {
        let logo = self.logo.as_deref().map(read).transpose()?;
        Ok(CompanyChange {
            name,
            language: self.language,
            zone: self.time_zone,
            region: self.region,
            api_enabled: self.api.map(|switch| matches!(switch, Switch::On)),
            token_lifetime_seconds: self.token_lifetime,
            expiry_days: self.expiry_days,
            link_days: self.link_days,
            seal_level: self.seal_level.clone().map(|choice| choice.0),
            tsa_url: self.tsa_url.clone().map(|choice| choice.0),
            when_tsa_is_down: self.when_tsa_is_down.clone().map(|choice| choice.0),
            seal_mark: self.seal_mark,
            accent: taken(self.accent, self.no_accent),
            logo: taken(logo, self.no_logo),
            mail_sender_name: self.mail_sender_name.clone().map(|choice| choice.0),
            mail_reply_to: self.mail_reply_to.clone().map(|choice| choice.0),
            completed_mails: self.completed_mails,
            remind_every_days: self.remind_every.map(|days| days.0),
            remind_before_days: self.remind_before.map(|days| days.0),
            redirect_hosts: self.redirect_hosts.clone(),
        })
    }
}

/// Returns the new value. `Some(None)` removes the setting, and `None` keeps it.
#[expect(clippy::option_option, reason = "stays, away, or given")]
fn taken<T>(given: Option<T>, away: bool) -> Option<Option<T>> {
    match given {
        Some(given) => Some(Some(given)),
        None => away.then_some(None),
    }
}

/// Notifies the operator if pages will show a slightly different colour than the one chosen.
fn tell_accent(context: &Context, company: &store::company::Company, settings: &Settings) {
    let (Some(given), Some(_)) = (company.style.accent, settings.accent) else {
        return;
    };
    let shown = Palette::of(given);
    if shown.light.accent != given {
        let text = format!(
            "{given} is hard to read on a light page, so pages show {} instead, and {} in dark mode",
            shown.light.accent, shown.dark.accent
        );
        remark(context.json, &text);
    }
}

impl Key {
    fn kind(self) -> KeyKind {
        match self {
            Key::P256 => KeyKind::EcdsaP256,
            Key::Rsa3072 => KeyKind::Rsa3072,
        }
    }
}

impl SealKeys {
    fn run(self, context: &Context, app: &App) -> Result<(), Failure> {
        let details = match self {
            SealKeys::Show { of } => app.seal_key_details(&of.operator(app)?)?,
            SealKeys::Import { of, p12, password_file } => {
                let file = read(&p12)?;
                let password = std::fs::read_to_string(&password_file).map_err(Failure::file(&password_file))?;
                app.import_seal_key(&of.operator(app)?, &file, password.trim_end_matches(['\r', '\n']))?
            }
            SealKeys::UseToken { of, uri, certificates } => {
                let pem = std::fs::read_to_string(&certificates).map_err(Failure::file(&certificates))?;
                app.use_token_key(&of.operator(app)?, &uri, &pem)?
            }
            SealKeys::Renew { of, key, revoke } => {
                let reason = revoke.map(|revoke| match revoke {
                    Revoke::Unspecified => RevocationReason::Unspecified,
                    Revoke::KeyCompromise => RevocationReason::KeyCompromise,
                    Revoke::Superseded => RevocationReason::Superseded,
                    Revoke::CessationOfOperation => RevocationReason::CessationOfOperation,
                });
                app.renew_seal_key(&of.operator(app)?, key.kind(), reason)?
            }
        };
        let value = json!({
            "subject": details.subject,
            "issuer": details.issuer,
            "not_after": details.not_after,
            "certificate": details.certificate,
            "outlasting_documents": details.outlasting,
        });
        let lines = format!(
            "subject    {}\nissuer     {}\nvalid to   {}\n\n{}",
            details.subject, details.issuer, details.not_after, details.certificate
        );
        print(context.json, &value, &lines);
        if !details.outlasting.is_empty() {
            remark(context.json, &outlasting(&details));
        }
        Ok(())
    }
}

fn outlasting(details: &SealKeyDetails) -> String {
    let ids: Vec<String> = details.outlasting.iter().map(ToString::to_string).collect();
    format!(
        "warning: documents under way expire after this certificate ends on {}: {}. Renew or import a key before then, or \
         extend them to an earlier date.",
        details.not_after,
        ids.join(", ")
    )
}

impl Company {
    pub fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let absent = match self {
            // The first company creates the installation.
            Company::Add { .. } => Absent::Make,
            Company::Set { .. } | Company::List | Company::ErasePerson(_) | Company::Key(_) => Absent::Refuse,
        };
        let app = context.place.open(None, absent)?.app;
        match self {
            Company::Add {
                id,
                name,
                key,
                settings,
            } => {
                let added = app.add_company(&NewCompany {
                    id,
                    name,
                    key: key.kind(),
                    settings: settings.change(None)?,
                })?;
                let (company, client, secret) = (&added.company.id, added.client, added.secret.expose());
                let value = json!({"company": company, "client_id": client, "webhook_secret": secret});
                tell_accent(context, &added.company, &settings);
                let lines = format!("company         {company}\nclient_id       {client}\nwebhook secret  {secret}\n");
                print(context.json, &value, &lines);
            }
            Company::Set { id, name, settings } => {
                let company = app.change_company(&app.operator(&id)?, &settings.change(name)?)?;
                tell_accent(context, &company, &settings);
                print(context.json, &value(&company), &rows(&[company]));
            }
            Company::Key(command) => command.run(context, &app)?,
            Company::ErasePerson(erase) => return erase.run(&app, context.json),
            Company::List => {
                let companies = app.companies()?;
                let values: Vec<Value> = companies.iter().map(value).collect();
                print(context.json, &Value::from(values), &rows(&companies));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn value(company: &store::company::Company) -> Value {
    json!({
        "company": company.id,
        "name": company.name,
        "language": company.language.code(),
        "time_zone": company.zone.to_string(),
        "region": company.region.code(),
        "api": company.api_enabled,
        "token_lifetime_seconds": company.token_lifetime_seconds,
        "expiry_days": company.expiry_days,
        "link_days": company.link_days,
        "seal_level": company.seal_level,
        "tsa_url": company.tsa_url,
        "when_tsa_is_down": company.when_tsa_is_down,
        "seal_mark": company.seal_mark,
        "accent": company.style.accent,
        "accent_shown": company.style.accent.map(|accent| {
            let shown = Palette::of(accent);
            json!({"light": shown.light.accent, "dark": shown.dark.accent, "changed": shown.light.accent != accent})
        }),
        "logo": company.style.logo.map(|logo| {
            json!({"sha256": logo.hash.to_string(), "width": logo.width, "height": logo.height})
        }),
        "mail_sender_name": company.style.mail_sender_name,
        "mail_reply_to": company.style.mail_reply_to,
        "completed_mails": company.style.completed_mails.to_string(),
        "remind_every_days": company.style.reminders.every_days,
        "remind_before_days": company.style.reminders.before_days,
        "redirect_hosts": company.style.redirect_hosts.iter().collect::<Vec<_>>(),
        "created_at": company.created_at,
    })
}

fn rows(companies: &[store::company::Company]) -> String {
    let rows: Vec<Vec<String>> = companies
        .iter()
        .map(|company| {
            vec![
                company.id.to_string(),
                company.name.clone(),
                if company.api_enabled { "on" } else { "off" }.to_owned(),
                company.language.code().to_owned(),
                company.zone.to_string(),
                company.region.code().to_owned(),
                format!("{} s", company.token_lifetime_seconds),
                company.expiry_days.to_string(),
                company.link_days.to_string(),
                company.seal_level.map_or("default", SealLevel::code).to_owned(),
            ]
        })
        .collect();
    let headings = [
        "ID",
        "NAME",
        "API",
        "LANGUAGE",
        "TIME ZONE",
        "REGION",
        "TOKENS LIVE",
        "EXPIRY DAYS",
        "LINK DAYS",
        "SEAL",
    ];
    table(&headings, &rows)
}

fn zone(text: &str) -> Result<Zone, String> {
    Zone::parse(text)
        .ok_or_else(|| "use the name of a time zone, such as Asia/Seoul, or an offset such as +09:00".to_owned())
}

pub(super) fn region(text: &str) -> Result<Region, String> {
    Region::parse(text).ok_or_else(|| "use KR, JP or US".to_owned())
}

/// `90m`, `24h`, `30d`, or seconds.
fn lifetime(text: &str) -> Result<i64, String> {
    let (number, unit) = match text.chars().last() {
        Some('s') => (text.trim_end_matches('s'), 1),
        Some('m') => (text.trim_end_matches('m'), 60),
        Some('h') => (text.trim_end_matches('h'), 60 * 60),
        Some('d') => (text.trim_end_matches('d'), 24 * 60 * 60),
        _ => (text, 1),
    };
    number
        .parse::<i64>()
        .ok()
        .and_then(|number| number.checked_mul(unit))
        .ok_or_else(|| "use a time such as 24h, 30d or 90m".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lifetimes_are_read_with_their_unit() {
        for (text, seconds) in [
            ("90m", 5400),
            ("24h", 86_400),
            ("30d", 2_592_000),
            ("60", 60),
            ("60s", 60),
        ] {
            assert_eq!(lifetime(text), Ok(seconds), "{text}");
        }
        for text in ["", "h", "1w", "1.5h", "9223372036854775807d"] {
            assert!(lifetime(text).is_err(), "{text}");
        }
    }
}
