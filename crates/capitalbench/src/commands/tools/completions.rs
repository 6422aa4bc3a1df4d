//! `completions`: a script with which a shell completes verbs and flags.

use clap_complete::generate;

use crate::cli::{Completions, definitions};
use crate::console::bytes;
use crate::error::Exit;

pub(crate) fn run(arguments: &Completions) -> Exit {
    let mut script = Vec::new();
    let mut command = definitions();
    generate(arguments.shell, &mut command, "capitalbench", &mut script);
    bytes(&script);
    Exit::Success
}
