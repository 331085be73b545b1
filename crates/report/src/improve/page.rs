//! The report of a run of `improve` as one page, and its pictures. All of it comes from what the folder of the run holds, so that
//! it can be made again from there.

use super::elo;
use crate::page::{page, section, table};
use crate::svg::{Point, Series, bars, curves, escaped, line_chart, standalone};
use std::{
    fmt::Write as _,
    io,
    path::{Path, PathBuf},
};
use tesuji_circle::DuelStanding;
use tesuji_circle::improve::{
    CONFIRM_TIMES, Changes, EngineTraining, ImproveSettings, NnueChange, Round, Story, StrengthChanges, WeightChanges,
};
use tesuji_jobs::{AtomicFile, counted, duration_text, words::quoted};
use tesuji_stats::{Interval, Pairs};
use tesuji_tally::feature_name;

/// Weights that are listed.
const WEIGHTS_SHOWN: usize = 25;

/// The content of the report page.
pub struct Report<'a> {
    /// The game.
    pub game: &'a str,
    /// The folder of the run, as the page names it.
    pub folder: &'a Path,
    /// The ending of its files of weights.
    pub ending: &'a str,
    /// The events of the run.
    pub story: &'a Story,
    /// The changes of the weights; `None` before the verdict.
    pub changes: Option<&'a Changes>,
}

/// `+37 ±12 [+25, +49]`, or that there are too few games.
fn elo_text(elo: Option<Interval>) -> String {
    elo.map_or("too few games".into(), |e| format!("{:+.0} [{:+.0}, {:+.0}]", e.value, e.low, e.high))
}

fn wdl_text(standing: &DuelStanding) -> String {
    let [won, drawn, lost] = standing.wdl;
    format!("+{won} ={drawn} −{lost}")
}

/// Elo as pair after pair came in, with its interval.
fn elo_over_games(pairs: &[[u64; 2]]) -> Vec<Point> {
    let mut standing = DuelStanding::default();
    let mut points = Vec::new();
    for half_points in pairs {
        standing.add(*half_points);
        if let Some(e) = Pairs(standing.pairs).elo() {
            points.push(Point { x: standing.games() as f64, low: e.low, value: e.value, high: e.high });
        }
    }
    points
}

