//! The runner's end of KataGo's analysis protocol: positions as queries, answers as reports.

use super::reader;
use crate::{BoardCommand, Command, Go, NO_ANALYSIS, NO_MOVE, ProtocolError, Reply, RunnerEnd};
use serde_json::{Value, json};
use std::collections::VecDeque;
use tesuji_game::{Choice, Side};

/// Playouts of a search that is to go on until it is stopped.
const ENDLESS: u64 = 1_000_000_000;
/// The rules where none are told.
const USUAL: [&str; 2] = ["tromp-taylor", "7.5"];
/// Between two answers of a running search where no other time is wanted, in seconds.
const EVERY: f64 = 0.25;

/// The runner's end of KataGo's analysis protocol. Each [`Command::Go`] is a query about the last position; its answers are
/// told for the side to move.
///
/// # Examples
///
/// ```
/// use tesuji_protocol::{BoardCommand, Command, Go, Reply, RunnerEnd, analysis::AnalysisRunner};
/// let (mut end, mut out) = (AnalysisRunner::default(), String::new());
/// end.write(&Command::Board(BoardCommand::Rules("9x9 chinese komi 7".into())), &mut out);
/// end.write(&Command::Board(BoardCommand::Set { start: None, moves: vec!["E5".into()] }), &mut out);
/// end.write(&Command::Go(Go::default()), &mut out);
/// assert!(out.contains(r#""moves":[["B","E5"]]"#) && out.contains(r#""komi":7.0"#));
/// let line = r#"{"id":"go 1","isDuringSearch":false,"moveInfos":[{"move":"C3","visits":9,"winrate":0.6,"order":0,"pv":["C3"]}]}"#;
/// assert!(matches!(end.read(line), Ok(Some(Reply::Analysed(told))) if told.report.lines[0].visits == 9));
/// assert!(matches!(end.next_reply(), Some(Reply::Best { .. })));
/// ```
#[derive(Debug, Clone, Default)]
pub struct AnalysisRunner {
    rules: Rules,
    moves: Vec<String>,
    /// Whether the line begins with a position, for which the protocol has stones alone.
    has_start: bool,
    /// The number of the last search, and whether it goes on.
    search: u64,
    is_searching: bool,
    syncs: u64,
    replies: VecDeque<Reply>,
}

/// The rules of a game as queries have them.
#[derive(Debug, Clone)]
struct Rules {
    name: String,
    komi: f64,
    width: usize,
    height: usize,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules::read("")
    }
}

impl Rules {
    /// Rules in the words of GTP's runner: `9x9 chinese komi 7`, `size=9 komi=7.5 rules=chinese`.
    fn read(text: &str) -> Rules {
        let number = |word: &str| word.parse().unwrap_or(7.5);
        let mut rules = Rules { name: USUAL[0].to_string(), komi: number(USUAL[1]), width: 19, height: 19 };
        let mut words = text.split(|c: char| c.is_whitespace() || c == '=').filter(|word| !word.is_empty());
        while let Some(word) = words.next() {
            match word {
                "komi" => rules.komi = number(words.next().unwrap_or_default()),
                "rules" => rules.name = words.next().unwrap_or(USUAL[0]).to_string(),
                "size" => rules.set_size(words.next().unwrap_or_default()),
                _ if word.starts_with(|c: char| c.is_ascii_digit()) => rules.set_size(word),
                "handicap" | "ko" | "scoring" | "tax" | "suicide" | "bonus" | "button" => drop(words.next()),
                _ => rules.name = word.to_string(),
            }
        }
        rules
    }

    fn set_size(&mut self, text: &str) {
        let (width, height) = text.split_once('x').unwrap_or((text, text));
        if let (Ok(width), Ok(height)) = (width.parse(), height.parse()) {
            (self.width, self.height) = (width, height);
        }
    }
}

fn letter(side: Side) -> &'static str {
    ["B", "W"][side.index()]
}

impl AnalysisRunner {
    fn id(&self) -> String {
        format!("go {}", self.search)
    }

