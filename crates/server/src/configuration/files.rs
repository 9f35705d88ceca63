//! `[files]`: where files are stored, if not in the data folder.

use std::path::PathBuf;
use std::time::Duration;

use blobs::{BucketSettings, Encryption, Patience};
use delivery::BucketConnector;
use domain::Secret;
use serde::{Deserialize, Serialize};

use super::{Configuration, ConfigurationFault, secret};

/// `[files]`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Files {
    /// `s3://bucket/prefix`. Default: the folder `files` in the data folder.
    pub url: Option<String>,
    /// Of an S3 service other than AWS.
    pub endpoint: Option<String>,
    pub allow_http: bool,
    pub region: Option<String>,
    /// Default: the `AWS_…` variables, or the role of the machine.
    pub access_key: Option<String>,
    pub secret_key: Option<Secret>,
    pub secret_key_file: Option<PathBuf>,
    pub encryption: Option<FileEncryption>,
    pub kms_key: Option<String>,
    /// How long one small request may take.
    pub timeout_seconds: u64,
    /// Bytes of page pictures to keep in memory.
    pub cache: u64,
}

/// How the service encrypts files, in its own words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileEncryption {
    #[serde(rename = "AES256")]
    Own,
    #[serde(rename = "aws:kms")]
    Kms,
}

impl Default for Files {
    fn default() -> Files {
        Files {
            url: None,
            endpoint: None,
            allow_http: false,
            region: None,
            access_key: None,
            secret_key: None,
            secret_key_file: None,
            encryption: None,
            kms_key: None,
            timeout_seconds: 5,
            cache: 64 * 1024 * 1024,
        }
    }
}

impl Configuration {
    /// The bucket with the files, if they are in one.
    pub fn bucket(&self) -> Result<Option<BucketSettings>, ConfigurationFault> {
        let Some(url) = &self.files.url else {
            return Ok(None);
        };
        self.bucket_at(url).map(Some)
    }

    /// Another bucket with the same settings.
    pub fn bucket_at(&self, url: &str) -> Result<BucketSettings, ConfigurationFault> {
        let files = &self.files;
        if let Some(endpoint) = &files.endpoint {
            match endpoint.split_once("://") {
                Some(("https", _)) => {}
                Some(("http", _)) if files.allow_http => {}
                Some(("http", _)) => {
                    return Err(self.senseless(
                        "files.endpoint",
                        "use an https address, or set files.allow_http for a service in your own network",
                    ));
                }
                _ => return Err(self.senseless("files.endpoint", "write it as https://host:port")),
            }
        }
        Ok(BucketSettings {
            url: url.to_owned(),
            endpoint: files.endpoint.clone(),
            allow_http: files.allow_http,
            region: files.region.clone(),
            access_key: self.access_key()?,
            encryption: self.encryption()?,
            cache: files.cache,
            patience: Patience::default(),
        })
    }

    /// What carries requests to a bucket.
    pub fn bucket_connector(&self) -> Result<BucketConnector, ConfigurationFault> {
        let within = Duration::from_secs(self.files.timeout_seconds.max(1));
        Ok(BucketConnector::new(self.egress()?, within))
    }

    fn access_key(&self) -> Result<Option<(String, Secret)>, ConfigurationFault> {
        let files = &self.files;
        let file = self.named("files.secret_key_file");
        let secret = secret(&file, files.secret_key.as_ref(), files.secret_key_file.as_deref())?;
        match (&files.access_key, secret) {
            (None, None) => Ok(None),
            (Some(name), Some(secret)) => Ok(Some((name.clone(), secret))),
            (Some(_), None) => Err(self.senseless("files.access_key", "set files.secret_key_file too")),
            (None, Some(_)) => Err(self.senseless("files.secret_key", "set files.access_key too")),
        }
    }

    fn encryption(&self) -> Result<Option<Encryption>, ConfigurationFault> {
        let key = self.files.kms_key.clone();
        match (self.files.encryption, key) {
            (None, None) => Ok(None),
            (Some(FileEncryption::Own), None) => Ok(Some(Encryption::Own)),
            (Some(FileEncryption::Kms), key) => Ok(Some(Encryption::Kms(key))),
            (_, Some(_)) => Err(self.senseless("files.kms_key", "set files.encryption to aws:kms")),
        }
    }
}
