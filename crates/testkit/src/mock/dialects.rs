//! The protocols of the mock engine, each as little as a runner needs, and written without the crate they test.

use super::{Mock, MockDecision, Thought};
use std::io::Write;
use std::time::{Duration, Instant};
use tesuji_game::Side;

/// The message when an evaluator gave no answer.
const BLIND: &str = "no move: nobody answers";

/// Answers lines.
pub(super) trait Speaker {
    /// The answer to a line; `None` ends the session.
    fn answer(&mut self, engine: &mut Mock<'_>, line: &str) -> Option<String>;
}

/// The engines that speak this protocol.
pub(super) fn speaker(name: &str) -> Option<Box<dyn Speaker>> {
    Some(match name {
        "uci" => Box::new(Uci {
            words: ["uci", "uciok", "position fen "],
            mates_in_plies: false,
            ponder: None,
            lost_stop: false,
            best: None,
        }),
        "usi" => Box::new(Uci {
            words: ["usi", "usiok", "position sfen "],
            mates_in_plies: true,
            ponder: None,
            lost_stop: false,
            best: None,
        }),
        "gtp" => Box::new(Gtp { is_analysing: false }),
        "xboard" => Box::new(Xboard::default()),
        _ => return None,
    })
}

/// UCI and USI.
struct Uci {
    words: [&'static str; 3],
    mates_in_plies: bool,
    /// When it began to think until told otherwise: on the opponent's time, or without end.
    ponder: Option<Instant>,
    lost_stop: bool,
    /// The best move of the analysis that it tells.
    best: Option<String>,
}

impl Speaker for Uci {
    fn answer(&mut self, engine: &mut Mock<'_>, line: &str) -> Option<String> {
        let [hello, welcome, position] = self.words;
        let word = line.split_ascii_whitespace().next().unwrap_or_default();
        Some(match word {
            "quit" => return None,
            _ if word == hello && engine.habits.mute => engine.habits.sleep_for_ever(),
            _ if word == hello => {
                let options = "option name Skill type spin default 1 min 0 max 9\noption name Ponder type check default false\n\
                     option name UCI_Chess960 type check default false";
                let journal = if engine.habits.lines > 0 { "option name Journal type string default \n" } else { "" };
                let lines = engine.habits.lines;
                let lines = if lines > 0 { "option name MultiPV type spin default 1 min 1 max 9\n" } else { "" };
                format!("id name mock\nid author nobody\n{options}\n{lines}{journal}{welcome}\n")
            }
            "setoption" if line.starts_with("setoption name MultiPV value ") => {
                engine.habits.lines = line.rsplit(' ').next().and_then(|n| n.parse().ok()).unwrap_or(1);
                String::new()
            }
            "setoption" if line.starts_with("setoption name UCI_Chess960") => {
                engine.play_chess960(line.ends_with("true"));
                String::new()
            }
            "isready" if engine.habits.busy => String::new(),
            "isready" => "readyok\n".to_string(),
            "position" => {
                let (head, moves) = line.split_once(" moves ").unwrap_or((line, ""));
                let start = head.strip_prefix(position).map(|s| s.trim().to_string());
                engine.set_position(start, moves.split_ascii_whitespace().map(str::to_string).collect());
                String::new()
            }
            "go" if line.contains(" ponder") => {
                (self.ponder, self.lost_stop) = (Some(Instant::now()), false);
                // Threads may begin late.
                std::thread::sleep(Duration::from_millis(if engine.habits.loses_stop { 20 } else { 0 }));
                // News may come at any time.
                "info depth 1 score cp 1 nodes 7\n".to_string()
            }
            "go" if engine.habits.lines > 0 => {
                let text = self.analyse(engine, line);
                if line.contains(" infinite") {
                    self.ponder = Some(Instant::now());
                    return Some(text);
                }
                // Told before it decides: it may die of that.
                print!("{text}");
                let _ = std::io::stdout().flush();
                self.decide(engine)
            }
            "go" if line.contains(" infinite") => {
                self.ponder = Some(Instant::now());
                String::new()
            }
            "go" => {
                std::thread::sleep(engine.habits.ponder);
                engine.habits.use_time(given(line, engine.side_to_move()));
                self.decide(engine)
            }
            "ponderhit" => {
                let began = self.ponder.take()?;
                std::thread::sleep(engine.habits.ponder.saturating_sub(began.elapsed()));
                self.decide(engine)
            }
            "stop" if engine.habits.loses_stop && self.ponder.is_some() && !self.lost_stop => {
                self.lost_stop = true;
                String::new()
            }
            "stop" => match self.ponder.take() {
                Some(_) => self.decide(engine),
                None => String::new(),
            },
            _ => String::new(),
        })
    }
}

impl Uci {
    /// All lines of an analysis of three iterations, or what happens instead.
    fn analyse(&mut self, engine: &mut Mock<'_>, line: &str) -> String {
        let only = line.split_once(" searchmoves ").map_or(Vec::new(), |(_, moves)| moves.split(' ').collect());
        let told = engine.analyse(&only);
        self.best = told.first().map(|(pv, _)| pv[0].clone());
        let one = |depth: i32, rank: usize, (pv, score): &(Vec<String>, i32)| {
            let (nodes, pv) = (depth * 100, pv.join(" "));
            format!("info depth {depth} multipv {} nodes {nodes} nps 5000 score cp {score} pv {pv}\n", rank + 1)
        };
        (1..=3).flat_map(|depth| told.iter().enumerate().map(move |(rank, told)| one(depth, rank, told))).collect()
    }

