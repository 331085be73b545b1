//! Queries of KataGo's analysis protocol: one JSON object a line, read field by field, with words on what is wrong.

use serde_json::{Map, Value};
use std::time::Duration;
use tesuji_game::Side;

/// The fault of a query.
///
/// # Examples
///
/// ```
/// use tesuji_protocol::analysis::QueryFault;
/// let fault = QueryFault::of("maxVisits", "Must be an integer from 1");
/// assert_eq!((fault.field.as_deref(), fault.words.as_str()), (Some("maxVisits"), "Must be an integer from 1"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryFault {
    /// The field, if it is one.
    pub field: Option<String>,
    /// The words.
    pub words: String,
}

impl QueryFault {
    /// A fault in `field`.
    pub fn of(field: &str, words: impl Into<String>) -> QueryFault {
        QueryFault { field: Some(field.to_string()), words: words.into() }
    }
}

/// Positions of a game to be analysed.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// The id that its answers carry.
    pub id: String,
    /// Rules as text, with size and komi.
    pub rules: String,
    /// Points of a row of the board.
    pub width: usize,
    /// Rows of the board.
    pub height: usize,
    /// The first position as text.
    pub start: Option<String>,
    /// Moves, with passes where a side moves out of turn.
    pub moves: Vec<String>,
    /// For each turn how many of the moves lead there.
    pub at: Vec<usize>,
    /// The turns to analyse, with their priorities.
    pub turns: Vec<(usize, i64)>,
    /// Playouts for each position.
    pub visits: Option<u64>,
    /// Time for each position.
    pub time: Option<Duration>,
    /// The interval of answers during a search.
    pub every: Option<Duration>,
    /// Whether ownership is wanted.
    pub ownership: bool,
    /// Whether the priors of all moves are wanted.
    pub policy: bool,
    /// The side for which values are reported; `None`: the side to move.
    pub perspective: Option<Option<Side>>,
    /// Moves to leave out, for each side.
    pub avoid: [Vec<String>; 2],
    /// Moves to look at alone, for each side; empty: all.
    pub allow: [Vec<String>; 2],
}

/// Fields of KataGo that change nothing here.
const WITHOUT_EFFECT: [&str; 2] = ["rootPolicyTemperature", "rootFpuReductionMax"];
/// Fields of KataGo that ask for something that no answer of ours has.
const NOT_TOLD: [&str; 4] =
    ["includeMovesOwnership", "includePVVisits", "includeOwnershipStdev", "includeNoResultValue"];
/// Settings of KataGo that change nothing here.
const SETTINGS_WITHOUT_EFFECT: [&str; 4] = ["wideRootNoise", "analysisPVLen", "ignorePreRootHistory", "antiMirror"];
/// Fields that are read.
const FIELDS: [&str; 20] = [
    "id",
    "moves",
    "initialStones",
    "initialPlayer",
    "rules",
    "komi",
    "whiteHandicapBonus",
    "boardXSize",
    "boardYSize",
    "analyzeTurns",
    "maxVisits",
    "includeOwnership",
    "includePolicy",
    "avoidMoves",
    "allowMoves",
    "overrideSettings",
    "reportDuringSearchEvery",
    "priority",
    "priorities",
    "maxTime",
];

/// A point and who plays there.
type Placed = (Side, String);

