use super::*;

#[test]
fn text_of_models_is_escaped() {
    let said = Html::said("<script>alert('x')</script> javascript:1 \u{202e}evil\u{0}");
    assert_eq!(
        said.to_string(),
        "<bdi class=\"said\">&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; javascript:1 \
             <span class=\"hid\">U+202E</span>evil<span class=\"hid\">U+0000</span></bdi>"
    );
}

#[test]
fn links_cannot_leave_their_attribute() {
    let link = Html::link("a\" onclick=\"x", "<b>");
    assert_eq!(
        link.to_string(),
        "<a href=\"a&quot; onclick=&quot;x\">&lt;b&gt;</a>"
    );
    assert_eq!(encode("rounds/a b#?%/é"), "rounds/a%20b%23%3F%25/%C3%A9");
}
