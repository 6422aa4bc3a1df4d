use super::*;
use crate::row_digest::row_digest;

fn published(size: u64) -> Files {
    let leaf = |index: u64| format!("leaf {index};").into_bytes();
    let leaves = |range: std::ops::Range<u64>| range.flat_map(leaf).collect::<Vec<u8>>();
    let mut files: Files = [
        ("log/vkey", "key".to_owned()),
        ("log/checkpoint", format!("size {size}")),
        ("log/roots/a.pem", "root".to_owned()),
        ("log/anchors/3/a.tsr", "stamp".to_owned()),
        ("log/salts/R-1.json", "{}".to_owned()),
        ("rounds/R-1/log.json", format!("{{\"leaves\":[{size}]}}")),
        ("verify/signed.json", "[\"R-1\"]".to_owned()),
    ]
    .map(|(path, text)| (path.to_owned(), text.into_bytes()))
    .into();
    for full in 0..size / BLOCK {
        let path = format!("log/tile/entries/{full:03}");
        files.insert(path, leaves(full * BLOCK..(full + 1) * BLOCK));
    }
    let full = size / BLOCK;
    for width in 1..=size % BLOCK {
        let path = format!("log/tile/entries/{full:03}.p/{width}");
        files.insert(path, leaves(full * BLOCK..full * BLOCK + width));
    }
    for kept in 1..=size {
        let path = format!("log/checkpoints/{kept}");
        files.insert(path, format!("size {kept}").into_bytes());
    }
    files
}

fn packed(size: u64) -> BTreeMap<String, LogFiles> {
    let made = bundles(published(size), |_| true).unwrap().into_iter();
    made.map(|files| (files.part.clone(), files)).collect()
}

#[test]
fn unpacked_bundles_give_back_the_log() {
    for size in [1, 2, 255, 256, 257, 700] {
        let mut found = Files::new();
        for files in packed(size).values() {
            let content = LogContent {
                part: files.part.clone(),
                content: files.content(),
            };
            let mut row = files.row(&content.content);
            let digest = row_digest(&row).to_hex();
            row.insert("part".into(), files.part.as_str().into());
            row.insert("content_sha256".into(), digest.into());
            let row: LogRow = serde_json::from_value(row.into()).unwrap();
            row.check().unwrap();
            found.extend(row.unpack(&content).unwrap());
        }
        let mut expected = published(size);
        expected.remove("verify/signed.json");
        assert_eq!(found, expected, "{size}");
    }
}

#[test]
fn one_more_leaf_changes_few_bundles() {
    for size in [2, 300, 511, 512, 4000] {
        let (before, after) = (packed(size), packed(size + 1));
        let changed: Vec<&str> = after
            .iter()
            .filter(|(part, files)| before.get(*part) != Some(*files))
            .map(|(part, _)| part.as_str())
            .collect();
        let block = (size + 1) / BLOCK;
        let mut expected = vec![
            format!("log/checkpoints/{block}"),
            "log/edge".to_owned(),
            "round/R-1".to_owned(),
        ];
        if (size + 1) % BLOCK == 0 {
            expected.push(format!("log/tile/entries/{:03}", block - 1));
        }
        expected.sort();
        assert_eq!(changed, expected, "{size}");
        // Partial tiles of every width weigh no more than the widest.
        assert!(after[EDGE].packed.byte_count < 30_000);
    }
}
