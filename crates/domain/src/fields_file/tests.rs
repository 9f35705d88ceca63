use super::*;
use serde_json::json;

fn good() -> Value {
    json!({
        "name": "근로계약서",
        "steps": [{"order": 2, "role": "employer"}, {"order": 1, "role": "employee"}],
        "fields": [
            {"name": "성명", "kind": "text", "step": 1, "page": 1,
             "x": 100_000, "y": 100_000, "width": 200_000, "height": 30_000, "required": true},
            {"name": "plan", "kind": "radio", "option": "A", "step": 1, "page": 1,
             "x": 0, "y": 0, "width": 10_000, "height": 10_000},
            {"name": "plan", "kind": "radio", "option": "B", "step": 1, "page": 1,
             "x": 20_000, "y": 0, "width": 10_000, "height": 10_000, "default": "A"},
            {"name": "sign", "kind": "signature", "step": 2, "page": 2, "font_size": 11,
             "x": 0, "y": 0, "width": 10_000, "height": 10_000},
        ],
    })
}

fn paths(value: &Value) -> Vec<String> {
    parse_value(value, Some(2), Region::Kr)
        .unwrap_err()
        .into_iter()
        .map(|fault| fault.path)
        .collect()
}

#[test]
fn a_good_file_is_read() {
    let file = parse(good().to_string().as_bytes(), Some(2), Region::Kr).unwrap();
    assert_eq!(file.name, "근로계약서");
    assert_eq!(file.on_reject, OnReject::End);
    let orders: Vec<u32> = file.steps.iter().map(|step| step.order).collect();
    assert_eq!(orders, [1, 2]);
    assert_eq!(file.fields[1].options, ["A", "B"]);
    assert!(file.fields[0].required);
}

#[test]
fn every_fault_is_collected_with_its_place() {
    let file = json!({
        "name": " ",
        "on_reject": "never",
        "hand_over": "yes",
        "feilds": [],
        "steps": [{"order": 1, "one_time_code": 1, "mail": ""}, {"order": 3, "name": "Kim", "email": "nobody"}],
        "fields": [
            {"name": "a", "kind": "tekst", "step": 1, "page": 1, "requird": true,
             "x": 0, "y": 0, "width": 1, "height": 1},
            {"name": "b", "kind": "text", "step": 9, "page": 7,
             "x": 900_000, "y": 0, "width": 200_000, "height": 1},
            {"name": "c", "kind": "select", "step": 1, "page": 1,
             "x": 0.5, "y": "0", "width": 0, "height": 1},
            "nonsense",
            {"name": "d", "kind": "number", "step": 1, "page": 1, "default": "ten",
             "x": 0, "y": 0, "width": 1, "height": 1, "required": "yes"},
            {"name": "d", "kind": "text", "step": 1, "page": 1,
             "x": 0, "y": 0, "width": 1, "height": 1, "font_size": 500},
            {"name": "e", "kind": "calc", "step": 1, "page": 1, "formula": "d + zzz",
             "x": 0, "y": 0, "width": 1, "height": 1},
        ],
    });
    let mut found = paths(&file);
    found.sort();
    assert_eq!(
        found,
        [
            "feilds",
            "fields[0].kind",
            "fields[0].requird",
            "fields[1]",
            "fields[1].page",
            "fields[1].step",
            "fields[2].width",
            "fields[2].x",
            "fields[2].y",
            "fields[3]",
            "fields[4].default",
            "fields[4].required",
            "fields[5].font_size",
            "fields[5].name",
            "fields[6].formula",
            "hand_over",
            "name",
            "on_reject",
            "steps",
            "steps[0].mail",
            "steps[0].one_time_code",
            "steps[1].email",
        ]
    );
}

#[test]
fn steps_have_no_gaps_and_roles_where_several_write() {
    assert_eq!(
        parse_value(
            &json!({"name": "x", "steps": [{"order": 1}, {"order": 3}]}),
            None,
            Region::Kr
        ),
        Err(vec![FieldsFault {
            path: "steps".to_owned(),
            kind: FieldsFaultKind::StepGap(2)
        }])
    );
    assert_eq!(
        paths(&json!({"name": "x", "steps": [{"order": 1}, {"order": 1}]})),
        ["steps[0].role", "steps[1].role"]
    );
    assert_eq!(
        paths(&json!({"name": "x",
            "steps": [{"order": 1, "role": "a"}, {"order": 1, "role": "a"}]})),
        ["steps[1].role"]
    );
    assert_eq!(paths(&json!({"name": "x", "steps": []})), ["steps"]);
    assert_eq!(paths(&json!([])), [""]);
}

