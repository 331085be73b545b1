//! `tesuji builds` on small repositories: the right programs come out, and nothing else changes.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tesuji_testkit::needs;

/// A repository and a folder for temporary places, which must be empty again after each run.
struct Yard {
    folder: TempDir,
}

impl Yard {
    fn new() -> Yard {
        let yard = Yard { folder: tempfile::tempdir().expect("a folder") };
        for name in ["repo", "scratch"] {
            fs::create_dir(yard.folder.path().join(name)).expect("a folder");
        }
        yard.git(&["init", "--quiet", "--initial-branch=main"]);
        yard
    }

    fn repo(&self) -> std::path::PathBuf {
        self.folder.path().join("repo")
    }

    fn git(&self, arguments: &[&str]) -> String {
        let mut git = Command::new("git");
        git.arg("-C").arg(self.repo()).args([
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@b.c",
            "-c",
            "commit.gpgsign=false",
        ]);
        let out = git.args(arguments).output().expect("git");
        assert!(out.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8_lossy(&out.stdout).trim().to_string()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.repo().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "-m", message]);
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
        command.arg("builds").args(["--into", "../out", "--scratch", "../scratch"]).args(arguments);
        command.current_dir(self.repo()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs `tesuji builds`; afterwards the repository is as it was and the temporary place is empty.
    #[track_caller]
    fn builds(&self, arguments: &[&str], code: i32) -> (String, String) {
        let before = self.state();
        let out = self.command(arguments).output().expect("the binary starts");
        assert_eq!(self.state(), before, "the repository changed");
        let (out, text) = (out.status.code(), said(&out));
        assert_eq!(out, Some(code), "{arguments:?}\n{}\n{}", text.0, text.1);
        text
    }

    /// All that a user sees of the repository, and what lies in the temporary place.
    fn state(&self) -> [String; 4] {
        let scratch = fs::read_dir(self.folder.path().join("scratch")).expect("a folder").count();
        let index = self.git(&["ls-files", "--stage"]);
        let trees = self.git(&["worktree", "list", "--porcelain"]);
        [self.git(&["status", "--porcelain"]), trees, index, format!("{scratch} left")]
    }

    /// What a version says when it is started.
    fn play(&self, name: &str) -> String {
        let out = Command::new(self.folder.path().join("out").join(name)).output().expect("a version");
        String::from_utf8_lossy(&out.stdout).trim().to_string()
    }

    fn manifest(&self) -> serde_json::Value {
        let text = fs::read_to_string(self.folder.path().join("out/builds.json")).expect("a manifest");
        serde_json::from_str(&text).expect("JSON")
    }
}

fn said(out: &Output) -> (String, String) {
    (String::from_utf8_lossy(&out.stdout).into(), String::from_utf8_lossy(&out.stderr).into())
}

/// A cargo project without dependencies whose program says `word`.
fn cargo_project(yard: &Yard, word: &str) {
    let manifest = "[package]\nname = \"engine\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";
    yard.write("Cargo.toml", manifest);
    yard.write(".gitignore", "/target\n/Cargo.lock\n");
    yard.write("src/main.rs", &format!("fn main() {{ println!(\"{word}\"); }}\n"));
}

/// A project whose Makefile makes a script that says `word`; a broken one when that is `broken`.
fn make_project(yard: &Yard, word: &str) {
    let line = match word {
        "broken" => "echo engine.c:7: missing words >&2; exit 1".to_string(),
        "slow" => "sleep 60".to_string(),
        word => format!("printf '#!/bin/sh\\necho {word}\\n' > src/engine; chmod +x src/engine"),
    };
    yard.write("Makefile", &format!("all:\n\t@{line}\n"));
    yard.write("src/net.bin", word);
}

#[test]
fn a_cargo_project_is_built_at_tags_numbers_and_uncommitted() {
    let yard = Yard::new();
    cargo_project(&yard, "one");
    yard.commit("One");
    yard.git(&["tag", "v1"]);
    cargo_project(&yard, "two");
    yard.commit("Two");
    cargo_project(&yard, "three");
    yard.write("src/new.rs", "untracked");
    let (out, err) = yard.builds(&["v1", "main", "new=worktree", "--jobs", "2"], 0);
    assert_eq!(["v1", "main", "new"].map(|name| yard.play(name)), ["one", "two", "three"]);
    assert!(err.contains("[1/3] v1: ") && err.contains("building with cargo"), "{err}");
    let wanted = "tesuji match --engine 'name=v1 cmd=../out/v1' --engine 'name=main cmd=../out/main' --engine";
    assert!(out.contains(wanted), "{out}");
    let manifest = yard.manifest();
    let (v1, new) = (&manifest["versions"]["v1"], &manifest["versions"]["new"]);
    assert_eq!(v1["commit"], yard.git(&["rev-parse", "v1"]));
    assert_eq!((&v1["revision"], &v1["kind"], &v1["uncommitted"]), (&"v1".into(), &"cargo".into(), &false.into()));
    assert_eq!((&new["revision"], &new["uncommitted"]), (&"worktree".into(), &true.into()));
    assert!(v1["compiler"].as_str().is_some_and(|c| c.starts_with("rustc 1.")), "{v1}");

    // All of it is there already, also under other names.
    let (out, err) = yard.builds(&["-n", "2", "--numbers", "--prefix", "engine-"], 0);
    assert_eq!(["engine-1", "engine-2"].map(|name| yard.play(name)), ["one", "two"]);
    assert!(err.contains("engine-1: built already, as v1") && !err.contains("building"), "{err}");
    assert!(out.contains("built before"), "{out}");
    let (_, err) = yard.builds(&["new=worktree"], 0);
    assert!(err.contains("new: built already\n"), "{err}");
    // A program that was touched is made again, and so is a tree that changed.
    fs::write(yard.folder.path().join("out/v1"), "broken").expect("a file");
    yard.builds(&["v1", "--quiet"], 0);
    assert_eq!(yard.play("v1"), "one");
    cargo_project(&yard, "four");
    yard.builds(&["new=worktree"], 0);
    assert_eq!(yard.play("new"), "four");
    let (out, _) = yard.builds(&["--list"], 0);
    assert_eq!(out.lines().filter(|line| line.starts_with("../out/")).count(), 5, "{out}");
}

#[test]
fn a_failed_build_names_its_revision_and_the_compilers_last_words() {
    let yard = Yard::new();
    for word in ["one", "broken", "three"] {
        make_project(&yard, word);
        yard.commit(&format!("Say {word}"));
    }
    let (out, err) = yard.builds(&["a=HEAD~2", "b=HEAD~1", "c=HEAD", "--jobs", "1"], 1);
    assert_eq!(["a", "c"].map(|name| yard.play(name)), ["one", "three"]);
    assert!(!yard.folder.path().join("out/b").exists() && out.contains("name=c") && !out.contains("name=b"), "{out}");
    let hash = yard.git(&["rev-parse", "HEAD~1"]);
    for wanted in [&hash[..10], "b (", "\"Say broken\"", "make -j", "| engine.c:7: missing words", "b.log"] {
        assert!(err.contains(wanted), "no {wanted:?} in\n{err}");
    }
}

#[test]
fn wrong_names_and_revisions_are_refused_before_anything_is_built() {
    let yard = Yard::new();
    make_project(&yard, "one");
    yard.commit("One");
    yard.git(&["branch", "feature/x"]);
    for (arguments, wanted) in [
        (&["feature/x"][..], "new=feature/x"),
        (&["../up=main"], "\"../up\" cannot be the name"),
        (&["a=main", "A=main"], "would both be called"),
        (&["main", "--prefix", "/tmp/"], "cannot be the name"),
        (&["nowhere"], "no revision is called \"nowhere\""),
        (&["a=--help"], "no revision is called \"--help\""),
        (&["main", "--binary", "/bin/sh"], "below the tree's top"),
        (&["main", "--folder", ".."], "below the tree's top"),
        (&["main..main"], "no commit in"),
        (&[], "which versions"),
        (&["--list"], "no versions here"),
        (&["main", "--repository", "/"], "no git repository"),
    ] {
        let (_, err) = yard.builds(arguments, 2);
        assert!(err.contains(wanted), "{arguments:?}: {err}");
        assert!(!yard.folder.path().join("out/builds.json").exists());
    }
    yard.builds(&["x=feature/x"], 0);
    assert_eq!(yard.play("x"), "one");
    let (out, _) = yard.builds(&["main", "--dry-run"], 0);
    assert!(out.starts_with("main: ") && out.contains("\"One\", make"), "{out}");
}

#[test]
fn a_recipe_says_how_and_the_match_knows_where() {
    let yard = Yard::new();
    make_project(&yard, "one");
    yard.write("engines/main.c", "#include <stdio.h>\nint main(void) { puts(WORD); return 0; }\n");
    yard.commit("One");
    let recipe = r#"
        repository = 'repo'
        into = 'made'
        versions = ['first=main']
        folder = 'engines'
        binary = 'out/c-engine'
        build = ['mkdir out', 'cc -DWORD="\"$SAY {name}\"" -o out/c-engine main.c', 'cp ../src/net.bin net.bin']
        files = ['net.bin']
        start = '--uci'
        env = { SAY = 'I am' }
    "#;
    fs::write(yard.folder.path().join("recipe.toml"), recipe).expect("a file");
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
        let out = command.args(arguments).current_dir(yard.folder.path()).output().expect("the binary starts");
        assert!(out.status.success(), "{}", said(&out).1);
        said(&out).0
    };
    let out = run(&["builds", "--recipe", "recipe.toml"]);
    let made = yard.folder.path().join("made");
    let played = Command::new(made.join("first")).output().expect("a version");
    assert_eq!(String::from_utf8_lossy(&played.stdout), "I am first\n");
    assert_eq!(fs::read_to_string(made.join("first.files/net.bin")).expect("a file"), "one");
    assert!(out.contains("args=--uci dir=made/first.files' --engine self"), "{out}");
    // The printed command is one that `match` takes.
    let line = out.lines().last().and_then(|line| line.strip_prefix("next: ")).expect("a command");
    let words = line.replace("tesuji match ", "").replace("--games 1000", "--games 2 --dry-run");
    let out = Command::new("sh")
        .args(["-c", &format!("exec \"$0\" match {words}"), env!("CARGO_BIN_EXE_tesuji")])
        .current_dir(yard.folder.path())
        .output()
        .expect("a shell");
    assert!(out.status.success(), "{line}\n{}", said(&out).1);
}

