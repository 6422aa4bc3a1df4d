//! The files of the tree: the layout of C2SP tlog-tiles, with tiles 256 hashes wide.
//!
//! `tile/<level>/<index>` holds 256 hashes of complete subtrees of `256^level` leaves, and
//! `tile/entries/<index>` the 256 leaves themselves. The last file of a level is partial, and its
//! name says how many it holds. Partial files stay until the full one exists.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::merkle::{Hash, HashReader, node_hash};

/// Hashes of a full tile.
pub const WIDTH: u64 = 256;
/// Levels of the tree that one tile spans.
pub const HEIGHT: u32 = 8;
/// The longest leaf that an entry bundle can hold.
pub const LONGEST_LEAF: usize = u16::MAX as usize;

/// The content of a file of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Content {
    Entries,
    /// Hashes of this level.
    Hashes(u32),
}

/// One file of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tile {
    pub content: Content,
    /// Its index within its level.
    pub index: u64,
    /// How many hashes or leaves it holds, from 1 to 256.
    pub width: u64,
}

impl Tile {
    /// The tile as it is when the tree has this size; none if it would be empty.
    pub fn at_size(content: Content, index: u64, size: u64) -> Option<Self> {
        let count = count_at(content, size);
        let width = count.saturating_sub(index.saturating_mul(WIDTH)).min(WIDTH);
        (width > 0).then_some(Self {
            content,
            index,
            width,
        })
    }

    /// Whether the tile can still grow.
    pub fn is_partial(&self) -> bool {
        self.width < WIDTH
    }

    /// The path below the log.
    pub fn path(&self) -> String {
        let folder = match self.content {
            Content::Entries => "entries".to_owned(),
            Content::Hashes(level) => level.to_string(),
        };
        let index = index_path(self.index);
        if self.is_partial() {
            format!("tile/{folder}/{index}.p/{}", self.width)
        } else {
            format!("tile/{folder}/{index}")
        }
    }

    /// The folder that holds its partial forms.
    pub fn partial_folder(&self) -> String {
        let partial = Self { width: 1, ..*self };
        partial.path().trim_end_matches("/1").to_owned()
    }

    /// Reads a path below the log; none if it does not name a tile.
    pub fn parse(path: &str) -> Option<Self> {
        let (folder, rest) = path.strip_prefix("tile/")?.split_once('/')?;
        let content = match folder {
            "entries" => Content::Entries,
            level => Content::Hashes(level.parse().ok().filter(|level| *level < 64)?),
        };
        let (index, width) = match rest.split_once(".p/") {
            Some((index, width)) => (index, width.parse().ok()?),
            None => (rest, WIDTH),
        };
        let digits: String = index
            .split('/')
            .map(|part| part.trim_start_matches('x'))
            .collect();
        let tile = Self {
            content,
            index: digits.parse().ok()?,
            width,
        };
        ((1..=WIDTH).contains(&width) && tile.path() == path).then_some(tile)
    }
}

/// How many hashes or leaves a level of tiles has in a tree of this size.
fn count_at(content: Content, size: u64) -> u64 {
    match content {
        Content::Entries => size,
        Content::Hashes(level) => size.checked_shr(HEIGHT * level).unwrap_or(0),
    }
}

/// The files that a tree of `new` leaves needs and a tree of `old` leaves does not have; leaves first.
pub fn added(old: u64, new: u64) -> Vec<Tile> {
    let levels = (0..HEIGHT).map(Content::Hashes);
    let contents = std::iter::once(Content::Entries).chain(levels);
    let mut tiles = Vec::new();
    for content in contents {
        let (before, after) = (count_at(content, old), count_at(content, new));
        if before == after {
            continue;
        }
        let touched = before / WIDTH..=(after - 1) / WIDTH;
        tiles.extend(touched.filter_map(|index| Tile::at_size(content, index, new)));
    }
    tiles
}

/// `1234067` as `x001/x234/067`.
fn index_path(index: u64) -> String {
    let mut path = format!("{:03}", index % 1000);
    let mut rest = index / 1000;
    while rest > 0 {
        path = format!("x{:03}/{path}", rest % 1000);
        rest /= 1000;
    }
    path
}

/// The bytes of an entry bundle; none if a leaf is too long for one.
pub fn bundle<'a>(leaves: impl IntoIterator<Item = &'a [u8]>) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for leaf in leaves {
        bytes.extend(u16::try_from(leaf.len()).ok()?.to_be_bytes());
        bytes.extend(leaf);
    }
    Some(bytes)
}

/// The leaves of an entry bundle; none if its lengths do not add up.
pub fn leaves_of(bundle: &[u8]) -> Option<Vec<&[u8]>> {
    let mut leaves = Vec::new();
    let mut rest = bundle;
    while !rest.is_empty() {
        let (length, after) = rest.split_first_chunk::<2>()?;
        let (leaf, after) = after.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
        leaves.push(leaf);
        rest = after;
    }
    Some(leaves)
}

pub fn hash_tile(hashes: &[Hash]) -> Vec<u8> {
    hashes.iter().flat_map(|hash| *hash.as_bytes()).collect()
}

/// The hashes of a tile; none if its last hash is cut.
pub fn hashes_of(tile: &[u8]) -> Option<Vec<Hash>> {
    let chunks = tile.chunks_exact(32);
    let whole = chunks.remainder().is_empty();
    whole.then(|| chunks.filter_map(Hash::from_slice).collect())
}

pub trait TileSource {
    type Error;

    /// All hashes of a tile, exactly as many as its width says.
    fn hashes(&self, tile: Tile) -> Result<Vec<Hash>, Self::Error>;
}

/// Computes subtrees from tiles and reads each tile once.
#[derive(Debug)]
pub struct TileReader<S> {
    source: S,
    size: u64,
    seen: RefCell<BTreeMap<Tile, Vec<Hash>>>,
}

impl<S: TileSource> TileReader<S> {
    pub fn new(source: S, size: u64) -> Self {
        Self {
            source,
            size,
            seen: RefCell::default(),
        }
    }

    pub fn tiles_read(&self) -> usize {
        self.seen.borrow().len()
    }
}

impl<S: TileSource> HashReader for TileReader<S> {
    type Error = S::Error;

    fn read(&self, level: u32, index: u64) -> Result<Hash, S::Error> {
        let (tile_level, above) = (level / HEIGHT, level % HEIGHT);
        let first = index << above;
        let content = Content::Hashes(tile_level);
        let tile = Tile::at_size(content, first / WIDTH, self.size).unwrap_or(Tile {
            content,
            index: first / WIDTH,
            width: WIDTH,
        });
        if !self.seen.borrow().contains_key(&tile) {
            let hashes = self.source.hashes(tile)?;
            self.seen.borrow_mut().insert(tile, hashes);
        }
        let seen = self.seen.borrow();
        let from = usize::try_from(first % WIDTH).unwrap_or_default();
        let row = seen[&tile].get(from..from + (1 << above));
        Ok(combine(row.unwrap_or_default().to_vec()))
    }
}

/// The root over a power of two of hashes.
fn combine(mut row: Vec<Hash>) -> Hash {
    while row.len() > 1 {
        let pairs = row.chunks_exact(2);
        row = pairs.map(|pair| node_hash(pair[0], pair[1])).collect();
    }
    row.first()
        .copied()
        .unwrap_or_else(crate::merkle::empty_root)
}

#[cfg(test)]
mod tests;
