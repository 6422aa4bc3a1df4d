//! Small files share an object: a request costs more than its bytes.

use capitalbench_core::values::ids::Digest;

use super::index::{Place, object_name};

/// Files below this share an object.
const SMALL: usize = 256 << 10;
/// Bytes of such an object; it is closed when it has as many.
const FULL: usize = 8 << 20;

/// Objects to write, and where the files lie in them.
#[derive(Debug, Default)]
pub struct Packed {
    /// Names and bytes.
    pub objects: Vec<(String, Vec<u8>)>,
    /// Paths and places.
    pub places: Vec<(String, Place)>,
}

/// One object that is being filled.
#[derive(Default)]
struct Open {
    bytes: Vec<u8>,
    files: Vec<(String, Digest, u64, u64)>,
}

/// Packs files for one push. What soon is replaced lies apart, or it would keep its object alive.
pub fn pack(files: Vec<(String, Vec<u8>)>, push: &str) -> Packed {
    let (mut packed, mut lasting, mut passing) =
        (Packed::default(), Open::default(), Open::default());
    for (path, bytes) in files {
        if bytes.len() >= SMALL {
            let mut own = Open::default();
            own.add(path, &bytes);
            packed.close(own, push);
            continue;
        }
        let open = if is_passing(&path) {
            &mut passing
        } else {
            &mut lasting
        };
        open.add(path, &bytes);
        if open.bytes.len() >= FULL {
            packed.close(std::mem::take(open), push);
        }
    }
    packed.close(lasting, push);
    packed.close(passing, push);
    packed
}

/// Whether a file of the log is replaced at the next append.
fn is_passing(path: &str) -> bool {
    path.starts_with("tile/") && path.contains(".p/")
}

impl Open {
    fn add(&mut self, path: String, bytes: &[u8]) {
        let at = self.bytes.len() as u64;
        self.files
            .push((path, Digest::of(bytes), bytes.len() as u64, at));
        self.bytes.extend_from_slice(bytes);
    }
}

impl Packed {
    fn close(&mut self, open: Open, push: &str) {
        if open.files.is_empty() {
            return;
        }
        let object = object_name(&open.bytes, push);
        let places = open.files.into_iter().map(|(path, digest, size, offset)| {
            let sha256 = digest.to_hex();
            let object = object.clone();
            (
                path,
                Place {
                    sha256,
                    size,
                    object,
                    offset,
                },
            )
        });
        self.places.extend(places);
        self.objects.push((object, open.bytes));
    }
}

#[cfg(test)]
mod tests;
