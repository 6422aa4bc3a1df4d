//! Tokens of a real authority, made with `openssl ts` in a temporary folder.

#![expect(
    clippy::disallowed_methods,
    reason = "the authority works in a folder of its own, by the real clock"
)]

use capitalbench_proof::timestamp::{
    Question, Refusal, Root, check, check_below, check_without_root,
};
use jiff::Timestamp;

use capitalbench_testing::authority::{Authority, Key, digest_of};

fn roots(authority: &Authority) -> Vec<Root> {
    Root::from_pem(&authority.root()).expect("a root")
}

fn question() -> Question {
    Question {
        digest: digest_of(b"a checkpoint"),
        nonce: Some(0xfeed_beef_0000_0001),
    }
}

#[test]
fn true_replies_of_every_kind_of_key_are_accepted() {
    for (key, digest, ess) in [
        (Key::Rsa, "sha256", "sha256"),
        (Key::Rsa, "sha512", "sha1"),
        (Key::P256, "sha256", "sha256"),
        (Key::P384, "sha384", "sha384"),
    ] {
        let authority = Authority::new(key, digest, ess);
        let asked = question();
        let reply = authority.answer(&asked.to_query());
        let now = Timestamp::now();
        let stamp = check(&reply, &asked, &roots(&authority), now).expect(digest);
        assert_eq!(stamp.authority, "Stamper");
        assert_eq!(stamp.serial, "02");
        let late = stamp.before.duration_since(now).as_secs_f64();
        assert!((-5.0..=1.5).contains(&late), "{late}");
        assert_eq!(Question::from_query(&asked.to_query()), Ok(asked));
        authority.openssl(
            "ts -verify -queryfile query.tsq -in reply.tsr -CAfile root.pem -untrusted chain.pem",
        );
    }
}

#[test]
fn each_fault_of_a_reply_has_its_own_message() {
    let authority = Authority::usual();
    let asked = question();
    let reply = authority.answer(&asked.to_query());
    let trusted = roots(&authority);
    let now = Timestamp::now();
    let refusal = |question: &Question, roots: &[Root], now: Timestamp| {
        check(&reply, question, roots, now)
            .expect_err("a refusal")
            .to_string()
    };

    let other_document = Question {
        digest: digest_of(b"another"),
        ..asked
    };
    assert!(refusal(&other_document, &trusted, now).starts_with("wrong hash: "));
    let other_question = Question {
        nonce: Some(7),
        ..asked
    };
    assert!(refusal(&other_question, &trusted, now).starts_with("wrong nonce: "));
    let yesterday = now - jiff::SignedDuration::from_hours(24);
    assert!(refusal(&asked, &trusted, yesterday).starts_with("future time: "));
    let stranger = Authority::usual();
    assert!(refusal(&asked, &roots(&stranger), now).starts_with("untrusted root: "));
    assert!(refusal(&asked, &[], now).starts_with("untrusted root: "));

    let unrooted = check_without_root(&reply, &asked, now);
    assert_eq!(unrooted, check(&reply, &asked, &trusted, now));
    assert_eq!(
        check_without_root(&reply, &other_question, now),
        Err(Refusal::OtherNonce)
    );

    let nonce_left_out = authority.answer(
        &Question {
            nonce: None,
            ..asked
        }
        .to_query(),
    );
    assert_eq!(
        check(&nonce_left_out, &asked, &trusted, now),
        Err(Refusal::OtherNonce)
    );
}

#[test]
fn a_certificate_that_had_run_out_is_refused() {
    let authority = Authority::usual();
    authority.let_expire();
    let asked = question();
    let reply = authority.answer(&asked.to_query());
    let refusal = check(&reply, &asked, &roots(&authority), Timestamp::now()).expect_err("expired");
    assert!(matches!(refusal, Refusal::Expired { .. }), "{refusal}");
    assert!(refusal.to_string().starts_with("expired certificate: "));
    let unrooted = check_without_root(&reply, &asked, Timestamp::now());
    assert_eq!(unrooted, Err(refusal));
}

