use super::*;

fn allows(reach: Reach, address: &str) -> bool {
    reach.allows(address.parse().expect("an address"))
}

#[test]
fn addresses_are_public_private_or_always_refused() {
    for address in [
        "1.1.1.1",
        "93.184.216.34",
        "2606:4700::1111",
        "::ffff:8.8.8.8",
        "64:ff9b::808:808",
    ] {
        assert!(allows(Reach::Public, address), "{address}");
        assert!(allows(Reach::Local, address), "{address}");
    }
    for address in [
        "127.0.0.1",
        "127.8.8.8",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "100.64.0.1",
        "198.18.0.1",
        "192.0.2.1",
        "::1",
        "fd00::1",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
    ] {
        assert!(!allows(Reach::Public, address), "{address}");
        assert!(allows(Reach::Local, address), "{address}");
    }
    for address in [
        "169.254.169.254",
        "0.0.0.0",
        "255.255.255.255",
        "224.0.0.1",
        "240.0.0.1",
        "::",
        "fe80::1",
        "ff02::1",
        "::ffff:169.254.169.254",
        "64:ff9b::a9fe:a9fe",
        "100::1",
    ] {
        assert!(!allows(Reach::Local, address), "{address}");
    }
}

#[test]
fn a_private_host_is_refused_in_every_spelling() {
    for text in [
        "http://127.0.0.1:8000",
        "http://2130706433",
        "http://0x7f.1",
        "http://0177.0.0.1",
        "http://[::1]:1",
        "http://[::ffff:10.0.0.1]",
        "http://localhost",
        "http://LOCALHOST.:1",
        "http://a.localhost",
        "http://169.254.169.254/latest",
    ] {
        let url = Url::parse(text).expect("an address");
        assert!(!Reach::Public.allows_host(&url), "{text}");
    }
    let metadata = Url::parse("http://169.254.169.254").unwrap();
    assert!(!Reach::Local.allows_host(&metadata));
    let own = Url::parse("http://localhost:11434").unwrap();
    assert!(Reach::Local.allows_host(&own));
    let public = Url::parse("https://api.example").unwrap();
    assert!(Reach::Public.allows_host(&public));
}

#[test]
fn only_the_way_to_a_private_host_is_trusted() {
    let trusts =
        |reach: Reach, text: &str| reach.trusts_the_way_to(&Url::parse(text).expect("an address"));
    for text in [
        "http://127.0.0.1:1",
        "http://[::1]",
        "http://localhost",
        "http://vllm:8000",
        "http://Gpu.Lan.",
    ] {
        assert!(trusts(Reach::Local, text), "{text}");
        assert!(!trusts(Reach::Public, text), "{text}");
    }
    for text in [
        "http://api.openai.com",
        "http://1.1.1.1",
        "http://lan.example",
    ] {
        assert!(!trusts(Reach::Local, text), "{text}");
    }
}

#[test]
fn a_name_keeps_only_its_allowed_addresses() {
    let both = ["10.0.0.1:0", "1.1.1.1:0"].map(|text| text.parse().unwrap());
    let kept = allowed(Reach::Public, "x.example", both.to_vec()).unwrap();
    assert_eq!(kept, [both[1]]);
    let error = allowed(Reach::Public, "x.example", vec![both[0]]).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("x.example leads only to private addresses; ")
    );
}
