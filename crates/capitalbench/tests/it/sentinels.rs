//! Closes that must not be found: a vendor that serves recognisable ones, and a reader who looks for
//! them in whatever is published, by every way we know.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use capitalbench_archive::public::bundle;
use capitalbench_core::market::calendar::Market;
use capitalbench_core::values::ids::Digest;
use jiff::civil::{Date, date};

use crate::fake_tiingo::{FakeTiingo, json};
use crate::harness::tree_of;

/// The first session that the vendor knows.
const FIRST: Date = date(2025, 7, 1);
const RECENT: Date = date(2026, 9, 1);
/// On this day gold pays, so that raw and adjusted closes part.
const EX_DATE: Date = date(2026, 9, 16);
/// The ending close that is restated.
const RESTATED: (&str, Date) = ("FXGLD", date(2026, 9, 21));

/// Every text with a figure that the vendor ever sent, and every answer.
#[derive(Default)]
pub(crate) struct Served {
    /// Closes, adjusted closes and dividends, as they were written.
    pub(crate) prices: BTreeSet<String>,
    /// Shares traded.
    volumes: BTreeSet<String>,
    /// All closes of each symbol.
    series: BTreeMap<String, BTreeSet<String>>,
    /// Those of the last weeks; a published figure compares one of them with another close.
    recent: BTreeMap<String, BTreeSet<String>>,
    bodies: BTreeSet<String>,
}

/// A vendor of recognisable closes.
pub(crate) struct Vendor {
    pub(crate) server: FakeTiingo,
    pub(crate) served: Arc<Mutex<Served>>,
    /// How often the ending close was restated.
    restated: Arc<AtomicUsize>,
    /// Days of which it gives no row of gold.
    hidden: Arc<Mutex<BTreeSet<Date>>>,
    /// What it says of gold in place of rows.
    said: Arc<Mutex<Option<String>>>,
}

struct Row {
    close: String,
    adjusted: String,
    dividend: String,
    volume: String,
}

impl Vendor {
    pub(crate) fn start() -> Self {
        let served = Arc::new(Mutex::new(Served::default()));
        let restated = Arc::new(AtomicUsize::new(0));
        let hidden = Arc::<Mutex<BTreeSet<Date>>>::default();
        let (kept, seen) = (Arc::clone(&served), Arc::clone(&restated));
        let without = Arc::clone(&hidden);
        let said = Arc::<Mutex<Option<String>>>::default();
        let says = Arc::clone(&said);
        let server = FakeTiingo::start_by_days(move |symbol, days| {
            let says = says.lock().expect("nobody panicked").clone();
            if let Some(says) = says.filter(|_| symbol == "FXGLD") {
                return Some(json(&says));
            }
            let without = without.lock().expect("nobody panicked").clone();
            let is_there = |day: &Date| symbol != "FXGLD" || !without.contains(day);
            let body = answer(
                symbol,
                days,
                (seen.load(Ordering::SeqCst), &is_there),
                &kept,
            );
            Some(json(&body))
        });
        Self {
            server,
            served,
            restated,
            hidden,
            said,
        }
    }

    /// From now on it says this of gold in place of rows.
    pub(crate) fn say(&self, body: &str) {
        *self.said.lock().expect("nobody panicked") = Some(body.to_owned());
    }

    /// From now on it has no rows of gold on these days.
    pub(crate) fn hide(&self, days: &[Date]) {
        *self.hidden.lock().expect("nobody panicked") = days.iter().copied().collect();
    }

    /// Writes histories of a second vendor, whose closes are others and as recognisable.
    pub(crate) fn write_second(&self, folder: &Path) {
        fs::create_dir(folder).expect("a folder");
        let mut served = self.served.lock().expect("nobody panicked");
        for symbol in served.series.keys().cloned().collect::<Vec<_>>() {
            let mut text = "date,close,adj_close,volume,dividend,split\n".to_owned();
            for (place, day) in sessions_until(date(2026, 9, 22)).enumerate() {
                // Far enough from the first vendor's to be recognised, and near enough to agree.
                let own = row(&symbol, day, place, 0).adjusted;
                let own: f64 = own.parse().expect("a number");
                let close = format!("{:.6}", 1.103_717 * own);
                writeln!(text, "{day},{close},{close},1,0.0,1.0").expect("a text");
                let recent = served.recent.entry(symbol.clone()).or_default();
                if day >= RECENT {
                    recent.insert(close.clone());
                }
                let series = served.series.entry(symbol.clone()).or_default();
                series.insert(close.clone());
                served.prices.insert(close);
            }
            fs::write(folder.join(format!("{symbol}.csv")), text).expect("a history");
        }
    }

