//! Names the state of everything that computes facts, so that a cache of an older program is
//! never read by a newer one, even where nobody thought of raising a version.

#[path = "../capitalbench-core/source_stamp.rs"]
mod source_stamp;

fn main() {
    let folders = [
        "src",
        "../capitalbench-core/src",
        "../capitalbench-core/universes",
    ];
    source_stamp::stamp("CAPITALBENCH_SOURCES", &folders);
}
