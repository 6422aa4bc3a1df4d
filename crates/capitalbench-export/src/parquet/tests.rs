use super::*;
use crate::table::{Filling, always};

#[test]
fn an_overflowed_figure_becomes_a_null() {
    const COLUMNS: [Column; 2] = [
        always("n", Kind::Integer, "A number"),
        always("f", Kind::Real, "A figure"),
    ];
    let table = Table {
        name: "t",
        about: "",
        columns: &COLUMNS,
        filling: Filling::Whole(|_| Vec::new()),
    };
    let rows = [1.0, f64::INFINITY].map(|f| vec![Cell::Integer(1), Cell::from(f)]);
    let found = columns(&table, &rows);
    assert_eq!(found[0].presence, ParquetPresence::Required);
    assert_eq!(found[1].presence, ParquetPresence::Optional);
    assert_eq!(found[1].values, Values::Real(vec![Some(1.0), None]));
}
