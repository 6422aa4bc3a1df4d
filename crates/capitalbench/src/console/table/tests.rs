use super::*;

const TABLE: Table<'static> = Table {
    header: "model | score > | note | rounds >",
    drawn: &[],
    spare: &[3],
    dim_from: None,
};

fn rows() -> Vec<Vec<String>> {
    let row = |cells: [&str; 4]| cells.map(str::to_owned).to_vec();
    vec![
        row(["one", "-1.5", "a note of several words", "12"]),
        row(["two", "20.0", "-", "3"]),
    ]
}

#[test]
fn a_wide_terminal_shows_every_column() {
    let expected = "\
model  score  note                     rounds
one     −1.5  a note of several words      12
two     20.0  –                             3";
    assert_eq!(TABLE.render_within(rows(), None), expected);
    assert_eq!(TABLE.render_within(rows(), Some(45)), expected);
}

#[test]
fn a_narrow_one_leaves_out_spare_columns_then_wraps_texts() {
    let text = TABLE.render_within(rows(), Some(30));
    let plain = anstream::adapter::strip_str(&text).to_string();
    let expected = "\
model  score  note
one     −1.5  a note of
              several words
two     20.0  –
Not shown in this width:
rounds. --json has everything.";
    assert_eq!(plain, expected);
}

#[test]
fn long_words_are_parted_after_a_hyphen() {
    let parted = with_short_words("official-20260528-1W is-here", 12);
    assert_eq!(parted, "official- 20260528-1W is-here");
    assert_eq!(with_short_words("abcdef", 4), "abcd ef");
}

#[test]
fn a_style_takes_no_room() {
    let mut rows = rows();
    rows[0][0] = paint(super::super::ERROR, "one");
    let plain = anstream::adapter::strip_str(&TABLE.render_within(rows, None)).to_string();
    assert!(plain.contains("\none     −1.5  a note"), "{plain}");
}
