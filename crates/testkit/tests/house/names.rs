//! Names of types are exact: a name that stands in more than two crates says too little.

use super::{files, root};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

/// Crates in which a name may stand.
const CRATES_MAX: usize = 2;
/// Names that stand in more crates, and why.
const KNOWN: [(&str, &str); 0] = [];

/// What a crate counts as. The games say the same thing by the same name, and each is seen alone: those of one kind are one.
fn kind_of(name: &str) -> String {
    let has_kit = || root().join(format!("crates/kits-{name}")).is_dir();
    let kind = match name {
        "kits-shared" => name,
        "four" => "evaluations of games",
        _ if name.ends_with("-eval") => "evaluations of games",
        _ if name.starts_with("kits-") => "kits of games",
        _ if has_kit() => "rules of games",
        other => other,
    };
    kind.to_string()
}

/// The types that a source file declares for others: `pub` and `pub(crate)`.
fn types(text: &str) -> Vec<String> {
    let text = text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default();
    let named = |line: &str| {
        let line = line.trim_start();
        let line = line.strip_prefix("pub(crate) ").or_else(|| line.strip_prefix("pub "))?;
        let line = line.strip_prefix("unsafe ").unwrap_or(line);
        let line = ["struct ", "enum ", "trait ", "union "].iter().find_map(|word| line.strip_prefix(word))?;
        Some(line.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
    };
    text.lines().filter_map(named).collect()
}

#[test]
fn type_names_say_enough() {
    let source = "pub struct One;\n    pub(crate) enum Two<T> {}\npub unsafe trait Three: Send {}\nstruct Four;\n\n\
                  pub(super) struct Five;\n\n#[cfg(test)]\nmod tests {\n    pub struct Six;\n}\n";
    assert_eq!(types(source), ["One", "Two", "Three"]);
    let mut places: BTreeMap<String, (BTreeSet<String>, Vec<String>)> = BTreeMap::new();
    for path in files(&[".rs"]) {
        let name = path.strip_prefix(root()).expect("a file of the workspace").to_string_lossy().into_owned();
        let Some((of, _)) = name.strip_prefix("crates/").and_then(|rest| rest.split_once("/src/")) else { continue };
        if name.contains("/generated/") {
            continue;
        }
        for declared in types(&fs::read_to_string(&path).expect("a source file")) {
            let (kinds, at) = places.entry(declared).or_default();
            kinds.insert(kind_of(of));
            at.push(name.clone());
        }
    }
    assert!(places.len() > 1_000, "types are looked for in the wrong place");
    places.retain(|_, (kinds, _)| kinds.len() > CRATES_MAX);
    let unused: Vec<_> = KNOWN.iter().filter(|(name, _)| places.remove(*name).is_none()).collect();
    let found: Vec<_> = places.iter().map(|(name, (_, at))| format!("{name}: {}", at.join(", "))).collect();
    assert!(found.is_empty(), "names in more than {CRATES_MAX} crates need more exact ones: {found:#?}");
    assert!(unused.is_empty(), "names that are exact now: {unused:?}");
}
