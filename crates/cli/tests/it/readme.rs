//! Every command of README and handbook runs, in the order given, in an empty folder for each page. `SLOW=1` runs them at full length.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The blocks of a page: what stands behind the three backticks, and the lines.
fn blocks(page: &Path) -> Vec<(String, String)> {
    let text = fs::read_to_string(page).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
    let (mut found, mut open) = (Vec::new(), None::<(String, String)>);
    for line in text.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (Some(_), Some("")) => found.extend(open.take()),
            (Some((_, lines)), _) => *lines += &format!("{line}\n"),
            (None, Some(kind)) => open = Some((kind.to_string(), String::new())),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "{}: a block without its end", page.display());
    found
}

/// Runs a script in `folder`, where the program is called `tesuji`; all that is said, if it ends well.
fn run(folder: &Path, script: &str, programs: &Path) -> Result<String, String> {
    let path = std::env::join_paths(
        [programs.to_path_buf()]
            .into_iter()
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    )
    .map_err(|error| error.to_string())?;
    let out = Command::new("bash")
        .args(["-euo", "pipefail", "-c", &format!("exec 2>&1\n{script}")])
        .current_dir(folder)
        .env("PATH", path)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    if out.status.success() { Ok(said) } else { Err(format!("{script}\nends with {}\n{said}", out.status)) }
}

/// Whether `line` holds the parts of `wanted`, in their order; `…` stands for any text between them.
fn fits(line: &str, wanted: &str) -> bool {
    let mut rest = line;
    wanted.split('…').map(str::trim).all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

/// The first line of `wanted` that `said` does not have behind those before it.
fn missing<'w>(said: &str, wanted: &'w str) -> Option<&'w str> {
    let mut lines = said.lines();
    wanted.lines().find(|wanted| !lines.any(|line| fits(line, wanted)))
}

/// A budget of minutes becomes one of seconds, where tests are in a hurry.
fn hurried(script: &str) -> String {
    if tesuji_testkit::needs::is_slow() { script.to_string() } else { script.replace("--budget 5m", "--budget 20s") }
}

/// Runs the blocks `sh` of a page and compares with the blocks `output`; the number of blocks that ran.
#[track_caller]
fn try_page(name: &str) -> usize {
    let page = root().join("docs").join(name);
    let folder = tempfile::tempdir().expect("a folder");
    let programs = tempfile::tempdir().expect("a folder");
    run(programs.path(), concat!("ln -s '", env!("CARGO_BIN_EXE_tesuji"), "' tesuji"), Path::new("")).expect("a link");
    let (mut said, mut ran) = (String::new(), 0);
    for (kind, lines) in blocks(&page) {
        match kind.as_str() {
            "sh" => {
                said = run(folder.path(), &hurried(&lines), programs.path())
                    .unwrap_or_else(|error| panic!("{name}: {error}"));
                ran += 1;
            }
            "output" => assert_eq!(missing(&said, &lines), None, "{name}: in what was said:\n{said}"),
            // One that is not run says why; the others are no commands.
            other => assert!(!other.starts_with("sh") || other.len() > "sh not run: ".len(), "{name}: {other}"),
        }
    }
    ran
}

#[test]
fn first_ten_minutes_of_every_door_lead_there() {
    for page in ["first-patch.md", "first-analysis.md", "first-training.md"] {
        assert!(try_page(page) >= 4, "{page}");
    }
}

/// The pages of a folder of the handbook.
fn pages_of(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join("docs").join(folder)).expect("a folder of pages");
    let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
    let mut pages: Vec<_> = entries.map(|entry| format!("{folder}/{}", name(entry).to_string_lossy())).collect();
    pages.sort();
    pages
}

#[test]
fn guides_are_run_as_they_stand() {
    let pages = pages_of("guides");
    assert!(pages.len() >= 8, "{pages:?}");
    for page in pages {
        assert!(try_page(&page) >= 2, "{page}");
    }
}

#[test]
fn concepts_show_themselves_at_work() {
    let pages = pages_of("concepts");
    assert!(pages.len() >= 9, "{pages:?}");
    for page in pages.iter().map(String::as_str).chain(["exit-codes.md"]) {
        let least = if page.ends_with("glossary.md") { 0 } else { 1 };
        assert!(try_page(page) >= least, "{page}");
    }
}

