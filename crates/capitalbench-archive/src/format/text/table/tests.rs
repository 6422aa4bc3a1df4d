use proptest::prelude::*;

use super::*;

fn written(fields: &[&str]) -> String {
    let mut text = CsvText::new();
    text.row(fields);
    text.into_string()
}

fn row(line: u64, cells: &[&str]) -> Row<'static> {
    let cells = cells.iter().map(|cell| cell.to_string().into()).collect();
    Row { line, cells }
}

#[test]
fn quotes_only_where_needed() {
    for (fields, text) in [
        (&["a", "b"][..], "a,b\n"),
        (&["a,b", "c"], "\"a,b\",c\n"),
        (&["say \"hi\"", ""], "\"say \"\"hi\"\"\",\n"),
        (&["\""], "\"\"\"\"\n"),
        (&["two\nlines", "cr\rhere"], "\"two\nlines\",\"cr\rhere\"\n"),
        (&[" space ", "'", "#", "tab\t"], " space ,',#,tab\t\n"),
        (&["\u{e9}\u{2014}"], "\u{e9}\u{2014}\n"),
        (&[""], "\"\"\n"),
        (&["", ""], ",\n"),
        (&[], "\n"),
    ] {
        assert_eq!(written(fields), text);
    }
}

#[test]
fn rows_follow_each_other() {
    let mut text = CsvText::new();
    text.row(["id", "price"]);
    text.row(vec!["SPY".to_owned(), "1.0".to_owned()]);
    assert_eq!(text.into_string(), "id,price\nSPY,1.0\n");
}

#[test]
fn reads_quotes_newlines_and_text_beyond_ascii() {
    let table = read_table("id,note\n1,\"a \"\"b\"\",\nc\"\n2,\u{e9}\n".as_bytes()).unwrap();
    assert_eq!(table.header, ["id", "note"]);
    assert_eq!(
        table.rows,
        [row(2, &["1", "a \"b\",\nc"]), row(4, &["2", "\u{e9}"])]
    );
    assert_eq!(table.column("note"), Some(1));
    assert_eq!(table.column("Note"), None);
}

#[test]
fn counts_lines_in_every_line_end() {
    for text in [
        "a,b\r\n1,2\r\n3,4\r\n",
        "a,b\n1,2\n3,4",
        "\u{feff}a,b\n1,2\n3,4\n",
    ] {
        let table = read_table(text.as_bytes()).unwrap();
        assert_eq!(table.header, ["a", "b"], "{text:?}");
        assert_eq!(table.rows, [row(2, &["1", "2"]), row(3, &["3", "4"])]);
    }
    let table = read_table(b"\na\n\n\n1\n\n\"2\n\"\n3\n\n").unwrap();
    assert_eq!(
        table.rows,
        [row(5, &["1"]), row(7, &["2\n"]), row(9, &["3"])]
    );
}

#[test]
fn a_header_alone_is_a_table_without_rows() {
    let table = read_table(b"a,b\n").unwrap();
    assert_eq!(table.rows, []);
    assert_eq!(table.header.len(), 2);
}

#[test]
fn refuses_text_that_is_not_a_table() {
    for (bytes, message) in [
        (&b""[..], "the file is empty"),
        (b"\xef\xbb\xbf", "the file is empty"),
        (b"\n\r\n", "the file is empty"),
        (b"a,b\n1,2\n\xff,3\n", "line 3: not UTF-8 text"),
        (b"a,b,a\n", "the header names the column \"a\" twice"),
        (
            b"a,b\r\n1,2\r\n1\r\n",
            "line 3: 1 cells where the header has 2",
        ),
        (b"a,b\n\n1,2,3\n", "line 3: 3 cells where the header has 2"),
        (b"a,b\n1,2\n3,\"4\n", "line 3: a quote without its partner"),
        (
            b"a,b\n1,2\" x\n3,4\n",
            "line 2: a quote without its partner",
        ),
    ] {
        assert_eq!(read_table(bytes).unwrap_err().to_string(), message);
    }
}

proptest! {
    #[test]
    fn reads_back_what_it_wrote(rows in prop::collection::vec(
        prop::array::uniform3("[a-c ,\"\r\n\u{e9}]{0,6}"), 0..8,
    )) {
        let mut text = CsvText::new();
        text.row(["x", "y", "z"]);
        for row in &rows {
            text.row(row);
        }
        let text = text.into_string();
        let table = read_table(text.as_bytes()).unwrap();
        let cells: Vec<Vec<Cow<'_, str>>> = table.rows.into_iter().map(|row| row.cells).collect();
        prop_assert_eq!(cells, rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>());
    }
}
