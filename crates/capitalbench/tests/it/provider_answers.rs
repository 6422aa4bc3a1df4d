//! Every answer of `fixtures/answers`, played to the program in one official round: what the ledger
//! holds, what is asked again, and what it cost.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::sync::{Arc, Mutex};

use capitalbench_operations::asking::providers::PROVIDERS;
use capitalbench_testing::answers::{Counted, Filling, Recorded, recorded};
use serde_json::{Value, json};

use crate::fake_models::{FAR, KEY, ROUND, V1_1, decision, frozen_with};
use crate::harness::{Ran, Test};
use crate::scripted_models::{Answer, serve};

/// USD per million tokens on the price card of the test.
const INPUT_USD: f64 = 1.0;
const OUTPUT_USD: f64 = 10.0;

/// The answers whose provider exists, and how often each model was asked.
struct Corpus {
    all: Vec<Recorded>,
    asked: Mutex<BTreeMap<usize, usize>>,
}

/// The model's name in the round: letters, digits and dashes.
fn model_id(recorded: &Recorded) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    recorded.id().chars().map(plain).collect()
}

fn is_known(recorded: &Recorded) -> bool {
    PROVIDERS
        .iter()
        .any(|(name, ..)| *name == recorded.provider)
}

impl Corpus {
    fn new() -> Self {
        let all = recorded().into_iter().filter(is_known).collect();
        let asked = Mutex::default();
        Self { all, asked }
    }

    /// The line's own answer first, then a plain success of the same provider.
    fn answer(&self, path: &str, question: &Value) -> Answer {
        let index = path.split('/').nth(1).and_then(|part| part.parse().ok());
        let index: usize = index.expect("the number of a line in the path");
        let before = {
            let mut asked = self.asked.lock().expect("nobody panicked");
            let count = asked.entry(index).or_default();
            *count += 1;
            *count - 1
        };
        let line = &self.all[index];
        // Nothing is gained by waiting in a test.
        let decision = decision(question);
        let filling = Filling {
            decision: &decision,
            wait: 0.0,
        };
        let (line, body) = match before {
            0 => (line, line.body(&filling)),
            _ => self.success(line, &filling),
        };
        let mut headers = String::new();
        for (name, value) in line.headers(&filling) {
            let _ = write!(headers, "{name}: {value}\r\n");
        }
        Answer::raw(line.line.status, headers, body)
    }

    fn plain_success(&self, of: &Recorded) -> &Recorded {
        let fits =
            |one: &&Recorded| one.provider == of.provider && one.line.name == "plain_success";
        self.all.iter().find(fits).expect("a plain success")
    }

    /// A plain success under the name that was asked for.
    fn success(&self, of: &Recorded, filling: &Filling<'_>) -> (&Recorded, Vec<u8>) {
        let plain = self.plain_success(of);
        let mut body: Value = serde_json::from_slice(&plain.body(filling)).expect("JSON");
        for name in ["model", "modelVersion"] {
            if body.get(name).is_some() {
                body[name] = json!(of.line.model);
            }
        }
        (plain, body.to_string().into_bytes())
    }

    /// The models file and the price card.
    fn files(&self, address: &str) -> (String, String) {
        let mut models = "models:\n".to_owned();
        let mut prices: BTreeMap<&str, BTreeMap<&str, Value>> = BTreeMap::new();
        for (index, one) in self.all.iter().enumerate() {
            let (id, line) = (model_id(one), &one.line);
            let metadata = json!({"served_models": line.settings.served_models,
                                  "routing": line.settings.routing});
            let metadata = without_empty(metadata);
            let _ = write!(
                models,
                "- model_id: {id}\n  provider: {}\n  api_model_name: {}\n  \
                 base_url: {address}/{index}\n  api_key_env: CANARY_KEY\n  \
                 max_completion_tokens: 4000\n  metadata: {metadata}\n",
                one.provider,
                json!(line.model),
            );
            let price = json!({"input_per_1m_tokens_usd": INPUT_USD,
                               "output_per_1m_tokens_usd": OUTPUT_USD});
            let of_provider = prices.entry(&one.provider).or_default();
            of_provider.insert(&line.model, price);
        }
        (models, json!({"pricing": prices}).to_string())
    }
}

fn without_empty(mut object: Value) -> Value {
    if let Some(fields) = object.as_object_mut() {
        fields.retain(|_, value| *value != json!([]));
    }
    object
}

/// A frozen round with all of them, asked once.
fn play() -> (Arc<Corpus>, Test, Ran) {
    let corpus = Arc::new(Corpus::new());
    let played = Arc::clone(&corpus);
    let address = serve(move |path, body| played.answer(path, body));
    let (models, prices) = corpus.files(&address);
    let test = frozen_with(&models, FAR, V1_1);
    fs::write(test.path("prices.yaml"), prices).expect("a price card");
    let line = format!(
        "run-round --round {ROUND} --models models.yaml --pricing prices.yaml --run-id first \
         --run-type official --yes --allow-real-api-calls --max-retries 1 --max-concurrent 16 \
         --retry-pause 0.005 --json"
    );
    let words: Vec<&str> = line.split_whitespace().collect();
    let ran = test.run_with(&[("CANARY_KEY", KEY)], &words);
    (corpus, test, ran)
}

/// What the ledger holds of an attempt.
fn ended(test: &Test, id: &str, attempt: usize) -> Value {
    let file = format!("{ROUND}/runs/first/attempts/{id}__{attempt:03}.ended.json");
    let stored = fs::read_to_string(test.path(&file));
    let stored = stored.unwrap_or_else(|error| panic!("{id}: {error}"));
    serde_json::from_str(&stored).expect("JSON")
}

