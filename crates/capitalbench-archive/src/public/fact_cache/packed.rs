//! Values as bytes, compact and in a fixed order; what was damaged is read as nothing.

use std::collections::BTreeMap;

use capitalbench_core::values::ids::{Digest, ModelId, OptionId, RoundId, RunId};
use capitalbench_core::values::time::Stamp;
use capitalbench_core::values::units::{BasisPoints, Price, Return};
use jiff::Timestamp;
use jiff::civil::Date;

/// Bytes that are being read.
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.bytes(N)?.try_into().ok()
    }

    /// A length; one that the rest cannot hold is damage and must not reserve memory.
    fn length(&mut self) -> Option<usize> {
        let length = usize::take(self)?;
        (length <= self.0.len()).then_some(length)
    }

    fn text(&mut self) -> Option<&'a str> {
        let length = self.length()?;
        std::str::from_utf8(self.bytes(length)?).ok()
    }
}

/// Something that can be written as bytes and read again.
pub(super) trait Packed: Sized {
    fn put(&self, out: &mut Vec<u8>);
    fn take(from: &mut Reader<'_>) -> Option<Self>;
}

impl Packed for u64 {
    /// Seven bits a byte, the lowest first.
    fn put(&self, out: &mut Vec<u8>) {
        let mut left = *self;
        while left >= 0x80 {
            out.push(u8::try_from(left & 0x7f).unwrap_or_default() | 0x80);
            left >>= 7;
        }
        out.push(u8::try_from(left).unwrap_or_default());
    }

    fn take(from: &mut Reader<'_>) -> Option<Self> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let [byte] = from.array()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }
}

macro_rules! whole_number {
    ($($kind:ty),*) => {$(
        impl Packed for $kind {
            fn put(&self, out: &mut Vec<u8>) {
                u64::try_from(*self).unwrap_or_default().put(out);
            }

            fn take(from: &mut Reader<'_>) -> Option<Self> {
                Self::try_from(u64::take(from)?).ok()
            }
        }
    )*};
}

whole_number!(u32, usize);

impl Packed for i64 {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }

    fn take(from: &mut Reader<'_>) -> Option<Self> {
        from.array().map(Self::from_le_bytes)
    }
}

impl Packed for bool {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn take(from: &mut Reader<'_>) -> Option<Self> {
        match from.array()? {
            [0] => Some(false),
            [1] => Some(true),
            _ => None,
        }
    }
}

impl Packed for f64 {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_bits().to_le_bytes());
    }

    fn take(from: &mut Reader<'_>) -> Option<Self> {
        from.array().map(u64::from_le_bytes).map(Self::from_bits)
    }
}

impl Packed for String {
    fn put(&self, out: &mut Vec<u8>) {
        put_text(self, out);
    }

    fn take(from: &mut Reader<'_>) -> Option<Self> {
        from.text().map(str::to_owned)
    }
}

fn put_text(text: &str, out: &mut Vec<u8>) {
    text.len().put(out);
    out.extend_from_slice(text.as_bytes());
}

impl<T: Packed> Packed for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        if let Some(value) = self {
            value.put(out);
        }
    }

    fn take(from: &mut Reader<'_>) -> Option<Self> {
        if bool::take(from)? {
            T::take(from).map(Some)
        } else {
            Some(None)
        }
    }
}

impl<T: Packed> Packed for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        for value in self {
            value.put(out);
        }
    }

    fn take(from: &mut Reader<'_>) -> Option<Self> {
        let length = from.length()?;
        let mut values = Self::with_capacity(length);
        for _ in 0..length {
            values.push(T::take(from)?);
        }
        Some(values)
    }
}

impl<A: Packed, B: Packed> Packed for (A, B) {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
    }

    fn take(from: &mut Reader<'_>) -> Option<Self> {
        Some((A::take(from)?, B::take(from)?))
    }
}

