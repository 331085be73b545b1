//! The engine's end of GTP.

use super::{
    OPTION, POSITION,
    analysis::{self, Manner, Style},
    cleaned,
    clocks::{Overtime, read_kata_settings, read_kgs_settings, read_left, read_settings},
    words::side,
};
use crate::{
    Ask, BoardCommand, Command, EngineEnd, Go, ProtocolError, Reply,
    words::{Words, number, small},
};
use std::collections::VecDeque;
use tesuji_game::{Choice, Side};

/// The engine's end of GTP. It remembers what is to be known of commands that wait for an answer, and the kind of overtime.
#[derive(Debug, Clone, Default)]
pub struct GtpEngine {
    open: VecDeque<Open>,
    overtime: Overtime,
}

/// A command that waits for its answer.
#[derive(Debug, Clone, Default)]
struct Open {
    id: String,
    /// The standard's words for its failure, where it has some.
    failure: Option<&'static str>,
    /// The format of its analysis, if it is one.
    style: Option<Style>,
    /// Whether the answer has begun.
    is_begun: bool,
    /// Whether the move is told as the end of an analysis, and not alone.
    is_move: bool,
}

/// The prefix of our own faults, which are reported even where the standard has a message for failures.
const INTERNAL: &str = "internal error";

/// All commands, as `list_commands` tells them.
const COMMANDS: [&str; 52] = [
    "boardsize",
    "clear_board",
    "clear_cache",
    "cputime",
    "explain",
    "final_score",
    "final_status_list",
    "fixed_handicap",
    "genmove",
    "get_komi",
    "gogui-analyze_commands",
    "help",
    "kata-analyze",
    "kata-genmove_analyze",
    "kata-get-param",
    "kata-get-rules",
    "kata-list-params",
    "kata-list_time_settings",
    "kata-raw-nn",
    "kata-search",
    "kata-set-param",
    "kata-set-rule",
    "kata-set-rules",
    "kata-time_settings",
    "kgs-chat",
    "kgs-game_over",
    "kgs-genmove_cleanup",
    "kgs-rules",
    "kgs-time_settings",
    "known_command",
    "komi",
    "list_commands",
    "loadsgf",
    "lz-analyze",
    "lz-genmove_analyze",
    "name",
    "place_free_handicap",
    "play",
    "protocol_version",
    "quit",
    "rectangular_boardsize",
    "reg_genmove",
    "set_free_handicap",
    "showboard",
    "stop",
    OPTION,
    OWNERS,
    POSITION,
    "time_left",
    "time_settings",
    "undo",
    "version",
];

/// Tells whose each point will be: no word of the standard.
const OWNERS: &str = "tesuji-owners";

/// The commands in GoGui's window for analyses (`gogui-analyze_commands`): kind, label and command, a line each.
const ANALYSES: &str = "\
string/Final Score/final_score
plist/Dead Stones/final_status_list dead
plist/Living Stones/final_status_list alive
plist/Stones in Seki/final_status_list seki
dboard/Owners of Points/tesuji-owners
hstring/Explain the Position/explain
hstring/Show the Board/showboard
string/Rules/kata-get-rules
string/Processor Time/cputime";

/// The kinds of `kata-time_settings`.
const TIME_SETTINGS: &str = "none absolute byoyomi canadian fischer fischer-capped";

/// The answer to what people say.
const CHAT: &str = "I only play; please forgive me that I cannot talk.";

impl EngineEnd for GtpEngine {
    fn name(&self) -> &'static str {
        "gtp"
    }

    /// Lines that are no commands are commands here, too: to say so when their turn comes.
    fn read(&mut self, line: &str) -> Result<Option<Command>, ProtocolError> {
        let line = cleaned(line);
        let mut words = Words::new(&line);
        let Some(mut word) = words.next() else { return Ok(None) };
        let mut open = Open::default();
        if word.bytes().all(|b| b.is_ascii_digit()) {
            open.id = word.to_string();
            match words.next() {
                Some(next) => word = next,
                None => return Ok(None),
            }
        }
        open.failure = failure(word);
        let command = self.command(word, words, &mut open).unwrap_or_else(|error| {
            open.failure = None;
            Command::Say(Reply::Fault(match error {
                ProtocolError::Unknown { .. } => "unknown command".to_string(),
                _ if failure(word).is_some() || is_standard(word) => "syntax error".to_string(),
                error => format!("syntax error: {error}"),
            }))
        });
        self.open.push_back(open);
        Ok(Some(command))
    }

    fn write(&mut self, reply: &Reply, out: &mut String) {
        let (sign, text) = match reply {
            Reply::Done => ('=', ""),
            Reply::Text(text) => ('=', text.as_str()),
            Reply::Fault(text) => ('?', text.as_str()),
            Reply::Best { choice, .. } => match choice {
                Some(Choice::Play(mv)) => ('=', mv.as_str()),
                Some(Choice::Resign) => ('=', "resign"),
                Some(Choice::Claim) | None => ('=', "pass"),
            },
            Reply::Analysis(report) => return self.write_analysis(report, out),
            _ => return,
        };
        let Some(open) = self.open.pop_front() else { return };
        if open.style.is_some() && sign == '=' {
            if !open.is_begun {
                out.push_str(&format!("={}\n", open.id));
            }
            if open.is_move {
                out.push_str(&format!("play {text}\n"));
            }
            return out.push('\n');
        }
        let is_told = |words: &&str| !text.starts_with(INTERNAL) && sign == '?' && !words.is_empty();
        let text = open.failure.filter(is_told).unwrap_or(text);
        out.push(sign);
        out.push_str(&open.id);
        // A blank line would end the answer.
        let lines = text.lines().map(|l| l.chars().filter(|c| !c.is_control()).collect::<String>());
        for (index, line) in lines.filter(|l| !l.trim().is_empty()).enumerate() {
            out.push(if index == 0 { ' ' } else { '\n' });
            out.push_str(line.trim_end());
        }
        out.push_str("\n\n");
    }

    fn help(&self) -> &'static str {
        HELP
    }

    fn is_orderly(&self) -> bool {
        true
    }
}