/// The card's figure for tokens that were counted.
#[expect(clippy::cast_precision_loss, reason = "a few thousand tokens")]
fn by_card(tokens: Counted) -> Option<f64> {
    let (input, output) = (tokens.input? as f64, tokens.output? as f64);
    Some((input * INPUT_USD + output * OUTPUT_USD) / 1e6)
}

/// Everything that the first attempt's record says otherwise than its line expects.
fn differences(line: &Recorded, ended: &Value) -> Vec<String> {
    let expect = &line.line.expect;
    let mut pairs = vec![(
        "outcome",
        ended["reason"].as_str().unwrap_or("valid").into(),
        json!(expect.outcome),
    )];
    if let Some(tokens) = expect.tokens {
        let counts = [
            ("input_tokens", tokens.input),
            ("output_tokens", tokens.output),
        ];
        pairs.extend(counts.map(|(name, count)| (name, ended[name].clone(), json!(count))));
        let parts = [
            ("cached_tokens", tokens.cached),
            ("cache_write_tokens", tokens.cache_written),
            ("reasoning_tokens", tokens.reasoning),
        ];
        // A part that is not named is a part of nothing.
        let parts = parts.map(|(name, count)| {
            let is = ended[name].as_u64().unwrap_or(0);
            (name, json!(is), json!(count.unwrap_or(0)))
        });
        pairs.extend(parts);
    }
    let texts = [
        ("served_model", &expect.served_model),
        ("service_tier", &expect.service_tier),
        ("answered_by", &expect.answered_by),
    ];
    let given = texts.iter().filter(|(_, should)| should.is_some());
    pairs.extend(given.map(|(name, should)| (*name, ended[*name].clone(), json!(should))));
    let differ = |(_, is, should): &&(&str, Value, Value)| is != should;
    let found = pairs.iter().filter(differ);
    let text = |(name, is, should): &(&str, Value, Value)| {
        format!("{}: {name} is {is}, expected {should}", line.id())
    };
    found.map(text).collect()
}

/// What an attempt must have cost; none where nobody can know.
fn cost(line: &Recorded) -> Option<f64> {
    let expect = &line.line.expect;
    expect
        .billed_usd
        .or_else(|| expect.tokens.and_then(by_card))
}

/// Whether the record of an attempt holds this cost.
fn costs(ended: &Value, expected: Option<f64>) -> bool {
    match (ended["cost_usd"].as_f64(), expected) {
        (Some(is), Some(should)) => (is - should).abs() < 1e-9,
        (is, should) => is.is_none() && should.is_none(),
    }
}

#[test]
fn the_ledger_holds_every_recorded_answer_as_its_line_expects() {
    let (corpus, test, ran) = play();
    let report = ran.json();
    let slots = report["slots"].as_array().expect("slots");
    assert_eq!(slots.len(), corpus.all.len());
    let asked = corpus.asked.lock().expect("nobody panicked").clone();
    let mut wrong = Vec::new();
    let mut sum = 0.0;
    for (index, line) in corpus.all.iter().enumerate() {
        let (id, expect) = (model_id(line), &line.line.expect);
        let first = ended(&test, &id, 1);
        wrong.extend(differences(line, &first));
        if !costs(&first, cost(line)) {
            wrong.push(format!(
                "{id}: {} instead of {:?}",
                first["cost_usd"],
                cost(line)
            ));
        }
        sum += cost(line).unwrap_or(0.0);
        let calls = if expect.asked_again { 2 } else { 1 };
        let slot = slots.iter().find(|slot| slot["model_id"] == id.as_str());
        let attempts = slot.and_then(|slot| slot["attempts"].as_array());
        let attempts = attempts.expect("attempts").len();
        let made = asked.get(&index).copied().unwrap_or(0);
        if (made, attempts) != (calls, calls) {
            wrong.push(format!(
                "{id}: {made} requests and {attempts} attempts, expected {calls}"
            ));
            continue;
        }
        if calls == 2 {
            let plain = corpus.plain_success(line);
            let second = ended(&test, &id, 2);
            if second["status"] != "valid" || !costs(&second, cost(plain)) {
                wrong.push(format!("{id}: the second attempt is {second}"));
            }
            sum += cost(plain).unwrap_or(0.0);
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    let recorded = report["cost_usd"].as_f64().expect("a sum");
    assert!((recorded - sum).abs() < 1e-6, "{recorded} instead of {sum}");
    no_good_answer_is_thrown_away(&corpus, slots);
    test.run(&["verify", ROUND]).code(0).says("0 errors");
    for (path, text) in test.tree() {
        assert!(!text.contains(KEY), "the key is in {path}");
    }
}

fn no_good_answer_is_thrown_away(corpus: &Corpus, slots: &[Value]) {
    let good = corpus
        .all
        .iter()
        .filter(|line| line.line.expect.outcome == "valid");
    let mut kept = 0;
    for line in good {
        let id = model_id(line);
        let slot = slots.iter().find(|slot| slot["model_id"] == id.as_str());
        let slot = slot.expect("a slot");
        assert_eq!(slot["state"], "valid", "{id} was thrown away: {slot}");
        kept += 1;
    }
    assert!(kept >= 150, "only {kept} good answers");
}

#[test]
fn no_service_of_the_corpus_is_missing() {
    let missing = recorded().into_iter().filter(|one| !is_known(one));
    let missing: Vec<String> = missing.map(|one| one.provider).collect();
    assert_eq!(missing, [""; 0]);
}
