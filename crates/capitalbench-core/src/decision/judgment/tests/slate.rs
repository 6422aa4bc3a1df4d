use super::*;
use crate::round::manifest::Track;
use std::collections::BTreeMap;

/// `id=lane+lane` for every candidate, lanes by their first letters.
fn shown(slate: &Slate) -> Vec<String> {
    let short = |lane: &Lane| match lane {
        Lane::ShockReversal => "shock",
        Lane::MediumStrength => "medium",
        Lane::ShortContinuation => "short",
        Lane::QualityPullback => "quality",
        Lane::VolumeDislocation => "volume",
        Lane::Benchmark => "benchmark",
    };
    slate
        .candidates()
        .iter()
        .map(|c| {
            let lanes: Vec<&str> = c.lanes.iter().map(short).collect();
            format!("{}={}", c.option_id, lanes.join("+"))
        })
        .collect()
}

fn row(number: usize, active: Option<f64>, prior: Option<f64>, volume: Option<f64>) -> ContextRow {
    ContextRow {
        option_id: format!("A{number:02}"),
        active,
        prior,
        volume,
    }
}

fn no_quality() -> BTreeMap<String, f64> {
    BTreeMap::new()
}

#[test]
fn lanes_take_their_best_and_candidates_keep_first_appearance() {
    let expected = [
        "A01=shock+quality",
        "A02=shock+volume",
        "A03=shock",
        "A04=shock",
        "A05=shock",
        "A06=medium",
        "A07=medium",
        "A08=medium",
        "A09=short",
        "A10=short",
        "A11=quality",
        "A12=quality",
        "A13=volume",
        "SP500=benchmark",
    ];
    assert_eq!(shown(&slate()), expected);
}

#[test]
fn equal_metrics_are_ordered_by_id_as_each_lane_says() {
    // Ten options fell alike and ten rose alike; all were equally strong before.
    let rows: Vec<ContextRow> = (1..=20)
        .map(|n| {
            let volume = match n {
                11 => Some(-3.0),
                12 | 13 => Some(3.0),
                _ => None,
            };
            row(n, Some(if n <= 10 { -1.0 } else { 1.0 }), Some(0.5), volume)
        })
        .collect();
    let quality = (6..=10).map(|n| (format!("A{n:02}"), 0.7)).collect();
    let slate = Slate::new(&rows, &quality, 1.0).unwrap();
    let expected = [
        "A01=shock",
        "A02=shock",
        "A03=shock",
        "A04=shock",
        "A05=shock",
        "A20=medium+short",
        "A19=medium+short",
        "A18=medium",
        "A06=quality",
        "A07=quality",
        "A08=quality",
        "A13=volume",
        "A12=volume",
        "SP500=benchmark",
    ];
    assert_eq!(shown(&slate), expected);
}

#[test]
fn cash_the_reference_and_blank_metrics_take_no_lane() {
    let extreme = |id: &str| ContextRow {
        option_id: id.to_owned(),
        ..row(0, Some(-9.0), Some(9.0), Some(99.0))
    };
    let mut rows: Vec<ContextRow> = (1..=12)
        .map(|n| {
            let value = f64::from(u8::try_from(n).unwrap());
            row(n, Some(value), Some(-value), Some(value))
        })
        .collect();
    rows.push(row(13, None, None, None));
    rows.extend([extreme("CASH"), extreme("SP500")]);
    let quality = [
        ("A06", 1.0),
        ("CASH", 9.0),
        ("SP500", 9.0),
        ("UNKNOWN", 9.0),
    ];
    let quality = quality.map(|(id, score)| (id.to_owned(), score)).into();
    let slate = Slate::new(&rows, &quality, 1.0);
    // Shock A01 to A05, medium A01 to A03, short A12 and A11, quality A06, volume A12 and A11.
    assert_eq!(slate, Err(SlateError::Size(9)));
    rows[6].volume = Some(-50.0);
    let slate = Slate::new(&rows, &quality, 1.0).unwrap();
    let ids = [
        "A01", "A02", "A03", "A04", "A05", "A12", "A11", "A06", "A07", "SP500",
    ];
    assert_eq!(slate.option_ids(), ids);
    assert_eq!(slate.get("SP500").unwrap().lanes, [Lane::Benchmark]);
    assert_eq!(slate.get("A08"), None);
}

#[test]
fn a_slate_has_ten_to_sixteen_candidates() {
    let check = |rows: &[ContextRow], quality: &BTreeMap<String, f64>, expected: usize| {
        let found = match Slate::new(rows, quality, 1.0) {
            Ok(slate) => slate.candidates().len(),
            Err(SlateError::Size(size)) => {
                assert!(!(10..=16).contains(&size), "{size} is fine");
                size
            }
            Err(error) => panic!("{error}"),
        };
        assert_eq!(found, expected);
    };
    check(&[], &no_quality(), 1);
    // Without overlap every lane is full: 5 + 3 + 2 + 3 + 2 and the reference.
    let rows: Vec<ContextRow> = (1..=15)
        .map(|n| {
            let some =
                |range: std::ops::RangeInclusive<usize>, value| range.contains(&n).then_some(value);
            let active = some(1..=5, -1.0).or(some(9..=10, 1.0));
            row(n, active, some(6..=8, 1.0), some(14..=15, 1.0))
        })
        .collect();
    let quality: BTreeMap<String, f64> = (11..=13).map(|n| (format!("A{n}"), 1.0)).collect();
    check(&rows, &quality, 16);
    check(&rows, &no_quality(), 13);
    check(&rows[..10], &no_quality(), 11);
    check(&rows[..9], &no_quality(), 10);
    check(&rows[..8], &no_quality(), 9);
}

#[test]
fn quality_evidence_covers_nine_tenths() {
    let check = |coverage: f64, expected: SlateError| {
        let found = Slate::new(&[], &no_quality(), coverage);
        assert_eq!(found, Err(expected));
    };
    check(0.899, SlateError::Coverage(0.899));
    check(0.90, SlateError::Size(1));
    check(1.0, SlateError::Size(1));
}

#[test]
fn a_profile_names_its_columns() {
    let columns = Track::judgment_columns;
    let weekly = [
        "active_return_5s",
        "prior_16s_active_return",
        "volume_zscore_5v60",
    ];
    assert_eq!(columns(Track::Weekly), weekly);
    let monthly = [
        "active_return_21s",
        "prior_105s_active_return",
        "volume_zscore_20v120",
    ];
    assert_eq!(columns(Track::Monthly), monthly);
}
