use super::*;
use crate::test_support::{option, quote};

#[test]
fn adjusted_close_comes_before_price_before_close() {
    let mut row = quote("A", 1.0);
    row.close = Price::new(3.0);
    row.price = Price::new(2.0);
    let used = |row: &Quote| row.used().map(|(p, field)| (p.get(), field));
    assert_eq!(used(&row), Some((1.0, PriceField::AdjustedClose)));
    row.adjusted = None;
    assert_eq!(used(&row), Some((2.0, PriceField::Price)));
    row.price = None;
    assert_eq!(used(&row), Some((3.0, PriceField::Close)));
    let sheet = PriceSheet::new(vec![row.clone()]).unwrap();
    assert_eq!(sheet.close_only_keys(), ["A"]);
    row.close = None;
    assert_eq!(
        PriceSheet::new(vec![row]),
        Err(SheetError::NoPrice("A".into()))
    );
}

#[test]
fn an_option_finds_its_row_by_id_then_symbol() {
    let sheet = PriceSheet::new(vec![quote("SPY", 2.0), quote("GOLD", 3.0)]).unwrap();
    let found = |id, symbol| sheet.find(&option(id, symbol)).map(|q| q.key.clone());
    assert_eq!(found("SP500", "SPY").as_deref(), Some("SPY"));
    assert_eq!(found("GOLD", "SPY").as_deref(), Some("GOLD"));
    assert_eq!(found("OIL", "USO"), None);
    let twice = PriceSheet::new(vec![quote("A", 1.0), quote("A", 1.0)]);
    assert_eq!(twice, Err(SheetError::DuplicateKey("A".into())));
}
