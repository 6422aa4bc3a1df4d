use super::*;
use crate::raster::Picture;

fn read(bytes: &'static [u8]) -> Result<&'static str, String> {
    Logo::read(Bytes::from_static(bytes)).map(|logo| logo.path())
}

#[test]
fn a_logo_is_a_small_picture_that_runs_nothing() {
    let drawn = Picture::new(4, 4, [9; 3]).png();
    let drawn = Logo::read(drawn.into()).map(|logo| logo.path());
    assert_eq!(drawn, Ok("logo.png"));
    assert_eq!(read(b"<?xml version='1.0'?><svg></svg>"), Ok("logo.svg"));
    for (bytes, problem) in [
        (&b"GIF89a"[..], "no picture"),
        (b"", "no picture"),
        (b"\x89PNG\r\n\x1a\nrest", "damaged"),
        (b"\xff\xfe<svg", "no picture"),
        (b"<svg><SCRIPT>1</SCRIPT></svg>", "`<script`"),
        (b"<svg><a href='javascript:x'/></svg>", "`javascript:`"),
    ] {
        let error = read(bytes).expect_err("no logo");
        assert!(error.contains(problem), "{error}");
    }
    let large = Logo::read(vec![b' '; LARGEST + 1].into());
    assert!(large.expect_err("too large").contains("100001 bytes"));
}

#[test]
fn the_accent_replaces_the_usual_colour_of_each_theme() {
    let usual = Identity::default();
    let style = "a{color:#0b5fa5}b{color:#7db7ea}";
    assert_eq!(usual.coloured(style), style);
    let own = Identity {
        accent: Accent::parse("#c04e00"),
        ..usual
    };
    let shown = own.coloured(style);
    assert!(
        !shown.contains("#0b5fa5") && !shown.contains("#7db7ea"),
        "{shown}"
    );
    assert!(style.contains(&hex(USUAL[0])) && style.contains(&hex(USUAL[1])));
}
