use super::*;
use crate::commands::publishing::serve::first_word::{FirstWord, Read};
use tokio::io::{AsyncWriteExt as _, DuplexStream};

fn patient(near: DuplexStream) -> FirstWord<DuplexStream> {
    let read = Read::default();
    read.store(true, std::sync::atomic::Ordering::Relaxed);
    FirstWord::new(near, read)
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_takes_nothing_is_given_up() {
    let (near, far) = tokio::io::duplex(16);
    let mut stream = patient(near);
    let fault = stream.write_all(&[0; 64]).await.expect_err("a limit");
    assert_eq!(fault.kind(), io::ErrorKind::TimedOut);
    drop(far);
}

/// Reads so much at a time after a pause, again and again, and tells how the writer fared.
async fn read_by(some: usize, pause: Duration) -> io::Result<()> {
    use tokio::io::AsyncReadExt as _;
    let (near, mut far) = tokio::io::duplex(1 << 10);
    let mut stream = patient(near);
    let reading = tokio::spawn(async move {
        let mut taken = vec![0; some];
        loop {
            sleep(pause).await;
            if far.read_exact(&mut taken).await.is_err() {
                return;
            }
        }
    });
    let written = stream.write_all(&vec![0; 1 << 20]).await;
    reading.abort();
    written
}

#[tokio::test(start_paused = true)]
async fn a_slow_peer_is_waited_for() {
    read_by(1 << 10, TAKES_WITHIN / 40)
        .await
        .expect("all taken");
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_takes_single_bytes_is_given_up() {
    for (some, pause) in [(1, 1), (100, 1), (1 << 10, 2)] {
        let start = Instant::now();
        let fault = read_by(some, Duration::from_secs(pause)).await;
        let fault = fault.expect_err("a limit");
        assert_eq!(fault.kind(), io::ErrorKind::TimedOut, "{some}");
        assert!(start.elapsed() < TAKES_WITHIN * 3, "{some}");
    }
}
