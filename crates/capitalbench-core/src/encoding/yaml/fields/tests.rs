use super::*;

fn check(text: &str, expected: &[(&str, u64)]) {
    let found = fields_of(text);
    let found: Vec<(&str, u64)> = found.iter().map(|f| (f.path.as_str(), f.line)).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn a_field_is_found_with_its_line_and_the_names_around_it() {
    check(
        "# note\nname: a\nprices:\n  source: x\n\n  plan: y\nlist:\n- id: 1\n  more: [a, {b: c}]\n- id: 2\nlast: z\n",
        &[
            ("name", 2),
            ("prices", 3),
            ("prices.source", 4),
            ("prices.plan", 6),
            ("list", 7),
            ("list.0.id", 8),
            ("list.0.more", 9),
            ("list.0.more.1.b", 9),
            ("list.1.id", 10),
            ("last", 11),
        ],
    );
}

#[test]
fn fields_before_a_mistake_are_found() {
    check("", &[]);
    check("just text", &[]);
    check(
        "a: &x {b: 1}\nc: *x\nd: 2\n",
        &[("a", 1), ("a.b", 1), ("c", 2), ("d", 3)],
    );
    let found = fields_of("a: 1\nb: 'open\n");
    assert_eq!(found.first().map(|field| field.line), Some(1));
}
