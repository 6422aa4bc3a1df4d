//! A page: its head, and a body that grows piece by piece.

use std::fmt::Write as _;

use askama::Template;
use bytes::Bytes;
use capitalbench_core::market::reference_name::ReferenceName;
use capitalbench_export::catalogue::ABOUT;
use serde_json::{Value, json};

use crate::figures::instant;
use crate::html::{Html, encode};
use crate::machine::{DATA_ARCHIVE, data_path};
use crate::table::Table;
use crate::{Identity, Input, Logo, glossary};

/// The six links at the top of every page.
pub(crate) const NAVIGATION: [(&str, &str); 6] = [
    ("", "Results"),
    ("live/", "Live"),
    ("rounds/", "Rounds"),
    ("models/", "Models"),
    ("assets/", "Assets"),
    ("method/", "Method"),
];

/// The address of a page. Links are relative to it, so that the site works below any folder.
#[derive(Debug, Clone)]
pub(crate) struct Here {
    path: String,
    root: String,
}

impl Here {
    /// A page at a path such as `rounds/x/`; the home page is the empty path.
    pub(crate) fn new(path: &str) -> Self {
        let depth = path.matches('/').count();
        let root = if depth == 0 {
            "./".to_owned()
        } else {
            "../".repeat(depth)
        };
        Self {
            path: path.to_owned(),
            root,
        }
    }

    /// A page that the host may show at any address; its links begin at the folder of the site.
    pub(crate) fn anywhere(path: &str, root: &str) -> Self {
        Self {
            path: path.to_owned(),
            root: root.to_owned(),
        }
    }

    /// The address of another page or file, seen from this one.
    pub(crate) fn to(&self, path: &str) -> String {
        format!("{}{}", self.root, encode(path))
    }

    /// A link to another page of the site.
    pub(crate) fn link(&self, path: &str, text: &str) -> Html {
        Html::link(&self.to(path), text)
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }
}

/// A page without head, navigation and footer, which [`Site::frame`] adds.
#[derive(Debug)]
pub(crate) struct Page {
    /// Its address.
    pub(crate) here: Here,
    /// Title of the window.
    pub(crate) title: Html,
    pub(crate) heading: Html,
    /// The title without markup.
    plain_title: String,
    /// One sentence for search engines and previews.
    pub(crate) description: Html,
    /// Breadcrumbs: paths and labels.
    pub(crate) crumbs: Vec<(String, String)>,
    /// The image that stands for the page elsewhere.
    pub(crate) image: Option<String>,
    /// Everything below the heading.
    pub(crate) body: Body,
}

impl Page {
    pub(crate) fn new(path: &str, title: &str, description: &str) -> Self {
        Self {
            here: Here::new(path),
            title: Html::text(title),
            heading: Html::text(title),
            plain_title: title.to_owned(),
            description: Html::text(description),
            crumbs: Vec::new(),
            image: None,
            body: Body::default(),
        }
    }

    /// Adds a breadcrumb.
    #[must_use]
    pub(crate) fn below(mut self, path: &str, label: &str) -> Self {
        self.crumbs.push((path.to_owned(), label.to_owned()));
        self
    }
}

#[derive(Template)]
#[template(path = "page.html")]
struct Frame<'a> {
    root: &'a str,
    title: &'a Html,
    description: &'a Html,
    heading: &'a Html,
    nav: Vec<NavItem>,
    crumbs: Vec<(String, Html)>,
    name: Html,
    logo: Option<&'static str>,
    /// Names and addresses of other leagues.
    neighbours: Vec<(Html, String)>,
    synthetic: bool,
    home: bool,
    as_of: Option<&'a str>,
    body: &'a Html,
    meanings: Html,
    /// Where the page stands; none for one that is shown at any address.
    address: Option<String>,
    image: Option<String>,
    /// What search engines read.
    linked: Html,
}

struct NavItem {
    path: &'static str,
    label: &'static str,
    here: bool,
}

/// What all pages share.
#[derive(Debug)]
pub(crate) struct Site {
    /// Every round is invented.
    pub(crate) synthetic: bool,
    /// The instant of the publication, for people.
    pub(crate) as_of: String,
    /// Where the site stands.
    base_url: String,
    identity: Identity,
    /// What the reference of its rounds is called.
    reference: ReferenceName,
}

