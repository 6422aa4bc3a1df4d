//! `publish-report` and `publish-round-summary`: what people read, and what nobody may smuggle in.

use crate::harness::{MONTHLY, RUN, Test, WEEKLY};

const REPORT: [&str; 3] = ["publish-report", "--round", WEEKLY];

#[test]
fn a_resolved_round_is_told_with_its_chart() {
    let test = Test::weekly();
    test.run(&REPORT).code(0).says("report.svg (resolved)");
    let report = test.read(&format!("{RUN}/results/report.md"));
    for part in [
        "**resolved** · official run",
        "| 1 | anthropic-fixture-b | 41.2 | +1.33 % | +1.92 % | +1.90 % | yes | yes |",
        "Reference -0.58 %. Best option +3.24 %.",
        "](report.svg)",
        "Every frozen input has the digest it was frozen with.",
    ] {
        assert!(report.contains(part), "no {part:?} in {report}");
    }
    let chart = test.read(&format!("{RUN}/results/report.svg"));
    assert!(chart.contains("anthropic-fixture-b"), "{chart}");
    assert!(chart.contains("best option +3.24 %"), "{chart}");
    let before = test.tree();
    test.run(&REPORT).code(0);
    assert_eq!(before, test.tree());
    assert_eq!(test.codes(), [""; 0]);
}

#[test]
fn the_text_of_a_model_stays_text() {
    let raw = format!("{RUN}/submissions/raw/openai-fixture-a.json");
    let reply = Test::weekly().read(&raw);
    let start = reply.find("\"rationale_summary\": \"").unwrap() + 22;
    let end = start + reply[start..].find('"').unwrap();
    let hostile = "a | b <script>alert(1)</script> [x](http://evil.example) \\n# head ![i](u)";
    let spoiled = format!("{}{hostile}{}", &reply[..start], &reply[end..]);
    let test = Test::weekly().write(&raw, spoiled);
    // Once the window is open again nothing but the decisions is told.
    let open = [&REPORT[..], &["--now", "2026-03-05T00:00:00Z"]].concat();
    test.run(&open).code(0).says("report.md (pending)");
    let report = test.read(&format!("{RUN}/results/report.md"));
    assert!(
        report.contains("a \\| b &lt;script&gt;alert\\(1\\)&lt;/script&gt;"),
        "{report}"
    );
    for bad in ["<script", "](http", "\n# head", "![i]", "41.2", "+1.33 %"] {
        assert!(!report.contains(bad), "{bad} in {report}");
    }
}

#[test]
fn official_and_consistency_run_stand_side_by_side() {
    let test = Test::round(MONTHLY);
    let summary = |official: &'static str, stability: &'static str| {
        let flags = [
            "--official-run-id",
            official,
            "--stability-run-id",
            stability,
        ];
        test.run(&[&["publish-round-summary", "--round", MONTHLY], &flags[..]].concat())
    };
    summary("official-1", "stability-1").code(0);
    let summed = test.read("round_summary.md");
    assert!(
        summed.contains("| openai-fixture-a | 5 | 0 | GOLD | 60 % | +2.85 % |"),
        "{summed}"
    );
    assert!(summed.contains("| rank | model | score |"), "{summed}");
    summary("stability-1", "official-1")
        .code(2)
        .complains("--official-run-id stability-1: is a run of the type stability");
}
