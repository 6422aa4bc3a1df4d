//! Checks proofs without the tree (RFC 9162, 2.1.3.2 and 2.1.4.2).

use super::{Hash, empty_root, node_hash};

/// Why a proof does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    #[error("leaf {index} is not in a tree of {size} leaves")]
    Outside { index: u64, size: u64 },
    #[error("the log has {new} leaves, fewer than the {old} it had before: leaves were removed")]
    Shrunk { old: u64, new: u64 },
    #[error("the proof has {given} hashes, which does not fit the size of the tree")]
    Length { given: usize },
    #[error("the proof leads to another root: the leaf or the tree is not the one it was made for")]
    Root,
    #[error("the older root is not part of this log: its history was changed")]
    OldRoot,
}

/// Checks that a leaf is in the tree of this size and root.
pub fn verify_inclusion(
    leaf: Hash,
    index: u64,
    size: u64,
    root: Hash,
    path: &[Hash],
) -> Result<(), ProofError> {
    if index >= size {
        return Err(ProofError::Outside { index, size });
    }
    let wrong_length = ProofError::Length { given: path.len() };
    let (mut node, mut last, mut hash) = (index, size - 1, leaf);
    for sibling in path {
        if last == 0 {
            return Err(wrong_length);
        }
        if node & 1 == 1 || node == last {
            hash = node_hash(*sibling, hash);
            while node & 1 == 0 && node != 0 {
                node >>= 1;
                last >>= 1;
            }
        } else {
            hash = node_hash(hash, *sibling);
        }
        node >>= 1;
        last >>= 1;
    }
    if last != 0 {
        return Err(wrong_length);
    }
    if hash == root {
        Ok(())
    } else {
        Err(ProofError::Root)
    }
}

/// Checks that a tree grew from an older one by adding leaves only.
pub fn verify_consistency(
    (old_size, old_root): (u64, Hash),
    (new_size, new_root): (u64, Hash),
    path: &[Hash],
) -> Result<(), ProofError> {
    let wrong_length = ProofError::Length { given: path.len() };
    if old_size > new_size {
        let (old, new) = (old_size, new_size);
        return Err(ProofError::Shrunk { old, new });
    }
    if old_size == new_size || old_size == 0 {
        let expected = if old_size == 0 {
            empty_root()
        } else {
            new_root
        };
        return match (path.is_empty(), old_root == expected) {
            (false, _) => Err(wrong_length),
            (true, false) => Err(ProofError::OldRoot),
            (true, true) => Ok(()),
        };
    }
    let (first, rest) = if old_size.is_power_of_two() {
        (old_root, path)
    } else {
        let (first, rest) = path.split_first().ok_or(wrong_length)?;
        (*first, rest)
    };
    let (mut node, mut last) = (old_size - 1, new_size - 1);
    let shift = node.trailing_ones();
    node >>= shift;
    last >>= shift;
    let (mut old_hash, mut new_hash) = (first, first);
    for sibling in rest {
        if last == 0 {
            return Err(wrong_length);
        }
        if node & 1 == 1 || node == last {
            old_hash = node_hash(*sibling, old_hash);
            new_hash = node_hash(*sibling, new_hash);
            while node & 1 == 0 && node != 0 {
                node >>= 1;
                last >>= 1;
            }
        } else {
            new_hash = node_hash(new_hash, *sibling);
        }
        node >>= 1;
        last >>= 1;
    }
    if last != 0 {
        return Err(wrong_length);
    }
    if old_hash != old_root {
        return Err(ProofError::OldRoot);
    }
    if new_hash != new_root {
        return Err(ProofError::Root);
    }
    Ok(())
}
