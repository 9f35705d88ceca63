//! Small files with their own names, next to the content-addressed ones: checkpoints. They do not appear in listings of
//! files.

use object_store::path::Path as Location;
use object_store::{ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload};

use crate::{Blobs, Error, Place};

impl Blobs {
    /// Stores a file under a new name (`folder/name`). Returns `false` if the name exists.
    pub fn put_named(&self, name: &str, bytes: &[u8]) -> Result<bool, Error> {
        let options = PutOptions::from(PutMode::Create);
        let payload = PutPayload::from(bytes.to_vec());
        let location = Location::from(name);
        match self.runtime.block_on(self.store.put_opts(&location, payload, options)) {
            Ok(_) => Ok(true),
            Err(object_store::Error::AlreadyExists { .. }) => self.is_ours(name, bytes),
            Err(error) => Err(self.fault(error)),
        }
    }

    /// Whether the file of this name has just been written by us: a bucket may have stored it, and the answer was lost.
    fn is_ours(&self, name: &str, bytes: &[u8]) -> Result<bool, Error> {
        match self.place {
            Place::Folder(_) => Ok(false),
            Place::Bucket(_) => Ok(self.get_named(name)?.is_some_and(|found| found == bytes)),
        }
    }

    /// Returns the bytes of a named file. `None` if it does not exist.
    pub fn get_named(&self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        let found = self.runtime.block_on(async {
            let found = self.store.get(&Location::from(name)).await?;
            found.bytes().await
        });
        match found {
            Ok(bytes) => Ok(Some(bytes.into())),
            Err(object_store::Error::NotFound { .. }) => {
                self.must_exist()?;
                Ok(None)
            }
            Err(error) => Err(self.fault(error)),
        }
    }

    /// Returns the sorted names of the files in a folder, and of its subfolders.
    pub fn list_named(&self, folder: &str) -> Result<(Vec<String>, Vec<String>), Error> {
        let prefix = Location::from(folder);
        let listed = self.wait(self.store.list_with_delimiter(Some(&prefix)))?;
        let name = |location: &Location| location.filename().map(str::to_owned);
        let mut files: Vec<String> = listed.objects.iter().filter_map(|file| name(&file.location)).collect();
        let mut folders: Vec<String> = listed.common_prefixes.iter().filter_map(name).collect();
        files.sort();
        folders.sort();
        Ok((files, folders))
    }

    /// Removes a named file. A missing file is not an error.
    pub fn delete_named(&self, name: &str) -> Result<(), Error> {
        match self.runtime.block_on(self.store.delete(&Location::from(name))) {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(self.fault(error)),
        }
    }
}