/// The boards of the game that queries are about: its rules as far as reading needs them.
///
/// # Examples
///
/// A board on which every move on a point of the lowest row is legal:
///
/// ```
/// use serde_json::json;
/// use tesuji_game::Side;
/// use tesuji_protocol::analysis::{Boards, QueryBoard, query};
///
/// struct Row(Side);
///
/// impl Boards for Row {
///     fn point(&self, text: &str, width: usize, _: usize) -> Option<(usize, usize)> {
///         (0..width).find(|&x| text == format!("{}1", (b'A' + x as u8) as char)).map(|x| (x, 0))
///     }
///     fn rules_fit(&self, _: &str, _: usize, _: usize) -> Result<bool, String> {
///         Ok(true)
///     }
///     fn board(&self, _: &str, _: Option<&str>) -> Result<Box<dyn QueryBoard>, String> {
///         Ok(Box::new(Row(Side::First)))
///     }
/// }
///
/// impl QueryBoard for Row {
///     fn side_to_move(&self) -> Side {
///         self.0
///     }
///     fn play(&mut self, _: &str) -> Result<(), String> {
///         self.0 = !self.0;
///         Ok(())
///     }
/// }
///
/// let object = json!({ "boardXSize": 3, "boardYSize": 2, "rules": "any", "moves": [["B", "A1"], ["B", "C1"]] });
/// let (query, _) = query::read(&Row(Side::First), "one", object.as_object().unwrap()).unwrap();
/// // The other side passes between two moves of one side.
/// assert_eq!(query.moves, ["A1", "pass", "C1"]);
/// ```
pub trait Boards: Sync {
    /// The column and row, counted from the lower left corner from 0, of a point as GTP writes it; `None`: not on this board.
    fn point(&self, text: &str, width: usize, height: usize) -> Option<(usize, usize)>;

    /// Whether `rules` are of a board of this size.
    ///
    /// # Errors
    /// When they are no rules, in words.
    fn rules_fit(&self, rules: &str, width: usize, height: usize) -> Result<bool, String>;

    /// A board with the position `start` (`None`: the usual one).
    ///
    /// # Errors
    /// When the position is none of these rules, in words.
    fn board(&self, rules: &str, start: Option<&str>) -> Result<Box<dyn QueryBoard>, String>;
}

/// A board on which the moves of a query are played.
///
/// # Examples
///
/// See [`Boards`], which makes these boards; a board is asked as follows:
///
/// ```
/// use tesuji_game::Side;
/// use tesuji_protocol::analysis::QueryBoard;
///
/// /// A board on which a side may pass, and do nothing else.
/// struct OnlyPasses(Side);
///
/// impl QueryBoard for OnlyPasses {
///     fn side_to_move(&self) -> Side {
///         self.0
///     }
///     fn play(&mut self, mv: &str) -> Result<(), String> {
///         if mv != "pass" {
///             return Err(format!("{mv} is not legal"));
///         }
///         self.0 = !self.0;
///         Ok(())
///     }
/// }
///
/// let mut board = OnlyPasses(Side::First);
/// assert_eq!(board.play("pass"), Ok(()));
/// assert_eq!(board.side_to_move(), Side::Second);
/// assert!(board.play("D4").is_err());
/// ```
pub trait QueryBoard {
    /// The side to move.
    fn side_to_move(&self) -> Side;

    /// Plays a move.
    ///
    /// # Errors
    /// When it is not legal, in words.
    fn play(&mut self, mv: &str) -> Result<(), String>;
}

/// Reads a query; with it come warnings about what in it has no effect.
///
/// # Errors
/// The fault of the first bad field.
pub fn read(
    boards: &dyn Boards,
    id: &str,
    object: &Map<String, Value>,
) -> Result<(Query, Vec<QueryFault>), QueryFault> {
    let mut warnings: Vec<QueryFault> = object.iter().filter_map(|(key, value)| unheeded(key, value)).collect();
    let width = size(object, "boardXSize")?;
    let height = size(object, "boardYSize")?;
    let stones = placed(object.get("initialStones"), "initialStones", height)?;
    let moves =
        object.get("moves").ok_or_else(|| QueryFault::of("moves", "Must specify an array of [player,location]"))?;
    let moves = placed(Some(moves), "moves", height)?;
    let first = match object.get("initialPlayer") {
        Some(player) => Some(side(player).ok_or_else(|| QueryFault::of("initialPlayer", "Must be \"B\" or \"W\""))?),
        None => moves.first().map(|(side, _)| *side),
    };
    let only_black = stones.len() >= 2 && stones.iter().all(|(side, _)| *side == Side::First);
    let mover = first.unwrap_or(if only_black { Side::Second } else { Side::First });
    let start = start_text(boards, (&stones, mover), (width, height), only_black)?;
    let mut query = Query {
        id: id.to_string(),
        rules: rules(boards, object, width, height)?,
        width,
        height,
        start,
        moves: Vec::new(),
        at: vec![0],
        turns: Vec::new(),
        visits: positive(object, "maxVisits")?,
        time: seconds(object, "maxTime")?,
        every: seconds(object, "reportDuringSearchEvery")?,
        ownership: flag(object, "includeOwnership")?,
        policy: flag(object, "includePolicy")?,
        perspective: None,
        avoid: restricted(object, "avoidMoves", height)?,
        allow: restricted(object, "allowMoves", height)?,
    };
    query.play(boards, &moves)?;
    query.turns = turns(object, moves.len())?;
    query.override_settings(object, &mut warnings)?;
    Ok((query, warnings))
}

