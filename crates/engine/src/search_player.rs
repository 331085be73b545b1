//! A searcher of a game as a player: text at the door, the game's own types inside.

use crate::{LiveTree, Player, PlayerError, TreeBounds, TreeCopy, copy_tree, tree::Growing};
use std::{fmt::Write, marker::PhantomData, ops::ControlFlow, sync::Arc, time::Duration};
use tesuji_game::{
    CacheCounts, Candidate, Choice, Game, Limits, Line, MoveOf, Notation, NotationError, Position, Report, Side,
    Signal, Wants, Watch, move_text,
};
use tesuji_options::Options;
use tesuji_search::{Searcher, profile::Profile};

/// A searcher `S` of the game `G` as a [`Player`].
pub struct SearchPlayer<G: Game, S> {
    searcher: S,
    rules: String,
    start: Option<String>,
    line: Line<G::Position>,
    texts: Vec<String>,
    game: PhantomData<G>,
}

impl<G: Game, S: Searcher<G::Position>> SearchPlayer<G, S> {
    /// A player at the usual start position.
    pub fn new(searcher: S) -> Self {
        Self::starting(searcher, &G::Rules::default())
    }

    /// A player at the start position of `rules`, until [`Player::set_position`] names others.
    pub fn starting(searcher: S, rules: &G::Rules) -> Self {
        SearchPlayer {
            searcher,
            rules: String::new(),
            start: None,
            line: Line::new(G::start(rules)),
            texts: Vec::new(),
            game: PhantomData,
        }
    }

    /// The searcher.
    pub fn searcher(&self) -> &S {
        &self.searcher
    }

    /// The searcher, to change it between searches.
    pub fn searcher_mut(&mut self) -> &mut S {
        &mut self.searcher
    }

    /// The game so far.
    pub fn line(&self) -> &Line<G::Position> {
        &self.line
    }

    /// The move that `text` means at the end of `line`.
    fn read_move(line: &Line<G::Position>, text: &str) -> Result<MoveOf<G>, NotationError> {
        let mv = G::Notation::parse_move(line.here(), text)?;
        if line.here().allows(mv, line.past()) {
            Ok(mv)
        } else {
            Err(NotationError::IllegalMove { text: text.to_string() })
        }
    }

    /// The start of a line.
    fn read_start(rules: &str, start: Option<&str>) -> Result<G::Position, PlayerError> {
        let parsed = if rules.is_empty() { Ok(G::Rules::default()) } else { rules.parse() };
        let parsed: G::Rules = parsed.map_err(|error| PlayerError::Rules { text: rules.to_string(), error })?;
        match start {
            None => Ok(G::start(&parsed)),
            Some(text) => G::Notation::parse_position(&parsed, text)
                .map_err(|error| PlayerError::Position { text: text.to_string(), error }),
        }
    }
}

impl<G: Game, S: Searcher<G::Position>> Player for SearchPlayer<G, S> {
    fn options(&mut self) -> Box<dyn Options + '_> {
        Box::new(self.searcher.options())
    }

    fn new_game(&mut self) {
        self.searcher.new_game();
    }

    fn set_position(&mut self, rules: &str, start: Option<&str>, moves: &[String]) -> Result<(), PlayerError> {
        let same_start = self.rules == rules && self.start.as_deref() == start;
        let known = if same_start && moves.starts_with(&self.texts) { self.texts.len() } else { 0 };
        let mut line = if known > 0 { self.line.clone() } else { Line::new(Self::read_start(rules, start)?) };
        for (i, text) in moves.iter().enumerate().skip(known) {
            let mv = Self::read_move(&line, text).map_err(|error| PlayerError::Move { number: i + 1, error })?;
            line.push(mv);
        }
        self.line = line;
        self.texts = moves.to_vec();
        self.rules = rules.to_string();
        self.start = start.map(str::to_string);
        Ok(())
    }

    fn is_move(&self, text: &str) -> bool {
        Self::read_move(&self.line, text).is_ok()
    }

    fn go(&mut self, limits: &Limits, only: &[String], watch: &mut dyn Watch<String>) -> Report<String> {
        let only: Vec<MoveOf<G>> = only.iter().filter_map(|text| Self::read_move(&self.line, text).ok()).collect();
        let here = self.line.here().clone();
        let mut watch = InText::<G> { here, watch };
        let report = self.searcher.search(&self.line, limits, &only, &mut watch);
        watch.report_in_text(&report)
    }

    fn obeys_soft_nodes(&self) -> bool {
        self.searcher.obeys_soft_nodes()
    }

    fn show(&self) -> String {
        let here = self.line.here();
        let mut text = String::new();
        let _ = G::Notation::write_position(here, &mut text);
        let _ = write!(text, "\nkey: {:016x}\nmoves:", here.key().0);
        let mut moves = Vec::new();
        self.line.legal_moves(&mut moves);
        for mv in moves {
            let _ = write!(text, " {}", move_text::<G>(here, mv));
        }
        if let Some(outcome) = self.line.outcome() {
            let winner =
                outcome.winner.map_or("nobody wins", |side| ["first side wins", "second side wins"][side.index()]);
            let _ = write!(text, "\nended: {winner} ({:?})", outcome.by);
        }
        text
    }

    fn moves(&self) -> Vec<String> {
        let mut moves = Vec::new();
        self.line.legal_moves(&mut moves);
        moves.into_iter().map(|mv| move_text::<G>(self.line.here(), mv)).collect()
    }

    fn side_to_move(&self) -> Option<Side> {
        Some(self.line.here().side_to_move())
    }

    fn perft(&self, depth: u32, stop: &dyn Fn() -> bool) -> Option<Vec<(String, u64)>> {
        let here = self.line.here();
        let mut moves = Vec::new();
        let _ = here.for_each_move(|mv| {
            moves.push(mv);
            ControlFlow::<()>::Continue(())
        });
        let mut counts = Vec::with_capacity(moves.len());
        for mv in moves {
            let mut pos = here.clone();
            pos.play(mv);
            counts.push((move_text::<G>(here, mv), count(&mut pos, depth.saturating_sub(1), stop)?));
        }
        counts.sort();
        Some(counts)
    }

    fn tree(&self, bounds: &TreeBounds) -> Option<TreeCopy> {
        copy_tree::<G>(self.searcher.tree()?.as_ref(), self.line.here(), bounds)
    }

    fn live_tree(&self) -> Option<Arc<dyn LiveTree>> {
        let view = self.searcher.tree()?;
        Some(Arc::new(Growing::<G> { view, here: self.line.here().clone() }))
    }

    fn profile(&self) -> Option<Profile> {
        self.searcher.profile().cloned()
    }

    fn counts(&self) -> Vec<CacheCounts> {
        self.searcher.counts()
    }
}

