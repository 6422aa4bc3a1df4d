//! Renders the site of a folder of rounds: `render <rounds> <as-of> <output>`.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use capitalbench_archive::public::public_files::public_files;
use capitalbench_archive::public::public_record::publication;
use capitalbench_site::machine::Told;
use capitalbench_site::{Files, Identity, Images, Input, Renderer, served};

#[expect(clippy::print_stdout, reason = "an example speaks to the terminal")]
#[expect(
    clippy::disallowed_methods,
    reason = "a folder to look at, not a record to keep"
)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [rounds, as_of, output] = arguments.as_slice() else {
        return Err("usage: render <rounds> <as-of> <output>".into());
    };
    let rounds = Path::new(rounds);
    let published = publication(rounds, as_of.parse()?, &|| ())?;
    let input = Input {
        publication: &published,
        data: &BTreeMap::new(),
        base_url: "https://example.org",
        identity: &Identity::default(),
        images: Images::Drawn,
    };
    let begun = Instant::now();
    let renderer = Renderer::new(&input);
    let (mut files, mut told) = (Files::new(), Vec::new());
    for round in &published.rounds {
        let own = public_files(rounds, round, published.as_of)?.into_iter();
        let own: Files = own.map(|file| (file.path, file.bytes.into())).collect();
        files.extend(renderer.round(round, &own));
        files.extend(served(round.id(), &own));
        told.push(Told::of(round, &own));
    }
    let paths = files.keys().cloned().collect();
    files.extend(renderer.rest(&told, &paths));
    println!("{} files in {:?}", files.len(), begun.elapsed());
    for (path, bytes) in &files {
        let path = Path::new(output).join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new(output)))?;
        std::fs::write(&path, bytes)?;
    }
    Ok(())
}
