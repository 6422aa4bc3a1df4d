//! What a store that refuses says, and what is never said.

use crate::store::rounds;
use crate::store_place::{Place, Stores};
use crate::store_server::refuser;

const TOKEN: &str = "recognisable9token8that7nobody6may5see";

#[test]
fn a_refusal_says_what_to_do_and_never_shows_the_token() {
    let test = rounds();
    let body = format!(
        "<Error><Code>ExpiredToken</Code><Message>The token {TOKEN} has expired.</Message>\
         <Token-0>{TOKEN}</Token-0></Error>"
    );
    let mut place = Place::at(&test, &refuser("400 Bad Request", &body), "bench");
    place
        .variables
        .push(("AWS_SESSION_TOKEN", TOKEN.to_owned()));
    let ran = place.push(&test, "rounds").code(2);
    let said = ran.stderr();
    assert!(
        said.contains("400 ExpiredToken: The token … has expired."),
        "{said}"
    );
    assert!(said.contains("set AWS_SESSION_TOKEN"), "{said}");
    assert!(!said.contains(TOKEN) && !said.contains("Token-0"), "{said}");
    let page = Place::at(
        &test,
        &refuser("403 Forbidden", "<html>Welcome</html>"),
        "bench",
    );
    page.push(&test, "rounds")
        .code(2)
        .complains("status 403 and a web page")
        .complains("see that AWS_ENDPOINT_URL leads to the object store itself");
}

#[test]
fn a_key_in_the_address_of_a_store_is_refused_without_repeating_it() {
    let test = rounds();
    let mut place = Stores::Folders.place(&test);
    for address in [
        "s3://KEY:5ecret@bench/x",
        "s3://KEY:5e/cret@bench/x",
        "s3:/K:5ecret@b",
    ] {
        address.clone_into(&mut place.url);
        let said = place.push(&test, "rounds").code(2).stderr();
        assert!(said.contains("use s3://BUCKET/PREFIX"), "{said}");
        assert!(!said.contains("5e"), "{said}");
    }
}
