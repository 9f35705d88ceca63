//! How PostgreSQL finds rows by a key before it has statistics. A new installation has none for its first minutes, so
//! its plans are guesses, and a tie between indexes decides whether one row is visited or all rows of a company. With
//! statistics, a server rightly reads all of a table that has few pages, until the statistics are updated.

use std::collections::{BTreeMap, BTreeSet};

use postgres::{Client, NoTls, SimpleQueryMessage};
use serde_json::Value;
use store::sql;
use testkit::database::TestDatabase;

#[derive(Debug)]
struct Index {
    table: String,
    columns: Vec<String>,
    /// Whether the index is unique and covers every row.
    is_key: bool,
}

fn indexes(client: &mut Client) -> BTreeMap<String, Index> {
    let found = client
        .query(
            "SELECT i.indexrelid::regclass::text AS name, i.indrelid::regclass::text AS relation, \
             i.indisunique AND i.indpred IS NULL AS is_key, \
             ARRAY(SELECT pg_get_indexdef(i.indexrelid, k, TRUE) FROM generate_series(1, i.indnkeyatts) AS k) AS columns \
             FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid WHERE c.relnamespace = 'public'::regnamespace",
            &[],
        )
        .unwrap();
    let index = |row: &postgres::Row| Index {
        table: row.get("relation"),
        columns: row.get("columns"),
        is_key: row.get("is_key"),
    };
    found.iter().map(|row| (row.get("name"), index(row))).collect()
}

/// The queries that check foreign keys, in the form of the server's own triggers.
fn proofs_of_references(client: &mut Client) -> Vec<(String, String)> {
    let found = client
        .query(
            "SELECT f.conrelid::regclass::text || '.' || f.conname AS name, f.confrelid::regclass::text AS relation, \
             ARRAY(SELECT a.attname::text FROM unnest(f.confkey) WITH ORDINALITY AS k (number, place) \
                 JOIN pg_attribute a ON a.attrelid = f.confrelid AND a.attnum = k.number ORDER BY k.place) AS columns \
             FROM pg_constraint f WHERE f.contype = 'f' AND f.connamespace = 'public'::regnamespace",
            &[],
        )
        .unwrap();
    let proof = |row: &postgres::Row| {
        let columns: Vec<String> = row.get("columns");
        let bound: Vec<String> = (1..)
            .zip(columns)
            .map(|(place, column)| format!("{column} = ${place}"))
            .collect();
        let relation: String = row.get("relation");
        let text = format!(
            "SELECT 1 FROM ONLY {relation} WHERE {} FOR KEY SHARE",
            bound.join(" AND ")
        );
        (row.get("name"), text)
    };
    found.iter().map(proof).collect()
}

/// Returns the nodes of a plan made without knowing the parameters.
fn plan(client: &mut Client, text: &str) -> Vec<Value> {
    client.batch_execute(&format!("PREPARE asked AS {text}")).unwrap();
    let parameters: i32 = client
        .query_one(
            "SELECT cardinality(parameter_types) FROM pg_prepared_statements WHERE name = 'asked'",
            &[],
        )
        .unwrap()
        .get(0);
    let nothing = vec!["NULL"; usize::try_from(parameters).unwrap()].join(", ");
    let given = if nothing.is_empty() {
        nothing
    } else {
        format!("({nothing})")
    };
    let explained = client
        .simple_query(&format!("EXPLAIN (FORMAT JSON) EXECUTE asked{given}"))
        .unwrap();
    client.batch_execute("DEALLOCATE asked").unwrap();
    let text = explained.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    });
    let mut explained: Value = serde_json::from_str(text.unwrap()).unwrap();
    let mut nodes = Vec::new();
    let mut open = vec![explained[0]["Plan"].take()];
    while let Some(mut node) = open.pop() {
        if let Value::Array(children) = node["Plans"].take() {
            open.extend(children);
        }
        nodes.push(node);
    }
    nodes
}

/// Returns the columns of a condition such as `((w.company_id = $1) AND (id < $2))`, either only of equalities or of
/// all comparisons.
fn columns(condition: &Value, only_equal: bool) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for comparison in condition.as_str().unwrap_or_default().split(" AND ") {
        let mut words = comparison.split_whitespace();
        let (Some(left), Some(operator)) = (words.next(), words.next()) else {
            continue;
        };
        if only_equal && operator != "=" {
            continue;
        }
        let column = left.trim_start_matches('(').trim_end_matches(')');
        found.insert(column.rsplit('.').next().unwrap_or_default().to_owned());
    }
    found
}

