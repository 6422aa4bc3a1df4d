//! Flat tables as Parquet: one file, row groups of a fixed size, PLAIN pages packed with gzip.
//!
//! A table of ours has no nesting, so the part of the format that is needed is small enough to be
//! written here; docs/design/parquet.md compares it with the usual library.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::thrift::{Struct, varint};

/// Most rows of a row group.
pub(crate) const GROUP_ROWS: usize = 100_000;
/// The first and the last bytes of a file.
const MAGIC: &[u8; 4] = b"PAR1";
const PLAIN: i32 = 0;
const RLE: i32 = 3;
const GZIP: i32 = 2;

/// A column with its values; a missing one is `None`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Column<'a> {
    pub(crate) name: &'a str,
    /// Whether a value may be missing.
    pub(crate) presence: Presence,
    /// One value per row.
    pub(crate) values: Values<'a>,
}

/// Whether a value may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    /// Every row has one.
    Required,
    /// Some rows may have none.
    Optional,
}

/// Values of one type.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Values<'a> {
    /// UTF-8 text.
    Text(Vec<Option<&'a str>>),
    /// Whole numbers.
    Integer(Vec<Option<i64>>),
    /// Doubles.
    Real(Vec<Option<f64>>),
    /// Yes or no.
    Flag(Vec<Option<bool>>),
    /// Days since 1970-01-01.
    Day(Vec<Option<i32>>),
    /// Microseconds since 1970-01-01T00:00:00Z.
    Instant(Vec<Option<i64>>),
}

impl Values<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Text(values) => values.len(),
            Self::Integer(values) | Self::Instant(values) => values.len(),
            Self::Real(values) => values.len(),
            Self::Flag(values) => values.len(),
            Self::Day(values) => values.len(),
        }
    }

    /// The physical type, and the converted one where there is one.
    fn kind(&self) -> (i32, Option<i32>) {
        match self {
            Self::Flag(_) => (0, None),
            Self::Day(_) => (1, Some(6)),
            Self::Integer(_) => (2, None),
            Self::Instant(_) => (2, Some(10)),
            Self::Real(_) => (5, None),
            Self::Text(_) => (6, Some(0)),
        }
    }

    /// Which rows have a value, and those values as PLAIN bytes.
    fn encoded(&self) -> (Vec<bool>, Vec<u8>) {
        match self {
            Self::Text(values) => plain(values, |out, text| {
                out.extend(length(text.len()).to_le_bytes());
                out.extend_from_slice(text.as_bytes());
            }),
            Self::Integer(values) | Self::Instant(values) => plain(values, |out, value| {
                out.extend(value.to_le_bytes());
            }),
            Self::Real(values) => plain(values, |out, value| {
                out.extend(value.to_le_bytes());
            }),
            Self::Day(values) => plain(values, |out, value| {
                out.extend(value.to_le_bytes());
            }),
            Self::Flag(values) => {
                let present = values.iter().map(Option::is_some).collect();
                let given: Vec<bool> = values.iter().copied().flatten().collect();
                (present, bits(&given))
            }
        }
    }
}

fn plain<T: Copy>(values: &[Option<T>], put: impl Fn(&mut Vec<u8>, T)) -> (Vec<bool>, Vec<u8>) {
    let mut out = Vec::new();
    for value in values.iter().copied().flatten() {
        put(&mut out, value);
    }
    (values.iter().map(Option::is_some).collect(), out)
}

/// Bits, lowest first.
fn bits(flags: &[bool]) -> Vec<u8> {
    let byte = |eight: &[bool]| {
        let set = eight.iter().enumerate().filter(|(_, flag)| **flag);
        set.fold(0_u8, |byte, (place, _)| byte | (1 << place))
    };
    flags.chunks(8).map(byte).collect()
}

