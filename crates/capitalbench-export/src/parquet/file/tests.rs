use super::*;

fn file(columns: &[Column<'_>]) -> Vec<u8> {
    let mut writer = Writer::begin(Vec::new(), columns).unwrap();
    writer.group(columns).unwrap();
    writer.finish().unwrap()
}

#[test]
fn a_file_begins_and_ends_as_it_must_and_is_the_same_every_time() {
    let columns = [Column {
        name: "n",
        presence: Presence::Optional,
        values: Values::Integer(vec![Some(1), None, Some(3)]),
    }];
    let bytes = file(&columns);
    assert_eq!(bytes, file(&columns));
    assert_eq!(
        (&bytes[..4], &bytes[bytes.len() - 4..]),
        (&MAGIC[..], &MAGIC[..])
    );
    let size: [u8; 4] = bytes[bytes.len() - 8..bytes.len() - 4].try_into().unwrap();
    let footer = usize::try_from(i32::from_le_bytes(size)).unwrap();
    assert_eq!(
        bytes[bytes.len() - 8 - footer],
        0x15,
        "version of the footer"
    );
}

#[test]
fn missing_values_leave_a_gap_in_the_levels_only() {
    let values = Values::Flag(vec![Some(true), None, Some(false), Some(true)]);
    let (present, bytes) = values.encoded();
    assert_eq!(present, [true, false, true, true]);
    assert_eq!(bytes, [0b101]);
    assert_eq!(bits(&[true; 9]), [0xff, 1]);
}
