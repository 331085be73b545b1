//! Chess in training of efficiently updatable networks: 64 cells with pieces, and the inputs of networks of chess for them.

use std::{cell::RefCell, sync::OnceLock};
use tesuji_chess::{Board, Change, Chess, Piece, Rules, Square};
use tesuji_chess_eval::{
    HandEval,
    nnue::{ChessFeatures, SHAPES, shape},
};
use tesuji_game::{Game, Notation, Position, Random, Side};
use tesuji_kit::nnue_training::{NnueTraining, after_random_moves, input_table};
use tesuji_kits_shared::nnue::base_value;
use tesuji_nn::{
    NetError,
    nnue::{Architecture, FeatureSet},
};
use tesuji_record::{Fault, Sample};
use tesuji_train::nnue::{BUCKETS, CellLayout, CellPosition, InputTable};

/// Kinds of pieces of one side; values are 1 to 6 for the first side's, 7 to 12 for the second's.
const KINDS: u8 = 6;
/// 64 squares, 32 pieces: records of 32 bytes.
const LAYOUT: CellLayout = CellLayout { cells: 64, counts_from: 64, value_bits: 4, used_max: 32 };

/// See the file.
pub(super) struct ChessNnue;

fn value_of(side: Side, piece: Piece) -> u8 {
    1 + piece.index() as u8 + KINDS * side.index() as u8
}

/// The piece of a value.
fn piece_of(value: u8) -> Option<(Side, Piece)> {
    let value = value.checked_sub(1)?;
    let side = if value < KINDS { Side::First } else { Side::Second };
    (value < 2 * KINDS).then(|| Piece::from_index(usize::from(value % KINDS)).map(|piece| (side, piece)))?
}

/// A board with two kings, that of `side` on `square`; `None` where the other one finds no place.
fn kings(side: Side, square: Square) -> Option<Board> {
    let corner = Square::from_index(if square.index() < 32 { 63 } else { 0 });
    let mut ranks = [[' '; 8]; 8];
    let letters = if side == Side::First { ['K', 'k'] } else { ['k', 'K'] };
    for (square, letter) in [square, corner].into_iter().zip(letters) {
        ranks[square.index() / 8][square.index() % 8] = letter;
    }
    let rank = |rank: &[char; 8]| rank.iter().map(|&c| if c == ' ' { '1' } else { c }).collect::<String>();
    let text: Vec<String> = ranks.iter().rev().map(rank).collect();
    <Chess as Game>::Notation::parse_position(&Rules::default(), &format!("{} w - - 0 1", text.join("/"))).ok()
}

/// Features of any feature set: the choice among sets of output layers is the same for all of them.
fn any_features() -> Option<&'static ChessFeatures> {
    static ANY: OnceLock<Option<ChessFeatures>> = OnceLock::new();
    ANY.get_or_init(|| ChessFeatures::new(&shape(SHAPES[0])?).ok()).as_ref()
}

thread_local! {
    /// The hand-made evaluation of this thread.
    static BASE: RefCell<HandEval> = RefCell::default();
}

/// The board of a sample.
fn board_of(sample: &Sample) -> Result<Board, Fault> {
    let rules: Rules = sample.rules.parse().map_err(|_| Fault::Unsupported("rules other than chess and chess960"))?;
    <Chess as Game>::Notation::parse_position(&rules, &sample.position).map_err(Fault::Position)
}

/// Cells, side to move, output layers and static value of a board.
fn cells_of(board: &Board) -> CellPosition {
    let mut position = CellPosition::default();
    for square in board.occupied() {
        if let (Some(side), Some(piece)) = (board.side_at(square), board.piece_at(square)) {
            position.cells[square.index()] = value_of(side, piece);
        }
    }
    position.base = BASE.with_borrow_mut(|eval| base_value(eval, board));
    position.second_to_move = board.side_to_move() == Side::Second;
    position.bucket = any_features().map_or(0, |features| features.output_bucket(board, BUCKETS)) as u8;
    position
}

impl NnueTraining for ChessNnue {
    fn layout(&self) -> CellLayout {
        LAYOUT
    }

    fn position(&self, sample: &Sample) -> Result<CellPosition, Fault> {
        board_of(sample).map(|board| cells_of(&board))
    }

    fn branch(&self, sample: &Sample, random: &mut Random) -> Result<Option<CellPosition>, Fault> {
        Ok(after_random_moves(board_of(sample)?, random).map(|board| cells_of(&board)))
    }