/// The standard's message for a failure of `command`, if it has one. Failures with several causes get theirs where they are detected.
fn failure(command: &str) -> Option<&'static str> {
    Some(match command {
        "boardsize" | "rectangular_boardsize" => "unacceptable size",
        "komi" | "final_status_list" => "syntax error",
        "play" => "illegal move",
        "undo" => "cannot undo",
        "final_score" => "cannot score",
        "loadsgf" => "cannot load file",
        _ => return None,
    })
}

/// Whether the standard says that a command whose arguments cannot be read is a `syntax error` and no more.
fn is_standard(command: &str) -> bool {
    let others = [
        "known_command",
        "fixed_handicap",
        "place_free_handicap",
        "set_free_handicap",
        "genmove",
        "reg_genmove",
        "time_settings",
        "time_left",
    ];
    others.contains(&command)
}

/// The answer to `help`.
const HELP: &str = "\
This engine speaks GTP; usually a GUI or a match runner does the typing.
  list_commands                        all it knows
  boardsize N, komi POINTS, clear_board, loadsgf FILE [MOVE]
  play b|w MOVE, genmove b|w, undo, showboard, final_score
  lz-analyze [b|w] [HUNDREDTHS]        thinks aloud until the next line
  time_settings MAIN PERIOD STONES, time_left b|w SECONDS STONES
  quit";

impl GtpEngine {
    fn command(&mut self, word: &str, mut words: Words, open: &mut Open) -> Result<Command, ProtocolError> {
        if let Some(command) = simple(word) {
            return Ok(command);
        }
        let words = &mut words;
        Ok(match word {
            "known_command" => {
                let known = words.next().is_some_and(|word| COMMANDS.contains(&word));
                say(if known { "true" } else { "false" })
            }
            "fixed_handicap" => handicap(words, "fixed_handicap", true)?,
            "place_free_handicap" => handicap(words, "place_free_handicap", false)?,
            "final_status_list" => Command::Ask(Ask::FinalStatus(status(words)?)),
            "kata-raw-nn" => Command::Ask(Ask::RawNet(symmetry(words)?)),
            "kata-get-param" => Command::Ask(Ask::Parameter(parameter(words, "kata-get-param")?)),
            "kata-set-param" => {
                let name = parameter(words, "kata-set-param")?;
                Command::Set { name, value: rest(words, "kata-set-param", "a value")? }
            }
            OPTION => {
                let text = rest(words, OPTION, "NAME=VALUE")?;
                let (name, value) = text.split_once('=').unwrap_or((&text, ""));
                Command::Set { name: name.trim().to_string(), value: value.trim().to_string() }
            }
            "genmove" => go(side(words, "genmove")?, true),
            "reg_genmove" => go(side(words, "reg_genmove")?, false),
            "kata-search" => go(side(words, "kata-search")?, false),
            "kgs-genmove_cleanup" => match go(side(words, "kgs-genmove_cleanup")?, true) {
                Command::Go(go) => Command::Go(Go { cleanup: true, ..go }),
                other => other,
            },
            "lz-analyze" => self.analysis(words, Manner::Leela, false, "lz-analyze", open)?,
            "kata-analyze" => self.analysis(words, Manner::Kata, false, "kata-analyze", open)?,
            "lz-genmove_analyze" => self.analysis(words, Manner::Leela, true, "lz-genmove_analyze", open)?,
            "kata-genmove_analyze" => self.analysis(words, Manner::Kata, true, "kata-genmove_analyze", open)?,
            "time_settings" => self.settings(read_settings(words)?),
            "kgs-time_settings" => self.settings(read_kgs_settings(words)?),
            "kata-time_settings" => self.settings(read_kata_settings(words)?),
            "time_left" => {
                let side = Some(side(words, "time_left")?);
                Command::Clock { side, clock: Some(read_left(words, self.overtime)?) }
            }
            _ => Command::Board(board(word, words, open)?),
        })
    }

