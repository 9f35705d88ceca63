//! The vault. All secrets that we store or recognize later depend on one master key.
//!
//! The master key is a file of 32 random bytes, created at the first run and readable only by its owner. HKDF-SHA256
//! derives one key from it for each [`Purpose`], so a ciphertext for one purpose is never valid for another:
//!
//! * [`Vault::encrypt`] and [`Vault::decrypt`]: AES-256-GCM. Each message has its own key and nonce, derived from a
//!   random
//!   salt of 32 bytes in front of it, so the number of messages per key is not limited.
//! * [`Vault::tag`]: HMAC-SHA256, for link tokens and for the protection of forms.
//!
//! Without the master key, the seal keys and every link that was sent are lost. Anybody who has both the key and the
//! database can seal in the companies' names. Back it up, but not next to the database.

use std::fmt;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aes_gcm::aead::{Aead, KeyInit};
use aes_gcm::{Aes256Gcm, Nonce};
use domain::Random;
use hkdf::Hkdf;
use hmac::{Hmac, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// Version of the format that [`Vault::encrypt`] writes: version, salt, ciphertext with tag.
const FORM: u8 = 1;
const SALT: usize = 32;
const KEY: usize = 32;
const NONCE: usize = 12;

/// The purpose of a secret. Each purpose has its own key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    SealKey,
    RootKey,
    /// The secret that signs a client's webhooks.
    WebhookSecret,
    /// The value of a webhook's Authorization header.
    WebhookAuthorization,
    /// The body of a waiting webhook or message, which contains links.
    OutboxBody,
    /// A recipient's access code, while it is still needed.
    AccessCode,
    /// A code that was sent to a recipient, and the proof that the recipient entered it.
    OneTimeCode,
    /// Contacts for which wrong one-time codes and requests for new links are counted.
    CodeGuesses,
    /// A response stored for an idempotency key, which contains links.
    IdempotentAnswer,
    /// A waiting row of a bulk send, which may contain access codes.
    BulkRow,
    /// The settings of a public link, and the identifiers of its visitors.
    PublicLink,
    /// The tokens in link addresses.
    LinkToken,
    /// A ticket that opens a download for a few minutes.
    DownloadTicket,
    /// Protection for the forms of a signed-in member.
    SessionForm,
    /// The cookie and the token of a sign-in form.
    SignInForm,
    /// Addresses from which members have logged in.
    KnownAddress,
    /// Proof that a database belongs to this master key.
    Installation,
    /// The authentication codes of chain heads.
    ChainHead,
    /// The authentication codes of checkpoints.
    Checkpoint,
}

impl Purpose {
    fn label(self) -> &'static [u8] {
        match self {
            Purpose::SealKey => b"countersign seal key",
            Purpose::RootKey => b"countersign root key",
            Purpose::WebhookSecret => b"countersign webhook secret",
            Purpose::WebhookAuthorization => b"countersign webhook authorization",
            Purpose::OutboxBody => b"countersign outbox body",
            Purpose::AccessCode => b"countersign access code",
            Purpose::OneTimeCode => b"countersign one-time code",
            Purpose::CodeGuesses => b"countersign code guesses",
            Purpose::IdempotentAnswer => b"countersign idempotent answer",
            Purpose::BulkRow => b"countersign bulk row",
            Purpose::PublicLink => b"countersign public link",
            Purpose::LinkToken => b"countersign link token",
            Purpose::DownloadTicket => b"countersign download ticket",
            Purpose::SessionForm => b"countersign session form",
            Purpose::SignInForm => b"countersign sign-in form",
            Purpose::KnownAddress => b"countersign known address",
            Purpose::Installation => b"countersign installation",
            Purpose::ChainHead => b"countersign chain head",
            Purpose::Checkpoint => b"countersign checkpoint",
        }
    }
}

/// Reason why the vault cannot be opened or read.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// The key file cannot be read or written.
    #[error("the master key file {path} cannot be used: {source}")]
    File {
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// The key file does not contain a key.
    #[error("the master key file {path} has {length} bytes instead of 32; restore the right file from your backup")]
    Length { path: PathBuf, length: usize },
    /// The bytes were changed, or this vault did not encrypt them for this purpose.
    #[error("a secret cannot be decrypted: it was encrypted with a different master key, or it was changed")]
    Undecipherable,
}