    /// From now on the ending close of gold is another one.
    pub(crate) fn restate(&self) {
        self.restated.fetch_add(1, Ordering::SeqCst);
    }
}

fn answer(
    symbol: &str,
    days: (&str, &str),
    (restated, is_there): (usize, &dyn Fn(&Date) -> bool),
    kept: &Mutex<Served>,
) -> String {
    let day = |text: &str| text.parse::<Date>().expect("a day");
    let (start, end) = (day(days.0), day(days.1));
    let mut body = String::from("[");
    let mut served = kept.lock().expect("nobody panicked");
    for (place, day) in sessions_until(end)
        .enumerate()
        .filter(|(_, day)| *day >= start && is_there(day))
    {
        let row = row(symbol, day, place, restated);
        let comma = if body.len() > 1 { "," } else { "" };
        let Row {
            close,
            adjusted,
            dividend,
            volume,
        } = &row;
        write!(
            body,
            r#"{comma}{{"date":"{day}T00:00:00.000Z","close":{close},"adjClose":{adjusted},"volume":{volume},"divCash":{dividend},"splitFactor":1.0}}"#
        )
        .expect("a text");
        let both = [close.clone(), adjusted.clone()];
        if day >= RECENT {
            let recent = served.recent.entry(symbol.to_owned()).or_default();
            recent.extend(both.clone());
        }
        served
            .series
            .entry(symbol.to_owned())
            .or_default()
            .extend(both);
        served.prices.extend([row.close, row.adjusted]);
        served.volumes.insert(row.volume);
        if row.dividend != "0.0" {
            served.prices.insert(row.dividend);
        }
    }
    body.push(']');
    served.bodies.insert(body.clone());
    body
}

fn sessions_until(end: Date) -> impl Iterator<Item = Date> {
    let days = FIRST.series(jiff::Span::new().days(1));
    days.take_while(move |day| *day <= end)
        .filter(|day| Market::default().is_session(*day))
}

/// Rises a little every session; six decimals, nine digits and more.
fn row(symbol: &str, day: Date, place: usize, restated: usize) -> Row {
    let draw = Digest::of(format!("{symbol} {day}").as_bytes()).bytes();
    let number = u32::from_le_bytes([draw[0], draw[1], draw[2], draw[3]]);
    let start = 187.0 + 100.0 * f64::from(symbol.as_bytes()[2] % 7);
    let mut adjusted = start * 1.0006_f64.powi(i32::try_from(place).expect("a small number"));
    adjusted += f64::from(number % 100_000) / 1e6 + 1e-6;
    if (symbol, day) == RESTATED {
        adjusted += f64::from(u32::try_from(restated).expect("few")) * 0.123_457;
    }
    // No round number, so that nothing else is by chance the quotient of a raw and an adjusted close.
    let (before, after) = (1.304_117, 1.291_873);
    let pays = symbol == "FXGLD";
    let factor = if pays && day < EX_DATE { before } else { after };
    let dividend = if pays && day == EX_DATE {
        let last = row(symbol, date(2026, 9, 15), place - 1, 0);
        let last: f64 = last.adjusted.parse().expect("a number");
        format!("{:.9}", (before - after) * last)
    } else {
        "0.0".to_owned()
    };
    Row {
        close: format!("{:.6}", factor * adjusted),
        adjusted: format!("{adjusted:.6}"),
        dividend,
        volume: (100_000_001 + number % 800_000_000).to_string(),
    }
}

/// Files as the public gets them, each under a name that tells where it comes from.
pub(crate) type Published = BTreeMap<String, Vec<u8>>;

