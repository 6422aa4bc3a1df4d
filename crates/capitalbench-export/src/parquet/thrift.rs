//! The compact Thrift protocol, as far as Parquet's headers and footer need it.

/// Types of the protocol.
const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// One structure being written; fields must come in order of their numbers.
#[derive(Debug, Default)]
pub(crate) struct Struct {
    bytes: Vec<u8>,
    last: i16,
}

impl Struct {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    fn field(&mut self, number: i16, kind: u8) {
        let step = number - self.last;
        if let Ok(step @ 1..=15) = u8::try_from(step) {
            self.bytes.push((step << 4) | kind);
        } else {
            self.bytes.push(kind);
            varint(&mut self.bytes, zigzag(i64::from(number)));
        }
        self.last = number;
    }

    pub(crate) fn i32(mut self, number: i16, value: i32) -> Self {
        self.field(number, I32);
        varint(&mut self.bytes, zigzag(i64::from(value)));
        self
    }

    pub(crate) fn i64(mut self, number: i16, value: i64) -> Self {
        self.field(number, I64);
        varint(&mut self.bytes, zigzag(value));
        self
    }

    pub(crate) fn text(mut self, number: i16, value: &str) -> Self {
        self.field(number, BINARY);
        binary(&mut self.bytes, value.as_bytes());
        self
    }

    pub(crate) fn inner(mut self, number: i16, value: Struct) -> Self {
        self.field(number, STRUCT);
        self.bytes.extend(value.finish());
        self
    }

    pub(crate) fn i32_list(mut self, number: i16, values: &[i32]) -> Self {
        self.field(number, LIST);
        list(&mut self.bytes, I32, values.len());
        for value in values {
            varint(&mut self.bytes, zigzag(i64::from(*value)));
        }
        self
    }

    pub(crate) fn text_list(mut self, number: i16, values: &[&str]) -> Self {
        self.field(number, LIST);
        list(&mut self.bytes, BINARY, values.len());
        for value in values {
            binary(&mut self.bytes, value.as_bytes());
        }
        self
    }

    pub(crate) fn struct_list(mut self, number: i16, values: Vec<Struct>) -> Self {
        self.field(number, LIST);
        list(&mut self.bytes, STRUCT, values.len());
        for value in values {
            self.bytes.extend(value.finish());
        }
        self
    }

    /// The bytes, with the mark that ends a structure.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}

fn list(out: &mut Vec<u8>, kind: u8, length: usize) {
    if let Ok(short @ 0..=14) = u8::try_from(length) {
        out.push((short << 4) | kind);
    } else {
        out.push(0xf0 | kind);
        varint(out, length as u64);
    }
}

fn binary(out: &mut Vec<u8>, bytes: &[u8]) {
    varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

#[expect(
    clippy::cast_sign_loss,
    reason = "zigzag moves the sign to the lowest bit"
)]
fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

/// Seven bits at a time, lowest first.
pub(crate) fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

#[cfg(test)]
mod tests;
