//! `tesuji tune --sweep FILE.toml`: the experiment of GreKo's author (V. Medvedev, 2016). Weights are learned for every
//! combination of games, weights that may change, and lambda; each version plays a gauntlet against the same pool, whose
//! first member is the anchor of the ratings. What is done is kept, so that the same command goes on.

use super::{Args, learn_version};
use crate::{games, version};
use anyhow::{Context, bail};
use serde::Deserialize;
use serde_json::json;
use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};
use tesuji_circle::{Duel, Openings, Setup, conditions, duel, improve::read_pairs};
use tesuji_jobs::{AtomicFile, Interrupt, LineJournal, Progress, Show, threads};
use tesuji_kit::Kit;
use tesuji_stats::{Games, Given, Met, Ratings, Relation, rate};

/// The most versions of a sweep: each is learned and plays.
const VERSIONS_MAX: usize = 10_000;

/// What the file says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Plan {
    /// Sets of games by name.
    games: BTreeMap<String, Vec<PathBuf>>,
    /// What may change: as `--only` has it, with commas; `all` for everything.
    only: Vec<String>,
    /// Plies after which a board counts 1/e; 0: all alike.
    lambda: Vec<f64>,
    /// Weights that every version meets: builtin, material or files. The first is the anchor.
    pool: Vec<String>,
    /// Pairs of games against each of the pool.
    pairs: u64,
    /// Nodes a move.
    nodes: u64,
    /// Random plies at the beginning of games.
    #[serde(default = "eight")]
    random_plies: u32,
}

fn eight() -> u32 {
    8
}

/// One combination.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Version {
    /// A, B, C, …
    name: String,
    games: String,
    /// The files of the games.
    pub(super) files: Vec<PathBuf>,
    /// As `--only` has it; empty for everything.
    pub(super) only: Vec<String>,
    pub(super) lambda: f64,
}

impl Plan {
    fn read(path: &Path) -> anyhow::Result<Plan> {
        let name = path.display().to_string();
        let text = fs::read_to_string(path).with_context(|| name.clone())?;
        Plan::parse(&text, &name)
    }

    fn parse(text: &str, name: &str) -> anyhow::Result<Plan> {
        let plan: Plan = toml::from_str(text).with_context(|| name.to_string())?;
        for (what, empty) in [
            ("games", plan.games.values().all(Vec::is_empty)),
            ("only", plan.only.is_empty()),
            ("lambda", plan.lambda.is_empty()),
            ("pool", plan.pool.is_empty()),
        ] {
            if empty {
                bail!("{name}: {what} is empty; expected one at least");
            }
        }
        let versions = plan.games.len().saturating_mul(plan.only.len()).saturating_mul(plan.lambda.len());
        if versions > VERSIONS_MAX {
            bail!("{name}: games, only and lambda make {versions} versions; at most {VERSIONS_MAX} are learned");
        }
        if plan.pairs == 0 || plan.nodes == 0 {
            bail!("{name}: pairs and nodes: expected numbers above 0");
        }
        if let Some(lambda) = plan.lambda.iter().find(|l| !(0.0..=1e6).contains(*l)) {
            bail!("{name}: lambda {lambda}: expected 0 to 1000000 plies");
        }
        Ok(plan)
    }

    /// All combinations, games first.
    fn versions(&self) -> Vec<Version> {
        let mut versions: Vec<Version> = Vec::new();
        for (games, files) in &self.games {
            for only in &self.only {
                for &lambda in &self.lambda {
                    let words: Vec<String> = only.split(',').map(str::to_string).collect();
                    let only = if only == "all" { Vec::new() } else { words };
                    let name = letters(versions.len());
                    versions.push(Version { name, games: games.clone(), files: files.clone(), only, lambda });
                }
            }
        }
        versions
    }
}

/// Reads the text of a sweep: for fuzzers.
///
/// # Panics
/// When versions have the same name.
pub(crate) fn check_text(text: &str) {
    let Ok(plan) = Plan::parse(text, "bent") else { return };
    let versions = plan.versions();
    let names: std::collections::BTreeSet<&str> = versions.iter().map(|version| version.name.as_str()).collect();
    assert_eq!(names.len(), versions.len());
}

/// A to Z, then AA, AB, …
fn letters(mut number: usize) -> String {
    let mut name = String::new();
    loop {
        name.insert(0, (b'A' + (number % 26) as u8) as char);
        number /= 26;
        if number == 0 {
            return name;
        }
        number -= 1;
    }
}

