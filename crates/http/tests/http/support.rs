//! A server on port 0, and helpers for tests that call it.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use app::mail::OutgoingMail;
use app::{
    App, CompanyChange, DocumentFault, FreeSpace, ImportTemplate, NewCompany, NewMember, Parts, Purpose, Settings,
    Space, StrangersDocuments, Vault,
};
use blobs::Blobs;
use countersign_http::{HttpSettings, Network, router};
use delivery::{GuardedNetwork, SourceRules};
use document::intake::{self, Intake, Limits, Refused, Wishes};
use document::marks::checked_picture::{self, CheckedPicture, PictureWish};
use document::pages::render;
use document::pages::text_layer::{self, PageText};
use document::pki::keys::{ExternalKey, KeyError, KeyKind, PinRefusal, SealKey, SignatureAlgorithm, Signer};
use document::verify::{self, Means, Verdict};
use domain::{Clock, CompanyId, Random, Requester, Role};
use jiff::Timestamp;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use sheets::{Sheet, SheetLimits};
use store::outbox::{self, Claimed, ClaimedChannel};
use tempfile::TempDir;
use testkit::database::TestDatabase;
use testkit::deliveries::claim_due;
use testkit::operator::operator;
use testkit::world::{CountingRandom, StandingClock};
use tokio::runtime::Runtime;

pub const PASSWORD: &str = "plover lantern quay 47";
pub const BASE: &str = "https://sign.example.com";
/// A PNG of one pixel.
pub const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// A running installation.
pub struct Server {
    // Declared before the application, because it must not be dropped on a runtime thread.
    runtime: Runtime,
    client: reqwest::Client,
    pub app: Arc<App>,
    pub clock: Arc<StandingClock>,
    documents: Arc<InProcess>,
    pub disk: Arc<Disk>,
    pub token: Arc<FakeToken>,
    address: SocketAddr,
    _files: Option<TempDir>,
}

/// A signed-in member, with the session cookie and the token that forms contain.
pub struct Member {
    pub cookie: String,
    pub csrf: String,
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| panic!("{} {}", self.status, String::from_utf8_lossy(&self.body)))
    }

    /// Returns the body of a successful answer.
    #[track_caller]
    pub fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{}", String::from_utf8_lossy(&self.body));
        self.json()
    }

    /// Returns `(path, code)` of each error in a 422 answer.
    #[track_caller]
    pub fn faults(&self) -> Vec<(String, String)> {
        let problem = self.problem(422);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        problem["errors"]
            .as_array()
            .expect("errors")
            .iter()
            .map(|error| (text(&error["path"]), text(&error["code"])))
            .collect()
    }

    /// Returns the body of an error, which always has the same shape.
    #[track_caller]
    pub fn problem(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.body));
        assert_eq!(self.header("content-type"), "application/problem+json");
        let problem = self.json();
        assert_eq!(problem["status"], status);
        assert_eq!(
            problem["type"],
            format!("{BASE}/api/docs#{}", problem["code"].as_str().expect("a code"))
        );
        assert_eq!(problem["header"]["result_msg"], problem["detail"]);
        assert_ne!(problem["header"]["result_code"], "00");
        problem
    }

    /// Returns the body of a page. Undoes the escaping of slashes.
    pub fn html(&self) -> String {
        String::from_utf8_lossy(&self.body)
            .replace("&#x2f;", "/")
            .replace("&amp;", "&")
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }
}

/// One webhook as its endpoint receives it.
#[derive(Debug)]
pub struct Hook {
    pub url: String,
    pub authorization: Option<String>,
    pub text: String,
    pub body: Value,
}

impl Server {
    pub fn new(database: &TestDatabase) -> Server {
        Server::with(database, |_, _| {})
    }

    pub fn with(database: &TestDatabase, change: impl FnOnce(&mut Settings, &mut HttpSettings)) -> Server {
        let files = tempfile::tempdir().expect("a temporary folder");
        let blobs = Blobs::local(files.path()).expect("a folder for files");
        Server {
            _files: Some(files),
            ..Server::on(database, blobs, change)
        }
    }

