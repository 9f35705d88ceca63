//! A time-stamp authority with its own root, revocation list and OCSP responder, in this process and on the injected
//! clock.
//!
//! It answers at [`TimeStampAuthority::url`] over HTTP, or directly through [`TimestampSource`] if a test needs no
//! network. The test chooses how long each certificate is valid, so it can let one expire and have the authority
//! [renewed](TimeStampAuthority::renew).

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use const_oid::ObjectIdentifier;
use const_oid::db::rfc3161::ID_CT_TST_INFO;
use const_oid::db::rfc5280::ID_KP_TIME_STAMPING;
use const_oid::db::rfc5912::{ID_AD_CA_ISSUERS, ID_AD_OCSP};
use der::asn1::{Any, Ia5String, OctetString};
use der::{Decode, Encode, Tag};
use document::pki::authority::{CertificateRequest, distribution_points, extension, issue_certificate};
use document::pki::cms;
use document::pki::keys::{KeyKind, PrivateKey, SealKey, Signer};
use document::pki::revocation::{RevocationReason, Revoked, issue_list, serial_number};
use document::pki::timestamp::{TimestampError, TimestampRequest, TimestampSource};
use domain::Clock;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use x509_cert::ext::Extension;
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::pkix::{
    AccessDescription, AuthorityInfoAccessSyntax, BasicConstraints, ExtendedKeyUsage, KeyUsage, KeyUsages,
};

use crate::receiver::{Answer, Received, Receiver};
use crate::revocation_data::{List, OcspAnswer, sequence, tlv};

/// How clients check whether the authority's certificates are revoked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revocation {
    List,
    Responder,
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    None,
    /// The token contains the timestamp of another digest.
    Imprint,
    /// The token contains another nonce.
    Nonce,
    /// The token names another policy.
    Policy,
    /// The authority refuses with this status and no failure code.
    Status(u8),
    /// The authority refuses with the failure code `timeNotAvailable`.
    TimeNotAvailable,
    /// The authority's certificate is not meant for timestamps.
    Usage,
    Signature,
    /// The authority's certificate is so large that a token needs more than 16 KiB.
    Size,
}

struct Inner {
    clock: Arc<dyn Clock>,
    root: SealKey,
    revocation: Revocation,
    signer: Mutex<Option<SealKey>>,
    fault: Mutex<Fault>,
    /// One list per moment, because signing the same content twice gives different signatures.
    list: Mutex<Option<(Timestamp, Vec<u8>)>>,
    /// The serial numbers that the root has revoked, with the time.
    revoked: Mutex<Vec<(Vec<u8>, Timestamp)>>,
    serial: AtomicU64,
    address: Mutex<String>,
}

/// The authority. It runs until it is dropped.
pub struct TimeStampAuthority {
    inner: Arc<Inner>,
    receiver: Receiver,
}

/// Each root has its own name, because verifiers look up revocation lists by the name of their issuer.
static NUMBER: AtomicU64 = AtomicU64::new(1);

pub const POLICY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.99999.1");

impl TimeStampAuthority {
    /// Starts an authority whose current certificate expires at `ends`. Its root is valid for thirty years.
    pub fn start(clock: Arc<dyn Clock>, revocation: Revocation, ends: Timestamp) -> Self {
        let name = format!("Test time-stamp root {}", NUMBER.fetch_add(1, Ordering::Relaxed));
        let now = clock.now();
        let key = PrivateKey::generate(KeyKind::EcdsaP256).expect("a key");
        let certificate = issue_certificate(
            None,
            &key,
            CertificateRequest {
                common_name: &name,
                extensions: vec![
                    extension(
                        true,
                        &BasicConstraints {
                            ca: true,
                            path_len_constraint: None,
                        },
                    )
                    .expect("an extension"),
                    extension(true, &KeyUsage(KeyUsages::KeyCertSign | KeyUsages::CRLSign)).expect("an extension"),
                ],
                not_before: now - 24.hours(),
                not_after: now + (30 * 365 * 24).hours(),
            },
        )
        .expect("a root");
        let root = SealKey::from_key(key, vec![certificate]).expect("a root");
        let inner = Arc::new(Inner {
            clock,
            signer: Mutex::new(None),
            root,
            revocation,
            fault: Mutex::new(Fault::None),
            list: Mutex::new(None),
            revoked: Mutex::default(),
            serial: AtomicU64::new(1),
            address: Mutex::default(),
        });
        let answering = Arc::clone(&inner);
        let receiver = Receiver::answering(move |request| answering.answer(request));
        *inner.address.lock().expect("no panic while locked") = receiver.url("");
        let authority = Self { inner, receiver };
        authority.renew(ends);
        authority
    }

