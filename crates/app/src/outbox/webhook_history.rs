//! The history of the Export API: the webhooks sent to a company's servers, the result of each try, and resending.
//!
//! A delivery keeps its body and its event ID as long as it exists, so a resent webhook is the same event, byte for
//! byte. The history of each company is limited by age and by number ([`HistorySettings`]). Deliveries that are still
//! due are not part of the history, and are never deleted.

use std::time::Instant;

use domain::public_address::CallbackUrl;
use domain::{ClientId, WorkflowId, Zone, time};
use jiff::{Timestamp, ToSpan};
use serde::Serialize;
use serde_json::json;
use store::Transaction;
use store::outbox::{self, Delivery, DeliveryId, HistoryBound, HistoryFilter, Kind, State, Stop, Try};

use crate::App;
use crate::base::actor::{Actor, Permit};
use crate::base::audit_log::Action;
use crate::base::callback::{authorization_fault, callback_fault};
use crate::base::error::{ConflictCode, Error, Fault, FaultCode, Subject};
use crate::base::listing::ListReader;
use crate::base::network::WebhookTrial;
use crate::base::webhook_secret::WebhookSecret;
use crate::outbox::messages::new_event_id;
use crate::outbox::webhook;

/// Maximum number of deliveries that one call resends.
const MOST_RESENT: u32 = 1_000;
/// Maximum number of characters of a response that are shown.
const LONGEST_ANSWER: usize = 1_000;
/// Number of deliveries deleted in one transaction.
const FORGOTTEN_AT_ONCE: u32 = 1_000;
/// Maximum hours to keep a delivery beyond the limits until it is recorded in its workflow's audit trail.
const WAITS_TO_BE_TOLD: i64 = 24;

/// The limits of a company's history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistorySettings {
    /// Maximum age in days.
    pub days: u32,
    /// Maximum number of finished deliveries.
    pub most: u32,
}

impl Default for HistorySettings {
    fn default() -> HistorySettings {
        HistorySettings { days: 30, most: 50_000 }
    }
}

/// The filters of a history, from the query or the body.
#[derive(Debug, Clone, Default)]
pub struct ExportsRequest {
    pub workflow_id: Option<String>,
    /// `waiting`, `held`, `delivered` or `dead`.
    pub status: Option<String>,
    /// The endpoint's URL.
    pub url: Option<String>,
    /// Only events at or after this time: `YYYY-MM-DD` or `YYYY-MM-DD HH:MM:SS` in the company's time zone.
    pub from: Option<String>,
    /// Only events before this time. A date without a time means the end of that day.
    pub to: Option<String>,
    /// `next_cursor` of the previous response.
    pub cursor: Option<String>,
    /// Number of webhooks that were resent.
    pub limit: Option<String>,
    /// Faults found while reading the request.
    pub faults: Vec<Fault>,
}

/// Deliveries, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct ExportList {
    /// The deliveries on this page.
    pub export_list: Vec<ExportDelivery>,
    /// Pass this value as `cursor` to get the next page. Absent at the end of the list.
    pub next_cursor: Option<String>,
}

/// A webhook and the results of its tries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct ExportDelivery {
    /// The ID of the delivery.
    #[schema(example = 7)]
    pub export_id: i64,
    /// The event's ID, which is the `webhook-id` of every try.
    #[schema(example = "msg_6f1c0f4f0cf34d1f9a4bcd7a1d2e3f40")]
    pub webhook_id: String,
    /// The document that the webhook is about.
    pub workflow_id: Option<i64>,
    /// The endpoint's URL.
    pub url: String,
    /// `waiting` (for its first or next try), `held` (the endpoint was stopped), `delivered` or `dead` (given up).
    #[schema(pattern = "^(waiting|held|delivered|dead)$")]
    pub status: &'static str,
    /// Time of the event, with its UTC offset.
    pub created_date: String,
    /// Time of the next try, with its UTC offset. Empty if there is none.
    pub next_date: String,
    /// Time when the webhook was delivered or given up, with its UTC offset. Empty until then.
    pub finished_date: String,
    /// The number of tries in all rounds.
    pub tries: u32,
    /// The tries, oldest first. If there are very many, only the latest are listed.
    pub try_list: Vec<ExportTry>,
}

