use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::*;
use crate::raster::Picture;

/// A PNG of these rows, each with its filter before it.
fn png(width: u8, height: u8, kind: u8, rows: &[u8], more: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(rows).expect("memory");
    let packed = packed.finish().expect("memory");
    let head = [0, 0, 0, width, 0, 0, 0, height, 8, kind, 0, 0, 0];
    let mut file = BEGIN.to_vec();
    let mut chunks: Vec<(&[u8; 4], &[u8])> = vec![(b"IHDR", &head)];
    chunks.extend(more);
    chunks.extend([(b"IDAT", packed.as_slice()), (b"IEND", b"".as_slice())]);
    for (kind, body) in chunks {
        let length = u32::try_from(body.len()).expect("small");
        file.extend(length.to_be_bytes());
        file.extend(kind);
        file.extend(body);
        file.extend([0; 4]);
    }
    file
}

#[test]
fn what_we_draw_reads_back() {
    let mut picture = Picture::new(3, 2, [10, 20, 30]);
    picture.rectangle((1.0, 0.0), (1.0, 2.0), [200, 100, 50]);
    let read = Bitmap::read(&picture.png()).expect("a picture of ours");
    assert_eq!((read.width, read.height), (3, 2));
    assert_eq!(read.pixels[0], [10, 20, 30, 255]);
    assert_eq!(read.pixels[4], [200, 100, 50, 255]);
    let (mean, cover) = read.mean([0, 2], [0, 2]);
    assert_eq!((mean, cover), ([105.0, 60.0, 40.0], 1.0));
}

#[test]
fn every_filter_and_every_kind_of_colour_is_read() {
    let rows = [
        &[0, 10, 20, 30, 40][..],
        &[1, 1, 2, 3, 4],
        &[2, 1, 1, 1, 1],
        &[3, 0, 0, 0, 0],
        &[4, 5, 5, 5, 5],
    ]
    .concat();
    let read = Bitmap::read(&png(4, 5, 0, &rows, &[])).expect("grey");
    let grey: Vec<u8> = read.pixels.iter().map(|pixel| pixel[0]).collect();
    assert_eq!(
        grey,
        [
            10, 20, 30, 40, 1, 3, 6, 10, 2, 4, 7, 11, 1, 2, 4, 7, 6, 11, 16, 21
        ]
    );
    let read = Bitmap::read(&png(1, 1, 6, &[0, 1, 2, 3, 4], &[])).expect("with cover");
    assert_eq!(read.pixels, [[1, 2, 3, 4]]);
    let palette: [(&[u8; 4], &[u8]); 2] = [(b"PLTE", &[9, 8, 7, 6, 5, 4]), (b"tRNS", &[0])];
    let read = Bitmap::read(&png(2, 1, 3, &[0, 0, 1], &palette)).expect("a palette");
    assert_eq!(read.pixels, [[9, 8, 7, 0], [6, 5, 4, 255]]);
    assert_eq!(read.mean([0, 1], [0, 1]), ([0.0; 3], 0.0));
}

#[test]
fn damaged_pictures_are_none() {
    let good = png(2, 2, 0, &[0, 1, 2, 0, 3, 4], &[]);
    assert!(Bitmap::read(&good).is_some());
    for length in 0..good.len() - 12 {
        assert_eq!(Bitmap::read(&good[..length]), None, "{length}");
    }
    for bad in [
        png(2, 2, 0, &[0, 1, 2, 9, 3, 4], &[]),
        png(2, 2, 0, &[0, 1, 2], &[]),
        png(1, 1, 3, &[0, 0], &[]),
        png(0, 1, 0, &[], &[]),
        png(2, 2, 5, &[0; 6], &[]),
    ] {
        assert_eq!(Bitmap::read(&bad), None);
    }
}