    fn write_go(&mut self, go: &Go, out: &mut String) {
        self.search += 1;
        if self.has_start {
            let words = format!("{NO_MOVE}its protocol has no words for a position that is set up");
            return self.replies.push_back(Reply::Fault(words));
        }
        self.is_searching = true;
        let count = self.moves.len();
        let mover = go.side.unwrap_or(if count.is_multiple_of(2) { Side::First } else { Side::Second });
        let side_of = |i: usize| if (count - i).is_multiple_of(2) { mover } else { !mover };
        let moves: Vec<_> = self.moves.iter().enumerate().map(|(i, mv)| [letter(side_of(i)), mv.as_str()]).collect();
        let limits = &go.limits;
        let mut settings = json!({ "reportAnalysisWinratesAs": "SIDETOMOVE" });
        if let Some(time) = limits.move_time {
            settings["maxTime"] = json!(time.as_secs_f64());
        }
        let mut query = json!({
            "id": self.id(),
            "moves": moves,
            "initialPlayer": letter(side_of(0)),
            "rules": self.rules.name,
            "komi": self.rules.komi,
            "boardXSize": self.rules.width,
            "boardYSize": self.rules.height,
            "maxVisits": limits.nodes.unwrap_or(ENDLESS),
            "includeOwnership": true,
            "includePVVisits": true,
            "reportDuringSearchEvery": go.stream.map_or(EVERY, |stream| stream.every.as_secs_f64()),
            "overrideSettings": settings,
        });
        for (field, moves) in [("allowMoves", &go.only), ("avoidMoves", &go.avoid)] {
            if !moves.is_empty() {
                query[field] = json!([{ "player": letter(mover), "moves": moves, "untilDepth": 1 }]);
            }
        }
        *out += &format!("{query}\n");
    }

    /// An answer to the running search; the second reply is its end.
    fn answer(&mut self, object: &Value) -> Option<Reply> {
        let told = reader::read(object);
        if object["isDuringSearch"].as_bool() != Some(true) {
            self.is_searching = false;
            let best = told.as_ref().and_then(|told| told.report.lines.first()?.pv.first().cloned());
            self.replies.push_back(Reply::Best { choice: best.map(Choice::Play), ponder: None });
        }
        told.map(|told| Reply::Analysed(Box::new(told))).or_else(|| self.replies.pop_front())
    }
}

impl RunnerEnd for AnalysisRunner {
    fn write(&mut self, command: &Command, out: &mut String) {
        match command {
            Command::Hello => *out += "{\"id\":\"hello\",\"action\":\"query_version\"}\n",
            Command::Sync => {
                self.syncs += 1;
                *out += &format!("{{\"id\":\"sync {}\",\"action\":\"query_version\"}}\n", self.syncs);
            }
            Command::Board(BoardCommand::Rules(text)) => self.rules = Rules::read(text),
            Command::Board(BoardCommand::Set { start, moves }) => {
                self.has_start = start.is_some();
                self.moves.clone_from(moves);
            }
            Command::Go(go) => self.write_go(go, out),
            Command::Stop if self.is_searching => {
                let stop = json!({ "id": "stop", "action": "terminate", "terminateId": self.id() });
                *out += &format!("{stop}\n");
            }
            _ => {}
        }
    }

    fn read(&mut self, line: &str) -> Result<Option<Reply>, ProtocolError> {
        let Ok(object) = serde_json::from_str::<Value>(line.trim()) else {
            let text = line.trim();
            return Ok((!text.is_empty()).then(|| Reply::Text(text.to_string())));
        };
        let id = object["id"].as_str().unwrap_or_default();
        if let Some(fault) = object["error"].as_str() {
            let about = object["field"].as_str().map_or(String::new(), |field| format!("{field}: "));
            let is_ours = id == self.id() && std::mem::take(&mut self.is_searching);
            return Ok(Some(Reply::Fault(format!("{}{about}{fault}", if is_ours { NO_MOVE } else { "" }))));
        }
        if object.get("warning").is_some() {
            return Ok(None);
        }
        Ok(match id {
            // What only sends back the question has no version.
            "hello" if object["version"].is_null() => {
                let line: String = line.trim().chars().take(80).collect();
                Some(Reply::Fault(format!("{NO_ANALYSIS}it answered {line}")))
            }
            "hello" => {
                self.replies.push_back(Reply::Welcome);
                Some(Reply::Name(
                    format!("KataGo {}", object["version"].as_str().unwrap_or_default()).trim().to_string(),
                ))
            }
            _ if id == format!("sync {}", self.syncs) => Some(Reply::Ready),
            _ if self.is_searching && id == self.id() => self.answer(&object),
            _ => None,
        })
    }

