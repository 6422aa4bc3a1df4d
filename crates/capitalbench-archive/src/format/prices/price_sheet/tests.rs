use super::*;

#[test]
fn a_sheet_holds_closes_or_indexes() {
    let sheet = parse(b"option_id,date,index,source\nA,2026-03-02,1.0133,x\n").unwrap();
    let quote = &sheet.quotes()[0];
    assert_eq!(quote.index, Price::new(1.0133));
    assert_eq!(
        (quote.close, quote.adjusted, quote.price),
        (None, None, None)
    );
    for (header, part) in [
        (
            "option_id,index,close",
            "the header has closes and index; a sheet has either",
        ),
        (
            "option_id,date",
            "must have the column adj_close, price or close, or index alone",
        ),
    ] {
        let text = format!("{header}\n");
        let fault = parse(text.as_bytes()).unwrap_err().to_string();
        assert!(fault.contains(part), "{fault}");
    }
}