#[test]
fn fields_of_a_shared_step_name_their_role() {
    let field = |role: Value| {
        json!({"name": "x", "steps": [{"order": 1, "role": "a"}, {"order": 1, "role": "b"}],
        "fields": [{"name": "f", "kind": "text", "step": 1, "role": role, "page": 1,
                    "x": 0, "y": 0, "width": 1, "height": 1}]})
    };
    assert!(parse_value(&field(json!("b")), None, Region::Kr).is_ok());
    assert_eq!(paths(&field(json!("c"))), ["fields[0].role"]);
    assert_eq!(paths(&field(Value::Null)), ["fields[0].role"]);
}

fn one(changes: &Value) -> Value {
    let mut field = json!({"name": "f", "kind": "text", "step": 1, "page": 1, "x": 0, "y": 0, "width": 9, "height": 9});
    let members = field.as_object_mut().unwrap();
    members.extend(changes.as_object().unwrap().clone());
    json!({"name": "x", "steps": [{"order": 1}], "fields": [field]})
}

#[test]
fn how_a_value_looks_is_read() {
    for good in [
        json!({"lines": "many", "font": "Noto Sans JP", "bold": true, "color": "#1a2b3c", "alignment": "start"}),
        json!({"cells": 13, "label": "주민등록번호"}),
        json!({"kind": "number", "thousands": true, "decimals": 2, "cells": 12, "alignment": "right"}),
        json!({"kind": "date", "pattern": "yyyy년 M월 d일"}),
        json!({"kind": "signed_on", "pattern": "yyyy년 M월 d일", "bold": true}),
        json!({"kind": "signed_on", "cells": 10}),
        json!({"kind": "calc", "formula": "1 + 2", "thousands": true, "decimals": 0, "rounding": "down"}),
        json!({"kind": "label", "read_only": true, "default": "fixed"}),
        json!({"kind": "attachment", "embed": true}),
    ] {
        parse_value(&one(&good), None, Region::Kr).unwrap_or_else(|faults| panic!("{good}: {faults:?}"));
    }
    for (bad, path) in [
        (json!({"lines": "three"}), "lines"),
        (json!({"lines": "one", "cells": 3}), "cells"),
        (json!({"cells": 101}), "cells"),
        (json!({"kind": "check", "cells": 3}), "cells"),
        (json!({"thousands": true}), "thousands"),
        (json!({"kind": "number", "decimals": 11}), "decimals"),
        (json!({"kind": "number", "rounding": "up"}), "rounding"),
        (json!({"kind": "date", "pattern": "YYYY"}), "pattern"),
        (json!({"pattern": "yyyy"}), "pattern"),
        (json!({"kind": "signed_on", "lines": "many"}), "lines"),
        (json!({"kind": "signature", "font": "Pretendard"}), "font"),
        (json!({"color": "red"}), "color"),
        (json!({"embed": true}), "embed"),
        (json!({"label": "x\u{0}"}), "label"),
        (
            json!({"label": "a\u{301}".replace('\u{301}', &"\u{301}".repeat(40))}),
            "label",
        ),
        (json!({"help": "x".repeat(251)}), "help"),
        (json!({"kind": "label", "read_only": true}), "default"),
        (json!({"kind": "calc", "formula": "f * 2"}), "formula"),
    ] {
        assert_eq!(paths(&one(&bad)), [format!("fields[0].{path}")], "{bad}");
    }
}