#[test]
fn cmake_projects_are_built_beside_their_tree() {
    if needs::program("cmake", "cmake").is_none() {
        return;
    }
    let yard = Yard::new();
    yard.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.10)\nproject(e C)\nadd_executable(engine main.c)\n");
    yard.write("main.c", "#include <stdio.h>\nint main(void) { puts(WORD); return 0; }\n");
    yard.commit("One");
    yard.builds(&["main", "--env", "CFLAGS=-DWORD='\"c\"'"], 0);
    assert_eq!(yard.play("main"), "c");
}

#[test]
fn a_stopped_build_leaves_nothing_behind() {
    let yard = Yard::new();
    make_project(&yard, "slow");
    yard.commit("Slow");
    let before = yard.state();
    let wait_for_tree = || {
        let began = Instant::now();
        while yard.git(&["worktree", "list"]).lines().count() < 2 || !yard.folder.path().join("out/main.log").exists() {
            assert!(began.elapsed() < Duration::from_secs(120), "the build does not begin");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let signal = |process: &std::process::Child, name: &str| {
        let sent = Command::new("kill").args([name, &process.id().to_string()]).status().expect("kill");
        assert!(sent.success());
    };
    let stopped = yard.command(&["main"]).spawn().expect("the binary starts");
    wait_for_tree();
    signal(&stopped, "-INT");
    let began = Instant::now();
    let out = stopped.wait_with_output().expect("its end");
    assert_eq!(out.status.code(), Some(4), "{}", said(&out).1);
    assert!(
        began.elapsed() < Duration::from_secs(10) && said(&out).1.contains("was not built: stopped"),
        "{}",
        said(&out).1
    );
    assert_eq!(yard.state(), before);

    // What a killed one left is removed by the next.
    fs::remove_file(yard.folder.path().join("out/main.log")).expect("a log");
    let mut killed =
        yard.command(&["main"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the binary starts");
    wait_for_tree();
    signal(&killed, "-KILL");
    killed.wait().expect("its end");
    assert_ne!(yard.state(), before);
    make_project(&yard, "quick");
    let out = yard.command(&["new=worktree"]).output().expect("the binary starts");
    assert!(out.status.success(), "{}", said(&out).1);
    assert_eq!(yard.play("new"), "quick");
    yard.git(&["checkout", "--quiet", "."]);
    assert_eq!(yard.state(), before);
}

/// The program that joins profiles, for compilers without their own: it wants measured files, and joins them into a profile of
/// nothing, in the third version of the format, which all versions of LLVM read.
const MERGE: &str = r#"#!/bin/sh
case "$*" in
"merge --version") echo "LLVM version 999.0" && exit ;;
"merge -o "*.profraw) ;;
*) echo "unexpected: $*" && exit 1 ;;
esac
for file; do case $file in *.profraw) [ -s "$file" ] || exit 1 ;; esac; done
zero='\000\000\000\000\000\000\000\000'
printf "\377lprofi\201\003\000\000\000\000\000\000\001$zero$zero(\000\000\000\000\000\000\000\001\000\000\000\000\000\000\000$zero$zero" >"$3"
"#;

