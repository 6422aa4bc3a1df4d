//! Published vectors, an independent implementation, and properties.

use std::convert::Infallible;

use ct_merkle::mem_backed_tree::MemoryBackedTree;
use ct_merkle::{ConsistencyProof, InclusionProof, RootHash};
use proptest::prelude::*;
use sha2::Sha256;

use super::*;

/// Leaves in memory; subtrees are hashed anew each time.
struct Leaves(Vec<Hash>);

impl HashReader for Leaves {
    type Error = Infallible;

    fn read(&self, level: u32, index: u64) -> Result<Hash, Infallible> {
        if level == 0 {
            return Ok(self.0[usize::try_from(index).unwrap()]);
        }
        let left = self.read(level - 1, 2 * index)?;
        let right = self.read(level - 1, 2 * index + 1)?;
        Ok(node_hash(left, right))
    }
}

/// The inputs of the reference implementation of RFC 6962.
fn reference_leaves() -> Vec<Vec<u8>> {
    let texts = [
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    ];
    let bytes = |text: &&str| {
        let pairs = text.as_bytes().chunks(2);
        let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap();
        pairs.map(byte).collect()
    };
    texts.iter().map(bytes).collect()
}

fn reference() -> Leaves {
    Leaves(
        reference_leaves()
            .iter()
            .map(|leaf| leaf_hash(leaf))
            .collect(),
    )
}

fn hex(texts: &[&str]) -> Vec<Hash> {
    let parse = |text: &&str| Hash::parse_hex(text).unwrap();
    texts.iter().map(parse).collect()
}

const ROOTS: [&str; 9] = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

#[test]
fn roots_of_rfc_6962() {
    let leaves = reference();
    for (size, expected) in (0_u64..).zip(ROOTS) {
        assert_eq!(root(&leaves, size).unwrap().to_hex(), expected, "{size}");
    }
}

#[test]
fn audit_paths_of_rfc_6962() {
    let cases: [(u64, u64, &[&str]); 4] = [
        (0, 1, &[]),
        (
            0,
            8,
            &[
                "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
            ],
        ),
        (
            5,
            8,
            &[
                "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
                "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            ],
        ),
        (
            2,
            3,
            &["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"],
        ),
    ];
    let leaves = reference();
    for (index, size, expected) in cases {
        let path = prove_inclusion(&leaves, index, size).unwrap();
        assert_eq!(path, Some(hex(expected)), "{index} of {size}");
    }
    assert_eq!(prove_inclusion(&leaves, 8, 8).unwrap(), None);
}

#[test]
fn consistency_proofs_of_rfc_6962() {
    let cases: [(u64, u64, &[&str]); 4] = [
        (1, 1, &[]),
        (
            1,
            8,
            &[
                "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
            ],
        ),
        (
            6,
            8,
            &[
                "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
                "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            ],
        ),
        (
            2,
            5,
            &[
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
            ],
        ),
    ];
    let leaves = reference();
    for (old, new, expected) in cases {
        let path = prove_consistency(&leaves, old, new).unwrap();
        assert_eq!(path, Some(hex(expected)), "{old} to {new}");
    }
    assert_eq!(prove_consistency(&leaves, 8, 7).unwrap(), None);
}

#[test]
fn an_independent_implementation_accepts_every_proof() {
    let mut tree: MemoryBackedTree<Sha256, Vec<u8>> = MemoryBackedTree::new();
    let mut leaves = Leaves(Vec::new());
    let mut roots: Vec<RootHash<Sha256>> = Vec::new();
    for number in 0..70_u64 {
        let leaf = format!("leaf {number}").into_bytes();
        leaves.0.push(leaf_hash(&leaf));
        tree.push(leaf);
        let size = number + 1;
        let theirs = tree.root();
        assert_eq!(
            root(&leaves, size).unwrap().as_bytes()[..],
            theirs.as_bytes()[..]
        );
        for index in 0..size {
            let path = prove_inclusion(&leaves, index, size).unwrap().unwrap();
            let bytes: Vec<u8> = path.iter().flat_map(|hash| *hash.as_bytes()).collect();
            let proof: InclusionProof<Sha256> = InclusionProof::try_from_bytes(bytes).unwrap();
            let leaf = format!("leaf {index}").into_bytes();
            theirs.verify_inclusion(&leaf, index, &proof).unwrap();
        }
        for (old, before) in (1..size).zip(&roots) {
            let path = prove_consistency(&leaves, old, size).unwrap().unwrap();
            let bytes: Vec<u8> = path.iter().flat_map(|hash| *hash.as_bytes()).collect();
            let proof = ConsistencyProof::<Sha256>::try_from_bytes(bytes).unwrap();
            theirs.verify_consistency(before, &proof).unwrap();
        }
        roots.push(theirs);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn only_true_proofs_verify(size in 1_u64..600, at in any::<prop::sample::Index>(), spoil in any::<prop::sample::Index>()) {
        let hashes = (0..size).map(|number| leaf_hash(&number.to_be_bytes()));
        let leaves = Leaves(hashes.collect());
        let mut edge = Edge::default();
        for leaf in &leaves.0 {
            edge.append(*leaf, |_, _, _| {});
        }
        let top = root(&leaves, size).unwrap();
        prop_assert_eq!(edge.root(), top);
        prop_assert_eq!(&Edge::read(&leaves, size).unwrap(), &edge);

        let index = u64::try_from(at.index(usize::try_from(size).unwrap())).unwrap();
        let leaf = leaves.read(0, index).unwrap();
        let path = prove_inclusion(&leaves, index, size).unwrap().unwrap();
        prop_assert_eq!(verify_inclusion(leaf, index, size, top, &path), Ok(()));
        prop_assert!(verify_inclusion(top, index, size, top, &path).is_err() || size == 1);
        prop_assert!(verify_inclusion(leaf, index, size, leaf, &path).is_err() || size == 1);
        for other in [index ^ 1, index + size] {
            prop_assert!(verify_inclusion(leaf, other, size, top, &path).is_err());
        }
        let mut longer = path.clone();
        longer.push(top);
        prop_assert!(verify_inclusion(leaf, index, size, top, &longer).is_err());

        let old = index + 1;
        let before = root(&leaves, old).unwrap();
        let steps = prove_consistency(&leaves, old, size).unwrap().unwrap();
        prop_assert_eq!(verify_consistency((old, before), (size, top), &steps), Ok(()));
        prop_assert!(verify_consistency((size + 1, before), (size, top), &steps).is_err());
        prop_assert!(verify_consistency((old, empty_root()), (size, top), &steps).is_err());
        if !steps.is_empty() {
            let mut spoilt = steps.clone();
            let place = spoil.index(spoilt.len());
            spoilt[place] = empty_root();
            prop_assert!(verify_consistency((old, before), (size, top), &spoilt).is_err());
            prop_assert!(verify_consistency((old, before), (size, top), &steps[1..]).is_err());
        }
    }

    #[test]
    fn completed_subtrees_are_those_of_the_tree(size in 1_u64..300) {
        let leaves = Leaves((0..size).map(|number| leaf_hash(&number.to_be_bytes())).collect());
        let mut edge = Edge::default();
        let mut seen = Vec::new();
        for leaf in &leaves.0 {
            edge.append(*leaf, |level, index, hash| seen.push((level, index, hash)));
        }
        let expected: u64 = (0..64).map(|level| size >> level).sum();
        prop_assert_eq!(seen.len() as u64, expected);
        for (level, index, hash) in seen {
            prop_assert_eq!(leaves.read(level, index).unwrap(), hash);
        }
    }
}
