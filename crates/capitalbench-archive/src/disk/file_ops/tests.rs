use tempfile::TempDir;

use super::*;

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn create_new_writes_once() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("hashes.json");
    create_new(&path, b"one").unwrap();
    let error = create_new(&path, b"two").unwrap_err();
    assert_eq!(error.problem, WriteProblem::Exists);
    assert_eq!(
        error.to_string(),
        format!(
            "cannot create {}: it already exists and is never overwritten; \
             move it away if it is not wanted",
            path.display()
        )
    );
    assert_eq!(read(&path), Ok(b"one".to_vec()));
    assert_eq!(names(folder.path()), ["hashes.json"]);
}

#[test]
fn replace_takes_the_place_of_the_old_file() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("job.yaml");
    replace(&path, b"one").unwrap();
    replace(&path, b"two, longer").unwrap();
    assert_eq!(read(&path), Ok(b"two, longer".to_vec()));
    assert_eq!(names(folder.path()), ["job.yaml"]);
}

#[test]
fn a_failed_rename_leaves_nothing_behind() {
    let folder = TempDir::new().unwrap();
    let taken = folder.path().join("taken");
    create_folder(&taken.join("inner")).unwrap();
    let error = replace(&taken, b"x").unwrap_err();
    assert_eq!(error.action, Action::Replace);
    assert!(matches!(error.problem, WriteProblem::Other(_)), "{error}");
    assert_eq!(
        create_new(&taken, b"x").unwrap_err().problem,
        WriteProblem::Exists
    );
    assert_eq!(names(folder.path()), ["taken"]);
}

#[test]
fn a_missing_folder_or_a_file_in_its_place_is_named() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("none/a.json");
    for error in [create_new(&path, b"x"), replace(&path, b"x")] {
        let error = error.unwrap_err();
        assert_eq!(error.problem, WriteProblem::NoFolder);
        assert_eq!(error.path, path);
    }
    let file = folder.path().join("file");
    create_new(&file, b"x").unwrap();
    let below = file.join("a.json");
    assert!(create_new(&below, b"x").is_err());
    assert!(replace(&below, b"x").is_err());
    assert!(remove(&below).is_err());
    assert!(create_folder(&below).is_err());
    assert!(create_folder(&file).is_err());
    assert_eq!(names(folder.path()), ["file"]);
}

#[test]
fn a_read_only_folder_is_explained() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.json");
    fs::set_permissions(folder.path(), Permissions::from_mode(0o555)).unwrap();
    let outcome = create_new(&path, b"x");
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    match outcome {
        Ok(()) => println!("skipped: the superuser may write to a read-only folder"),
        Err(error) => {
            assert_eq!(error.problem, WriteProblem::Denied);
            assert_eq!(names(folder.path()), [""; 0]);
        }
    }
}

#[test]
fn system_errors_have_their_remedies() {
    for (kind, words) in [
        (io::ErrorKind::ReadOnlyFilesystem, "the disk is read-only"),
        (io::ErrorKind::PermissionDenied, "check the permissions"),
        (io::ErrorKind::StorageFull, "free some space and run again"),
        (io::ErrorKind::QuotaExceeded, "nothing was changed"),
        (io::ErrorKind::BrokenPipe, "broken pipe"),
    ] {
        let problem = WriteProblem::from(io::Error::from(kind));
        assert!(problem.to_string().contains(words), "{problem}");
    }
}

#[test]
fn files_have_the_mode_of_ordinary_files() {
    let folder = TempDir::new().unwrap();
    let (ours, plain) = (folder.path().join("ours"), folder.path().join("plain"));
    create_new(&ours, b"").unwrap();
    File::options()
        .write(true)
        .create_new(true)
        .open(&plain)
        .unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&ours), mode(&plain));
}

