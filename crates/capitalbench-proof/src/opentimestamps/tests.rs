use super::*;

const CALENDAR: &[u8] = b"https://alice.example";

fn pending() -> Vec<u8> {
    let mut bytes = vec![ATTESTATION];
    bytes.extend_from_slice(&PENDING);
    bytes.push(u8::try_from(CALENDAR.len() + 1).unwrap());
    bytes.push(u8::try_from(CALENDAR.len()).unwrap());
    bytes.extend_from_slice(CALENDAR);
    bytes
}

#[test]
fn a_calendars_answer_becomes_a_proof_file_that_reads_back() {
    let digest = [7; 32];
    let mut reply = vec![APPEND, 2, 1, 2, SHA256, FORK];
    reply.extend(pending());
    reply.push(PREPEND);
    reply.extend([1, 9, SHA256, ATTESTATION]);
    reply.extend(BITCOIN);
    reply.extend([3, 0x80, 0x89, 0x30]);
    let file = proof_file(&digest, &[3; 16], &reply).unwrap();
    let calendar = String::from_utf8(CALENDAR.to_vec()).unwrap();
    assert_eq!(
        read(&file, &digest).unwrap(),
        [
            Attestation::Pending { calendar },
            Attestation::Bitcoin { height: 787_584 }
        ]
    );
    assert_eq!(read(&file, &[8; 32]), Err(Fault::OtherDocument));
    for length in 0..file.len() {
        assert!(read(&file[..length], &digest).is_err(), "{length}");
    }
    let longer = [&file[..], &[0]].concat();
    assert!(read(&longer, &digest).is_err());
}

#[test]
fn the_commitment_hides_the_digest() {
    let digest: [u8; 32] = Sha256::digest(b"x").into();
    let joined = [&digest[..], &[5; 16]].concat();
    let expected: [u8; 32] = Sha256::digest(joined).into();
    assert_eq!(commitment(&digest, &[5; 16]), expected);
}