impl Site {
    pub(crate) fn of(input: &Input<'_>) -> Self {
        Self {
            synthetic: input.publication.synthetic,
            as_of: instant(input.publication.as_of),
            base_url: input.base_url.to_owned(),
            identity: input.identity.clone(),
            reference: input.publication.reference(),
        }
    }

    fn address(&self, page: &Page) -> Option<String> {
        let path = page.here.path();
        (path.is_empty() || path.ends_with('/'))
            .then(|| format!("{}/{}", self.base_url, encode(path)))
    }

    fn neighbours(&self, page: &Page) -> Vec<(Html, String)> {
        let all = self.identity.neighbours.iter();
        all.map(|other| (Html::text(&other.name), page.here.to(&other.address)))
            .collect()
    }

    pub(crate) fn frame(&self, page: &Page) -> Bytes {
        let own = page.here.path();
        let belongs = |path: &str| match path {
            "" => own.is_empty() || own.starts_with("boards/") || own.starts_with("sets/"),
            "models/" => own.starts_with(path) || own.starts_with("compare/"),
            path => own.starts_with(path),
        };
        let nav = NAVIGATION.map(|(path, label)| NavItem {
            path,
            label,
            here: belongs(path),
        });
        let crumbs = page
            .crumbs
            .iter()
            .map(|(path, label)| (page.here.to(path), Html::text(label)))
            .collect();
        let frame = Frame {
            root: &page.here.root,
            title: &page.title,
            description: &page.description,
            heading: &page.heading,
            nav: nav.into(),
            crumbs,
            name: Html::text(&self.identity.name),
            logo: self.identity.logo.as_ref().map(Logo::path),
            neighbours: self.neighbours(page),
            synthetic: self.synthetic,
            home: own.is_empty(),
            // Only pages that show the current state name its instant: the others keep their bytes as time passes.
            as_of: (belongs("") || own.starts_with("live/")).then_some(self.as_of.as_str()),
            body: &page.body.0,
            address: self.address(page),
            image: page
                .image
                .as_ref()
                .map(|path| format!("{}/{}", self.base_url, encode(path))),
            linked: linked_data(self, page),
            meanings: glossary::meanings(page.body.0.as_str(), &self.reference),
        };
        frame.render().unwrap_or_default().into()
    }
}

/// What a page is and where it stands, as search engines read it.
fn linked_data(site: &Site, page: &Page) -> Html {
    let base = &site.base_url;
    let path = page.here.path();
    let url = |path: &str| format!("{base}/{}", encode(path));
    let mut graph = Vec::new();
    if !page.crumbs.is_empty() {
        let own = (path.to_owned(), page.plain_title.clone());
        let trail = page.crumbs.iter().chain(std::iter::once(&own));
        let items = (1..).zip(trail).map(|(position, (path, name))| {
            json!({"@type": "ListItem", "position": position, "name": name, "item": url(path)})
        });
        let items: Vec<Value> = items.collect();
        graph.push(json!({"@type": "BreadcrumbList", "itemListElement": items}));
    }
    if path.is_empty() || path == "method/data/" {
        graph.push(dataset(site, &url(path), &url));
    }
    if graph.is_empty() {
        graph.push(json!({"@type": "WebPage", "url": url(path), "name": page.plain_title}));
    }
    let whole = json!({"@context": "https://schema.org", "@graph": graph}).to_string();
    // Only plain characters, so that nothing in it can be read as markup or hide.
    let mut plain = String::with_capacity(whole.len());
    for unit in whole.encode_utf16() {
        match u8::try_from(unit).map(char::from) {
            Ok(c) if c.is_ascii() && !"<>&".contains(c) => plain.push(c),
            _ => {
                // Writing to a text cannot fail.
                let _ = write!(plain, "\\u{unit:04x}");
            }
        }
    }
    Html::made(plain)
}

/// The data of the site, as catalogues of data find it.
fn dataset(site: &Site, own: &str, url: &dyn Fn(&str) -> String) -> Value {
    let name = &site.identity.name;
    let download = |file: &str, kind: &str| {
        let address = url(&data_path(file));
        json!({"@type": "DataDownload", "name": file, "encodingFormat": kind, "contentUrl": address})
    };
    let mut found = json!({
        "@type": "Dataset",
        "name": format!("{name}: how AI models allocate capital"),
        "description": ABOUT,
        "url": own,
        "isAccessibleForFree": true,
        "creator": {"@type": "Organization", "name": name, "url": url("")},
        "distribution": [
            download(DATA_ARCHIVE, "application/gzip"),
            download("publication.json", "application/json"),
            download("croissant.json", "application/ld+json"),
            download("datapackage.json", "application/json"),
        ],
    });
    if let Some(licence) = &site.identity.licence {
        found["license"] = licence.address().into();
    }
    found
}

