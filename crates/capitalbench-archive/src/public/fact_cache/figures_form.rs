//! The figures of many rounds as bytes: rosters and days that rounds and models share once.

use std::collections::BTreeMap;
use std::sync::Arc;

use capitalbench_core::publication::figures::{
    EntrantFigures, RecordFigures, ResultFigures, RoundFigures,
};
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::{Digest, ModelId};
use jiff::civil::Date;

use super::packed::{Packed, Reader, packed_struct, packed_word};

/// A round's figures with what they follow from.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Kept {
    /// Of the round's names and bytes.
    pub(super) content: Digest,
    /// Of the shared closes that it may use.
    pub(super) snapshots: Digest,
    pub(super) figures: RoundFigures,
}

/// Some rounds in order of name, with the lists they share.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Shelf(pub(super) Vec<(String, Kept)>);

packed_word!(Track { Weekly = 0, Monthly = 1 });
packed_struct!(RecordFigures { since });

impl Packed for Shelf {
    fn put(&self, out: &mut Vec<u8>) {
        let mut rosters = Rosters::default();
        let mut rounds = Vec::with_capacity(64 << 10);
        for (name, kept) in &self.0 {
            name.put(&mut rounds);
            kept.content.put(&mut rounds);
            kept.snapshots.put(&mut rounds);
            put_round(&kept.figures, &mut rosters, &mut rounds);
        }
        let mut lists: Vec<(usize, Arc<[ModelId]>)> =
            rosters.0.into_iter().map(|(list, n)| (n, list)).collect();
        lists.sort_unstable_by_key(|(number, _)| *number);
        let lists: Vec<Vec<ModelId>> = lists.into_iter().map(|(_, l)| l.to_vec()).collect();
        lists.put(out);
        self.0.len().put(out);
        out.extend_from_slice(&rounds);
    }

    fn take(from: &mut Reader<'_>) -> Option<Self> {
        let lists: Vec<Vec<ModelId>> = Packed::take(from)?;
        let lists: Vec<Arc<[ModelId]>> = lists.into_iter().map(Arc::from).collect();
        let mut rounds = Vec::new();
        for _ in 0..usize::take(from)? {
            let name = String::take(from)?;
            let (content, snapshots) = (Packed::take(from)?, Packed::take(from)?);
            let figures = take_round(&lists, from)?;
            let kept = Kept {
                content,
                snapshots,
                figures,
            };
            rounds.push((name, kept));
        }
        Some(Self(rounds))
    }
}

/// Rosters by the number they are written under.
#[derive(Default)]
struct Rosters(BTreeMap<Arc<[ModelId]>, usize>);

impl Rosters {
    fn number(&mut self, list: &Arc<[ModelId]>) -> usize {
        let next = self.0.len();
        *self.0.entry(Arc::clone(list)).or_insert(next)
    }
}

fn put_round(figures: &RoundFigures, rosters: &mut Rosters, out: &mut Vec<u8>) {
    let RoundFigures {
        round_id,
        track,
        window,
        decision_date,
        deadline,
        created_at,
        label,
        fixed_roster,
        stream,
        rehearsal,
        reference_name,
        record,
        models,
        controls,
        result,
    } = figures;
    round_id.put(out);
    track.put(out);
    window.put(out);
    decision_date.put(out);
    deadline.put(out);
    created_at.put(out);
    label.put(out);
    fixed_roster.put(out);
    stream.put(out);
    rehearsal.put(out);
    reference_name.put(out);
    record.put(out);
    rosters.number(models).put(out);
    rosters.number(controls).put(out);
    result.put(out);
}

fn take_round(lists: &[Arc<[ModelId]>], from: &mut Reader<'_>) -> Option<RoundFigures> {
    let list = |from: &mut Reader<'_>| Some(Arc::clone(lists.get(usize::take(from)?)?));
    Some(RoundFigures {
        round_id: Packed::take(from)?,
        track: Packed::take(from)?,
        window: Packed::take(from)?,
        decision_date: Packed::take(from)?,
        deadline: Packed::take(from)?,
        created_at: Packed::take(from)?,
        label: Packed::take(from)?,
        fixed_roster: Packed::take(from)?,
        stream: Packed::take(from)?,
        rehearsal: Packed::take(from)?,
        reference_name: Packed::take(from)?,
        record: Packed::take(from)?,
        models: list(from)?,
        controls: list(from)?,
        result: Packed::take(from)?,
    })
}

/// The days of the first entrant that has any stand for all that have the same.
impl Packed for ResultFigures {
    fn put(&self, out: &mut Vec<u8>) {
        self.reference.put(out);
        self.cash.put(out);
        self.oracle.put(out);
        self.chance.put(out);
        let all = self.models.iter().chain(&self.controls);
        let common = all.clone().find_map(|entrant| entrant.days.as_ref());
        let common: Vec<Date> = common.into_iter().flatten().map(|(day, _)| *day).collect();
        common.put(out);
        self.models.len().put(out);
        self.controls.len().put(out);
        for entrant in all {
            put_entrant(entrant, &common, out);
        }
    }

    fn take(from: &mut Reader<'_>) -> Option<Self> {
        let (reference, cash) = (Packed::take(from)?, Packed::take(from)?);
        let (oracle, chance) = (Packed::take(from)?, Packed::take(from)?);
        let common: Vec<Date> = Packed::take(from)?;
        let (models, controls) = (usize::take(from)?, usize::take(from)?);
        let mut some = |count: usize| -> Option<Vec<EntrantFigures>> {
            (0..count).map(|_| take_entrant(&common, from)).collect()
        };
        Some(Self {
            reference,
            cash,
            oracle,
            chance,
            models: some(models)?,
            controls: some(controls)?,
        })
    }
}

const NO_DAYS: u8 = 0;
const COMMON_DAYS: u8 = 1;
const OWN_DAYS: u8 = 2;

fn put_entrant(entrant: &EntrantFigures, common: &[Date], out: &mut Vec<u8>) {
    entrant.value.put(out);
    entrant.alpha.put(out);
    entrant.percentiles.put(out);
    match &entrant.days {
        None => out.push(NO_DAYS),
        Some(days) if days.iter().map(|(day, _)| day).eq(common) => {
            out.push(COMMON_DAYS);
            for (_, value) in days {
                value.put(out);
            }
        }
        Some(days) => {
            out.push(OWN_DAYS);
            days.put(out);
        }
    }
}

fn take_entrant(common: &[Date], from: &mut Reader<'_>) -> Option<EntrantFigures> {
    let (value, alpha) = (Packed::take(from)?, Packed::take(from)?);
    let percentiles = Packed::take(from)?;
    let days = match from.bytes(1)? {
        [NO_DAYS] => None,
        [COMMON_DAYS] => {
            let values = from.bytes(8 * common.len())?.as_chunks::<8>().0;
            let values = values.iter().map(|bytes| f64::from_le_bytes(*bytes));
            Some(common.iter().copied().zip(values).collect())
        }
        [OWN_DAYS] => Some(Packed::take(from)?),
        _ => return None,
    };
    Some(EntrantFigures {
        value,
        alpha,
        percentiles,
        days,
    })
}
