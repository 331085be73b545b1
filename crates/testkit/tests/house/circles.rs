//! No circles between the files of a crate: who reads one file needs those it names, and never that file again.
//!
//! A file may use the files above it in its folder (`super`): a folder and its head are one thing. Names are followed through
//! `pub use`. What stands in a circle nevertheless is listed with the reason.

use super::{code, root};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// Files that are in a circle, one of each: crate, file as a module, and why.
const KNOWN: [(&str, &str, &str); 8] = [
    (
        "search",
        "alpha_beta::node",
        "a node searches its children: the steps of one recursive function, in files by kind",
    ),
    ("search", "mcts::tree", "selection, tickets and the places of nodes are parts of the tree, which hands them out"),
    ("search", "mate::solver", "proof numbers of a node come from its children, whose search is the solver's"),
    (
        "nn",
        "kernels::winograd",
        "one kernel calls the next through the choice of instruction set, which knows them all",
    ),
    ("kit", "rules_only", "rules alone are a kit, whose tests of rules need a kit"),
    ("kits-chess", "lessons", "what learns is named by the game's lessons, and each lesson learns the game"),
    ("kits-shared", "handmade", "a hand-made evaluation plays by searches, which are made for such evaluations"),
    (
        "dataset",
        "data::run",
        "a pass reads, works and writes at the same time: its three parts tell each other when to stop",
    ),
];

type Module = Vec<String>;

/// The files of a crate below `src`, as modules, with their code.
fn files_of(src: &Path) -> BTreeMap<Module, String> {
    let mut files = BTreeMap::new();
    let mut todo = vec![src.to_path_buf()];
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() && entry != src.join("bin") {
                todo.push(entry);
            } else if entry.extension().is_some_and(|ending| ending == "rs") && !entry.ends_with("main.rs") {
                files.insert(module_of(src, &entry), without_comments(&code(&entry)));
            }
        }
    }
    files
}

fn module_of(src: &Path, file: &Path) -> Module {
    let inner = file.strip_prefix(src).expect("a file of the crate").with_extension("");
    let mut module: Module = inner.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if matches!(module.last().map(String::as_str), Some("mod" | "lib")) {
        module.pop();
    }
    module
}

