use super::*;

#[test]
fn a_prompt_speaks_of_its_own_horizon() {
    assert_eq!(foreign_horizon("Hold for One  week.", Track::Weekly), None);
    assert_eq!(
        foreign_horizon("over one-month", Track::Weekly),
        Some("one-month")
    );
    assert_eq!(
        foreign_horizon("ONE WEEK", Track::Monthly),
        Some("one week")
    );
}

#[test]
fn ordinary_text_does_not_steer() {
    assert!(!steers_to_reference(""));
    assert!(!steers_to_reference(&"some ordinary words. ".repeat(40)));
}
