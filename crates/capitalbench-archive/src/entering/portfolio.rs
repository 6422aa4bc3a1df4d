//! `portfolio.yaml` of an entrant: options with whole percentages, such as `SP500: 60`.

use capitalbench_core::encoding::yaml::from_yaml;
use capitalbench_core::values::ids::OptionId;

use crate::disk::error::Fault;
use crate::format::round::controls::Parts;
use crate::format::utf8;

/// The holdings in the order of the file, which is the order in which returns are added.
pub fn parse(bytes: &[u8]) -> Result<Vec<(OptionId, u32)>, Fault> {
    let wrong = |fault: Fault| Fault {
        problem: format!(
            "{}; write options with whole percentages, a line each, such as `SP500: 60`",
            fault.problem
        ),
        ..fault
    };
    let read = from_yaml::<Parts>(utf8(bytes)?).map_err(Fault::from);
    let parts = read.map_err(wrong)?.0;
    match parts.iter().find(|(_, percent)| *percent > 100) {
        None if parts.is_empty() => Err(Fault::new(
            "holds nothing; write options with whole percentages, such as `SP500: 60`",
        )),
        None => Ok(parts),
        Some((id, percent)) => Err(Fault::field(id.as_str(), format!("{percent} is above 100"))),
    }
}
