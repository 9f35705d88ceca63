//! A company with its outbox, ready to deliver.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use app::mail::{AccessCode, MailRoom, Notification, Occasion, Request};
use app::{Actor, App, Caller, Channel, Parts, Purpose, Settings, Vault};
use blobs::Blobs;
use delivery::guarded_client::{GuardedClient, Limits, Lookup, SystemLookup};
use delivery::mailer::{LONGEST_SENDING, MailLogin, MailSettings, MailTls, Mailer, OAuthSettings};
use delivery::messenger::{GatewaySettings, Messengers};
use delivery::runner::{Runner, RunnerSettings};
use domain::public_address::AddressRules;
use domain::{ClientId, Clock, CompanyId, Contact, Language, MemberId, Random, Role, WorkflowId, Zone};
use jiff::{SignedDuration, Timestamp};
use store::outbox::{self, Delivery, DeliveryId, NewChannel, NewDelivery, Try};
use store::{Store, Transaction, values};
use tempfile::TempDir;
use testkit::database::TestDatabase;
use testkit::stand_ins::{EnoughSpace, NoDocuments, NoNetwork};

store::statements! {
    pub static BY_EVENT = "SELECT id FROM outbox WHERE event_id = $1";
}

pub fn enqueue(tx: &mut dyn Transaction, new: &NewDelivery) -> Result<DeliveryId, store::Error> {
    outbox::enqueue(tx, new)?;
    let row = tx.query_one(&BY_EVENT, values![&new.event_id])?;
    Ok(DeliveryId(row.get("id")?))
}

pub const SECRET: [u8; 32] = [42; 32];
/// The value the customer expects in the Authorization header.
pub const AUTHORIZATION: &str = "Basic Y291bnRlcnNpZ246c2VjcmV0";

/// A clock that stands still until a test moves it.
pub struct TurnedClock(AtomicI64);

impl TurnedClock {
    pub fn turn(&self, by: SignedDuration) {
        let micros = i64::try_from(by.as_micros()).expect("a short time");
        self.0.fetch_add(micros, Ordering::SeqCst);
    }
}

impl Clock for TurnedClock {
    fn now(&self) -> Timestamp {
        domain::time::from_microseconds(self.0.load(Ordering::SeqCst))
    }

    fn elapsed(&self) -> Duration {
        Duration::from_micros(self.0.load(Ordering::SeqCst).unsigned_abs())
    }
}

/// Returns different bytes at each call, but the same ones in each run.
struct CountingRandom(AtomicU64);

impl Random for CountingRandom {
    fn fill(&self, buffer: &mut [u8]) {
        for chunk in buffer.chunks_mut(8) {
            let number = self
                .0
                .fetch_add(1, Ordering::SeqCst)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15);
            chunk.copy_from_slice(&number.to_le_bytes()[..chunk.len()]);
        }
    }
}

/// Resolves every name to the same addresses.
pub struct FixedLookup(pub Vec<IpAddr>);

impl Lookup for FixedLookup {
    fn lookup(&self, _: String) -> delivery::guarded_client::Addresses {
        let addresses = self.0.clone();
        Box::pin(async move { Ok(addresses) })
    }
}

/// Rules that let tests call the loopback address.
pub fn private() -> AddressRules {
    AddressRules {
        allow_private: true,
        ..AddressRules::default()
    }
}

/// Limits that only a hanging call reaches, however busy the machine is.
pub fn patient() -> Limits {
    Limits {
        connect: Duration::from_mins(2),
        total: Duration::from_mins(2),
        body_wait: Duration::from_mins(2),
        ..Limits::default()
    }
}

/// Limits that cut off a silent receiver quickly.
pub fn short() -> Limits {
    Limits {
        total: Duration::from_millis(200),
        ..patient()
    }
}

pub fn endless() -> Limits {
    Limits {
        total: Duration::from_hours(1),
        ..patient()
    }
}

/// Settings that differ from the defaults only if a test needs it.
pub fn settings(owner: &str) -> RunnerSettings {
    RunnerSettings {
        owner: owner.to_owned(),
        ..RunnerSettings::default()
    }
}

struct OtherCompany {
    id: CompanyId,
    client: ClientId,
}