    /// Switches to a new key and certificate, which expires at `ends`.
    pub fn renew(&self, ends: Timestamp) {
        let signer = self.inner.issue(ends, &[ID_KP_TIME_STAMPING], None);
        *self.inner.signer.lock().expect("no panic while locked") = Some(signer);
    }

    /// Makes all further tokens wrong in this way.
    pub fn err_by(&self, fault: Fault) {
        let ends = self.inner.clock.now() + (24 * 365).hours();
        let other = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.3");
        let signer = match fault {
            Fault::Usage => Some(self.inner.issue(ends, &[other], None)),
            Fault::Size => {
                let padding = Extension {
                    extn_id: ObjectIdentifier::new_unwrap("1.3.6.1.4.1.99999.2"),
                    critical: false,
                    extn_value: OctetString::new(vec![5; 20 * 1024]).expect("octets"),
                };
                Some(self.inner.issue(ends, &[ID_KP_TIME_STAMPING], Some(padding)))
            }
            _ => None,
        };
        if signer.is_some() {
            *self.inner.signer.lock().expect("no panic while locked") = signer;
        }
        *self.inner.fault.lock().expect("no panic while locked") = fault;
    }

    pub fn url(&self) -> String {
        self.receiver.url("/tsa")
    }

    /// Returns the HTTP server behind the authority, for transport errors.
    pub fn receiver(&self) -> &Receiver {
        &self.receiver
    }

    /// Returns the root's certificate, DER.
    pub fn root(&self) -> Vec<u8> {
        self.inner.root.certificates().first().expect("a certificate").clone()
    }

    /// Returns the root's certificate as PEM.
    pub fn root_pem(&self) -> String {
        self.inner.root.certificate_pem()
    }

    pub fn certificate(&self) -> Vec<u8> {
        self.inner.certificate()
    }

    /// Returns the root's current revocation list.
    pub fn revocation_list(&self) -> Vec<u8> {
        self.inner.list()
    }

    /// Returns a revocation list of the root, without entries, larger than `bytes`.
    pub fn large_revocation_list(&self, bytes: usize) -> Vec<u8> {
        let now = self.inner.clock.now();
        let padding = ("1.3.6.1.4.1.99999.3", false, tlv(4, &vec![0; bytes]));
        let list = List {
            this_update: now - 1.minute(),
            next_update: Some(now + (24 * 7).hours()),
            extensions: vec![padding],
        };
        list.signed_by(&self.inner.root)
    }

    /// Returns an OCSP response about the authority's current certificate.
    pub fn ocsp_response(&self) -> Vec<u8> {
        self.inner.ocsp(&self.certificate())
    }

    /// Creates a seal key with a certificate that expires at `ends`. The certificate names a revocation list and its
    /// issuer's certificate at these paths of the authority's address, if given. The test must provide the answers
    /// there.
    pub fn certify_signer(&self, ends: Timestamp, list: Option<&str>, issuer: Option<&str>) -> (PrivateKey, Vec<u8>) {
        self.certify_signer_answered(ends, list, issuer, None)
    }