/// The warning about a field that has no effect.
fn unheeded(field: &str, value: &Value) -> Option<QueryFault> {
    let is_deep = |entry: &Value| entry.get("untilDepth").and_then(Value::as_u64).is_some_and(|depth| depth > 1);
    let words = match field {
        "avoidMoves" | "allowMoves" if value.as_array().is_some_and(|entries| entries.iter().any(is_deep)) => {
            "Heeded at the root alone, as if untilDepth were 1"
        }
        _ if NOT_TOLD.contains(&field) && value.as_bool() != Some(false) => "Not supported: no answer has it",
        _ if FIELDS.contains(&field) || WITHOUT_EFFECT.contains(&field) || NOT_TOLD.contains(&field) => return None,
        _ => "Unexpected or unused field",
    };
    Some(QueryFault::of(field, words))
}

impl Query {
    /// Plays the moves on a board, so that the first that is illegal is told.
    fn play(&mut self, boards: &dyn Boards, moves: &[Placed]) -> Result<(), QueryFault> {
        let board = boards.board(&self.rules, self.start.as_deref());
        let mut board = board.map_err(|error| QueryFault::of("initialStones", format!("Illegal position: {error}")))?;
        for (number, (side, text)) in moves.iter().enumerate() {
            if board.side_to_move() != *side {
                let _ = board.play("pass");
                self.moves.push("pass".to_string());
            }
            let illegal = |error| QueryFault::of("moves", format!("Illegal move {number}: {text} ({error})"));
            board.play(text).map_err(illegal)?;
            self.moves.push(text.clone());
            self.at.push(self.moves.len());
        }
        Ok(())
    }

    fn override_settings(
        &mut self,
        object: &Map<String, Value>,
        warnings: &mut Vec<QueryFault>,
    ) -> Result<(), QueryFault> {
        const FIELD: &str = "overrideSettings";
        let Some(settings) = object.get(FIELD) else { return Ok(()) };
        let settings = settings.as_object().ok_or_else(|| QueryFault::of(FIELD, "Must be an object"))?;
        for (name, value) in settings {
            match name.as_str() {
                "maxVisits" | "maxPlayouts" => self.visits = positive(settings, name)?.or(self.visits),
                "maxTime" => self.time = seconds(settings, name)?.or(self.time),
                "reportAnalysisWinratesAs" => {
                    let text = value.as_str().unwrap_or_default();
                    self.perspective =
                        Some(perspective(text).ok_or_else(|| QueryFault::of(FIELD, EXPECTED_PERSPECTIVE))?);
                }
                other if SETTINGS_WITHOUT_EFFECT.contains(&other) => {}
                other => warnings.push(QueryFault::of(FIELD, format!("Unknown config params: {other}"))),
            }
        }
        Ok(())
    }
}

const EXPECTED_PERSPECTIVE: &str = "reportAnalysisWinratesAs must be BLACK, WHITE or SIDETOMOVE";