/// A try to deliver a webhook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct ExportTry {
    /// The try's number, from 1.
    pub number: u32,
    /// Time when the try began, with its UTC offset.
    pub date: String,
    /// Duration of the request, in milliseconds.
    pub duration_ms: i64,
    /// The HTTP status. Absent if there was no response.
    #[schema(example = 503)]
    pub code: Option<u16>,
    /// The reason why there was no response.
    pub fault: Option<String>,
    /// An excerpt from the start of the response: words and numbers that are typical of errors. An ellipsis replaces
    /// the rest.
    pub answer: String,
}

/// The number of webhooks that were resent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct ExportsResent {
    /// Number of webhooks that were resent.
    pub resent: usize,
    /// Whether there are more in the range. If so, call again with `next_cursor` as `cursor`.
    pub more: bool,
    /// Pass this value as `cursor` to continue. Absent if nothing is left.
    pub next_cursor: Option<String>,
}

/// An endpoint that was paused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct EndpointPaused {
    /// The endpoint's URL.
    pub url: String,
    /// The number of deliveries that are being held.
    pub held: u64,
    /// Whether anything uses this endpoint: a webhook was sent or failed to reach it, or a document in progress will
    /// use it. If nothing does, check the URL for typing errors. Webhooks of later documents to it are held anyway.
    pub known: bool,
}

/// Endpoints that fail or were stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct ExportEndpoints {
    /// The endpoints, in alphabetical order.
    pub endpoint_list: Vec<ExportEndpoint>,
    /// Pass this value as `cursor` to get the next page. Absent at the end of the list.
    pub next_cursor: Option<String>,
}

/// An endpoint that has failed since its last success.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct ExportEndpoint {
    /// The endpoint's URL.
    pub url: String,
    /// Time when tries began to fail, with its UTC offset. Empty if the endpoint was working when it was paused.
    pub failing_since: String,
    /// `failing`, `stopped` (because of its failures) or `paused` (by a member).
    #[schema(pattern = "^(failing|stopped|paused)$")]
    pub status: &'static str,
    /// Time when the endpoint was stopped or paused, with its UTC offset. Empty if it was not.
    pub stopped_date: String,
    /// The reason: `gone` (it returned 410), `failing` (every try failed for five days) or `paused` (by a member).
    pub stopped_reason: Option<&'static str>,
    /// The number of deliveries that are held until the endpoint is restarted.
    pub held: u64,
}

/// An endpoint that was restarted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct EndpointStarted {
    /// The endpoint's URL.
    pub url: String,
    /// The number of deliveries that were held and are now being sent.
    pub released: u64,
}

/// A test webhook, which is sent once.
#[derive(Clone, Default)]
pub struct WebhookTestRequest {
    /// The endpoint's URL.
    pub url: Option<String>,
    /// The value of the Authorization header.
    pub authorization: Option<String>,
    /// The API client whose secret signs the webhook. Default: the company's first.
    pub client_id: Option<String>,
    /// Faults found while reading the request.
    pub faults: Vec<Fault>,
}

/// The result of the test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct WebhookTested {
    /// Whether the webhook counts as received: the endpoint returned a 2xx status in time.
    pub delivered: bool,
    /// The `webhook-id` of the test webhook.
    pub webhook_id: String,
    /// The HTTP status. Absent if there was no response.
    #[schema(example = 200)]
    pub code: Option<u16>,
    /// The reason why there was no response.
    pub fault: Option<String>,
    /// The start of the response, up to 1,000 characters.
    pub answer: String,
    /// Duration of the request, in milliseconds.
    pub duration_ms: u64,
}

