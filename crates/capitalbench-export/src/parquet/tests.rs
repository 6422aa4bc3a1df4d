use super::*;
use crate::table::Filling;

crate::table::columns! {
    COLUMNS, fn row(number: u32, figure: f64) -> Row<'static>;
    Always "n" Integer "A number" => number;
    Always "f" Real "A figure" => figure;
}

#[test]
fn an_overflowed_figure_becomes_a_null() {
    let table = Table {
        name: "t",
        about: "",
        columns: COLUMNS,
        filling: Filling::Whole(|_| Vec::new()),
    };
    let rows = [1.0, f64::INFINITY].map(|figure| row(1, figure));
    let found = columns(&table, &rows);
    assert_eq!(found[0].presence, ParquetPresence::Required);
    assert_eq!(found[1].presence, ParquetPresence::Optional);
    assert_eq!(found[1].values, Values::Real(vec![Some(1.0), None]));
}