    fn next_reply(&mut self) -> Option<Reply> {
        self.replies.pop_front()
    }

    fn tells_options(&self) -> bool {
        false
    }

    fn tells_search(&self) -> bool {
        false
    }

    fn streams(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(end: &mut AnalysisRunner, command: &Command) -> String {
        let mut out = String::new();
        end.write(command, &mut out);
        out
    }

    /// Its moves were called illegal in the match, since the answer to a question was the question.
    #[test]
    fn a_program_that_sends_back_the_question_is_no_analysis_engine() {
        let mut end = AnalysisRunner::default();
        let hello = written(&mut end, &Command::Hello);
        let said = format!("no KataGo analysis engine: it answered {}", hello.trim());
        assert_eq!(end.read(&hello), Ok(Some(Reply::Fault(said))));
    }

    #[test]
    fn a_session_greets_searches_and_stops() {
        let mut end = AnalysisRunner::default();
        assert!(written(&mut end, &Command::Hello).contains("query_version"));
        let hello = r#"{"action":"query_version","git_hash":"x","id":"hello","version":"1.15.3"}"#;
        assert_eq!(end.read(hello), Ok(Some(Reply::Name("KataGo 1.15.3".into()))));
        assert_eq!(end.next_reply(), Some(Reply::Welcome));
        assert!(written(&mut end, &Command::Sync).contains("sync 1"));
        assert_eq!(end.read(r#"{"id":"sync 1","version":"1"}"#), Ok(Some(Reply::Ready)));
        let moves = vec!["Q16".to_string(), "D4".to_string()];
        written(&mut end, &Command::Board(BoardCommand::Set { start: None, moves }));
        let go = Go { side: Some(Side::First), only: vec!["C3".into()], ..Go::default() };
        let query: Value = serde_json::from_str(&written(&mut end, &Command::Go(go))).unwrap();
        assert_eq!(query["moves"], json!([["B", "Q16"], ["W", "D4"]]));
        assert_eq!((&query["allowMoves"][0]["moves"], &query["maxVisits"]), (&json!(["C3"]), &json!(ENDLESS)));
        assert_eq!(query["overrideSettings"]["reportAnalysisWinratesAs"], json!("SIDETOMOVE"));
        assert!(written(&mut end, &Command::Stop).contains(r#""terminateId":"go 1""#));
        let last = r#"{"id":"go 1","isDuringSearch":false,"noResults":true,"turnNumber":2}"#;
        assert_eq!(end.read(last), Ok(Some(Reply::Best { choice: None, ponder: None })));
        assert_eq!(written(&mut end, &Command::Stop), "", "there is nothing to stop");
    }

    #[test]
    fn what_cannot_be_told_is_a_fault() {
        let mut end = AnalysisRunner::default();
        written(&mut end, &Command::Board(BoardCommand::Set { start: Some("9x9".into()), moves: Vec::new() }));
        written(&mut end, &Command::Go(Go::default()));
        assert!(matches!(end.next_reply(), Some(Reply::Fault(words)) if words.starts_with(NO_MOVE)));
        let refused = r#"{"error":"Must be an integer","field":"komi","id":"go 1"}"#;
        assert_eq!(end.read(refused), Ok(Some(Reply::Fault("komi: Must be an integer".into()))));
        for noise in ["", "2024-01-01 KataGo", "{", "{}", r#"{"warning":"w","id":"go 1"}"#, r#"{"id":"go 9"}"#] {
            assert!(!matches!(end.read(noise), Ok(Some(Reply::Best { .. })) | Err(_)), "{noise}");
        }
    }
}
