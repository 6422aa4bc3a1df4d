//! Whether models may continue the records that the models file names.

use std::path::Path;

use capitalbench_archive::round::cast::RoundCast;
use capitalbench_core::publication::renames::{Cast, Renames};

use crate::error::Error;

/// Refuses a round whose models would merge two records, or take part again after another model
/// continued their record: boards would leave such a word out, and readers could not tell why.
pub(crate) fn require_continuable(rounds: &Path, own: &RoundCast) -> Result<(), Error> {
    let others = own.others(rounds)?;
    let casts = others.iter().chain([own]).map(RoundCast::as_cast);
    let renames = Renames::of(casts.collect::<Vec<Cast<'_>>>());
    let of_round = |round_id| round_id == own.round_id();
    if let Some(refused) = renames
        .refused
        .iter()
        .find(|found| of_round(&found.round_id))
    {
        let (model, other, why) = (&refused.model_id, &refused.continues, &refused.why);
        let text = format!("{model} cannot continue the record of {other}: {why}");
        let hint = format!(
            "remove `continues: {other}` from the models file, or let only one of the two take part"
        );
        return Err(Error::new(text).hint(hint));
    }
    let gone = own.models().iter().find(|id| renames.newest(id) != *id);
    if let Some(id) = gone {
        let newest = renames.newest(id);
        let text = format!("{id} cannot take part: {newest} continues its record");
        let hint = format!("remove {id} from the models file, or give it another id");
        return Err(Error::new(text).hint(hint));
    }
    Ok(())
}
