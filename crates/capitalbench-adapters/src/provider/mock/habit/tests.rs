use capitalbench_core::decision::portfolio::Constraints;
use capitalbench_core::round::manifest::SubmissionFormat;
use capitalbench_core::values::ids::{ModelId, OptionId, RoundId};

use super::*;

const IDS: [&str; 4] = ["AAA", "BBB", "CCC", "DDD"];

fn model() -> MockModel {
    MockModel {
        model_id: ModelId::parse("mock-a").unwrap(),
        provider: "mock".to_owned(),
        round_id: RoundId::parse("R-1W").unwrap(),
        options: IDS.map(|id| OptionId::parse(id).unwrap()).to_vec(),
        format: SubmissionFormat::Portfolio,
        constraints: Constraints::default(),
        seed: 1,
    }
}

fn input(order: &[&str], returns: &[f64]) -> String {
    let rows = IDS.iter().zip(returns);
    let rows =
        rows.map(|(id, value)| format!("| {id} | S | group | day | 0.00% | {value:.2}% | x |\n"));
    let list = order.iter().map(|id| format!("ID: {id}\n"));
    format!(
        "{}\n## Options\n{}",
        rows.collect::<String>(),
        list.collect::<String>()
    )
}

fn chosen(goes_by: GoesBy, mood_pct: u64, (input, call): (&str, usize)) -> Vec<String> {
    let (model, habit) = (model(), Habit { goes_by, mood_pct });
    let chooser = Chooser {
        model: &model,
        habit,
        input,
        call,
    };
    chooser.choose(3)
}

#[test]
fn a_habit_decides_by_what_the_question_shows() {
    let order = ["CCC", "AAA", "DDD", "BBB"];
    let text = input(&order, &[1.0, 4.0, 2.0, 3.0]);
    assert_eq!(chosen(GoesBy::Place, 0, (&text, 0)), ["CCC", "AAA", "DDD"]);
    assert_eq!(chosen(GoesBy::Table, 0, (&text, 0)), ["BBB", "DDD", "CCC"]);
    let turned = input(&["BBB", "DDD", "AAA", "CCC"], &[]);
    for steady in [GoesBy::Name, GoesBy::Itself] {
        let first = chosen(steady, 0, (&text, 0));
        assert_eq!(first, chosen(steady, 0, (&turned, 5)), "{steady:?}");
    }
    assert_eq!(
        chosen(GoesBy::Table, 0, (&turned, 0)),
        chosen(GoesBy::Name, 0, (&turned, 0))
    );
}

#[test]
fn moods_change_from_call_to_call_and_repeat_with_the_same_call() {
    let text = input(&IDS, &[]);
    let calls = (0..20).map(|call| chosen(GoesBy::Itself, 40, (&text, call)));
    let mut answers: Vec<Vec<String>> = calls.collect();
    assert_eq!(answers[3], chosen(GoesBy::Itself, 40, (&text, 3)));
    answers.sort();
    answers.dedup();
    assert!(answers.len() > 3, "{answers:?}");
}
