//! Evaluations explained: a position term by term, and a whole game with the terms that each move changed.

use crate::{
    Pasted, RequestError,
    tuning::{BoardOf, Taught},
};
use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use tesuji_game::{Game, Notation, Position};
use tesuji_record::{GameRecord, RecordReader, Step};
use tesuji_tally::{Explanation, Line};

/// A request to explain a position.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExplainRequest {
    /// The version of this form: [`ExplainRequest::VERSION`].
    pub version: u32,
    /// The position.
    pub position: Pasted,
    /// Its rules.
    pub rules: String,
    /// Weights: builtin, material, or a file.
    pub weights: String,
    /// A network that explains instead, where the game takes one.
    pub net: Option<PathBuf>,
    /// Playouts or visits behind an explanation by a search.
    pub nodes: u64,
}

impl Default for ExplainRequest {
    fn default() -> ExplainRequest {
        ExplainRequest {
            version: Self::VERSION,
            position: Pasted::default(),
            rules: String::new(),
            weights: "builtin".into(),
            net: None,
            nodes: 1000,
        }
    }
}

impl ExplainRequest {
    /// The version of the form that this program knows.
    pub const VERSION: u32 = 1;

    /// Checks the request by itself; the position, its rules and the weights are looked at when they are read.
    ///
    /// # Errors
    /// The first field that cannot be meant.
    pub fn validate(&self) -> Result<(), RequestError> {
        RequestError::check_version(self.version, Self::VERSION)?;
        if self.weights.is_empty() {
            return Err(RequestError::field("weights", "is missing"));
        }
        if self.nodes == 0 {
            return Err(RequestError::value("nodes", 0, "expected at least 1"));
        }
        Ok(())
    }
}

/// A position explained.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    /// For people.
    pub text: String,
    /// For programs.
    pub json: serde_json::Value,
}

/// Explains the evaluation of a game's positions term by term.
pub trait Explain: Sync {
    /// Explains a position.
    ///
    /// # Errors
    /// When the position or the weights cannot be read.
    fn position(&self, request: &ExplainRequest) -> anyhow::Result<Explained>;

    /// Explains every position of a game by `weights`; `None` where a game is not explained as a whole.
    ///
    /// # Errors
    /// A start or a move that does not fit the rules, or weights that cannot be read.
    fn game(&self, game: &GameRecord<String>, weights: &str) -> Option<anyhow::Result<Vec<ExplainedPosition>>>;
}

/// The explanation of any game whose evaluation is a sum of terms; `weights` reads what a name means.
pub struct ExplainOf<T: Taught> {
    weights: fn(&str) -> anyhow::Result<ByWeights<T>>,
    net: Option<ByNet<T>>,
}

/// Explains the evaluation of a position by weights that were read.
pub type ByWeights<T> = Box<dyn Fn(&BoardOf<T>) -> Explanation>;

/// The explanation of a position by the network of a file, without the position's text.
pub type ByNet<T> = fn(&BoardOf<T>, &Path) -> anyhow::Result<Explained>;

impl<T: Taught> ExplainOf<T> {
    /// With what reads weights by their name, and what asks networks where the game has some.
    pub const fn new(weights: fn(&str) -> anyhow::Result<ByWeights<T>>, net: Option<ByNet<T>>) -> ExplainOf<T> {
        ExplainOf { weights, net }
    }
}

impl<T: Taught> Explain for ExplainOf<T> {
    fn position(&self, request: &ExplainRequest) -> anyhow::Result<Explained> {
        request.validate()?;
        let rules = request.rules.parse()?;
        let board = request.position.read::<T::Game>(&rules)?;
        let position = T::text(&board);
        if let Some(net) = &request.net {
            let ask = self.net.context("no networks value positions of this game")?;
            let Explained { text, mut json } = ask(&board, net)?;
            json["position"] = position.clone().into();
            return Ok(Explained { text: format!("{position}\n{text}"), json });
        }
        let told = (self.weights)(&request.weights)?(&board);
        let text = format!("{position}\n{told}\n");
        let json = serde_json::json!({ "position": position, "weights": request.weights, "evaluation": told });
        Ok(Explained { text, json })
    }

    fn game(&self, game: &GameRecord<String>, weights: &str) -> Option<anyhow::Result<Vec<ExplainedPosition>>> {
        Some((self.weights)(weights).and_then(|explain| walk::<T>(game, &*explain)))
    }
}

