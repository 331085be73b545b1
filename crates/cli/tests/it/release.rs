//! `./release`: what archive and packages hold, that their sums are right, that they are the same twice, and that each can be installed into an empty place; with `SLOW=1` the real thing.

use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tesuji_testkit::needs;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs `./release` into `folder`; all that was said.
#[track_caller]
fn release(folder: &Path, arguments: &[&str]) -> String {
    let out =
        Command::new(root().join("release")).args(arguments).arg("--into").arg(folder).output().expect("./release");
    let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert!(out.status.success(), "{text}");
    text
}

/// The one file in `folder` whose name ends so.
#[track_caller]
fn made(folder: &Path, ending: &str) -> PathBuf {
    let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut all = files.filter(|path| path.to_string_lossy().contains(ending));
    all.next().unwrap_or_else(|| panic!("no {ending} in {}", folder.display()))
}

#[track_caller]
fn shell(folder: &Path, line: &str) -> String {
    let out = Command::new("bash").args(["-euo", "pipefail", "-c", line]).current_dir(folder).output().expect("bash");
    assert!(out.status.success(), "{line}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8_lossy(&out.stdout).into_owned()
}

/// Unpacks the archive of `folder` and looks at everything in it.
fn examine(folder: &Path) {
    let archive = made(folder, ".tar.");
    let unpacked = tempfile::tempdir().expect("a folder");
    shell(folder, "sha256sum --check --status SHA256SUMS");
    assert_eq!(shell(folder, "ls | wc -l").trim(), shell(folder, "expr 1 + $(wc -l < SHA256SUMS)").trim());
    shell(unpacked.path(), &format!("tar xf '{}'", archive.display()));
    let top = fs::read_dir(unpacked.path()).expect("a folder").next().expect("one folder").expect("an entry").path();
    shell(&top, "sha256sum --check --status SHA256SUMS");
    let summed = fs::read_to_string(top.join("SHA256SUMS")).expect("sums").lines().count();
    let files: usize = shell(&top, "find . -type f | wc -l").trim().parse().expect("a number");
    assert_eq!(summed, files - 1, "every file but the sums themselves has a sum");
    assert!(fs::read_to_string(top.join("LICENSE")).expect("a licence").contains("GNU GENERAL PUBLIC LICENSE"));
    let crates = fs::read_to_string(top.join("CRATES.txt")).expect("crates");
    assert!(crates.lines().any(|line| line.starts_with("clap v4")) && crates.contains("MIT"), "{crates}");
    assert!(!crates.contains("tesuji-") && !crates.contains(&*root().to_string_lossy()), "{crates}");
    for wanted in [
        "docs/match.md",
        "docs/guides/analyse-games.md",
        "handbook.html",
        "man/man1/tesuji-match.1",
        "completions/_tesuji",
        "CHANGELOG.md",
        "README.md",
    ] {
        assert!(top.join(wanted).is_file(), "no {wanted}");
    }
    let said = shell(&top, "bin/tesuji --version; bin/tesuji-uci <<< quit; bin/tesuji-gtp <<< name");
    assert!(said.starts_with("tesuji ") && said.contains("= Tesuji"), "{said}");
    check_parts(&made(folder, ".cdx.json"));
}

/// The list of parts names crates with licence and sum, and the libraries of the page, but not what only tests use.
fn check_parts(bill: &Path) {
    let text = fs::read_to_string(bill).expect("a list of parts");
    assert!(!text.contains(&*root().canonicalize().expect("a path").to_string_lossy()), "a path of this machine");
    let bill: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&bill["bomFormat"], &bill["specVersion"]), (&"CycloneDX".into(), &"1.5".into()));
    let parts = bill["components"].as_array().expect("parts");
    let part = |name: &str| parts.iter().find(|part| part["name"] == name);
    let clap = part("clap").expect("clap");
    assert_eq!(clap["hashes"][0]["content"].as_str().map(str::len), Some(64), "{clap}");
    assert!(clap["licenses"][0]["expression"].as_str().is_some_and(|licence| licence.contains("MIT")), "{clap}");
    assert!(part("preact").is_some() && part("tesuji-search").is_some());
    assert!(part("vite").is_none() && part("tesuji-testkit").is_none(), "what only builds and tests use");
    let uses = bill["dependencies"].as_array().expect("dependencies");
    assert_eq!(uses.len(), parts.len() + 1, "each part and the program say what they use");
}

