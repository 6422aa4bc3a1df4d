//! Whether intervals cover what they say, on the overlapping calendar of the public record.

use capitalbench_core::evidence::inference::daily::{ActiveDays, DailyRecord, by_day, sessions_of};
use capitalbench_core::evidence::inference::hac::MeanEstimate;
use capitalbench_core::evidence::inference::overlap::{Overlap, live_sessions};
use capitalbench_core::evidence::inference::random::Random;
use capitalbench_core::round::manifest::{Track, Window};
use capitalbench_core::values::ids::Digest;

use crate::golden::rounds;

/// Simulated histories per case.
const HISTORIES: u32 = 2_000;

fn windows(track: Track) -> Option<Vec<Window>> {
    let rounds = rounds()?;
    let of_track = rounds.iter().filter(|r| r.manifest.track() == Some(track));
    let windows = of_track.filter_map(|round| round.manifest.window);
    Some(windows.collect())
}

/// Shares of histories without skill whose interval contains zero: calendar time, then naive.
///
/// Daily gains of a round are standard normal; those of two rounds on the same day have the
/// correlation `alike`, which is how alike successive portfolios are.
fn coverage(windows: &[Window], alike: f64) -> (f64, f64) {
    let sessions: Vec<Vec<_>> = windows.iter().map(|w| sessions_of(*w).collect()).collect();
    let mut days: Vec<_> = sessions.iter().flatten().copied().collect();
    days.sort_unstable();
    days.dedup();
    let live = live_sessions(windows);
    let mut random = Random::of(Digest::of(b"coverage"), "histories");
    let (mut daily, mut naive) = (0, 0);
    for _ in 0..HISTORIES {
        let market: Vec<f64> = days.iter().map(|_| random.normal()).collect();
        let mut rounds: Vec<ActiveDays> = Vec::new();
        for own in &sessions {
            let gain = |day| {
                let place = days.partition_point(|other| *other < day);
                let (shared, alone) = (market[place], random.normal());
                (day, alike.sqrt() * shared + (1.0 - alike).sqrt() * alone)
            };
            rounds.push(own.iter().copied().map(gain).collect());
        }
        let sums: Vec<f64> = rounds
            .iter()
            .map(|round| round.iter().map(|day| day.1).sum())
            .collect();
        let known = by_day(rounds.iter().flatten().copied());
        let record = DailyRecord::new(known, &live, windows.len());
        let mean = sums.iter().sum::<f64>() / f64::from(u32::try_from(sums.len()).expect("few"));
        daily += u32::from(covers(&record.estimate(mean).expect("enough days")));
        naive += u32::from(covers(&as_if_separate(&sums)));
    }
    let share = |count: u32| f64::from(count) / f64::from(HISTORIES);
    (share(daily), share(naive))
}

fn covers(estimate: &MeanEstimate) -> bool {
    let (low, high) = estimate.interval(0.95);
    low <= 0.0 && 0.0 <= high
}

/// What everybody computes: rounds taken for independent.
fn as_if_separate(sums: &[f64]) -> MeanEstimate {
    let spans: Vec<(usize, usize)> = (0..sums.len()).map(|i| (i, i + 1)).collect();
    let found = Overlap::of_spans(&spans).mean(sums);
    found.expect("many rounds").estimate
}

#[track_caller]
#[expect(clippy::print_stdout, reason = "figures for whoever reads the test")]
fn check(track: Track, naive_below: f64) {
    let Some(windows) = windows(track) else {
        return;
    };
    assert!(windows.len() >= 18, "{}", windows.len());
    for alike in [0.5, 0.9] {
        let (daily, naive) = coverage(&windows, alike);
        println!(
            "{}, {} rounds worth {:.1}, alike {alike}: calendar time {:.1} %, naive {:.1} %",
            track.as_str(),
            windows.len(),
            Overlap::new(&windows).effective(),
            100.0 * daily,
            100.0 * naive,
        );
        assert!((0.93..=0.97).contains(&daily), "{alike}: {daily}");
        assert!(naive < naive_below, "{alike}: {naive}");
    }
}

#[test]
fn the_weekly_interval_covers_and_the_naive_one_does_not() {
    check(Track::Weekly, 0.85);
}

#[test]
fn the_monthly_interval_covers_and_the_naive_one_does_not() {
    check(Track::Monthly, 0.65);
}
