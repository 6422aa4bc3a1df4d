use super::*;

#[test]
fn only_our_own_folder_is_kept_out_of_repositories() {
    let folder = tempfile::tempdir().unwrap();
    for (name, kept_out) in [(layout::STATE, true), ("elsewhere", false)] {
        let state = folder.path().join(name);
        create(&state).unwrap();
        create(&state).unwrap();
        assert_eq!(state.join(".gitignore").exists(), kept_out, "{name}");
    }
}
