//! A frame consists of a JSON header and a payload of bytes, each preceded by its length.

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

/// The maximum size of a frame, which limits how much memory a child can make the server allocate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FrameLimits {
    pub(crate) header: u64,
    pub(crate) payload: u64,
}

#[derive(Debug, Error)]
pub(crate) enum FrameError {
    #[error("the other side has closed the pipe")]
    Closed,
    #[error("the pipe failed: {0}")]
    Io(#[from] io::Error),
    #[error("a frame of {header} and {payload} bytes is too large")]
    TooLarge { header: u64, payload: u64 },
    #[error("a frame's header cannot be read: {0}")]
    Header(#[from] serde_json::Error),
}

pub(crate) fn write(pipe: &mut impl Write, header: &impl Serialize, payload: &[&[u8]]) -> Result<(), FrameError> {
    let header = serde_json::to_vec(header)?;
    let payload_length: usize = payload.iter().map(|part| part.len()).sum();
    pipe.write_all(&length(header.len()))?;
    pipe.write_all(&length(payload_length))?;
    pipe.write_all(&header)?;
    for part in payload {
        pipe.write_all(part)?;
    }
    pipe.flush()?;
    Ok(())
}

pub(crate) fn read<H: DeserializeOwned>(pipe: &mut impl Read, limits: FrameLimits) -> Result<(H, Vec<u8>), FrameError> {
    let header = read_length(pipe)?;
    let payload = read_length(pipe)?;
    if header > limits.header || payload > limits.payload {
        return Err(FrameError::TooLarge { header, payload });
    }
    let header = exactly(pipe, header)?;
    let payload = exactly(pipe, payload)?;
    Ok((serde_json::from_slice(&header)?, payload))
}

fn length(length: usize) -> [u8; 8] {
    u64::try_from(length).unwrap_or(u64::MAX).to_le_bytes()
}

fn read_length(pipe: &mut impl Read) -> Result<u64, FrameError> {
    let mut length = [0_u8; 8];
    match pipe.read_exact(&mut length) {
        Ok(()) => Ok(u64::from_le_bytes(length)),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(FrameError::Closed),
        Err(error) => Err(error.into()),
    }
}

/// The buffer grows with the arriving data, so a false length allocates nothing.
fn exactly(pipe: &mut impl Read, length: u64) -> Result<Vec<u8>, FrameError> {
    let mut bytes = Vec::new();
    pipe.take(length).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).ok() == Some(length) {
        Ok(bytes)
    } else {
        Err(FrameError::Closed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: FrameLimits = FrameLimits {
        header: 100,
        payload: 10,
    };

    #[test]
    fn a_frame_arrives_as_it_was_sent() {
        let mut pipe = Vec::new();
        write(&mut pipe, &"header", &[b"pay", b"load"]).expect("writes");
        let (header, payload): (String, _) = read(&mut pipe.as_slice(), LIMITS).expect("reads");
        assert_eq!((header.as_str(), payload.as_slice()), ("header", &b"payload"[..]));
    }

    #[test]
    fn a_frame_that_is_too_large_cut_or_malformed_is_refused() {
        let mut large = Vec::new();
        write(&mut large, &"header", &[b"more than ten bytes"]).expect("writes");
        assert!(matches!(
            read::<String>(&mut large.as_slice(), LIMITS),
            Err(FrameError::TooLarge { .. })
        ));
        let mut cut = Vec::new();
        write(&mut cut, &"header", &[b"payload"]).expect("writes");
        cut.truncate(cut.len() - 1);
        assert!(matches!(
            read::<String>(&mut cut.as_slice(), LIMITS),
            Err(FrameError::Closed)
        ));
        let mut other = Vec::new();
        write(&mut other, &5, &[]).expect("writes");
        assert!(matches!(
            read::<String>(&mut other.as_slice(), LIMITS),
            Err(FrameError::Header(_))
        ));
        assert!(matches!(read::<String>(&mut &b""[..], LIMITS), Err(FrameError::Closed)));
    }
}