/// Learns, plays and prints the table.
pub(super) fn run(args: &Args, file: &Path, out: &Path) -> anyhow::Result<ExitCode> {
    let plan = Plan::read(file)?;
    let pupil = args.set.pupil(&args.game)?;
    if !pupil.plays() {
        bail!("--sweep needs weights that an engine plays with: --set full");
    }
    fs::create_dir_all(out).with_context(|| out.display().to_string())?;
    same_as_before(args, file, out)?;
    let show = if args.quiet || args.json { Show::Quiet } else { Show::Auto };
    let stop = Interrupt::of_process();
    let versions = plan.versions();
    for version in &versions {
        let path = weights_of(out, version);
        if !path.exists() && !learn_version(args, version, &path, show)? {
            return Ok(stopped(out));
        }
    }
    let pool = pool_files(&plan, args, out)?;
    let mut met = Vec::new();
    for (i, version) in versions.iter().enumerate() {
        for (j, member) in pool.iter().enumerate() {
            let sides = [weights_of(out, version), member.clone()];
            let journal = out.join(&version.name).join(format!("pairs-{}.txt", j + 1));
            let title = format!("{} against {}", version.name, plan.pool[j]);
            let Some(pairs) = gauntlet(&plan, args, &sides, &journal, &title, &stop, show)? else {
                return Ok(stopped(out));
            };
            met.extend(met_in(pool.len() + i, j, &pairs));
        }
    }
    let mut ratings = rate(pool.len() + versions.len(), &met, Given::default());
    ratings.anchor(0, 0.0);
    let table = table(&plan, &versions, &ratings);
    let told = serde_json::to_string_pretty(&told(&plan, &versions, &ratings))?;
    AtomicFile::write(&out.join("table.txt"), table.as_bytes())?;
    AtomicFile::write(&out.join("table.json"), told.as_bytes())?;
    match args.json {
        true => println!("{told}"),
        false => print!("{table}"),
    }
    Ok(ExitCode::SUCCESS)
}

fn stopped(out: &Path) -> ExitCode {
    println!("stopped; the same command goes on from {}", out.display());
    ExitCode::from(4)
}

fn weights_of(out: &Path, version: &Version) -> PathBuf {
    out.join(&version.name).join("weights.json")
}

/// Notes what the sweep is made of; a folder with another one is left alone.
fn same_as_before(args: &Args, file: &Path, out: &Path) -> anyhow::Result<()> {
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let words = format!(
        "# {} --start {} --method {} --epochs {} --result-share {} --pull {:?} --leaf {:?} --seed {}\n{text}",
        args.game, args.start, args.method, args.epochs, args.result_share, args.pull.0, args.leaf, args.seed
    );
    let kept = out.join("sweep.toml");
    match fs::read_to_string(&kept) {
        Ok(before) if before == words => Ok(()),
        Ok(_) => bail!("{}: another sweep is kept there; choose another --out", kept.display()),
        Err(_) => AtomicFile::write(&kept, words.as_bytes()).with_context(|| kept.display().to_string()),
    }
}

/// The weights of the pool as files.
fn pool_files(plan: &Plan, args: &Args, out: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let subject = games::tuning(&args.game)?;
    let file = |(i, name): (usize, &String)| {
        let path = out.join(format!("pool-{}.json", i + 1));
        let mut weights = subject.weights(name)?;
        if weights.origin.made_by.is_empty() {
            weights.origin.made_by = format!("tesuji {}", version::short());
        }
        if !path.exists() {
            tesuji_tune::save_weights(&path, &weights, subject.game(), subject.terms())?;
        }
        Ok(path)
    };
    plan.pool.iter().enumerate().map(file).collect()
}

/// Plays what is left of a match of `sides`; `None` when it was stopped.
fn gauntlet(
    plan: &Plan,
    args: &Args,
    sides: &[PathBuf; 2],
    path: &Path,
    title: &str,
    stop: &Interrupt,
    show: Show,
) -> anyhow::Result<Option<Vec<[u64; 2]>>> {
    let kit: &dyn Kit = games::kit(&args.game)?;
    let (mut journal, lines) = LineJournal::open(path, false).with_context(|| path.display().to_string())?;
    let mut pairs = read_pairs(path, &lines)?;
    let progress = Progress::start(title, "pairs", Some(plan.pairs), show);
    progress.resume_at(pairs.len() as u64);
    let match_ = Duel {
        setups: sides.each_ref().map(|p| Setup::with_weights(p)),
        openings: Openings::random(plan.random_plies, args.seed ^ 0x53EE_0000),
        conditions: conditions(plan.nodes),
        pairs: plan.pairs,
        jobs: threads(args.jobs),
        until: None,
    };
    let played = pairs.clone();
    duel(kit, &match_, &played, stop, &mut |_, pair, _| {
        journal.append(&format!("{} {}", pair[0], pair[1])).map_err(|e| tesuji_circle::CircleError::file(path, e))?;
        pairs.push(pair);
        progress.set(pairs.len() as u64);
        Ok(true)
    })?;
    Ok((pairs.len() as u64 >= plan.pairs).then_some(pairs))
}