/// The master key, ready for use. Cheap to clone.
#[derive(Clone)]
pub struct Vault {
    keys: Arc<Hkdf<Sha256>>,
    random: Arc<dyn Random>,
}

impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Vault(…)")
    }
}

impl Vault {
    /// Creates a vault from a master key.
    pub fn new(master_key: &[u8; KEY], random: Arc<dyn Random>) -> Vault {
        Vault {
            keys: Arc::new(Hkdf::new(Some(b"countersign vault 1"), master_key)),
            random,
        }
    }

    /// Opens the vault of a key file, or creates the file.
    ///
    /// Two processes that start at once agree on one key, because the file gets its name only when it is complete, and
    /// the second process reads the key of the first.
    pub fn open_or_create(path: &Path, random: Arc<dyn Random>) -> Result<Vault, VaultError> {
        match Vault::open(path, Arc::clone(&random)) {
            Err(VaultError::File { source, .. }) if source.kind() == io::ErrorKind::NotFound => {}
            other => return other,
        }
        let failed = |source| VaultError::File {
            path: path.to_owned(),
            source,
        };
        let mut key = Zeroizing::new([0; KEY]);
        random.fill(key.as_mut_slice());
        let mut suffix = [0; 8];
        random.fill(&mut suffix);
        let draft = path.with_extension(format!("new-{}", hex::encode(suffix)));
        write_private(&draft, key.as_slice()).map_err(failed)?;
        // Unlike a rename, a hard link fails if the name already exists.
        let linked = fs::hard_link(&draft, path);
        fs::remove_file(&draft).map_err(failed)?;
        match linked {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(failed(error)),
            _ => {}
        }
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::File::open(folder)
                .and_then(|folder| folder.sync_all())
                .map_err(failed)?;
        }
        Vault::open(path, random)
    }

    /// Opens the vault of an existing key file.
    pub fn open(path: &Path, random: Arc<dyn Random>) -> Result<Vault, VaultError> {
        let failed = |source| VaultError::File {
            path: path.to_owned(),
            source,
        };
        let mut bytes = Zeroizing::new(Vec::with_capacity(KEY + 1));
        // One extra byte is enough to detect a file that is too long.
        fs::File::open(path)
            .map_err(failed)?
            .take(KEY as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(failed)?;
        let key = <&[u8; KEY]>::try_from(bytes.as_slice()).map_err(|_| VaultError::Length {
            path: path.to_owned(),
            length: bytes.len(),
        })?;
        Ok(Vault::new(key, random))
    }

    pub(crate) fn random(&self) -> &dyn Random {
        self.random.as_ref()
    }

    /// Encrypts for a purpose.
    pub fn encrypt(&self, purpose: Purpose, plain: &[u8]) -> Vec<u8> {
        let mut salt = [0; SALT];
        self.random.fill(&mut salt);
        let (cipher, nonce) = self.cipher(purpose, &salt);
        let mut out = Vec::with_capacity(1 + SALT + plain.len() + 16);
        out.push(FORM);
        out.extend_from_slice(&salt);
        // AES-GCM refuses only messages of 64 GiB and more.
        out.extend_from_slice(&cipher.encrypt(&nonce, plain).unwrap_or_default());
        out
    }

    /// Decrypts data that [`Vault::encrypt`] encrypted for the same purpose.
    pub fn decrypt(&self, purpose: Purpose, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, VaultError> {
        let sealed = sealed.strip_prefix(&[FORM]).ok_or(VaultError::Undecipherable)?;
        let (salt, message) = sealed.split_at_checked(SALT).ok_or(VaultError::Undecipherable)?;
        let (cipher, nonce) = self.cipher(purpose, salt);
        cipher
            .decrypt(&nonce, message)
            .map(Zeroizing::new)
            .map_err(|_| VaultError::Undecipherable)
    }

    /// A message authentication code that only this vault can make.
    pub fn tag(&self, purpose: Purpose, message: &[u8]) -> [u8; 32] {
        // As long as SHA-256's block, so HMAC uses the key unchanged.
        let mut key = Zeroizing::new([0; 64]);
        self.derive(purpose, b"tag", key.as_mut_slice());
        let mut mac = <Hmac<Sha256> as hmac::KeyInit>::new(&(*key).into());
        mac.update(message);
        mac.finalize().into_bytes().into()
    }

    /// Whether the code belongs to the message. Takes the same time for either result.
    pub fn tag_matches(&self, purpose: Purpose, message: &[u8], tag: &[u8]) -> bool {
        self.tag(purpose, message).ct_eq(tag).into()
    }

    fn cipher(&self, purpose: Purpose, salt: &[u8]) -> (Aes256Gcm, Nonce<aes_gcm::aead::consts::U12>) {
        let mut derived = Zeroizing::new([0; KEY + NONCE]);
        self.derive(purpose, salt, derived.as_mut_slice());
        let mut key = Zeroizing::new([0; KEY]);
        let mut nonce = [0; NONCE];
        key.copy_from_slice(&derived[..KEY]);
        nonce.copy_from_slice(&derived[KEY..]);
        (Aes256Gcm::new(&(*key).into()), nonce.into())
    }

    fn derive(&self, purpose: Purpose, context: &[u8], out: &mut [u8]) {
        let filled = self.keys.expand_multi_info(&[purpose.label(), &[0], context], out);
        debug_assert!(filled.is_ok(), "HKDF refuses only outputs above 8,160 bytes");
    }
}

fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::testing::CountingRandom;

    fn vault(first_byte: u8) -> Vault {
        let mut key = [7; KEY];
        key[0] = first_byte;
        Vault::new(&key, Arc::new(CountingRandom::default()))
    }

    #[test]
    fn what_was_encrypted_comes_back_for_its_purpose_alone() {
        let vault = vault(1);
        let sealed = vault.encrypt(Purpose::SealKey, b"secret");
        assert_eq!(vault.decrypt(Purpose::SealKey, &sealed).unwrap().as_slice(), b"secret");
        assert!(matches!(
            vault.decrypt(Purpose::RootKey, &sealed),
            Err(VaultError::Undecipherable)
        ));
        assert!(!sealed.windows(6).any(|part| part == b"secret"));
    }

    #[test]
    fn two_encryptions_of_one_text_differ() {
        let vault = vault(1);
        assert_ne!(
            vault.encrypt(Purpose::OutboxBody, b"a"),
            vault.encrypt(Purpose::OutboxBody, b"a")
        );
    }

    #[test]
    fn another_key_a_changed_byte_or_a_short_text_is_undecipherable() {
        let sealed = vault(1).encrypt(Purpose::SealKey, b"secret");
        assert!(vault(2).decrypt(Purpose::SealKey, &sealed).is_err());
        for position in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[position] ^= 1;
            assert!(vault(1).decrypt(Purpose::SealKey, &changed).is_err(), "byte {position}");
            assert!(
                vault(1).decrypt(Purpose::SealKey, &sealed[..position]).is_err(),
                "length {position}"
            );
        }
    }

    #[test]
    fn tags_are_recognised_and_bound_to_purpose_and_key() {
        let tag = vault(1).tag(Purpose::LinkToken, b"message");
        assert!(vault(1).tag_matches(Purpose::LinkToken, b"message", &tag));
        assert!(!vault(1).tag_matches(Purpose::LinkToken, b"massage", &tag));
        assert!(!vault(1).tag_matches(Purpose::SessionForm, b"message", &tag));
        assert!(!vault(2).tag_matches(Purpose::LinkToken, b"message", &tag));
        assert!(!vault(1).tag_matches(Purpose::LinkToken, b"message", &tag[..31]));
    }

    #[test]
    fn the_key_file_is_made_once_readable_by_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("master.key");
        let random: Arc<dyn Random> = Arc::new(CountingRandom::default());
        let first = Vault::open_or_create(&path, Arc::clone(&random)).unwrap();
        let second = Vault::open_or_create(&path, random).unwrap();
        let sealed = first.encrypt(Purpose::SealKey, b"secret");
        assert_eq!(second.decrypt(Purpose::SealKey, &sealed).unwrap().as_slice(), b"secret");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no draft is left");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn a_file_of_another_length_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("master.key");
        fs::write(&path, [1; 33]).unwrap();
        let opened = Vault::open_or_create(&path, Arc::new(CountingRandom::default()));
        assert!(matches!(opened, Err(VaultError::Length { length: 33, .. })));
    }
}