#[test]
fn remove_takes_missing_files_as_removed() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a");
    create_new(&path, b"x").unwrap();
    remove(&path).unwrap();
    remove(&path).unwrap();
    remove(&folder.path().join("none/a")).unwrap();
    assert!(remove(folder.path()).is_err());
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn create_folder_makes_all_levels_once() {
    let folder = TempDir::new().unwrap();
    let deep = folder.path().join("a/b/c");
    create_folder(&deep).unwrap();
    create_folder(&deep).unwrap();
    assert!(deep.is_dir());
}

#[test]
fn read_names_what_it_refuses() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a");
    let error = |path: &Path, problem| ReadError {
        path: path.to_owned(),
        problem,
    };
    let missing = error(&path, ReadProblem::Missing);
    assert_eq!(read(&path), Err(missing));
    for path in [folder.path(), Path::new("/dev/null")] {
        assert_eq!(read(path), Err(error(path, ReadProblem::NotAFile)));
    }
    create_new(&path, b"12345").unwrap();
    assert_eq!(read_at_most(&path, 5), Ok(b"12345".to_vec()));
    let error = read_at_most(&path, 4).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("{} is larger than 4 bytes", path.display())
    );
    let below = read(&path.join("below")).unwrap_err();
    assert!(matches!(below.problem, ReadProblem::Failed(_)), "{below}");
}

#[test]
fn a_name_alone_is_in_the_current_folder() {
    assert_eq!(folder_of(Path::new("a.json")), Path::new("."));
    assert_eq!(folder_of(Path::new("a/b.json")), Path::new("a"));
}

#[test]
fn several_files_are_replaced_together_or_not_at_all() {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    let files =
        |text: &[u8]| [at("results/a.csv"), at("results/b.csv")].map(|path| (path, text.to_vec()));
    replace_all(&files(b"one")).unwrap();
    replace_all(&files(b"two")).unwrap();
    assert_eq!(read(&at("results/b.csv")), Ok(b"two".to_vec()));
    assert_eq!(names(&at("results")), ["a.csv", "b.csv"]);

    create_new(&at("file"), b"x").unwrap();
    let mut blocked = vec![
        (at("results/a.csv"), b"three".to_vec()),
        (at("new/deep/c.csv"), b"three".to_vec()),
    ];
    blocked.push((at("file/d.csv"), b"three".to_vec()));
    assert!(replace_all(&blocked).is_err());
    assert_eq!(read(&at("results/a.csv")), Ok(b"two".to_vec()));
    assert_eq!(names(folder.path()), ["file", "results"]);
    assert_eq!(names(&at("results")), ["a.csv", "b.csv"]);
}

#[test]
fn drafts_take_their_names_together_or_leave_nothing() {
    let folder = TempDir::new().unwrap();
    let (old, new) = (
        folder.path().join("a.csv"),
        folder.path().join("deep/b.csv"),
    );
    replace(&old, b"as before").unwrap();
    let write = |drafts: &mut Drafts, path: &Path, bytes: &[u8]| {
        let mut draft = drafts.begin(path).unwrap();
        for piece in bytes.chunks(3) {
            draft.write_all(piece).unwrap();
        }
        drafts.end(draft).unwrap();
    };
    let mut given_up = Drafts::default();
    write(&mut given_up, &old, b"other");
    write(&mut given_up, &new, b"new");
    drop(given_up);
    assert_eq!(names(folder.path()), ["a.csv"]);
    assert_eq!(read(&old), Ok(b"as before".to_vec()));

    let mut drafts = Drafts::default();
    write(&mut drafts, &old, b"as before");
    write(&mut drafts, &new, b"new");
    let mut text = String::new();
    drafts
        .read(&new)
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    assert_eq!((text.as_str(), new.exists()), ("new", false));
    assert!(drafts.read(&folder.path().join("c")).is_err());
    assert_eq!(drafts.finish(), Ok(1), "one was there already");
    assert_eq!(read(&new), Ok(b"new".to_vec()));
    assert_eq!(names(folder.path()), ["a.csv", "deep"]);
}