impl Report<'_> {
    /// The page.
    pub fn html(&self) -> String {
        let Story { settings, rounds, seconds, .. } = self.story;
        let mut html = String::new();
        section(&mut html, "Verdict", &self.verdict());
        section(&mut html, "The climb, round by round", &(self.climb() + CLIMB_NOTE));
        section(&mut html, "Rounds", &table(&ROUND_HEADS, rounds.iter().map(|(round, _)| round_row(round))));
        section(&mut html, "Losses", &self.losses());
        for (name, pairs) in ["Elo over the games of the verdict", "Elo over the games of the confirmation"]
            .into_iter()
            .zip(&self.story.pairs)
        {
            let points = elo_over_games(pairs);
            if points.len() > 1 {
                section(&mut html, name, &line_chart(name, &points, &[(0.0, "level")]));
            }
        }
        match self.changes {
            Some(Changes::Weights(changes)) => changed_weights(changes, &mut html),
            Some(Changes::Strengths(changes)) => changed_strengths(changes, &mut html),
            Some(Changes::Net(net)) => net_facts(net, &mut html),
            Some(Changes::Nnue(net)) => nnue_facts(net, &mut html),
            Some(Changes::Engine(training)) => engine_facts(training, &mut html),
            None => {}
        }
        section(&mut html, "Settings", &settings_table(settings));
        section(&mut html, "To do it again", &self.commands());
        let state = format!(
            "{}, {} of {}, {} of work, {}, {}",
            self.folder.display(),
            rounds.iter().filter(|(r, _)| r.standing.is_some()).count(),
            counted(settings.rounds.into(), "round"),
            duration_text(std::time::Duration::from_secs_f64(*seconds)),
            counted(settings.jobs as u64, "thread"),
            settings.made_by
        );
        page(&format!("tesuji improve {}", self.game), &state, None, &html)
    }

    /// Writes `report.html` and its pictures into the folder of the run. Returns the path of the first.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn write(&self) -> io::Result<PathBuf> {
        let path = self.folder.join("report.html");
        AtomicFile::write(&path, self.html().as_bytes())?;
        for (name, svg) in self.pictures() {
            AtomicFile::write(&self.folder.join(name), svg.as_bytes())?;
        }
        Ok(path)
    }

    /// The pictures that stand beside the page, as the names of their files and SVG that stands alone.
    pub fn pictures(&self) -> [(&'static str, String); 2] {
        [("elo.svg", self.climb()), ("losses.svg", self.losses())].map(|(name, svg)| (name, standalone(&svg)))
    }

    /// The section with the gain of the run, and whether it lasts with more nodes.
    fn verdict(&self) -> String {
        let Some(verdict) = &self.story.verdict else { return "<p>There is none yet.</p>\n".into() };
        if verdict.unchanged {
            return "<p>No round changed the weights: they are those of the start, and there is nothing to prove.</p>\n".into();
        }
        let nodes = self.story.settings.nodes;
        let row = |nodes: u64, standing: &DuelStanding| {
            let elo = elo(standing);
            let proven = if elo.is_some_and(|e| e.low > 0.0) { "proven" } else { "not proven" };
            let games = standing.games().to_string();
            vec![format!("{nodes} nodes a move"), games, wdl_text(standing), elo_text(elo), proven.into()]
        };
        let first = row(nodes, &verdict.standing);
        let second = verdict.confirmed.as_ref().map(|s| row(nodes.saturating_mul(CONFIRM_TIMES), s));
        let heads = ["final weights against the start", "games", "+/=/−", "Elo (95 %)", "a gain is"];
        let note = match second {
            Some(_) => "",
            None => "<p><code>--confirm</code> repeats this with ten times as many nodes.</p>\n",
        };
        table(&heads, std::iter::once(first).chain(second)) + note
    }

    /// Elo above the start: the rounds' matches summed, and what the verdict says.
    fn climb(&self) -> String {
        let mut points = vec![Point { x: 0.0, low: 0.0, value: 0.0, high: 0.0 }];
        let (mut sum, mut variance) = (0.0, 0.0);
        for (round, _) in &self.story.rounds {
            let Some(standing) = &round.standing else { break };
            if let Some(elo) = Pairs(standing.pairs).elo().filter(|_| round.adopted) {
                sum += elo.value;
                variance += ((elo.high - elo.low) / 2.0).powi(2);
            }
            let half = f64::sqrt(variance);
            points.push(Point { x: f64::from(round.number), low: sum - half, value: sum, high: sum + half });
        }
        let verdict = self.story.verdict.as_ref();
        let elo = verdict.and_then(|v| Pairs(v.standing.pairs).elo()).map(|e| (e.value, "verdict".to_string()));
        let confirmed = verdict.and_then(|v| Pairs(v.confirmed?.pairs).elo());
        let confirmed = confirmed.map(|e| (e.value, format!("verdict, {CONFIRM_TIMES} times the nodes")));
        let marks: Vec<(f64, String)> =
            [Some((0.0, "start".to_string())), elo, confirmed].into_iter().flatten().collect();
        let marks: Vec<(f64, &str)> = marks.iter().map(|(level, name)| (*level, name.as_str())).collect();
        line_chart("Elo above the start, over rounds", &points, &marks)
    }

    /// Losses of all epochs, one round after the other.
    fn losses(&self) -> String {
        let (mut train, mut held, mut from) = (Vec::new(), Vec::new(), 0.0);
        for (_, losses) in &self.story.rounds {
            let place = |epoch: u32| from + f64::from(epoch);
            train.push(losses.iter().skip(1).map(|l| (place(l.epoch), l.train)).collect());
            held.push(losses.iter().filter_map(|l| Some((place(l.epoch), l.held?))).collect());
            from += losses.last().map_or(0.0, |l| f64::from(l.epoch) + 1.0);
        }
        let series = [
            Series { class: "train", name: "training", lines: train },
            Series { class: "held", name: "validation", lines: held },
        ];
        curves("Training and validation loss over the epochs of all rounds", &series, None)
    }

    /// Commands that repeat the run and its proof.
    fn commands(&self) -> String {
        let settings = &self.story.settings;
        let ImproveSettings { from, rounds, games, pairs, nodes, result_share, starts, seed, confirm, .. } = settings;
        let played = self.story.rounds.iter().filter_map(|(r, _)| r.games.as_ref()).map(|g| g.games);
        let games = games.or_else(|| played.max()).unwrap_or(1000);
        let matched = self.story.rounds.iter().filter_map(|(r, _)| r.standing.as_ref()).map(|s| s.games() / 2);
        let pairs = pairs.or_else(|| matched.max()).unwrap_or(100).max(1);
        let starts = starts.as_ref().map_or(String::new(), |s| format!(" --starts {}", s.display()));
        let confirm = if *confirm { " --confirm" } else { "" };
        let (at, game, ending) = (self.folder.display(), self.game, self.ending);
        // With nets these words stand in place of those of hand-made evaluations.
        let (search, weights) = match self.changes {
            Some(Changes::Net(net)) => {
                let shape = &net.architecture;
                let net =
                    if from == "new" { format!(" --net {}x{}", shape.blocks, shape.channels) } else { String::new() };
                (format!(" --search mcts{net}"), "args=--search=mcts option.NetFile")
            }
            Some(Changes::Nnue(_)) => {
                let net = settings.net.as_ref().map_or(String::new(), |net| format!(" --net {net}"));
                (format!(" --search nnue{net}"), "option.EvalFile")
            }
            _ => (String::new(), "weights"),
        };
        let rules = if settings.rules.is_empty() { String::new() } else { format!(" --rules '{}'", settings.rules) };
        let set: String = settings.options.iter().map(|(name, value)| format!(" --option {name}={value}")).collect();
        let options: String = settings.options.iter().map(|(name, value)| format!(" option.{name}={value}")).collect();
        if let Some(training) = &settings.engine {
            return engine_commands(training, (game, self.folder, ending), *nodes);
        }
        let mut text = format!(
            "tesuji improve {game}{search} --from {from} --rounds {rounds} --games {games} --pairs {pairs} --nodes {nodes} \
             --result-share {result_share} --seed {seed}{starts}{rules}{set}{confirm}\n"
        );
        for nodes in [*nodes, nodes.saturating_mul(CONFIRM_TIMES)] {
            let _ = writeln!(
                text,
                "tesuji match --game {game}{rules} --engine \"name=now {weights}={at}/weights.{ending}{options}\" \
                 --engine \"name=start {weights}={at}/start.{ending}{options}\" --nodes {nodes} --games 1000"
            );
        }
        format!(
            "<p>The same games, weights and verdict, whatever the number of threads, come of fixed numbers of games; a run \
             with a budget of time plays as many as there is time for.</p>\n<pre>{}</pre>\n",
            escaped(&text)
        )
    }
}

