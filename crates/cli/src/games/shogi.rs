//! Shogi: its rules, hand-made evaluation and its searches as a kit, with the options that only shogi has.

use super::{
    chances::{WithChances, add_chances},
    tree_search::EvalMcts,
};
use std::{fs, sync::Arc};
use tesuji_engine::{Kit, KitError, Player, PlayerError, Seat};
use tesuji_game::{Choice, Limits, NotationError, Report, Side, Watch};
use tesuji_options::{OptionError, Options, Spec, find, options};
use tesuji_record::{AnyGame, Of, RecordFormat, Table, of};
use tesuji_search::{Searcher, alpha_beta::AlphaBeta};
use tesuji_shogi::{Board, Piece, Shogi, ShogiSurvey, Square, csa::Csa, kif::Kif, packed::Hcpe3Format};
use tesuji_shogi_eval::{HandEval, builtin_weights, explain, load_weights, wdl};
use tesuji_tally::Weights;

/// The kit of shogi.
pub(super) static SHOGI: ShogiKit = ShogiKit;

/// Rules and records.
static DOOR: Of<Shogi> = of(&[&Hcpe3Format, &Csa, &Kif::KIF, &Kif::KI2, &Kif::KIF_SHIFT_JIS, &Kif::KI2_SHIFT_JIS]);
/// Its positions one by one.
pub(super) static SURVEY: ShogiSurvey = ShogiSurvey;

/// Balanced openings that `tesuji match` plays when it is given none; its first line says what made them.
pub(super) const OPENINGS: &str = include_str!("../../data/openings-shogi.sfen");

/// Shogi with its handicaps and rules of declaration.
pub(super) struct ShogiKit;

impl AnyGame for ShogiKit {
    fn name(&self) -> &'static str {
        DOOR.name()
    }

    fn table(&self, rules: &str, start: Option<&str>) -> Result<Box<dyn Table>, NotationError> {
        DOOR.table(rules, start)
    }

    fn formats(&self) -> &'static [&'static dyn RecordFormat] {
        DOOR.formats()
    }
}

impl Kit for ShogiKit {
    fn families(&self) -> &'static [&'static str] {
        &["alpha-beta", "mcts"]
    }

    fn player(&self, family: &str) -> Result<Box<dyn Player>, KitError> {
        match family {
            // Their strength at so many nodes was never measured: no ladder.
            "" | "alpha-beta" => Ok(Box::new(ShogiPlayer::<AlphaBeta<Board, HandEval>>::new())),
            "mcts" => Ok(Box::new(ShogiPlayer::<EvalMcts<Board, HandEval>>::new())),
            _ => {
                let (game, family, known) = (self.name(), family.to_string(), self.families());
                Err(KitError::Family { game, family, known })
            }
        }
    }
}

options! {
    /// What only shogi has.
    struct ShogiOptions {
        /// The file of the evaluation's weights; empty: those that the program is built with.
        eval_file: String = "", "EvalFile";
        /// How a king in the enemy camp may declare: 28 or 27 points win, 31 win and 24 draw, it comes to the other king's
        /// square, or not at all.
        declaration: Choice = "27-points" of ["27-points", "24-points", "try", "no-declaration"], "EnteringKingRule";
        /// Resign where the value is so many centipawns below zero or worse; 0: only when mated.
        resign_cp: i32 = 0 in 0..=32000, "ResignValue";
    }
}

/// What a search of shogi can be given, whatever its family.
trait ShogiSearch: Searcher<Board> + Options {
    fn start(eval: HandEval) -> Self;
    fn set_evaluator(&mut self, eval: HandEval);
}

impl ShogiSearch for AlphaBeta<Board, HandEval> {
    fn start(eval: HandEval) -> Self {
        AlphaBeta::new(eval)
    }

    fn set_evaluator(&mut self, eval: HandEval) {
        self.set_evaluator(eval);
    }
}

impl ShogiSearch for EvalMcts<Board, HandEval> {
    fn start(eval: HandEval) -> Self {
        EvalMcts::new(eval)
    }

    fn set_evaluator(&mut self, eval: HandEval) {
        self.set_evaluator(eval);
    }
}

/// A player of shogi.
struct ShogiPlayer<S> {
    seat: Seat<Shogi, S>,
    options: ShogiOptions,
    weights: Arc<Weights>,
}

impl<S: ShogiSearch> ShogiPlayer<S> {
    fn new() -> ShogiPlayer<S> {
        let weights = Arc::new(builtin_weights());
        let seat = Seat::new(S::start(HandEval::new(weights.clone())));
        ShogiPlayer { seat, options: ShogiOptions::default(), weights }
    }

