use serde_json::{Value, json};

use super::*;

#[test]
fn a_bundle_may_fill_the_limit_and_not_a_byte_more() {
    let files = [("a".to_owned(), vec![b'x'; 5000])].into();
    let archive = tar::write(&files).unwrap().len() as u64;
    let packed = write_files(&files).unwrap();
    assert!((packed.len() as u64) < archive);
    assert_eq!(read_at_most(&packed, archive), Ok(files));
    let told = format!("unpacks to more than {} bytes", archive - 1);
    assert_eq!(read_at_most(&packed, archive - 1), Err(told));
}

/// A zstd frame without content size: each piece is a block, raw or one byte repeated.
fn frame(window: u8, blocks: &[(Option<u8>, Vec<u8>, u32)]) -> Vec<u8> {
    let mut bytes = vec![0x28, 0xb5, 0x2f, 0xfd, 0, window];
    for (index, (repeated, raw, size)) in blocks.iter().enumerate() {
        let last = u32::from(index + 1 == blocks.len());
        let kind = u32::from(repeated.is_some()) << 1;
        bytes.extend_from_slice(&(last | kind | size << 3).to_le_bytes()[..3]);
        match repeated {
            Some(byte) => bytes.push(*byte),
            None => bytes.extend_from_slice(raw),
        }
    }
    bytes
}

const BLOCK: u32 = 128 << 10;

#[test]
fn a_small_bundle_cannot_claim_to_be_a_gigabyte() {
    let head = tar::header("log/a", 32 << 20).unwrap().to_vec();
    let mut blocks = vec![(None, head, 512)];
    blocks.extend((0..256).map(|_| (Some(b'x'), Vec::new(), BLOCK)));
    let bomb = frame(0x38, &blocks);
    assert!(bomb.len() < 2_000);
    let told = format!("unpacks to more than {ALWAYS_ALLOWED} bytes");
    assert_eq!(read_files(&bomb), Err(told));
    let head = tar::header("log/a", 65 << 20).unwrap().to_vec();
    let told = "holds log/a, which is larger than 67108864 bytes".to_owned();
    let bomb = frame(0x38, &[(None, head, 512)]);
    assert_eq!(read_at_most(&bomb, LARGEST), Err(told));
}

#[test]
fn a_frame_may_look_back_eight_megabytes_and_no_further() {
    let archive = tar::write(&BTreeMap::new()).unwrap();
    let whole = |window: u8| frame(window, &[(None, archive.clone(), 1024)]);
    // Exponent 13 is eight megabytes; the next mantissa is one.
    assert_eq!(read_files(&whole(13 << 3)), Ok(BTreeMap::new()));
    let refused = read_files(&whole(13 << 3 | 1)).unwrap_err();
    assert!(refused.starts_with("is not zstd: "), "{refused}");
}

#[test]
fn trailing_or_missing_bytes_are_damage() {
    let end = vec![0; 1024];
    let more = frame(
        0x38,
        &[(None, end.clone(), 1024), (Some(0), Vec::new(), 512)],
    );
    assert!(
        read_files(&more)
            .unwrap_err()
            .contains("is damaged at byte 0")
    );
    let half = frame(0x38, &[(None, end[..512].to_vec(), 512)]);
    assert!(
        read_files(&half)
            .unwrap_err()
            .contains("is damaged at byte 0")
    );
    let head = tar::header("log/a", 9).unwrap().to_vec();
    let cut = frame(0x38, &[(None, head, 512), (Some(0), Vec::new(), 4)]);
    assert!(
        read_files(&cut)
            .unwrap_err()
            .contains("is damaged at byte 0")
    );
    let whole = frame(0x38, &[(None, end, 1024)]);
    let behind = [whole.as_slice(), b"x"].concat();
    assert_eq!(
        read_files(&behind),
        Err("has bytes after its end".to_owned())
    );
}

#[test]
fn a_bundle_names_one_round_in_its_own_folder() {
    let opened = |told: Value| {
        let file = (MANIFEST.to_owned(), told.to_string().into_bytes());
        open_files(BTreeMap::from([file]), Path::new("b.tar.zst"))
    };
    let told = |round: &str| opened(json!({"bundle": 1, "round": round, "withheld": []}));
    for (told, text) in [
        (
            json!({"bundle": 1, "round": "R", "withheld": [], "x": 1}),
            "unknown field `x`",
        ),
        (
            json!({"bundle": 1, "round": "R", "withheld": [1]}),
            "invalid type: integer `1`",
        ),
    ] {
        let refused = opened(told).unwrap_err().to_string();
        assert!(refused.contains(text), "{refused}");
    }
    assert!(told("WEEK-1").is_ok());
    for name in [
        "",
        "a\0",
        ".",
        "..",
        ".capitalbench",
        "log",
        "a/b",
        "a\\b",
        "/tmp",
    ] {
        let refused = told(name).unwrap_err().to_string();
        assert!(refused.contains("must name one round"), "{name}: {refused}");
    }
}