/// The commands of a match between the last weights of an engine and its first.
fn engine_commands(training: &EngineTraining, (game, folder, ending): (&str, &Path, &str), nodes: u64) -> String {
    let words = |name: &str, file: &str| {
        let engine = training.words_with(&folder.join(format!("{file}.{ending}")));
        quoted(&format!("name={name} {engine}"))
    };
    let (now, start) = (words("now", "weights"), words("start", "start"));
    let text = format!(
        "tesuji improve {game} --request {}\ntesuji match --game {game} --engine {now} --engine {start} --nodes {nodes} --games 1000\n",
        folder.join("request.json").display()
    );
    format!("<pre>{}</pre>\n", escaped(&text))
}

/// The weights that moved most, and how far each group did.
fn changed_weights(changes: &WeightChanges, html: &mut String) {
    let WeightChanges { terms, start, last } = changes;
    let change = |f: usize| {
        let (a, b) = (start.values[f], last.values[f]);
        (0..2).map(|p| (i32::from(b[p]) - i32::from(a[p])).unsigned_abs()).max().unwrap_or(0)
    };
    let mut order: Vec<usize> = (0..last.values.len()).filter(|&f| change(f) > 0).collect();
    order.sort_by_key(|&f| (std::cmp::Reverse(change(f)), f));
    let pair = |[mg, eg]: [i16; 2]| format!("{mg} / {eg}");
    let rows = order.iter().take(WEIGHTS_SHOWN).map(|&f| {
        let [before, after] = [start, last].map(|w| pair(w.values[f]));
        vec![escaped(&feature_name(terms, f)), before, after, change(f).to_string()]
    });
    let heads = ["weight", "start (middlegame / endgame)", "now", "moved by at most"];
    let note = format!("<p>{} of {} weights moved.</p>\n", order.len(), last.values.len());
    section(html, "Weights that moved most", &(note + &table(&heads, rows)));
    let mut groups: Vec<(String, u64)> = Vec::new();
    for term in *terms {
        let sum: u64 = term.range().map(|f| u64::from(change(f))).sum();
        match groups.iter_mut().find(|g| g.0 == term.group) {
            Some(group) => group.1 += sum,
            None => groups.push((term.group.to_string(), sum)),
        }
    }
    section(html, "Centipawns moved, by group", &bars("Centipawns that the weights of a group moved", &groups));
}

/// The strengths that moved most, as factors.
fn changed_strengths(changes: &StrengthChanges, html: &mut String) {
    let moved = |index: usize| {
        let strength = &changes.strengths[index];
        (strength.last / strength.start).ln().abs()
    };
    let mut order: Vec<usize> = (0..changes.strengths.len()).filter(|&index| moved(index) > 0.0).collect();
    order.sort_by(|&a, &b| moved(b).total_cmp(&moved(a)));
    let rows = order.iter().take(WEIGHTS_SHOWN).map(|&index| {
        let strength = &changes.strengths[index];
        vec![strength.name.clone(), format!("{:.3}", strength.start), format!("{:.3}", strength.last)]
    });
    let patterns = changes.patterns;
    let note = format!("<p>{} strengths of what a move does moved; {patterns} patterns are known.</p>\n", order.len());
    section(html, "Strengths that moved most", &(note + &table(&["a move that is", "start", "now"], rows)));
}