/// The folder `bin` of the yard, with programs that are found before all others.
fn own_programs(yard: &Yard) -> std::path::PathBuf {
    let bin = yard.folder.path().join("bin");
    fs::create_dir_all(&bin).expect("a folder");
    bin
}

/// It was skipped where rustup's llvm-tools were not installed.
#[test]
fn a_profile_is_measured_joined_and_used() {
    use std::os::unix::fs::PermissionsExt;
    let yard = Yard::new();
    cargo_project(&yard, "one");
    yard.commit("One");
    let bin = own_programs(&yard);
    let merge = bin.join("llvm-profdata");
    fs::write(&merge, MERGE).expect("a program");
    fs::set_permissions(&merge, fs::Permissions::from_mode(0o755)).expect("a program");
    let all = std::env::var_os("PATH").expect("PATH");
    let path = std::env::join_paths(std::iter::once(bin).chain(std::env::split_paths(&all))).expect("folders");
    let mut command = yard.command(&["main", "--pgo", "--train", "bench"]);
    let (out, err) = said(&command.env("PATH", path).output().expect("the binary starts"));
    assert!(out.contains("built in") && yard.manifest()["versions"]["main"]["pgo"] == true, "{out}{err}");
    let log = fs::read_to_string(yard.folder.path().join("out/main.log")).expect("a log");
    assert!(log.contains("-Cprofile-generate=") && log.contains("-Cprofile-use="), "{log}");
    assert!(!log.contains("invalid instrumentation profile"), "{log}");
    assert_eq!(yard.play("main"), "one");
}

