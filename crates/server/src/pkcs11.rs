//! Seal keys in a PKCS#11 token: a hardware security module, a smart card, a `SoftHSM`.
//!
//! One module is loaded for the whole process, and one session per token is kept open and logged in. A signature that
//! fails is tried again with a new session, because the token may have been unplugged or restarted meanwhile. Each time
//! we need a key of a missing token, we search for the token again. Many modules only see the tokens that were there
//! when the module was initialized, so the module is initialized again, at most once in [`LOOK_AGAIN`]. The private key
//! never leaves the token, which only returns signatures (`CKM_ECDSA` over a SHA-256 digest, `CKM_SHA256_RSA_PKCS`).
//!
//! If a token refuses a PIN, this process never sends it that PIN again, because a few wrong tries lock a token, often
//! permanently. If a token says that the next wrong try is the last, we send it no PIN at all, so that a program that
//! is restarted repeatedly does not lock it either.
//!
//! A PKCS#11 URI (RFC 7512) identifies the key: `pkcs11:token=LABEL;object=LABEL`, percent-encoded if necessary.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use app::key_tokens::KeyTokens;
use cryptoki::context::{CInitializeArgs, CInitializeFlags, Pkcs11};
use cryptoki::error::RvError;
use cryptoki::mechanism::Mechanism;
use cryptoki::object::{Attribute, AttributeType, KeyType, ObjectClass, ObjectHandle};
use cryptoki::session::{Session, UserType};
use cryptoki::types::AuthPin;
use document::pki::keys::{ExternalKey, KeyError, PinRefusal, SignatureAlgorithm, ecdsa_signature};
use sha2::{Digest, Sha256};

/// Initializing a module is slow with some tokens, and ends all sessions.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// The tokens of one module.
pub struct Tokens(Arc<Shared>);

struct Shared {
    module: Pkcs11,
    pin: AuthPin,
    logins: Mutex<Logins>,
}

#[derive(Default)]
struct Logins {
    /// By the token's label.
    by_token: HashMap<String, Login>,
    /// The last time the module was initialized because a token was missing.
    looked_again: Option<Instant>,
}

/// The result of logging in to a token.
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
                // `type=private` is implied. Any other attribute would be ignored silently, so it is refused.
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
    /// Loads a module. `pin` is the user PIN of the tokens.
    pub fn load(module: &Path, pin: &str) -> Result<Tokens, cryptoki::error::Error> {
        let module = Pkcs11::new(module)?;
        initialize(&module)?;
        Ok(Tokens(Arc::new(Shared {
            module,
            pin: AuthPin::from(pin.to_owned()),
            logins: Mutex::default(),
        })))
    }
}

fn initialize(module: &Pkcs11) -> Result<(), cryptoki::error::Error> {
    module.initialize(CInitializeArgs::new(CInitializeFlags::OS_LOCKING_OK))
}

impl KeyTokens for Tokens {
    fn key(&self, uri: &str) -> Result<Arc<dyn ExternalKey>, KeyError> {
        let address = KeyAddress::parse(uri).ok_or_else(|| {
            KeyError::Token(
                "the key's address must have the form pkcs11:token=LABEL;object=LABEL (RFC 7512)".to_owned(),
            )
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
            // No key in a token has these algorithms: see `Tokens::key`.
            SignatureAlgorithm::EcdsaSha384 | SignatureAlgorithm::Ed25519 => Err(KeyError::UnsupportedKey),
        }
    }
}

/// The reasons why a token was not used.
enum Fault {
    /// The token is missing.
    Away(String),
    /// The token has no such key.
    NoKey(String),
    /// The token refuses the PIN.
    Pin(PinRefusal),
    Token(cryptoki::error::Error),
}

impl From<cryptoki::error::Error> for Fault {
    fn from(error: cryptoki::error::Error) -> Self {
        Self::Token(error)
    }
}

impl Shared {
    /// Uses a key in a logged-in session. If the token fails, tries again with a new session.
    fn with_key<T>(
        &self,
        address: &KeyAddress,
        work: impl Fn(&Session, ObjectHandle) -> Result<T, cryptoki::error::Error>,
    ) -> Result<T, KeyError> {
        let mut logins = self.logins.lock().unwrap_or_else(PoisonError::into_inner);
        let mut last = KeyError::TokenAway(String::new());
        for _ in 0..2 {
            let fault = match self.attempt(&mut logins.by_token, address, &work) {
                Ok(done) => return Ok(done),
                Err(fault) => fault,
            };
            if let Fault::Pin(refusal) = fault {
                let token = address.token.clone();
                logins.by_token.insert(token.clone(), Login::Refused(refusal));
                return Err(KeyError::PinRefused { token, refusal });
            }
            // The session of a token that was unplugged may still answer, but with no keys.
            logins.by_token.remove(&address.token);
            last = match fault {
                Fault::Away(reason) => KeyError::TokenAway(reason),
                Fault::Token(error) if is_away(&error) => KeyError::TokenAway(error.to_string()),
                Fault::Token(error) => KeyError::Token(error.to_string()),
                Fault::NoKey(reason) => KeyError::Token(reason),
                Fault::Pin(_) => continue,
            };
            if matches!(last, KeyError::TokenAway(_)) && !self.look_again(&mut logins) {
                break;
            }
        }
        Err(last)
    }