    /// With its files in this file store.
    pub fn on(database: &TestDatabase, blobs: Blobs, change: impl FnOnce(&mut Settings, &mut HttpSettings)) -> Server {
        let store = database.open();
        let clock = Arc::new(StandingClock::new());
        let random: Arc<dyn Random> = Arc::new(CountingRandom::default());
        let vault = Vault::new(&[3; 32], Arc::clone(&random));
        app::installation::set_up(&store, &vault, clock.as_ref()).expect("the installation is set up");
        let mut settings = Settings {
            public_url: BASE.to_owned(),
            ..Settings::default()
        };
        let mut http = HttpSettings::default();
        change(&mut settings, &mut http);
        let (documents, disk) = (Arc::new(InProcess::default()), Arc::new(Disk::default()));
        let token = Arc::new(FakeToken::default());
        let network = GuardedNetwork::new(&settings.webhook, &SourceRules::default())
            .and_then(|network| network.with_webhooks(&settings.webhook))
            .expect("a network");
        let app = Arc::new(App::new(Parts {
            store,
            blobs,
            documents: Arc::clone(&documents) as Arc<dyn StrangersDocuments>,
            space: Arc::clone(&disk) as Arc<dyn FreeSpace>,
            clock: Arc::clone(&clock) as Arc<dyn Clock>,
            random,
            network: Arc::new(network),
            tokens: Arc::new(Tokens(Arc::clone(&token))),
            vault,
            settings,
        }));
        let runtime = Runtime::new().expect("a runtime");
        let router = router(Arc::clone(&app), http);
        let listener = runtime
            .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
            .expect("a free port");
        let address = listener.local_addr().expect("an address");
        runtime.spawn(async move {
            axum::serve(listener, router.into_make_service_with_connect_info::<SocketAddr>()).await
        });
        let client = reqwest::Client::builder().no_proxy().build().expect("a client");
        Server {
            runtime,
            client,
            app,
            clock,
            documents,
            disk,
            token,
            address,
            _files: None,
        }
    }

    /// Creates a company with an owner. Returns its ID, an access token and the ID of the usual template.
    pub fn with_company(&self, id: &str) -> (CompanyId, String, i64) {
        let company = self.company(id);
        let token = self.token(id, "owner@example.com");
        let template = self.template(&company, &contract());
        (company, token, template)
    }

    pub fn company(&self, id: &str) -> CompanyId {
        let added = self
            .app
            .add_company(&NewCompany {
                id: id.to_owned(),
                name: format!("{id} Ltd"),
                key: KeyKind::default(),
                settings: CompanyChange::default(),
            })
            .expect("a company");
        self.member(&added.company.id, "owner@example.com", Role::Owner);
        added.company.id
    }

    pub fn member(&self, company: &CompanyId, email: &str, role: Role) {
        let password = Some(PASSWORD.to_owned());
        let new = NewMember {
            email: email.to_owned(),
            name: None,
            role,
            password,
        };
        self.app
            .add_member(&operator(&self.app, company), new)
            .expect("a member");
    }

    pub fn template(&self, company: &CompanyId, fields: &Value) -> i64 {
        let fields = fields.to_string();
        let import = ImportTemplate {
            pdf: &pdf(),
            fields: fields.as_bytes(),
        };
        self.app
            .import_template(&operator(&self.app, company), &import)
            .expect("a template")
            .id
            .get()
    }

    pub fn token(&self, company: &str, email: &str) -> String {
        let answer = self
            .post(&format!("/api/{company}/login"), None, &login_body(email, PASSWORD))
            .ok();
        assert_eq!(answer["header"]["result_code"], "00", "{answer}");
        answer["body"]["access_token"].as_str().expect("a token").to_owned()
    }

