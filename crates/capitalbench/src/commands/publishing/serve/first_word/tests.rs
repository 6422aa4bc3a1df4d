use super::*;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

async fn written(read: bool, bytes: &[u8]) -> String {
    let (near, mut far) = tokio::io::duplex(64);
    let known = Read::default();
    if read {
        known.store(true, Ordering::Relaxed);
    }
    let mut stream = FirstWord::new(near, known);
    let bytes = bytes.to_vec();
    let writing = tokio::spawn(async move {
        stream.write_all(&bytes).await.expect("a taken answer");
    });
    let mut text = String::new();
    far.read_to_string(&mut text).await.expect("text");
    writing.await.expect("a writer");
    text
}

#[tokio::test]
async fn only_a_refusal_before_any_request_is_replaced() {
    let bare = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\n\r\n";
    let ours = written(false, bare).await;
    assert!(ours.starts_with("HTTP/1.1 431 "), "{ours}");
    assert!(
        ours.contains("content-security-policy: default-src 'none'"),
        "{ours}"
    );
    assert!(
        ours.ends_with(
            "\r\n\r\nthe head of the request is too large; at most 16384 bytes and 100 headers\n"
        ),
        "{ours}"
    );
    let bare = String::from_utf8_lossy(bare).into_owned();
    assert_eq!(written(true, bare.as_bytes()).await, bare);
    let far = b"HTTP/1.1 414 URI Too Long\r\ncontent-length: 0\r\n\r\n";
    let far = written(false, far).await;
    assert!(
        far.starts_with("HTTP/1.1 414 ") && far.ends_with("\r\n\r\nthe address is too long\n"),
        "{far}"
    );
    let other = "HTTP/1.1 200 OK\r\n\r\n";
    assert_eq!(written(false, other.as_bytes()).await, other);
}
