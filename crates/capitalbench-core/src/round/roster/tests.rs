use super::*;

#[test]
fn a_frozen_roster_decides_alone() {
    let round = RoundId::parse("CB-2026-06-01-1W").unwrap();
    let deadline = "2026-06-01T12:00:00Z".parse().unwrap();
    let at = WrittenInstant::parse("2026-06-01T11:00:00Z").unwrap();
    let ours = Methodology::from_label(Some("portfolio-v1.1"));
    let with = Roster::new(vec![contestant().model_id], at.clone(), &ours);
    let without = Roster::new(vec![ModelId::parse("other").unwrap()], at.clone(), &ours);
    let retired = Contestant {
        retired_at: Some(at),
        ..contestant()
    };
    let check = |model: &Contestant, roster: Option<&Roster>, kind, expected| {
        assert_eq!(model.takes_part(&round, deadline, roster, kind), expected);
    };
    let (official, later) = (RunKind::Official, RunKind::Retrospective);
    check(&retired, Some(&with), official, Ok(()));
    check(&retired, None, official, Err(Skipped::Retired));
    check(&retired, None, later, Ok(()));
    let (model, missing) = (contestant(), Err(Skipped::NotExpected));
    check(&model, Some(&without), official, missing);
    check(&model, Some(&without), later, Ok(()));
    let future = Contestant {
        first_eligible_round: Some("CB-2026-07".into()),
        ..contestant()
    };
    check(&future, None, later, Err(Skipped::TooEarly));
}

fn contestant() -> Contestant {
    Contestant {
        model_id: ModelId::parse("m").unwrap(),
        provider: "p".into(),
        api_model_name: "m-1".into(),
        enabled: true,
        first_eligible_round: None,
        first_eligible_at: None,
        retired_at: None,
    }
}

#[test]
fn models_join_and_retire() {
    let check = |change: fn(&mut Contestant), active: bool| {
        let mut model = contestant();
        change(&mut model);
        let round = RoundId::parse("CB-2026-06-01-1W").unwrap();
        let deadline = "2026-06-01T12:00:00Z".parse().unwrap();
        assert_eq!(model.is_active(&round, deadline), active);
    };
    check(|_| (), true);
    check(|m| m.enabled = false, false);
    check(
        |m| m.first_eligible_round = Some("CB-2026-06-01-1W".into()),
        true,
    );
    check(
        |m| m.first_eligible_round = Some("CB-2026-06-02-1W".into()),
        false,
    );
    check(
        |m| m.first_eligible_at = WrittenInstant::parse("2026-06-01T12:00:00Z"),
        true,
    );
    check(
        |m| m.first_eligible_at = WrittenInstant::parse("2026-06-01T12:00:01Z"),
        false,
    );
    check(
        |m| m.retired_at = WrittenInstant::parse("2026-06-01T12:00:00Z"),
        false,
    );
    check(
        |m| m.retired_at = WrittenInstant::parse("2026-06-01T12:00:01Z"),
        true,
    );
}

#[test]
fn the_version_does_not_depend_on_order() {
    let id = |text| ModelId::parse(text).unwrap();
    let at = WrittenInstant::parse("2026-06-01T12:00:00Z").unwrap();
    let ours = Methodology::from_label(Some("portfolio-v1.1"));
    let one = Roster::new(vec![id("a"), id("b")], at.clone(), &ours);
    let two = Roster::new(vec![id("b"), id("a")], at, &ours);
    assert_eq!(one.version, two.version);
    assert!(one.version.starts_with("roster-"));
    assert_eq!(one.version.len(), "roster-".len() + 12);
}
