use super::*;

#[test]
fn only_six_digits_are_a_colour() {
    let found = Accent::parse(" #0B5fa5").expect("a colour");
    assert_eq!(found.to_string(), "#0b5fa5");
    assert_eq!(Accent::parse("0b5fa5"), Some(found));
    for text in [
        "",
        "#",
        "#fff",
        "#0b5fa5ff",
        "teal",
        "#0b5fag",
        "##0b5fa",
        "#+b5fa5",
    ] {
        assert_eq!(Accent::parse(text), None, "{text:?}");
    }
}

#[test]
fn contrast_is_that_of_the_guidelines() {
    assert!((contrast([0; 3], [255; 3]) - 21.0).abs() < 1e-9);
    assert!((contrast([0x77; 3], [255; 3]) - 4.478).abs() < 1e-3);
}

/// Whatever is chosen, links can be read in both themes; a colour that can be read stays as it is.
#[test]
fn every_colour_can_be_read_on_both_papers() {
    for red in (0..=255).step_by(51) {
        for green in (0..=255).step_by(51) {
            for blue in (0..=255).step_by(51) {
                let chosen = [red, green, blue];
                let accent = Accent { chosen };
                for (paper, shown) in [(LIGHT, accent.on_light()), (DARK, accent.on_dark())] {
                    assert!(
                        contrast(shown, paper) >= READABLE,
                        "{chosen:?} as {shown:?}"
                    );
                    let is_readable = contrast(chosen, paper) >= READABLE;
                    assert_eq!(shown == chosen, is_readable, "{chosen:?} as {shown:?}");
                }
            }
        }
    }
}