/// Every file below a folder; what is compressed is opened too.
pub(crate) fn below(folder: &Path) -> Published {
    let mut found = Published::new();
    for path in tree_of(folder).into_keys() {
        let file = folder.join(&path);
        if !file.is_file() {
            continue;
        }
        let bytes = fs::read(&file).expect("a file");
        add(&mut found, &path, bytes);
    }
    found
}

pub(crate) fn add(found: &mut Published, path: &str, bytes: Vec<u8>) {
    if bundle::is_bundle(&bytes) {
        for (inside, bytes) in bundle::read_files(&bytes).expect("a bundle of ours") {
            found.insert(format!("{path}!{inside}"), bytes);
        }
    }
    found.insert(path.to_owned(), bytes);
}

/// Every byte of a database: its dump, and the archives in it unpacked.
pub(crate) fn dump(url: &str) -> Published {
    let dumped = Command::new("pg_dump").arg(url).output().expect("pg_dump");
    assert!(dumped.status.success(), "{dumped:?}");
    let text = String::from_utf8_lossy(&dumped.stdout).into_owned();
    let mut found = Published::new();
    // Archives stand as Base64 of gzip, which begins so.
    let archives = text.split(|c: char| !(c.is_ascii_alphanumeric() || "+/=".contains(c)));
    for (place, packed) in archives.filter(|word| word.starts_with("H4sI")).enumerate() {
        found.insert(format!("archive {place}"), unpacked(packed));
    }
    found.insert("dump".to_owned(), dumped.stdout);
    found
}

