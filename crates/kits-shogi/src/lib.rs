//! Shogi: its rules, hand-made evaluation and its searches as a kit, with the options that only shogi has.

mod batched;
mod bench;
mod books;
mod networks;
mod nnue;
mod nnue_training;
mod rules_test;
mod samples;

mod csa_client;

mod lessons;

use books::BOOKS;
pub use csa_client::{CsaFailed, CsaRequest, CsaScore, play_on_server};
pub use networks::dlshogi_net;
use std::sync::Arc;
use tesuji_dataset::searched::MoveWords;
use tesuji_engine::{Player, Scale};
use tesuji_game::{Choice, Limits, NotationError, Report, Side};
use tesuji_kit::{
    Kit, KitError,
    explain::Explain,
    features::FeatureTables,
    mates::{Mates, MatesOf},
    nnue::NnueNetworks,
    nnue_training::NnueTraining,
    playouts::Playouts,
    regions::Regions,
    shuffled::ShuffledStarts,
    tuning::Tuning,
};
use tesuji_kit::{RulesTest, bench::Benchmark, books::Books, console::Consoles, networks::Networks};
use tesuji_kits_shared::{
    booked::Booked,
    chances::Model,
    handmade::{ByAlphaBeta, ByBestFirst, ByTree, Handmade},
};
use tesuji_nn::{
    NetError,
    nnue::{Architecture, Network},
};
use tesuji_options::{Spec, options};
use tesuji_protocol::{EngineEnd, usi::UsiEngine};
use tesuji_record::{AnyGame, HasDoor, Of, Survey, of};
use tesuji_search::{Prover, mate::RootMates, mcts::Parameters};
use tesuji_shogi::{
    Board, Move, Piece, Setup, Shogi, ShogiSurvey, Square, csa::Csa, kif::Kif, packed::Hcpe3Format, parse_usi,
};
use tesuji_shogi_eval::nnue::{ShogiFeatures, is_yaneuraou, read_yaneuraou};
use tesuji_shogi_eval::{DlshogiPlanes, HandEval, builtin_weights, explain, load_weights, wdl};
use tesuji_tally::{Explanation, Weights, WeightsError};

/// The kit of shogi.
pub static SHOGI: ShogiKit = ShogiKit;

/// Rules and records.
static DOOR: Of<Shogi> = of(&[&Hcpe3Format, &Csa, &Kif::KIF, &Kif::KIFU, &Kif::KI2, &Kif::KI2U]);

/// Packed moves as USI writes them.
const WORDS: MoveWords = MoveWords {
    word: |_, code| Move::from_bits(code).map(|mv| mv.to_string()),
    code: |_, word| parse_usi(word).ok().map(Move::bits),
};

/// Balanced openings that `tesuji match` plays when it is given none; its first line says what made them.
const OPENINGS: &str = include_str!("../data/openings-shogi.sfen");

/// Its mates by checks.
static MATES: MatesOf<Shogi> = MatesOf::new();

/// Shogi with its handicaps and rules of declaration.
pub struct ShogiKit;

impl HasDoor for ShogiKit {
    fn door(&self) -> &'static dyn AnyGame {
        &DOOR
    }
}

impl Kit for ShogiKit {
    fn families(&self) -> &'static [&'static str] {
        &["alpha-beta", "mcts", "best-first"]
    }

    fn player(&self, family: &str) -> Result<Box<dyn Player>, KitError> {
        match family {
            // Their strength at this many nodes was never measured: no ladder.
            "" | "alpha-beta" => Ok(Box::new(Booked::new(&DOOR, &BOOKS, ByAlphaBeta::<ShogiKit>::default()))),
            "mcts" => Ok(Box::new(Booked::new(&DOOR, &BOOKS, ByTree::<ShogiKit>::default()))),
            "best-first" => Ok(Box::new(Booked::new(&DOOR, &BOOKS, ByBestFirst::<ShogiKit>::default()))),
            _ => Err(KitError::unknown_family(self, family)),
        }
    }

    fn protocol(&self) -> Box<dyn EngineEnd> {
        Box::new(UsiEngine)
    }

    fn side_tags(&self) -> [&'static str; 2] {
        ["Black", "White"]
    }

    fn scale(&self) -> Scale {
        Scale::Centipawns
    }

    fn unit(&self) -> &'static str {
        "centipawns"
    }

    fn full_rules(&self, rules: &str) -> Result<String, NotationError> {
        Ok(rules.to_string())
    }

    fn openings(&self, rules: &str) -> Option<&'static str> {
        rules.is_empty().then_some(OPENINGS)
    }

    fn shuffled_starts(&self) -> Option<&'static ShuffledStarts> {
        None
    }

    fn opening_moves(&self, _: &str) -> Option<fn(&str) -> bool> {
        None
    }

    fn symmetry_key(&self, _: &str) -> Option<String> {
        None
    }

    fn books(&self) -> &'static Books {
        &BOOKS
    }

    fn survey(&self) -> Option<&'static dyn Survey> {
        Some(&ShogiSurvey)
    }

    fn move_words(&self) -> Option<MoveWords> {
        Some(WORDS)
    }

    fn mates(&self) -> Option<&'static dyn Mates> {
        Some(&MATES)
    }

    fn regions(&self) -> Option<&'static dyn Regions> {
        None
    }

    fn rules_test(&self) -> &dyn RulesTest {
        &rules_test::RULES_TEST
    }

    fn benchmark(&self) -> Option<&'static dyn Benchmark> {
        Some(&bench::ShogiBench)
    }

    fn networks(&self) -> Option<&'static dyn Networks> {
        Some(&networks::ShogiNetworks)
    }

    fn nnue(&self) -> Option<&'static dyn NnueNetworks> {
        Some(&nnue::NNUE)
    }

    fn nnue_training(&self) -> Option<&'static dyn NnueTraining> {
        Some(&nnue_training::ShogiNnue)
    }

    fn tuning(&self) -> Option<&'static Tuning> {
        Some(&lessons::TUNING)
    }

    fn explain(&self) -> Option<&'static dyn Explain> {
        Some(&lessons::EXPLAIN)
    }

    fn feature_tables(&self) -> Option<&'static dyn FeatureTables> {
        None
    }

    fn playouts(&self) -> Option<&'static dyn Playouts> {
        None
    }

    fn consoles(&self) -> Option<&'static dyn Consoles> {
        None
    }
}

