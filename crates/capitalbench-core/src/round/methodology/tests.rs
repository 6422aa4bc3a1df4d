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
    for label in OUR_LABELS {
        check(Some(label), Family::Plain);
    }
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

#[test]
fn a_label_keeps_the_order_of_its_replies() {
    for label in OUR_LABELS {
        let ours = Methodology::from_label(Some(label));
        let expected = if label.ends_with("-v1.2") {
            ReplyOrder::DecisionFirst
        } else {
            ReplyOrder::ConfidenceBeforeReasons
        };
        assert_eq!(ours.reply_order(), expected, "{label}");
    }
    for label in [None, Some("portfolio-v1.0"), Some("portfolio-v1.20")] {
        let other = Methodology::from_label(label);
        assert_eq!(other.reply_order(), ReplyOrder::ConfidenceBeforeReasons);
    }
}

#[test]
fn a_new_round_has_the_usual_label_of_its_format_unless_another_is_chosen() {
    for format in [SubmissionFormat::SinglePick, SubmissionFormat::Portfolio] {
        let usual = Methodology::of_new_round(format);
        for label in Methodology::labels_of_new_rounds(format) {
            assert!(OUR_LABELS.contains(&label), "{label}");
            assert!(label.starts_with(format.as_str()), "{label}");
        }
        let labels = Methodology::labels_of_new_rounds(format);
        assert_eq!(usual.label(), Some(labels[0]));
    }
}