    pub fn sign_in(&self, company: &str, email: &str) -> Member {
        let attempt = app::LoginAttempt {
            company: company.to_owned(),
            email: email.to_owned(),
            password: PASSWORD.to_owned(),
            address: std::net::Ipv4Addr::LOCALHOST.into(),
        };
        let cookie = self.app.sign_in(&attempt, None).expect("signed in").cookie;
        let session = self.app.session(cookie.expose()).expect("a session");
        Member {
            cookie: format!("__Host-countersign_session={}", cookie.expose()),
            csrf: session.form_token,
        }
    }

    /// Opens a connection and sends these bytes.
    pub fn sent(&self, bytes: &[u8]) -> std::net::TcpStream {
        use std::io::Write;
        let mut connection = std::net::TcpStream::connect(self.address).expect("a connection");
        connection
            .set_read_timeout(Some(std::time::Duration::from_mins(2)))
            .expect("a time limit");
        connection.write_all(bytes).expect("it is taken");
        connection
    }

    /// Returns the answer to bytes that no client library would send.
    pub fn raw(&self, bytes: &[u8]) -> String {
        use std::io::Read;
        let mut connection = self.sent(bytes);
        let mut head = [0; 1024];
        let read = connection.read(&mut head).expect("an answer");
        String::from_utf8_lossy(&head[..read]).into_owned()
    }

    /// Builds a request to this server, which tests can change before sending it.
    pub fn request(&self, method: &str, path: &str, token: Option<&str>) -> reqwest::RequestBuilder {
        let method = method.parse().expect("a method");
        let request = self.client.request(method, self.address_of(path));
        match token {
            Some(token) => request.header("authorization", format!("service {token}")),
            None => request,
        }
    }

