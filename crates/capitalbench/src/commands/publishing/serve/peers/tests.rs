use super::*;

#[test]
fn a_peer_has_its_share_and_no_more() {
    let peers = Arc::new(Peers::new(2));
    let enter = |text: &str| peers.enter(text.parse().unwrap());
    let first = enter("192.0.2.1").unwrap();
    let _second = enter("::ffff:192.0.2.1").unwrap();
    assert!(enter("192.0.2.1").is_none());
    assert!(enter("192.0.2.2").is_some());
    drop(first);
    let _third = enter("192.0.2.1").unwrap();
    assert!(enter("192.0.2.1").is_none());
    // One network of version 6 is one peer, however many addresses it has.
    let _six = [
        enter("2001:db8:1:2::1").unwrap(),
        enter("2001:db8:1:2:ffff::9").unwrap(),
    ];
    assert!(enter("2001:db8:1:2:3:4:5:6").is_none());
    assert!(enter("2001:db8:1:3::1").is_some());
    // Who is gone takes no memory.
    assert_eq!(peers.open.lock().unwrap().len(), 2);
}