    fn table(&self, architecture: &Architecture) -> Result<InputTable, NetError> {
        let features = ChessFeatures::new(architecture)?;
        let appear = |cell: usize, value: u8| {
            let (side, piece) = piece_of(value)?;
            Some(Change::Appear { side, piece, square: Square::from_index(cell as u8) })
        };
        let frame = |side: Side, cell: usize| {
            kings(side, Square::from_index(cell as u8)).map_or(0, |board| features.frame(&board, side))
        };
        let kings = Side::ALL.map(|side| value_of(side, Piece::King));
        input_table::<Board, _>(&features, LAYOUT, kings, appear, frame)
    }

    /// Castling is not the same on both sides, and mirrored feature sets know what is.
    fn mirror(&self) -> Option<Vec<u8>> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use tesuji_chess::fen;
    use tesuji_jobs::{Interrupt, Show};
    use tesuji_kit::nnue_training::{NnueDone, NnueRequest, NnueTrainRun, PositionFilters, RunLength, train_nnue};
    use tesuji_nn::nnue::Network;
    use tesuji_record::{GameRecord, RecordFormat, fingerprint};
    use tesuji_train::nnue::PositionsFile;

    /// Random games, seen by the feature sets themselves and through cells.
    #[test]
    fn cells_have_the_inputs_of_positions() {
        let mut random = Random::new(4);
        let tables: Vec<_> = SHAPES
            .iter()
            .map(|name| shape(name).unwrap())
            .map(|shape| (ChessFeatures::new(&shape).unwrap(), ChessNnue.table(&shape).unwrap()))
            .collect();
        let (mut board, mut record) = (Board::start(), Vec::new());
        for _ in 0..600 {
            let moves = board.legal_moves();
            if moves.is_empty() || board.occupied().count() < 4 {
                board = Board::start();
                continue;
            }
            board.play(moves[random.below(moves.len())]);
            let sample = Sample { position: fen::to_string(&board), ..Sample::default() };
            let position = ChessNnue.position(&sample).unwrap();
            assert_eq!(position.second_to_move, board.side_to_move() == Side::Second);
            record.clear();
            LAYOUT.pack(&position, &mut record).unwrap();
            assert_eq!(record.len(), 32);
            for (features, table) in &tables {
                assert_eq!(table.active(&record), Side::ALL.map(|side| features.active(&board, side)));
                assert_eq!(usize::from(position.bucket), features.output_bucket(&board, BUCKETS));
            }
        }
    }

    /// Random games whose moves have the material as their value, and whose winner is who has more in the end.
    fn write_games(path: &Path, count: usize) -> Vec<GameRecord<String>> {
        let worth = |board: &Board, side: Side| -> i32 {
            let piece =
                |piece: Piece| [100, 300, 300, 500, 900, 0][piece.index()] * board.of(side, piece).count() as i32;
            (0..6).filter_map(Piece::from_index).map(piece).sum()
        };
        let mut random = Random::new(9);
        let mut writer = tesuji_chess::sgs::Sgs::EXTENDED.writer(Box::new(std::fs::File::create(path).unwrap()));
        let mut games = Vec::new();
        for _ in 0..count {
            let (mut board, mut game) = (Board::start(), GameRecord::new());
            let balance = |board: &Board| worth(board, Side::First) - worth(board, Side::Second);
            for _ in 0..80 {
                let moves = board.legal_moves();
                let Some(&mv) = moves.get(random.below(moves.len().max(1))) else { break };
                let mut text = String::new();
                <Chess as Game>::Notation::write_move(&board, mv, &mut text).unwrap();
                let node = game.append(tesuji_record::Step::Move(text));
                let own = if board.side_to_move() == Side::First { balance(&board) } else { -balance(&board) };
                game.note_mut(node).value = Some(tesuji_game::Value::cp(own));
                board.play(mv);
            }
            game.outcome = Some(tesuji_record::outcome_of((1 + balance(&board).signum()) as u8));
            writer.write(&game).unwrap();
            games.push(game);
        }
        writer.flush().unwrap();
        games
    }

    fn request(folder: &Path, threads: usize) -> NnueRequest {
        NnueRequest {
            game: "chess".into(),
            games: vec![folder.join("games.sgs")],
            net: "chess-768x32".into(),
            out: folder.join("net.nnue"),
            epochs: 6.0,
            batch: Some(256),
            rate: 0.004,
            warm_up: Some(1000),
            held_out: 0.2,
            validate_every: Some(4000),
            threads,
            ..NnueRequest::default()
        }
    }

