//! Checks whether a trusted root vouches for a signer's certificate (RFC 5280, 6, without policies; `trust` checks
//! revocation).

use const_oid::ObjectIdentifier;
use const_oid::db::rfc5280::{ANY_EXTENDED_KEY_USAGE, ID_KP_CLIENT_AUTH, ID_KP_EMAIL_PROTECTION};
use jiff::Timestamp;
use x509_cert::ext::pkix::{BasicConstraints, ExtendedKeyUsage, KeyUsage};

use super::{Fault, TrustedRoots};
use crate::pki::certificates::Certified;

/// Maximum length of a path from a signer to a root, in certificates.
const MAX_PATH: usize = 8;
/// Maximum number of certificate signatures that are checked. Each costs up to a millisecond.
const MAX_CHECKS: usize = 64;

/// Extensions that may be critical, because we process them or they have no effect here: key usage, subject alternative
/// name, basic constraints, certificate policies, extended key usage.
const UNDERSTOOD: &[&str] = &["2.5.29.15", "2.5.29.17", "2.5.29.19", "2.5.29.32", "2.5.29.37"];

/// The certificates from which paths are built.
pub(super) struct Pool<'a> {
    roots: Vec<Certified<'a>>,
    others: Vec<Certified<'a>>,
}

impl<'a> Pool<'a> {
    pub(super) fn new(roots: &'a TrustedRoots, others: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut seen = std::collections::BTreeSet::new();
        Self {
            roots: roots
                .certificates()
                .iter()
                .filter_map(|der| Certified::parse(der))
                .collect(),
            others: others
                .filter(|der| seen.insert(*der))
                .filter_map(Certified::parse)
                .collect(),
        }
    }

    /// Returns the certificates in the file.
    pub(super) fn others(&self) -> &[Certified<'a>] {
        &self.others
    }

    /// Returns the path of certificates from a signer to a trusted root, each valid at the time `at` and permitted for
    /// its purpose.
    pub(super) fn path<'p>(
        &'p self,
        signer: &'p Certified<'a>,
        at: Timestamp,
    ) -> Result<Vec<&'p Certified<'a>>, Fault> {
        let mut path = vec![signer];
        let mut checks = 0;
        if !extend_to_root(&mut path, &self.others, &self.roots, &mut checks) {
            let end = path.last().unwrap_or(&signer);
            return Err(Fault::UntrustedSigner {
                subject: end.subject(),
                issuer: end.issuer(),
            });
        }
        may_sign(signer)?;
        for (below, certificate) in path.iter().enumerate() {
            in_its_time(certificate, at)?;
            understood(certificate)?;
            if below > 0 {
                may_issue(certificate, below - 1)?;
            }
        }
        Ok(path)
    }
}

/// Extends a path depth first until it reaches a root. Otherwise, keeps the longest dead end.
fn extend_to_root<'p, 'd>(
    path: &mut Vec<&'p Certified<'d>>,
    pool: &'p [Certified<'d>],
    roots: &'p [Certified<'d>],
    checks: &mut usize,
) -> bool {
    let Some(end) = path.last().copied() else {
        return false;
    };
    if roots.iter().any(|root| root.der == end.der) {
        return true;
    }
    if path.len() >= MAX_PATH {
        return false;
    }
    let issuer = end.certificate.tbs_certificate().issuer();
    for candidate in roots.iter().chain(pool) {
        let is_on_path = path.iter().any(|certificate| certificate.der == candidate.der);
        if is_on_path || candidate.certificate.tbs_certificate().subject() != issuer {
            continue;
        }
        *checks += 1;
        if *checks > MAX_CHECKS {
            return false;
        }
        if !end.is_signed_by(candidate) {
            continue;
        }
        path.push(candidate);
        if extend_to_root(path, pool, roots, checks) {
            return true;
        }
        path.pop();
    }
    false
}

fn unusable(certificate: &Certified<'_>, reason: &str) -> Fault {
    Fault::CertificateUnusable {
        subject: certificate.subject(),
        reason: reason.to_owned(),
    }
}