    /// Takes the weights of a file; the old ones stay if it cannot be read.
    fn load_weights(&mut self, path: &str) -> Result<(), String> {
        let weights = match path {
            "" => builtin_weights(),
            _ => {
                let text = fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
                load_weights(&text, path).map_err(|error| error.to_string())?
            }
        };
        self.weights = Arc::new(weights);
        self.seat.searcher_mut().set_evaluator(HandEval::new(self.weights.clone()));
        Ok(())
    }

    /// Whether the best line is so bad that the game is given up.
    fn gives_up(&self, limits: &Limits, report: &Report<String>) -> bool {
        let lost = |value: i32| self.options.resign_cp > 0 && value <= -self.options.resign_cp;
        let plays = matches!(report.choice, Some(Choice::Play(_)));
        plays && !limits.infinite && report.lines.first().is_some_and(|line| lost(line.value.raw()))
    }
}

/// The options of shogi, carried out as they are set, and those of the search.
impl<S: ShogiSearch> Options for ShogiPlayer<S> {
    fn specs(&self) -> Vec<Spec> {
        let mut specs = ShogiOptions::SPECS.to_vec();
        specs.extend(self.seat.searcher().specs());
        specs
    }

    fn get(&self, name: &str) -> Option<String> {
        self.options.get(name).or_else(|| Options::get(self.seat.searcher(), name))
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let spec = find(&self.specs(), name)?;
        if !ShogiOptions::SPECS.contains(&spec) {
            return self.seat.searcher_mut().set(spec.name, value);
        }
        let mut options = self.options.clone();
        options.set(spec.name, value)?;
        if spec.key == "eval_file" {
            self.load_weights(&options.eval_file).map_err(|reason| OptionError::Failed { name: spec.name, reason })?;
        }
        self.options = options;
        Ok(())
    }
}

impl<S: ShogiSearch> Player for ShogiPlayer<S> {
    fn options(&mut self) -> Box<dyn Options + '_> {
        Box::new(self)
    }

    fn new_game(&mut self) {
        self.seat.new_game();
    }

    fn set_position(&mut self, rules: &str, start: Option<&str>, moves: &[String]) -> Result<(), PlayerError> {
        let rules = if rules.is_empty() { &self.options.declaration } else { rules };
        self.seat.set_position(rules, start, moves)
    }

    fn is_move(&self, text: &str) -> bool {
        self.seat.is_move(text)
    }

    fn go(&mut self, limits: &Limits, only: &[String], watch: &mut dyn Watch<String>) -> Report<String> {
        let mut watch = WithChances { watch, model: wdl };
        let mut report = self.seat.go(limits, only, &mut watch);
        add_chances(&mut report, wdl);
        if self.gives_up(limits, &report) {
            report.choice = Some(Choice::Resign);
            report.ponder = None;
        }
        report
    }

    fn show(&self) -> String {
        format!("{}{}", diagram(self.seat.line().here()), self.seat.show())
    }

    fn explain(&self) -> Option<String> {
        Some(explain(self.seat.line().here(), &self.weights).to_string())
    }

    fn perft(&self, depth: u32, stop: &dyn Fn() -> bool) -> Option<Vec<(String, u64)>> {
        self.seat.perft(depth, stop)
    }

    fn counts(&self) -> Vec<(&'static str, u64, u64)> {
        self.seat.counts()
    }
}

/// The board as a person sees it, Black below: letters of SFEN, promoted men with a plus.
fn diagram(board: &Board) -> String {
    let hand = |side: Side| {
        let kinds = board.hand(side).iter().map(|(piece, count)| format!(" {}{count}", piece.sfen_letter(side)));
        let text: String = kinds.collect();
        if text.is_empty() { " -".to_string() } else { text }
    };
    let line = "+---+---+---+---+---+---+---+---+---+\n";
    let mut text = format!("White's hand:{}\n  9   8   7   6   5   4   3   2   1\n{line}", hand(Side::Second));
    for rank in 0..9 {
        for file in (0..9).rev() {
            let man = |(side, piece): (Side, Piece)| {
                format!("{}{} ", if piece.is_promoted() { '+' } else { ' ' }, piece.sfen_letter(side))
            };
            text += "|";
            text += &board.at(Square::new(file, rank)).map_or("   ".to_string(), man);
        }
        text += &format!("| {}\n{line}", (b'a' + rank) as char);
    }
    text + &format!("Black's hand:{}\n\n", hand(Side::First))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn openings_are_many_and_can_be_played() {
        let lines: HashSet<&str> = OPENINGS.lines().filter(|line| !line.starts_with('#')).collect();
        assert!(lines.len() >= 500, "{}", lines.len());
        let read = crate::match_::built_in_openings(&SHOGI, "");
        assert_eq!(read.len(), lines.len());
        assert!(read.iter().all(|o| SHOGI.table("", o.start.as_deref()).is_ok_and(|t| t.outcome().is_none())));
    }
}