    fn decide(&mut self, engine: &mut Mock<'_>) -> String {
        if let Some(best) = self.best.take().filter(|_| !engine.is_due()) {
            return format!("bestmove {best}\n");
        }
        let Thought { decision, expected, infos, time, score, .. } = engine.think();
        let (mv, pv) = match &decision {
            MockDecision::Garbage => return "bestmove\n".to_string(),
            MockDecision::Blind => return format!("info string error: {BLIND}\nbestmove (none)\n"),
            MockDecision::Move(mv) => (mv.as_str(), format!(" pv {mv}")),
            MockDecision::Nothing => ("(none)", String::new()),
            MockDecision::Resign => ("resign", String::new()),
            MockDecision::Claim => ("win", String::new()),
        };
        let time = time.as_millis();
        let score = if self.mates_in_plies && score >= 30_000 { "mate 5".to_string() } else { format!("cp {score}") };
        let mut text = String::new();
        for depth in 1..=infos {
            text += &format!("info depth {depth} time {time} nodes {} score {score}{pv}\n", depth * 100);
        }
        if let Some(bound) = engine.habits.bound {
            text += &format!("info depth {} time {time} nodes 100 score cp {bound} upperbound{pv}\n", infos + 1);
        }
        let ponder = expected.map(|mv| format!(" ponder {mv}")).unwrap_or_default();
        text + &format!("bestmove {mv}{ponder}\n")
    }
}

/// The time that a `go` gives for a move.
fn given(line: &str, side: Side) -> Duration {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let ms_after =
        |name: &str| words.windows(2).find(|pair| pair[0] == name).and_then(|pair| pair[1].parse::<u64>().ok());
    // In UCI white moves first, in USI black: only with the same clock for both it does not matter.
    let clock = ms_after(if side == Side::First { "wtime" } else { "btime" }).unwrap_or(0);
    Duration::from_millis(ms_after("movetime").unwrap_or(clock / MOVES_LEFT + ms_after("byoyomi").unwrap_or(0)))
}

/// Into this many moves a clock is divided.
const MOVES_LEFT: u64 = 40;

/// GTP.
struct Gtp {
    /// Whether the answer to an analysis is still to be ended.
    is_analysing: bool,
}

/// The commands that it knows and names.
const GTP_COMMANDS: [&str; 14] = [
    "boardsize",
    "clear_board",
    "genmove",
    "known_command",
    "komi",
    "list_commands",
    "name",
    "play",
    "protocol_version",
    "quit",
    "tesuji-position",
    "time_left",
    "undo",
    "version",
];

impl Speaker for Gtp {
    fn answer(&mut self, engine: &mut Mock<'_>, line: &str) -> Option<String> {
        let end = if std::mem::take(&mut self.is_analysing) { "\n" } else { "" };
        self.obey(engine, line).map(|answer| format!("{end}{answer}"))
    }
}

impl Gtp {
    fn obey(&mut self, engine: &mut Mock<'_>, line: &str) -> Option<String> {
        let line = line.split_once('#').map_or(line, |(before, _)| before).trim();
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let (id, line) = line.split_at(digits);
        let mut words = line.split_ascii_whitespace();
        let Some(word) = words.next() else { return Some(String::new()) };
        if engine.habits.mute || (engine.habits.busy && word == "clear_board") {
            engine.habits.sleep_for_ever();
        }
        let answer = match word {
            "quit" => {
                println!("={id}\n");
                return None;
            }
            "name" => Ok("mock".to_string()),
            "version" => Ok("1".to_string()),
            "protocol_version" => Ok("2".to_string()),
            "list_commands" if engine.habits.lines > 0 => Ok(format!("{}\nkata-analyze", GTP_COMMANDS.join("\n"))),
            "list_commands" => Ok(GTP_COMMANDS.join("\n")),
            "kata-analyze" if engine.habits.lines > 0 => {
                self.is_analysing = true;
                let words: Vec<&str> = words.collect();
                let only = words.windows(3).find(|three| three[0] == "allow").map_or("", |three| three[2]);
                let only: Vec<&str> = only.split(',').filter(|mv| !mv.is_empty()).collect();
                return Some(format!("={id}\n{}\n", kata_line(engine, &only)));
            }
            "known_command" => Ok(words.next().is_some_and(|word| GTP_COMMANDS.contains(&word)).to_string()),
            "boardsize" | "komi" | "time_settings" | "time_left" => Ok(String::new()),
            "clear_board" => Ok(clear(engine, None)),
            "tesuji-position" => Ok(clear(engine, Some(words.collect::<Vec<_>>().join(" ")))),
            "play" => match (words.next(), words.next()) {
                (Some(colour), Some(mv)) if side(colour) == engine.side_to_move() => {
                    let (start, mut moves) = engine.line();
                    moves.push(mv.to_string());
                    if engine.set_position(start, moves) { Ok(String::new()) } else { Err("illegal move") }
                }
                _ => Err("wrong side"),
            },
            "undo" => {
                let (start, mut moves) = engine.line();
                moves.pop();
                engine.set_position(start, moves);
                Ok(String::new())
            }
            "genmove" if words.next().map(side) != Some(engine.side_to_move()) => Err("wrong side"),
            "genmove" => genmove(engine),
            _ => Err("unknown command"),
        };
        Some(match answer {
            Ok(text) => format!("={id} {text}\n\n"),
            Err(text) => format!("?{id} {text}\n\n"),
        })
    }
}

/// An analysis in KataGo's words: 100 visits for the best move, ten less for each that follows.
fn kata_line(engine: &mut Mock<'_>, only: &[&str]) -> String {
    let one = |(rank, (pv, score)): (usize, (Vec<String>, i32))| {
        let visits = 100_usize.saturating_sub(10 * rank).max(1);
        let (chance, lead, mv, pv) =
            (0.5 + f64::from(score) / 1000.0, f64::from(score) / 10.0, pv[0].clone(), pv.join(" "));
        let pv_visits = format!("{visits} {}", visits / 2);
        format!(
            "info move {mv} visits {visits} winrate {chance} scoreLead {lead} prior 0.2 order {rank} pv {pv} pvVisits {pv_visits}"
        )
    };
    engine.analyse(only).into_iter().enumerate().map(one).collect::<Vec<_>>().join(" ")
}

fn clear(engine: &mut Mock<'_>, start: Option<String>) -> String {
    engine.set_position(start, Vec::new());
    String::new()
}

fn side(colour: &str) -> Side {
    if colour == "b" { Side::First } else { Side::Second }
}

fn genmove(engine: &mut Mock<'_>) -> Result<String, &'static str> {
    match engine.think().decision {
        MockDecision::Move(mv) => {
            let (start, mut moves) = engine.line();
            moves.push(mv.clone());
            engine.set_position(start, moves);
            Ok(mv)
        }
        MockDecision::Nothing => Ok(String::new()),
        MockDecision::Resign | MockDecision::Claim => Ok("resign".to_string()),
        MockDecision::Blind => Err(BLIND),
        MockDecision::Garbage => Err("cannot think"),
    }
}

/// XBoard's protocol.
#[derive(Default)]
struct Xboard {
    is_playing: bool,
    /// The time for a move.
    given: Duration,
}

impl Speaker for Xboard {
    fn answer(&mut self, engine: &mut Mock<'_>, line: &str) -> Option<String> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "quit" => return None,
            "protover" if engine.habits.mute => engine.habits.sleep_for_ever(),
            "protover" => {
                let features = "ping=1 setboard=1 usermove=1 san=0 myname=\"mock\"";
                return Some(format!("feature {features}\nfeature option=\"Skill -spin 1 0 9\" done=1\n"));
            }
            "ping" if engine.habits.busy => {}
            "ping" => return Some(format!("pong {rest}\n")),
            "new" => drop(clear(engine, None)),
            "setboard" => drop(clear(engine, Some(rest.to_string()))),
            "force" | "result" => self.is_playing = false,
            "variant" => engine.play_chess960(rest == "fischerandom"),
            "usermove" => {
                let (start, mut moves) = engine.line();
                let castling = match rest {
                    "O-O" => engine.castling(true),
                    "O-O-O" => engine.castling(false),
                    _ if engine.castles(rest).is_some() => return Some(format!("Illegal move: {rest}\n")),
                    _ => None,
                };
                moves.push(castling.unwrap_or(rest.to_string()));
                if !engine.set_position(start, moves) {
                    return Some(format!("Illegal move: {rest}\n"));
                }
                if self.is_playing {
                    return Some(self.decide(engine));
                }
            }
            "go" => {
                self.is_playing = true;
                return Some(self.decide(engine));
            }
            "st" => self.given = Duration::from_secs_f64(rest.parse().unwrap_or(0.0)),
            // In hundredths of a second.
            "time" => self.given = Duration::from_millis(rest.parse().unwrap_or(0) * 10 / MOVES_LEFT),
            "xboard" | "accepted" | "rejected" | "post" | "nopost" | "hard" | "easy" | "level" | "sd" | "otim"
            | "option" | "?" | "draw" => {}
            _ => return Some(format!("Error (unknown command): {word}\n")),
        }
        Some(String::new())
    }
}

impl Xboard {
    fn decide(&self, engine: &mut Mock<'_>) -> String {
        engine.habits.use_time(self.given);
        let Thought { decision, offers_draw, infos, time, score, .. } = engine.think();
        let mv = match decision {
            MockDecision::Move(mv) => mv,
            MockDecision::Blind => return format!("Error ({BLIND}): go\n"),
            MockDecision::Nothing => return "1/2-1/2 {No move}\n".to_string(),
            MockDecision::Resign => return "resign\n".to_string(),
            MockDecision::Claim => return "1/2-1/2 {Draw, I say}\n".to_string(),
            MockDecision::Garbage => return "move\n".to_string(),
        };
        let said = match engine.castles(&mv) {
            Some(true) => "O-O".to_string(),
            Some(false) => "O-O-O".to_string(),
            None => mv.clone(),
        };
        let (start, mut moves) = engine.line();
        moves.push(mv.clone());
        engine.set_position(start, moves);
        let time = time.as_millis() / 10;
        let news: String = (1..=infos).map(|depth| format!("{depth} {score} {time} {} {mv}\n", depth * 100)).collect();
        let offer = if offers_draw { "offer draw\n" } else { "" };
        news + offer + &format!("move {said}\n")
    }
}