pub struct House {
    pub app: Arc<App>,
    pub clock: Arc<TurnedClock>,
    pub company: CompanyId,
    pub client: ClientId,
    pub runtime: tokio::runtime::Runtime,
    pub style: store::company::Style,
    mailer: Option<Mailer>,
    messengers: Option<Messengers>,
    gateways: Vec<app::GatewayReach>,
    limits: Limits,
    events: AtomicU64,
    _folder: TempDir,
}

impl House {
    pub fn on(database: &TestDatabase) -> House {
        House::with_store(database.open())
    }

    pub fn with_store(store: Store) -> House {
        // The real time, because the library that verifies signatures checks the time stamp.
        let clock = Arc::new(TurnedClock(AtomicI64::new(Timestamp::now().as_microsecond())));
        let random: Arc<dyn Random> = Arc::new(CountingRandom(AtomicU64::new(1)));
        let folder = tempfile::tempdir().expect("a temporary folder");
        let app = Arc::new(App::new(Parts {
            store,
            blobs: Blobs::local(folder.path()).expect("a folder of blobs"),
            documents: Arc::new(NoDocuments),
            space: Arc::new(EnoughSpace),
            clock: Arc::<TurnedClock>::clone(&clock),
            network: Arc::new(NoNetwork),
            tokens: Arc::new(app::key_tokens::NoTokens),
            vault: Vault::new(&[7; 32], Arc::clone(&random)),
            random,
            settings: Settings {
                webhook: private(),
                ..Settings::default()
            },
        }));
        let company = CompanyId::parse("demo").expect("a company id");
        let client = ClientId::parse("3f2b8a54-6a0e-4b0e-9d53-1f4c2a7d9e10").expect("a UUID");
        let row = testkit::rows::company(&company, clock.now());
        let secret = app.vault.encrypt(Purpose::WebhookSecret, &SECRET);
        let at = clock.now();
        let house = House {
            app,
            clock,
            company,
            client,
            runtime: tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()
                .expect("a runtime"),
            style: store::company::Style::default(),
            mailer: None,
            messengers: None,
            gateways: Vec::new(),
            limits: patient(),
            events: AtomicU64::new(0),
            _folder: folder,
        };
        house.write(move |tx| {
            assert!(store::company::insert(tx, &row)?);
            store::api_client::insert(tx, &row.id, client, "default", true, &secret, at)?;
            store::member::insert(tx, &row.id, "owner@example.com", "주인", Role::Owner, "-", at)?;
            store::member::insert(tx, &row.id, "admin@example.com", "관리자", Role::Admin, "-", at)?;
            store::member::insert(tx, &row.id, "sender@example.com", "보내는 이", Role::Sender, "-", at)?;
            Ok(())
        });
        house
    }

    pub fn with_limits(mut self, limits: Limits) -> House {
        self.limits = limits;
        self
    }

    pub fn with_smtp(self, port: u16) -> House {
        self.with_patience(port, LONGEST_SENDING)
    }

    /// The same for a server that accepts access tokens.
    pub fn with_tokens(self, port: u16, user: &str, oauth: OAuthSettings) -> House {
        let login = Some((user.to_owned(), MailLogin::OAuth(oauth)));
        self.with_mail(port, login, LONGEST_SENDING)
    }

    /// Sets the maximum time for sending a mail.
    pub fn with_patience(self, port: u16, longest: Duration) -> House {
        self.with_mail(port, None, longest)
    }

    fn with_mail(mut self, port: u16, login: Option<(String, MailLogin)>, longest: Duration) -> House {
        let settings = MailSettings {
            host: "127.0.0.1".to_owned(),
            port,
            tls: MailTls::None,
            login,
            from: "no-reply@sign.example.com".to_owned(),
            timeout: Duration::from_mins(1),
            longest,
        };
        self.mailer = Some(Mailer::new(&settings).expect("usable settings"));
        self
    }

    pub fn with_messengers(self, gateways: Vec<GatewaySettings>) -> House {
        self.with_messengers_at(gateways, &(Arc::new(SystemLookup) as Arc<dyn Lookup>))
    }

