//! Chess: its rules, hand-made evaluation and its searches as a kit, with the options that only chess has.

mod bench;
mod books;
mod features;
mod greko;
mod greko_console;
mod greko_learn;
mod greko_log;
mod leaf;
pub mod lessons;
mod margins;
mod nnue;
mod nnue_training;
pub mod quiescence;
mod rules_test;
mod sofcheck;
mod syzygy;
mod traced;

use books::BOOKS;
pub use greko_learn::{GrekoLearning, learn_as_greko};
pub use greko_log::GrekoDiary;
use std::sync::{Arc, OnceLock};
use syzygy::Tables;
use tesuji_chess::{
    Board, Chess, ChessSurvey, Piece, Square, WHITE,
    epd::EpdFile,
    fen::{self, Care},
    packed::{Binpack, Viri},
    pgn::{Pgn, PgnEval},
    sgs::Boards,
    sgs::Sgs,
};
use tesuji_chess_eval::nnue::{ChessFeatures, NETWORK};
use tesuji_chess_eval::{ChessEval, ChessWeights, DelphiEval, EvalKind, explain_delphi, mop_up, wdl};
use tesuji_dataset::searched::MoveWords;
use tesuji_engine::{Player, Scale, Weakened};
use tesuji_game::NotationError;
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
    handmade::{ByAlphaBeta, ByBestFirst, ByTree, Handmade, NetOf, Probe, net_of},
    net::NoPlanes,
};
use tesuji_nn::{NetError, nnue::Architecture};
use tesuji_options::{Spec, options};
use tesuji_protocol::{EngineEnd, uci::UciEngine};
use tesuji_record::{AnyGame, HasDoor, Of, Survey, of};
use tesuji_tally::{Explanation, WeightsError};

/// The kit of chess.
pub static CHESS: ChessKit = ChessKit;

/// Rules and records.
/// Plies measured between engines: 105 (depth 1), 106 to 115 (few nodes), 125 (depth 4).
static DOOR: Of<Chess> =
    of(&[&Sgs::EXTENDED, &Pgn, &EpdFile, &Viri, &Boards, &Sgs::PLAIN, &Binpack, &PgnEval]).lasting(115.0);

/// Balanced openings that `tesuji match` plays when it is given none; its first line says what made them.
const OPENINGS: &str = include_str!("../data/openings-chess.epd");
/// The settings with which the engine plays at a given rating.
const LADDER: &str = include_str!("../data/strength-chess.txt");

/// Its mates by checks.
static MATES: MatesOf<Chess> = MatesOf::new();

/// The start positions of Chess960.
static SHUFFLED: ShuffledStarts = ShuffledStarts {
    rules: "chess960",
    count: tesuji_chess::chess960::STARTS,
    position: tesuji_chess::chess960::start,
};

/// Chess and Chess960.
pub struct ChessKit;

impl HasDoor for ChessKit {
    fn door(&self) -> &'static dyn AnyGame {
        &DOOR
    }
}

impl Kit for ChessKit {
    fn families(&self) -> &'static [&'static str] {
        &["alpha-beta", "mcts", "best-first"]
    }

    fn player(&self, family: &str) -> Result<Box<dyn Player>, KitError> {
        match family {
            "" | "alpha-beta" => {
                let ladder =
                    LADDER.parse().map_err(|error| KitError::Failed(format!("strength-chess.txt: {error}")))?;
                Ok(Box::new(Booked::new(&DOOR, &BOOKS, Weakened::new(ByAlphaBeta::<ChessKit>::default(), ladder))))
            }
            // Its strength at this many nodes was never measured: no ladder.
            "mcts" => Ok(Box::new(Booked::new(&DOOR, &BOOKS, ByTree::<ChessKit>::default()))),
            "best-first" => Ok(Box::new(Booked::new(&DOOR, &BOOKS, ByBestFirst::<ChessKit>::default()))),
            _ => Err(KitError::unknown_family(self, family)),
        }
    }

    fn protocol(&self) -> Box<dyn EngineEnd> {
        Box::new(UciEngine)
    }

    fn side_tags(&self) -> [&'static str; 2] {
        ["White", "Black"]
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
        rules.parse::<tesuji_chess::Rules>().is_ok_and(|rules| !rules.chess960).then_some(OPENINGS)
    }

    fn shuffled_starts(&self) -> Option<&'static ShuffledStarts> {
        Some(&SHUFFLED)
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
        Some(&ChessSurvey)
    }

    fn move_words(&self) -> Option<MoveWords> {
        None
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
        Some(&bench::ChessBench)
    }

    fn networks(&self) -> Option<&'static dyn Networks> {
        None
    }

    fn nnue(&self) -> Option<&'static dyn NnueNetworks> {
        Some(&nnue::NNUE)
    }

    fn nnue_training(&self) -> Option<&'static dyn NnueTraining> {
        Some(&nnue_training::ChessNnue)
    }

    fn tuning(&self) -> Option<&'static Tuning> {
        Some(&lessons::TUNING)
    }

    fn explain(&self) -> Option<&'static dyn Explain> {
        Some(&lessons::EXPLAIN)
    }

    fn feature_tables(&self) -> Option<&'static dyn FeatureTables> {
        Some(&features::ChessFeatures)
    }

    fn playouts(&self) -> Option<&'static dyn Playouts> {
        None
    }

    fn consoles(&self) -> Option<&'static dyn Consoles> {
        Some(&greko_console::GrekoConsoles)
    }
}

