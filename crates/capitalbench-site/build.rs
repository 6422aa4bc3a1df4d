//! Names the state of everything that renders, so that pages of an older program are never taken
//! over by a newer one, even where nobody thought of raising a version.

#[path = "../capitalbench-core/source_stamp.rs"]
mod source_stamp;

fn main() {
    let folders = [
        "src",
        "style",
        "templates",
        "verify",
        "../capitalbench-core/src",
        "../capitalbench-export/src",
    ];
    source_stamp::stamp("CAPITALBENCH_SITE_SOURCES", &folders);
}