    fn settings(&mut self, (clock, overtime): (Option<tesuji_game::Clock>, Overtime)) -> Command {
        self.overtime = overtime;
        Command::Clock { side: None, clock }
    }

    fn analysis(
        &self,
        words: &mut Words,
        manner: Manner,
        commit: bool,
        after: &'static str,
        open: &mut Open,
    ) -> Result<Command, ProtocolError> {
        let (go, style) = analysis::read(words, manner, commit, after)?;
        (open.style, open.is_move) = (Some(style), commit);
        Ok(Command::Go(go))
    }

    fn write_analysis(&mut self, report: &tesuji_game::Report<String>, out: &mut String) {
        let Some(open) = self.open.front_mut() else { return };
        let Some(style) = open.style else { return };
        if !open.is_begun {
            open.is_begun = true;
            out.push_str(&format!("={}\n", open.id));
        }
        analysis::write(report, &style, out);
    }
}

/// Commands without arguments that matter.
fn simple(word: &str) -> Option<Command> {
    Some(match word {
        "protocol_version" => say("2"),
        "list_commands" => say(&COMMANDS.join("\n")),
        "gogui-analyze_commands" => say(ANALYSES),
        "kata-list_time_settings" => say(TIME_SETTINGS),
        "kgs-chat" => say(CHAT),
        "kgs-game_over" | "stop" => say(""),
        "name" => Command::Ask(Ask::Name),
        "version" => Command::Ask(Ask::Version),
        "help" => Command::Ask(Ask::Help),
        "showboard" => Command::Ask(Ask::Show),
        "explain" => Command::Ask(Ask::Explain),
        "cputime" => Command::Ask(Ask::ProcessorTime),
        "final_score" => Command::Ask(Ask::FinalScore),
        OWNERS => Command::Ask(Ask::Owners),
        "kata-get-rules" => Command::Ask(Ask::Rules),
        "kata-list-params" => Command::Ask(Ask::Parameters),
        "get_komi" => Command::Ask(Ask::Komi),
        "clear_cache" => Command::NewGame,
        "clear_board" => Command::Board(BoardCommand::Clear),
        "undo" => Command::Board(BoardCommand::Undo),
        "quit" => Command::Quit,
        _ => return None,
    })
}

/// Commands about the board.
fn board(word: &str, words: &mut Words, open: &mut Open) -> Result<BoardCommand, ProtocolError> {
    Ok(match word {
        "set_free_handicap" => {
            let points = rest(words, "set_free_handicap", "points")?;
            BoardCommand::Place { side: Side::First, points: points.split_whitespace().map(str::to_string).collect() }
        }
        "boardsize" => BoardCommand::Rules(format!("size={}", natural(words, "boardsize")?)),
        "rectangular_boardsize" => {
            const WORD: &str = "rectangular_boardsize";
            let [width, height] = [natural(words, WORD)?, natural(words, WORD)?];
            BoardCommand::Rules(format!("size={width}x{height}"))
        }
        "komi" => BoardCommand::Komi(points(words)?),
        "kata-set-rules" => {
            let rules = rest(words, "kata-set-rules", "the name of rules")?;
            BoardCommand::Rules(format!("rules={}", rules.replace(char::is_whitespace, ",")))
        }
        "kgs-rules" => BoardCommand::Rules(format!("rules={}", kgs_rules(words)?)),
        "kata-set-rule" => {
            let rule = words.next().ok_or(ProtocolError::Missing { after: "kata-set-rule", expected: "a rule" })?;
            let value = rest(words, "kata-set-rule", "a value")?;
            BoardCommand::Rules(format!("{}={value}", rule.to_ascii_lowercase()))
        }
        "loadsgf" => {
            let file = words.next().ok_or(ProtocolError::Missing { after: "loadsgf", expected: "a file" })?.to_string();
            let before = words.peek().map(|_| natural(words, "loadsgf")).transpose()?;
            BoardCommand::Load { file, before: before.map(|n| n as usize) }
        }
        POSITION => BoardCommand::Set { start: Some(rest(words, POSITION, "a position")?), moves: Vec::new() },
        "play" => {
            let side = side(words, "play")?;
            let mv = words.next().ok_or(ProtocolError::Missing { after: "play", expected: "a move" })?;
            if !is_vertex(mv) {
                open.failure = None;
                return Err(ProtocolError::Wrong { after: "play", expected: "a vertex", found: mv.to_string() });
            }
            BoardCommand::Play { side, text: mv.to_string() }
        }
        _ => return Err(ProtocolError::Unknown { word: word.to_string() }),
    })
}

