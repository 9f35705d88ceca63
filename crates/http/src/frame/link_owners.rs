//! Remembers the company behind each recently used link.

use app::{Error, LinkPurpose, LinkToken};
use domain::CompanyId;
use metrics::metrics;
use moka::sync::Cache;

/// Maximum number of links to remember.
const MOST_REMEMBERED: u64 = 20_000;

/// The companies behind links. `None` if the link's target no longer exists. Neither result ever changes.
#[derive(Debug, Clone)]
pub struct LinkOwners(Cache<(Subject, i64), Option<CompanyId>>);

/// The target of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Subject {
    Signer,
    Document,
    Preview,
    PublicLink,
}

impl Default for LinkOwners {
    fn default() -> Self {
        Self(Cache::new(MOST_REMEMBERED))
    }
}

impl LinkOwners {
    /// Returns the company behind a link, and looks it up if it is not remembered.
    pub async fn of(
        &self,
        token: LinkToken,
        look_up: impl Future<Output = Result<Option<CompanyId>, Error>>,
    ) -> Result<Option<CompanyId>, Error> {
        let key = (subject(token.purpose), token.subject);
        let known = self.0.get(&key);
        let labels = metrics::Cache::of("link_owners", known.is_some());
        metrics().cache.get_or_create(&labels).inc();
        if let Some(known) = known {
            return Ok(known);
        }
        let owner = look_up.await?;
        self.0.insert(key, owner.clone());
        Ok(owner)
    }
}

/// Returns the kind of target for links of this purpose.
pub fn subject(purpose: LinkPurpose) -> Subject {
    match purpose {
        LinkPurpose::Sign
        | LinkPurpose::SignDelivered
        | LinkPurpose::SignersDocument
        | LinkPurpose::SignersCertificate => Subject::Signer,
        LinkPurpose::View | LinkPurpose::Watch | LinkPurpose::Document | LinkPurpose::Certificate => Subject::Document,
        LinkPurpose::Preview => Subject::Preview,
        LinkPurpose::Start => Subject::PublicLink,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(purpose: LinkPurpose, subject: i64) -> LinkToken {
        LinkToken {
            purpose,
            subject,
            version: 1,
            expires: None,
        }
    }

    #[tokio::test]
    async fn whose_a_link_is_is_looked_up_once_even_if_it_is_nobodys() {
        let owners = LinkOwners::default();
        let acme = CompanyId::parse("acme").ok();
        for (token, owner) in [
            (token(LinkPurpose::Sign, 1), acme.clone()),
            (token(LinkPurpose::Preview, 1), acme),
            (token(LinkPurpose::Document, 1), None),
        ] {
            let first = owners.of(token, async { Ok(owner.clone()) }).await;
            assert_eq!(first.expect("it is looked up"), owner);
            let again = owners.of(token, async { panic!("it is known") }).await;
            assert_eq!(again.expect("it is known"), owner);
        }
        let failed = owners
            .of(token(LinkPurpose::Sign, 2), async { Err(Error::busy(1)) })
            .await;
        assert!(failed.is_err());
        let later = owners.of(token(LinkPurpose::Sign, 2), async { Ok(None) }).await;
        assert!(later.is_ok(), "a failure is no answer");
    }
}
