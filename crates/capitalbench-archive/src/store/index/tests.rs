use super::*;

fn place(text: &str) -> Place {
    Place {
        sha256: Digest::of(text.as_bytes()).to_hex(),
        size: text.len() as u64,
        object: object_name(text.as_bytes(), "p1"),
        offset: 0,
    }
}

fn content(files: &[(&str, &str)]) -> Content {
    Content {
        files: files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), place(text)))
            .collect(),
        empty_folders: BTreeSet::from(["runs".to_owned()]),
    }
}

#[test]
fn indexes_on_top_of_each_other_give_the_last_generation() {
    let first = content(&[("a", "1"), ("b", "2")]);
    let second = content(&[("b", "3"), ("c", "4")]);
    let change = Index::between(&first, &second);
    assert_eq!(change.gone, BTreeSet::from(["a".to_owned()]));
    assert_eq!(change.files.len(), 2);
    assert_eq!(Content::of([Index::whole(&first), change]), second);
}

#[test]
fn an_index_is_read_as_it_was_written_and_another_format_stops() {
    let index = Index::whole(&content(&[("a", "1")]));
    assert_eq!(Index::parse(&index.render()), Ok(index.clone()));
    let other = Index { format: 2, ..index };
    assert!(Index::parse(&other.render()).is_err());
}

#[test]
fn names_of_objects_cannot_lead_elsewhere() {
    let name = object_name(b"x", "p1");
    assert!(object_key(&name).is_some_and(|key| key.starts_with("objects/")));
    for wrong in ["", "..", "../../heads/log", "abc-1", &format!("{name}/x")] {
        assert_eq!(object_key(wrong), None, "{wrong}");
    }
    assert!(is_content_of(&name, b"x") && !is_content_of(&name, b"y"));
}