/// Positions `depth` plies ahead; `None` if `stop` became true. The last ply is counted, not played.
fn count<P: Position>(pos: &mut P, depth: u32, stop: &dyn Fn() -> bool) -> Option<u64> {
    match depth {
        0 => return Some(1),
        1 => return Some(pos.count_moves() as u64),
        _ if depth >= 3 && stop() => return None,
        _ => {}
    }
    let mut moves = Vec::with_capacity(64);
    let _ = pos.for_each_move(|mv| {
        moves.push(mv);
        ControlFlow::<()>::Continue(())
    });
    let mut sum = 0;
    for mv in moves {
        let undo = pos.play_seen(mv, |_| ());
        sum += count(pos, depth - 1, stop)?;
        pos.undo(mv, undo);
    }
    Some(sum)
}

/// A watch of text as a searcher sees it.
struct InText<'a, G: Game> {
    here: G::Position,
    watch: &'a mut dyn Watch<String>,
}

impl<G: Game> InText<'_, G> {
    /// A line of moves from the root as text.
    fn line_in_text(&self, moves: &[MoveOf<G>]) -> Vec<String> {
        let mut pos = self.here.clone();
        let mut texts = Vec::with_capacity(moves.len());
        for (i, &mv) in moves.iter().enumerate() {
            texts.push(move_text::<G>(&pos, mv));
            if i + 1 < moves.len() {
                pos.play(mv);
            }
        }
        texts
    }

    fn report_in_text(&self, report: &Report<MoveOf<G>>) -> Report<String> {
        let choice = report.choice.map(|choice| match choice {
            Choice::Play(mv) => Choice::Play(move_text::<G>(&self.here, mv)),
            Choice::Claim => Choice::Claim,
            Choice::Resign => Choice::Resign,
        });
        let ponder = match (report.choice, report.ponder) {
            (Some(Choice::Play(mv)), Some(answer)) => self.line_in_text(&[mv, answer]).pop(),
            _ => None,
        };
        let lines = report.lines.iter().map(|line| Candidate {
            pv: self.line_in_text(&line.pv),
            value: line.value,
            bound: line.bound,
            wdl: line.wdl,
            visits: line.visits,
            prior: line.prior,
            expected: line.expected,
            margin: line.margin,
        });
        Report {
            choice,
            ponder,
            lines: lines.collect(),
            current: report.current.map(|(mv, n)| (move_text::<G>(&self.here, mv), n)),
            depth: report.depth,
            depth_max: report.depth_max,
            nodes: report.nodes,
            time: report.time,
            hash_full: report.hash_full,
            table_hits: report.table_hits,
            margin: report.margin,
            ownership: report.ownership.clone(),
            fault: report.fault.clone(),
        }
    }
}

impl<G: Game> Watch<MoveOf<G>> for InText<'_, G> {
    fn signal(&mut self) -> Signal {
        self.watch.signal()
    }

    fn elapsed(&self) -> Duration {
        self.watch.elapsed()
    }

    fn report(&mut self, report: &Report<MoveOf<G>>) {
        self.watch.report(&self.report_in_text(report));
    }

    fn wants(&self) -> Wants {
        self.watch.wants()
    }
}
