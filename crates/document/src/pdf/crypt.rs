//! The standard security handler (ISO 32000-2, 7.6): revisions 2 to 6, user and owner passwords.

use std::collections::BTreeMap;

use aes::cipher::block_padding::NoPadding;
use aes::cipher::{BlockModeDecrypt, BlockModeEncrypt, KeyIvInit};
use md5::Md5;
use sha2::{Digest, Sha256, Sha384, Sha512};

use super::defect::Rule;
use super::object::{Dict, Object, Ref, Str};

/// Pads a password to 32 bytes (7.6.4.3.2, Algorithm 2).
const PADDING: [u8; 32] = [
    0x28, 0xBF, 0x4E, 0x5E, 0x4E, 0x75, 0x8A, 0x41, 0x64, 0x00, 0x4E, 0x56, 0xFF, 0xFA, 0x01, 0x08, 0x2E, 0x2E, 0x00,
    0xB6, 0xD0, 0x68, 0x3E, 0x80, 0x2F, 0x0C, 0xA9, 0xFE, 0x64, 0x53, 0x69, 0x7A,
];
const BLOCK: usize = 16;
/// Maximum password length in bytes for revision 6 (7.6.4.3.3).
const LONGEST_PASSWORD: usize = 127;

/// The kind of password that opened the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// The permissions of the file apply.
    User,
    /// Everything is permitted.
    Owner,
}

/// Encryption method of a crypt filter (7.6.6, Table 25).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Method {
    Identity,
    Rc4,
    AesV2,
    AesV3,
}

/// Decrypts the contents of a file.
#[derive(Clone)]
pub struct Crypt {
    key: Vec<u8>,
    filters: BTreeMap<Vec<u8>, Method>,
    streams: Method,
    strings: Method,
    embedded_files: Method,
    encrypts_metadata: bool,
    access: Access,
}

impl std::fmt::Debug for Crypt {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Crypt")
            .field("access", &self.access)
            .finish_non_exhaustive()
    }
}

/// The entries of the encryption dictionary that the key depends on.
struct Handler {
    revision: i64,
    key_length: usize,
    owner: Vec<u8>,
    user: Vec<u8>,
    owner_key: Vec<u8>,
    user_key: Vec<u8>,
    permissions: [u8; 4],
    id: Vec<u8>,
    encrypts_metadata: bool,
}

impl Crypt {
    /// Opens a file with its encryption dictionary, the first half of its `/ID`, and the user or owner password.
    /// Without a password, or with an unneeded one, the file opens if it has an empty user password.
    pub fn open(dict: &Dict, id: &[u8], password: Option<&str>) -> Result<Self, Rule> {
        if !dict.get(b"Filter").is_some_and(|filter| filter.is_name(b"Standard")) {
            return Err(Rule::UnsupportedEncryption);
        }
        let version = dict.get(b"V").and_then(Object::as_i64).unwrap_or(0);
        let handler = Handler::read(dict, version, id)?;
        let mut crypt = Self {
            key: Vec::new(),
            filters: BTreeMap::new(),
            streams: Method::Rc4,
            strings: Method::Rc4,
            embedded_files: Method::Rc4,
            encrypts_metadata: handler.encrypts_metadata,
            access: Access::User,
        };
        if version >= 4 {
            crypt.read_filters(dict)?;
        }
        let opened = password
            .into_iter()
            .chain([""])
            .flat_map(spellings(handler.revision))
            .find_map(|password| handler.key(&password));
        (crypt.key, crypt.access) = opened.ok_or(match password {
            None => Rule::PasswordNeeded,
            Some(_) => Rule::PasswordWrong,
        })?;
        Ok(crypt)
    }

    /// Reads the crypt filters (7.6.6, Tables 20 and 25).
    fn read_filters(&mut self, dict: &Dict) -> Result<(), Rule> {
        if let Some(filters) = dict.get(b"CF") {
            for (name, filter) in filters.as_dict().ok_or(Rule::EncryptionDictionary)?.iter() {
                let method = filter.as_dict().ok_or(Rule::EncryptionDictionary)?.get(b"CFM");
                let method = match method.and_then(Object::as_name).map(|name| name.bytes()).as_deref() {
                    None | Some(b"None") => Method::Identity,
                    Some(b"V2") => Method::Rc4,
                    Some(b"AESV2") => Method::AesV2,
                    Some(b"AESV3") => Method::AesV3,
                    Some(_) => return Err(Rule::UnsupportedEncryption),
                };
                self.filters.insert(name.bytes().into_owned(), method);
            }
        }
        self.filters.insert(b"Identity".to_vec(), Method::Identity);
        let named = |key: &[u8]| match dict.get(key) {
            None => Ok(None),
            Some(name) => name
                .as_name()
                .and_then(|name| self.filters.get(&*name.bytes()))
                .map(|method| Some(*method))
                .ok_or(Rule::EncryptionDictionary),
        };
        let streams = named(b"StmF")?.unwrap_or(Method::Identity);
        let strings = named(b"StrF")?.unwrap_or(Method::Identity);
        let embedded_files = named(b"EFF")?.unwrap_or(streams);
        (self.streams, self.strings, self.embedded_files) = (streams, strings, embedded_files);
        Ok(())
    }

