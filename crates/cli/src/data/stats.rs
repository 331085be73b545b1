//! `tesuji data stats`: what is in files.

use super::task::{Memory, Reading, Task, grouped};
use std::path::PathBuf;
use std::process::ExitCode;
use tesuji_dataset::data::{Histogram, Summary, summarise};

/// Arguments of `tesuji data stats`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji data stats games.sgs.zst\n  \
    tesuji data stats train.parquet valid.parquet --json\n\n\
    Results and scores are for the side that moves first; positions are the same when play can go on from them in the same way. \
    Exit codes: 0 done, 2 wrong usage or input, 4 stopped.")]
pub(crate) struct Args {
    /// The files to read (`-`: stdin)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print all counts as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    memory: Memory,
    #[command(flatten)]
    reading: Reading,
}

/// The widest bar of a histogram.
const BAR: usize = 40;

pub(super) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let task = Task::new("stats", &args.reading, &args.files)?;
    let folder = args.memory.folder(None);
    let (summary, tally) = task.run(|job| summarise(job, args.memory.bytes(), &folder))?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&summary)?);
    } else {
        print!("{}", text(&summary));
        if tally.errors > 0 {
            println!("skipped          {} broken records", grouped(tally.errors));
        }
    }
    Ok(ExitCode::from(if tally.stopped { 4 } else { 0 }))
}

/// A share of `of` in percent.
fn percent(n: u64, of: u64) -> String {
    format!("{:.2} %", 100.0 * n as f64 / of.max(1) as f64)
}

fn text(s: &Summary) -> String {
    let mut out = String::new();
    let mut line = |name: &str, words: String| out += &format!("{name:16} {words}\n");
    if s.games > 0 {
        line("games", grouped(s.games));
    }
    if let Some(again) = s.games_repeated {
        line("  seen before", format!("{} ({})", grouped(again), percent(again, s.games)));
    }
    line("positions", grouped(s.positions));
    if let Some(again) = s.positions_repeated {
        line("  seen before", format!("{} ({})", grouped(again), percent(again, s.positions)));
        line("  in check", format!("{} ({})", grouped(s.checks), percent(s.checks, s.positions)));
    }
    line("  with a move", format!("{} ({})", grouped(s.moves), percent(s.moves, s.positions)));
    let scored = s.scores.total() + s.mates;
    // Where nothing looks at positions, scores are not told apart by side either.
    if s.positions_repeated.is_some() {
        line("  with a score", format!("{} ({})", grouped(scored), percent(scored, s.positions)));
    }
    if s.mates > 0 {
        line("  proven", format!("{} ({})", grouped(s.mates), percent(s.mates, s.positions)));
    }
    let all: u64 = s.results.iter().sum();
    out += if s.of_games { "results of games\n" } else { "results of positions\n" };
    let names = ["wins", "draws", "losses", "unknown"];
    let most = s.results.iter().max().copied().unwrap_or(0);
    for (name, n) in names.into_iter().zip(s.results).filter(|(name, n)| *n > 0 || *name != "unknown") {
        out += &bar(name, n, all, most);
    }
    histogram(&mut out, if s.of_games { "plies of games" } else { "plies to the end" }, &s.plies);
    histogram(&mut out, "scores", &s.scores);
    histogram(&mut out, "material of both sides", &s.material);
    histogram(&mut out, "material, first minus second", &s.balance);
    out
}

fn bar(name: &str, n: u64, all: u64, most: u64) -> String {
    let length = (n as f64 / most.max(1) as f64 * BAR as f64).round() as usize;
    format!("  {name:>12} {:>13} {:>8} {}\n", grouped(n), percent(n, all), "#".repeat(length)).trim_end().to_string()
        + "\n"
}

/// Ranges beyond the usual ones are drawn together, so that a page is enough.
fn histogram(out: &mut String, name: &str, h: &Histogram) {
    let Some((low, high)) = h.range else { return };
    *out += &format!("{name}: from {low} to {high}, mean {:.1}\n", h.mean);
    let (all, most) = (h.total(), h.counts.values().max().copied().unwrap_or(0));
    // What is rarer than one in two hundred at either end goes into one line.
    let rare = all / 200;
    let mut ranges: Vec<(i64, u64)> = h.counts.iter().map(|(k, n)| (*k, *n)).collect();
    let (mut below, mut above) = (0, 0);
    while ranges.len() > 1 && below + ranges[0].1 <= rare {
        below += ranges.remove(0).1;
    }
    while let Some(&(_, n)) = ranges.last().filter(|l| ranges.len() > 1 && above + l.1 <= rare) {
        above += n;
        ranges.pop();
    }
    if let (Some(first), true) = (ranges.first(), below > 0) {
        *out += &bar(&format!("under {}", first.0), below, all, most);
    }
    let mut next = ranges.first().map_or(0, |r| r.0);
    for &(from, n) in &ranges {
        while next < from {
            *out += &bar(&label(next, h.width), 0, all, most);
            next += h.width;
        }
        *out += &bar(&label(from, h.width), n, all, most);
        next = from + h.width;
    }
    if above > 0 {
        *out += &bar(&format!("from {next}"), above, all, most);
    }
}

fn label(from: i64, width: i64) -> String {
    if width == 1 { from.to_string() } else { format!("{from}..{}", from + width - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histograms_fit_on_a_page() {
        let mut h = Histogram::new(10);
        (0..5000).for_each(|i| h.add(i % 40));
        h.add(-500);
        h.add(9000);
        let mut joined = Histogram::new(10);
        joined.join(&h);
        let mut out = String::new();
        histogram(&mut out, "plies", &joined);
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines.len(), 7, "{out}");
        assert!(lines[0].starts_with("plies: from -500 to 9000, mean 21.2"), "{out}");
        assert!(lines[1].contains("under 0") && lines[6].contains("from 40"), "{out}");
        assert!(lines[2].contains("0..9         1,250"), "{out}");
    }
}
