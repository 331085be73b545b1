//! The description of the API, completed by what the derived schemas cannot say.

use serde_json::Value;
use std::collections::BTreeSet;
use utoipa::openapi::OpenApi;

/// Answers that leave out what they do not have; all others write `null`.
const SPARSE: [&str; 1] = ["Problem"];
const SCHEMAS: &str = "#/components/schemas/";

/// The description as JSON. Every property of an answer is required: serde writes all fields, and `null` for what is not there,
/// while the derived schemas call an `Option` optional, which is right for requests alone. Operations are named by method and
/// path: the derived names are those of functions, which several modules have.
pub(crate) fn complete(description: &OpenApi) -> serde_json::Result<Value> {
    let mut whole = serde_json::to_value(description)?;
    name_operations(&mut whole);
    leave_out_examples(&mut whole);
    let asked = asked_for(&whole);
    let schemas = whole["components"]["schemas"].as_object_mut();
    for (name, schema) in schemas.into_iter().flatten() {
        if !asked.contains(name) && !SPARSE.contains(&name.as_str()) {
            require_all(schema);
        }
    }
    Ok(whole)
}

/// Names each operation by its method and path: `get_matches_id_games`.
fn name_operations(whole: &mut Value) {
    for (path, operations) in whole["paths"].as_object_mut().into_iter().flatten() {
        let place = path.trim_start_matches("/api/v1").replace(['{', '}'], "").replace('/', "_");
        for (method, operation) in operations.as_object_mut().into_iter().flatten() {
            operation["operationId"] = format!("{method}{place}").into();
        }
    }
}

/// Cuts the examples in Rust off the descriptions.
fn leave_out_examples(part: &mut Value) {
    match part {
        Value::Object(fields) => {
            if let Some(Value::String(text)) = fields.get_mut("description") {
                text.truncate(text.find("\n\n# Examples").unwrap_or(text.len()));
            }
            fields.values_mut().for_each(leave_out_examples);
        }
        Value::Array(parts) => parts.iter_mut().for_each(leave_out_examples),
        _ => {}
    }
}

/// The schemas that requests are made of.
fn asked_for(whole: &Value) -> BTreeSet<String> {
    let mut todo = Vec::new();
    let paths = whole["paths"].as_object().into_iter().flatten();
    for (_, operations) in paths {
        for operation in operations.as_object().into_iter().flatten() {
            references(&operation.1["requestBody"], &mut todo);
        }
    }
    let mut asked = BTreeSet::new();
    while let Some(name) = todo.pop() {
        references(&whole["components"]["schemas"][&name], &mut todo);
        if !asked.insert(name) {
            todo.retain(|name| !asked.contains(name));
        }
    }
    asked
}

/// Adds the names of the schemas that `part` refers to.
fn references(part: &Value, names: &mut Vec<String>) {
    match part {
        Value::Object(fields) => {
            if let Some(name) = fields.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix(SCHEMAS)) {
                names.push(name.to_string());
            }
            fields.values().for_each(|field| references(field, names));
        }
        Value::Array(parts) => parts.iter().for_each(|part| references(part, names)),
        _ => {}
    }
}

/// Makes every property of a schema required, also of the parts that it consists of.
fn require_all(schema: &mut Value) {
    for part in schema["allOf"].as_array_mut().into_iter().flatten() {
        require_all(part);
    }
    let Some(properties) = schema["properties"].as_object() else { return };
    let all: Vec<Value> = properties.keys().map(|name| name.as_str().into()).collect();
    schema["required"] = all.into();
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn required(schema: &str) -> Vec<String> {
        let whole: Value = serde_json::from_str(&crate::open_api().expect("a description")).expect("JSON");
        let schema = &whole["components"]["schemas"][schema];
        assert!(schema.is_object(), "no such schema");
        serde_json::from_value(schema["required"].clone()).unwrap_or_default()
    }

    #[test]
    fn answers_hold_all_their_fields_and_requests_need_not() {
        assert!(required("FoundLine").contains(&"mate".into()));
        assert!(required("WhyCandidate").is_empty(), "its parts say what is required");
        assert!(!required("Goal").contains(&"nodes".into()));
        assert!(!required("GamePosition").contains(&"start".into()), "places are asked for, too");
        assert!(!required("Problem").contains(&"hint".into()));
        assert!(!crate::open_api().expect("a description").contains("# Examples"), "those are for Rust");
    }

    #[test]
    fn operations_have_names_of_their_own() {
        let whole: Value = serde_json::from_str(&crate::open_api().expect("a description")).expect("JSON");
        assert_eq!(whole["paths"]["/api/v1/matches/{id}/games"]["get"]["operationId"], "get_matches_id_games");
        let paths = whole["paths"].as_object().expect("paths").values();
        let names =
            paths.flat_map(|path| path.as_object().expect("operations").values()).map(|one| &one["operationId"]);
        let (all, once) = names.fold((0, BTreeSet::new()), |(n, mut once), name| {
            once.insert(name.to_string());
            (n + 1, once)
        });
        assert_eq!(once.len(), all);
    }

    #[test]
    fn references_are_followed_through_all_schemas() {
        let to = |name: &str| json!({ "$ref": format!("{SCHEMAS}{name}") });
        let whole = json!({
            "paths": { "/a": { "post": { "requestBody": { "content": to("A") }, "responses": to("D") } } },
            "components": { "schemas": { "A": { "items": to("B") }, "B": { "allOf": [to("A"), to("C")] }, "C": {}, "D": {} } },
        });
        assert_eq!(asked_for(&whole).into_iter().collect::<String>(), "ABC");
    }
}