options! {
    /// Options that only chess has.
    pub struct ChessOptions {
        /// Chess960: castling is written as the king taking its own rook.
        chess960: bool = false, "UCI_Chess960";
        /// The file of the evaluation: weights of the hand-made one, SoFCheck's features.json, GreKo's weights.txt, or an efficiently updatable
        /// network (NNUE), known by what the file holds; empty: what the program is built with.
        eval_file: File = "", "EvalFile";
        /// auto: what EvalFile holds; where it is empty, alpha-beta plays by the network that the program is built with, the other searches by the
        /// hand-made evaluation; handmade: that evaluation even where EvalFile holds a network; nnue: the
        /// network of EvalFile (empty: the one that the program is built with); sofcheck, greko: the evaluation of
        /// SoFCheck or of GreKo, of which EvalFile must be (empty: piece values alone, GreKo's weights before learning).
        eval: Choice = "auto" of ["auto", "handmade", "nnue", "sofcheck", "greko"], "Eval";
        /// Folders of Syzygy endgame tables, separated by `:`; empty: none.
        syzygy_path: Folders = "", "SyzygyPath";
    }
}

/// The choice of a network.
const NNUE: &str = "nnue";
/// The choice of what the file holds.
const AUTO: &str = "auto";

/// The evaluation that `Eval` asks for; `None`: that of the file.
fn kind_of(extra: &ChessOptions) -> Option<EvalKind> {
    extra.eval.parse().ok()
}

/// The end of an error about a file of another kind than `Eval` says.
fn as_eval_says(extra: &ChessOptions) -> String {
    format!("Eval={} takes no other file, Eval=auto takes each for what it is", extra.eval)
}

impl Handmade for ChessKit {
    type Game = Chess;
    type Eval = ChessEval;
    type Weights = ChessWeights;
    type PresetEval = DelphiEval;
    type Inputs = ChessFeatures;
    type Planes = NoPlanes;
    type Extra = ChessOptions;

    const CHANCES: Model = wdl;
    const SIDES: [&'static str; 2] = ["White", "Black"];

    fn extra_specs() -> &'static [Spec] {
        ChessOptions::SPECS
    }

    fn eval_file(extra: &ChessOptions) -> &str {
        &extra.eval_file
    }

    fn takes_network(extra: &ChessOptions) -> Result<bool, String> {
        match kind_of(extra) {
            Some(kind @ (EvalKind::Sofcheck | EvalKind::Greko)) => {
                Err(format!("expected {kind}, found a network; {}", as_eval_says(extra)))
            }
            kind => Ok(kind.is_none()),
        }
    }