fn key_usage(certificate: &Certified<'_>) -> Result<Option<KeyUsage>, Fault> {
    certificate
        .key_usage()
        .map_err(|_| unusable(certificate, "its key usage cannot be read"))
}

fn may_sign(certificate: &Certified<'_>) -> Result<(), Fault> {
    match key_usage(certificate)? {
        Some(usage) if !usage.digital_signature() && !usage.non_repudiation() => {
            Err(unusable(certificate, "its key usage does not allow signatures"))
        }
        _ => Ok(()),
    }
}

/// Key purposes that permit signing documents, as used by different authorities: any purpose; client authentication,
/// which many authorities use for people; email (S/MIME); documents (RFC 9336); and the two older identifiers for
/// documents by Microsoft and Adobe.
const OF_DOCUMENTS: [ObjectIdentifier; 6] = [
    ANY_EXTENDED_KEY_USAGE,
    ID_KP_CLIENT_AUTH,
    ID_KP_EMAIL_PROTECTION,
    ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.36"),
    ObjectIdentifier::new_unwrap("1.3.6.1.4.1.311.10.3.12"),
    ObjectIdentifier::new_unwrap("1.2.840.113583.1.1.5"),
];

/// Checks that a certificate's key may sign documents: permitted if it states no purpose, not permitted if it states
/// only other purposes (RFC 5280, 4.2.1.12).
pub(super) fn may_sign_documents(certificate: &Certified<'_>) -> Result<(), Fault> {
    let stated = certificate
        .certificate
        .tbs_certificate()
        .get_extension::<ExtendedKeyUsage>()
        .map_err(|_| unusable(certificate, "its extended key usage cannot be read"))?;
    match stated {
        Some((_, usage)) if !usage.0.iter().any(|purpose| OF_DOCUMENTS.contains(purpose)) => Err(unusable(
            certificate,
            "its extended key usage does not include signing documents",
        )),
        _ => Ok(()),
    }
}

fn may_issue(certificate: &Certified<'_>, authorities_below: usize) -> Result<(), Fault> {
    let constraints = certificate
        .certificate
        .tbs_certificate()
        .get_extension::<BasicConstraints>()
        .map_err(|_| unusable(certificate, "its basic constraints cannot be read"))?
        .map(|(_, constraints)| constraints);
    let Some(constraints) = constraints.filter(|constraints| constraints.ca) else {
        return Err(unusable(certificate, "it is not a certification authority"));
    };
    if constraints
        .path_len_constraint
        .is_some_and(|most| authorities_below > usize::from(most))
    {
        return Err(unusable(
            certificate,
            "the certificate path below it is longer than it allows",
        ));
    }
    match key_usage(certificate)? {
        Some(usage) if !usage.key_cert_sign() => Err(unusable(
            certificate,
            "its key usage does not allow issuing certificates",
        )),
        _ => Ok(()),
    }
}

fn in_its_time(certificate: &Certified<'_>, at: Timestamp) -> Result<(), Fault> {
    let (not_before, not_after) = certificate
        .validity()
        .ok_or_else(|| unusable(certificate, "its validity cannot be read"))?;
    let subject = certificate.subject();
    if at < not_before {
        return Err(Fault::CertificateNotYetValid { subject, not_before });
    }
    if at > not_after {
        return Err(Fault::CertificateExpired { subject, not_after });
    }
    Ok(())
}

fn understood(certificate: &Certified<'_>) -> Result<(), Fault> {
    let extensions = certificate.certificate.tbs_certificate().extensions();
    let unknown = extensions
        .into_iter()
        .flatten()
        .find(|extension| extension.critical && !UNDERSTOOD.contains(&extension.extn_id.to_string().as_str()));
    match unknown {
        Some(extension) => Err(unusable(
            certificate,
            &format!("it has the unknown critical extension {}", extension.extn_id),
        )),
        None => Ok(()),
    }
}
