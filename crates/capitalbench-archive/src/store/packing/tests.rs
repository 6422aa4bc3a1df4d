use super::*;

#[test]
fn small_files_share_an_object_and_every_file_is_found_again() {
    let big = vec![7; SMALL];
    let files = vec![
        ("a".to_owned(), b"one".to_vec()),
        ("b".to_owned(), big),
        ("c".to_owned(), Vec::new()),
        ("tile/0/000.p/4".to_owned(), b"partial".to_vec()),
    ];
    let packed = pack(files.clone(), "p1");
    assert_eq!(packed.objects.len(), 3);
    for (path, bytes) in files {
        let (_, place) = packed.places.iter().find(|(own, _)| *own == path).unwrap();
        let object = packed
            .objects
            .iter()
            .find(|(name, _)| *name == place.object);
        let from = usize::try_from(place.offset).unwrap();
        let to = from + usize::try_from(place.size).unwrap();
        assert_eq!(object.unwrap().1[from..to], bytes, "{path}");
        assert_eq!(place.sha256, Digest::of(&bytes).to_hex());
    }
}