    fn run(request: &NnueRequest) -> Result<(NnueDone, String), String> {
        let (interrupt, mut told) = (Interrupt::new(), String::new());
        let mut news = |news: tesuji_kit::nnue_training::NnueNews<'_>| told.push_str(&format!("{news:?}\n"));
        let mut run = NnueTrainRun {
            made_by: "a test".into(),
            command: "none".into(),
            show: Show::Quiet,
            interrupt: &interrupt,
            news: &mut news,
        };
        let done = train_nnue(request, &crate::CHESS, &mut run).map_err(|error| error.to_string())?;
        Ok((done, told))
    }

    /// Games in, a network out, the same for any number of threads; another run takes the positions that are there.
    #[test]
    fn games_become_a_network() {
        let folder = tempfile::tempdir().unwrap();
        let games = write_games(&folder.path().join("games.sgs"), 150);
        let (done, told) = run(&request(folder.path(), 1)).unwrap();
        let losses: Vec<f64> = done.log.iter().filter(|entry| entry.rate.is_none()).map(|entry| entry.loss).collect();
        assert!(losses.last().unwrap() < &(0.9 * losses[0]), "{losses:?}");
        assert!(told.contains(" of 150 games: ") && !done.stopped, "{told}");
        let held = games
            .iter()
            .filter(|game| tesuji_dataset::is_held_out(fingerprint(game), tesuji_dataset::HELD_OUT_SEED, 0.2));
        let positions = PositionsFile::open(&folder.path().join("net.positions")).unwrap();
        let header = positions.header();
        assert!(held.count() > 10 && header.held_out * 2 < header.training, "{header:?}");
        let bytes = std::fs::read(folder.path().join("net.nnue")).unwrap();
        let network = Network::read(&bytes).unwrap();
        assert!(network.origin["data"].contains("games.sgs (") && network.architecture.width == 32);
        // A queen more is worth something.
        let features = ChessFeatures::new(&network.architecture).unwrap();
        let parse = |text| <Chess as Game>::Notation::parse_position(&Rules::default(), text).unwrap();
        let value = |text| {
            let board = parse(text);
            network.value(&features.active(&board, Side::First), &features.active(&board, Side::Second), 0)
        };
        let even = value("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        let ahead = value("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        assert!(ahead > even + 100, "{even} {ahead}");

        let checkpoint = std::fs::read(folder.path().join("net.checkpoint")).unwrap();
        std::fs::remove_file(folder.path().join("net.checkpoint")).unwrap();
        assert!(run(&request(folder.path(), 1)).unwrap_err().contains("net.nnue: this file exists"));
        for name in ["net.nnue", "net.log"] {
            std::fs::remove_file(folder.path().join(name)).unwrap();
        }
        let (_, told) = run(&request(folder.path(), 3)).unwrap();
        assert!(told.starts_with("Reused("), "{told}");
        assert!(std::fs::read(folder.path().join("net.checkpoint")).unwrap() == checkpoint);
    }

    /// A network that corrects the hand-made evaluation takes its weights along, begins where it stands, and learns the rest.
    #[test]
    fn a_network_learns_what_the_evaluation_lacks() {
        let folder = tempfile::tempdir().unwrap();
        write_games(&folder.path().join("games.sgs"), 150);
        let rest = NnueRequest { net: "chess-768m-64x8-residual".into(), ..request(folder.path(), 2) };
        let (done, _) = run(&rest).unwrap();
        let plain = NnueRequest {
            net: "chess-768m-128x8".into(),
            games: Vec::new(),
            prepared: Some(folder.path().join("net.positions")),
            out: folder.path().join("plain.nnue"),
            ..request(folder.path(), 2)
        };
        let (without, _) = run(&plain).unwrap();
        let (first, last) = (done.log[0].loss, done.validation.unwrap().loss);
        assert!(first < without.log[0].loss && last < first, "{first} {last}, without {}", without.log[0].loss);
        let network = Network::read(&std::fs::read(folder.path().join("net.nnue")).unwrap()).unwrap();
        assert_eq!(network.base, tesuji_chess_eval::WEIGHTS_JSON);
        let refused = |request: NnueRequest, words: &str| {
            let error = run(&request).unwrap_err();
            assert!(error.contains(words) && !error.contains('\n'), "{error}");
        };
        refused(NnueRequest { score_scale: 300.0, ..rest.clone() }, "score_scale 300: expected 400, the scale of");
        let card = NnueRequest { device: "cuda:0".parse().unwrap(), ..rest };
        refused(card, "such networks are trained on the processor alone");
    }

    /// Single positions, everything kept, begun with the weights of another run.
    #[test]
    fn other_filters_keep_more() {
        let folder = tempfile::tempdir().unwrap();
        write_games(&folder.path().join("games.sgs"), 60);
        run(&request(folder.path(), 1)).unwrap();
        let all = NnueRequest {
            out: folder.path().join("all.nnue"),
            from: Some(folder.path().join("net.checkpoint")),
            filters: PositionFilters {
                first_plies: 0,
                score_max: 30_000,
                checks: true,
                captures: true,
                duplicates: true,
                run: RunLength(1),
                branches: 2,
            },
            result_share: [0.0, 1.0],
            ..request(folder.path(), 2)
        };
        let (done, told) = run(&all).unwrap();
        // The last position of a game has no move, and no score.
        assert!(told.contains(", 60 filtered out, 0 duplicates"), "{told}");
        // Two branches of each position that is learned from, and none of those held out.
        let of = |name: &str| PositionsFile::open(&folder.path().join(name)).unwrap().header().clone();
        let (held, learned) = (of("all.positions").held_out, of("all.positions").training);
        let read = told.split(|c: char| !c.is_ascii_digit()).find_map(|word| word.parse::<u64>().ok()).unwrap();
        // Where the game ends within the random moves there is no branch.
        let natural = read - 60 - held;
        assert!((2 * natural..=3 * natural).contains(&learned) && learned > 2 * natural + natural / 2, "{told}");
        let afresh = NnueRequest { from: None, out: folder.path().join("afresh.nnue"), ..all.clone() };
        let (afresh, _) = run(&afresh).unwrap();
        let (begun, random) = (done.log[0].loss, afresh.log[0].loss);
        assert!(begun < random, "it begins with what the other run learned: {begun}, from random numbers {random}");
        // The net itself knows what its checkpoint knows, but for what was rounded.
        let by_net =
            NnueRequest { from: Some(folder.path().join("net.nnue")), out: folder.path().join("n.nnue"), ..all };
        let (done, _) = run(&by_net).unwrap();
        assert!((done.log[0].loss - begun).abs() < begun / 100.0, "{} {begun}", done.log[0].loss);
        let wider = NnueRequest { net: "chess-768x64".into(), out: folder.path().join("w.nnue"), ..by_net };
        for from in ["net.nnue", "net.checkpoint"] {
            let error = run(&NnueRequest { from: Some(folder.path().join(from)), ..wider.clone() }).unwrap_err();
            assert!(error.contains("of another shape") && error.contains(from), "{error}");
        }
        std::fs::write(folder.path().join("bad.nnue"), b"tsjnnue\n1").unwrap();
        let error = run(&NnueRequest { from: Some(folder.path().join("bad.nnue")), ..wider }).unwrap_err();
        assert!(error.contains("bad.nnue: the file is truncated"), "{error}");
    }

    #[test]
    fn what_cannot_be_learned_from_says_why() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.pgn"), "[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n").unwrap();
        std::fs::write(folder.path().join("bad.pgn"), "[Result \"1-0\"]\n\n1. e4 Ke3 1-0\n").unwrap();
        let with = |name: &str| NnueRequest { games: vec![folder.path().join(name)], ..request(folder.path(), 1) };
        let refused = |request: NnueRequest, words: &str| {
            let error = run(&request).unwrap_err();
            assert!(error.contains(words) && !error.contains('\n'), "{error}");
        };
        refused(with("a.pgn"), "nothing to learn from or to judge by: 5 positions of 1 games: 0 to learn from");
        refused(with("bad.pgn"), "bad.pgn");
        refused(with("none.sgs"), "none.sgs: No such file");
        refused(with("a.psv"), "No such file");
        refused(NnueRequest { mirror: true, ..with("a.pgn") }, "mirror true: a mirrored board is worth something else");
        refused(NnueRequest { net: "wide".into(), ..with("a.pgn") }, "expected a TOML file, or one of chess-768x32");
        std::fs::write(folder.path().join("net.positions"), "precious").unwrap();
        refused(with("a.pgn"), "net.positions: no file of positions for training");
        assert_eq!(std::fs::read(folder.path().join("net.positions")).unwrap(), b"precious");
    }
}