fn without_comments(code: &str) -> String {
    code.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

/// The paths of a use tree: `a::{b, c::d as e}` is `a::b` and `a::c::d`.
fn expand(prefix: &[String], tree: &str, out: &mut Vec<Module>) {
    let parts = |text: &str| -> Module {
        text.split("::").map(|part| part.split(" as ").next().unwrap_or("").trim().to_string()).collect()
    };
    let Some((head, inner)) = tree.split_once('{') else {
        let named = parts(tree).into_iter().filter(|part| !part.is_empty());
        out.push(prefix.iter().cloned().chain(named).collect());
        return;
    };
    let head = parts(head).into_iter().filter(|part| !part.is_empty());
    let prefix: Module = prefix.iter().cloned().chain(head).collect();
    let inner = inner.rsplit_once('}').map_or(inner, |(inner, _)| inner);
    let (mut depth, mut start) = (0, 0);
    for (at, c) in inner.char_indices().chain([(inner.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !inner[start..at].trim().is_empty() {
                    expand(&prefix, inner[start..at].trim(), out);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
}

/// Each `use` of a file that begins within the crate: whether it is public, and its paths.
fn uses_of(code: &str) -> Vec<(bool, Vec<Module>)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("use ") {
        let before = code[..at].rsplit('\n').next().unwrap_or("").trim();
        let is_item = before.is_empty() || before.starts_with("pub");
        let Some(end) = code[at..].find(';').filter(|_| is_item) else { continue };
        let mut paths = Vec::new();
        expand(&[], &code[at + 4..at + end], &mut paths);
        found.push((!before.is_empty(), paths));
    }
    found
}

/// Every path in the code that begins with `crate`, `super`, `self` or the name of a module below.
fn paths_in(code: &str, below: &BTreeSet<String>) -> Vec<Module> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let words = code.split(|c: char| !is_word(c) && c != ':').filter(|word| word.contains("::"));
    let paths = words.map(|word| word.split("::").map(String::from).collect::<Module>());
    paths.filter(|path| matches!(&*path[0], "crate" | "super" | "self") || below.contains(&path[0])).collect()
}

/// A crate's files and what they export again.
struct House {
    files: BTreeMap<Module, String>,
    again: BTreeMap<(Module, String), Module>,
}

impl House {
    fn of(src: &Path) -> House {
        let mut house = House { files: files_of(src), again: BTreeMap::new() };
        let exports = |(module, code): (&Module, &String)| {
            let public = uses_of(code).into_iter().filter(|(is_public, _)| *is_public);
            let paths = public.flat_map(|(_, paths)| paths).filter_map(|path| house.absolute(module, &path));
            let named = |path: Module| Some(((module.clone(), path.last().cloned()?), path));
            paths.filter_map(named).collect::<Vec<_>>()
        };
        house.again = house.files.iter().flat_map(exports).collect();
        house
    }

    fn below(&self, module: &Module) -> BTreeSet<String> {
        let inner = self.files.keys().filter(|file| file.len() == module.len() + 1 && file.starts_with(module));
        inner.filter_map(|file| file.last().cloned()).collect()
    }

    /// A path as seen from the crate's root; `None` where it leads elsewhere.
    fn absolute(&self, here: &Module, path: &Module) -> Option<Module> {
        let ups = path.iter().take_while(|part| *part == "super").count();
        let base: &[String] = match path.first()?.as_str() {
            "crate" => return Some(path[1..].to_vec()),
            "self" => return Some([here.as_slice(), &path[1..]].concat()),
            "super" => &here[..here.len().checked_sub(ups)?],
            name if self.below(here).contains(name) => here,
            _ => return None,
        };
        Some([base, &path[ups..]].concat())
    }

    /// The file in which what a path names stands.
    fn owner(&self, path: &[String]) -> Module {
        let mut path = path.to_vec();
        for _ in 0..6 {
            let file = (0..=path.len()).rev().map(|n| path[..n].to_vec()).find(|file| self.files.contains_key(file));
            let file = file.unwrap_or_default();
            let next = path.get(file.len()).and_then(|name| self.again.get(&(file.clone(), name.clone())));
            match next.filter(|next| **next != path) {
                Some(next) => path = next.clone(),
                None => return file,
            }
        }
        path
    }

    /// The files that a file uses, those above it left out.
    fn used_by(&self, module: &Module) -> BTreeSet<Module> {
        let code = &self.files[module];
        let private = uses_of(code).into_iter().filter(|(is_public, _)| !is_public).flat_map(|(_, paths)| paths);
        let paths = private.chain(paths_in(code, &self.below(module)));
        let owners = paths.filter_map(|path| self.absolute(module, &path)).map(|path| self.owner(&path));
        owners.filter(|file| !module.starts_with(file)).collect()
    }

    /// All files that can be reached from each.
    fn reached(&self) -> BTreeMap<Module, BTreeSet<Module>> {
        let direct: BTreeMap<_, _> = self.files.keys().map(|file| (file.clone(), self.used_by(file))).collect();
        let reach = |file: &Module| {
            let (mut seen, mut todo) = (BTreeSet::new(), vec![file.clone()]);
            while let Some(next) = todo.pop() {
                let more = direct.get(&next).into_iter().flatten().filter(|file| seen.insert((*file).clone()));
                todo.extend(more.cloned().collect::<Vec<_>>());
            }
            seen
        };
        self.files.keys().map(|file| (file.clone(), reach(file))).collect()
    }

    /// The circles: files each of which leads to all others of its circle.
    fn circles(&self) -> BTreeSet<Vec<Module>> {
        let reached = self.reached();
        let in_circle = reached.keys().filter(|file| reached[*file].contains(*file));
        let circle = |file: &Module| {
            let all = reached[file].iter().filter(|other| reached.get(*other).is_some_and(|back| back.contains(file)));
            all.cloned().collect::<Vec<_>>()
        };
        in_circle.map(circle).collect()
    }
}

#[test]
fn files_form_no_circles() {
    let mut known: BTreeSet<_> = KNOWN.iter().map(|(krate, file, _)| (*krate, *file)).collect();
    let mut found = Vec::new();
    let crates = fs::read_dir(root().join("crates")).expect("the crates");
    let mut crates: Vec<PathBuf> = crates.map(|entry| entry.expect("a crate").path()).collect();
    crates.sort();
    for krate in crates.iter().filter(|krate| krate.join("src").is_dir()) {
        let name = krate.file_name().expect("a name").to_string_lossy().into_owned();
        for circle in House::of(&krate.join("src")).circles() {
            let files: Vec<String> = circle.iter().map(|file| file.join("::")).collect();
            let listed = known.iter().find(|(krate, file)| *krate == name && files.iter().any(|f| f == file)).copied();
            match listed {
                Some(listed) => drop(known.remove(&listed)),
                None => found.push((name.clone(), files)),
            }
        }
    }
    assert!(found.is_empty(), "files that use each other: move what both need into a third: {found:#?}");
    assert!(known.is_empty(), "circles that are no more and need not be listed: {known:?}");
}

#[test]
fn circles_are_found_through_use_trees_and_exports() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, code: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, code).expect("a file");
    };
    write("lib.rs", "mod a;\nmod b;\nmod c;\npub use a::A;\npub use c::{C, inner::Deep as D};\n");
    write("a.rs", "use crate::{b::B, x::{y, z}};\npub struct A(B);\n");
    write("b.rs", "// use crate::c::C;\npub struct B;\nfn f() -> crate::A { todo!() }\n");
    write("c.rs", "pub mod inner;\nuse inner::Deep;\npub struct C(Deep);\n");
    write("c/inner.rs", "use super::C;\nuse crate::A;\npub struct Deep;\n");
    let name = |file: &str| vec![file.to_string()];
    let circles: Vec<_> = House::of(folder.path()).circles().into_iter().collect();
    assert_eq!(circles, [vec![name("a"), name("b")]], "a child may use its parent");
}
