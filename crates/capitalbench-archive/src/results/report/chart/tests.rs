use super::*;

fn chart() -> Chart {
    let bar = |label: &str, value: f64| Bar {
        label: label.to_owned(),
        value,
    };
    Chart {
        title: "Returns, R-1".to_owned(),
        bars: vec![bar("a", 0.02), bar("<b onload='x'>&", -0.01)],
        reference: ("SP500".to_owned(), 0.005),
        oracle: Some(0.03),
    }
}

#[test]
fn the_same_figures_give_the_same_picture() {
    let one = svg(&chart());
    assert_eq!(one, svg(&chart()));
    assert!(one.starts_with("<svg xmlns="), "{one}");
    assert!(one.ends_with("</svg>\n"));
    assert_eq!(one.matches("<rect").count(), 3);
    assert!(one.contains("best option +3.00 %"), "{one}");
    assert!(one.contains("SP500 +0.50 %"), "{one}");
}

#[test]
fn labels_cannot_become_markup() {
    let text = svg(&chart());
    assert!(!text.contains("<b "), "{text}");
    assert!(text.contains("&lt;b onload=&#39;x&#39;&gt;&amp;"), "{text}");
}

#[test]
fn a_chart_without_bars_or_oracle_shows_no_broken_number() {
    let flat = Chart {
        bars: Vec::new(),
        reference: ("R".to_owned(), 0.0),
        oracle: None,
        ..chart()
    };
    let text = svg(&flat);
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    assert!(!text.contains("best option"), "{text}");
}
