//! Checks an endpoint's address, and the `Authorization` value sent to it.

use domain::public_address::AddressFault;

use crate::base::error::{Fault, FaultCode};

const LONGEST_AUTHORIZATION: usize = 2_048;

/// Checks the value of an Authorization header (RFC 9110, 5.5).
pub(crate) fn authorization_fault(path: &str, value: &str) -> Option<Fault> {
    if value.len() > LONGEST_AUTHORIZATION {
        return Some(Fault::new(path, FaultCode::TooLong).with("max", LONGEST_AUTHORIZATION));
    }
    let may_stand = |byte| byte == b'\t' || (b' '..=b'~').contains(&byte) || byte >= 0x80;
    (!value.bytes().all(may_stand)).then(|| Fault::new(path, FaultCode::ControlCharacter))
}

pub(crate) fn callback_fault(path: &str, fault: &AddressFault) -> Fault {
    let code = match fault {
        AddressFault::Malformed | AddressFault::TooLong | AddressFault::ForbiddenCharacter => {
            FaultCode::CallbackMalformed
        }
        AddressFault::Scheme => FaultCode::CallbackScheme,
        AddressFault::UserInfo => FaultCode::CallbackUserinfo,
        AddressFault::Fragment => FaultCode::CallbackFragment,
        AddressFault::Port(_) => FaultCode::CallbackPort,
        AddressFault::InvalidName(_) => FaultCode::CallbackHost,
        AddressFault::LocalName(_) | AddressFault::PrivateAddress(_) => FaultCode::CallbackNotPublic,
    };
    Fault::new(path, code)
}
