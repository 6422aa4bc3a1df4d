//! Images that an earlier site drew: one is drawn again only where its content changed.

use std::fmt::Debug;

use bytes::Bytes;
use capitalbench_core::values::ids::Digest;

/// Where images of an earlier site are found and those of this one are noted.
pub trait Album: Debug + Sync {
    /// The image of a path, where the earlier site drew it from the same content.
    fn earlier(&self, path: &str, content: Digest) -> Option<Bytes>;
    /// Notes an image of this site.
    fn keep(&self, path: &str, content: Digest, image: &Bytes);
}

/// Which images a site has.
#[derive(Debug, Clone, Copy)]
pub enum Images<'a> {
    /// None but the icon.
    Without,
    /// All of them, each drawn.
    Drawn,
    /// All of them; those that the album has are not drawn again.
    From(&'a dyn Album),
}

impl Images<'_> {
    pub(crate) fn are_shown(self) -> bool {
        !matches!(self, Self::Without)
    }

    /// An image that the album has, or a new one.
    pub(crate) fn image(
        self,
        path: &str,
        content: Digest,
        draw: impl FnOnce() -> Vec<u8>,
    ) -> Bytes {
        let Self::From(album) = self else {
            return draw().into();
        };
        let image = album.earlier(path, content);
        let image = image.unwrap_or_else(|| draw().into());
        album.keep(path, content, &image);
        image
    }
}
