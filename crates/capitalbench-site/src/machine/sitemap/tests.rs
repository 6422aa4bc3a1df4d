use super::*;

#[test]
fn too_many_pages_are_a_list_of_lists() {
    let day = Date::constant(2026, 8, 21);
    let pages = ["", "a/", "b/", "c/", "d/"].map(|page| (page, (page == "a/").then_some(day)));
    let one = sitemaps("https://x", &pages, 5);
    assert_eq!(one.len(), 1);
    assert_eq!(one[0].1.matches("<loc>").count(), 5);
    assert!(
        one[0]
            .1
            .contains("<loc>https://x/a/</loc><lastmod>2026-08-21</lastmod>")
    );
    let several = sitemaps("https://x", &pages, 2);
    let names: Vec<&str> = several.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "sitemap-1.xml",
            "sitemap-2.xml",
            "sitemap-3.xml",
            "sitemap.xml"
        ]
    );
    assert!(
        several[2].1.contains("<loc>https://x/d/</loc>"),
        "{}",
        several[2].1
    );
    assert!(several[3].1.contains("<loc>https://x/sitemap-3.xml</loc>"));
    assert_eq!(page("rounds/x/index.html"), Some("rounds/x/"));
    assert_eq!(page("files/myindex.html"), None);
    assert_eq!(page("404.html"), None);
}