    /// Like [`Self::certify_signer`], with a certificate that also names a responder.
    pub fn certify_signer_answered(
        &self,
        ends: Timestamp,
        list: Option<&str>,
        issuer: Option<&str>,
        responder: Option<&str>,
    ) -> (PrivateKey, Vec<u8>) {
        let usage = KeyUsage(KeyUsages::DigitalSignature.into());
        let mut extensions = vec![extension(true, &usage).expect("an extension")];
        if let Some(path) = list {
            let points = distribution_points(&self.receiver.url(path)).expect("an address");
            extensions.push(extension(false, &points).expect("an extension"));
        }
        let named = [(ID_AD_OCSP, responder), (ID_AD_CA_ISSUERS, issuer)];
        let named = named.into_iter().filter_map(|(method, path)| Some((method, path?)));
        let descriptions: Vec<AccessDescription> = named
            .flat_map(|(method, path)| access(method, &self.receiver.url(path)).0)
            .collect();
        if !descriptions.is_empty() {
            let access = AuthorityInfoAccessSyntax(descriptions);
            extensions.push(extension(false, &access).expect("an extension"));
        }
        let key = PrivateKey::generate(KeyKind::EcdsaP256).expect("a key");
        let request = CertificateRequest {
            common_name: "Test signer",
            extensions,
            not_before: self.inner.clock.now() - 1.hour(),
            not_after: ends,
        };
        let certificate = issue_certificate(Some(&self.inner.root), &key, request).expect("a certificate");
        (key, certificate)
    }

    /// Adds this certificate (DER) to the root's revocation list.
    pub fn revoke(&self, certificate: &[u8]) {
        let serial = serial_number(certificate).expect("a certificate");
        let entry = (serial, self.inner.clock.now());
        self.inner.revoked.lock().expect("no panic while locked").push(entry);
        *self.inner.list.lock().expect("no panic while locked") = None;
    }

    pub fn answer(&self, request: &[u8]) -> Vec<u8> {
        self.inner.stamp(request)
    }
}

impl TimestampSource for TimeStampAuthority {
    fn timestamp(&self, digest: &[u8; 32]) -> Result<Vec<u8>, TimestampError> {
        let serial = self.inner.serial.load(Ordering::SeqCst);
        let mut nonce = [0; document::pki::timestamp::NONCE_BYTES];
        nonce[8..].copy_from_slice(&serial.to_be_bytes());
        let request = TimestampRequest::new(*digest, nonce, None);
        request.accept(&self.answer(&request.to_der()?))
    }
}

impl Inner {
    fn issue(&self, ends: Timestamp, usage: &[ObjectIdentifier], more: Option<Extension>) -> SealKey {
        let now = self.clock.now();
        let address = self.address.lock().expect("no panic while locked").clone();
        let mut extensions: Vec<Extension> = vec![
            extension(true, &KeyUsage(KeyUsages::DigitalSignature.into())).expect("an extension"),
            extension(true, &ExtendedKeyUsage(usage.to_vec())).expect("an extension"),
        ];
        match self.revocation {
            Revocation::List => {
                let points = distribution_points(&format!("{address}/root.crl")).expect("an address");
                extensions.push(extension(false, &points).expect("an extension"));
            }
            Revocation::Responder => {
                let access = access(ID_AD_OCSP, &format!("{address}/ocsp"));
                extensions.push(extension(false, &access).expect("an extension"));
            }
            Revocation::None => {}
        }
        extensions.extend(more);
        let key = PrivateKey::generate(KeyKind::EcdsaP256).expect("a key");
        let request = CertificateRequest {
            common_name: "Test time-stamp authority",
            extensions,
            not_before: now - 1.hour(),
            not_after: ends,
        };
        let certificate = issue_certificate(Some(&self.root), &key, request).expect("a certificate");
        let root = self.root.certificates().first().expect("a certificate").clone();
        SealKey::from_key(key, vec![certificate, root]).expect("a key")
    }

    fn certificate(&self) -> Vec<u8> {
        let signer = self.signer.lock().expect("no panic while locked");
        let signer = signer.as_ref().expect("a signer");
        signer.certificates().first().expect("a certificate").clone()
    }

    fn answer(&self, request: &Received) -> Answer {
        let (media_type, body) = match (request.method.as_str(), request.path.as_str()) {
            ("POST", "/tsa") => (document::pki::timestamp::REPLY_MEDIA_TYPE, self.stamp(&request.body)),
            ("GET", "/root.crl") => (document::pki::revocation::LIST_MEDIA_TYPE, self.list()),
            ("POST", "/ocsp") => ("application/ocsp-response", self.ocsp(&self.certificate())),
            _ => return Answer::status(404),
        };
        Answer::Plain {
            status: 200,
            headers: vec![("content-type".to_owned(), media_type.to_owned())],
            body,
        }
    }