#[test]
fn a_seal_is_the_writers_or_a_companys() {
    let seal = |detail: &str| {
        let mut file = good();
        file["fields"][3]["kind"] = json!("seal");
        file["fields"][3]["detail"] = json!(detail);
        file
    };
    let read = parse_value(&seal("company"), Some(2), Region::Kr).unwrap();
    assert_eq!(read.fields[3].detail, Some(WriterDetail::Company));
    for own in ["name", "email", "phone"] {
        let read = parse_value(&seal(own), Some(2), Region::Kr).unwrap();
        assert_eq!(read.fields[3].detail, Some(WriterDetail::Name), "{own}");
    }
    assert_eq!(paths(&seal("nobody")), ["fields[3].detail"]);
}

#[test]
fn boxes_of_one_name_are_one_field() {
    let date = |pattern: &str, more: Value| {
        let mut field = json!({"name": "day", "kind": "date", "step": 1, "page": 1, "pattern": pattern,
            "x": 0, "y": 0, "width": 9, "height": 9});
        field.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        field
    };
    let file = |fields: Value| json!({"name": "x", "steps": [{"order": 1}, {"order": 2}], "fields": fields});
    let good = file(json!([
        date("yyyy", json!({})),
        date("MM", json!({"required": true, "label": "Day"})),
        date("dd", json!({"default": "2026-03-07"})),
    ]));
    let read = parse_value(&good, None, Region::Kr).unwrap();
    for (field, pattern) in read.fields.iter().zip(["yyyy", "MM", "dd"]) {
        assert_eq!(field.pattern.as_deref(), Some(pattern));
        assert!(field.required && field.shown_name() == "Day");
        assert_eq!(field.default.as_deref(), Some("2026-03-07"));
    }
    assert_eq!(
        paths(&file(json!([date("yyyy", json!({})), date("MM", json!({"step": 2}))]))),
        ["fields[1]"]
    );
    let text = json!({"name": "day", "kind": "text", "step": 1, "page": 1, "x": 0, "y": 0, "width": 9, "height": 9});
    assert_eq!(paths(&file(json!([date("yyyy", json!({})), text]))), ["fields[1].name"]);
}

#[test]
fn calculated_fields_may_name_each_other_but_not_in_a_circle() {
    let calc = |name: &str, formula: &str| {
        json!({"name": name, "kind": "calc", "formula": formula, "step": 1, "page": 1,
            "x": 0, "y": 0, "width": 9, "height": 9})
    };
    let file = |fields: Vec<Value>| json!({"name": "x", "steps": [{"order": 1}], "fields": fields});
    let good = file(vec![
        calc("total", "net + tax"),
        calc("tax", "net / 10"),
        calc("net", "100"),
    ]);
    assert!(parse_value(&good, None, Region::Kr).is_ok());
    let bad = file(vec![
        calc("total", "net + tax"),
        calc("tax", "total / 10"),
        calc("net", "100"),
    ]);
    let found = paths(&bad);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(["fields[0].formula", "fields[1].formula"].contains(&found[0].as_str()));
}

#[test]
fn what_is_no_json_is_one_fault() {
    let faults = parse(b"{", None, Region::Kr).unwrap_err();
    assert!(matches!(
        faults.as_slice(),
        [FieldsFault {
            kind: FieldsFaultKind::NotJson { line: 1, column: 1 },
            ..
        }]
    ));
}

#[test]
fn a_formula_names_only_what_is_written_before_it_or_by_its_own_writer() {
    let number = |name: &str, step: u32, role: &str| {
        json!({"name": name, "kind": "number", "step": step, "role": role, "page": 1,
            "x": 1, "y": 1, "width": 9, "height": 9})
    };
    let file = |named: &str| {
        json!({"name": "x",
            "steps": [{"order": 1, "role": "a"}, {"order": 2, "role": "b"}, {"order": 2, "role": "c"},
                {"order": 3, "role": "d"}],
            "fields": [number("one", 1, "a"), number("own", 2, "b"), number("beside", 2, "c"), number("later", 3, "d"),
                {"name": "sum", "kind": "calc", "step": 2, "role": "b", "page": 1, "formula": named,
                    "x": 1, "y": 1, "width": 9, "height": 9}]})
    };
    assert!(parse_value(&file("one + own"), None, Region::Kr).is_ok());
    for named in ["beside", "later"] {
        let faults = parse_value(&file(named), None, Region::Kr).unwrap_err();
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert_eq!(faults[0].path, "fields[4].formula");
    }
}