/// A length as the format writes it; a row group never comes near the limit.
fn length(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

fn offset(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// A file that is written one row group at a time.
#[derive(Debug)]
pub(crate) struct Writer<W> {
    out: W,
    written: usize,
    rows: usize,
    schema: Vec<Struct>,
    groups: Vec<Struct>,
}

impl<W: Write> Writer<W> {
    /// Begins a file with the names and types of these columns; their values do not count.
    pub(crate) fn begin(mut out: W, columns: &[Column<'_>]) -> io::Result<Self> {
        out.write_all(MAGIC)?;
        Ok(Self {
            out,
            written: MAGIC.len(),
            rows: 0,
            schema: schema(columns),
            groups: Vec::new(),
        })
    }

    /// Adds a row group; the columns all have the same number of rows, at most [`GROUP_ROWS`].
    pub(crate) fn group(&mut self, columns: &[Column<'_>]) -> io::Result<()> {
        let rows = columns.first().map_or(0, |column| column.values.len());
        debug_assert!(columns.iter().all(|column| column.values.len() == rows));
        let mut chunks = Vec::with_capacity(columns.len());
        let mut size = 0;
        for column in columns {
            let mut page = Vec::new();
            let (chunk, bytes) = chunk(&mut page, column, self.written);
            self.out.write_all(&page)?;
            self.written += page.len();
            chunks.push(chunk);
            size += bytes;
        }
        self.rows += rows;
        self.groups.push(
            Struct::new()
                .struct_list(1, chunks)
                .i64(2, size)
                .i64(3, offset(rows)),
        );
        Ok(())
    }

    /// Ends the file.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        let footer = Struct::new()
            .i32(1, 1)
            .struct_list(2, self.schema)
            .i64(3, offset(self.rows))
            .struct_list(4, self.groups)
            .text(6, "capitalbench")
            .finish();
        self.out.write_all(&footer)?;
        self.out.write_all(&length(footer.len()).to_le_bytes())?;
        self.out.write_all(MAGIC)?;
        Ok(self.out)
    }
}

fn schema(columns: &[Column<'_>]) -> Vec<Struct> {
    let root = Struct::new().text(4, "table").i32(5, length(columns.len()));
    let leaf = |column: &Column<'_>| {
        let (physical, converted) = column.values.kind();
        let repetition = match column.presence {
            Presence::Required => 0,
            Presence::Optional => 1,
        };
        let leaf = Struct::new()
            .i32(1, physical)
            .i32(3, repetition)
            .text(4, column.name);
        match converted {
            Some(converted) => leaf.i32(6, converted),
            None => leaf,
        }
    };
    std::iter::once(root)
        .chain(columns.iter().map(leaf))
        .collect()
}

/// Makes one page that will stand at `start` and describes it, with its size before packing.
fn chunk(out: &mut Vec<u8>, column: &Column<'_>, start: usize) -> (Struct, i64) {
    let (present, values) = column.values.encoded();
    let rows = present.len();
    let mut page = Vec::new();
    if column.presence == Presence::Optional {
        let mut levels = Vec::new();
        varint(&mut levels, ((present.len().div_ceil(8) as u64) << 1) | 1);
        levels.extend(bits(&present));
        page.extend(length(levels.len()).to_le_bytes());
        page.extend(levels);
    }
    page.extend(values);
    let packed = gzip(&page);
    let header = Struct::new()
        .i32(1, 0)
        .i32(2, length(page.len()))
        .i32(3, length(packed.len()))
        .inner(
            5,
            Struct::new()
                .i32(1, length(rows))
                .i32(2, PLAIN)
                .i32(3, RLE)
                .i32(4, RLE),
        )
        .finish();
    let whole = offset(header.len() + page.len());
    let stored = offset(header.len() + packed.len());
    out.extend(header);
    out.extend(packed);
    let (physical, _) = column.values.kind();
    let about = Struct::new()
        .i32(1, physical)
        .i32_list(2, &[PLAIN, RLE])
        .text_list(3, &[column.name])
        .i32(4, GZIP)
        .i64(5, offset(rows))
        .i64(6, whole)
        .i64(7, stored)
        .i64(9, offset(start));
    (Struct::new().i64(2, offset(start)).inner(3, about), whole)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let packed = encoder.write_all(bytes).and_then(|()| encoder.finish());
    // Writing to a Vec cannot fail.
    packed.unwrap_or_default()
}

#[cfg(test)]
mod tests;
