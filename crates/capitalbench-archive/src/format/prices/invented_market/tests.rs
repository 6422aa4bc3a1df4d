use super::*;

#[test]
fn a_market_reads_back_and_a_wrong_fault_is_named() {
    let mut market = InventedMarket::of_seed(7);
    let fault = InventedFault::parse("split=XLK,2026-10-05,4").unwrap();
    market.faults.push(fault);
    let text = render(&market);
    assert_eq!(parse(text.as_bytes()).unwrap(), market);
    let wrong = text.replace("split=", "storm=");
    let said = parse(wrong.as_bytes()).unwrap_err().to_string();
    assert!(said.contains("faults.0"), "{said}");
    let more = text.replacen('{', "{\"more\": 1,", 1);
    assert!(parse(more.as_bytes()).is_err());
}