/// What the README shows is built or checked by others, but for the training loop.
#[test]
fn readme_commands_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut ran = 0;
    for line in
        blocks(&root().join("README.md")).iter().filter(|block| block.0 == "sh").flat_map(|block| block.1.lines())
    {
        let line = line.split("  #").next().unwrap_or_default().trim();
        let Some(words) = line.strip_prefix("cargo run --release -- ").filter(|words| *words != "serve") else {
            let known = ["cargo build --release", "ln -sf ", "cargo run --release -- serve"];
            assert!(known.iter().any(|known| line.starts_with(known)), "who runs {line:?}?");
            continue;
        };
        let words = hurried(words);
        let out = Command::new(env!("CARGO_BIN_EXE_tesuji")).args(words.split(' ')).current_dir(folder.path()).output();
        let out = out.expect("the binary starts");
        let text = format!("{}\n{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
        assert!(out.status.success(), "{line}\nends with {}\n{text}", out.status);
        // A short run may prove nothing, but it comes to a verdict; a whole one proves a gain.
        let wanted = if tesuji_testkit::needs::is_slow() { "a gain is proven" } else { "verdict: " };
        assert!(text.contains(wanted), "{line}: {text}");
        ran += 1;
    }
    assert_eq!(ran, 1, "the README names its commands");
}

/// Every page of the handbook stands in its index, and every link between pages leads to a file.
#[test]
fn pages_are_in_the_index_and_their_links_lead_somewhere() {
    let docs = root().join("docs");
    let mut pages = vec![root().join("README.md")];
    for folder in [docs.clone(), docs.join("guides"), docs.join("concepts")] {
        let entries = fs::read_dir(folder).expect("pages").map(|entry| entry.expect("an entry").path());
        pages.extend(entries.filter(|path| path.extension().is_some_and(|ending| ending == "md")));
    }
    let index = fs::read_to_string(docs.join("README.md")).expect("an index");
    for page in &pages {
        let name = page.strip_prefix(&docs).map(|name| name.display().to_string()).unwrap_or_default();
        assert!(
            name.is_empty() || name == "README.md" || index.contains(&format!("({name})")),
            "{name} is not in docs/README.md"
        );
        let text = fs::read_to_string(page).expect("a page");
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap_or_default();
            let leads = file.is_empty() || link.contains("://") || page.parent().expect("a folder").join(file).exists();
            assert!(leads || link.contains(' '), "{}: {link} leads nowhere", page.display());
        }
    }
}

/// The handbook as one file has all pages, and its links lead to headings that are there.
#[test]
fn the_handbook_is_one_file_whose_links_lead_somewhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = folder.path().join("handbook.html");
    let out = Command::new(root().join("scripts/handbook")).arg(&made).output().expect("scripts/handbook runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let text = fs::read_to_string(&made).expect("a file");
    let values = |name: &str| -> Vec<String> {
        text.split(&format!("{name}=\"")).skip(1).filter_map(|rest| Some(rest.split('"').next()?.to_string())).collect()
    };
    let ids = values(" id");
    assert!(
        ids.contains(&"guides-test-a-patch".to_string()) && ids.contains(&"builds--the-release".to_string()),
        "{ids:?}"
    );
    let lost: Vec<_> = values("href")
        .into_iter()
        .filter(|to| to.strip_prefix('#').is_some_and(|to| !ids.contains(&to.to_string())))
        .collect();
    assert!(lost.is_empty(), "links without a heading: {lost:?}");
}

/// The comparison itself can fail.
#[test]
fn an_output_that_is_not_there_is_found() {
    assert_eq!(missing("a: 3 games\nb: no faults\n", "a: … games\nno faults\n"), None);
    assert_eq!(missing("a: 3 games\nb: no faults\n", "no faults\na:\n"), Some("a:"));
    let folder = tempfile::tempdir().expect("a folder");
    assert!(run(folder.path(), "false | true", folder.path()).is_err());
}
