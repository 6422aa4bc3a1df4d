use super::Webhook;

#[test]
fn only_the_address_of_a_web_server_is_a_webhook_and_nothing_prints_it() {
    let hook = Webhook::new("https://hooks.example/services/T0/B0/secret?x=1").expect("an address");
    assert_eq!(format!("{hook:?}"), "Webhook(…)");
    for wrong in [
        "",
        "hooks.example",
        "ftp://hooks.example/x",
        "mailto:me@example.org",
    ] {
        assert!(Webhook::new(wrong).is_none(), "{wrong}");
    }
}