    /// Initializes the module again, so that it sees the current tokens. `false` if this happened a moment ago, or
    /// fails.
    fn look_again(&self, logins: &mut Logins) -> bool {
        if logins.looked_again.is_some_and(|at| at.elapsed() < LOOK_AGAIN) {
            return false;
        }
        // A refused PIN stays refused. Sessions end with the module.
        logins.by_token.retain(|_, login| matches!(login, Login::Refused(_)));
        // A module that could not be initialized last time cannot be finalized.
        let _ = self.module.clone().finalize();
        let initialized = initialize(&self.module);
        logins.looked_again = Some(Instant::now());
        if let Err(error) = &initialized {
            tracing::warn!(%error, "the PKCS#11 module could not be initialized again");
        }
        initialized.is_ok()
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
            None => return Err(Fault::Away(format!("there is no token {:?}", address.token))),
        };
        let wanted = [
            Attribute::Class(ObjectClass::PRIVATE_KEY),
            Attribute::Label(address.object.clone().into_bytes()),
        ];
        match session.find_objects(&wanted)?.as_slice() {
            [key] => Ok(work(session, *key)?),
            [] => Err(Fault::NoKey(format!(
                "the token {:?} contains no private key {:?}",
                address.token, address.object
            ))),
            _ => Err(Fault::NoKey(format!(
                "the token {:?} holds several private keys {:?}; give the right one a unique label",
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
                // Another session of this process has logged in, which applies to all sessions (PKCS#11, 5.6.8).
                Ok(()) | Err(cryptoki::error::Error::Pkcs11(RvError::UserAlreadyLoggedIn, _)) => Ok(session),
                Err(error) => Err(match refusal(&error) {
                    Some(refusal) => {
                        // Logged once for each try that the token has counted.
                        tracing::error!(token, %refusal, "a login to the token was refused");
                        Fault::Pin(refusal)
                    }
                    None => error.into(),
                }),
            };
        }
        Err(Fault::Away(format!("there is no token {token:?}")))
    }
}

/// Whether a token may work again once it is connected. Other errors stay until someone fixes them.
fn is_away(error: &cryptoki::error::Error) -> bool {
    let cryptoki::error::Error::Pkcs11(error, _) = error else {
        return false;
    };
    matches!(
        error,
        RvError::TokenNotPresent
            | RvError::TokenNotRecognized
            | RvError::DeviceRemoved
            | RvError::DeviceError
            | RvError::DeviceMemory
            | RvError::SlotIdInvalid
            | RvError::SessionClosed
            | RvError::SessionHandleInvalid
            | RvError::CryptokiNotInitialized
            | RvError::GeneralError
            | RvError::FunctionFailed
            | RvError::ObjectHandleInvalid
            | RvError::KeyHandleInvalid
            | RvError::UserNotLoggedIn
    )
}

/// Returns a token's error about the PIN, or `None` for other errors.
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
