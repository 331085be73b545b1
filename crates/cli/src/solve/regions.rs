//! `tesuji solve` for problems of regions: one problem, or all of files with a table of what came of them.

use super::Args;
use anyhow::{Context, bail};
use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};
use tesuji_jobs::Interrupt;
use tesuji_kit::{
    Pasted,
    regions::{RegionProblem, RegionSearch, Regions, SolvedRegion},
};

/// Solves one problem or all of files.
pub(super) fn run(args: &Args, regions: &dyn Regions) -> anyhow::Result<ExitCode> {
    if args.proof.is_some() || args.shortest || args.defend || args.plies.is_some() {
        bail!(
            "solve go takes --position with --goal, or --set; --region, --time, --nodes, --hash, --verify and --json"
        );
    }
    let stop = Interrupt::of_process();
    if let Some(path) = &args.set {
        return run_set(args, (regions, path), &stop);
    }
    let position = args.fen.clone().unwrap_or_default().and(&args.moves);
    let Some(goal) = &args.goal else { bail!("--goal is missing: capture, ladder or live, and a point of the chain") };
    let position = Pasted { start: Some(position.start.unwrap_or_default()), ..position };
    let problem = regions.problem(&position, goal, args.region.as_deref())?;
    let solved = problem.solve(&args.region_search(), &|| stop.is_raised())?;
    print(args, problem.as_ref(), &solved);
    Ok(if solved.answer == "yes" { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Args {
    /// How problems are solved.
    fn region_search(&self) -> RegionSearch {
        let (nodes, verify, options) = (self.nodes, self.verify, self.options.clone());
        RegionSearch { hash_mib: self.hash, nodes, time: self.time(), verify, options }
    }
}

fn print(args: &Args, problem: &dyn RegionProblem, solved: &SolvedRegion) {
    if args.json {
        println!("{}", solved.json(problem));
        return;
    }
    println!("{}: {}", problem.question(), solved.answer);
    if !solved.line.is_empty() {
        println!("line: {}", solved.line.join(" "));
    }
    println!("{} nodes, {:.3} s", solved.nodes, solved.time.as_secs_f64());
    if let Some(positions) = solved.verified {
        println!("verified by plain rules: {positions} positions");
    }
}

/// The files that `path` means: itself, or those of a folder.
fn files(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let entries = fs::read_dir(path).with_context(|| path.display().to_string())?;
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    files.retain(|file| {
        file.extension().is_some_and(|e| e.eq_ignore_ascii_case("txt") || e.eq_ignore_ascii_case("sgf"))
    });
    files.sort();
    if files.is_empty() {
        bail!("{}: no files .txt or .sgf are there", path.display());
    }
    Ok(files)
}

/// How many problems were right, reached a limit, wrong, or had no known answer.
type Counts = [u64; 4];

/// Solves all problems of a file or folder, one after the other; a row for each, then a table by file.
fn run_set(args: &Args, (regions, path): (&dyn Regions, &Path), stop: &Interrupt) -> anyhow::Result<ExitCode> {
    let mut table: Vec<(String, Counts)> = Vec::new();
    for file in files(path)? {
        let mut counts = [0; 4];
        for problem in regions.problems(&file)? {
            if stop.is_raised() {
                return Ok(ExitCode::from(4));
            }
            let solved = problem.solve(&args.region_search(), &|| stop.is_raised());
            let solved = solved.with_context(|| format!("{}: {}", file.display(), problem.name()))?;
            let verdict = verdict(problem.known(), solved.answer);
            counts[verdict] += 1;
            print_row(args, problem.as_ref(), &solved, verdict == 2);
        }
        table.push((file.file_name().unwrap_or_default().to_string_lossy().into_owned(), counts));
    }
    if table.iter().all(|(_, counts)| counts.iter().sum::<u64>() == 0) {
        bail!("{}: no problems", path.display());
    }
    let sum = table.iter().fold([0; 4], |sum: Counts, (_, counts)| std::array::from_fn(|i| sum[i] + counts[i]));
    table.push(("all".into(), sum));
    print_table(&table);
    if sum[2] > 0 {
        bail!("{}: {} answers contradict what the file says", path.display(), sum[2]);
    }
    Ok(ExitCode::SUCCESS)
}

/// The column of [`Counts`] that an answer belongs to.
fn verdict(known: Option<&str>, answer: &str) -> usize {
    match known {
        _ if answer == "limit" => 1,
        None => 3,
        Some(known) if known == answer => 0,
        Some(_) => 2,
    }
}

fn print_row(args: &Args, problem: &dyn RegionProblem, solved: &SolvedRegion, is_wrong: bool) {
    if args.json {
        println!("{}", solved.json(problem));
        return;
    }
    let known = problem.known().map_or(String::new(), |known| format!(" (known: {known})"));
    let mark = if is_wrong { "  WRONG" } else { "" };
    let (nodes, time) = (solved.nodes, solved.time.as_secs_f64());
    println!("{:<5}{known:<13} {:<52} {nodes:>9} nodes {time:>8.2} s{mark}", solved.answer, problem.name());
}

fn print_table(table: &[(String, Counts)]) {
    eprintln!("{:<24}{:>8}{:>8}{:>8}{:>8}{:>9}", "file", "right", "limit", "wrong", "unknown", "share");
    for (name, counts) in table {
        let judged: u64 = counts[..3].iter().sum();
        let share = 100.0 * counts[0] as f64 / judged.max(1) as f64;
        eprintln!("{name:<24}{:>8}{:>8}{:>8}{:>8}{share:>7.1} %", counts[0], counts[1], counts[2], counts[3]);
    }
}