/// Parses the perspective of values: a side, or the side to move.
///
/// # Examples
/// ```
/// use tesuji_game::Side;
/// use tesuji_protocol::analysis::query::perspective;
/// assert_eq!(perspective("white"), Some(Some(Side::Second)));
/// assert_eq!(perspective("SIDETOMOVE"), Some(None));
/// ```
pub fn perspective(text: &str) -> Option<Option<Side>> {
    match text.to_ascii_uppercase().as_str() {
        "BLACK" => Some(Some(Side::First)),
        "WHITE" => Some(Some(Side::Second)),
        "SIDETOMOVE" => Some(None),
        _ => None,
    }
}

fn side(value: &Value) -> Option<Side> {
    match value.as_str()?.to_ascii_lowercase().as_str() {
        "b" | "black" => Some(Side::First),
        "w" | "white" => Some(Side::Second),
        _ => None,
    }
}

fn size(object: &Map<String, Value>, field: &str) -> Result<usize, QueryFault> {
    let lines = object.get(field).and_then(Value::as_u64).filter(|n| (2..=25).contains(n));
    lines.map(|n| n as usize).ok_or_else(|| QueryFault::of(field, "Must provide an integer from 2 to 25"))
}

fn positive(object: &Map<String, Value>, field: &str) -> Result<Option<u64>, QueryFault> {
    let number = |value: &Value| value.as_u64().filter(|n| *n >= 1);
    let wrong = || QueryFault::of(field, "Must be an integer from 1");
    object.get(field).map(|value| number(value).ok_or_else(wrong)).transpose()
}

fn seconds(object: &Map<String, Value>, field: &str) -> Result<Option<Duration>, QueryFault> {
    let number = |value: &Value| value.as_f64().filter(|n| (0.001..=1e6).contains(n)).map(Duration::from_secs_f64);
    let wrong = || QueryFault::of(field, "Must be a number of seconds from 0.001 to 1000000");
    object.get(field).map(|value| number(value).ok_or_else(wrong)).transpose()
}

fn flag(object: &Map<String, Value>, field: &str) -> Result<bool, QueryFault> {
    object.get(field).map_or(Some(false), Value::as_bool).ok_or_else(|| QueryFault::of(field, "Must be a boolean"))
}

/// `[["B","Q4"], …]`.
fn placed(value: Option<&Value>, field: &str, height: usize) -> Result<Vec<Placed>, QueryFault> {
    let Some(value) = value else { return Ok(Vec::new()) };
    let wrong = || QueryFault::of(field, "Must be an array of pairs of the form: [\"b\" or \"w\", GTP board vertex]");
    let pair = |value: &Value| {
        let [player, point] = value.as_array()?.as_slice() else { return None };
        Some((side(player)?, point_text(point.as_str()?, height)?))
    };
    value.as_array().ok_or_else(wrong)?.iter().map(|value| pair(value).ok_or_else(wrong)).collect()
}

/// A point as GTP writes it; `(X,Y)` counts from the upper left corner.
fn point_text(text: &str, height: usize) -> Option<String> {
    const COLUMNS: &[u8] = b"ABCDEFGHJKLMNOPQRSTUVWXYZ";
    let Some(pair) = text.strip_prefix('(') else { return Some(text.to_string()) };
    let (x, y) = pair.strip_suffix(')')?.split_once(',')?;
    let (x, y): (usize, usize) = (x.trim().parse().ok()?, y.trim().parse().ok()?);
    let row = height.checked_sub(y).filter(|row| *row > 0)?;
    Some(format!("{}{row}", *COLUMNS.get(x)? as char))
}

