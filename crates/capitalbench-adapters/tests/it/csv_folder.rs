//! Histories in a folder: what is read, and what each wrong file is told.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use capitalbench_adapters::price_source::{
    CsvFolder, DailyClose, PriceError, PriceFault, PriceSource as _,
};
use jiff::civil::date;
use tempfile::TempDir;

fn put(folder: &Path, name: &str, bytes: &[u8]) {
    let mut file = File::options()
        .create(true)
        .truncate(true)
        .write(true)
        .open(folder.join(name))
        .expect("a new file");
    file.write_all(bytes).expect("room on the disk");
}

async fn ask(folder: &Path, symbol: &str) -> Result<Vec<DailyClose>, PriceError> {
    let source = CsvFolder::new(folder);
    let answer = source.answer(symbol, date(2026, 1, 5), date(2026, 1, 7));
    Ok(answer.await?.rows)
}

/// The rows of a file.
async fn read(text: &str) -> Result<Vec<DailyClose>, PriceError> {
    let folder = TempDir::new().expect("a folder");
    put(folder.path(), "SPY.csv", text.as_bytes());
    ask(folder.path(), "SPY").await
}

/// What a wrong file is told, after its name.
async fn fault(text: &str) -> String {
    let text = read(text).await.expect_err("a fault").to_string();
    let (_, fault) = text.split_once("SPY.csv, ").expect("the file's name");
    fault.to_owned()
}

fn close(day: i8, close: f64, adjusted: f64) -> DailyClose {
    DailyClose {
        date: date(2026, 1, day),
        close: Some(close),
        adjusted: Some(adjusted),
        volume: None,
        dividend: None,
        split: None,
    }
}

#[tokio::test]
async fn a_history_is_read_in_the_order_of_its_days_and_cut_to_the_range() {
    let text = "date,close,adj_close\n2026-01-07,103,102.5\n2026-01-02,99,98\n\
                2026-01-05,101.25,100\n2026-01-08,104,104\n";
    let expected = vec![close(5, 101.25, 100.0), close(7, 103.0, 102.5)];
    assert_eq!(read(text).await, Ok(expected.clone()));
    assert_eq!(
        read(&text.replace('\n', "\r\n")).await,
        Ok(expected.clone())
    );
    assert_eq!(read(text.trim_end()).await, Ok(expected.clone()));
    assert_eq!(read(&format!("\u{feff}{text}\n")).await, Ok(expected));
    let source = CsvFolder::new("anywhere");
    assert_eq!((source.name(), source.stored_label()), ("csv", "csv"));
}

#[tokio::test]
async fn columns_may_stand_in_any_order_quoted_and_some_empty() {
    let text = "\"adjClose\",split,date,volume,\"close\",dividend\n\
                100,1,\"2026-01-05\",1e6,\"101.5\",0\n,,2026-01-06,,102,\n103,2.0,2026-01-07,,,0.25\n";
    let rows = read(text).await.expect("three rows");
    let first = DailyClose {
        volume: Some(1e6),
        dividend: Some(0.0),
        split: Some(1.0),
        ..close(5, 101.5, 100.0)
    };
    assert_eq!(rows[0], first);
    assert_eq!((rows[1].close, rows[1].adjusted), (Some(102.0), None));
    assert_eq!((rows[2].close, rows[2].adjusted), (None, Some(103.0)));
    assert_eq!((rows[2].dividend, rows[2].split), (Some(0.25), Some(2.0)));
}

#[tokio::test]
async fn a_wrong_header_is_explained() {
    let columns = "the columns are date, close, adj_close and, optionally, volume, dividend, split";
    for (header, expected) in [
        (
            "",
            format!("line 1: the column \"\" is not known; {columns}"),
        ),
        (
            "date,close,adjclose",
            format!(
                "line 1: the column \"adjclose\" is not known (did you mean adj_close?); {columns}"
            ),
        ),
        (
            "date,open,close,adj_close",
            format!("line 1: the column \"open\" is not known; {columns}"),
        ),
        (
            "date,close,adj_close,adjClose",
            "line 1: the column adjClose appears twice; keep one".to_owned(),
        ),
        (
            "date,close",
            "line 1: the column adj_close is missing; the header must be date,close,adj_close"
                .to_owned(),
        ),
    ] {
        assert_eq!(
            fault(&format!("{header}\n2026-01-05,1,1\n")).await,
            expected
        );
    }
}

#[tokio::test]
async fn a_wrong_line_is_named_with_its_column() {
    for (line, expected) in [
        (
            "2026-01-06,1",
            "line 3: the line has 2 cells where the header has 3",
        ),
        ("", "line 3: the line has 1 cells where the header has 3"),
        (
            "2026-01-06,1,1,",
            "line 3: the line has 4 cells where the header has 3",
        ),
        (
            "2026-1-6,1,1",
            "line 3, column date: \"2026-1-6\" is not a day written YYYY-MM-DD",
        ),
        (
            " 2026-01-06,1,1",
            "line 3, column date: \" 2026-01-06\" is not a day written YYYY-MM-DD",
        ),
        (
            "2026-01-06,\"1,5\",1",
            "line 3, column close: \"1,5\" is not a number; write it like 123.45, or leave it empty",
        ),
        (
            "2026-01-06,1,nan",
            "line 3, column adj_close: \"nan\" is not a number; write it like 123.45, or leave it \
             empty",
        ),
        (
            "2026-01-06,1,1e999",
            "line 3, column adj_close: the adjusted close of 2026-01-06 is inf, which is not above \
             zero; the row is wrong",
        ),
        (
            "2026-01-06,-1,1",
            "line 3, column close: the close of 2026-01-06 is -1, which is not above zero; the row \
             is wrong",
        ),
        (
            "2026-01-06,,",
            "line 3, column close: 2026-01-06 has no close; a session without a price must have no \
             row",
        ),
        (
            "2026-01-05,1,1",
            "line 3, column date: 2026-01-05 appears a second time; nobody can know which \
             row is right, so none is used",
        ),
    ] {
        let text = format!("date,close,adj_close\n2026-01-05,1,1\n{line}\n2026-01-07,1,1\n");
        assert_eq!(fault(&text).await, expected, "{line:?}");
    }
}

