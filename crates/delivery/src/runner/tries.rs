//! One try of a delivery (a webhook, a mail or a text message) and its result.

use std::sync::Arc;
use std::time::Duration;

use app::mail::OutgoingMail;
use app::{Purpose, WebhookSecret};
use domain::excerpt::excerpt_of;
use domain::public_address::CallbackUrl;
use domain::{CompanyId, one_time_code};
use failpoint::Place;
use jiff::Timestamp;
use store::outbox::{Claimed, ClaimedChannel, Outcome, Try};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout};

use super::Shared;
use super::results::{Done, TaskResult};
use super::secrets::SecretsFault;
use crate::customer_words::CustomerWords;
use crate::messenger::{Outgoing, Report, Verdict as MessageVerdict};
use crate::schedule::{MOST_TRIES, next_try};
use crate::webhook::{self, Verdict, Webhook};

/// Replaces a server's answer to a one-time code, because some servers quote what they received and members can read
/// the history.
const NOT_KEPT: &str = "not kept, because it may contain the code";

/// Maximum length of an error in the history, in characters.
const LONGEST_FAULT: usize = 1_000;

enum NoAnswer {
    /// We got no answer, either after sending or because we could not connect.
    NoneCame(String),
    /// We could not send the delivery at all.
    NotSent(String),
}

/// Start time of a try, by the wall clock and by the monotonic clock.
#[derive(Clone, Copy)]
pub(super) struct Began {
    pub(super) at: Timestamp,
    pub(super) moment: Instant,
}

impl Began {
    /// `at` must be the current time.
    pub(super) fn at(at: Timestamp) -> Began {
        Began {
            at,
            moment: Instant::now(),
        }
    }

    /// Returns the time since the start, in microseconds.
    pub(super) fn duration(self) -> i64 {
        i64::try_from(self.moment.elapsed().as_micros()).unwrap_or(i64::MAX)
    }
}

impl Shared {
    /// Makes the try. `asks` is called when we start to call the receiver. Time before that does not count against the
    /// receiver.
    pub(super) async fn deliver(self: Arc<Self>, claimed: Claimed, asks: impl FnOnce(Duration)) -> Done {
        let longest = self.settings.margin.unsigned_abs();
        let secrets = match &claimed.channel {
            ClaimedChannel::Webhook { client, .. } => {
                let read = timeout(longest, self.signing_secrets(&claimed.company, *client)).await;
                Some(read.unwrap_or(Err(SecretsFault::Unavailable)))
            }
            ClaimedChannel::Mail | ClaimedChannel::Message => None,
        };
        asks(self.made.elapsed());
        let began = Began::at(self.app.now());
        let is_late = claimed.lease_until.duration_since(began.at) < self.settings.margin;
        let secrets = match secrets {
            Some(Err(SecretsFault::Unreadable(reason))) => {
                let result = self.not_sent(&claimed, began, &reason);
                return Done { claimed, result };
            }
            Some(Err(SecretsFault::Unavailable)) => None,
            Some(Ok(secrets)) => Some(secrets.at(began.at)),
            None => Some(Vec::new()),
        };
        let result = match secrets {
            Some(secrets) if !is_late => {
                // Each kind has tighter limits of its own, but those do not cover waits inside this process, such as
                // waits for the database.
                let tried = timeout(longest, self.attempt(&claimed, &secrets, began)).await;
                tried.unwrap_or_else(|_| {
                    let outcome = self.again_in_time(&claimed, claimed.lane().is_of_codes(), None);
                    let reason = format!("it did not end within {} s", longest.as_secs_f32());
                    unanswered(began, &reason, outcome)
                })
            }
            _ => TaskResult::NotBegun,
        };
        Done { claimed, result }
    }

    async fn attempt(&self, claimed: &Claimed, secrets: &[WebhookSecret], began: Began) -> TaskResult {
        match &claimed.channel {
            ClaimedChannel::Webhook { url, authorization, .. } => {
                let answer = self
                    .post(claimed, url, authorization.as_deref(), secrets, began.at)
                    .await;
                let duration = began.duration();
                failpoint::reach(Place::Answered);
                match answer {
                    Ok(answer) => self.answered(claimed, began.at, duration, &answer),
                    Err(NoAnswer::NoneCame(reason)) => self.failed(claimed, began, &reason),
                    Err(NoAnswer::NotSent(reason)) => self.not_sent(claimed, began, &reason),
                }
            }
            ClaimedChannel::Mail => self.mail(claimed, began).await,
            ClaimedChannel::Message => self.message(claimed, began).await,
        }
    }

