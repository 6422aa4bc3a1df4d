//! The markets that ship with the program, each read when it is first asked for.

use std::sync::{LazyLock, OnceLock};

use super::NEW_YORK;
use super::file::MarketFile;
use super::sessions::Sessions;
use crate::encoding::yaml::from_yaml;

/// Identifier and text of each shipped market.
const FILES: [(&str, &str); 11] = [
    (NEW_YORK, include_str!("../../../markets/xnys.yaml")),
    ("XLON", include_str!("../../../markets/xlon.yaml")),
    ("XETR", include_str!("../../../markets/xetr.yaml")),
    ("XPAR", include_str!("../../../markets/xpar.yaml")),
    ("XTKS", include_str!("../../../markets/xtks.yaml")),
    ("XHKG", include_str!("../../../markets/xhkg.yaml")),
    ("XSHG", include_str!("../../../markets/xshg.yaml")),
    ("XNSE", include_str!("../../../markets/xnse.yaml")),
    ("XASX", include_str!("../../../markets/xasx.yaml")),
    ("XTSE", include_str!("../../../markets/xtse.yaml")),
    ("24/7", include_str!("../../../markets/24-7.yaml")),
];

static READ: [OnceLock<Option<Sessions>>; FILES.len()] = [const { OnceLock::new() }; FILES.len()];

/// The usual market, without a search: every round of the public record asks for it.
static USUAL: LazyLock<&'static Sessions> =
    LazyLock::new(|| sessions(NEW_YORK).expect("a test reads every shipped market"));

/// The identifiers of the shipped markets.
pub fn market_ids() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(id, _)| *id)
}

pub(super) fn new_york() -> &'static Sessions {
    *USUAL
}

pub(super) fn sessions(id: &str) -> Option<&'static Sessions> {
    let place = FILES.iter().position(|(own, _)| *own == id)?;
    READ[place].get_or_init(|| read(FILES[place].1)).as_ref()
}

/// None where the text is not a market; a test reads every one of them.
fn read(text: &str) -> Option<Sessions> {
    Sessions::of(from_yaml::<MarketFile>(text).ok()?).ok()
}