    pub fn with_messengers_at(mut self, gateways: Vec<GatewaySettings>, lookup: &Arc<dyn Lookup>) -> House {
        let messengers = Messengers::with(gateways, Arc::clone(&self.app.random), lookup);
        let messengers = messengers.expect("usable settings");
        self.gateways = messengers.roster();
        self.messengers = Some(messengers);
        self
    }

    pub fn write<T: Send + 'static>(
        &self,
        work: impl FnMut(&mut dyn Transaction) -> Result<T, store::Error> + Send + 'static,
    ) -> T {
        self.app.store.write_relaxed(work).expect("the store takes it")
    }

    pub fn caller(&self) -> Actor {
        House::member(self.company.clone(), Role::Owner)
    }

    pub fn member(company: CompanyId, role: Role) -> Actor {
        Actor::from(Caller {
            company,
            member: MemberId(1),
            name: "주인".to_owned(),
            email: "owner@example.com".to_owned(),
            role,
            language: Language::Ko,
            zone: Zone::SEOUL,
            channel: Channel::Pages,
        })
    }

    pub fn runner(&self) -> Runner {
        self.runner_with(settings("this"))
    }

    pub fn runner_with(&self, settings: RunnerSettings) -> Runner {
        let client = GuardedClient::with(private(), self.limits, Arc::new(SystemLookup)).expect("a client");
        Runner::new(
            Arc::clone(&self.app),
            client,
            self.mailer.clone(),
            self.messengers.clone(),
            settings,
        )
    }

    /// Runs `work` while a runner is running.
    pub fn while_running<T>(&self, settings: RunnerSettings, work: impl FnOnce() -> T) -> T {
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let running = self
            .runtime
            .spawn(self.runner_with(settings).run(async { drop(stopped.await) }));
        let done = work();
        drop(stop);
        // Do not wait for calls to receivers that never answer.
        running.abort();
        done
    }

    /// What an operator reads of a check; members read less of it.
    pub fn check_mail(&self) -> Result<(), String> {
        let mailer = self.mailer.as_ref().expect("a mail server");
        let checked = self.runtime.block_on(mailer.check());
        checked.map_err(|fault| fault.to_string())
    }

    pub fn deliver(&self) {
        let runner = self.runner();
        self.runtime.block_on(runner.run_until_idle());
    }

    /// A webhook with a unique body.
    pub fn webhook(&self, url: &str, workflow: i64) -> NewDelivery {
        let number = self.events.fetch_add(1, Ordering::SeqCst);
        let body = format!("{{\"workflow_id\":{workflow},\"event\":{number},\"name\":\"홍길동\"}}");
        NewDelivery {
            company: self.company.clone(),
            workflow: Some(WorkflowId(workflow)),
            event_id: format!("msg_{number}"),
            channel: NewChannel::Webhook {
                url: url.to_owned(),
                client: self.client,
                authorization: Some(
                    self.app
                        .vault
                        .encrypt(Purpose::WebhookAuthorization, AUTHORIZATION.as_bytes()),
                ),
            },
            body: self.app.vault.encrypt(Purpose::OutboxBody, body.as_bytes()),
            created_at: self.clock.now(),
        }
    }

    pub fn enqueue(&self, new: NewDelivery) -> DeliveryId {
        self.write(move |tx| enqueue(tx, &new))
    }

    /// Enqueues a webhook.
    pub fn tell(&self, url: &str, workflow: i64) -> DeliveryId {
        self.enqueue(self.webhook(url, workflow))
    }

    /// Enqueues another company's webhook.
    pub fn tell_for_other(&self, url: &str, workflow: i64) -> DeliveryId {
        self.tell_for("other", url, workflow)
    }

    /// Enqueues a webhook of the company with this id.
    pub fn tell_for(&self, company: &str, url: &str, workflow: i64) -> DeliveryId {
        let mut new = self.webhook(url, workflow);
        let of_company = self.company_by(company);
        if let NewChannel::Webhook { client, .. } = &mut new.channel {
            *client = of_company.client;
        }
        new.company = of_company.id;
        self.enqueue(new)
    }

    /// Returns another company, and creates it if it does not exist.
    fn company_by(&self, name: &str) -> OtherCompany {
        let id = CompanyId::parse(name).expect("a company id");
        // Each company has its own client.
        let number = name
            .bytes()
            .fold(7_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
        let text = format!("7d1c7a1e-52c5-4c52-8a53-{:012x}", number & 0xffff_ffff_ffff);
        let client = ClientId::parse(&text).expect("a UUID");
        let (demo, at, other) = (self.company.clone(), self.clock.now(), id.clone());
        let secret = self.app.vault.encrypt(Purpose::WebhookSecret, &SECRET);
        self.write(move |tx| {
            let mut row = store::company::find(tx, &demo)?.expect("the company");
            row.id = other.clone();
            if store::company::insert(tx, &row)? {
                store::api_client::insert(tx, &row.id, client, "default", true, &secret, at)?;
            }
            Ok(())
        });
        OtherCompany { id, client }
    }

    /// Enqueues a message of the company with this id.
    pub fn write_for(&self, company: &str, contact: &Contact, occasion: Occasion<'_>) -> DeliveryId {
        let company = self.company_by(company).id;
        let notification = self.notification(contact, "홍길동", "데모 회사", "근로계약서", Language::Ko, occasion);
        let new = self
            .room()
            .delivery(&company, Some(WorkflowId(1)), &notification, self.clock.now());
        self.enqueue(new.expect("the message can be written"))
    }

    /// Enqueues a request to sign.
    pub fn ask(&self, contact: &Contact, document: &str) -> DeliveryId {
        self.ask_as(contact, document, "홍길동", "데모 회사")
    }

    /// Enqueues a request to sign for a person with this name, from a company with this name.
    pub fn ask_as(&self, contact: &Contact, document: &str, name: &str, company_name: &str) -> DeliveryId {
        let occasion = Occasion::Request(Request {
            sender: "김민준",
            comment: "",
            access_code: AccessCode::None,
            deadline: self.clock.now(),
            sign_url: "https://sign.example.com/mail/sign?token=abc&lang=ko",
        });
        self.post(contact, name, company_name, document, Language::Ko, occasion)
    }

    /// Enqueues a message to a person.
    pub fn write_letter(
        &self,
        contact: &Contact,
        name: &str,
        document: &str,
        language: Language,
        occasion: Occasion<'_>,
    ) -> DeliveryId {
        self.post(contact, name, "데모 회사", document, language, occasion)
    }

    fn post(
        &self,
        contact: &Contact,
        name: &str,
        company_name: &str,
        document: &str,
        language: Language,
        occasion: Occasion<'_>,
    ) -> DeliveryId {
        let notification = self.notification(contact, name, company_name, document, language, occasion);
        let new = self
            .room()
            .delivery(&self.company, Some(WorkflowId(1)), &notification, self.clock.now());
        self.enqueue(new.expect("the message can be written"))
    }

    fn notification<'l>(
        &'l self,
        contact: &'l Contact,
        name: &'l str,
        company_name: &'l str,
        document: &'l str,
        language: Language,
        occasion: Occasion<'l>,
    ) -> Notification<'l> {
        Notification {
            company_name,
            style: &self.style,
            document,
            name,
            contact,
            language,
            zone: Zone::SEOUL,
            sender_email: "",
            occasion,
        }
    }

    fn room(&self) -> MailRoom<'_> {
        MailRoom {
            templates: &self.app.settings.mail_templates,
            gateways: &self.gateways,
            vault: &self.app.vault,
            random: self.app.random.as_ref(),
        }
    }

    pub fn delivery(&self, id: DeliveryId) -> Delivery {
        let company = self.company.clone();
        self.write(move |tx| outbox::delivery(tx, &company, id))
            .expect("there is such a delivery")
    }

    pub fn state(&self, id: DeliveryId) -> &'static str {
        self.delivery(id).state.word()
    }

    pub fn tries(&self, id: DeliveryId) -> Vec<Try> {
        let company = self.company.clone();
        self.write(move |tx| outbox::tries(tx, &company, id))
    }

    /// The time until the next try, in seconds.
    pub fn pause(&self, id: DeliveryId) -> f64 {
        self.delivery(id).due_at.duration_since(self.clock.now()).as_secs_f64()
    }
}
