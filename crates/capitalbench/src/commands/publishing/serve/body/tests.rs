use super::*;
use capitalbench_archive::disk::file_ops::spool::Spool;
use http_body_util::BodyExt as _;

fn slice(bytes: &[u8]) -> Slice {
    Spool::new().unwrap().put(bytes).unwrap()
}

#[tokio::test]
async fn a_file_is_sent_in_pieces_and_broken_off_when_it_is_another() {
    let bytes: Vec<u8> = (0..200_000_u32).map(|i| (i % 251) as u8).collect();
    let digest = Digest::of(&bytes);
    for sent in [
        Sent::Whole(bytes.clone().into()),
        Sent::file(slice(&bytes), None),
        Sent::file(slice(&bytes), Some(digest)),
    ] {
        assert_eq!(sent.size_hint().exact(), Some(200_000));
        let whole = sent.collect().await.unwrap().to_bytes();
        assert!(whole == bytes);
    }
    let mut other = bytes.clone();
    other[3] = 250;
    let mut sent = Sent::file(slice(&other), Some(digest));
    let mut seen = 0;
    let fault = loop {
        match sent.frame().await.expect("a piece or a fault") {
            Ok(piece) => seen += piece.into_data().unwrap().len(),
            Err(fault) => break fault,
        }
    };
    assert!(seen < 200_000, "{fault}");
}