/// The first position as text; `None` for the empty board with Black to move.
fn start_text(
    boards: &dyn Boards,
    (stones, mover): (&[Placed], Side),
    (width, height): (usize, usize),
    only_black: bool,
) -> Result<Option<String>, QueryFault> {
    if stones.is_empty() && mover == Side::First {
        return Ok(None);
    }
    let mut rows = vec![vec![b'.'; width]; height];
    for (side, text) in stones {
        let wrong = || QueryFault::of("initialStones", format!("Not a point of the board: {text}"));
        let (x, y) = boards.point(text, width, height).ok_or_else(wrong)?;
        let point = &mut rows[height - 1 - y][x];
        if *point != b'.' {
            return Err(QueryFault::of("initialStones", format!("Expected one stone on each point: {text} has two")));
        }
        *point = [b'X', b'O'][side.index()];
    }
    let rows: Vec<String> = rows.iter().map(|row| String::from_utf8_lossy(row).into_owned()).collect();
    let handicap = if only_black { format!(" handicap {}", stones.len()) } else { String::new() };
    Ok(Some(format!("{} {}{handicap}", rows.join("/"), ["b", "w"][mover.index()])))
}

/// The rules as our text.
fn rules(boards: &dyn Boards, object: &Map<String, Value>, width: usize, height: usize) -> Result<String, QueryFault> {
    let named = match object.get("rules") {
        Some(Value::String(name)) => name.clone(),
        Some(rules @ Value::Object(_)) => rules.to_string(),
        _ => return Err(QueryFault::of("rules", "Must specify rules as a string or an object")),
    };
    let mut text = format!("{width}x{height} {named}");
    if let Some(bonus) = object.get("whiteHandicapBonus") {
        let bonus = bonus.as_str().map_or_else(|| bonus.to_string(), str::to_ascii_lowercase);
        text += &format!(" bonus {bonus}");
    }
    if let Some(komi) = object.get("komi") {
        let halves = komi.as_f64().map(|k| k * 2.0).filter(|h| h.fract() == 0.0 && h.abs() <= 300.0);
        let wrong = || QueryFault::of("komi", "Must be an integer or half-integer from -150.0 to 150.0");
        text += &format!(" komi {}", halves.ok_or_else(wrong)? / 2.0);
    }
    match boards.rules_fit(&text, width, height) {
        // Rules may name a size themselves.
        Ok(false) => {
            Err(QueryFault::of("rules", format!("Could not parse rules: {named} (they are of another board)")))
        }
        Ok(true) => Ok(text),
        Err(error) => Err(QueryFault::of("rules", format!("Could not parse rules: {named} ({error})"))),
    }
}

/// The turns with their priorities.
fn turns(object: &Map<String, Value>, last: usize) -> Result<Vec<(usize, i64)>, QueryFault> {
    let whole = |field: &str| {
        object.get(field).map_or(Some(0), Value::as_i64).ok_or_else(|| QueryFault::of(field, "Must be an integer"))
    };
    let priority = whole("priority")?;
    let Some(list) = object.get("analyzeTurns") else { return Ok(vec![(last, priority)]) };
    let wrong = || QueryFault::of("analyzeTurns", format!("Must be an array of integers from 0 to {last}"));
    let number = |value: &Value| value.as_u64().map(|n| n as usize).filter(|n| *n <= last);
    let turns: Option<Vec<usize>> = list.as_array().ok_or_else(wrong)?.iter().map(number).collect();
    let turns = turns.ok_or_else(wrong)?;
    let Some(given) = object.get("priorities") else {
        return Ok(turns.into_iter().map(|turn| (turn, priority)).collect());
    };
    let wrong = || QueryFault::of("priorities", "Must be an array of integers, one for each of analyzeTurns");
    let given: Option<Vec<i64>> = given.as_array().ok_or_else(wrong)?.iter().map(Value::as_i64).collect();
    let given = given.filter(|given| given.len() == turns.len()).ok_or_else(wrong)?;
    Ok(turns.into_iter().zip(given).collect())
}

