use super::*;

const WHITE: Colour = [255; 3];
const BLACK: Colour = [0; 3];

fn at(picture: &Picture, x: usize, y: usize) -> u8 {
    picture.pixels[y * picture.width + x][0]
}

#[test]
fn a_rectangle_covers_whole_pixels_wholly_and_parts_by_their_share() {
    let mut picture = Picture::new(8, 6, WHITE);
    picture.rectangle((1.0, 1.0), (3.5, 2.25), BLACK);
    assert_eq!(
        [at(&picture, 0, 1), at(&picture, 1, 1), at(&picture, 3, 2)],
        [255, 0, 0]
    );
    assert_eq!(at(&picture, 4, 1), 128, "half a pixel");
    assert_eq!(at(&picture, 2, 3), 191, "a quarter of a pixel");
    assert_eq!([at(&picture, 5, 1), at(&picture, 2, 4)], [255, 255]);
}

#[test]
fn a_hole_runs_the_other_way_round() {
    let mut picture = Picture::new(10, 10, WHITE);
    let outer = vec![(1.0, 1.0), (9.0, 1.0), (9.0, 9.0), (1.0, 9.0)];
    let inner = vec![(3.0, 3.0), (3.0, 7.0), (7.0, 7.0), (7.0, 3.0)];
    picture.fill(&[outer, inner], BLACK);
    assert_eq!(
        [at(&picture, 2, 5), at(&picture, 5, 5), at(&picture, 8, 5)],
        [0, 255, 0]
    );
}

#[test]
fn a_slope_covers_what_lies_under_it() {
    let mut picture = Picture::new(10, 10, WHITE);
    picture.fill(&[vec![(0.0, 0.0), (10.0, 10.0), (0.0, 10.0)]], BLACK);
    let dark: u32 = picture
        .pixels
        .iter()
        .map(|pixel| 255 - u32::from(pixel[0]))
        .sum();
    assert!(dark.abs_diff(50 * 255) < 60, "{dark}");
    assert_eq!(at(&picture, 4, 4), 128);
}

#[test]
fn a_shape_may_lie_partly_outside() {
    let mut picture = Picture::new(4, 4, WHITE);
    picture.rectangle((-3.0, -3.0), (5.0, 100.0), BLACK);
    assert_eq!([at(&picture, 1, 0), at(&picture, 2, 3)], [0, 255]);
}

#[test]
fn letters_have_outlines_and_a_width() {
    for weight in [Weight::Regular, Weight::Bold] {
        for c in "AZaz09é−–·≈%&".chars() {
            let letter = weight.letter(c).expect("an outline");
            assert!(letter.advance > 0.0 && !letter.outlines.is_empty(), "{c}");
        }
    }
    let own = Type {
        size: 20.0,
        weight: Weight::Regular,
        colour: BLACK,
    };
    assert!(width(own, "mm") > 1.9 * width(own, "m"));
    assert!((width(own, "語") - width(own, "?")).abs() < 1e-9);
}

#[test]
fn a_file_is_what_readers_of_png_expect() {
    let mut picture = Picture::new(3, 2, WHITE);
    picture.rectangle((0.0, 1.0), (1.0, 1.0), [1, 2, 3]);
    let file = picture.png();
    assert!(file.starts_with(b"\x89PNG\r\n\x1a\n"));
    let begin = file
        .windows(4)
        .position(|four| four == b"IDAT")
        .expect("pixels")
        + 4;
    let mut rows = Vec::new();
    let mut unpacked = flate2::read::ZlibDecoder::new(&file[begin..]);
    std::io::Read::read_to_end(&mut unpacked, &mut rows).expect("a stream");
    assert_eq!(rows[..10], [0, 255, 255, 255, 255, 255, 255, 255, 255, 255]);
    assert_eq!(rows[10..14], [0, 1, 2, 3]);
}
