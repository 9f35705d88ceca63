//! Opens an installation: combines folder, database, files and master key into the application.
//!
//! The order matters. A database that has been set up needs its master key, and only a new one gets a new key. So a
//! lost key file is reported immediately, and never replaced by a key that decrypts nothing.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use app::key_tokens::{KeyTokens, NoTokens};
use app::{App, Parts, Vault};
use blobs::{Blobs, BucketSettings};
use delivery::GuardedNetwork;
use delivery::guarded_client::{Lookup, SystemLookup};
use domain::{Clock, Random};
use store::Store;

use crate::bucket_owner;
use crate::configuration::{Configuration, ConfigurationFault};
use crate::documents::Workers;
use crate::environment::{SystemClock, SystemRandom};
use crate::pkcs11::Tokens;
use crate::volumes::Volumes;

/// The reasons why the installation cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenFault {
    #[error(transparent)]
    Configuration(#[from] ConfigurationFault),
    /// There is no installation, and the command does not create one.
    #[error("there is no installation in {0}; {ELSEWHERE}")]
    NoInstallation(String),
    /// The PostgreSQL database contains no installation, and the command does not create one.
    #[error("there is no installation in {0}; `countersign migrate` creates one; {ELSEWHERE}")]
    NoInstallationInDatabase(String),
    /// The restore must be finished first.
    #[error(
        "{0} contains an unfinished restore of a backup; run the same `countersign restore` again, or empty the folder"
    )]
    UnfinishedRestore(PathBuf),
    /// We cannot find out whether there is an installation.
    #[error("the data folder {0} cannot be read: {1}")]
    Unreadable(PathBuf, std::io::Error),
    /// The data folder cannot be created.
    #[error("the data folder {0} cannot be used: {1}; choose another folder with --data")]
    Folder(PathBuf, std::io::Error),
    /// The database cannot be opened or migrated.
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error(transparent)]
    Blobs(#[from] blobs::Error),
    /// The bucket has the files of another installation.
    #[error("{0} contains the files of another installation; set files.url to a prefix of its own")]
    FilesOfAnother(String),
    /// The master key cannot be used.
    #[error(transparent)]
    Vault(#[from] app::VaultError),
    /// The database was set up, but its master key is missing.
    #[error("the master key {0} is missing, but this database was set up with it; restore the file from your backup")]
    MasterKeyMissing(PathBuf),
    /// The client for time-stamp authorities cannot be created.
    #[error("the client for time-stamp authorities cannot be created: {0}")]
    Network(#[from] delivery::guarded_client::Fault),
    /// The PKCS#11 module cannot be used.
    #[error("the PKCS#11 module {0} cannot be used: {1}; check pkcs11.module")]
    Tokens(PathBuf, String),
    /// Database and master key do not belong together, or setting up failed.
    #[error("{0}")]
    SetUp(app::Error),
}

impl From<app::Error> for OpenFault {
    fn from(error: app::Error) -> OpenFault {
        OpenFault::SetUp(error)
    }
}

/// Advice on how to choose another installation.
pub const ELSEWHERE: &str = "use --data DIR (or COUNTERSIGN_DATA) for another folder, and --config FILE (or COUNTERSIGN_CONFIG) \
                             for the settings of the server";

/// A file that exists in the data folder during a restore. Until the restore is complete, nothing opens the
/// installation.
pub const UNFINISHED_RESTORE: &str = "restore.unfinished";

/// The location and configuration of an installation.
#[derive(Debug, Clone)]
pub struct Place {
    pub data: PathBuf,
    pub configuration: Configuration,
}

/// The behaviour of a command if there is no installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absent {
    /// Create one.
    Make,
    /// Fail, because a misspelled folder must not become a new installation.
    Refuse,
}

pub struct Opened {
    pub app: Arc<App>,
    pub workers: Arc<Workers>,
}

impl Place {
    /// The folder for files in the data folder.
    pub fn files(&self) -> PathBuf {
        self.data.join("files")
    }

    /// The folder with the files, unless they are in a bucket.
    pub fn files_folder(&self) -> Option<PathBuf> {
        self.configuration.files.url.is_none().then(|| self.files())
    }

    /// The file store: a bucket, or the folder, which is created if it does not exist.
    pub fn open_files(&self) -> Result<Blobs, OpenFault> {
        match self.configuration.bucket()? {
            None => Ok(Blobs::local(self.files())?),
            Some(settings) => self.open_bucket(&settings),
        }
    }

    /// A bucket.
    pub fn open_bucket(&self, settings: &BucketSettings) -> Result<Blobs, OpenFault> {
        Ok(Blobs::in_bucket(settings, self.configuration.bucket_connector()?)?)
    }

    /// Returns the disks of the data folder and of the files.
    pub fn volumes(&self) -> Volumes {
        Volumes::of([Some(self.data.clone()), self.files_folder()].into_iter().flatten())
    }

    /// Whether there is a database: PostgreSQL is configured, or the SQLite file exists.
    pub fn has_database(&self) -> Result<bool, OpenFault> {
        match self.configuration.store(&self.data)? {
            store::Settings::Sqlite { path } => path
                .try_exists()
                .map_err(|error| OpenFault::Unreadable(self.data.clone(), error)),
            store::Settings::Postgres { .. } => Ok(true),
        }
    }

    /// Describes the location for people: the data folder, and the database if it is elsewhere.
    pub fn named(&self) -> String {
        let folder = std::path::absolute(&self.data).unwrap_or_else(|_| self.data.clone());
        let folder = format!("the data folder {}", folder.display());
        match self.configuration.store(&self.data) {
            Ok(settings @ store::Settings::Postgres { .. }) => format!("{settings}, with {folder}"),
            _ => folder,
        }
    }

    /// Creates the data folder if it does not exist.
    pub fn make_folder(&self) -> Result<(), OpenFault> {
        create_private(&self.data).map_err(|error| OpenFault::Folder(self.data.clone(), error))
    }

    /// Opens the database. Returns the migrations that were applied.
    pub fn open_store(&self, absent: Absent) -> Result<(Store, Vec<String>), OpenFault> {
        let settings = self.configuration.store(&self.data)?;
        self.refuse_unfinished_restore()?;
        if absent == Absent::Refuse {
            self.must_exist()?;
        }
        self.make_folder()?;
        let store = Store::open(&settings)?;
        if absent == Absent::Refuse && matches!(settings, store::Settings::Postgres { .. }) {
            // A database in which no installation was ever created has none of its tables.
            match store.shape(&store::sql::setting::FIND) {
                Ok(_) => {}
                Err(error) if error.is_temporary() => return Err(error.into()),
                Err(_) => return Err(OpenFault::NoInstallationInDatabase(settings.to_string())),
            }
        }
        let applied = store.migrate()?;
        Ok((store, applied))
    }

    /// Opens the database of an existing installation without changing its schema.
    pub fn open_as_is(&self) -> Result<Store, OpenFault> {
        self.refuse_unfinished_restore()?;
        self.must_exist()?;
        let settings = self.configuration.store(&self.data)?;
        let store = Store::open(&settings)?;
        if store.read(store::backup::is_empty)? {
            return Err(OpenFault::NoInstallation(self.named()));
        }
        Ok(store)
    }

    fn must_exist(&self) -> Result<(), OpenFault> {
        if self.has_database()? {
            Ok(())
        } else {
            Err(OpenFault::NoInstallation(self.named()))
        }
    }

    fn refuse_unfinished_restore(&self) -> Result<(), OpenFault> {
        if self.data.join(UNFINISHED_RESTORE).exists() {
            return Err(OpenFault::UnfinishedRestore(self.data.clone()));
        }
        Ok(())
    }

    /// Opens everything. `bound` is the address that the server listens on.
    pub fn open(&self, bound: Option<SocketAddr>, absent: Absent) -> Result<Opened, OpenFault> {
        let (store, applied) = self.open_store(absent)?;
        for migration in applied {
            tracing::info!(%migration, "database migrated");
        }
        let random: Arc<dyn Random> = Arc::new(SystemRandom);
        let vault = self.open_vault(&store, Arc::clone(&random))?;
        app::installation::set_up(&store, &vault, &SystemClock)?;
        let blobs = self.open_files()?;
        if self.files_folder().is_none() {
            bucket_owner::claim(&store, &blobs)?;
        }
        let workers = Arc::new(Workers::new(&self.configuration.documents));
        let app = App::new(Parts {
            store,
            blobs,
            documents: Arc::clone(&workers) as Arc<dyn app::StrangersDocuments>,
            space: Arc::new(self.volumes()),
            clock: Arc::new(SystemClock) as Arc<dyn Clock>,
            random,
            network: Arc::new(network(&self.configuration)?),
            tokens: tokens(&self.configuration)?,
            vault,
            settings: self.configuration.app(bound)?,
        });
        Ok(Opened {
            app: Arc::new(app),
            workers,
        })
    }

    fn open_vault(&self, store: &Store, random: Arc<dyn Random>) -> Result<Vault, OpenFault> {
        let path = self.configuration.master_key_file(&self.data);
        if !app::installation::is_set_up(store)? {
            return Ok(Vault::open_or_create(&path, random)?);
        }
        if !path.exists() {
            return Err(OpenFault::MasterKeyMissing(path));
        }
        Ok(Vault::open(&path, random)?)
    }
}

/// Returns the client for time-stamp authorities and for addresses in certificates.
pub fn network(configuration: &Configuration) -> Result<GuardedNetwork, OpenFault> {
    let (authorities, sources) = (configuration.authority_rules(), configuration.source_rules());
    let lookup: Arc<dyn Lookup> = Arc::new(SystemLookup);
    let network = GuardedNetwork::through(&configuration.egress()?, &authorities, &sources, &lookup)?;
    let network = network.with_own_authority(configuration.sealing.tsa_url.clone());
    Ok(network.with_webhooks(&configuration.webhook_rules())?)
}

/// Returns the tokens that contain seal keys, if a module is configured.
pub fn tokens(configuration: &Configuration) -> Result<Arc<dyn KeyTokens>, OpenFault> {
    let Some((module, pin)) = configuration.pkcs11()? else {
        return Ok(Arc::new(NoTokens));
    };
    let tokens = Tokens::load(&module, &pin).map_err(|error| OpenFault::Tokens(module, error.to_string()))?;
    Ok(Arc::new(tokens))
}

/// Creates the data folder, accessible only to its owner.
fn create_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(folder)
}
