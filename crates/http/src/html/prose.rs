//! Descriptions as HTML, for templates.

use minijinja::HtmlEscape;

/// Converts a description to HTML. Text between backticks becomes code.
pub(super) fn prose(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    let parts: Vec<&str> = text.split('`').collect();
    for (index, part) in parts.iter().enumerate() {
        let part = HtmlEscape(part).to_string();
        // An unpaired backtick is kept.
        match (index % 2 == 1, index + 1 < parts.len()) {
            (true, true) => html.extend(["<code>", &part, "</code>"]),
            (true, false) => html.extend(["`", &part]),
            (false, _) => html.push_str(&part),
        }
    }
    html
}

/// Converts a path to HTML that may break before each slash.
pub(super) fn breakable(path: &str) -> String {
    let parts: Vec<String> = path.split('/').map(|part| HtmlEscape(part).to_string()).collect();
    parts.join("<wbr>/")
}
