//! Every YAML file of the archive passes the strict reader.

use std::fs;

use capitalbench_core::encoding::yaml::from_yaml;
use serde_json::Value;

use crate::archive::{archive_root, files_with_extension, relative};

#[test]
fn yaml_files_are_mappings() {
    let Some(root) = archive_root() else { return };
    let files = files_with_extension(&root, "yaml");
    assert!(!files.is_empty(), "the archive has YAML files");
    for path in files {
        let name = relative(&root, &path);
        let text = fs::read_to_string(&path).unwrap();
        let value: Value = from_yaml(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(value.is_object(), "{name}");
    }
}
