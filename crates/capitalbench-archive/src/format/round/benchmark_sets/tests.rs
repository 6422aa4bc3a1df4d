use super::*;

#[test]
fn the_example_of_the_documents_is_read() {
    let page = include_str!("../../../../../../docs/sets.md");
    let example = page.split("```yaml\n").nth(1).unwrap();
    let example = example.split("```").next().unwrap();
    let policy = parse(example.as_bytes()).unwrap();
    assert_eq!((policy.weekly_rounds, policy.monthly_rounds), (6, 3));
    assert_eq!(policy.sets.len(), 1);
}
