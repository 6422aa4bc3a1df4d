use super::*;

#[test]
fn hostile_text_stays_text() {
    for (text, expected) in [
        ("plain words", "plain words"),
        ("a | b\n# c", "a \\| b # c"),
        ("# c", "\\# c"),
        ("- c - d", "\\- c - d"),
        ("up 1.5 %", "up 1.5 %"),
        ("<script>x</script>", "&lt;script&gt;x&lt;/script&gt;"),
        ("[a](http://b.c)", "\\[a\\]\\(http&#58;//b.c\\)"),
        ("www.b.c", "www&#46;b.c"),
        ("![x](y)", "\\!\\[x\\]\\(y\\)"),
        ("&lt;b&gt;", "&amp;lt;b&amp;gt;"),
        ("a\u{202e}b\u{1b}[31m", "ab \\[31m"),
        ("1. one", "1&#46; one"),
    ] {
        assert_eq!(plain(text), expected);
    }
    assert_eq!(plain(&"x".repeat(400)), "x".repeat(400));
    assert_eq!(plain(&"x".repeat(401)), "x".repeat(400) + "…");
}

#[test]
fn tables_have_as_many_cells_as_titles() {
    let text = table("a | b", [vec!["1".into(), plain("x | y")]]);
    assert_eq!(text, "| a | b |\n| --- | --- |\n| 1 | x \\| y |");
    assert_eq!(table("a", []), "None.");
}