#[test]
fn only_a_certificate_for_time_stamping_alone_stamps_below_a_trusted_root() {
    let authority = Authority::usual();
    let asked = question();
    let nonce = asked.nonce.expect("a nonce");
    let now = Timestamp::now();
    let trusted = roots(&authority);
    let said = |authority: &Authority| {
        let reply = authority.answer_at(&asked.digest, nonce, now);
        check_below(&reply, &asked, &[&[], &trusted], now)
    };
    let (stamp, set) = said(&authority).expect("a stamp");
    assert_eq!((stamp.authority.as_str(), set), ("Stamper", 1));
    for usage in ["web_server", "not_critical", "both_usages"] {
        authority.reissue_as(usage);
        assert_eq!(
            said(&authority),
            Err(Refusal::NotForTimeStamping),
            "{usage}"
        );
    }
}

#[test]
fn the_shipped_roots_are_whole_and_none_of_them_vouches_for_a_stranger() {
    let public = Root::public().expect("roots that can be read");
    assert_eq!(public.len(), 13);
    let authority = Authority::usual();
    let asked = question();
    let reply = authority.answer(&asked.to_query());
    let now = Timestamp::now();
    let refusal = check(&reply, &asked, &public, now).expect_err("a stranger");
    assert!(matches!(refusal, Refusal::Untrusted { .. }), "{refusal}");
    let sets = [&public[..], &roots(&authority)];
    let (_, set) = check_below(&reply, &asked, &sets, now).expect("a stamp");
    assert_eq!(set, 1, "only the second set has a path to it");
}

#[test]
fn a_refusal_by_the_authority_is_quoted() {
    let authority = Authority::usual();
    let reply = authority.answer(b"not a query");
    let refusal = check(&reply, &question(), &roots(&authority), Timestamp::now());
    assert!(
        matches!(&refusal, Err(Refusal::Declined { status: 2, text }) if text.contains("Bad request")),
        "{refusal:?}"
    );
}

#[test]
fn no_changed_byte_of_a_reply_is_accepted_for_another_time_or_document() {
    let authority = Authority::usual();
    let asked = question();
    let reply = authority.answer(&asked.to_query());
    let trusted = roots(&authority);
    let now = Timestamp::now();
    let honest = check(&reply, &asked, &trusted, now).expect("the true reply");
    let mut refused = 0;
    for place in 0..reply.len() {
        for flip in [0x01, 0x80] {
            let mut forged = reply.clone();
            forged[place] ^= flip;
            match check(&forged, &asked, &trusted, now) {
                Err(_) => refused += 1,
                // Bytes outside the signature (unused certificates, list order) carry no claim.
                Ok(stamp) => assert_eq!(stamp, honest, "byte {place}"),
            }
        }
    }
    assert!(
        refused * 10 > reply.len() * 15,
        "{refused} of {}",
        reply.len() * 2
    );
    for length in 0..reply.len() {
        assert!(check(&reply[..length], &asked, &trusted, now).is_err());
    }
}

#[test]
fn a_reply_of_another_instant_is_judged_like_a_true_one() {
    let authority = Authority::usual();
    let asked = question();
    let at: Timestamp = "2024-02-29T12:00:00Z".parse().expect("an instant");
    let nonce = asked.nonce.expect("a nonce");
    let reply = authority.answer_at(&asked.digest, nonce, at);
    let stamp = check(&reply, &asked, &roots(&authority), at).expect("a good reply");
    assert_eq!(stamp.before, at);
    let earlier = at - jiff::SignedDuration::from_hours(1);
    let refusal = check(&reply, &asked, &roots(&authority), earlier);
    assert!(
        matches!(refusal, Err(Refusal::Future { .. })),
        "{refusal:?}"
    );
    authority.write("reply.tsr", &reply);
    authority.write("document", b"a checkpoint");
    authority
        .openssl("ts -verify -data document -in reply.tsr -CAfile root.pem -untrusted chain.pem");
}