/// `[{"player":"B","moves":["C3"],"untilDepth":1}]` as lists for each side. Only the root is restricted, whatever the depth.
fn restricted(object: &Map<String, Value>, field: &str, height: usize) -> Result<[Vec<String>; 2], QueryFault> {
    let mut lists = [Vec::new(), Vec::new()];
    let Some(value) = object.get(field) else { return Ok(lists) };
    let wrong = || QueryFault::of(field, "Must be an array of objects with player, moves and untilDepth");
    for entry in value.as_array().ok_or_else(wrong)? {
        let player = entry.get("player").and_then(side).ok_or_else(wrong)?;
        entry.get("untilDepth").and_then(Value::as_u64).ok_or_else(wrong)?;
        for mv in entry.get("moves").and_then(Value::as_array).ok_or_else(wrong)? {
            let text = mv.as_str().and_then(|text| point_text(text, height)).ok_or_else(wrong)?;
            lists[player.index()].push(text);
        }
    }
    Ok(lists)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A board without rules: the sides take turns, and every word is a move.
    struct Anything(Side);

    impl Boards for Anything {
        fn point(&self, text: &str, _: usize, _: usize) -> Option<(usize, usize)> {
            (text == "A1").then_some((0, 0))
        }

        fn rules_fit(&self, rules: &str, _: usize, _: usize) -> Result<bool, String> {
            if rules.contains("unknown") { Err("no such rules".into()) } else { Ok(true) }
        }

        fn board(&self, _: &str, _: Option<&str>) -> Result<Box<dyn QueryBoard>, String> {
            Ok(Box::new(Anything(self.0)))
        }
    }

    impl QueryBoard for Anything {
        fn side_to_move(&self) -> Side {
            self.0
        }

        fn play(&mut self, _: &str) -> Result<(), String> {
            self.0 = !self.0;
            Ok(())
        }
    }

    fn query(more: &str) -> Result<Query, QueryFault> {
        let text = format!(r#"{{ "boardXSize": 3, "boardYSize": 2, {more} }}"#);
        let object = serde_json::from_str(&text).unwrap();
        read(&Anything(Side::First), "a", &object).map(|(query, _)| query)
    }

    #[test]
    fn a_move_out_of_turn_comes_after_a_pass() {
        let query = query(r#""rules": "x", "moves": [["b", "B1"], ["b", "(0,0)"]]"#).unwrap();
        assert_eq!(query.moves, ["B1", "pass", "A2"]);
        assert_eq!((query.at, query.turns), (vec![0, 1, 3], vec![(2, 0)]));
    }

    #[test]
    fn faults_name_their_field() {
        for (more, field) in [
            (r#""moves": []"#, "rules"),
            (r#""rules": "unknown", "moves": []"#, "rules"),
            (r#""rules": "x""#, "moves"),
            (r#""rules": "x", "moves": [], "initialStones": [["w", "C9"]]"#, "initialStones"),
            (r#""rules": "x", "moves": [], "initialStones": [["w", "A1"], ["b", "A1"]]"#, "initialStones"),
            (r#""rules": "x", "moves": [], "analyzeTurns": [1]"#, "analyzeTurns"),
        ] {
            assert_eq!(query(more).unwrap_err().field.as_deref(), Some(field), "{more}");
        }
    }
    #[test]
    fn what_is_dropped_is_told() {
        let warned = |more: &str| {
            let text = format!(r#"{{ "boardXSize": 3, "boardYSize": 2, "rules": "x", "moves": [], {more} }}"#);
            let object = serde_json::from_str(&text).unwrap();
            let (_, warnings) = read(&Anything(Side::First), "a", &object).unwrap();
            warnings.into_iter().filter_map(|fault| fault.field).collect::<Vec<_>>()
        };
        for field in ["includeMovesOwnership", "includePVVisits", "includeOwnershipStdev", "includeNoResultValue", "x"]
        {
            assert_eq!(warned(&format!(r#""{field}": true"#)), [field]);
        }
        assert!(warned(r#""includePVVisits": false, "maxVisits": 5"#).is_empty());
        let avoid =
            |depth: u32| format!(r#""avoidMoves": [{{ "player": "b", "moves": ["A1"], "untilDepth": {depth} }}]"#);
        assert_eq!(warned(&avoid(4)), ["avoidMoves"]);
        assert!(warned(&avoid(1)).is_empty());
    }
}