/// The possible states of webhooks.
const STATES: [(&str, State); 4] = [
    ("waiting", State::Waiting),
    ("held", State::Held),
    ("delivered", State::Delivered),
    ("dead", State::Dead),
];

/// Maximum number of endpoints on a page, and the default.
const MOST_ENDPOINTS: u32 = 100;

impl App {
    /// Lists the company's webhooks with their tries, newest first.
    pub fn exports(&self, actor: &Actor, request: &ExportsRequest) -> Result<ExportList, Error> {
        let by = actor.must_read()?;
        let mut faults = request.faults.clone();
        let mut query = ListReader {
            zone: by.zone(),
            faults: &mut faults,
        };
        let filter = history_filter(&mut query, request, &STATES);
        let before = query.cursor(request.cursor.as_ref()).unwrap_or(i64::MAX);
        let limit = query.limit(request.limit.as_ref());
        if !faults.is_empty() {
            return Err(Error::Unprocessable(faults));
        }
        let company = by.company().clone();
        let mut rows = self.store.read(move |tx| {
            // One more than requested, to find out whether there are more.
            let found = outbox::history(tx, &company, &filter, before, limit.saturating_add(1))?;
            let mut rows = Vec::with_capacity(found.len());
            for delivery in found {
                let tries = outbox::tries(tx, &company, delivery.id)?;
                rows.push((delivery, tries));
            }
            Ok::<_, Error>(rows)
        })?;
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        Ok(ExportList {
            next_cursor: rows.last().filter(|_| more).map(|(last, _)| last.id.to_string()),
            export_list: rows
                .iter()
                .map(|(delivery, tries)| shown(delivery, tries, by.zone()))
                .collect(),
        })
    }

    /// Resends one webhook.
    pub fn resend_export(&self, actor: &Actor, id: i64) -> Result<ExportDelivery, Error> {
        let by = actor.must_send()?;
        let (company, id, now) = (by.company().clone(), DeliveryId(id), self.now());
        let logged = by.logs(Action::WebhookResent, now).about(id);
        let (delivery, tries) = self.store.write(move |tx| {
            let known = outbox::delivery(tx, &company, id)?.filter(|delivery| delivery.kind == Kind::Webhook);
            let known = known.ok_or(Error::NotFound(Subject::Delivery))?;
            if !outbox::resend(tx, &company, id, now)? {
                let code = match known.state {
                    State::Held => ConflictCode::EndpointStopped,
                    _ => ConflictCode::UnderWay,
                };
                return Err(Error::Conflict {
                    code,
                    state: Some(known.state.word().to_owned()),
                });
            }
            logged.write(tx)?;
            let delivery = outbox::delivery(tx, &company, id)?.ok_or(Error::NotFound(Subject::Delivery))?;
            Ok((delivery, outbox::tries(tx, &company, id)?))
        })?;
        self.bell.ring();
        Ok(shown(&delivery, &tries, by.zone()))
    }