    /// Returns the full URL of a path, for tests with a client of their own.
    pub fn address_of(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Returns the number of rendered pages.
    pub fn rendered(&self) -> usize {
        self.documents.rendered.load(Ordering::SeqCst)
    }

    pub fn send(&self, request: reqwest::RequestBuilder) -> Answer {
        self.runtime.block_on(async {
            let response = request.send().await.expect("an answer");
            let (status, headers) = (response.status().as_u16(), response.headers().clone());
            Answer {
                status,
                headers,
                body: response.bytes().await.expect("a body").to_vec(),
            }
        })
    }

    /// Blocks all verifications while the guard is alive.
    pub fn hold_verdicts(&self) -> MutexGuard<'_, ()> {
        self.documents.verdicts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Blocks all page images while the guard is alive.
    pub fn hold_pictures(&self) -> MutexGuard<'_, ()> {
        self.documents.pictures.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of images that workers were asked for.
    pub fn pictures_made(&self) -> usize {
        self.documents.made.load(Ordering::SeqCst)
    }

    /// Returns the number of verifications that were requested.
    pub fn verdicts_asked(&self) -> usize {
        self.documents.asked.load(Ordering::SeqCst)
    }

    /// Has a file checked by someone who is not signed in.
    pub fn check(&self, file: &[u8]) -> Answer {
        let mut body = b"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n".to_vec();
        body.extend(file);
        body.extend(b"\r\n--x--\r\n");
        self.send(
            self.request("POST", "/verify", None)
                .header("content-type", "multipart/form-data; boundary=x")
                .body(body),
        )
    }

    pub fn get(&self, path: &str, token: &str) -> Answer {
        self.send(self.request("GET", path, Some(token)).header("accept-language", "en"))
    }

    pub fn post(&self, path: &str, token: Option<&str>, body: &Value) -> Answer {
        self.send(
            self.request("POST", path, token)
                .header("accept-language", "en")
                .json(body),
        )
    }

    pub fn start(&self, token: &str, body: &Value) -> Answer {
        self.post("/api/v3/workflows/start", Some(token), body)
    }

    /// Acts on a workflow: `approve`, `reject`, `cancel`, … A signer's act that names no step applies to the current
    /// step.
    pub fn act(&self, token: &str, workflow: &Value, what: &str, body: &Value) -> Answer {
        let mut body = body.clone();
        if let ("approve" | "reject", Some(members)) = (what, body.as_object_mut()) {
            members.entry("order").or_insert_with(|| {
                let shown = self.get(&format!("/api/v3/workflows/{workflow}"), token);
                let order = if shown.status == 200 {
                    shown.ok()["order"].clone()
                } else {
                    Value::Null
                };
                if order.is_number() { order } else { json!(1) }
            });
        }
        self.act_as_given(token, workflow, what, &body)
    }

    /// Like [`Self::act`], but sends the body unchanged.
    pub fn act_as_given(&self, token: &str, workflow: &Value, what: &str, body: &Value) -> Answer {
        self.post(&format!("/api/v3/workflows/{workflow}/{what}"), Some(token), body)
    }

    /// Empties the outbox as if everything had been delivered. Returns the webhooks in order, and the number of mails.
    pub fn drain(&self) -> (Vec<Hook>, usize) {
        let mut hooks = Vec::new();
        let mut letters = 0;
        loop {
            let claimed = self.try_all(&self.tried(Some(200), None, ""), outbox::Outcome::Delivered);
            if claimed.is_empty() {
                break;
            }
            for delivery in claimed {
                match &delivery.channel {
                    ClaimedChannel::Webhook { .. } => hooks.push(self.hook(&delivery)),
                    ClaimedChannel::Mail | ClaimedChannel::Message => letters += 1,
                }
            }
        }
        (hooks, letters)
    }

    /// Returns the mails and text messages in the outbox in any state, newest first.
    pub fn mails(&self) -> Vec<OutgoingMail> {
        let companies = self.app.companies().expect("the companies");
        let of_company = |id: CompanyId| {
            self.app
                .store
                .read(move |tx| outbox::messages(tx, &id, outbox::DeliveryId(i64::MAX), 100))
                .expect("the outbox")
        };
        let rows = companies.into_iter().flat_map(|company| of_company(company.id));
        rows.map(|row| OutgoingMail::open(&row.body, &self.app.vault).expect("a mail"))
            .collect()
    }

    /// Keeps everything pending on the outbox page, as if no delivery were set up.
    pub fn keep_all(&self) {
        let now = self.app.now();
        self.app
            .store
            .write_relaxed(move |tx| {
                for claimed in claim_due(tx, "keep", "test", now, 100)? {
                    outbox::keep(tx, &claimed, now)?;
                }
                Ok::<_, store::Error>(())
            })
            .expect("kept");
    }

    /// A delivery attempt at the current time.
    pub fn tried(&self, code: Option<u16>, fault: Option<&str>, answer: &str) -> outbox::Try {
        outbox::Try {
            at: self.app.now(),
            duration: 12_345,
            code,
            fault: fault.map(str::to_owned),
            answer: answer.to_owned(),
        }
    }

    /// Attempts everything that is due once, with this outcome. Returns the attempted deliveries.
    pub fn try_all(&self, made: &outbox::Try, outcome: outbox::Outcome) -> Vec<Claimed> {
        let now = self.app.now();
        let mut lease = [0; 16];
        self.app.random.fill(&mut lease);
        let lease = format!("test {lease:?}");
        let claimed = self
            .app
            .store
            .write_relaxed(move |tx| claim_due(tx, &lease, "test", now, 100))
            .expect("a claim");
        for delivery in claimed.clone() {
            let made = made.clone();
            self.app
                .store
                .write(move |tx| outbox::finish(tx, &delivery, &made, outcome, now))
                .expect("a finish");
        }
        claimed
    }

    /// Returns a webhook as its endpoint receives it.
    pub fn hook(&self, delivery: &Claimed) -> Hook {
        let ClaimedChannel::Webhook { url, authorization, .. } = &delivery.channel else {
            panic!("no webhook: {delivery:?}");
        };
        let opened = |purpose, sealed: &[u8]| self.app.vault.decrypt(purpose, sealed).expect("it opens").to_vec();
        let body = opened(Purpose::OutboxBody, &delivery.body);
        Hook {
            url: url.clone(),
            authorization: authorization
                .as_ref()
                .map(|value| String::from_utf8_lossy(&opened(Purpose::WebhookAuthorization, value)).into_owned()),
            text: String::from_utf8_lossy(&body).into_owned(),
            body: serde_json::from_slice(&body).expect("JSON"),
        }
    }
}

pub fn login_body(email: &str, password: &str) -> Value {
    json!({"header": {"request_code": "1001Q"}, "body": {"memb_email": email, "memb_pwd": password}})
}

/// A start request for the usual template with two signers, embedded.
pub fn start_body(template: i64) -> Value {
    json!({
        "workflow_name": "근로계약서 1",
        "template_id": template,
        "recipient_list": [
            {"order": 1, "name": "김민준", "email": "minjun@example.com"},
            {"order": 2, "name": "山田太郎", "email": "taro@example.com"},
        ],
        "export_api_info": {"url": "https://hooks.example.com/sign", "api_type": "ALL", "is_embed": true},
    })
}

/// The values that the signers of the usual template enter.
pub fn values_of(order: u32) -> Value {
    match order {
        1 => json!([
            {"name": "employer", "value": "한빛"}, {"name": "salary", "value": 3_000_000},
            {"name": "start_date", "value": "2026-02-01"}, {"name": "grade", "value": "B"},
            {"name": "shift", "value": "night"},
        ]),
        _ => json!([
            {"name": "agree", "value": true}, {"name": "employee", "value": "山田太郎"}, {"name": "sign", "value": PNG},
        ]),
    }
}

fn field(number: u32, name: &str, kind: &str, step: u32) -> Value {
    json!({"name": name, "kind": kind, "step": step, "page": 1, "x": 100_000, "y": 60_000 * number,
        "width": 500_000, "height": 40_000})
}

fn with(mut field: Value, more: &Value) -> Value {
    for (name, value) in more.as_object().expect("members") {
        field[name] = value.clone();
    }
    field
}

/// FIELDS.json of the usual template, with two steps and a field of each kind.
pub fn contract() -> Value {
    json!({
        "name": "Contract",
        "steps": [{"order": 1}, {"order": 2}],
        "fields": [
            with(field(1, "employer", "text", 1), &json!({"required": true, "max_length": 20})),
            field(2, "salary", "number", 1),
            field(3, "start_date", "date", 1),
            with(field(4, "grade", "select", 1), &json!({"options": ["A", "B"]})),
            with(field(5, "shift", "radio", 1), &json!({"option": "day"})),
            with(field(6, "shift", "radio", 1), &json!({"option": "night"})),
            with(field(7, "fixed", "text", 1), &json!({"read_only": true})),
            with(field(8, "agree", "check", 2), &json!({"required": true})),
            field(9, "employee", "text", 2),
            with(field(10, "sign", "signature", 2), &json!({"required": true})),
            field(11, "copy", "attachment", 2),
            field(12, "phone", "text", 2),
        ],
    })
}

/// FIELDS.json of `steps` steps with one text field each.
pub fn plain(steps: u32, on_reject: &str) -> Value {
    let all: Vec<u32> = (1..=steps).collect();
    json!({
        "name": "Plain",
        "on_reject": on_reject,
        "steps": all.iter().map(|order| json!({"order": order})).collect::<Vec<_>>(),
        "fields": all.iter().map(|order| field(*order, &format!("text{order}"), "text", *order)).collect::<Vec<_>>(),
    })
}

/// FIELDS.json of three steps, each with a signature field.
pub fn contract_of_three() -> Value {
    let mut plain = plain(3, "end");
    plain["fields"] = (1..=3)
        .map(|order| {
            with(
                field(order, &format!("sign{order}"), "signature", order),
                &json!({"required": true}),
            )
        })
        .collect();
    plain
}

/// FIELDS.json whose first step has two signers. The template names the last one.
pub fn committee() -> Value {
    json!({
        "name": "Committee",
        "steps": [
            {"order": 1, "role": "chair"}, {"order": 1, "role": "clerk"},
            {"order": 2, "name": "Auditor", "email": "auditor@example.com"},
        ],
        "fields": [
            with(field(1, "chair_text", "text", 1), &json!({"role": "chair"})),
            with(field(2, "clerk_text", "text", 1), &json!({"role": "clerk"})),
        ],
    })
}

/// A PDF of one page with a line drawn on it.
pub fn pdf() -> Vec<u8> {
    let content = "1 w 72 72 m 540 72 l S";
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<<>>/Contents 4 0 R>>".to_owned(),
        format!("<</Length {}>>stream\n{content}\nendstream", content.len()),
    ];
    pdf_of(&objects)
}

