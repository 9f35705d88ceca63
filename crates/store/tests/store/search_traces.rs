//! Traces of deleted terms in SQLite's file.

use store::{Settings, Value};
use testkit::database::TestDatabase;

store::statements! {
    pub static ADD = "INSERT INTO search_entry (rowid, terms) VALUES ($1, $2)";
    pub static DELETE = "DELETE FROM search_entry WHERE rowid <> 1";
}

#[test]
fn nothing_of_a_deleted_term_is_left_in_the_file() {
    let database = TestDatabase::sqlite();
    let store = database.open();
    // Thousands of terms with a common prefix create inner nodes that contain this prefix.
    for batch in 0..10 {
        store
            .write(move |tx| {
                for number in batch * 300 + 1..=batch * 300 + 300 {
                    let term = match number {
                        1 => "kept".to_owned(),
                        _ => format!("kanarienvogel{number:0>40}"),
                    };
                    tx.execute(&ADD, &[Value::from(number), Value::from(term)])?;
                }
                Ok::<_, store::Error>(())
            })
            .expect("added");
    }
    let Settings::Sqlite { path } = database.settings() else {
        unreachable!("it is SQLite");
    };
    let has_term = || String::from_utf8_lossy(&std::fs::read(path).expect("bytes")).contains("kanarienvogel0000");
    store.leave_no_traces().expect("everything is in the file");
    assert!(has_term());
    store.write(|tx| tx.execute(&DELETE, &[])).expect("deleted");
    store.leave_no_traces().expect("everything is in the file");
    assert!(!has_term());
}
