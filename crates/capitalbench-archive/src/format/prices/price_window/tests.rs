use super::*;

const TEXT: &str = "option_id,symbol,date,close,adj_close,dividend,split_factor,volume\n\
        A,AA,2026-03-02,100.0,99.5,0.0,1.0,10.0\nA,AA,2026-03-03,101.5,101.5,0.5,1.0,\nB,BB,2026-03-02,,7.25,,,\n";

#[test]
fn written_content_reads_back() {
    let windows = parse(TEXT.as_bytes()).unwrap();
    assert_eq!(windows.len(), 2);
    assert_eq!(windows[0].sessions[1].dividend, Some(0.5));
    assert_eq!(render(&windows), TEXT);
}

#[test]
fn other_content_is_refused() {
    for (old, new, part) in [
        ("volume", "shares", "its columns must be"),
        (
            "101.5,101.5",
            "0,101.5",
            "line 3: close: \"0\" is not a price above zero",
        ),
        ("0.5,1.0", "-1,1.0", "dividend: \"-1\" is not a number"),
        ("2026-03-03", "2026-03-02", "does not come after"),
        ("2026-03-03", "soon", "is not a day"),
        ("B,BB", ",BB", "option_id"),
    ] {
        let text = TEXT.replacen(old, new, 1);
        let fault = parse(text.as_bytes()).unwrap_err().to_string();
        assert!(fault.contains(part), "{fault}");
    }
    let apart = format!("{TEXT}A,AA,2026-03-04,1,1,,,\n");
    let fault = parse(apart.as_bytes()).unwrap_err().to_string();
    assert!(fault.contains("has rows in two places"), "{fault}");
}

#[test]
fn indexes_stand_in_place_of_adjusted_closes_and_read_back() {
    let text = "option_id,symbol,date,index\nA,AA,2026-03-02,1.0\nA,AA,2026-03-03,1.0133\n";
    let windows = parse(text.as_bytes()).unwrap();
    let sessions = &windows[0].sessions;
    assert_eq!(sessions[1].adjusted.map(Price::get), Some(1.0133));
    assert_eq!((sessions[1].close, sessions[1].dividend), (None, None));
    assert_eq!(render_indexes(&windows), text);
    assert!(is_indexed(text.as_bytes()) && !is_indexed(TEXT.as_bytes()));
    let fault = parse(text.replace("1.0133", "0").as_bytes()).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "line 3: index: \"0\" is not a price above zero"
    );
}
