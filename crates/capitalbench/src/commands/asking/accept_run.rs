//! `accept-run`: make a run the record of its round, or say every reason why not.

use capitalbench_archive::format::run::acceptance::to_value;
use capitalbench_archive::round::round_folder::RoundFolder;
use capitalbench_core::asking::acceptance::{Choice, Refusal};
use capitalbench_operations::accepting::{
    AcceptRequest, Accepted, Accepting, Scheduling, accept_run,
};
use capitalbench_operations::proof::promise::Objection;
use capitalbench_operations::syncing::follow::follow_round;
use serde_json::{Value, json};

use crate::cli::AcceptRun;
use crate::commands::notices::{
    print_followed, print_registered, print_signed, print_stamped, recorded_json, stamped_json,
};
use crate::commands::parse_run_id;
use crate::config::operator;
use crate::console::{ERROR, GOOD, WARNING, line, paint, show, table};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &AcceptRun) -> Result<Exit, Error> {
    let operator = operator(arguments.now.instant)?;
    let request = request(arguments)?;
    let accepting = accept_run(&operator, &request)?;
    show(
        || as_json(&request, &accepting),
        || print(&request, &accepting),
    );
    let (stamped, registered) = match &accepting {
        Accepting::Refused { .. } => return Ok(Exit::DoesNotHold),
        Accepting::Before { stamped, .. } => (stamped.as_ref(), Exit::Success),
        Accepting::Accepted(accepted) => {
            let registered = print_registered(&accepted.registered);
            (accepted.stamped.as_ref(), registered)
        }
    };
    if stamped.is_some_and(|stamped| !stamped.is_complete()) {
        return Ok(Exit::DoesNotHold);
    }
    let followed = follow_round(&operator, &arguments.round.path);
    Ok(print_followed(&followed).and(registered))
}

fn request(arguments: &AcceptRun) -> Result<AcceptRequest, Error> {
    Ok(AcceptRequest {
        round: RoundFolder::open(&arguments.round.path)?,
        run_id: parse_run_id("--run-id", &arguments.run_id)?,
        choice: if arguments.supersede {
            Choice::Supersede
        } else {
            Choice::First
        },
        reason: arguments.reason.clone(),
        scheduling: match arguments.due_at_utc {
            _ if arguments.no_schedule_resolution => Scheduling::NoJob,
            Some(at) => Scheduling::At(at),
            None => Scheduling::WhenDue,
        },
    })
}

fn listed(refusals: &[Refusal]) -> Vec<Value> {
    let one = |refusal: &Refusal| json!({"code": refusal.code(), "text": refusal.to_string()});
    refusals.iter().map(one).collect()
}

fn as_json(request: &AcceptRequest, accepting: &Accepting) -> Value {
    let told = match accepting {
        Accepting::Refused {
            refusals,
            objections,
        } => {
            let mut against = listed(refusals);
            against.extend(objections.iter().map(|objection| json!(objection)));
            json!({"accepted": false, "refusals": against})
        }
        Accepting::Before {
            acceptance,
            recorded,
            stamped,
        } => json!({
            "accepted": true,
            "acceptance": to_value(acceptance),
            "log": recorded_json(recorded),
            "proof": stamped.as_ref().map(stamped_json),
        }),
        Accepting::Accepted(accepted) => json!({
            "accepted": true,
            "acceptance": to_value(&accepted.acceptance),
            "due_at_utc": accepted.due.map(|due| due.to_string()),
            "scheduled": accepted.is_scheduled,
            "remarks": listed(&accepted.remarks),
            "log": recorded_json(&accepted.recorded),
            "proof": accepted.stamped.as_ref().map(stamped_json),
        }),
    };
    let mut whole = json!({
        "round_id": request.round.name(),
        "run_id": request.run_id.as_str(),
    });
    if let (Some(whole), Value::Object(told)) = (whole.as_object_mut(), told) {
        whole.extend(told);
    }
    whole
}

fn print(request: &AcceptRequest, accepting: &Accepting) {
    let (round, run_id) = (request.round.name(), &request.run_id);
    match accepting {
        Accepting::Refused {
            refusals,
            objections,
        } => {
            let not = paint(ERROR, "not accepted");
            line(format!("{round}: {run_id} is {not}"));
            let refused = |own: &Refusal| vec![own.code().to_owned(), own.to_string()];
            let objected =
                |own: &Objection| vec![own.code.to_owned(), format!("{}; {}", own.text, own.next)];
            let rows = refusals.iter().map(refused);
            let rows = rows.chain(objections.iter().map(objected)).collect();
            line(table("refusal | why", rows));
        }
        Accepting::Before {
            acceptance,
            stamped,
            ..
        } => {
            let (record, at) = (paint(GOOD, "the record"), &acceptance.accepted_at);
            line(format!(
                "{round}: {run_id} is {record}; it was accepted at {at}"
            ));
            if let Some(stamped) = stamped {
                print_stamped(stamped);
            }
        }
        Accepting::Accepted(accepted) => print_accepted(&round, accepted),
    }
}

fn print_accepted(round: &str, accepted: &Accepted) {
    let acceptance = &accepted.acceptance;
    let record = paint(GOOD, "the record");
    line(format!("{round}: {} is {record}", acceptance.run_id));
    line(format!("accepted     {}", acceptance.accepted_at));
    line(format!("submissions  {}", acceptance.submissions.len()));
    line(format!("run log      {}", acceptance.run_log));
    line(format!("frozen       {}", acceptance.hashes));
    for missing in &acceptance.missing {
        let (model, why) = (&missing.model_id, missing.why.meaning());
        line(format!("without      {model}: no valid answer: {why}"));
    }
    if let Some(earlier) = &acceptance.supersedes {
        line(format!("supersedes   {earlier}"));
    }
    let due = accepted.due;
    let due = due.map_or_else(|| "-".to_owned(), |due| due.to_string());
    line(format!("due          {due}"));
    for remark in &accepted.remarks {
        line(format!("{}  {remark}", paint(WARNING, "warning")));
    }
    print_signed(&accepted.recorded);
    if let Some(stamped) = &accepted.stamped {
        print_stamped(stamped);
    }
}