fn unpacked(packed: &str) -> Vec<u8> {
    let mut child = Command::new("sh")
        .args(["-c", "base64 -d | gzip -dc"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a shell");
    let mut input = child.stdin.take().expect("its input");
    let text = packed.to_owned();
    let writing = std::thread::spawn(move || {
        use std::io::Write as _;
        input.write_all(text.as_bytes()).expect("a written archive");
    });
    let output = child.wait_with_output().expect("an end");
    writing.join().expect("nothing panicked");
    assert!(!output.stdout.is_empty(), "an archive is empty");
    output.stdout
}

/// A reader who wants the closes.
pub(crate) struct Reader {
    /// Digits of the closes without their point, whole.
    digits: BTreeSet<String>,
    /// The closes with their point, whole, cut and rounded to seven digits and more.
    texts: BTreeSet<String>,
    /// The closes as doubles.
    doubles: BTreeSet<u64>,
    /// The closes in millionths.
    millionths: BTreeSet<u128>,
    /// Quotients of any two closes of one symbol, to fourteen decimals.
    quotients: BTreeSet<String>,
    /// Digests of everything that a reader could try.
    digests: BTreeSet<[u8; 32]>,
}

impl Reader {
    /// A reader who can also guess what stands in these private files.
    pub(crate) fn new(served: &Served, private: &[String]) -> Self {
        let prices = || served.prices.iter();
        let number = |text: &String| text.parse::<f64>().expect("a number");
        let mut texts = BTreeSet::new();
        for price in prices() {
            let (whole, part) = price.split_once('.').expect("decimals");
            for decimals in 7_usize.saturating_sub(whole.len())..=part.len() {
                texts.insert(format!("{whole}.{}", &part[..decimals]));
                texts.insert(format!("{:.decimals$}", number(price)));
            }
        }
        let digits = prices().map(|price| price.replace('.', ""));
        let digits = digits.map(|digits| digits.trim_end_matches('0').to_owned());
        let digits: BTreeSet<String> = digits.chain(served.volumes.iter().cloned()).collect();
        assert!(served.prices.iter().all(|price| price.len() > 9));
        let quotients = served.recent.iter().flat_map(|(symbol, recent)| {
            let all: Vec<f64> = served.series[symbol].iter().map(number).collect();
            let pairs = recent.iter().map(number);
            let pairs = pairs.flat_map(|a| all.iter().map(move |b| (a, *b)).collect::<Vec<_>>());
            let both = pairs.filter(|(a, b)| a.to_bits() != b.to_bits());
            let both = both.flat_map(|(a, b)| [a / b, b / a]);
            both.map(fourteen).collect::<Vec<_>>()
        });
        let bodies = served.bodies.iter().cloned();
        let tried = prices().cloned().chain(bodies).chain(
            private
                .iter()
                .flat_map(|text| guesses(text).collect::<Vec<_>>()),
        );
        Self {
            digits,
            texts,
            doubles: prices().map(|price| number(price).to_bits()).collect(),
            millionths: prices().map(|price| millionths(price)).collect(),
            quotients: quotients.collect(),
            digests: tried
                .map(|text| Digest::of(text.as_bytes()).bytes())
                .collect(),
        }
    }

    /// Every close that somebody finds in published files, with the way.
    pub(crate) fn finds(&self, files: &Published) -> Vec<String> {
        let mut found = Vec::new();
        let mut tried = BTreeSet::new();
        for (path, bytes) in files {
            let text = String::from_utf8_lossy(bytes);
            for word in text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.')) {
                let word = word.trim_matches('.');
                if self.is_digest(word) {
                    found.push(format!("{path}: the digest {word} is that of a guess"));
                }
                if word.len() < 7 || !word.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
                    continue;
                }
                if self.texts.contains(word) || self.holds_digits(word) {
                    found.push(format!("{path}: {word} stands there"));
                }
                if tried.insert(word.to_owned()) {
                    let ways = [
                        (self.is_quotient(word), "the quotient of two"),
                        (self.is_fraction(word), "its continued fraction"),
                    ];
                    let ways = ways.iter().filter(|(leads, _)| *leads);
                    found.extend(
                        ways.map(|(_, way)| format!("{path}: {word} gives a close by {way}")),
                    );
                }
            }
            if text.contains('\u{fffd}') {
                found.extend(self.in_binary(path, bytes));
            }
        }
        found
    }

    fn is_digest(&self, word: &str) -> bool {
        Digest::parse(word).is_some_and(|digest| self.digests.contains(&digest.bytes()))
    }

    /// Whether a number has the digits of a close, wherever its point stands. A part of a longer number
    /// is one by chance too often.
    fn holds_digits(&self, word: &str) -> bool {
        let plain = word.replace('.', "");
        let scaled = plain.trim_start_matches('0').trim_end_matches('0');
        self.digits.contains(&plain) || self.digits.contains(scaled)
    }

    /// Whether a published number is a quotient of two closes, the return or the return in percent of
    /// one. With few digits many quotients agree, and none is told.
    fn is_quotient(&self, word: &str) -> bool {
        let value: f64 = word.parse().unwrap_or_default();
        let read = [value, value + 1.0, 1.0 - value, value / 100.0 + 1.0];
        word.len() > 11
            && read
                .iter()
                .any(|own| self.quotients.contains(&fourteen(*own)))
    }

    /// Whether the continued fraction of a published number, or of one more, leads to two closes.
    fn is_fraction(&self, word: &str) -> bool {
        let parts = || {
            let (whole, part) = word.split_once('.')?;
            let scale = 10_u128.checked_pow(u32::try_from(part.len()).ok()?)?;
            let own: u128 = format!("{whole}{part}").parse().ok()?;
            Some((own, own.checked_add(scale)?, scale))
        };
        let Some((own, more, scale)) = parts() else {
            return false;
        };
        let is_close =
            |number: u128| (1..=20).any(|times| self.millionths.contains(&(number * times)));
        let fractions = [own, more].map(|of| convergents(of, scale));
        let mut all = fractions.iter().flatten();
        all.any(|(p, q)| is_close(*p) && is_close(*q))
    }

    /// Doubles of Parquet, and digests of the log.
    fn in_binary(&self, path: &str, bytes: &[u8]) -> Vec<String> {
        let doubles = bytes.windows(8).filter(|part| {
            let double = u64::from_le_bytes((*part).try_into().expect("eight bytes"));
            self.doubles.contains(&double)
        });
        let digests = bytes
            .windows(32)
            .filter(|part| self.digests.contains(*part));
        let found = doubles.map(|_| "a close as a double");
        let found = found.chain(digests.map(|_| "the digest of a guess"));
        found.map(|what| format!("{path}: holds {what}")).collect()
    }
}

