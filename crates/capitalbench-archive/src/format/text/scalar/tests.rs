use proptest::prelude::*;

use super::*;
use capitalbench_core::encoding::yaml::from_yaml;

#[derive(serde::Deserialize)]
struct One {
    value: String,
}

proptest! {
    #[test]
    fn every_text_reads_back(text in "[ -~é漢]{0,60}") {
        let one: One = from_yaml(&format!("value: {}\n", yaml_text(&text))).unwrap();
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        prop_assert_eq!(one.value, flat);
    }
}