/// What a program that was just installed has to do: `program` is a command of a shell.
fn try_out(folder: &Path, program: &str) {
    let told: Value = serde_json::from_str(&shell(folder, &format!("{program} --version --json"))).expect("JSON");
    assert_eq!(told["program"], "tesuji");
    assert!(told["commit"].as_str().is_some_and(|commit| commit.len() >= 7) && told["features"].is_array(), "{told}");
    assert!(shell(folder, &format!("{program} perft chess --depth 3")).contains("8902"));
    if !needs::is_slow() {
        return;
    }
    let improved = shell(folder, &format!("{program} improve chess --from material --budget 20s --out improved"));
    assert!(improved.contains("verdict: "), "{improved}");
    let played =
        shell(folder, &format!("{program} match --engine name=a --engine name=b --nodes 200 --games 4 --seed 1"));
    assert!(played.contains("Elo"), "{played}");
    let words: Vec<&str> = program.split(' ').chain(["serve", "--port", "0", "--no-token"]).collect();
    let mut server = Command::new(words[0]);
    let mut server =
        server.args(&words[1..]).current_dir(folder).stdout(Stdio::piped()).spawn().expect("the server starts");
    let lines = BufReader::new(server.stdout.take().expect("its output")).lines();
    let address = lines.map_while(Result::ok).find(|line| line.contains("http://127.0.0.1:"));
    server.kill().expect("the server is there");
    server.wait().expect("the server ends");
    assert!(address.is_some(), "{program} serve prints its address");
}

/// The Debian package, unpacked: programs under all names, pages, completions, a desktop entry.
fn install_debian(folder: &Path) {
    if needs::program("dpkg-deb", "dpkg").is_none() {
        return;
    }
    let place = tempfile::tempdir().expect("a folder");
    shell(place.path(), &format!("dpkg-deb --extract '{}' .", made(folder, ".deb").display()));
    let names = ["bin/tesuji-uci", "bin/tesuji-usi", "bin/tesuji-gtp", "share/man/man1/tesuji-match.1.gz"];
    let shares = ["applications/tesuji.desktop", "bash-completion/completions/tesuji", "doc/tesuji/copyright"];
    let shares = shares.map(|name| format!("share/{name}"));
    for name in names.into_iter().chain(shares.iter().map(String::as_str)) {
        assert!(place.path().join("usr").join(name).is_file(), "no {name}");
    }
    let control = shell(place.path(), &format!("dpkg-deb --field '{}'", made(folder, ".deb").display()));
    assert!(control.contains("Package: tesuji\n") && control.contains("Architecture: amd64\n"), "{control}");
    let owners = shell(
        place.path(),
        &format!("dpkg-deb --contents '{}' | grep -v ' root/root ' || true", made(folder, ".deb").display()),
    );
    assert!(owners.is_empty(), "{owners}");
    shell(
        place.path(),
        &format!(
            "dpkg-deb --control '{}' control && cd . && md5sum --check --status control/md5sums",
            made(folder, ".deb").display()
        ),
    );
    try_out(place.path(), "./usr/bin/tesuji");
    let shogi = shell(place.path(), "usr/bin/tesuji-usi <<< usi");
    assert!(shogi.contains("usiok"), "{shogi}");
}