    /// Resends a range of finished webhooks.
    pub fn resend_exports(&self, actor: &Actor, request: &ExportsRequest) -> Result<ExportsResent, Error> {
        let by = actor.must_send()?;
        let mut faults = request.faults.clone();
        let mut query = ListReader {
            zone: by.zone(),
            faults: &mut faults,
        };
        let filter = history_filter(&mut query, request, &STATES[2..]);
        let after = query.cursor(request.cursor.as_ref()).unwrap_or(0);
        let limit = query
            .number("limit", request.limit.as_ref(), MOST_RESENT)
            .unwrap_or(MOST_RESENT);
        let is_limited = filter.workflow.is_some()
            || filter.state.is_some()
            || filter.url.is_some()
            || (filter.from, filter.to) != (Timestamp::MIN, Timestamp::MAX);
        if !is_limited && faults.is_empty() {
            let fault = Fault::new("", FaultCode::OneRequired);
            faults.push(fault.with("allowed", "workflow_id, status, url, from, to"));
        }
        if !faults.is_empty() {
            return Err(Error::Unprocessable(faults));
        }
        let (company, now) = (by.company().clone(), self.now());
        let logged = by.logs(Action::WebhooksResent, now);
        let (resent, more) = self.store.write(move |tx| {
            let resent = outbox::resend_range(tx, &company, &filter, after, limit, now)?;
            let more = match resent.last() {
                Some(last) => !outbox::range(tx, &company, &filter, last.0, 1)?.is_empty(),
                None => false,
            };
            if !resent.is_empty() {
                logged.clone().setting(&json!({"count": resent.len()})).write(tx)?;
            }
            Ok::<_, Error>((resent, more))
        })?;
        self.bell.ring();
        Ok(ExportsResent {
            resent: resent.len(),
            more,
            next_cursor: resent.last().filter(|_| more).map(ToString::to_string),
        })
    }

    /// Lists the endpoints that fail or were stopped.
    pub fn export_endpoints(
        &self,
        actor: &Actor,
        cursor: Option<&String>,
        limit: Option<&String>,
    ) -> Result<ExportEndpoints, Error> {
        let by = actor.must_read()?;
        let mut faults = Vec::new();
        let mut query = ListReader {
            zone: by.zone(),
            faults: &mut faults,
        };
        let after = query.text("cursor", cursor).unwrap_or_default();
        let limit = query.number("limit", limit, MOST_ENDPOINTS).unwrap_or(MOST_ENDPOINTS);
        if !faults.is_empty() {
            return Err(Error::Unprocessable(faults));
        }
        let company = by.company().clone();
        let (endpoints, mut held, more) = self.store.read(move |tx| {
            // One more than requested, to find out whether there are more.
            let mut endpoints = outbox::endpoints(tx, &company, &after, limit.saturating_add(1))?;
            let more = endpoints.len() > limit as usize;
            endpoints.truncate(limit as usize);
            let last = endpoints.last().map_or("", |last| last.url.as_str());
            let held = outbox::held(tx, &company, &after, last)?;
            Ok::<_, Error>((endpoints, held, more))
        })?;
        let next_cursor = endpoints.last().filter(|_| more).map(|last| last.url.clone());
        let with_zone = |at| time::format_with_zone(at, by.zone());
        let endpoint_list = endpoints.into_iter().map(|endpoint| {
            let held = held.remove(&endpoint.url).unwrap_or(0);
            ExportEndpoint {
                failing_since: endpoint.failing_since.map(with_zone).unwrap_or_default(),
                status: match endpoint.stopped {
                    Some((_, Stop::Paused)) => "paused",
                    Some((_, Stop::Failures(_))) => "stopped",
                    None => "failing",
                },
                stopped_date: endpoint.stopped.map(|(at, _)| with_zone(at)).unwrap_or_default(),
                stopped_reason: endpoint.stopped.map(|(_, reason)| reason.word()),
                url: endpoint.url,
                held,
            }
        });
        Ok(ExportEndpoints {
            endpoint_list: endpoint_list.collect(),
            next_cursor,
        })
    }

    /// Restarts a stopped endpoint for a member. Does nothing if it is running.
    pub fn start_export_endpoint(
        &self,
        actor: &Actor,
        url: Option<String>,
        faults: Vec<Fault>,
    ) -> Result<EndpointStarted, Error> {
        actor.must_send()?;
        let url = named_endpoint(url, faults)?;
        let released = self.start_endpoint(actor, &url)?;
        let url = url.as_str().to_owned();
        Ok(EndpointStarted { url, released })
    }