#[test]
fn a_profile_needs_a_tool_that_joins_it() {
    let yard = Yard::new();
    cargo_project(&yard, "one");
    yard.commit("One");
    let own = Command::new("rustc").args(["--print", "sysroot"]).output().expect("rustc");
    let own = Path::new(String::from_utf8_lossy(&own.stdout).trim()).join("lib/rustlib");
    let has_own = fs::read_dir(own).expect("targets").flatten().any(|t| t.path().join("bin/llvm-profdata").is_file());
    if !has_own {
        let (path, bin) = (std::env::var_os("PATH").expect("PATH"), own_programs(&yard));
        for program in ["git", "rustc"] {
            let real =
                std::env::split_paths(&path).map(|p| p.join(program)).find(|p| p.is_file()).expect("on the path");
            std::os::unix::fs::symlink(real, bin.join(program)).expect("a link");
        }
        let out =
            yard.command(&["other=main", "--pgo", "--again"]).env("PATH", &bin).output().expect("the binary starts");
        let (_, err) = said(&out);
        assert!(out.status.code() == Some(1) && err.contains("--pgo needs llvm-profdata"), "{err}");
    }
    make_project(&yard, "one");
    yard.git(&["rm", "--quiet", "Cargo.toml"]);
    yard.commit("Make");
    // A script is compiled by nobody.
    let (_, err) = yard.builds(&["make=main", "--pgo"], 1);
    assert!(err.contains("wrote no profile") && err.contains("as $(CC) or $(CXX)"), "{err}");
    let (_, err) = yard.builds(&["make=main", "--pgo", "--build", "make"], 1);
    assert!(err.contains("--pgo-build"), "{err}");
    yard.builds(&["make=main", "--pgo", "--pgo-build", "make -s -j{threads}"], 0);
    assert_eq!(yard.play("make"), "one");
}

