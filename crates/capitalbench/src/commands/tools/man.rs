//! `man`: a manual page for the program and for every verb.

use clap::Command;

use crate::cli::{Man, definitions};
use crate::commands::publishing::published::{unknown, write};
use crate::console::bytes;
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &Man) -> Result<Exit, Error> {
    let mut program = definitions().disable_help_subcommand(true);
    program.build();
    if let Some(folder) = &arguments.output {
        let mut pages = Vec::new();
        add_pages(&program, &mut pages)?;
        return write(folder, pages);
    }
    let verb = match &arguments.verb {
        None => &program,
        Some(name) => program.find_subcommand(name).ok_or_else(|| {
            let verbs: Vec<&str> = program.get_subcommands().map(Command::get_name).collect();
            unknown("verb", name, &verbs)
        })?,
    };
    bytes(&page(verb)?.1);
    Ok(Exit::Success)
}

/// The page of a command and those of the verbs below it.
fn add_pages(command: &Command, pages: &mut Vec<(String, Vec<u8>)>) -> Result<(), Error> {
    pages.push(page(command)?);
    let mut verbs = command.get_subcommands();
    verbs.try_for_each(|verb| add_pages(verb, pages))
}

/// A page with the name of its file.
fn page(command: &Command) -> Result<(String, Vec<u8>), Error> {
    let page = clap_mangen::Man::new(command.clone());
    let mut text = Vec::new();
    let rendered = page.render(&mut text);
    rendered.map_err(|error| Error::new(format!("{}: {error}", page.get_filename())))?;
    Ok((page.get_filename(), text))
}