/// The wheel in a virtual environment without other packages, and its module.
fn install_wheel(folder: &Path) {
    let Some(python) = needs::python("venv, ensurepip", "venv") else { return };
    let place = tempfile::tempdir().expect("a folder");
    shell(place.path(), &format!("'{}' -m venv venv", python.display()));
    let install = "venv/bin/pip install --quiet --disable-pip-version-check --no-index";
    shell(place.path(), &format!("{install} '{}'", made(folder, ".whl").display()));
    try_out(place.path(), "./venv/bin/tesuji");
    let go = shell(place.path(), "venv/bin/tesuji-gtp <<< name; venv/bin/python -m tesuji --version");
    assert!(go.contains("= Tesuji") && go.contains("tesuji "), "{go}");
    let game = "[White \"A\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n";
    fs::write(place.path().join("g.pgn"), game).expect("a game");
    let script = "\
import tesuji
[game] = tesuji.games('g.pgn')
assert game.moves[-1] == 'h5f7' and game.result == 1 and game.tags['White'] == 'A', game
assert list(tesuji.games('g.pgn', skip=1)) == []
review = tesuji.analyse('g.pgn', nodes=500)
assert '1. e4 {' in review.text and 'game 1, White: 4 moves' in review.summary, review
assert len(review.games) == 1 and review.games[0].values[0] is not None, review.games
assert tesuji.version()['program'] == 'tesuji' and tesuji.__version__ == tesuji.version()['version']
try:
    list(tesuji.games('none.pgn'))
except tesuji.TesujiError as error:
    assert 'none.pgn' in str(error) and error.code == 2, error
else:
    raise AssertionError('a file that is not there')
";
    fs::write(place.path().join("t.py"), script).expect("a script");
    shell(place.path(), "venv/bin/python t.py");
    let Some(python) = needs::python("pyarrow", "pyarrow") else { return };
    let tables = "import tesuji; assert tesuji.positions('g.pgn').column('move')[0].as_py() == 'e2e4', 'moves'";
    shell(
        place.path(),
        &format!("PYTHONPATH=$(echo venv/lib/python3*/site-packages) '{}' -c \"{tables}\"", python.display()),
    );
}

/// The npm tarball in an empty folder, and its module.
fn install_npm(folder: &Path) {
    if needs::program("npm", "npm").is_none() {
        return;
    }
    let place = tempfile::tempdir().expect("a folder");
    let install = "npm install --offline --no-audit --no-fund --loglevel error --cache cache";
    shell(place.path(), &format!("echo '{{}}' > package.json; {install} '{}'", made(folder, ".tgz").display()));
    try_out(place.path(), "./node_modules/.bin/tesuji");
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/features-few.sgs");
    let script = format!(
        "import {{ games, run }} from 'tesuji';\nlet n = 0;\nfor await (const game of games({games:?})) n += game.moves.length;\n\
         try {{ await run('perft', 'nogame'); }} catch (error) {{ console.log(n, error.code, error.message); }}\n"
    );
    fs::write(place.path().join("t.mjs"), script).expect("a script");
    let said = shell(place.path(), "node t.mjs");
    let moves = said.split(' ').next().and_then(|word| word.parse::<u32>().ok());
    assert!(moves == Some(74) && said.contains(" 2 ") && said.contains("nogame"), "{said}");
}

fn install_all(folder: &Path) {
    install_debian(folder);
    install_wheel(folder);
    install_npm(folder);
}

#[test]
fn the_release_is_whole_installs_and_is_the_same_twice() {
    let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
    let pack = ["--pack", env!("CARGO_BIN_EXE_tesuji"), "--level", "1"];
    for folder in &folders {
        release(folder.path(), &pack);
    }
    let sums = folders.each_ref().map(|folder| fs::read_to_string(folder.path().join("SHA256SUMS")).expect("sums"));
    assert_eq!(sums[0], sums[1], "two releases of the same differ");
    examine(folders[0].path());
    install_all(folders[0].path());
    let wrong = Command::new(root().join("release")).arg("--fly").output().expect("./release");
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn the_release_is_static_and_runs_in_an_empty_chroot() {
    if !needs::slow("builds the release for minutes") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let text = release(folder.path(), &["--level", "1"]);
    assert!(text.contains("ldd: statically linked") || text.contains("ldd: not a dynamic executable"), "{text}");
    assert!(text.contains("empty chroot: "), "{text}");
    examine(folder.path());
    install_all(folder.path());
}

/// Programs read version, commit and features from one line.
#[test]
fn version_json_is_one_line_and_nothing_else_is_taken_for_it() {
    let ask = |words: &[&str]| {
        let out = Command::new(env!("CARGO_BIN_EXE_tesuji")).args(words).output().expect("the program");
        (out.status.code(), String::from_utf8_lossy(&out.stdout).into_owned())
    };
    let (code, told) = ask(&["--version", "--json"]);
    assert_eq!((code, told.lines().count(), ask(&["--json", "-V"]).1), (Some(0), 1, told.clone()));
    let told: Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!(told["version"], env!("CARGO_PKG_VERSION"));
    assert_ne!(ask(&["--json"]).0, Some(0));
}