    fn list(&self) -> Vec<u8> {
        let now = self.clock.now();
        let mut kept = self.list.lock().expect("no panic while locked");
        match kept.as_ref() {
            Some((at, list)) if *at == now => list.clone(),
            _ => {
                let revoked = self.revoked.lock().expect("no panic while locked");
                let entries: Vec<Revoked<'_>> = revoked
                    .iter()
                    .map(|(serial_number, at)| Revoked {
                        serial_number,
                        at: *at,
                        reason: RevocationReason::Superseded,
                    })
                    .collect();
                let list =
                    issue_list(&self.root, &entries, 1, now - 1.minute(), now + (24 * 7).hours()).expect("a list");
                *kept = Some((now, list.clone()));
                list
            }
        }
    }

    fn stamp(&self, request: &[u8]) -> Vec<u8> {
        let fault = *self.fault.lock().expect("no panic while locked");
        match fault {
            Fault::Status(status) => return sequence(&[&sequence(&[&[2, 1, status]])]),
            // PKIFailureInfo with bit 14.
            Fault::TimeNotAvailable => {
                let text = sequence(&[&tlv(0x0c, b"the clock stands still")]);
                return sequence(&[&sequence(&[&[2, 1, 2], &text, &[3, 3, 1, 0, 2]])]);
            }
            _ => {}
        }
        // version, messageImprint, [policy], nonce, certReq
        let parts = Vec::<Any>::from_der(request).expect("a request");
        let mut imprint = parts[1].to_der().expect("DER");
        if fault == Fault::Imprint {
            *imprint.last_mut().expect("a digest") ^= 1;
        }
        let mut nonce = parts
            .iter()
            .skip(2)
            .find(|part| der::Tagged::tag(*part) == Tag::Integer)
            .expect("a nonce")
            .to_der()
            .expect("DER");
        if fault == Fault::Nonce {
            *nonce.last_mut().expect("a nonce") ^= 1;
        }
        let asked = parts
            .iter()
            .skip(2)
            .find(|part| der::Tagged::tag(*part) == Tag::ObjectIdentifier);
        let policy = match asked {
            _ if fault == Fault::Policy => ID_KP_TIME_STAMPING.to_der().expect("DER"),
            Some(asked) => asked.to_der().expect("DER"),
            None => POLICY.to_der().expect("DER"),
        };
        let serial = self.serial.fetch_add(1, Ordering::SeqCst).to_der().expect("DER");
        let at = self
            .clock
            .now()
            .to_zoned_datetime(TimeZone::UTC)
            .strftime("%Y%m%d%H%M%SZ")
            .to_string();
        let at = tlv(0x18, at.as_bytes());
        let info = sequence(&[&[2, 1, 1], &policy, &imprint, &serial, &at, &nonce]);
        let signer = self.signer.lock().expect("no panic while locked");
        let mut token = cms::sign_content(signer.as_ref().expect("a signer"), ID_CT_TST_INFO, &info).expect("a token");
        if fault == Fault::Signature {
            *token.last_mut().expect("a signature") ^= 1;
        }
        sequence(&[&sequence(&[&[2, 1, 0]]), &token])
    }

    /// Returns a response that confirms a certificate as good, signed by the root itself.
    fn ocsp(&self, certificate: &[u8]) -> Vec<u8> {
        let root = self.root.certificates().first().expect("a certificate");
        OcspAnswer::good(certificate, root, self.clock.now()).signed_by(&self.root)
    }
}

/// Returns the extension that names an address (RFC 5280, 4.2.2.1).
fn access(method: ObjectIdentifier, address: &str) -> AuthorityInfoAccessSyntax {
    AuthorityInfoAccessSyntax(vec![AccessDescription {
        access_method: method,
        access_location: GeneralName::UniformResourceIdentifier(Ia5String::new(address).expect("an address")),
    }])
}
