use super::*;

#[test]
fn figures_are_read_where_they_are_known() {
    let text = "option_id,return_30d,volatility_30d,status\n\
                    A,0.5,0.25,pass\nB,,,pass\nC,0.1,0.1,fail\n";
    let rows = parse_figures(text.as_bytes()).unwrap();
    let known: Vec<_> = rows
        .iter()
        .map(|r| (r.return_30d, r.volatility_30d))
        .collect();
    assert_eq!(known, [(Some(0.5), Some(0.25)), (None, None), (None, None)]);
    let earlier = parse_figures(b"option_id,return_30d,status\nA,0.5,pass\n").unwrap();
    assert_eq!(earlier[0].volatility_30d, None);
    for (text, part) in [
        ("option_id,return_30d\nA,1\n", "status: missing column"),
        (
            "option_id,return_30d,status\nA,x,pass\n",
            "line 2: return_30d: \"x\"",
        ),
        (
            "option_id,return_30d,status\nA,inf,pass\n",
            "is not a number",
        ),
    ] {
        let fault = parse_figures(text.as_bytes()).unwrap_err().to_string();
        assert!(fault.contains(part), "{fault}");
    }
}
