use super::*;

#[test]
fn labels_select_their_family() {
    let check = |label, family| {
        assert_eq!(Methodology::from_label(label).family(), family, "{label:?}");
    };
    check(None, Family::Plain);
    check(Some("single_pick-v1.0"), Family::Plain);
    check(Some("portfolio-v1.0"), Family::Plain);
    check(Some("portfolio-v2.0-pilot"), Family::ForecastPilot);
    check(Some("portfolio-v2.0"), Family::Forecast);
    check(Some("portfolio-v2.2"), Family::ForecastWithQuality);
    check(Some("portfolio-v3.0"), Family::Judgment);
    check(Some("portfolio-v3.1"), Family::Plain);
    check(Some("portfolio-v1.1"), Family::Plain);
}

#[test]
fn only_own_methodologies_refuse_doubtful_input() {
    for label in OUR_LABELS {
        let ours = Methodology::from_label(Some(label));
        assert_eq!(ours.enforcement(), Enforcement::Refuse);
        assert_eq!(ours.tie_rule(), TieRule::TwelveDecimals);
        assert_eq!(ours.roster_prefix(), "roster-");
    }
    let old = Methodology::from_label(Some("portfolio-v1.0"));
    assert_eq!(old.enforcement(), Enforcement::Reproduce);
}
