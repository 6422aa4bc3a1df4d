use super::*;

#[test]
fn keys_lead_to_units_and_nowhere_else() {
    for unit in [Unit::Round("CB-1".to_owned()), Unit::Log, Unit::Beside] {
        assert_eq!(Unit::of_key(&unit.key()), Some(unit));
    }
    for key in [
        "heads/rounds/",
        "heads/rounds/..",
        "heads/rounds/a/b",
        "heads/rounds/log",
        "x",
    ] {
        assert_eq!(Unit::of_key(key), None, "{key}");
    }
}

#[test]
fn a_path_of_an_index_cannot_leave_its_unit() {
    let rounds = Path::new("rounds");
    let round = Unit::Round("CB-1".to_owned());
    for path in [
        "../x",
        "/etc/passwd",
        "a/../../x",
        "",
        layout::INVENTED_MARKET,
    ] {
        assert_eq!(round.file(rounds, path), None, "{path}");
    }
    assert!(round.file(rounds, "prices/window.csv").is_some());
    assert!(Unit::Beside.file(rounds, layout::INVENTED_MARKET).is_some());
    assert!(Unit::Beside.file(rounds, "README.md").is_some());
    for path in [
        ".env",
        "log/checkpoint",
        ".capitalbench/keys/log.key",
        ".capitalbench/store/address",
        "../../escape",
    ] {
        assert_eq!(Unit::Beside.file(rounds, path), None, "{path}");
    }
    let lease = "automation/lease-official-1.json";
    assert_eq!(round.file(rounds, lease), None, "of another machine");
}
