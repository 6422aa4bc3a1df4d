use super::*;

#[test]
fn numbers_and_lists_follow_the_protocol() {
    let varint_of = |value| {
        let mut out = Vec::new();
        varint(&mut out, value);
        out
    };
    assert_eq!(varint_of(300), [0xac, 0x02]);
    assert_eq!((zigzag(0), zigzag(-1), zigzag(1)), (0, 1, 2));
    let written = Struct::new().i32(1, 1).text(4, "a").i64(40, -1).finish();
    assert_eq!(written, [0x15, 2, 0x38, 1, b'a', 0x06, 80, 1, 0]);
    let long = Struct::new().i32_list(1, &[0; 15]).finish();
    assert_eq!(long[..3], [0x19, 0xf5, 15]);
}
