//! Answers of the twin lanes of a round.

use capitalbench_core::asking::run::{Calls, Run};
use capitalbench_core::publication::facts::LaneAnswer;
use capitalbench_core::round::manifest::Stream;
use capitalbench_core::values::time::WrittenInstant;

use super::PublicationError;
use crate::round::lane_form::LaneForm;
use crate::round::round_folder::RoundInputs;
use crate::run::validation::validate_run;
use crate::verify::derivation;

/// What models answered in the lanes that the manifest plans, as far as each was asked to its end.
///
/// A lane that was asked twice counts nowhere: somebody could choose the run that pleases.
pub(super) fn lane_answers(
    inputs: &RoundInputs,
    runs: &[Run],
) -> Result<Vec<LaneAnswer>, PublicationError> {
    let Some(lanes) = &inputs.manifest.lanes else {
        return Ok(Vec::new());
    };
    let wanted = match inputs.manifest.stream {
        Stream::Synthetic => Calls::Synthetic,
        Stream::Primary | Stream::Pilot => Calls::Real,
    };
    let mut answers = Vec::new();
    for lane in lanes.asked() {
        let own = |run: &&Run| run.rules.kind.lane() == Some(lane) && run.calls == wanted;
        let mut asked = runs.iter().filter(own);
        let (Some(run), None) = (asked.next(), asked.next()) else {
            continue;
        };
        let is_planned = lanes.replicates(lane) == Some(run.rules.replicates);
        let Some(completed) = run.completed_at.as_ref().filter(|_| is_planned) else {
            continue;
        };
        let folder = inputs.folder.run(&run.run_id)?;
        derivation::require(inputs, &folder)?;
        let form = LaneForm::of(inputs, lane)?;
        for checked in validate_run(inputs, &folder, run.rules)? {
            let Ok(submission) = checked.verdict else {
                continue;
            };
            answers.push(LaneAnswer {
                lane,
                replicate: submission.replicate(),
                since: Some(WrittenInstant::at(completed)),
                holdings: form
                    .unmask(submission.decision.holdings())
                    .into_iter()
                    .map(|holding| (holding.option_id, holding.weight))
                    .collect(),
                model_id: submission.model_id,
            });
        }
    }
    Ok(answers)
}
