//! What comes back from a database: the documents of a publication, and the files of a round; and the list
//! of a public prefix.

use capitalbench_core::encoding::tar;
use capitalbench_core::publication::Publication;
use capitalbench_core::values::ids::{Digest, RoundId};
use capitalbench_database::documents::{
    Document, DocumentError, Header, of_public_round, publication, shared,
};
use capitalbench_database::prefix::List;
use capitalbench_database::round_files::FilesRow;
use jiff::Timestamp;

use crate::is_in_proportion;

/// Rows of `publication_documents`, as JSON.
pub fn stored_documents(bytes: &[u8]) {
    let rows: Vec<Document> = match serde_json::from_slice(bytes) {
        Ok(rows) => rows,
        Err(error) => return is_in_proportion(&error.to_string(), bytes),
    };
    let header = Header {
        as_of: Timestamp::UNIX_EPOCH,
        is_synthetic: false,
        parts_sha256: String::new(),
        header_sha256: String::new(),
    };
    match publication(&header, &rows) {
        Ok(found) => {
            if let Ok(again) = documents(&found) {
                assert_eq!(publication(&header, &again).as_ref(), Ok(&found));
            }
        }
        Err(error) => is_in_proportion(&error.to_string(), bytes),
    }
}

fn documents(publication: &Publication) -> Result<Vec<Document>, DocumentError> {
    let (mut all, universes) = shared(publication)?;
    for round in &publication.rounds {
        all.extend(of_public_round(round, &universes)?);
    }
    Ok(all)
}

/// The packed files of a round as a row holds them; the digest is that of whoever wrote the row.
pub fn stored_files(bytes: &[u8]) {
    let row = FilesRow {
        round_id: RoundId::parse("R-1").expect("a name"),
        sha256: Digest::of(SEALED),
        file_count: 1,
        byte_count: 1,
        holds_results: false,
        object: None,
        content_sha256: String::new(),
    };
    for found in [
        row.unpack(bytes),
        row.unpack_content(&String::from_utf8_lossy(bytes)),
    ] {
        match found {
            Ok(files) => assert_eq!(tar::write(&files).as_deref(), Ok(SEALED)),
            Err(error) => is_in_proportion(&error.to_string(), bytes),
        }
    }
}

/// The list of a public prefix.
pub fn public_list(bytes: &[u8]) {
    match List::parse(bytes) {
        Ok(list) => assert_eq!(List::parse(&list.render()), Ok(list)),
        Err(error) => is_in_proportion(&error, bytes),
    }
}

/// An archive without files.
const SEALED: &[u8] = &[0; 1024];
