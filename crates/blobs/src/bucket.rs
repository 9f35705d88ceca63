//! Files in a bucket of an S3 service (docs/adr/0046).
//!
//! **What a put proves.** The service compares the bytes with their SHA-256, which is part of the request and its
//! signature, before it says that it has them.
//!
//! **Removing.** A bucket cannot remove a file on the condition that nobody has put it again: the same bytes have the same
//! tag. So a removal first writes a mark (`removing/abcdef…`), then checks the file's age again, removes it, and removes
//! the mark. A put first writes the file, then looks for a mark, then checks that the file is there. If it saw no mark,
//! either the removal began later and finds a young file, or it had ended before, and then the last check sees whether
//! the file is there. Only one removal of a file can have a mark.
//!
//! **Faults.** Each request has a deadline and is repeated for a while. What then still fails is [`Error::Away`], and
//! nothing was acknowledged. A request to remove a file whose outcome we do not know leaves its mark, so nobody relies on
//! the file until the request can no longer arrive.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use domain::{BlobHash, Secret};
use moka::sync::Cache;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey, Checksum, S3ConditionalPut};
use object_store::client::HttpConnector;
use object_store::path::Path as Location;
use object_store::prefix::PrefixStore;
use object_store::{
    BackoffConfig, ObjectMeta, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload, RetryConfig,
};
use tokio::time::{sleep, timeout};

use crate::{Blobs, Error, PROBE, Place, Removal, location};

/// The folder of the marks of removals.
const REMOVING: &str = "removing";
/// How long a put waits for a removal of the same file.
const WAITS: u32 = 20;
const WAIT: Duration = Duration::from_millis(100);
/// How long after its mark a removal may still ask for the file to be removed.
const MARK_IN_USE: Duration = Duration::from_mins(1);
/// How long after its mark such a request may still arrive. Services refuse requests that were signed more than 15
/// minutes ago, and clocks that differ by more than that.
const MARK_COUNTS: Duration = Duration::from_mins(40);
/// How long a successful probe is valid, because requests cost money.
const PROBED_FOR: Duration = Duration::from_secs(10);
/// How long a probe may take: load balancers wait for it.
const PROBE_WAITS: Duration = Duration::from_secs(5);

/// Which bucket, and how to use it.
#[derive(Clone, Debug)]
pub struct BucketSettings {
    /// `s3://bucket/prefix`
    pub url: String,
    /// Of a service other than AWS.
    pub endpoint: Option<String>,
    pub allow_http: bool,
    pub region: Option<String>,
    /// Name and secret of an access key. Without them: the `AWS_…` variables, or what the machine's own service issues.
    pub access_key: Option<(String, Secret)>,
    pub encryption: Option<Encryption>,
    /// How many bytes of files that are read often stay in memory.
    pub cache: u64,
    pub patience: Patience,
}

/// How the service encrypts files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Encryption {
    /// With keys of its own (`AES256`).
    Own,
    /// With a key of its key management service (`aws:kms`); without one, with its default key.
    Kms(Option<String>),
}

/// How long failed requests are repeated. How long a request may take is decided by the connector.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    pub retries: usize,
    /// After this time no request is repeated.
    pub total: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience {
            retries: 5,
            total: Duration::from_secs(10),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Bucket {
    /// For people.
    pub(crate) name: Arc<str>,
    store: Arc<dyn ObjectStore>,
    pub(crate) cache: Cache<BlobHash, Arc<[u8]>>,
    last_probe: Mutex<Option<Instant>>,
}

impl Blobs {
    /// Files in a bucket, which must exist. Nothing is asked yet.
    pub fn in_bucket(settings: &BucketSettings, connector: impl HttpConnector) -> Result<Blobs, Error> {
        let unusable = |reason: &dyn std::fmt::Display| Error::Settings(reason.to_string());
        let (bucket, prefix) =
            parts(&settings.url).ok_or_else(|| unusable(&"write it as s3://bucket or s3://bucket/prefix"))?;
        let prefix = Location::parse(prefix).map_err(|error| unusable(&error))?;
        let store = builder(settings, bucket).and_then(|builder| builder.with_http_connector(connector).build());
        let store = store.map_err(|error| unusable(&error))?;
        let store: Arc<dyn ObjectStore> = Arc::new(PrefixStore::new(store, prefix));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("blobs")
            .enable_all()
            .build()
            .map_err(|error| unusable(&error))?;
        let weight = |_: &BlobHash, bytes: &Arc<[u8]>| u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let bucket = Bucket {
            name: Arc::from(settings.url.as_str()),
            store: Arc::clone(&store),
            cache: Cache::builder().weigher(weight).max_capacity(settings.cache).build(),
            last_probe: Mutex::default(),
        };
        Ok(Blobs {
            place: Place::Bucket(Arc::new(bucket)),
            store,
            runtime: Arc::new(runtime),
        })
    }
}

/// The name of the bucket, and the prefix without slashes around it.
fn parts(url: &str) -> Option<(&str, &str)> {
    let rest = url.strip_prefix("s3://")?;
    let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
    let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'_');
    let is_bucket = (3..=63).contains(&bucket.len()) && bucket.bytes().all(is_name);
    (is_bucket && !prefix.contains(['?', '#'])).then(|| (bucket, prefix.trim_matches('/')))
}

