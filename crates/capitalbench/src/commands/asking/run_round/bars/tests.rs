use super::*;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

#[test]
fn a_model_shows_where_it_stands() {
    let mut model = Model {
        slots: 1,
        ..Model::default()
    };
    assert_eq!(model.text(at(0)), "queued");
    model.under_way = 1;
    model.attempt = 2;
    model.since = Some(at(0));
    assert_eq!(model.text(at(7)), "attempt 2  7 s");
    model.under_way = 0;
    model.waiting = Some(("rate_limit", at(12)));
    assert_eq!(model.text(at(7)), "waits 5 s: rate_limit");
    model.done = 1;
    model.last = Some("valid  attempt 2  9.0 s".to_owned());
    model.tokens = (100, 20);
    model.totals.cost = Cost::from_usd(0.25).unwrap();
    let expected = "valid  attempt 2  9.0 s  100 + 20 tokens  0.2500 USD";
    assert_eq!(model.text(at(20)), expected);
}

#[test]
fn the_run_shows_counts_cost_and_deadline() {
    let model = Shared::default();
    locked(&model).totals = Totals {
        valid: 2,
        invalid: 1,
        ..Totals::default()
    };
    let left = Some(Duration::from_secs(3_725));
    let text = total_text(&[Arc::clone(&model), model], 8, left);
    let expected = "6/8  4 valid  2 invalid  0.0000 USD  deadline in 1:02:05";
    assert_eq!(text, expected);
}