/// A PDF that consists of these objects. The first is the catalog.
pub fn pdf_of(objects: &[String]) -> Vec<u8> {
    let mut file = "%PDF-1.7\n".to_owned();
    let mut table = String::from("0000000000 65535 f \n");
    for (index, object) in objects.iter().enumerate() {
        table = format!("{table}{:010} 00000 n \n", file.len());
        file = format!("{file}{} 0 obj\n{object}\nendobj\n", index + 1);
    }
    let (start, size) = (file.len(), objects.len() + 1);
    file = format!("{file}xref\n0 {size}\n{table}trailer\n<</Size {size}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n");
    file.into_bytes()
}

/// Replaces every token and client ID in a text, because they are secrets of the installation.
pub fn redacted(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("token=") {
        let (before, after) = rest.split_at(at + "token=".len());
        out.push_str(before);
        out.push_str("[token]");
        let end = after
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))
            .unwrap_or(after.len());
        rest = &after[end..];
    }
    out.push_str(rest);
    let key = "\"client_id\":\"";
    if let Some(at) = out.find(key) {
        let from = at + key.len();
        out.replace_range(from..from + 36, "[client]");
    }
    out
}

pub fn trusted(answer: &[u8], server: &Server) -> Verdict {
    verify::verify(answer, &server.app.trusted_roots().expect("the root"), server.app.now())
}