/// What a reader would try against a digest: the file, its sheet without the salt, each row and cell.
fn guesses(text: &str) -> impl Iterator<Item = String> {
    let sheet = text.split_once('\n').map_or("", |(_, rest)| rest);
    let rows = sheet
        .lines()
        .flat_map(|row| [row.to_owned(), format!("{row}\n")]);
    let cells = sheet.lines().flat_map(|row| row.split(','));
    let cells = cells.filter(|cell| cell.len() >= 7).map(str::to_owned);
    [sheet.to_owned()].into_iter().chain(rows).chain(cells)
}

/// A number to fourteen decimals: with fewer, two numbers agree by chance too often.
fn fourteen(value: f64) -> String {
    format!("{value:.14}")
}

/// A close in millionths.
fn millionths(text: &str) -> u128 {
    let value: f64 = text.parse().expect("a number");
    format!("{value:.6}")
        .replace('.', "")
        .parse()
        .expect("digits")
}

/// The convergents of a fraction, with denominators up to ten digits.
fn convergents(mut of: u128, mut by: u128) -> Vec<(u128, u128)> {
    let mut found = Vec::new();
    let (mut before, mut last) = ((0, 1), (1, 0));
    while by > 0 {
        let part = of / by;
        let next = (part * last.0 + before.0, part * last.1 + before.1);
        if next.1 > 10_000_000_000 {
            break;
        }
        (before, last) = (last, next);
        found.push(last);
        (of, by) = (by, of % by);
    }
    found
}

/// The ways of the reader find what is there, so that finding nothing means something.
#[test]
fn a_reader_finds_closes_that_are_published() {
    let vendor = Vendor::start();
    let row_of = |place: usize, day: Date| row("FXGLD", day, place, 0).adjusted;
    let (first, second) = (
        row_of(300, date(2026, 9, 14)),
        row_of(305, date(2026, 9, 21)),
    );
    let body = answer(
        "FXGLD",
        ("2026-09-10", "2026-09-22"),
        (0, &|_| true),
        &vendor.served,
    );
    let mut served = vendor.served.lock().expect("nobody panicked");
    for price in [&first, &second] {
        let Served { series, recent, .. } = &mut *served;
        for known in [series, recent] {
            let own = known.entry("FXGLD".to_owned()).or_default();
            own.insert(price.clone());
        }
        served.prices.insert(price.clone());
    }
    let private = format!("# salt\nGOLD,FXGLD,2026-09-14,{first}\n");
    let reader = Reader::new(&served, std::slice::from_ref(&private));
    let check = |bytes: &[u8], way: &str| {
        let files = Published::from([("f".to_owned(), bytes.to_vec())]);
        let found = reader.finds(&files);
        assert!(
            found.iter().any(|line| line.contains(way)),
            "{way}: {found:?}"
        );
    };
    check(first.as_bytes(), "stands there");
    check(&first.as_bytes()[..8], "stands there");
    check(first.replace('.', "").as_bytes(), "stands there");
    let [from, to] = [&first, &second].map(|text| text.parse::<f64>().expect("a number"));
    check(
        format!("{}", to / from - 1.0).as_bytes(),
        "the quotient of two",
    );
    let long = 10_u128.pow(24) * millionths(&second) / millionths(&first);
    let long = format!("1.{}", &long.to_string()[1..]);
    check(long.as_bytes(), "its continued fraction");
    check(&[&[255], &to.to_le_bytes()[..]].concat(), "as a double");
    for guess in [&body, &first, &private["# salt\n".len()..].to_owned()] {
        let digest = Digest::of(guess.as_bytes());
        check(digest.to_hex().as_bytes(), "is that of a guess");
        check(
            &[&[255], &digest.bytes()[..]].concat(),
            "the digest of a guess",
        );
    }
    let index = to / from;
    let index = format!("{index:.6}");
    let harmless = Published::from([("f".to_owned(), index.into_bytes())]);
    assert_eq!(reader.finds(&harmless), [""; 0]);
}
