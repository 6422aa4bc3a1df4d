//! `croissant.json`: Croissant 1.1 with the fields about responsible use, over the Parquet files.

use std::collections::BTreeMap;

use capitalbench_core::publication::Publication;
use serde_json::{Value, json};

use super::{KEYWORDS, Publisher, about, day, version};
use crate::shelf::Measure;
use crate::table::{Column, Kind, Table};
use crate::tables;

const COLLECTION: &str = "For each round the operator freezes options, briefing, market table and \
question, and asks every model once, without tools. Every answer is kept and validated; the first valid \
one is the record. After the window, adjusted closes score the portfolios by one rule for all.";
const LIMITATIONS: &str = "Rounds overlap in time, so they are worth fewer independent observations than \
their number; the tables of statistics say how many. A model that missed a round is not backfilled. A \
score is one draw from the market, and nothing here is investment advice.";
const BIASES: &str = "Options, currency and dates are those of the markets that the operator chose. \
Models may know of the past from training, so only rounds that were frozen before their window count. \
Models without a valid answer are named with the reason and are missing from the round's results.";
const USE_CASES: &str = "Comparing how language models allocate capital under the same inputs, and \
testing statistics for such comparisons. Not for choosing investments, nor for training on the answers \
of open rounds.";
const SOCIAL_IMPACT: &str = "Readers could take a lead for skill, or a portfolio for advice; every board \
therefore states what the record may claim.";
const SENSITIVE: &str = "None: the data describe models, funds and markets, and no person.";
const MAINTENANCE: &str = "A later instant only adds rounds, results and corrections that are marked as \
such; the same rounds at the same instant give the same bytes.";

pub(super) fn dataset(
    publication: &Publication,
    publisher: &Publisher<'_>,
    files: &BTreeMap<String, Measure>,
) -> Value {
    let day = day(publication);
    let title = publisher.title();
    let creator = json!({"@type": "sc:Organization", "name": publisher.name});
    let mut whole = json!({
        "@context": context(),
        "@type": "sc:Dataset",
        "conformsTo": [
            "http://mlcommons.org/croissant/1.1",
            "http://mlcommons.org/croissant/RAI/1.0",
        ],
        "name": publisher.word(),
        "alternateName": title,
        "description": about(publication),
        "version": version(publication),
        "datePublished": day,
        "inLanguage": "en",
        "keywords": KEYWORDS,
        "creator": creator,
        "publisher": creator,
        "citeAs": format!("{}. {title}. As of {day}.", publisher.name),
        "isAccessibleForFree": true,
        "isLiveDataset": true,
        "rai:dataCollection": COLLECTION,
        "rai:dataCollectionType": ["Experiments", "Software Collection"],
        "rai:dataLimitations": LIMITATIONS,
        "rai:dataBiases": BIASES,
        "rai:dataUseCases": USE_CASES,
        "rai:dataSocialImpact": SOCIAL_IMPACT,
        "rai:personalSensitiveInformation": SENSITIVE,
        "rai:dataReleaseMaintenancePlan": MAINTENANCE,
        // What models answer is made by machines, and so is an invented market.
        "rai:hasSyntheticData": true,
    });
    if let Some(address) = publisher.address {
        whole["url"] = address.into();
    }
    if let Some(licence) = publisher.licence {
        whole["license"] = licence.address().into();
    }
    let objects = tables::ALL.iter().map(|table| file_object(table, files));
    whole["distribution"] = objects.collect();
    whole["recordSet"] = tables::ALL.iter().map(|table| record_set(table)).collect();
    whole
}

fn parquet(table: &Table) -> String {
    format!("{}.parquet", table.name)
}

fn file_object(table: &Table, files: &BTreeMap<String, Measure>) -> Value {
    let name = parquet(table);
    let mut found = json!({
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "description": table.about,
        "contentUrl": name,
        "encodingFormat": "application/x-parquet",
    });
    if let Some(measure) = files.get(&name) {
        found["contentSize"] = format!("{} B", measure.size).into();
        found["sha256"] = measure.digest.to_hex().into();
    }
    found
}

fn record_set(table: &Table) -> Value {
    let fields = table.columns.iter().map(|column| field(table, column));
    let fields: Vec<Value> = fields.collect();
    json!({
        "@type": "cr:RecordSet",
        "@id": table.name,
        "name": table.name,
        "description": table.about,
        "field": fields,
    })
}

fn field(table: &Table, column: &Column) -> Value {
    let kind = match column.kind {
        Kind::Text => "sc:Text",
        Kind::Integer => "sc:Integer",
        Kind::Real => "sc:Float",
        Kind::Flag => "sc:Boolean",
        Kind::Day => "sc:Date",
        Kind::Instant => "sc:DateTime",
    };
    json!({
        "@type": "cr:Field",
        "@id": format!("{}/{}", table.name, column.name),
        "name": column.name,
        "description": column.meaning,
        "dataType": kind,
        "source": {"fileObject": {"@id": parquet(table)}, "extract": {"column": column.name}},
    })
}

/// The names of the standard, as its own examples give them.
fn context() -> Value {
    let own = [
        "citeAs",
        "column",
        "containedIn",
        "equivalentProperty",
        "extract",
        "field",
        "fileProperty",
        "fileObject",
        "fileSet",
        "format",
        "includes",
        "isArray",
        "isLiveDataset",
        "jsonPath",
        "key",
        "md5",
        "parentField",
        "path",
        "recordSet",
        "references",
        "regex",
        "repeated",
        "replace",
        "samplingRate",
        "separator",
        "source",
        "subField",
        "transform",
        "arrayShape",
        "unArchive",
        "value",
    ];
    let mut names = json!({
        "@language": "en",
        "@vocab": "https://schema.org/",
        "sc": "https://schema.org/",
        "cr": "http://mlcommons.org/croissant/",
        "rai": "http://mlcommons.org/croissant/RAI/",
        "dct": "http://purl.org/dc/terms/",
        "prov": "http://www.w3.org/ns/prov#",
        "wd": "https://www.wikidata.org/wiki/",
        "conformsTo": "dct:conformsTo",
        "data": {"@id": "cr:data", "@type": "@json"},
        "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
        "examples": {"@id": "cr:examples", "@type": "@json"},
    });
    for name in own {
        names[name] = format!("cr:{name}").into();
    }
    names
}