/// The rules of KGS by its names for them.
fn kgs_rules(words: &mut Words) -> Result<&'static str, ProtocolError> {
    const AFTER: &str = "kgs-rules";
    const EXPECTED: &str = "japanese, chinese, aga or new_zealand";
    let word = words.next().ok_or(ProtocolError::Missing { after: AFTER, expected: EXPECTED })?;
    match word.to_ascii_lowercase().as_str() {
        "japanese" => Ok("japanese"),
        "chinese" => Ok("chinese-kgs"),
        "aga" => Ok("aga"),
        "new_zealand" => Ok("new-zealand"),
        _ => Err(ProtocolError::Wrong { after: AFTER, expected: EXPECTED, found: word.to_string() }),
    }
}

/// Whether a word has the form of a vertex, on whatever board.
fn is_vertex(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let is_point = |text: &str| {
        let (column, row) = text.split_at_checked(1)?;
        let letter = column.bytes().all(|b| b.is_ascii_lowercase() && b != b'i');
        let number = (1..=2).contains(&row.len()) && row.bytes().all(|b| b.is_ascii_digit());
        Some(letter && number)
    };
    lower == "pass" || is_point(&lower) == Some(true)
}

/// The number of handicap stones; bad numbers are seen by who places them.
fn handicap(words: &mut Words, after: &'static str, fixed: bool) -> Result<Command, ProtocolError> {
    Ok(Command::Ask(Ask::Handicap { stones: small(natural(words, after)?), fixed }))
}

/// A whole number from 0.
fn natural(words: &mut Words, after: &'static str) -> Result<u64, ProtocolError> {
    const EXPECTED: &str = "a whole number";
    let word = words.next().ok_or(ProtocolError::Missing { after, expected: EXPECTED })?;
    match number(word) {
        Some(n) if n >= 0 => Ok(n.unsigned_abs()),
        _ => Err(ProtocolError::Wrong { after, expected: EXPECTED, found: word.to_string() }),
    }
}

/// The status that `final_status_list` asks for.
fn status(words: &mut Words) -> Result<String, ProtocolError> {
    const EXPECTED: &str = "dead, alive or seki";
    match words.next().map(str::to_ascii_lowercase) {
        Some(status) if ["dead", "alive", "seki"].contains(&status.as_str()) => Ok(status),
        Some(found) => Err(ProtocolError::Wrong { after: "final_status_list", expected: EXPECTED, found }),
        None => Err(ProtocolError::Missing { after: "final_status_list", expected: EXPECTED }),
    }
}

/// One symmetry by its number, or `None` for all.
fn symmetry(words: &mut Words) -> Result<Option<u8>, ProtocolError> {
    const EXPECTED: &str = "0 to 7, or all";
    let found = words.next().ok_or(ProtocolError::Missing { after: "kata-raw-nn", expected: EXPECTED })?;
    match found.parse() {
        Ok(number @ 0..=7) => Ok(Some(number)),
        _ if found.eq_ignore_ascii_case("all") => Ok(None),
        _ => Err(ProtocolError::Wrong { after: "kata-raw-nn", expected: EXPECTED, found: found.to_string() }),
    }
}

/// The name of an option. KataGo's for what we have, too, stand for ours.
fn parameter(words: &mut Words, after: &'static str) -> Result<String, ProtocolError> {
    let name = words.next().ok_or(ProtocolError::Missing { after, expected: "the name of a parameter" })?;
    let ours = match name {
        "maxVisits" | "maxPlayouts" => "Visits",
        "numSearchThreads" => "Threads",
        other => other,
    };
    // Names with spaces, which are one word here.
    Ok(ours.replace('_', " "))
}

fn say(text: &str) -> Command {
    Command::Say(Reply::Text(text.to_string()))
}

fn go(side: Side, commit: bool) -> Command {
    Command::Go(Go { side: Some(side), commit, ..Go::default() })
}

/// Komi as it was written, which is a number.
fn points(words: &mut Words) -> Result<String, ProtocolError> {
    const EXPECTED: &str = "a number of points";
    let word = words.next().ok_or(ProtocolError::Missing { after: "komi", expected: EXPECTED })?;
    match word.parse::<f64>() {
        Ok(n) if n.is_finite() => Ok(word.to_string()),
        _ => Err(ProtocolError::Wrong { after: "komi", expected: EXPECTED, found: word.to_string() }),
    }
}

fn rest(words: &Words, after: &'static str, expected: &'static str) -> Result<String, ProtocolError> {
    match words.rest() {
        "" => Err(ProtocolError::Missing { after, expected }),
        text => Ok(text.to_string()),
    }
}