pub fn network(text: &str) -> Network {
    text.parse().expect("a network")
}

/// A file that workers refuse to verify.
pub const REFUSED_BY_WORKERS: &[u8] = b"%PDF-1.7 refused";

/// A disk that reports to be nearly full when a test asks for it.
#[derive(Debug, Default)]
pub struct Disk(AtomicBool);

impl Disk {
    pub fn fill(&self, full: bool) {
        self.0.store(full, Ordering::SeqCst);
    }
}

impl FreeSpace for Disk {
    fn spaces(&self) -> Vec<Space> {
        let free = if self.0.load(Ordering::SeqCst) { 49 } else { 50 };
        let place = "/data".to_owned();
        vec![Space {
            place,
            free,
            total: 1000,
        }]
    }
}

/// A PKCS#11 token that contains one seal key, and the token's state.
#[derive(Debug, Default)]
pub struct FakeToken(Mutex<(Option<SealKey>, TokenState)>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TokenState {
    #[default]
    There,
    Away,
    WrongPin,
}

impl FakeToken {
    pub fn hold(&self, key: SealKey) {
        self.0.lock().expect("a token").0 = Some(key);
    }

    pub fn is(&self, state: TokenState) {
        self.0.lock().expect("a token").1 = state;
    }

    fn with<T>(&self, work: impl FnOnce(&SealKey) -> Result<T, KeyError>) -> Result<T, KeyError> {
        let token = self.0.lock().expect("a token");
        match token.1 {
            TokenState::There => work(token.0.as_ref().expect("a key")),
            TokenState::Away => Err(KeyError::TokenAway("there is no token \"T\"".to_owned())),
            TokenState::WrongPin => Err(KeyError::PinRefused {
                token: "T".to_owned(),
                refusal: PinRefusal::Wrong,
            }),
        }
    }
}

struct KeyInToken(Arc<FakeToken>, SignatureAlgorithm);

impl ExternalKey for KeyInToken {
    fn algorithm(&self) -> SignatureAlgorithm {
        self.1
    }

    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, KeyError> {
        self.0.with(|key| key.sign(message))
    }
}

struct Tokens(Arc<FakeToken>);

impl app::key_tokens::KeyTokens for Tokens {
    fn key(&self, _: &str) -> Result<Arc<dyn ExternalKey>, KeyError> {
        let algorithm = self.0.with(|key| Ok(key.algorithm()))?;
        Ok(Arc::new(KeyInToken(Arc::clone(&self.0), algorithm)))
    }
}

/// Runs document work in this process. The tests trust the files because they make them.
#[derive(Debug, Default)]
struct InProcess {
    rendered: AtomicUsize,
    made: AtomicUsize,
    /// Blocks page images while locked.
    pictures: Mutex<()>,
    /// Blocks verifications while locked.
    verdicts: Mutex<()>,
    asked: AtomicUsize,
}

impl StrangersDocuments for InProcess {
    fn inspect_as(&self, _: &Requester, pdf: &[u8], wishes: &Wishes) -> Result<Intake, DocumentFault> {
        Ok(intake::inspect_as(pdf, &Limits::default(), wishes)?)
    }

    fn page_images(
        &self,
        _: &Requester,
        pdf: &[u8],
        pages: &[u32],
        dots_per_inch: f32,
    ) -> Result<Vec<Vec<u8>>, DocumentFault> {
        self.rendered.fetch_add(pages.len(), Ordering::SeqCst);
        drop(self.pictures.lock());
        Ok(render::page_images(pdf, pages, dots_per_inch)?)
    }

    fn page_texts(&self, _: &Requester, pdf: &[u8], pages: &[u32]) -> Result<Vec<PageText>, DocumentFault> {
        Ok(text_layer::page_texts(pdf, pages)?)
    }

    fn verify(&self, _: &Requester, pdf: &[u8], means: &Means, at: Timestamp) -> Result<Verdict, DocumentFault> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        drop(self.verdicts.lock());
        // Workers return this error for a file that takes too long, for example.
        if pdf == REFUSED_BY_WORKERS {
            return Err(DocumentFault::Refused(Refused::NotPdf));
        }
        Ok(verify::verify_with(pdf, means, at))
    }

    fn sheet(&self, _: &Requester, file: &[u8], limits: &SheetLimits) -> Result<Sheet, DocumentFault> {
        Ok(sheets::read(file, limits)?)
    }

    fn picture(&self, _: &Requester, file: &[u8], wish: &PictureWish) -> Result<CheckedPicture, DocumentFault> {
        self.made.fetch_add(1, Ordering::SeqCst);
        drop(self.pictures.lock());
        Ok(checked_picture::check(file, wish)?)
    }
}

/// Returns a signing token for the first signer of a workflow that is not embedded. The token proves no identity, like
/// the ones pages get.
pub fn token_of_writer(server: &Server, company: &domain::CompanyId, id: &Value) -> String {
    token_of_writer_at(server, company, id, 0)
}

/// Returns such a token for the signer in this place.
pub fn token_of_writer_at(server: &Server, company: &domain::CompanyId, id: &Value, place: usize) -> String {
    let (company, id) = (company.clone(), domain::WorkflowId(id.as_i64().expect("an id")));
    let stored = server
        .app
        .store
        .read(move |tx| store::workflow::load(tx, &company, id))
        .expect("a workflow")
        .expect("a workflow");
    let recipient = &stored.workflow.recipients[place];
    let token = app::LinkToken {
        purpose: app::LinkPurpose::Sign,
        subject: recipient.id.get(),
        version: recipient.link_version,
        expires: None,
    };
    token.encode(&server.app.vault)
}
