//! Sealing keys in a PKCS#11 token: a hardware security module, a smart card, a `SoftHSM`.
//!
//! One module is loaded for the whole process, and one session per token stays open and logged in. A signature that
//! fails is tried again with a new session, because the token may have been unplugged or restarted meanwhile. The
//! private key never leaves the token: we only ask it for signatures (`CKM_ECDSA` over a SHA-256 digest,
//! `CKM_SHA256_RSA_PKCS`).
//!
//! If a token refuses a PIN, this process never sends it that PIN again: a few wrong tries lock a token, often for
//! good. If a token says that the next wrong try is the last, we send it no PIN at all, so that a program which is
//! restarted again and again does not lock it either.
//!
//! A PKCS#11 URI (RFC 7512) identifies the key: `pkcs11:token=LABEL;object=LABEL`, percent-encoded if necessary.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use app::key_tokens::KeyTokens;
use cryptoki::context::{CInitializeArgs, CInitializeFlags, Pkcs11};
use cryptoki::error::RvError;
use cryptoki::mechanism::Mechanism;
use cryptoki::object::{Attribute, AttributeType, KeyType, ObjectClass, ObjectHandle};
use cryptoki::session::{Session, UserType};
use cryptoki::types::AuthPin;
use document::pki::keys::{ExternalKey, KeyError, PinRefusal, SignatureAlgorithm, ecdsa_signature};
use sha2::{Digest, Sha256};

/// The tokens that one module knows.
pub struct Tokens(Arc<Shared>);

struct Shared {
    module: Pkcs11,
    pin: AuthPin,
    /// By the token's label.
    sessions: Mutex<HashMap<String, Login>>,
}