/// The change of a term since the position before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FeatureMark {
    /// Its counts are the same.
    Same,
    /// It was not there.
    New,
    /// Its counts are others.
    Changed,
    /// It is not there any more.
    Gone,
}

/// One position of a game.
#[derive(Debug, Serialize)]
pub struct ExplainedPosition {
    /// Plies played.
    pub ply: usize,
    /// The move that led here, as it is written with its number; empty at the start.
    pub said: String,
    /// The position.
    pub position: String,
    /// Its evaluation.
    pub evaluation: Explanation,
    /// Every feature that is there or was there before, with its mark.
    pub features: Vec<(FeatureMark, Line)>,
}

/// Reads game `number` (from 1) of `reader`.
///
/// # Errors
/// Broken games before it, and when there are fewer.
pub fn game_number(reader: &mut dyn RecordReader, number: usize, path: &Path) -> anyhow::Result<GameRecord<String>> {
    if number == 0 {
        bail!("--number 0: games are counted from 1");
    }
    let mut at = 0;
    loop {
        at += 1;
        match reader.read().with_context(|| path.display().to_string())? {
            Some(game) if at == number => return Ok(game),
            Some(_) => {}
            None => bail!("{}: there is no game {number}, only {} before the end", path.display(), at - 1),
        }
    }
}

/// Explains every position of the main line.
///
/// # Errors
/// A start or a move that does not fit the rules.
fn walk<T: Taught>(
    game: &GameRecord<String>,
    explain: &dyn Fn(&BoardOf<T>) -> Explanation,
) -> anyhow::Result<Vec<ExplainedPosition>> {
    let rules: <T::Game as Game>::Rules = game.rules.parse().map_err(|e| anyhow::anyhow!("{e}"))?;
    let mut board = match &game.start {
        None => T::Game::start(&rules),
        Some(text) => <T::Game as Game>::Notation::parse_position(&rules, text)
            .with_context(|| format!("start position {text:?}"))?,
    };
    let mut places = vec![place::<T>(0, String::new(), &board, explain, &[])];
    for (i, node) in game.main_nodes().into_iter().enumerate() {
        let said = match &game.nodes[node as usize].step {
            Step::Move(text) => {
                let mv = <T::Game as Game>::Notation::parse_move(&board, text)
                    .with_context(|| format!("move {}: {text}", i + 1))?;
                let said = T::say(&board, mv);
                board.play(mv);
                said
            }
            Step::Setup(setup) => {
                let text = game.setup(*setup).unwrap_or_default();
                board = <T::Game as Game>::Notation::parse_position(&rules, text)
                    .with_context(|| format!("position {text:?}"))?;
                "(set up)".into()
            }
            Step::Start => continue,
        };
        let before = places.last().map_or(&[][..], |p| &p.evaluation.lines);
        let next = place::<T>(i + 1, said, &board, explain, before);
        places.push(next);
    }
    // Nothing was before the start that could have changed.
    for (mark, _) in &mut places[0].features {
        *mark = FeatureMark::Same;
    }
    Ok(places)
}

fn place<T: Taught>(
    ply: usize,
    said: String,
    board: &BoardOf<T>,
    explain: &dyn Fn(&BoardOf<T>) -> Explanation,
    before: &[Line],
) -> ExplainedPosition {
    let evaluation = explain(board);
    let old = |name: &str| before.iter().find(|l| l.name == name);
    let mark = |line: &Line| match old(&line.name) {
        None => FeatureMark::New,
        Some(old) if (old.first, old.second) == (line.first, line.second) => FeatureMark::Same,
        Some(_) => FeatureMark::Changed,
    };
    let mut features: Vec<(FeatureMark, Line)> =
        evaluation.lines.iter().map(|line| (mark(line), line.clone())).collect();
    for old in before.iter().filter(|old| !evaluation.lines.iter().any(|line| line.name == old.name)) {
        features.push((FeatureMark::Gone, Line { first: 0, second: 0, adds_mg: 0, adds_eg: 0, ..old.clone() }));
    }
    ExplainedPosition { ply, said, position: T::text(board), evaluation, features }
}

/// A term of a place: what its features add together.
struct TermSum<'p> {
    name: &'p str,
    mark: FeatureMark,
    adds: f64,
}

