
use super::*;

#[test]
fn only_files_of_the_log_at_its_size_are_public() {
    for path in [
        "vkey",
        "checkpoint",
        "checkpoints/300",
        "anchors/300/clock.tsr",
        "roots/clock.pem",
        "tile/entries/000",
        "tile/entries/001.p/44",
        "tile/entries/001.p/7",
        "tile/1/000.p/1",
    ] {
        assert!(is_public(path, 300), "{path}");
    }
    for path in [
        "log.key",
        "vkey.old",
        "salts/WEEK-1.json",
        "checkpoints/301",
        "checkpoints/.capitalbench-abc.tmp",
        "anchors/301/clock.tsr",
        "tile/entries/001.p/45",
        "tile/entries/001",
        "tile/entries/002.p/1",
        "tile/2/000.p/1",
    ] {
        assert!(!is_public(path, 300), "{path}");
    }
}