/// How logging in to a token ended.
enum Login {
    Open(Session),
    /// Final, because the PIN never changes while this process runs.
    Refused(PinRefusal),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct KeyAddress {
    token: String,
    object: String,
}

impl KeyAddress {
    fn parse(uri: &str) -> Option<KeyAddress> {
        let (mut token, mut object) = (None, None);
        for part in uri.strip_prefix("pkcs11:")?.split(';') {
            match part.split_once('=')? {
                ("token", value) => token = Some(decoded(value)?),
                ("object", value) => object = Some(decoded(value)?),
                // `type=private` is what we mean anyway; any other attribute would be ignored silently.
                ("type", "private") => {}
                _ => return None,
            }
        }
        Some(KeyAddress {
            token: token?,
            object: object?,
        })
    }
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        if *first == b'%' {
            let digits = std::str::from_utf8(after.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = after.get(2..)?;
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

struct TokenKey {
    shared: Arc<Shared>,
    address: KeyAddress,
    algorithm: SignatureAlgorithm,
}

impl Tokens {
    /// Loads a module. `pin` is the user's PIN of the tokens.
    pub fn load(module: &Path, pin: &str) -> Result<Tokens, cryptoki::error::Error> {
        let module = Pkcs11::new(module)?;
        module.initialize(CInitializeArgs::new(CInitializeFlags::OS_LOCKING_OK))?;
        Ok(Tokens(Arc::new(Shared {
            module,
            pin: AuthPin::from(pin.to_owned()),
            sessions: Mutex::default(),
        })))
    }
}

impl KeyTokens for Tokens {
    fn key(&self, uri: &str) -> Result<Arc<dyn ExternalKey>, KeyError> {
        let address = KeyAddress::parse(uri).ok_or_else(|| {
            KeyError::Token("the address of the key must be pkcs11:token=LABEL;object=LABEL (RFC 7512)".to_owned())
        })?;
        let algorithm = self.0.with_key(&address, |session, key| {
            let attributes = session.get_attributes(key, &[AttributeType::KeyType])?;
            Ok(attributes.into_iter().find_map(|attribute| match attribute {
                Attribute::KeyType(KeyType::EC) => Some(SignatureAlgorithm::EcdsaSha256),
                Attribute::KeyType(KeyType::RSA) => Some(SignatureAlgorithm::RsaPkcs1Sha256),
                _ => None,
            }))
        })?;
        Ok(Arc::new(TokenKey {
            shared: Arc::clone(&self.0),
            address,
            algorithm: algorithm.ok_or(KeyError::UnsupportedKey)?,
        }))
    }
}

impl ExternalKey for TokenKey {
    fn algorithm(&self) -> SignatureAlgorithm {
        self.algorithm
    }

    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, KeyError> {
        match self.algorithm {
            SignatureAlgorithm::RsaPkcs1Sha256 => self.shared.with_key(&self.address, |session, key| {
                session.sign(&Mechanism::Sha256RsaPkcs, key, message)
            }),
            SignatureAlgorithm::EcdsaSha256 => {
                let digest = Sha256::digest(message);
                let raw = self.shared.with_key(&self.address, |session, key| {
                    session.sign(&Mechanism::Ecdsa, key, &digest)
                })?;
                ecdsa_signature(&raw)
            }
            // No token key has these algorithms: see `Tokens::key`.
            SignatureAlgorithm::EcdsaSha384 | SignatureAlgorithm::Ed25519 => Err(KeyError::UnsupportedKey),
        }
    }
}

/// Why a token was not used.
enum Fault {
    /// The key, or the token, does not exist.
    Missing(String),
    Pin(PinRefusal),
    Token(cryptoki::error::Error),
}

impl From<cryptoki::error::Error> for Fault {
    fn from(error: cryptoki::error::Error) -> Self {
        Self::Token(error)
    }
}

impl Shared {
    /// Uses a key in a logged-in session; if the token fails, again with a new session.
    fn with_key<T>(
        &self,
        address: &KeyAddress,
        work: impl Fn(&Session, ObjectHandle) -> Result<T, cryptoki::error::Error>,
    ) -> Result<T, KeyError> {
        let mut logins = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let mut last = String::new();
        for _ in 0..2 {
            match self.attempt(&mut logins, address, &work) {
                Ok(done) => return Ok(done),
                Err(Fault::Missing(reason)) => return Err(KeyError::Token(reason)),
                Err(Fault::Pin(refusal)) => {
                    logins.insert(address.token.clone(), Login::Refused(refusal));
                    return Err(KeyError::PinRefused {
                        token: address.token.clone(),
                        refusal,
                    });
                }
                Err(Fault::Token(error)) => {
                    last = error.to_string();
                    logins.remove(&address.token);
                }
            }
        }
        Err(KeyError::Token(last))
    }

    fn attempt<T>(
        &self,
        logins: &mut HashMap<String, Login>,
        address: &KeyAddress,
        work: impl Fn(&Session, ObjectHandle) -> Result<T, cryptoki::error::Error>,
    ) -> Result<T, Fault> {
        if !logins.contains_key(&address.token) {
            logins.insert(address.token.clone(), Login::Open(self.open(&address.token)?));
        }
        let session = match logins.get(&address.token) {
            Some(Login::Open(session)) => session,
            Some(Login::Refused(refusal)) => return Err(Fault::Pin(*refusal)),
            None => return Err(Fault::Missing(format!("there is no token {:?}", address.token))),
        };
        let wanted = [
            Attribute::Class(ObjectClass::PRIVATE_KEY),
            Attribute::Label(address.object.clone().into_bytes()),
        ];
        match session.find_objects(&wanted)?.as_slice() {
            [key] => Ok(work(session, *key)?),
            [] => Err(Fault::Missing(format!(
                "the token {:?} holds no private key {:?}",
                address.token, address.object
            ))),
            _ => Err(Fault::Missing(format!(
                "the token {:?} holds several private keys {:?}; give the one that is meant a label of its own",
                address.token, address.object
            ))),
        }
    }

    fn open(&self, token: &str) -> Result<Session, Fault> {
        for slot in self.module.get_slots_with_initialized_token()? {
            let info = self.module.get_token_info(slot)?;
            if info.label() != token {
                continue;
            }
            if info.user_pin_locked() {
                return Err(Fault::Pin(PinRefusal::Locked));
            }
            if info.user_pin_final_try() {
                return Err(Fault::Pin(PinRefusal::LastTry));
            }
            let session = self.module.open_ro_session(slot)?;
            return match session.login(UserType::User, Some(&self.pin)) {
                // Another session of this process has already logged in, which counts for all of them (PKCS#11, 5.6.8).
                Ok(()) | Err(cryptoki::error::Error::Pkcs11(RvError::UserAlreadyLoggedIn, _)) => Ok(session),
                Err(error) => Err(match refusal(&error) {
                    Some(refusal) => {
                        // Once for each try that the token has counted.
                        tracing::error!(token, %refusal, "a login to the token was refused");
                        Fault::Pin(refusal)
                    }
                    None => error.into(),
                }),
            };
        }
        Err(Fault::Missing(format!("there is no token {token:?}")))
    }
}

/// What a token says about the PIN, if its answer is about the PIN.
fn refusal(error: &cryptoki::error::Error) -> Option<PinRefusal> {
    let cryptoki::error::Error::Pkcs11(error, _) = error else {
        return None;
    };
    match error {
        RvError::PinIncorrect | RvError::PinInvalid | RvError::PinLenRange => Some(PinRefusal::Wrong),
        RvError::PinLocked => Some(PinRefusal::Locked),
        RvError::PinExpired => Some(PinRefusal::Expired),
        RvError::UserPinNotInitialized => Some(PinRefusal::NotSet),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_addressed_by_token_and_object() {
        let address = KeyAddress::parse("pkcs11:token=Seal%20keys;object=acme%3B1;type=private").expect("an address");
        assert_eq!(
            (address.token.as_str(), address.object.as_str()),
            ("Seal keys", "acme;1")
        );
        for wrong in [
            "",
            "token=a;object=b",
            "pkcs11:token=a",
            "pkcs11:object=b",
            "pkcs11:token=a;object=b;id=%01",
            "pkcs11:token=%zz;object=b",
            "pkcs11:token=%;object=b",
        ] {
            assert_eq!(KeyAddress::parse(wrong), None, "{wrong}");
        }
    }
}