    fn builtin_network(extra: &ChessOptions, is_stronger: bool) -> Option<&'static NetOf<Self>> {
        static BUILTIN: OnceLock<NetOf<ChessKit>> = OnceLock::new();
        let is_asked_for = extra.eval == NNUE || is_stronger && extra.eval == AUTO;
        is_asked_for.then(|| BUILTIN.get_or_init(|| net_of::<Self>(NETWORK).expect("a test has read it")))
    }

    fn takes_weights(extra: &ChessOptions) -> Result<(), String> {
        match extra.eval == NNUE {
            true => Err(format!("expected a network, found something else; {}", as_eval_says(extra))),
            false => Ok(()),
        }
    }

    fn inputs(architecture: &Architecture) -> Result<ChessFeatures, NetError> {
        ChessFeatures::new(architecture)
    }

    fn builtin(extra: &ChessOptions) -> ChessWeights {
        ChessWeights::builtin(kind_of(extra).unwrap_or(EvalKind::Handmade))
    }

    fn load(extra: &ChessOptions, text: &str, file: &str) -> Result<ChessWeights, WeightsError> {
        let kind = kind_of(extra);
        let is_other = kind.is_some_and(|wanted| wanted != EvalKind::meant(text, kind));
        ChessWeights::load(text, file, kind).map_err(|error| match error {
            WeightsError::Format { file, reason } if is_other => {
                WeightsError::Format { file, reason: format!("{reason}; {}", as_eval_says(extra)) }
            }
            error => error,
        })
    }

    fn knows_all(board: &Board) -> bool {
        mop_up(board) != 0
    }

    fn evaluator(weights: Arc<ChessWeights>) -> ChessEval {
        weights.evaluator()
    }

    fn remembered(text: String) -> String {
        let fields: Vec<&str> = text.split(' ').take(4).collect();
        fields.join(" ") + " 0 1"
    }

    fn preset_evaluator() -> Option<DelphiEval> {
        Some(DelphiEval)
    }

    fn explain_preset(board: &Board) -> Option<String> {
        Some(explain_delphi(board).to_string())
    }

    fn explain(board: &Board, weights: &ChessWeights) -> Explanation {
        weights.explain(board)
    }

    fn without_each(board: &Board) -> Vec<(String, Board)> {
        let text = fen::to_string(board);
        let rules = if board.is_chess960() { "chess960".parse() } else { "".parse() }.unwrap_or_default();
        let pieces = Square::all().filter(|&square| board.piece_at(square).is_some_and(|piece| piece != Piece::King));
        let left = pieces.filter_map(|square| {
            let (pieces, rest) = text.split_once(' ')?;
            let pieces = emptied(pieces, square);
            let parsed = fen::parse(&format!("{pieces} {rest}"), &rules, Care::Lenient).ok();
            Some((square.to_string(), parsed?))
        });
        left.collect()
    }

    fn diagram(board: &Board) -> String {
        diagram(board)
    }

    fn rules<'a>(extra: &'a ChessOptions, rules: &'a str) -> &'a str {
        if rules.is_empty() && extra.chess960 { "chess960" } else { rules }
    }

    fn carry_out(key: &str, extra: &ChessOptions) -> Result<Option<Probe<Board>>, String> {
        Ok(match (key, extra.syzygy_path.as_str()) {
            ("syzygy_path", "") => Some(None),
            ("syzygy_path", path) => Some(Some(Arc::new(Tables::open(path)?))),
            _ => None,
        })
    }
}

/// The pieces of a FEN without the one on `square`.
fn emptied(pieces: &str, square: Square) -> String {
    let mut ranks: Vec<Vec<char>> = Vec::new();
    for rank in pieces.split('/') {
        let cells = rank.chars().flat_map(|c| match c.to_digit(10) {
            Some(empty) => vec![' '; empty as usize],
            None => vec![c],
        });
        ranks.push(cells.collect());
    }
    if let Some(cell) = ranks.get_mut(7 - square.index() / 8).and_then(|rank| rank.get_mut(square.index() % 8)) {
        *cell = ' ';
    }
    let written = ranks.iter().map(|rank| rank.iter().map(|&c| if c == ' ' { '1' } else { c }).collect::<String>());
    written.collect::<Vec<_>>().join("/")
}

/// The board as a person sees it, White below.
fn diagram(board: &Board) -> String {
    let mut text = String::from("+---+---+---+---+---+---+---+---+\n");
    for rank in (0..8).rev() {
        for file in 0..8 {
            let square = Square::new(file, rank);
            let letter = match (board.piece_at(square), board.side_at(square)) {
                (Some(piece), Some(side)) => {
                    let letter = ['p', 'n', 'b', 'r', 'q', 'k'][piece.index()];
                    if side == WHITE { letter.to_ascii_uppercase() } else { letter }
                }
                _ => ' ',
            };
            text += &format!("| {letter} ");
        }
        text += &format!("| {}\n+---+---+---+---+---+---+---+---+\n", rank + 1);
    }
    text + "  a   b   c   d   e   f   g   h\n\n"
}