/// Describes what is wrong with how a node finds its rows.
fn fault(node: &Value, indexes: &BTreeMap<String, Index>) -> Option<String> {
    let used = node["Index Name"].as_str().and_then(|name| indexes.get(name));
    let table = match used {
        Some(index) => index.table.as_str(),
        None => node["Relation Name"].as_str()?,
    };
    let searched = columns(&node["Index Cond"], false);
    let mut bound = columns(&node["Index Cond"], true);
    bound.extend(columns(&node["Filter"], true));
    let is_bound = |index: &Index| index.columns.iter().all(|column| bound.contains(column));
    let name = node["Index Name"].as_str().unwrap_or("no index");
    if let Some(index) = used
        && index
            .columns
            .iter()
            .skip_while(|column| searched.contains(*column))
            .any(|column| searched.contains(column))
    {
        return Some(format!("{name} is searched by {searched:?} of {:?}", index.columns));
    }
    let finds_one = |index: &Index| {
        index.table == table && index.is_key && index.columns.iter().all(|column| searched.contains(column))
    };
    let key = indexes
        .values()
        .find(|index| index.table == table && index.is_key && is_bound(index))?;
    // Any index searched by a key's columns finds one row, whatever its name, and a workflow has few rows of each kind.
    if indexes.values().any(finds_one) || searched.contains("workflow_id") {
        return None;
    }
    Some(format!(
        "{table} is read by {name}, though {:?} is one row",
        key.columns
    ))
}

/// Returns tables that are read whole to be joined by a key, although one lookup for each row of the other side would
/// be enough. Such a plan is made while the table is small, and reused when it is large.
fn read_whole(nodes: &[Value], indexes: &BTreeMap<String, Index>) -> Vec<String> {
    let mut joined: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for node in nodes {
        for condition in ["Hash Cond", "Merge Cond", "Join Filter"] {
            let condition = node[condition].as_str().unwrap_or_default();
            let comparisons = condition.split(" AND ").filter_map(|one| one.split_once(" = "));
            for side in comparisons.flat_map(|(left, right)| [left, right]) {
                if let Some((alias, column)) = side.trim_matches(['(', ')']).split_once('.') {
                    joined.entry(alias).or_default().insert(column);
                }
            }
        }
    }
    let whole = nodes.iter().filter(|node| node["Node Type"] == "Seq Scan");
    whole
        .filter_map(|node| {
            let (table, alias) = (node["Relation Name"].as_str()?, node["Alias"].as_str()?);
            let mut bound = columns(&node["Filter"], true);
            bound.extend(joined.get(alias)?.iter().map(|column| (*column).to_owned()));
            let key = indexes.values().find(|index| {
                index.table == table && index.is_key && index.columns.iter().all(|column| bound.contains(column))
            })?;
            Some(format!("{table} is read whole to be joined by {:?}", key.columns))
        })
        .collect()
}

/// Statements that must visit more rows than their condition selects, and why.
const WALKS: &[(&str, &str)] = &[
    ("store::sql::check::*", "fsck looks at everything"),
    ("store::sql::workflow::UNSOUND", "fsck looks at everything"),
    (
        "store::sql::delivery::HELD",
        "counts the company's held deliveries by endpoint",
    ),
    (
        "store::sql::delivery::COUNT_ANEW",
        "looks at all that waits, where the clock was set back",
    ),
];

#[test]
fn without_statistics_a_row_is_found_by_its_key_and_not_among_all_of_its_company() {
    let database = TestDatabase::postgres();
    drop(database.open());
    let mut client = Client::connect(database.url().unwrap(), NoTls).unwrap();
    // As in the server's cached plans.
    client
        .batch_execute("SET plan_cache_mode = force_generic_plan")
        .unwrap();
    let indexes = indexes(&mut client);
    let statements = sql::ALL.iter().copied().flatten();
    let mut asked: Vec<(String, String)> = statements
        .map(|statement| (statement.name().to_owned(), statement.postgres().to_owned()))
        .collect();
    let references = proofs_of_references(&mut client);
    assert!(references.len() > 20, "{references:?}");
    asked.extend(references);
    let mut faults = Vec::new();
    let may_walk = |name: &str| {
        WALKS.iter().any(|(walks, _)| match walks.strip_suffix('*') {
            Some(all_of) => name.starts_with(all_of),
            None => name == *walks,
        })
    };
    for (name, text) in asked.into_iter().filter(|(name, _)| !may_walk(name)) {
        let nodes = plan(&mut client, &text);
        let found = nodes.iter().filter_map(|node| fault(node, &indexes));
        faults.extend(
            found
                .chain(read_whole(&nodes, &indexes))
                .map(|fault| format!("{name}: {fault}")),
        );
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
