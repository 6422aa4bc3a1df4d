use super::*;
use serde_json::json;

#[test]
fn rows_stand_on_one_line_and_read_back() {
    let value = json!({"a": [{"b": 1, "c": null}, {"b": 0.1}], "d": [], "e": {"f": {}}});
    let text = String::from_utf8(json_text(&value)).unwrap();
    assert!(text.contains("\n  {\"b\":1,\"c\":null},\n"), "{text}");
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
}

#[test]
fn a_document_in_pieces_is_the_same_text() {
    for items in [json!([]), json!([{"b": [{"c": 1}]}, {"b": []}])] {
        let whole = json!({"a": 1, "items": items, "z": [{"y": null}]});
        let mut text = String::new();
        let mut members = whole.as_object().unwrap().clone();
        members["items"] = Value::Null;
        let items = items.as_array().unwrap().iter().cloned();
        let done = with_items::<()>(&members, ("items", items), &mut |piece| {
            text.push_str(piece);
            Ok(())
        });
        assert_eq!(done, Ok(()));
        assert_eq!(text.into_bytes(), json_text(&whole));
    }
}

#[test]
fn rows_in_pieces_are_the_same_text() {
    let table = &crate::tables::interim::INTERIM_POINTS;
    let cells = [
        "a \"b\" \u{1}".into(),
        0.1.into(),
        Cell::Missing,
        true.into(),
        7_u32.into(),
        jiff::civil::date(2026, 1, 2).into(),
        Cell::Instant(jiff::Timestamp::UNIX_EPOCH),
    ];
    let row = |place: usize| -> Row<'_> {
        let cells = cells.iter().cycle().skip(place);
        cells.take(table.columns.len()).cloned().collect()
    };
    for count in [0, 1, 3, 7] {
        let rows: Vec<Row<'_>> = (0..count).map(row).collect();
        let whole = rows.iter().cloned();
        let whole = whole.map(|row| crate::publication_v1::object(table, row).into());
        let mut pieces = Rows::default();
        let mut text = String::new();
        for piece in rows.chunks(2) {
            text.push_str(&pieces.next(table, piece));
        }
        text.push_str(pieces.end());
        assert_eq!(text.into_bytes(), json_text(&Value::Array(whole.collect())));
    }
}
