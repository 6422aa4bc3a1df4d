use super::*;

fn refused(status: u16, code: &str) -> &'static str {
    advice(&S3Error::Refused {
        status,
        code: code.to_owned(),
        message: String::new(),
    })
}

#[test]
fn every_usual_refusal_has_its_own_next_step() {
    let told = [
        (403, "RequestTimeTooSkewed", "clock of this machine"),
        (301, "PermanentRedirect", "AWS_REGION"),
        (301, "", "AWS_REGION"),
        (400, "AuthorizationHeaderMalformed", "AWS_REGION"),
        (404, "NoSuchBucket", "name of the bucket"),
        (403, "AccessDenied", "ListBucket"),
        (403, "", "ListBucket"),
        (400, "ExpiredToken", "AWS_SESSION_TOKEN"),
        (400, "InvalidToken", "AWS_SESSION_TOKEN"),
        (403, "InvalidAccessKeyId", "AWS_ACCESS_KEY_ID"),
        (403, "SignatureDoesNotMatch", "AWS_SECRET_ACCESS_KEY"),
        (503, "SlowDown", "too busy"),
        (503, "", "too busy"),
        (501, "NotImplemented", "honours conditional writes"),
        (400, "Odd", "are those of the bucket"),
    ];
    for (status, code, word) in told {
        let step = refused(status, code);
        assert!(step.contains(word), "{status} {code}: {step}");
    }
    let page = advice(&S3Error::Page { status: 200 });
    assert!(page.contains("web page"), "{page}");
    let reason = "refused".to_owned();
    let unreachable = advice(&S3Error::Http(HttpError::Connect { reason }));
    assert!(unreachable.contains("server runs"), "{unreachable}");
}