    /// Returns the kind of password that was used.
    pub fn access(&self) -> Access {
        self.access
    }

    /// Decrypts the data of a stream. `crypt` is the crypt filter if the stream's first filter is one.
    pub(super) fn stream(&self, id: Ref, dict: &Dict, crypt: Option<&[u8]>, data: &[u8]) -> Result<Vec<u8>, Rule> {
        let method = match crypt {
            Some(name) => *self.filters.get(name).ok_or(Rule::EncryptionDictionary)?,
            // 7.5.8.2.
            None if dict.is_type(b"XRef") => Method::Identity,
            None if dict.is_type(b"Metadata") && !self.encrypts_metadata => Method::Identity,
            None if dict.is_type(b"EmbeddedFile") => self.embedded_files,
            None => self.streams,
        };
        self.decrypt(method, id, data)
    }

    /// Decrypts every string of an object that is not in an object stream.
    pub(super) fn strings(&self, id: Ref, object: &mut Object) -> Result<(), Rule> {
        match object {
            Object::Str(string) => {
                let plain = self.decrypt(self.strings, id, &string.bytes())?;
                *string = if string.is_hex() {
                    Str::hex(&plain)
                } else {
                    Str::literal(&plain)
                };
            }
            Object::Array(items) => items.iter_mut().try_for_each(|item| self.strings(id, item))?,
            Object::Dict(dict) => self.dict(id, dict)?,
            Object::Stream(stream) => self.dict(id, &mut stream.dict)?,
            _ => {}
        }
        Ok(())
    }

    fn dict(&self, id: Ref, dict: &mut Dict) -> Result<(), Rule> {
        // The value of a signature is not encrypted (7.6.2).
        let is_signature = dict.has(b"ByteRange");
        dict.iter_mut()
            .filter(|(key, _)| !(is_signature && key.is(b"Contents")))
            .try_for_each(|(_, value)| self.strings(id, value))
    }

    fn decrypt(&self, method: Method, id: Ref, data: &[u8]) -> Result<Vec<u8>, Rule> {
        match method {
            Method::Identity => Ok(data.to_vec()),
            Method::Rc4 => Ok(rc4(&self.object_key(id, false), data)),
            Method::AesV2 => aes_padded(&self.object_key(id, true), data),
            Method::AesV3 => aes_padded(&self.key, data),
        }
    }

    /// Derives the key of an object (7.6.3.2, Algorithm 1).
    fn object_key(&self, id: Ref, is_aes: bool) -> Vec<u8> {
        let mut digest = Md5::new();
        digest.update(&self.key);
        digest.update(id.number.to_le_bytes().get(..3).unwrap_or_default());
        digest.update(id.generation.to_le_bytes());
        if is_aes {
            digest.update(b"sAlT");
        }
        let length = (self.key.len() + 5).min(BLOCK);
        digest.finalize().iter().take(length).copied().collect()
    }
}

impl Handler {
    fn read(dict: &Dict, version: i64, id: &[u8]) -> Result<Self, Rule> {
        const MALFORMED: Rule = Rule::EncryptionDictionary;
        let whole = |key: &[u8]| dict.get(key).and_then(Object::as_i64);
        let bytes = |key: &[u8]| dict.get(key).and_then(Object::as_str).map(Str::bytes);
        let revision = whole(b"R").ok_or(MALFORMED)?;
        let key_bits = match version {
            1 => 40,
            2 => whole(b"Length").unwrap_or(40),
            4 => 128,
            5 => 256,
            _ => return Err(Rule::UnsupportedEncryption),
        };
        if !(2..=6).contains(&revision) || (version == 5) != (revision >= 5) {
            return Err(Rule::UnsupportedEncryption);
        }
        let key_length = usize::try_from(key_bits / 8).map_err(|_| MALFORMED)?;
        if key_bits % 8 != 0 || !(5..=32).contains(&key_length) || (version < 5 && key_length > BLOCK) {
            return Err(MALFORMED);
        }
        let (owner, user) = (bytes(b"O").ok_or(MALFORMED)?, bytes(b"U").ok_or(MALFORMED)?);
        let length = if revision >= 5 { 48 } else { 32 };
        let cut = |bytes: Vec<u8>| bytes.get(..length).map(<[u8]>::to_vec).ok_or(MALFORMED);
        // Writers use signed or unsigned numbers.
        let permissions = whole(b"P").and_then(|bits| u32::try_from(bits & 0xFFFF_FFFF).ok());
        Ok(Self {
            revision,
            key_length,
            owner: cut(owner)?,
            user: cut(user)?,
            owner_key: bytes(b"OE").unwrap_or_default(),
            user_key: bytes(b"UE").unwrap_or_default(),
            permissions: permissions.ok_or(MALFORMED)?.to_le_bytes(),
            id: id.to_vec(),
            encrypts_metadata: dict.get(b"EncryptMetadata").and_then(Object::as_bool).unwrap_or(true),
        })
    }

