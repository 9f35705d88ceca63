//! Explains to people why there was no TLS session. The library's own error names alert codes and every name in a
//! certificate.

use std::error::Error;
use std::io;

use rustls::CertificateError;

/// Describes the problem with the other side's TLS, if that is why an exchange failed.
pub(crate) fn tls_fault(error: &(dyn Error + 'static)) -> Option<&'static str> {
    Some(match rustls_fault(error)? {
        rustls::Error::InvalidCertificate(fault) => certificate_fault(fault),
        // The received data is no TLS record (RFC 8446, 5.1).
        rustls::Error::InvalidMessage(_) => "this port does not use TLS",
        _ => return None,
    })
}

/// Finds the library's error inside other errors. An [`io::Error`] does not return the error inside it as its source.
fn rustls_fault<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e rustls::Error> {
    if let Some(found) = error.downcast_ref::<rustls::Error>() {
        return Some(found);
    }
    let within = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    let within = within.map(|error| -> &(dyn Error + 'static) { error });
    within.or_else(|| error.source()).and_then(rustls_fault)
}

fn certificate_fault(fault: &CertificateError) -> &'static str {
    match fault {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "the server's certificate has expired",
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "the server's certificate is for a different host"
        }
        CertificateError::UnknownIssuer => "the server's certificate was issued by an authority that is not trusted",
        CertificateError::Revoked => "the server's certificate was revoked",
        _ => "the server's certificate is not valid",
    }
}