options! {
    /// Options that only shogi has.
    pub struct ShogiOptions {
        /// The file of the evaluation: weights of the hand-made one, or an efficiently updatable network (NNUE); empty: what the
        /// program is built with.
        eval_file: File = "", "EvalFile";
        /// auto: what EvalFile holds; handmade: the hand-made evaluation even where EvalFile holds a network.
        eval: Choice = "auto" of ["auto", "handmade"], "Eval";
        /// How a king in the enemy camp may declare: 28 or 27 points win, 31 win and 24 draw, it comes to the other king's
        /// square, or not at all.
        declaration: Choice = "27-points" of ["27-points", "24-points", "try", "no-declaration"], "EnteringKingRule";
        /// Resign where the value is this many centipawns below zero or worse; 0: only when mated.
        resign_cp: i32 = 0 in 0..=32000, "ResignValue";
        /// Memory of `go mate` in MiB, taken when it is first asked.
        mate_hash_mib: usize = 64 in 1..=65536, "MateHash";
    }
}

/// The numbers that dlshogi plays shogi with (`C_init` 1.44, `C_base` 28288, `C_fpu_reduction` 0.27), for results in -1..=1
/// instead of 0..=1: twice as large.
pub fn dlshogi_parameters() -> Parameters {
    Parameters { puct: 2.88, puct_growth: 2.0, puct_base: 28288.0, first_play_reduction: 0.54, ..Parameters::default() }
}

impl Handmade for ShogiKit {
    type Game = Shogi;
    type Eval = HandEval;
    type Weights = Weights;
    type PresetEval = HandEval;
    type Inputs = ShogiFeatures;
    type Planes = DlshogiPlanes;
    type Extra = ShogiOptions;

    const CHANCES: Model = wdl;
    const SIDES: [&'static str; 2] = ["Black", "White"];

    fn planes() -> &'static [DlshogiPlanes] {
        &DlshogiPlanes::ALL
    }

    fn net_parameters() -> Parameters {
        dlshogi_parameters()
    }

    fn extra_specs() -> &'static [Spec] {
        ShogiOptions::SPECS
    }

    fn eval_file(extra: &ShogiOptions) -> &str {
        &extra.eval_file
    }

    fn takes_network(extra: &ShogiOptions) -> Result<bool, String> {
        Ok(extra.eval != "handmade")
    }

    fn inputs(architecture: &Architecture) -> Result<ShogiFeatures, NetError> {
        ShogiFeatures::new(architecture)
    }

    fn is_network(head: &[u8]) -> bool {
        Network::is_file(head) || is_yaneuraou(head)
    }

    fn read_network(bytes: &[u8]) -> Result<Network, NetError> {
        if is_yaneuraou(bytes) { read_yaneuraou(bytes) } else { Network::read(bytes) }
    }

    fn builtin(_: &ShogiOptions) -> Weights {
        builtin_weights()
    }

    fn load(_: &ShogiOptions, text: &str, file: &str) -> Result<Weights, WeightsError> {
        load_weights(text, file)
    }

    fn evaluator(weights: Arc<Weights>) -> HandEval {
        HandEval::new(weights)
    }

    fn explain(board: &Board, weights: &Weights) -> Explanation {
        explain(board, weights)
    }

    fn without_each(board: &Board) -> Vec<(String, Board)> {
        let setup = Setup::of(board);
        let pieces = Square::all().filter(|&square| board.at(square).is_some_and(|(_, piece)| piece != Piece::King));
        let left = pieces.filter_map(|square| {
            let mut setup = setup;
            setup.cells[square.index()] = None;
            Some((square.to_string(), setup.board().ok()?))
        });
        left.collect()
    }

    fn diagram(board: &Board) -> String {
        diagram(board)
    }

    fn rules<'a>(extra: &'a ShogiOptions, rules: &'a str) -> &'a str {
        if rules.is_empty() { &extra.declaration } else { rules }
    }

    fn prover() -> Option<Box<dyn Prover<Board>>> {
        Some(Box::new(RootMates::default()))
    }

    fn mate_hash_mib(extra: &ShogiOptions) -> usize {
        extra.mate_hash_mib
    }

    /// Gives a game up whose best line is bad enough.
    fn decide(extra: &ShogiOptions, limits: &Limits, report: &mut Report<String>) {
        let lost = |value: i32| extra.resign_cp > 0 && value <= -extra.resign_cp;
        let plays = matches!(report.choice, Some(Choice::Play(_)));
        if plays && !limits.infinite && report.lines.first().is_some_and(|line| lost(line.value.raw())) {
            report.choice = Some(Choice::Resign);
            report.ponder = None;
        }
    }
}

/// The board as a person sees it, Black below: letters of SFEN, promoted pieces with a plus.
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
        assert_eq!(lines.len(), OPENINGS.lines().filter(|line| !line.starts_with('#')).count());
        assert!(lines.iter().all(|line| SHOGI.table("", Some(line)).is_ok_and(|t| t.outcome().is_none())));
    }
}