/// A project in C whose program counts, with flags of its own in its makefile.
fn c_project(yard: &Yard) {
    let main = "#include <stdio.h>\n#include <string.h>\n#include \"word.h\"\nint step(int n);\n\
        int main(int n, char **words) {\n  int sum = 0;\n  if (n > 1 && strcmp(words[1], \"bench\")) return 3;\n  \
        for (int i = 0; i < 1000; i++) sum += step(i);\n  printf(\"%s %d\\n\", WORD, sum);\n  return 0;\n}\n";
    yard.write("main.c", main);
    yard.write("step.c", "int step(int n) { return n % 3 == BASE ? 7 : 1; }\n");
    yard.write("word.h", "#define WORD \"old\"\n");
    let make = "CFLAGS = -O2 -DBASE=1\nengine: main.o step.o\n\t$(CC) -o $@ $^\n%.o: %.c\n\t$(CC) $(CFLAGS) -c $<\n";
    yard.write("Makefile", make);
    yard.write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.10)\nproject(e C)\nadd_compile_definitions(BASE=1)\n\
        add_executable(engine main.c step.c)\n",
    );
    yard.commit("One");
}

/// Profiles were for cargo alone: make, cmake and lines of a shell get the flags of their compilers.
#[test]
fn projects_in_c_are_built_with_a_profile() {
    let yard = Yard::new();
    c_project(&yard);
    let check = |name: &str, more: &[&str]| {
        let revision = format!("{name}=main");
        let (out, err) = yard.builds(&[&[revision.as_str(), "--pgo"], more].concat(), 0);
        assert_eq!(yard.play(name), "old 2998", "{err}");
        assert!(out.contains(&format!("\nnext: tesuji match --engine 'name={name} ")), "{out}");
        let log = fs::read_to_string(yard.folder.path().join(format!("out/{name}.log"))).expect("a log");
        // What was measured is found: the compiler warns of profiles that do not fit, or are missing.
        assert!(
            log.contains("fprofile-generate=") && log.contains("fprofile-use=") && !log.contains("warning"),
            "{log}"
        );
        assert!(yard.manifest()["versions"][name]["pgo"] == true);
    };
    check("made", &["--kind", "make", "--arg=CFLAGS=-O2 -DBASE=1 -Wmissing-profile"]);
    check(
        "lined",
        &["--build", "cc -O2 -DBASE=1 -Wmissing-profile {pgo} -o engine main.c step.c", "--binary", "engine"],
    );
    if needs::program("cmake", "cmake").is_some() {
        check("cmade", &["--kind", "cmake", "--env", "VERBOSE=1"]);
    }
    let (_, err) = yard.builds(&["bad=main", "--kind", "make", "--pgo", "--train", "perft"], 1);
    assert!(err.contains("the run that is measured for the profile (--train"), "{err}");
}

#[test]
fn weights_are_put_into_the_tree_before_it_is_built() {
    let yard = Yard::new();
    c_project(&yard);
    let weights = yard.folder.path().join("new.h");
    fs::write(&weights, "#define WORD \"new\"\n").expect("a file");
    let weights = weights.to_str().expect("a path");
    let asked = ["main", "--kind", "make", "--weights", weights, "--to", "word.h"];
    yard.builds(&asked, 0);
    assert_eq!(yard.play("main"), "new 2998");
    let (_, err) = yard.builds(&asked, 0);
    assert!(err.contains("built already"), "{err}");
    // Other weights are another program.
    fs::write(weights, "#define WORD \"newer\"\n").expect("a file");
    yard.builds(&[&asked[..], &["--pgo"]].concat(), 0);
    assert_eq!(yard.play("main"), "newer 2998", "also after the first of two builds was removed");
    let (_, err) = yard.builds(&["main", "--kind", "make", "--weights", "none.h", "--to", "word.h"], 2);
    assert!(err.contains("weights none.h"), "{err}");
    let (_, err) = yard.builds(&["main", "--weights", weights, "--to", "../word.h"], 2);
    assert!(err.contains("below the tree's top"), "{err}");
}
