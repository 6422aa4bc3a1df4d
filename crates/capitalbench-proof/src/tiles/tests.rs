use super::*;
use crate::merkle::{self, Edge, leaf_hash};
use std::convert::Infallible;

#[test]
fn paths_are_those_of_the_specification() {
    let cases = [
        (Content::Hashes(0), 1_234_067, 256, "tile/0/x001/x234/067"),
        (Content::Hashes(1), 0, 17, "tile/1/000.p/17"),
        (Content::Entries, 273, 112, "tile/entries/273.p/112"),
        (Content::Entries, 1000, 256, "tile/entries/x001/000"),
    ];
    for (content, index, width, path) in cases {
        let tile = Tile {
            content,
            index,
            width,
        };
        assert_eq!(tile.path(), path);
        assert_eq!(Tile::parse(path), Some(tile));
    }
    let refused = [
        "tile/0/1",
        "tile/0/000.p/256",
        "tile/0/000.p/0",
        "tile/0/000.p/01",
        "tile/64/000",
        "tile/0/x000/001",
        "tile/00/001",
        "tile/0/001/002",
        "checkpoint",
    ];
    for path in refused {
        assert_eq!(Tile::parse(path), None, "{path}");
    }
    let partial = Tile::parse("tile/0/x001/234.p/7").unwrap();
    assert_eq!(partial.partial_folder(), "tile/0/x001/234.p");
}

#[test]
fn a_tree_of_70000_has_the_tiles_of_the_specification() {
    let all = added(0, 70_000);
    let count = |content, partial| {
        let of = |tile: &&Tile| tile.content == content && tile.is_partial() == partial;
        all.iter().filter(of).count()
    };
    assert_eq!(count(Content::Hashes(0), false), 273);
    assert_eq!(count(Content::Hashes(1), false), 1);
    let partial: Vec<String> = all
        .iter()
        .filter(|tile| tile.is_partial())
        .map(Tile::path)
        .collect();
    let expected = [
        "tile/entries/273.p/112",
        "tile/0/273.p/112",
        "tile/1/001.p/17",
        "tile/2/000.p/1",
    ];
    assert_eq!(partial, expected);
    let paths: Vec<String> = added(255, 256).iter().map(Tile::path).collect();
    assert_eq!(paths, ["tile/entries/000", "tile/0/000", "tile/1/000.p/1"]);
    assert_eq!(added(7, 7), []);
}

#[test]
fn a_tile_beyond_the_tree_is_not_present() {
    for index in [1 << 56, u64::MAX] {
        for content in [Content::Entries, Content::Hashes(0)] {
            assert_eq!(Tile::at_size(content, index, u64::MAX), None);
        }
    }
    let last = Tile::at_size(Content::Entries, (1 << 56) - 1, u64::MAX).unwrap();
    assert_eq!(last.width, WIDTH - 1);
}

#[test]
fn bundles_give_back_their_leaves() {
    let long = vec![7; LONGEST_LEAF];
    let leaves: [&[u8]; 3] = [b"", b"leaf", &long];
    let bytes = bundle(leaves).unwrap();
    assert_eq!(bytes[..8], *b"\0\0\0\x04leaf");
    assert_eq!(leaves_of(&bytes).unwrap(), leaves);
    let longer = vec![7; LONGEST_LEAF + 1];
    assert_eq!(bundle([longer.as_slice()]), None);
    assert_eq!(leaves_of(&bytes[..bytes.len() - 1]), None);
    assert_eq!(leaves_of(b"\0"), None);
    assert_eq!(hashes_of(&[0; 33]), None);
}

struct Memory(BTreeMap<(u32, u64), Hash>);

impl TileSource for &Memory {
    type Error = Infallible;

    fn hashes(&self, tile: Tile) -> Result<Vec<Hash>, Infallible> {
        let Content::Hashes(level) = tile.content else {
            panic!("leaves were not asked for");
        };
        let first = tile.index * WIDTH;
        let places = first..first + tile.width;
        Ok(places.map(|at| self.0[&(level * HEIGHT, at)]).collect())
    }
}

#[test]
fn proofs_from_tiles_hold_and_read_few_tiles() {
    let size = 70_000;
    let mut edge = Edge::default();
    let mut memory = Memory(BTreeMap::new());
    for number in 0..size {
        let leaf = leaf_hash(&u64::to_be_bytes(number));
        edge.append(leaf, |level, index, hash| {
            memory.0.insert((level, index), hash);
        });
    }
    let top = edge.root();
    for (index, old) in [(0, 1), (255, 256), (65_535, 65_536), (69_999, 69_999)] {
        let reader = TileReader::new(&memory, size);
        assert_eq!(merkle::root(&reader, size), Ok(top));
        let path = merkle::prove_inclusion(&reader, index, size)
            .unwrap()
            .unwrap();
        let leaf = leaf_hash(&index.to_be_bytes());
        merkle::verify_inclusion(leaf, index, size, top, &path).unwrap();
        let before = merkle::root(&reader, old).unwrap();
        let steps = merkle::prove_consistency(&reader, old, size)
            .unwrap()
            .unwrap();
        merkle::verify_consistency((old, before), (size, top), &steps).unwrap();
        assert!(reader.tiles_read() <= 7, "{}", reader.tiles_read());
        assert_eq!(Edge::read(&reader, size), Ok(edge.clone()));
    }
}
