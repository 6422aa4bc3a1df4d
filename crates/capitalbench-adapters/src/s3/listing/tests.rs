use super::*;

const PAGE: &str = "<?xml version=\"1.0\"?>\n<ListBucketResult xmlns=\"x\"><IsTruncated>true</IsTruncated>\
<Contents><Key>heads/rounds/CB%201</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified>\
<ETag>&quot;abc&quot;</ETag><Size>12</Size></Contents>\
<NextContinuationToken>t&amp;1</NextContinuationToken></ListBucketResult>\n";

#[test]
fn a_page_gives_keys_tags_sizes_and_what_comes_next() {
    let page = read_page(PAGE.as_bytes()).unwrap();
    assert_eq!(page.next.as_deref(), Some("t&1"));
    let found = &page.objects[0];
    let (key, tag) = (found.key.as_str(), found.tag.as_str());
    assert_eq!((key, tag, found.size), ("heads/rounds/CB 1", "abc", 12));
}

#[test]
fn half_a_page_is_no_page() {
    for end in 0..PAGE.trim_end().len() {
        assert!(read_page(&PAGE.as_bytes()[..end]).is_err(), "{end}");
    }
    for (from, to) in [
        ("<Size>12</Size>", ""),
        ("true", "perhaps"),
        ("&amp;", "&what;"),
    ] {
        assert!(
            read_page(PAGE.replace(from, to).as_bytes()).is_err(),
            "{to}"
        );
    }
}

/// Adds the same page until it is refused; how many pages there were, and why.
fn endless(page: &[Object]) -> (usize, String) {
    let mut listing = Listing::default();
    for pages in 1.. {
        if let Err(why) = listing.add(page.to_vec()) {
            return (pages, why);
        }
    }
    unreachable!("it never ends")
}

#[test]
fn a_listing_that_never_ends_is_refused() {
    let object = |bytes: usize| Object {
        key: "k".repeat(bytes),
        tag: String::new(),
        size: 1,
        written_at: Timestamp::UNIX_EPOCH,
    };
    let keys = "the listing goes on after 1000000 keys and pages".to_owned();
    assert_eq!(endless(&vec![object(1); 99_999]), (11, keys.clone()));
    assert_eq!(endless(&[]), (1_000_001, keys));
    let names = "the keys of the listing have more than 268435456 bytes".to_owned();
    assert_eq!(endless(&[object(1 << 26)]), (5, names));
}
