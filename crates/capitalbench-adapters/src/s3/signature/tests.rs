use jiff::Timestamp;

use super::*;
use crate::secret::ApiKey;

/// The example of Amazon's own page on signing a GET of a list ("GET Bucket (List Objects)").
#[test]
fn the_example_of_the_specification_is_signed_as_it_says() {
    let settings = S3Settings {
        endpoint: String::new(),
        region: "us-east-1".to_owned(),
        bucket: String::new(),
        access_key: "AKIAIOSFODNN7EXAMPLE".to_owned(),
        secret_key: ApiKey::new("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".to_owned()).unwrap(),
        session_token: None,
        now: || Timestamp::from_second(1_369_353_600).unwrap(),
    };
    let url = Url::parse("https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J").unwrap();
    let Signed { headers } = sign(&settings, "GET", &url, b"");
    let (_, authorization) = &headers[0];
    let expected = "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7";
    assert!(
        authorization.ends_with(expected),
        "{}",
        authorization.as_str()
    );
}

#[test]
fn values_of_a_query_are_escaped_as_the_signature_wants_it() {
    assert_eq!(escaped("heads/a b~é"), "heads%2Fa%20b~%C3%A9");
}

#[test]
fn a_key_goes_over_the_wire_as_it_is_signed() {
    let key = "env=prod/(a)+!:@,;'$&*/é ~.json";
    let path = "/bench/env%3Dprod/%28a%29%2B%21%3A%40%2C%3B%27%24%26%2A/%C3%A9%20~.json";
    let mut url = Url::parse("https://s3.example.org/bench").unwrap();
    url.set_path(&format!("{}/{}", url.path(), escaped_path(key)));
    assert_eq!(url.path(), path);
}