    async fn post(
        &self,
        claimed: &Claimed,
        url: &str,
        authorization: Option<&[u8]>,
        secrets: &[WebhookSecret],
        at: Timestamp,
    ) -> Result<crate::guarded_client::Answer, NoAnswer> {
        let vault = &self.app.vault;
        let undecipherable = |error: app::VaultError| NoAnswer::NotSent(error.to_string());
        let url = CallbackUrl::stored(url).ok_or_else(|| NoAnswer::NotSent("the URL is not valid".to_owned()))?;
        let body = vault
            .decrypt(Purpose::OutboxBody, &claimed.body)
            .map_err(undecipherable)?;
        let authorization = authorization
            .map(|sealed| vault.decrypt(Purpose::WebhookAuthorization, sealed))
            .transpose()
            .map_err(undecipherable)?;
        let webhook = Webhook {
            url: &url,
            event_id: &claimed.event_id,
            authorization: authorization.as_ref().map(|value| value.as_slice()),
            secrets,
            body: body.to_vec(),
        };
        webhook.send(&self.client, at).await.map_err(|fault| {
            if fault.is_before_sending() {
                NoAnswer::NotSent(fault.to_string())
            } else {
                NoAnswer::NoneCame(fault.to_string())
            }
        })
    }

    fn answered(
        &self,
        claimed: &Claimed,
        at: Timestamp,
        duration: i64,
        answer: &crate::guarded_client::Answer,
    ) -> TaskResult {
        let outcome = match webhook::verdict(answer) {
            Verdict::Success => Outcome::Delivered,
            Verdict::Gone => Outcome::Gone,
            Verdict::Failure => self.again(claimed, answer.retry_after.as_deref()),
        };
        let made = Try {
            at,
            duration,
            code: Some(answer.status),
            fault: None,
            answer: excerpt_of(&String::from_utf8_lossy(&answer.start)),
        };
        TaskResult::Tried { made, outcome }
    }

    pub(super) fn failed(&self, claimed: &Claimed, began: Began, reason: &str) -> TaskResult {
        unanswered(began, reason, self.again(claimed, None))
    }

    /// Returns a failure without a call. Says nothing about the receiver.
    pub(super) fn not_sent(&self, claimed: &Claimed, began: Began, reason: &str) -> TaskResult {
        let next = match self.again(claimed, None) {
            Outcome::Retry(due_at) => Some(due_at),
            _ => None,
        };
        unanswered(began, reason, Outcome::NotSent(next))
    }

    async fn mail(&self, claimed: &Claimed, began: Began) -> TaskResult {
        let Some(mailer) = &self.mailer else {
            return TaskResult::Kept;
        };
        let mail = match OutgoingMail::open(&claimed.body, &self.app.vault) {
            Ok(mail) => mail,
            Err(error) => return self.failed(claimed, began, &error.to_string()),
        };
        let logo = match self.logo(&claimed.company, &mail).await {
            Ok(logo) => logo,
            Err(reason) => return self.failed(claimed, began, &reason),
        };
        let sent = mailer.send(&mail, logo, &claimed.event_id, claimed.created_at).await;
        let duration = began.duration();
        match sent {
            Ok(answer) => {
                let made = Try {
                    at: began.at,
                    duration,
                    code: Some(250),
                    fault: None,
                    answer: quoted(&mail, answer),
                };
                TaskResult::Tried {
                    made,
                    outcome: Outcome::Delivered,
                }
            }
            Err(fault) => {
                tracing::info!(fault = quoted(&mail, &fault), "a mail could not be sent");
                let outcome = if fault.is_permanent {
                    Outcome::Dead
                } else {
                    self.again_in_time(claimed, mail.is_secret, None)
                };
                let made = Try {
                    at: began.at,
                    duration,
                    code: fault.code,
                    fault: Some(quoted(&mail, fault.words)),
                    answer: String::new(),
                };
                TaskResult::Tried { made, outcome }
            }
        }
    }