fn builder(settings: &BucketSettings, bucket: &str) -> object_store::Result<AmazonS3Builder> {
    let mut builder = AmazonS3Builder::from_env()
        .with_bucket_name(bucket)
        .with_allow_http(settings.allow_http)
        .with_unsigned_payload(false)
        .with_checksum_algorithm(Checksum::SHA256)
        .with_conditional_put(S3ConditionalPut::ETagMatch)
        // Not every service has the request that removes many files at once, and we never need it.
        .with_disable_bulk_delete(true)
        .with_retry(RetryConfig {
            backoff: BackoffConfig {
                init_backoff: Duration::from_millis(100),
                max_backoff: Duration::from_secs(3),
                base: 2.0,
            },
            max_retries: settings.patience.retries,
            retry_timeout: settings.patience.total,
        });
    if let Some(endpoint) = &settings.endpoint {
        builder = builder.with_endpoint(endpoint);
    }
    if let Some(region) = &settings.region {
        builder = builder.with_region(region);
    }
    if let Some((name, secret)) = &settings.access_key {
        builder = builder.with_access_key_id(name).with_secret_access_key(secret.expose());
    }
    let how = match &settings.encryption {
        None => return Ok(builder),
        Some(Encryption::Kms(Some(key))) => return Ok(builder.with_sse_kms_encryption(key)),
        Some(Encryption::Kms(None)) => "aws:kms",
        Some(Encryption::Own) => "AES256",
    };
    let setting: AmazonS3ConfigKey = "aws_server_side_encryption".parse()?;
    Ok(builder.with_config(setting, how))
}

impl Bucket {
    pub(crate) async fn put(&self, hash: &BlobHash, payload: &PutPayload) -> Result<(), Error> {
        let location = location(hash);
        let length = payload.content_length() as u64;
        for _ in 0..WAITS {
            let written = self.store.put(&location, payload.clone()).await;
            written.map_err(|error| self.fault(error))?;
            if self.is_marked(hash).await? {
                sleep(WAIT).await;
            } else if self.find(hash).await?.is_some_and(|found| found.size == length) {
                return Ok(());
            }
        }
        Err(Error::Removing(*hash))
    }

    pub(crate) async fn find(&self, hash: &BlobHash) -> Result<Option<ObjectMeta>, Error> {
        let found = self.look(&location(hash)).await?;
        if found.is_none() {
            self.must_exist().await?;
        }
        Ok(found)
    }

    pub(crate) async fn delete_if_older(&self, hash: &BlobHash, time: SystemTime) -> Result<Removal, Error> {
        match self.find(hash).await? {
            None => return Ok(Removal::Absent),
            Some(found) if !is_older(&found, time) => return Ok(Removal::Young),
            Some(_) => {}
        }
        let begun = SystemTime::now();
        if !self.mark(hash).await? {
            return Ok(Removal::Young);
        }
        let removal = match self.find(hash).await {
            Ok(None) => Removal::Absent,
            Ok(Some(found)) if is_older(&found, time) && age(begun) < MARK_IN_USE => {
                // If this fails, the request may still arrive, so the mark stays.
                self.remove(&location(hash)).await?;
                self.cache.invalidate(hash);
                Removal::Removed
            }
            Ok(Some(_)) => Removal::Young,
            Err(error) => {
                // Nothing was asked for yet.
                let _ = self.remove(&mark(hash)).await;
                return Err(error);
            }
        };
        self.remove(&mark(hash)).await?;
        Ok(removal)
    }

