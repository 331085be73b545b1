//! Every public trait of the crates that others build on has a running example in its documentation.

use super::{files, root};
use std::fs;

/// Crates whose traits are implemented, or called, by other crates and by authors of engines.
const SHOWN: [&str; 8] = ["arena", "circle", "game", "nn", "options", "protocol", "tally", "train"];
/// Traits without an example of their own: file, trait, and why.
const WITHOUT: [(&str, &str, &str); 0] = [];

/// The public traits of a source file, each with whether its documentation has an example that runs and asserts.
fn traits(text: &str) -> Vec<(String, bool)> {
    let lines: Vec<&str> = text.lines().collect();
    let name_of = |line: &str| {
        let rest = line.strip_prefix("pub trait ").or_else(|| line.strip_prefix("pub unsafe trait "))?;
        Some(rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>())
    };
    let shown = |at: usize| {
        let above = lines[..at].iter().rev().take_while(|line| line.starts_with("///") || line.starts_with("#["));
        let doc: Vec<&str> = above.copied().collect();
        // From the last line up: the code stands below its heading.
        let heading = doc.iter().position(|line| *line == "/// # Examples");
        heading.is_some_and(|at| {
            // Both ends of a block that is not marked as text.
            let fences = doc[..at].iter().filter(|line| **line == "/// ```").count();
            fences >= 2 && doc[..at].iter().any(|line| line.contains("assert"))
        })
    };
    lines.iter().enumerate().filter_map(|(at, line)| Some((name_of(line)?, shown(at)))).collect()
}

#[test]
fn examples_are_found_above_their_traits() {
    let source = "
/// Told.
///
/// # Examples
///
/// ```
/// assert!(true);
/// ```
#[must_use]
pub trait Shown: Send {}

/// # Examples
///
/// ```text
/// assert
/// ```
pub trait Drawn<P> {}
/// Told.
pub unsafe trait Bare {}
trait Private {}
";
    let named = |name: &str, is_shown| (name.to_string(), is_shown);
    assert_eq!(traits(source), [named("Shown", true), named("Drawn", false), named("Bare", false)]);
}

#[test]
fn public_traits_have_running_examples() {
    let (mut found, mut unused, mut count) = (Vec::new(), WITHOUT.to_vec(), 0);
    for path in files(&[".rs"]) {
        let name = path.strip_prefix(root()).expect("a file of the workspace").to_string_lossy().into_owned();
        if !SHOWN.iter().any(|shown| name.starts_with(&format!("crates/{shown}/src/"))) {
            continue;
        }
        for (is_of, is_shown) in traits(&fs::read_to_string(&path).expect("a source file")) {
            count += 1;
            match unused.iter().position(|(file, known, _)| *file == name && *known == is_of) {
                Some(listed) if !is_shown => drop(unused.remove(listed)),
                _ if is_shown => {}
                _ => found.push(format!("{name}: {is_of}")),
            }
        }
    }
    assert!(count > 20, "traits are looked for in the wrong place");
    assert!(found.is_empty(), "public traits without `# Examples` that assert something: {found:#?}");
    assert!(unused.is_empty(), "traits that have an example now: {unused:?}");
}
