//! Claims that were registered before their first day.

use capitalbench_core::evidence::claims::METHOD;
use capitalbench_core::evidence::claims::record::ClaimRecord;

use crate::table::{Filling, Row, Table, columns};

/// One row per claim, in the order of the log.
pub const CLAIMS: Table = Table {
    name: "claims",
    about: "One row per claim that was signed into the log before its first day, with its evidence so far. Evidence begins at 1; the claim is established where it reaches needed_evidence, for good.",
    columns: CLAIM_COLUMNS,
    filling: Filling::Whole(|publication| publication.claims.iter().map(claim).collect()),
};

columns! {
    CLAIM_COLUMNS, pub(crate) fn claim<'a>(claim: &'a ClaimRecord) -> Row<'a>;
    Always "claim" Text "Name of the claim" => claim.terms.claim.as_str();
    Always "method" Text "Version of the method" => METHOD;
    Always "model_id" Text "The model of which something is claimed" => claim.terms.first.as_str();
    Always "against" Text "The model it is compared with, or reference" => claim.terms.second.as_str();
    Always "track" Text "weekly or monthly" => claim.terms.track.as_str();
    Always "side" Text "above: the model returns more; either: both return differently" => claim.terms.rules.side.as_str();
    Always "alpha" Real "Chance of a false claim in the whole family" => claim.terms.rules.alpha;
    Always "scale" Real "Daily deviation that the stakes are made for" => claim.terms.rules.scale;
    Always "spread" Real "Largest daily spread between two options that the claim allows for" => claim.terms.rules.spread;
    Always "first_day" Day "Rounds that enter on this day or later count" => claim.terms.first_day;
    Maybe "last_day" Day "No later day counts; none where the claim has no end" => claim.terms.last_day;
    Always "season" Text "Claims of one track and season are one family" => claim.terms.season.to_string();
    Always "family_size" Integer "Most claims of the family" => claim.terms.family;
    Always "family_registered" Integer "Claims of the family so far" => claim.registered;
    Always "registered_at_utc" Instant "When it was registered, by the operator's clock" => claim.terms.registered_at;
    Always "leaf" Integer "Its place in the log" => claim.leaf;
    Always "state" Text "waiting, open, established, bound_broken or over" => claim.standing.as_str();
    Maybe "state_day" Day "The day that decided" => claim.standing.day();
    Always "round_count" Integer "Rounds that count" => claim.rounds.len();
    Always "left_out_count" Integer "Rounds of its track and time that do not" => claim.left_out.len();
    Always "settled_days" Integer "Days that decide" => claim.figures.settled;
    Always "evidence" Real "What one unit at stake has grown to" => claim.figures.evidence;
    Always "highest_evidence" Real "The highest it has been" => claim.figures.highest;
    Always "needed_evidence" Real "What would establish it now" => claim.figures.needed;
    Always "p_value" Real "A p value that holds whenever it is read" => claim.figures.p_value;
    Always "running_evidence" Real "Evidence with the days of open rounds, which decide nothing yet" => claim.figures.running;
    Always "sequence_low_fraction" Real "Lowest mean difference per round that no day has excluded" => claim.sequence_per_round().0;
    Always "sequence_high_fraction" Real "Highest such difference" => claim.sequence_per_round().1;
}