    async fn message(&self, claimed: &Claimed, began: Began) -> TaskResult {
        let Some(messengers) = &self.messengers else {
            return TaskResult::Kept;
        };
        let mail = match OutgoingMail::open(&claimed.body, &self.app.vault) {
            Ok(mail) => mail,
            Err(error) => return self.failed(claimed, began, &error.to_string()),
        };
        let message = Outgoing {
            mail: &mail,
            event_id: &claimed.event_id,
            at: began.at,
        };
        let Some(mut reports) = messengers.send(message).await else {
            return TaskResult::Kept;
        };
        for report in &mut reports {
            report.words = quoted(&mail, &report.words);
        }
        let is_taken = reports.iter().any(|report| report.verdict == MessageVerdict::Taken);
        let is_refused = reports.iter().all(|report| report.verdict == MessageVerdict::Refused);
        let outcome = if is_taken {
            Outcome::Delivered
        } else if is_refused {
            Outcome::Dead
        } else {
            let asked = reports.iter().find_map(|report| report.retry_after.as_deref());
            self.again_in_time(claimed, mail.is_secret, asked)
        };
        let words: Vec<String> = reports.iter().map(Report::line).collect();
        let words = told(words.join("\n"));
        let (fault, answer) = if is_taken {
            (None, words)
        } else {
            (Some(words), String::new())
        };
        let made = Try {
            at: began.at,
            duration: began.duration(),
            code: reports.iter().rev().find_map(|report| report.status),
            fault,
            answer,
        };
        TaskResult::Tried { made, outcome }
    }

    /// Returns the logo shown in the mail, or `None` if the logo no longer exists.
    async fn logo(&self, company: &CompanyId, mail: &OutgoingMail) -> Result<Option<Vec<u8>>, String> {
        let Some(hash) = mail.logo_hash() else {
            return Ok(None);
        };
        let (app, company) = (Arc::clone(&self.app), company.clone());
        match spawn_blocking(move || app.company_logo(&company, &hash)).await {
            Ok(Ok(png)) => Ok(Some(png)),
            Ok(Err(app::Error::NotFound(_))) => Ok(None),
            Ok(Err(error)) => Err(format!("the company's logo cannot be read: {error}")),
            Err(error) => Err(format!("the company's logo cannot be read: {error}")),
        }
    }

    /// Like `again`, but does not retry a one-time code that has expired.
    fn again_in_time(&self, claimed: &Claimed, is_secret: bool, retry_after: Option<&str>) -> Outcome {
        match self.again(claimed, retry_after) {
            Outcome::Retry(due_at) if is_secret && !one_time_code::is_alive(claimed.created_at, None, due_at) => {
                Outcome::Dead
            }
            outcome => outcome,
        }
    }

    /// Decides when to retry a failed delivery, if at all.
    pub(super) fn again(&self, claimed: &Claimed, retry_after: Option<&str>) -> Outcome {
        let made = claimed.tries.saturating_add(1).min(MOST_TRIES);
        let (event, now) = (claimed.created_at, self.app.now());
        next_try(made, event, now, retry_after, self.app.random.as_ref()).map_or(Outcome::Dead, Outcome::Retry)
    }
}

pub(super) fn unanswered(began: Began, reason: &str, outcome: Outcome) -> TaskResult {
    let made = Try {
        at: began.at,
        duration: began.duration(),
        code: None,
        fault: Some(told(reason)),
        answer: String::new(),
    };
    TaskResult::Tried { made, outcome }
}

/// Formats our own message about a failed delivery for the history, without control characters, which a terminal would
/// interpret.
pub(super) fn told(words: impl std::fmt::Display) -> String {
    let is_shown = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    let words = CustomerWords::of(words).to_string();
    words.chars().filter(is_shown).take(LONGEST_FAULT).collect()
}

/// Returns the part of a mail server's or gateway's answer to `mail` that the history stores.
fn quoted(mail: &OutgoingMail, words: impl std::fmt::Display) -> String {
    if mail.is_secret {
        NOT_KEPT.to_owned()
    } else {
        excerpt_of(&CustomerWords::of(words).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_FAULT, told};

    #[test]
    fn what_is_kept_of_a_fault_steers_no_terminal_and_has_an_end() {
        assert_eq!(told("a\u{1b}[31mbc\0\u{9b}2J\r\n\td"), "a[31mbc2J\n\td");
        assert_eq!(told("가".repeat(LONGEST_FAULT + 1)).chars().count(), LONGEST_FAULT);
    }
}
