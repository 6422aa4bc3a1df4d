use super::*;

#[test]
fn an_address_is_not_printed() {
    let url = DatabaseUrl::new("postgresql://u:secret@localhost/db".into()).unwrap();
    assert_eq!(format!("{url:?}"), "DatabaseUrl(…)");
    for text in ["", "mysql://x", "postgresql://h:port/db"] {
        let url = DatabaseUrl::new(text.into());
        assert!(url.is_none() || text.is_empty(), "{text}");
    }
}
