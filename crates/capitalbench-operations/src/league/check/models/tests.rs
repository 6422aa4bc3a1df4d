use super::super::Standing;
use super::*;

#[test]
fn a_clock_that_is_far_off_must_be_set() {
    let server: Timestamp = "2026-12-07T14:00:00Z".parse().expect("an instant");
    let standing = |seconds: i64| {
        let own = server + SignedDuration::from_secs(seconds);
        let clocks = vec![(server, own)];
        Asked { clocks }.clock(LeagueCalls::Real)
    };
    assert_eq!(standing(3).standing, Standing::Ready);
    assert_eq!(standing(-60).standing, Standing::Ready);
    let ahead = standing(300);
    assert_eq!(ahead.standing, Standing::Repair);
    assert_eq!(ahead.text, "300 s ahead of the clocks of servers");
    assert_eq!(standing(-90).text, "90 s behind the clocks of servers");
}

#[test]
fn one_server_with_a_wrong_clock_proves_nothing_against_ours() {
    let own: Timestamp = "2026-12-07T14:00:00Z".parse().expect("an instant");
    let wrong = own - SignedDuration::from_hours(3);
    let clocks = vec![(wrong, own), (own, own)];
    let found = Asked { clocks }.clock(LeagueCalls::Real);
    assert_eq!(found.standing, Standing::Ready);
}