    /// Pauses an endpoint for a member: webhooks to it are held until it is restarted. A stopped endpoint stays
    /// stopped.
    pub fn pause_export_endpoint(
        &self,
        actor: &Actor,
        url: Option<String>,
        faults: Vec<Fault>,
    ) -> Result<EndpointPaused, Error> {
        actor.must_send()?;
        let url = named_endpoint(url, faults)?;
        self.pause_endpoint(actor, &url)
    }

    /// Sends a test webhook once, and waits for the response. It is about no document, so `workflow_id` is 0.
    pub fn test_webhook(&self, actor: &Actor, request: WebhookTestRequest) -> Result<WebhookTested, Error> {
        let by = actor.must_send()?;
        let mut faults = request.faults;
        let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let url = match given(request.url).map(|url| CallbackUrl::parse(&url, &self.settings.webhook)) {
            Some(Ok(url)) => Some(url),
            Some(Err(fault)) => {
                faults.push(callback_fault("url", &fault));
                None
            }
            None => {
                if !faults.iter().any(|fault| fault.path == "url") {
                    faults.push(Fault::new("url", FaultCode::Required));
                }
                None
            }
        };
        let authorization = given(request.authorization);
        faults.extend(
            authorization
                .as_deref()
                .and_then(|value| authorization_fault("authorization", value)),
        );
        let named = given(request.client_id);
        let client = named.as_deref().and_then(ClientId::parse);
        let sender = if named.is_some() && client.is_none() {
            None
        } else {
            self.sender(by, client)?
        };
        if sender.is_none() {
            faults.push(Fault::new("client_id", FaultCode::UnknownClient));
        }
        let (Some(url), Some((client, zone, secrets)), true) = (url, sender, faults.is_empty()) else {
            return Err(Error::Unprocessable(faults));
        };
        let at = self.now();
        let trial = WebhookTrial {
            url,
            event_id: new_event_id(self.random.as_ref()),
            authorization,
            secrets,
            body: webhook::test_payload(client, at, zone),
            at,
        };
        let began = Instant::now();
        let answered = self.network.try_webhook(&trial);
        let duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let (code, fault, answer) = match answered {
            Ok(answer) => {
                let text = String::from_utf8_lossy(&answer.start);
                (Some(answer.status), None, text.chars().take(LONGEST_ANSWER).collect())
            }
            Err(fault) => (None, Some(fault.reason), String::new()),
        };
        Ok(WebhookTested {
            delivered: code.is_some_and(|code| (200..=299).contains(&code)),
            webhook_id: trial.event_id,
            code,
            fault,
            answer,
            duration_ms,
        })
    }

    /// Returns an API client of the company with its secrets, and the company's time zone. `None` if there is no such
    /// client.
    fn sender(
        &self,
        by: Permit<'_>,
        client: Option<ClientId>,
    ) -> Result<Option<(ClientId, Zone, Vec<WebhookSecret>)>, Error> {
        let company = by.company().clone();
        let found = self.store.read(move |tx| {
            let client = match client {
                Some(client) => client,
                None => store::api_client::default(tx, &company)?,
            };
            store::api_client::find(tx, &company, client).map_err(Error::from)
        })?;
        let Some(client) = found else { return Ok(None) };
        let now = self.now();
        let secrets = self.secrets_of(&client, now)?.at(now);
        Ok(Some((client.id, by.zone(), secrets)))
    }

    /// Deletes the part of each company's history that exceeds its limits. Returns the number of deliveries deleted.
    /// Mails and text messages are kept at least as long as their links work: while their documents are in progress,
    /// and then as long as links to files.
    pub fn forget_deliveries(&self) -> Result<u64, Error> {
        let HistorySettings { days, most } = self.settings.history;
        let now = self.now();
        let hours_ago = |hours: i64| {
            now.checked_sub(hours.hours())
                .map_err(|error| Error::internal("computing how long deliveries are kept", error))
        };
        let webhooks = HistoryBound {
            until: hours_ago(i64::from(days) * 24)?,
            most,
            at_once: FORGOTTEN_AT_ONCE,
            untold_until: hours_ago(WAITS_TO_BE_TOLD)?,
        };
        let companies = self.store.read(|tx| store::company::list(tx).map_err(Error::from))?;
        let mut forgotten = 0;
        for company in companies {
            let messages = HistoryBound {
                until: hours_ago(i64::from(days).max(company.link_days) * 24)?,
                ..webhooks
            };
            let id = company.id.clone();
            forgotten += self.forget_in_portions(move |tx| outbox::forget(tx, &id, &webhooks))?;
            let id = company.id;
            forgotten += self.forget_in_portions(move |tx| outbox::forget_messages(tx, &id, &messages))?;
        }
        Ok(forgotten)
    }