    /// Returns the file's key if this is the user or owner password.
    fn key(&self, password: &[u8]) -> Option<(Vec<u8>, Access)> {
        if self.revision >= 5 {
            return self.new_key(password);
        }
        if let Some(key) = self.user_key(password) {
            return Some((key, Access::User));
        }
        let user = self.user_password(password);
        Some((self.user_key(&user)?, Access::Owner))
    }

    /// Returns the key for a user password (7.6.4.3.2, Algorithm 2). Checks the password as in Algorithm 6.
    fn user_key(&self, password: &[u8]) -> Option<Vec<u8>> {
        let mut digest = Md5::new();
        digest.update(padded(password));
        digest.update(&self.owner);
        digest.update(self.permissions);
        digest.update(&self.id);
        if self.revision >= 4 && !self.encrypts_metadata {
            digest.update([0xFF; 4]);
        }
        let key = self.stretched(&digest.finalize());
        let (expected, compared) = if self.revision == 2 {
            (rc4(&key, &PADDING), 32)
        } else {
            let mut digest = Md5::new();
            digest.update(PADDING);
            digest.update(&self.id);
            let rounds = 0..20_u8;
            (
                rounds.fold(digest.finalize().to_vec(), |data, round| {
                    rc4(&mixed(&key, round), &data)
                }),
                16,
            )
        };
        (expected.get(..compared) == self.user.get(..compared)).then_some(key)
    }

    /// Returns the user password for an owner password (7.6.4.4.6, Algorithm 7).
    fn user_password(&self, owner: &[u8]) -> Vec<u8> {
        let key = self.stretched(&Md5::digest(padded(owner)));
        if self.revision == 2 {
            return rc4(&key, &self.owner);
        }
        let rounds = (0..20_u8).rev();
        rounds.fold(self.owner.clone(), |data, round| rc4(&mixed(&key, round), &data))
    }

    fn stretched(&self, digest: &[u8]) -> Vec<u8> {
        let rounds = if self.revision >= 3 { 50 } else { 0 };
        let cut = |digest: &[u8]| digest.iter().take(self.key_length).copied().collect::<Vec<u8>>();
        (0..rounds).fold(cut(digest), |digest, _| cut(&Md5::digest(&digest)))
    }

    /// Returns the key for revision 6 (7.6.4.3.3, Algorithm 2.A).
    fn new_key(&self, password: &[u8]) -> Option<(Vec<u8>, Access)> {
        let password = password.get(..LONGEST_PASSWORD).unwrap_or(password);
        let opened = |check: &[u8], known: &[u8], encrypted: &[u8]| {
            let (hash, salts) = check.split_at_checked(32)?;
            let (validation, key_salt) = salts.split_at_checked(8)?;
            let is_right = self.hash(password, validation, known)? == hash;
            let key = is_right.then(|| self.hash(password, key_salt, known))??;
            let encrypted = encrypted.get(..32)?;
            aes_cbc(&key, &[0; BLOCK], encrypted)
        };
        let owner = opened(&self.owner, &self.user, &self.owner_key).map(|key| (key, Access::Owner));
        owner.or_else(|| opened(&self.user, &[], &self.user_key).map(|key| (key, Access::User)))
    }

    /// Computes the hash for revision 6 (7.6.4.3.4, Algorithm 2.B): 64 rounds, and up to 223 more.
    fn hash(&self, password: &[u8], salt: &[u8], known: &[u8]) -> Option<Vec<u8>> {
        let mut hash = Sha256::digest([password, salt, known].concat()).to_vec();
        if self.revision == 5 {
            return Some(hash);
        }
        for round in 0..=286_u16 {
            let mut data = [password, &hash, known].concat().repeat(64);
            let (key, rest) = hash.split_at_checked(BLOCK)?;
            let length = data.len();
            cbc::Encryptor::<aes::Aes128>::new_from_slices(key, rest.get(..BLOCK)?)
                .ok()?
                .encrypt_padded::<NoPadding>(&mut data, length)
                .ok()?;
            let remainder = data.iter().take(BLOCK).map(|byte| u32::from(*byte)).sum::<u32>() % 3;
            hash = match remainder {
                0 => Sha256::digest(&data).to_vec(),
                1 => Sha384::digest(&data).to_vec(),
                _ => Sha512::digest(&data).to_vec(),
            };
            if round >= 63 && u16::from(*data.last()?) <= round - 31 {
                break;
            }
        }
        hash.truncate(32);
        Some(hash)
    }
}