/// The engine that learned, and its commands.
fn engine_facts(training: &EngineTraining, html: &mut String) {
    let build = training.build.as_deref().unwrap_or("none");
    let facts = [("engine", training.engine.as_str()), ("rows", &training.rows), ("build", build)];
    let rows = facts.map(|(name, value)| vec![name.to_string(), format!("<code>{}</code>", escaped(value))]);
    section(html, "The engine", &table(&["what", "words"], rows.into_iter()));
}

/// Writes the facts of a network: its architecture, and the metadata about its training.
fn net_facts(net: &tesuji_nn::Weights, html: &mut String) {
    let architecture = &net.architecture;
    let shape = format!("{} blocks of {} channels", architecture.blocks, architecture.channels);
    let own = [
        ("shape", shape),
        ("numbers", architecture.parameters().to_string()),
        ("board", format!("{}x{}", architecture.height, architecture.width)),
        ("features", architecture.features.clone()),
    ];
    let own = own.into_iter().map(|(name, value)| vec![name.to_string(), escaped(&value)]);
    let said = net.origin.iter().map(|(name, value)| vec![escaped(name), escaped(value)]);
    section(html, "The net", &table(&["what", "value"], own.chain(said)));
}

/// The shape and the origin of an efficiently updatable network.
fn nnue_facts(net: &NnueChange, html: &mut String) {
    let Some(shape) = &net.shape else { return };
    let said = net.origin.iter().map(|(name, value)| vec![escaped(name), escaped(value)]);
    let shape_text = format!("<pre>{}</pre>\n", escaped(&shape.to_toml()));
    section(html, "The net", &(table(&["what", "value"], said) + &shape_text));
}

const CLIMB_NOTE: &str = "<p>The line sums the matches of new against old; each was played against the weights before it, \
    so its band widens and its sum tends to be too high. The verdict is one match against the start.</p>\n";
const ROUND_HEADS: [&str; 8] = [
    "round",
    "games",
    "boards learned from",
    "validation loss",
    "best epoch",
    "new against old",
    "Elo (95 %)",
    "adopted",
];

fn round_row(round: &Round) -> Vec<String> {
    let unknown = || "–".to_string();
    let learned = round.learned.as_ref();
    let games = round.standing.as_ref().filter(|s| s.games() > 0);
    vec![
        round.number.to_string(),
        round.games.as_ref().map_or_else(unknown, |g| g.games.to_string()),
        learned.map_or_else(unknown, |l| l.rows[0].to_string()),
        learned.map_or_else(unknown, |l| format!("{:.5} → {:.5}", l.loss_before, l.loss_after)),
        learned.map_or_else(unknown, |l| l.best_epoch.to_string()),
        games.map_or_else(unknown, wdl_text),
        games.map_or_else(unknown, |s| elo_text(Pairs(s.pairs).elo())),
        if round.adopted { "yes" } else { "no" }.into(),
    ]
}

fn settings_table(settings: &ImproveSettings) -> String {
    let ImproveSettings {
        made_by,
        from,
        rounds,
        budget,
        games,
        pairs,
        nodes,
        rules,
        options,
        sprt,
        random_plies,
        starts,
        result_share,
        // It has a table of its own.
        engine: _,
        confirm,
        seed,
        jobs,
        net,
    } = settings;
    let open = |n: &Option<u64>| n.map_or("as many as there is time for".into(), |n| n.to_string());
    let rows = [
        ("made by", made_by.clone()),
        ("start", from.clone()),
        ("rounds", rounds.to_string()),
        ("budget", budget.map_or("none".into(), duration_text)),
        ("games a round", open(games)),
        ("pairs a match", open(pairs)),
        ("nodes a move", nodes.to_string()),
        ("rules", if rules.is_empty() { "the usual ones".into() } else { rules.clone() }),
        ("options", options.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")),
        (
            "test of a round's match",
            sprt.map_or("none: the score decides".into(), |[low, high]| format!("[{low}, {high}] normalised Elo, 5 %")),
        ),
        ("random plies", random_plies.to_string()),
        ("start positions", starts.as_ref().map_or("the game's own".into(), |s| s.display().to_string())),
        ("share of the result", result_share.to_string()),
        ("shape of networks", net.clone().unwrap_or_else(|| "none asked for".into())),
        ("confirmation", if *confirm { format!("{CONFIRM_TIMES} times the nodes") } else { "no".into() }),
        ("seed", seed.to_string()),
        ("threads", jobs.to_string()),
    ];
    table(&["setting", "value"], rows.into_iter().map(|(name, value)| vec![name.into(), escaped(&value)]))
}
