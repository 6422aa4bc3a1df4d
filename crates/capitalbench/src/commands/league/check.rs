//! `league check`.

use capitalbench_operations::league::check::{Checked, Standing, check_league};
use serde_json::json;

use crate::cli::LeagueCheck;
use crate::config::{enter_league, league_operator};
use crate::console::{DIM, ERROR, GOOD, WARNING, line, paint, plural, show};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &LeagueCheck) -> Result<Exit, Error> {
    let league = enter_league(&arguments.league.folder)?;
    let operator = league_operator(&league, None)?;
    let checked = check_league(&operator, &league);
    let broken = checked
        .iter()
        .filter(|one| one.standing == Standing::Repair);
    let broken = broken.count();
    let as_json = |one: &Checked| {
        json!({
            "what": one.what,
            "standing": one.standing.as_str(),
            "text": one.text,
            "next": one.next,
        })
    };
    show(
        || {
            json!({
                "league": league.league.name,
                "repairs": broken,
                "checks": checked.iter().map(as_json).collect::<Vec<_>>(),
            })
        },
        || print(&checked, broken),
    );
    Ok(Exit::of(broken == 0))
}

fn print(checked: &[Checked], broken: usize) {
    for one in checked {
        let style = match one.standing {
            Standing::Ready => GOOD,
            Standing::NotUsed => DIM,
            Standing::Warning => WARNING,
            Standing::Repair => ERROR,
        };
        let word = paint(style, format!("{:<8}", one.standing.as_str()));
        line(format!("{word}  {:<8}  {}", one.what, one.text));
        if let Some(next) = &one.next {
            line(format!("{:20}{} {next}", "", paint(DIM, "next:")));
        }
    }
    line(match broken {
        0 => paint(GOOD, "nothing to repair"),
        count => paint(ERROR, format!("{} to repair", plural(count, "thing"))),
    });
}