#[tokio::test]
async fn quotation_marks_come_in_pairs() {
    for line in [
        "2026-01-06,\"1,1",
        "2026-01-06,1\"0,1",
        "2026-01-06,\"1\"0,1",
    ] {
        assert_eq!(
            fault(&format!("date,close,adj_close\n{line}\n")).await,
            "line 2: a quotation mark stands inside a cell or is not closed on its line"
        );
    }
    let text = fault("date,close,adj_close\n\"a \"\"day\"\"\",1,1\n").await;
    assert_eq!(
        text,
        r#"line 2, column date: "a \"day\"" is not a day written YYYY-MM-DD"#
    );
}

#[tokio::test]
async fn an_empty_range_says_what_there_is() {
    let error = read("date,close,adj_close\n2026-01-02,1,1\n2026-01-09,1,1\n").await;
    assert_eq!(
        error.expect_err("a fault").to_string(),
        "csv has no rows for SPY from 2026-01-05 to 2026-01-07 (its rows go from 2026-01-02 to \
         2026-01-09); check that the market was open and the symbol listed on these days"
    );
    let error = read("date,close,adj_close\n").await.expect_err("a fault");
    assert!(matches!(error.fault, PriceFault::NoRows { have: None, .. }));
}

#[tokio::test]
async fn a_missing_file_suggests_the_nearest_and_a_missing_folder_is_named() {
    let folder = TempDir::new().expect("a folder");
    put(folder.path(), "BRK-B.csv", b"");
    put(folder.path(), "QQQ.csv", b"");
    let text = |error: Result<_, PriceError>| error.expect_err("a fault").to_string();
    let near = text(ask(folder.path(), "BRK.B").await);
    assert!(
        near.ends_with("BRK.B.csv does not exist; did you mean BRK-B.csv?"),
        "{near}"
    );
    let near = text(ask(folder.path(), "qqq").await);
    assert!(
        near.ends_with("qqq.csv does not exist; did you mean QQQ.csv?"),
        "{near}"
    );
    let far = text(ask(folder.path(), "EURUSD").await);
    let hint = "EURUSD.csv does not exist; add it, with the header date,close,adj_close";
    assert!(far.ends_with(hint), "{far}");
    let none = text(ask(&folder.path().join("none"), "QQQ").await);
    let hint = "none is not a folder; name the folder that holds one SYMBOL.csv per symbol";
    assert!(none.ends_with(hint), "{none}");
}

#[tokio::test]
async fn nothing_outside_the_folder_is_read() {
    let outer = TempDir::new().expect("a folder");
    let inner = TempDir::new_in(outer.path()).expect("a folder");
    let good = b"date,close,adj_close\n2026-01-05,1,1\n";
    put(outer.path(), "SPY.csv", good);
    for symbol in ["../SPY", "..", "/etc/hosts", "a/../../SPY", "SPY\0"] {
        let error = ask(inner.path(), symbol).await.expect_err("a fault");
        assert!(
            matches!(error.fault, PriceFault::InvalidSymbol),
            "{error:?}"
        );
    }
    let link = inner.path().join("SPY.csv");
    std::os::unix::fs::symlink(outer.path().join("SPY.csv"), &link).expect("a link");
    let error = ask(inner.path(), "SPY")
        .await
        .expect_err("a fault")
        .to_string();
    assert!(error.contains("it is a symbolic link"), "{error}");
}

#[tokio::test]
async fn a_file_that_is_not_text_is_refused() {
    let folder = TempDir::new().expect("a folder");
    put(
        folder.path(),
        "SPY.csv",
        b"date,close,adj_close\n2026-01-05,1,1\xff\n",
    );
    let error = ask(folder.path(), "SPY")
        .await
        .expect_err("a fault")
        .to_string();
    assert!(
        error.ends_with("it is not UTF-8; save it as UTF-8"),
        "{error}"
    );
    let named = tempfile::Builder::new()
        .prefix("DIR")
        .rand_bytes(0)
        .suffix(".csv")
        .tempdir_in(folder.path())
        .expect("a folder");
    let error = ask(folder.path(), "DIR")
        .await
        .expect_err("a fault")
        .to_string();
    assert!(error.ends_with("it is not a regular file"), "{error}");
    drop(named);
    let large = File::create_new(folder.path().join("BIG.csv")).expect("a new file");
    large.set_len((32 << 20) + 1).expect("a sparse file");
    let error = ask(folder.path(), "BIG")
        .await
        .expect_err("a fault")
        .to_string();
    assert!(
        error.ends_with("it is larger than 33554432 bytes"),
        "{error}"
    );
}
