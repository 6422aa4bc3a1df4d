use super::*;

#[test]
fn formulas_are_exact_for_programs_and_text_for_spreadsheets() {
    let shown = |reader, text: &'static str| {
        let mut out = String::new();
        push(&mut out, &text.into(), reader);
        out
    };
    for text in [
        "=1+1",
        "+SUM(A1)",
        "-2",
        "@x",
        "\tx",
        " =cmd|' /C calc'!A0",
        "\u{ff1d}1",
    ] {
        assert_eq!(shown(Reader::Program, text), text);
        assert_eq!(shown(Reader::Spreadsheet, text), format!("'{text}"));
    }
    let link = shown(Reader::Spreadsheet, "=HYPERLINK(\"x\",\"y\")");
    assert_eq!(link, "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\"");
    for text in ["a=b", "SP500", "1.5", "'quoted"] {
        assert_eq!(shown(Reader::Spreadsheet, text), text);
    }
    let mut out = String::new();
    push(&mut out, &Cell::Real(-0.5), Reader::Spreadsheet);
    assert_eq!(out, "-0.5", "numbers stay numbers");
}

#[test]
fn missing_and_empty_are_told_apart() {
    let mut out = String::new();
    for cell in [
        Cell::Missing,
        "".into(),
        "a \"b\", c".into(),
        0.1.into(),
        true.into(),
        f64::NAN.into(),
    ] {
        push(&mut out, &cell, Reader::Program);
        out.push('|');
    }
    assert_eq!(out, "|\"\"|\"a \"\"b\"\", c\"|0.1|true||");
    assert_eq!(
        real_text(9.841_443_411_700_013e-5),
        "0.00009841443411700013"
    );
}