impl<K: Packed + Ord, V: Packed> Packed for BTreeMap<K, V> {
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        for (key, value) in self {
            key.put(out);
            value.put(out);
        }
    }

    fn take(from: &mut Reader<'_>) -> Option<Self> {
        let pairs = Vec::<(K, V)>::take(from)?;
        Some(pairs.into_iter().collect())
    }
}

macro_rules! id {
    ($($kind:ty),*) => {$(
        impl Packed for $kind {
            fn put(&self, out: &mut Vec<u8>) {
                put_text(self.as_str(), out);
            }

            fn take(from: &mut Reader<'_>) -> Option<Self> {
                Self::parse(from.text()?).ok()
            }
        }
    )*};
}

id!(ModelId, OptionId, RoundId, RunId);

impl Packed for Digest {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.bytes());
    }

    fn take(from: &mut Reader<'_>) -> Option<Self> {
        from.array().map(Self::from_bytes)
    }
}

impl Packed for Date {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.year().to_le_bytes());
        out.extend_from_slice(&self.month().to_le_bytes());
        out.extend_from_slice(&self.day().to_le_bytes());
    }

    fn take(from: &mut Reader<'_>) -> Option<Self> {
        let [y0, y1, month, day] = from.array()?;
        let (month, day) = (i8::from_le_bytes([month]), i8::from_le_bytes([day]));
        Self::new(i16::from_le_bytes([y0, y1]), month, day).ok()
    }
}

impl Packed for Timestamp {
    fn put(&self, out: &mut Vec<u8>) {
        self.as_second().put(out);
        i64::from(self.subsec_nanosecond()).put(out);
    }

    fn take(from: &mut Reader<'_>) -> Option<Self> {
        let second = i64::take(from)?;
        Self::new(second, i32::try_from(i64::take(from)?).ok()?).ok()
    }
}

impl Packed for Stamp {
    fn put(&self, out: &mut Vec<u8>) {
        put_text(self.text(), out);
    }

    fn take(from: &mut Reader<'_>) -> Option<Self> {
        Self::parse(from.text()?)
    }
}

impl Packed for BasisPoints {
    fn put(&self, out: &mut Vec<u8>) {
        self.get().put(out);
    }

    fn take(from: &mut Reader<'_>) -> Option<Self> {
        u32::take(from).map(Self::new)
    }
}

impl Packed for Return {
    fn put(&self, out: &mut Vec<u8>) {
        self.get().put(out);
    }

    fn take(from: &mut Reader<'_>) -> Option<Self> {
        f64::take(from).map(Self::from_fraction)
    }
}

impl Packed for Price {
    fn put(&self, out: &mut Vec<u8>) {
        self.get().put(out);
    }

    fn take(from: &mut Reader<'_>) -> Option<Self> {
        Self::new(f64::take(from)?)
    }
}

/// A struct field by field; a field that is added elsewhere does not compile until it is here.
macro_rules! packed_struct {
    ($kind:ty { $($field:ident),* $(,)? }) => {
        impl Packed for $kind {
            fn put(&self, out: &mut Vec<u8>) {
                let Self { $($field),* } = self;
                $($field.put(out);)*
            }

            fn take(from: &mut Reader<'_>) -> Option<Self> {
                $(let $field = Packed::take(from)?;)*
                Some(Self { $($field),* })
            }
        }
    };
}

/// An enum without fields, by number.
macro_rules! packed_word {
    ($kind:ty { $($word:ident = $number:literal),* $(,)? }) => {
        impl Packed for $kind {
            fn put(&self, out: &mut Vec<u8>) {
                out.push(match self { $(Self::$word => $number),* });
            }

            fn take(from: &mut Reader<'_>) -> Option<Self> {
                match from.bytes(1)? {
                    $([$number] => Some(Self::$word),)*
                    _ => None,
                }
            }
        }
    };
}

pub(super) use {packed_struct, packed_word};