    fn forget_in_portions(
        &self,
        forget: impl Fn(&mut dyn Transaction) -> Result<u64, store::Error> + Clone + Send + 'static,
    ) -> Result<u64, Error> {
        let mut forgotten = 0;
        loop {
            let portion = forget.clone();
            let count = self.store.write(move |tx| portion(tx).map_err(Error::from))?;
            forgotten += count;
            if count < u64::from(FORGOTTEN_AT_ONCE) {
                return Ok(forgotten);
            }
        }
    }
}

fn history_filter(query: &mut ListReader<'_>, request: &ExportsRequest, states: &[(&str, State)]) -> HistoryFilter {
    let workflow = query.id("workflow_id", request.workflow_id.as_ref()).map(WorkflowId);
    let state = query.word("status", request.status.as_ref(), states);
    let url = query.text("url", request.url.as_ref()).map(|url| normal(&url));
    let (from, to) = query.range(request.from.as_ref(), request.to.as_ref());
    HistoryFilter {
        workflow,
        state,
        url,
        from,
        to,
    }
}

/// Returns the endpoint that a call names, in its stored form.
fn named_endpoint(url: Option<String>, faults: Vec<Fault>) -> Result<CallbackUrl, Error> {
    if !faults.is_empty() {
        return Err(Error::Unprocessable(faults));
    }
    callback_address(&url.unwrap_or_default())
}

/// Converts an endpoint URL to its stored form. Fails with 422 if it is not valid.
pub fn callback_address(text: &str) -> Result<CallbackUrl, Error> {
    match text.trim() {
        "" => Err(Error::fault("url", FaultCode::Required)),
        text => CallbackUrl::stored(text).ok_or_else(|| Error::fault("url", FaultCode::CallbackMalformed)),
    }
}

/// Converts an endpoint URL to its stored form. A text that is not a URL matches nothing.
fn normal(url: &str) -> String {
    CallbackUrl::stored(url.trim()).map_or_else(|| url.trim().to_owned(), |url| url.as_str().to_owned())
}

fn shown(delivery: &Delivery, tries: &[Try], zone: Zone) -> ExportDelivery {
    let with_zone = |at| time::format_with_zone(at, zone);
    // If there are very many tries, the first ones were deleted.
    let first = delivery
        .tries_made
        .saturating_sub(u32::try_from(tries.len()).unwrap_or(u32::MAX));
    ExportDelivery {
        export_id: delivery.id.0,
        webhook_id: delivery.event_id.clone(),
        workflow_id: delivery.workflow.map(WorkflowId::get),
        url: delivery.url.clone().unwrap_or_default(),
        status: delivery.state.word(),
        created_date: with_zone(delivery.created_at),
        next_date: match delivery.state {
            State::Waiting => with_zone(delivery.due_at),
            _ => String::new(),
        },
        finished_date: delivery.finished_at.map(with_zone).unwrap_or_default(),
        tries: delivery.tries_made,
        try_list: (first + 1..)
            .zip(tries)
            .map(|(number, made)| ExportTry {
                number,
                date: with_zone(made.at),
                duration_ms: made.duration / 1_000,
                code: made.code,
                fault: made.fault.clone(),
                answer: made.answer.clone(),
            })
            .collect(),
    }
}