    /// Removes the marks of removals that did not end.
    pub(crate) async fn sweep_marks(&self, time: SystemTime) -> Result<u64, Error> {
        let folder = Location::from(REMOVING);
        let listed = self.store.list_with_delimiter(Some(&folder)).await;
        let listed = listed.map_err(|error| self.fault(error))?;
        let mut swept = 0;
        for mark in listed.objects {
            if is_older(&mark, time) && !counts(&mark) {
                self.remove(&mark.location).await?;
                swept += 1;
            }
        }
        Ok(swept)
    }

    /// Whether files can be written and removed.
    pub(crate) async fn probe(&self) -> Result<(), Error> {
        let last = *self.last_probe.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_some_and(|at| at.elapsed() < PROBED_FOR) {
            return Ok(());
        }
        let location = Location::from(PROBE);
        let probed = timeout(PROBE_WAITS, async {
            self.store.put(&location, PutPayload::from_static(b"probe")).await?;
            self.store.delete(&location).await
        });
        let probed = probed.await.map_err(|_| Error::Slow(Arc::clone(&self.name)))?;
        probed.map_err(|error| self.fault(error))?;
        *self.last_probe.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        Ok(())
    }

    /// Listing is the request that fails without the bucket, whatever is in it.
    pub(crate) async fn must_exist(&self) -> Result<(), Error> {
        let nothing = Location::from(PROBE);
        let listed = self.store.list_with_delimiter(Some(&nothing)).await;
        listed.map(drop).map_err(|error| self.fault(error))
    }

    pub(crate) fn fault(&self, source: object_store::Error) -> Error {
        Error::Away {
            bucket: Arc::clone(&self.name),
            source,
        }
    }

    async fn look(&self, location: &Location) -> Result<Option<ObjectMeta>, Error> {
        match self.store.head(location).await {
            Ok(found) => Ok(Some(found)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(self.fault(error)),
        }
    }

    async fn remove(&self, location: &Location) -> Result<(), Error> {
        match self.store.delete(location).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(self.fault(error)),
        }
    }

    /// Whether the file is being removed.
    async fn is_marked(&self, hash: &BlobHash) -> Result<bool, Error> {
        Ok(self.look(&mark(hash)).await?.is_some_and(|mark| counts(&mark)))
    }

    /// Announces a removal; `false` if another one may be under way.
    async fn mark(&self, hash: &BlobHash) -> Result<bool, Error> {
        let mark = mark(hash);
        let ours = format!("{} {:?}", std::process::id(), SystemTime::now());
        for _ in 0..2 {
            let options = PutOptions::from(PutMode::Create);
            match self
                .store
                .put_opts(&mark, PutPayload::from(ours.clone()), options)
                .await
            {
                Ok(_) => return Ok(true),
                Err(object_store::Error::AlreadyExists { .. }) => {}
                Err(error) => return Err(self.fault(error)),
            }
            let found = match self.store.get(&mark).await {
                Ok(found) => found,
                Err(object_store::Error::NotFound { .. }) => continue,
                Err(error) => return Err(self.fault(error)),
            };
            let does_count = counts(&found.meta);
            // The first answer was lost, and the repeated request found what it had written.
            if found.bytes().await.is_ok_and(|found| found == ours) {
                return Ok(true);
            }
            if does_count {
                return Ok(false);
            }
            self.remove(&mark).await?;
        }
        Ok(false)
    }
}

fn mark(hash: &BlobHash) -> Location {
    Location::from(format!("{REMOVING}/{hash}"))
}

/// Whether a removal with this mark may still remove its file.
fn counts(mark: &ObjectMeta) -> bool {
    age(mark.last_modified.into()) < MARK_COUNTS
}

fn is_older(file: &ObjectMeta, time: SystemTime) -> bool {
    SystemTime::from(file.last_modified) <= time
}

/// None for a time in the future: the clocks differ.
fn age(of: SystemTime) -> Duration {
    SystemTime::now().duration_since(of).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_named_with_or_without_a_prefix() {
        for (url, found) in [
            ("s3://contracts", Some(("contracts", ""))),
            ("s3://contracts/", Some(("contracts", ""))),
            ("s3://contracts/a/b/", Some(("contracts", "a/b"))),
            ("s3://my.bucket-1/a", Some(("my.bucket-1", "a"))),
            ("s3://Contracts", None),
            ("s3://", None),
            ("s3:///a", None),
            ("s3://key:secret@contracts", None),
            ("s3://contracts/a?versioning", None),
            ("https://contracts", None),
            ("/srv/files", None),
        ] {
            assert_eq!(parts(url), found, "{url}");
        }
    }
}