/// Returns the possible encodings of a password: `PDFDocEncoding` up to revision 4, of which all writers agree on
/// Latin-1, and UTF-8 in later revisions.
fn spellings(revision: i64) -> impl Fn(&str) -> Vec<Vec<u8>> {
    move |password| {
        let utf8 = password.as_bytes().to_vec();
        let other = if revision < 5 {
            password
                .chars()
                .map(|character| u8::try_from(u32::from(character)).ok())
                .collect::<Option<Vec<u8>>>()
        } else {
            stringprep::saslprep(password)
                .ok()
                .map(|prepared| prepared.as_bytes().to_vec())
        };
        match other {
            Some(other) if other != utf8 => vec![other, utf8],
            _ => vec![utf8],
        }
    }
}

fn padded(password: &[u8]) -> Vec<u8> {
    password.iter().chain(&PADDING).take(32).copied().collect()
}

fn mixed(key: &[u8], round: u8) -> Vec<u8> {
    key.iter().map(|byte| byte ^ round).collect()
}

/// Applies the stream cipher of old files. Encryption and decryption are identical.
fn rc4(key: &[u8], data: &[u8]) -> Vec<u8> {
    let mut state: [u8; 256] = std::array::from_fn(|place| u8::try_from(place).unwrap_or_default());
    let mut other = 0_u8;
    for (place, part) in (0..=u8::MAX).zip(key.iter().cycle()) {
        other = other.wrapping_add(state[usize::from(place)]).wrapping_add(*part);
        state.swap(usize::from(place), usize::from(other));
    }
    let (mut place, mut other) = (0_u8, 0_u8);
    data.iter()
        .map(|byte| {
            place = place.wrapping_add(1);
            other = other.wrapping_add(state[usize::from(place)]);
            state.swap(usize::from(place), usize::from(other));
            let sum = state[usize::from(place)].wrapping_add(state[usize::from(other)]);
            byte ^ state[usize::from(sum)]
        })
        .collect()
}

/// Decrypts AES data. The first block is the initialisation vector, the last one ends with padding (7.6.3.1).
fn aes_padded(key: &[u8], data: &[u8]) -> Result<Vec<u8>, Rule> {
    if data.is_empty() {
        return Ok(Vec::new());
    }
    let (vector, data) = data.split_at_checked(BLOCK).ok_or(Rule::Ciphertext)?;
    let mut plain = aes_cbc(key, vector, data).ok_or(Rule::Ciphertext)?;
    let padding = usize::from(plain.last().copied().unwrap_or(0));
    let kept = plain.len().checked_sub(padding);
    match kept {
        Some(kept) if (1..=BLOCK).contains(&padding) => plain.truncate(kept),
        // If there is only one block, it is the vector, and no data follows.
        _ if plain.is_empty() => {}
        _ => return Err(Rule::Ciphertext),
    }
    Ok(plain)
}

fn aes_cbc(key: &[u8], vector: &[u8], data: &[u8]) -> Option<Vec<u8>> {
    let mut plain = data.to_vec();
    if key.len() == BLOCK {
        let cipher = cbc::Decryptor::<aes::Aes128>::new_from_slices(key, vector).ok()?;
        cipher.decrypt_padded::<NoPadding>(&mut plain).ok()?;
    } else {
        let cipher = cbc::Decryptor::<aes::Aes256>::new_from_slices(key, vector).ok()?;
        cipher.decrypt_padded::<NoPadding>(&mut plain).ok()?;
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rc4_is_that_of_everybody() {
        assert_eq!(
            rc4(b"Key", b"Plaintext"),
            hex::decode("bbf316e8d940af0ad3").expect("digits")
        );
    }

    #[test]
    fn ciphertext_of_a_wrong_length_or_padding_is_refused() {
        assert_eq!(aes_padded(&[1; 16], &[]), Ok(vec![]));
        assert_eq!(aes_padded(&[1; 16], &[0; 15]), Err(Rule::Ciphertext));
        assert_eq!(aes_padded(&[1; 16], &[0; 40]), Err(Rule::Ciphertext));
        assert_eq!(aes_padded(&[1; 16], &[0; 32]), Err(Rule::Ciphertext));
        assert_eq!(aes_padded(&[1; 16], &[0; 16]), Ok(vec![]));
    }
}
