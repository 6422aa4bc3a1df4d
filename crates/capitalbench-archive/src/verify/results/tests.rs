use super::first_difference;

#[test]
fn the_place_of_a_difference_is_named() {
    let computed = "model,return\na,0.5\nb,0.25\n";
    let check = |stored, expected| assert_eq!(first_difference(computed, stored), expected);
    check(
        "model,return\na,0.5\nb,0.75\n",
        "line 3, return is \"0.75\"; computed \"0.25\"",
    );
    check("model,return\na,0.5\n", "has 1 rows; computed 2");
    check(
        "model,return\r\na,0.5\r\nb,0.25\r\n",
        "differs in its quotes or line ends",
    );
    check(
        "model,score\na,0.5\nb,0.25\n",
        "its columns are not those of this kind of result",
    );
    check("", "the file is empty");
}
