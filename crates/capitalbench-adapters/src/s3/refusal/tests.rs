use reqwest::header::HeaderMap;

use super::*;

const TOKEN: &str = "recognisable9token8that7nobody6may5see";

fn refused(body: &str) -> S3Error {
    let answer = Answer {
        status: 400,
        headers: HeaderMap::new(),
        body: body.as_bytes().to_vec(),
    };
    refusal(&answer, &[&ApiKey::new(TOKEN.to_owned()).unwrap()])
}

#[test]
fn only_the_code_and_the_message_are_shown_and_never_a_token() {
    let body = format!(
        "<?xml version=\"1.0\"?><Error><Code>ExpiredToken</Code><Message>The token {TOKEN} has \
         expired &amp; is gone.</Message><Token-0>{TOKEN}</Token-0></Error>"
    );
    let error = refused(&body);
    let told =
        "the server answered with status 400 ExpiredToken: The token … has expired & is gone.";
    assert_eq!(error.to_string(), told);
    assert!(!format!("{error:?}").contains(TOKEN));
}

#[test]
fn a_web_page_is_told_from_an_answer_of_a_store() {
    let page = S3Error::Page { status: 400 };
    assert_eq!(refused("\n<!DOCTYPE html><p>Welcome"), page);
    assert_eq!(refused("<HTML><Code>A</Code>"), page);
    let silent = refused("gone").to_string();
    assert_eq!(silent, "the server answered with status 400");
}
