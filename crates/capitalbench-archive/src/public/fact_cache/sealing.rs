//! Values as files of a cache: postcard, with the stamp of the program before it and the tag of this
//! machine's secret behind it.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::public::cache_key::CacheKey;

/// The bytes of a file; none for a value that postcard cannot write.
pub fn sealed(key: &CacheKey, name: &str, stamp: &str, value: &impl Serialize) -> Option<Vec<u8>> {
    let bytes = postcard::to_stdvec(&(stamp, value)).ok()?;
    Some(key.seal(name, bytes))
}

/// The value in a file; none for one that is damaged, of another program or of another machine.
pub fn unsealed<T: DeserializeOwned>(
    key: &CacheKey,
    name: &str,
    stamp: &str,
    bytes: &[u8],
) -> Option<T> {
    let (own, rest) = postcard::take_from_bytes::<&str>(key.open(name, bytes)?).ok()?;
    if own != stamp {
        return None;
    }
    postcard::from_bytes(rest).ok()
}
