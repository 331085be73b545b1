//! `tesuji regress`: regression files of GTP, as GNU Go's, asked of our engine or another.

mod script;

use anyhow::{Context, anyhow, bail};
use script::{Expect, Line};
use serde_json::{Value, json};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
    thread,
    time::Duration,
};
use tesuji_arena::{GtpAnswer, GtpProcess};

/// Arguments of `tesuji regress`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji regress ladder.tst --set Visits=2000\n  \
    tesuji regress regression/*.tst --engine 'gnugo --mode gtp --quiet' --jobs 4\n\n\
    A file holds GTP commands; after one with a number, `#? [PATTERN]` says which answers are right, `#? [!PATTERN]`\n\
    which are wrong; `*` behind it marks what is known to fail. PASS and FAIL are what nobody expected, pass and fail\n\
    what was. The exit code is 1 if anything failed that was not known to.")]
pub(crate) struct Args {
    /// Regression files
    #[arg(required = true, value_name = "FILE.tst")]
    files: Vec<PathBuf>,
    /// The engine: a program and its arguments; ours if left out
    #[arg(long, value_name = "COMMAND")]
    engine: Option<String>,
    /// Set an option of our engine; NAME as in `tesuji options go`
    #[arg(long = "set", value_name = "NAME=VALUE", conflicts_with = "engine")]
    set: Vec<String>,
    /// Where the engine runs and files are looked for; the folder of each regression file if left out
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Files asked at the same time
    #[arg(long, short, default_value_t = 1, value_name = "J")]
    jobs: usize,
    /// The longest that a command may take, in seconds
    #[arg(long, default_value_t = 120, value_name = "SECONDS")]
    timeout: u64,
    /// Show what passed, too
    #[arg(long, short)]
    verbose: bool,
    /// Tell everything as one JSON object
    #[arg(long)]
    json: bool,
}

/// How a case went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Pass,
    /// It failed, and was not known to.
    Fail,
    /// It passed, and was known to fail.
    UnexpectedPass,
    /// It failed, as it was known to.
    KnownFail,
    /// The engine was gone or said nothing that is an answer.
    Fault,
}

impl Verdict {
    const ALL: [Verdict; 5] =
        [Verdict::Pass, Verdict::Fail, Verdict::UnexpectedPass, Verdict::KnownFail, Verdict::Fault];

    fn word(self) -> &'static str {
        ["pass", "FAIL", "PASS", "fail", "FAULT"][self as usize]
    }

    fn key(self) -> &'static str {
        ["pass", "fail", "unexpected_pass", "known_fail", "fault"][self as usize]
    }
}

/// A case that was tried.
struct Case {
    file: String,
    line: usize,
    command: String,
    expected: String,
    answer: String,
    verdict: Verdict,
}

/// Runs the files and tells how they went.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let command = match &args.engine {
        Some(text) => tesuji_jobs::words::split(text).map_err(|error| anyhow!("--engine: {error}"))?,
        None => {
            let own = env::current_exe().context("cannot find this program")?.display().to_string();
            let set = args.set.iter().flat_map(|setting| ["--set".to_string(), setting.clone()]);
            [own, "gtp".to_string()].into_iter().chain(set).collect()
        }
    };
    let mut scripts = Vec::new();
    for path in &args.files {
        let bytes = fs::read(path).with_context(|| path.display().to_string())?;
        // Old files are written in Latin letters of one byte, in comments; no text has zeros.
        if let Some(at) = bytes.iter().position(|&byte| byte == 0) {
            bail!("{}: not a file of tests: byte {at} is zero", path.display());
        }
        let lines = script::read(&String::from_utf8_lossy(&bytes)).map_err(|e| anyhow!("{}: {e}", path.display()))?;
        scripts.push((path, lines));
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut cases = Vec::new();
        while let Some((path, lines)) = scripts.get(next.fetch_add(1, Relaxed)) {
            cases.extend(run_file(path, lines, &command, &args)?);
        }
        anyhow::Ok(cases)
    };
    let cases = thread::scope(|scope| {
        let threads: Vec<_> = (0..args.jobs.clamp(1, scripts.len())).map(|_| scope.spawn(work)).collect();
        let mut all = Vec::new();
        for thread in threads {
            match thread.join() {
                Ok(cases) => all.extend(cases?),
                Err(_) => bail!("a worker failed"),
            }
        }
        Ok(all)
    })?;
    let count = |verdict| cases.iter().filter(|case| case.verdict == verdict).count();
    if args.json {
        println!("{}", as_json(&cases, count));
    } else {
        println!(
            "{} cases: {} pass, {} FAIL, {} unexpected PASS, {} fail as known, {} without an answer",
            cases.len(),
            count(Verdict::Pass),
            count(Verdict::Fail),
            count(Verdict::UnexpectedPass),
            count(Verdict::KnownFail),
            count(Verdict::Fault)
        );
    }
    let is_bad = count(Verdict::Fail) + count(Verdict::Fault) > 0;
    Ok(ExitCode::from(u8::from(is_bad)))
}

/// Asks an engine what stands in one file.
fn run_file(path: &Path, lines: &[(usize, Line)], command: &[String], args: &Args) -> anyhow::Result<Vec<Case>> {
    let time = Duration::from_secs(args.timeout);
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = args.folder.as_deref().unwrap_or(parent);
    let mut engine = Some(GtpProcess::start(command, folder)?);
    let mut cases = Vec::new();
    // The last command with a number, with its answer.
    let mut asked: Option<(&str, Result<GtpAnswer, String>)> = None;
    for (at, line) in lines {
        match line {
            Line::Command { text, .. } if text == "quit" => break,
            Line::Command { number, text } => {
                let mut running = match engine.take() {
                    Some(running) => running,
                    None => GtpProcess::start(command, folder)?,
                };
                let answer = running.ask(*number, text, time);
                // After a fault nobody knows what the engine will say next: a new one goes on.
                engine = answer.is_ok().then_some(running);
                if number.is_some() {
                    asked = Some((text, answer.map_err(|error| error.to_string())));
                } else if let Err(error) = answer.map_err(anyhow::Error::from).and_then(refusal) {
                    eprintln!("{}:{at}: {text}: {error:#}", path.display());
                }
            }
            Line::Expect(expect) => {
                let Some((text, answer)) = asked.take() else { continue };
                let (verdict, answer) = judge(expect, answer);
                let file = path.display().to_string();
                let case =
                    Case { file, line: *at, command: text.into(), expected: expect.text.clone(), answer, verdict };
                if !args.json && (args.verbose || !matches!(verdict, Verdict::Pass | Verdict::KnownFail)) {
                    println!("{}", as_line(&case));
                }
                cases.push(case);
            }
        }
    }
    Ok(cases)
}

/// A refused command that nobody asks about is worth a word: what follows stands on another board.
fn refusal(answer: GtpAnswer) -> anyhow::Result<()> {
    if answer.done { Ok(()) } else { Err(anyhow!("refused: {}", answer.text)) }
}

fn judge(expect: &Expect, answer: Result<GtpAnswer, String>) -> (Verdict, String) {
    match answer {
        Err(fault) => (Verdict::Fault, fault),
        Ok(answer) => {
            let is_right = answer.done && expect.accepts(&answer.text);
            let verdict = match (is_right, expect.known_to_fail) {
                (true, false) => Verdict::Pass,
                (false, false) => Verdict::Fail,
                (true, true) => Verdict::UnexpectedPass,
                (false, true) => Verdict::KnownFail,
            };
            let sign = if answer.done { "" } else { "? " };
            (verdict, format!("{sign}{}", answer.text))
        }
    }
}

fn as_line(case: &Case) -> String {
    let Case { file, line, command, expected, answer, verdict } = case;
    let answer = answer.lines().next().unwrap_or_default();
    format!("{file}:{line}: {}: {command}: expected {expected}, got {answer:?}", verdict.word())
}

fn as_json(cases: &[Case], count: impl Fn(Verdict) -> usize) -> Value {
    let summary: serde_json::Map<String, Value> =
        Verdict::ALL.into_iter().map(|verdict| (verdict.key().to_string(), count(verdict).into())).collect();
    let cases: Vec<Value> = cases
        .iter()
        .map(|case| {
            json!({ "file": case.file, "line": case.line, "command": case.command, "expected": case.expected,
                    "answer": case.answer, "verdict": case.verdict.key() })
        })
        .collect();
    json!({ "summary": summary, "cases": cases })
}
