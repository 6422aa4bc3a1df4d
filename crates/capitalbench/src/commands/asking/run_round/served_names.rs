//! Which names in an answer will count, told before the first call.

use std::collections::BTreeMap;

use capitalbench_core::asking::run::Calls;
use capitalbench_core::asking::served_name::accepted_names;
use capitalbench_operations::asking::run::ReadyRun;
use serde_json::{Value, json};

use crate::console::{is_json, remark, table};

/// The names of every model that is asked over a network.
fn names(ready: &ReadyRun) -> BTreeMap<&str, String> {
    let seats = ready.seats.iter();
    let asked = seats.filter(|_| ready.plan.calls == Calls::Real);
    let names = asked.map(|seat| {
        let planned = &seat.planned;
        let names = accepted_names(&planned.api_model_name, &seat.served_models);
        (planned.slot.model_id.as_str(), names)
    });
    names.collect()
}

pub(super) fn as_json(ready: &ReadyRun) -> Value {
    json!(names(ready))
}

/// An alias is settled here, before it costs anything.
pub(super) fn announce(ready: &ReadyRun) {
    let names = names(ready);
    if is_json() || names.is_empty() {
        return;
    }
    let rows = names.into_iter();
    let rows = rows.map(|(model, names)| vec![model.to_owned(), names]);
    remark(table("model | an answer counts from", rows.collect()));
    remark(
        "an answer under another name is kept and paid for, but not accepted; see the name with \
         smoke-provider and list it in the models file: served_models: [NAME]",
    );
}
