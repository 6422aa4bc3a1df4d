use jiff::civil::date;

use super::*;

fn table() -> DailyReturns {
    let id = |text: &str| OptionId::parse(text).unwrap();
    let days = vec![date(2026, 9, 10), date(2026, 9, 11)];
    let options = vec![
        (id("SP500"), vec![0.0123, -1.0 / 3.0]),
        (id("CASH"), vec![0.0, 0.0]),
    ];
    DailyReturns::new(days, options).unwrap()
}

#[test]
fn a_table_reads_back_as_it_was_written() {
    let text = render(&table());
    assert_eq!(
        text,
        "day,option_id,return\n2026-09-10,SP500,0.0123\n2026-09-10,CASH,0.0\n\
         2026-09-11,SP500,-0.3333333333333333\n2026-09-11,CASH,0.0\n"
    );
    assert_eq!(parse(text.as_bytes()).unwrap(), table());
}

#[test]
fn a_table_that_is_not_whole_is_refused_with_its_line() {
    let text = render(&table());
    let check = |from: &str, to: &str, expected: &str| {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text);
        let said = parse(changed.as_bytes()).unwrap_err().to_string();
        assert!(said.contains(expected), "{said}");
    };
    check("day,", "date,", "line 1: its columns must be");
    check("0.0123", "NaN", "line 2: return: \"NaN\" is not a return");
    check("0.0123", "-1.5", "is not a return above -1");
    check("2026-09-10,CASH", "2026-9-10,CASH", "is not a day");
    check("2026-09-11,CASH", "2026-09-09,CASH", "does not come after");
    check("2026-09-11,SP500", "2026-09-11,OTHER", "line 4: option_id");
    check("2026-09-11,CASH,0.0\n", "", "a day lacks an option");
    check("2026-09-10,CASH", "2026-09-10,SP500", "line 5: option_id");
}
