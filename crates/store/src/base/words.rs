//! How columns store the domain's types: IDs as integers, names and codes as text, hashes as blobs.

use domain::{
    BlobHash, ClientId, Colour, CompanyId, CompletedMails, Language, MemberId, RecipientId, RedirectHosts, Region,
    Role, SealLevel, SealMark, TemplateId, WhenTsaIsDown, WorkflowId, Zone,
};

use crate::{FromValue, Value};

macro_rules! number_id {
    ($($id:ty),*) => {$(
        impl From<$id> for Value {
            fn from(id: $id) -> Self {
                Value::Integer(id.get())
            }
        }

        impl FromValue for $id {
            fn from_value(value: &Value) -> Result<Self, String> {
                i64::from_value(value).map(Self::from)
            }
        }
    )*};
}

number_id!(WorkflowId, TemplateId, RecipientId, MemberId);

impl From<&CompanyId> for Value {
    fn from(id: &CompanyId) -> Self {
        Value::Text(id.as_str().to_owned())
    }
}

impl FromValue for CompanyId {
    fn from_value(value: &Value) -> Result<Self, String> {
        let text = String::from_value(value)?;
        CompanyId::parse(&text).map_err(|error| format!("contains no company ID: {error}"))
    }
}

impl From<ClientId> for Value {
    fn from(id: ClientId) -> Self {
        Value::Text(id.to_string())
    }
}

impl FromValue for ClientId {
    fn from_value(value: &Value) -> Result<Self, String> {
        uuid::Uuid::from_value(value).map(ClientId)
    }
}

impl From<Language> for Value {
    fn from(language: Language) -> Self {
        Value::Text(language.code().to_owned())
    }
}

impl FromValue for Language {
    fn from_value(value: &Value) -> Result<Self, String> {
        let text = String::from_value(value)?;
        Language::parse(&text).ok_or_else(|| format!("contains {text}, which is not a language"))
    }
}

impl From<BlobHash> for Value {
    fn from(hash: BlobHash) -> Self {
        Value::Blob(hash.0.to_vec())
    }
}

impl From<&BlobHash> for Value {
    fn from(hash: &BlobHash) -> Self {
        Value::from(*hash)
    }
}

impl FromValue for BlobHash {
    fn from_value(value: &Value) -> Result<Self, String> {
        <[u8; 32]>::from_value(value).map(BlobHash)
    }
}

impl From<Role> for Value {
    fn from(role: Role) -> Self {
        Value::Text(role.as_str().to_owned())
    }
}

impl FromValue for Role {
    fn from_value(value: &Value) -> Result<Self, String> {
        let text = String::from_value(value)?;
        Role::parse(&text).ok_or_else(|| format!("contains {text}, which is not a role"))
    }
}

impl From<Region> for Value {
    fn from(region: Region) -> Self {
        Value::Text(region.code().to_owned())
    }
}

impl FromValue for Region {
    fn from_value(value: &Value) -> Result<Self, String> {
        let text = String::from_value(value)?;
        Region::parse(&text).ok_or_else(|| format!("contains {text}, which is not a region"))
    }
}

impl From<SealLevel> for Value {
    fn from(level: SealLevel) -> Self {
        Value::Text(level.code().to_owned())
    }
}

impl FromValue for SealLevel {
    fn from_value(value: &Value) -> Result<Self, String> {
        let text = String::from_value(value)?;
        SealLevel::parse(&text).ok_or_else(|| format!("contains {text}, which is not a seal level"))
    }
}

impl From<WhenTsaIsDown> for Value {
    fn from(choice: WhenTsaIsDown) -> Self {
        Value::Text(choice.code().to_owned())
    }
}

impl FromValue for WhenTsaIsDown {
    fn from_value(value: &Value) -> Result<Self, String> {
        let text = String::from_value(value)?;
        WhenTsaIsDown::parse(&text).ok_or_else(|| format!("contains {text}, which is not an allowed choice"))
    }
}

impl From<SealMark> for Value {
    fn from(mark: SealMark) -> Self {
        Value::Text(mark.code().to_owned())
    }
}

impl FromValue for SealMark {
    fn from_value(value: &Value) -> Result<Self, String> {
        let text = String::from_value(value)?;
        SealMark::parse(&text).ok_or_else(|| format!("contains {text}, which is not a position of the seal's mark"))
    }
}

impl From<Colour> for Value {
    fn from(colour: Colour) -> Self {
        Value::Text(colour.to_string())
    }
}

impl FromValue for Colour {
    fn from_value(value: &Value) -> Result<Self, String> {
        let text = String::from_value(value)?;
        Colour::parse(&text).ok_or_else(|| format!("contains {text}, which is not a colour"))
    }
}

impl From<CompletedMails> for Value {
    fn from(choice: CompletedMails) -> Self {
        Value::Text(choice.to_string())
    }
}

impl FromValue for CompletedMails {
    fn from_value(value: &Value) -> Result<Self, String> {
        let text = String::from_value(value)?;
        CompletedMails::parse(&text).ok_or_else(|| format!("contains {text}, which is not an allowed choice"))
    }
}

impl From<&RedirectHosts> for Value {
    fn from(hosts: &RedirectHosts) -> Self {
        Value::Text(hosts.to_string())
    }
}

impl FromValue for RedirectHosts {
    fn from_value(value: &Value) -> Result<Self, String> {
        let text = String::from_value(value)?;
        RedirectHosts::parse(&text).map_err(|host| format!("holds {host}, which is no host"))
    }
}

impl From<Zone> for Value {
    fn from(zone: Zone) -> Self {
        Value::Text(zone.to_string())
    }
}

impl FromValue for Zone {
    fn from_value(value: &Value) -> Result<Self, String> {
        let text = String::from_value(value)?;
        Zone::parse(&text).ok_or_else(|| format!("contains {text}, which is not a time zone"))
    }
}