/// The games of `pairs` by who had the first side; half points are those of `challenger`.
fn met_in(challenger: usize, defender: usize, pairs: &[[u64; 2]]) -> [Met; 2] {
    let count = |game: usize, half_points: u64| pairs.iter().filter(|p| p[game] == half_points).count() as u64;
    let games =
        |game: usize, win: u64| Games { wins: count(game, win), draws: count(game, 1), losses: count(game, 2 - win) };
    [
        Met { first: challenger, second: defender, games: games(0, 2) },
        Met { first: defender, second: challenger, games: games(1, 0) },
    ]
}

/// A line for each version, the best first.
fn table(plan: &Plan, versions: &[Version], ratings: &Ratings) -> String {
    let pool = plan.pool.len();
    let mut text = format!(
        "{:8}{:12}{:24}{:>8}{:>14}{:>8}{:>8}{:>8}\n",
        "version", "games", "weights", "lambda", "Elo (95 %)", "LOS %", "games", "score"
    );
    for player in ratings.order() {
        let rating = &ratings.players[player];
        let error = rating.error.map_or("?".into(), |e| format!("{e:.0}"));
        let elo = match ratings.relation(player, 0) {
            _ if player == 0 => "0".into(),
            Relation::Measured => format!("{:+.0} ±{error}", rating.elo),
            Relation::Above => "above all".into(),
            Relation::Below => "below all".into(),
            Relation::Unknown => "unknown".into(),
        };
        let los = ratings.los(player, 0).map_or("-".into(), |l| format!("{:.0}", 100.0 * l));
        let (name, games, only, lambda) = match player.checked_sub(pool) {
            Some(i) => {
                let v = &versions[i];
                let only = if v.only.is_empty() { "all".into() } else { v.only.join(",") };
                (v.name.clone(), v.games.clone(), only, v.lambda.to_string())
            }
            None => ("".into(), "".into(), format!("({})", plan.pool[player]), "".into()),
        };
        let counted = &rating.games;
        let share = 100.0 * counted.points() / counted.games().max(1) as f64;
        let _ = writeln!(
            text,
            "{name:8}{games:12}{only:24}{lambda:>8}{elo:>14}{los:>8}{:>8}{share:>7.1}%",
            counted.games()
        );
    }
    let _ = writeln!(text, "Elo and LOS (the chance to be better) are against {}, the anchor", plan.pool[0]);
    text
}

fn told(plan: &Plan, versions: &[Version], ratings: &Ratings) -> serde_json::Value {
    let version = |(i, v): (usize, &Version)| {
        let player = plan.pool.len() + i;
        let rating = &ratings.players[player];
        let elo = (ratings.relation(player, 0) == Relation::Measured).then_some(rating.elo);
        json!({ "version": v.name, "games": v.games, "only": v.only, "lambda": v.lambda, "elo": elo,
            "error": rating.error, "los": ratings.los(player, 0), "played": rating.games.games(),
            "points": rating.games.points() })
    };
    json!({ "anchor": plan.pool[0], "versions": versions.iter().enumerate().map(version).collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_the_whole_grid() {
        let plan: Plan = toml::from_str(
            "only = ['all', 'pawns,6..27']\nlambda = [20, 60]\npool = ['builtin']\npairs = 2\nnodes = 9\n[games]\nown = ['a.sgs']\n",
        )
        .unwrap();
        let versions = plan.versions();
        assert_eq!(versions.len(), 4);
        assert_eq!(versions[3].only, ["pawns", "6..27"]);
        assert_eq!((versions[1].name.as_str(), versions[1].lambda), ("B", 60.0));
        assert_eq!([0, 25, 26, 701].map(letters), ["A", "Z", "AA", "ZZ"]);
    }

    #[test]
    fn half_points_are_games_of_two_sides() {
        let [white, black] = met_in(3, 0, &[[2, 0], [1, 2], [2, 1]]);
        assert_eq!((white.first, black.first), (3, 0));
        assert_eq!(white.games, Games { wins: 2, draws: 1, losses: 0 });
        // The defender had the first side, won once, drew once and lost once.
        assert_eq!(black.games, Games { wins: 1, draws: 1, losses: 1 });
    }

    #[test]
    fn who_lost_everything_has_no_number() {
        let plan =
            "only = ['all']\nlambda = [20]\npool = ['builtin']\npairs = 2\nnodes = 9\n[games]\nown = ['a.sgs']\n";
        let plan: Plan = toml::from_str(plan).unwrap();
        let ratings = rate(2, &met_in(1, 0, &[[0, 0], [0, 0]]), Given::default());
        let table = table(&plan, &plan.versions(), &ratings);
        assert!(table.lines().any(|l| l.starts_with('A') && l.contains("below all")), "{table}");
        assert!(told(&plan, &plan.versions(), &ratings)["versions"][0]["elo"].is_null());
    }
}