/// The body of a page, from top to bottom.
#[derive(Debug, Default)]
pub(crate) struct Body(Html);

impl Body {
    /// A section with its own address.
    pub(crate) fn section(&mut self, id: &str, heading: &str) -> &mut Self {
        let heading = Html::text(heading);
        self.put(&format!("<h2 id=\"{id}\">{heading}</h2>"))
    }

    /// A section without an address of its own.
    pub(crate) fn part(&mut self, heading: impl Into<Html>) -> &mut Self {
        self.add(&Html::wrap("h2", "", &heading.into()))
    }

    /// A lower heading.
    pub(crate) fn heading(&mut self, heading: impl Into<Html>) -> &mut Self {
        self.add(&Html::wrap("h3", "", &heading.into()))
    }

    pub(crate) fn say(&mut self, text: &str) -> &mut Self {
        self.paragraph("", text)
    }

    /// A paragraph of markup with a class.
    pub(crate) fn paragraph(&mut self, class: &str, html: impl Into<Html>) -> &mut Self {
        self.add(&Html::wrap("p", class, &html.into()))
    }

    pub(crate) fn table(&mut self, table: &Table) -> &mut Self {
        self.add(&table.html())
    }

    /// A chart with the same numbers beside it.
    pub(crate) fn figure(&mut self, caption: &str, chart: &Html, table: &Table) -> &mut Self {
        let table = table.html();
        let folded = format!("<details><summary>The same as a table</summary>{table}</details>");
        self.drawing(caption, &Html::made(format!("{chart}{folded}")))
    }

    /// A chart whose numbers stand in a table right below it.
    pub(crate) fn drawing(&mut self, caption: &str, chart: &Html) -> &mut Self {
        let caption = Html::text(caption);
        // A narrow screen scrolls a wide drawing inside its figure, which keys must reach.
        let keyed = chart.as_str().contains("chart keyed");
        let focus = if keyed { "" } else { " tabindex=\"0\"" };
        self.put(&format!(
            "<figure{focus}><figcaption>{caption}</figcaption>{chart}</figure>"
        ))
    }

    /// Links in one line.
    pub(crate) fn links(&mut self, links: &[Html]) -> &mut Self {
        self.paragraph("more", Html::join(links, " · "))
    }

    /// Tells the reader when the list above does not show everything.
    pub(crate) fn cut(&mut self, what: &str, shown: usize, all: usize) -> &mut Self {
        if shown < all {
            let text = format!("{what}: {shown} of {all} are shown; all are in the data files.");
            self.paragraph("note", text);
        }
        self
    }

    /// A table that is folded away.
    pub(crate) fn fold(&mut self, summary: &str, table: &Table) -> &mut Self {
        let (summary, table) = (Html::text(summary), table.html());
        self.put(&format!(
            "<details class=\"fold\"><summary>{summary}</summary>{table}</details>"
        ))
    }

    /// Facts as a list of terms and values.
    pub(crate) fn facts(&mut self, facts: &[(&str, Html)]) -> &mut Self {
        let fact = |(term, html): &(&str, Html)| {
            format!("<div><dt>{}</dt><dd>{html}</dd></div>", Html::text(term))
        };
        let facts: String = facts.iter().map(fact).collect();
        self.put(&format!("<dl class=\"facts\">{facts}</dl>"))
    }

    /// A command to copy.
    pub(crate) fn command(&mut self, command: &str) -> &mut Self {
        let command = Html::text(command);
        self.put(&format!(
            "<pre class=\"command\" tabindex=\"0\"><code>{command}</code></pre>"
        ))
    }

    /// Finished markup on a line of its own.
    fn put(&mut self, markup: &str) -> &mut Self {
        self.0.push(markup);
        self.0.push("\n");
        self
    }

    /// Finished markup.
    pub(crate) fn add(&mut self, html: &Html) -> &mut Self {
        self.put(&html.to_string())
    }
}