/// The features of a place summed by terms, in their order.
fn by_terms(place: &ExplainedPosition) -> Vec<TermSum<'_>> {
    let mut terms: Vec<TermSum> = Vec::new();
    for (mark, line) in &place.features {
        // The place in a table is left out.
        let name = line.name.rsplit_once('.').filter(|(_, place)| place.parse::<usize>().is_ok());
        let name = name.map_or(&*line.name, |(name, _)| name);
        let adds = place.evaluation.blended(line.adds_mg, line.adds_eg);
        match terms.iter_mut().find(|t| t.name == name) {
            Some(term) => {
                term.adds += adds;
                if term.mark != *mark {
                    term.mark = FeatureMark::Changed;
                }
            }
            None => terms.push(TermSum { name, mark: *mark, adds }),
        }
    }
    terms
}

/// Writes the game as text: every position with its terms in centipawns for the first side, those that the move changed marked. With
/// `only_changes` the others are left out.
pub fn write_text(places: &[ExplainedPosition], only_changes: bool, out: &mut dyn Write) -> std::io::Result<()> {
    let (mut before, mut sums): (i32, Vec<(String, f64)>) = (0, Vec::new());
    for place in places {
        let told = &place.evaluation;
        let said = if place.said.is_empty() { "start" } else { &place.said };
        let change = if place.ply > 0 { format!(" ({:+})", told.value - before) } else { String::new() };
        let mut text = format!(
            "{said}: {:+}{change} cp for {}, phase {}/256, scale {}/64\n",
            told.value, told.sides[0], told.phase, told.scale
        );
        let terms = by_terms(place);
        for term in &terms {
            let old = sums.iter().find(|s| s.0 == term.name).map_or(0.0, |s| s.1);
            let sign = match term.mark {
                FeatureMark::Same if only_changes => continue,
                FeatureMark::Same => ' ',
                FeatureMark::New => '+',
                FeatureMark::Changed => '*',
                FeatureMark::Gone => '-',
            };
            let _ = write!(text, "  {sign} {:<24} {:>+8.1}", term.name, term.adds);
            let _ = if sign == ' ' { writeln!(text) } else { writeln!(text, "  ({:+.1})", term.adds - old) };
        }
        if let Some((name, value)) = told.rest.filter(|rest| rest.1 != 0) {
            let _ = writeln!(text, "    {name:<24} {:>+8.1}", f64::from(value));
        }
        out.write_all(text.as_bytes())?;
        before = told.value;
        sums = terms.iter().map(|t| (t.name.to_string(), t.adds)).collect();
    }
    Ok(())
}

/// Writes the game as CSV: a line for every feature of every position.
pub fn write_csv(places: &[ExplainedPosition], out: &mut dyn Write) -> std::io::Result<()> {
    let sides = places.first().map_or(["first", "second"], |place| place.evaluation.sides);
    let [first, second] = sides.map(str::to_lowercase);
    writeln!(
        out,
        "ply,move,value,phase,scale,feature,group,{first},{second},weight_mg,weight_eg,adds_mg,adds_eg,adds,mark"
    )?;
    for ExplainedPosition { ply, said, evaluation: told, features, .. } in places {
        for (mark, line) in features {
            let mark = match mark {
                FeatureMark::Same => "",
                FeatureMark::New => "new",
                FeatureMark::Changed => "changed",
                FeatureMark::Gone => "gone",
            };
            let Line { name, group, first, second, weight_mg, weight_eg, adds_mg, adds_eg } = line;
            let adds = told.blended(*adds_mg, *adds_eg);
            writeln!(
                out,
                "{ply},{said},{},{},{},{name},{group},{first},{second},{weight_mg},{weight_eg},{adds_mg},{adds_eg},{adds:.2},{mark}",
                told.value, told.phase, told.scale
            )?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_survive_json_and_name_the_field_that_is_wrong() {
        let request = ExplainRequest { nodes: 30, ..ExplainRequest::default() };
        let text = serde_json::to_string(&request).unwrap();
        assert_eq!(serde_json::from_str::<ExplainRequest>(&text).unwrap(), request, "{text}");
        assert_eq!(request.validate(), Ok(()));
        let says = |request: ExplainRequest| request.validate().unwrap_err().to_string();
        let (weights, version) = (String::new(), 7);
        assert_eq!(says(ExplainRequest { nodes: 0, ..request.clone() }), "nodes 0: expected at least 1");
        assert_eq!(says(ExplainRequest { version, ..request.clone() }), "version 7: this program knows 1");
        assert_eq!(says(ExplainRequest { weights, ..request }), "weights is missing");
        assert!(serde_json::from_str::<ExplainRequest>(r#"{ "wieghts": "builtin" }"#).is_err());
    }
}
