//! Packed training data against the crates that define it, and positions with results in lines.

use crate::data::{random_game, random_moves};
use crate::records::{games as read_all, written_bytes};
use std::time::Duration;
use tesuji_chess::labelled::{Labelled, parse};
use tesuji_chess::packed::{Bullet, Viri};
use tesuji_chess::{Board, Chess, ChessSurvey, Rules, fen, fuzz};
use tesuji_game::{By, FirstSide, Game, Outcome, Random, Side, Value};
use tesuji_record::{GameRecord, RecordFormat, Sample, SampleFormat, Survey};
use viriformat::chess::board::{DrawType, GameOutcome, WinType};
use viriformat::dataformat::Game as TheirGame;

/// A Chess960 start and one with everything on its first move.
const STARTS: [(&str, bool); 3] = [
    ("bnrkrqnb/pppppppp/8/8/8/8/PPPPPPPP/BNRKRQNB w KQkq - 0 1", true),
    ("r3k2r/pP1pqpb1/bn2pnp1/2pPN3/1p2P3/2N2Q1p/P1PBBPPP/R3K2R w KQkq c6 3 12", false),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", false),
];

/// A random game with scores, as a record.
fn game(index: usize, random: &mut Random) -> GameRecord<String> {
    let (text, chess960) = STARTS[index % STARTS.len()];
    let rules = Rules { chess960, ..Rules::default() };
    let start = fen::parse(text, &rules, fen::Care::Lenient).unwrap();
    let text = (start != Chess::start(&rules)).then_some(text);
    let moves = random_moves(start, 60, random);
    let mut record = GameRecord::from_moves(&rules.to_string(), text, moves);
    for node in record.main_nodes() {
        record.note_mut(node).value = Some(Value::cp(random.below(2001) as i32 - 1000));
    }
    let winner = [Some(Side::First), None, Some(Side::Second)][random.below(3)];
    record.outcome = Some(Outcome { winner, by: By::Adjudication });
    record
}

fn outcome(record: &GameRecord<String>) -> GameOutcome {
    match record.outcome.unwrap().winner {
        Some(Side::First) => GameOutcome::WhiteWin(WinType::Adjudication),
        Some(Side::Second) => GameOutcome::BlackWin(WinType::Adjudication),
        None => GameOutcome::Draw(DrawType::Adjudication),
    }
}

#[test]
fn viriformat_equals_the_crate_that_defines_it() {
    let mut random = Random::new(7);
    for index in 0..60 {
        let record = game(index, &mut random);
        let bytes = written_bytes(&Viri, std::slice::from_ref(&record));
        let theirs = TheirGame::deserialise_from(&mut bytes.as_slice(), Vec::new()).unwrap();
        assert_eq!(theirs.len(), record.plies());
        // Made by them from the same moves, byte for byte.
        let mut board = theirs.initial_position();
        let mut made = TheirGame::new(&board);
        let mut scores = Vec::new();
        for (mv, score) in theirs.into_move_buffer() {
            assert!(board.legal_moves().contains(&mv));
            made.add_move(mv, score.get());
            scores.push(score.get());
            board.make_move_simple(mv);
        }
        made.set_outcome(outcome(&record));
        let mut again = Vec::new();
        made.serialise_into(&mut again).unwrap();
        assert_eq!(again, bytes, "game {index}");
        // Their board agrees with ours after the last move.
        let samples = samples_of(&record);
        assert_eq!(placement(&board.to_string()), placement(&samples.last().unwrap().position));
        assert_eq!(scores, samples.iter().filter_map(|s| s.score.map(|score| score.0)).collect::<Vec<_>>());
        let mut back = read_all(&Viri, bytes.clone());
        // Where the last position explains the result, that is the reason.
        assert_eq!(back[0].outcome.unwrap().winner, record.outcome.unwrap().winner);
        back[0].outcome = record.outcome;
        assert_eq!(back, [record]);
    }
}

fn placement(fen: &str) -> &str {
    fen.split(' ').next().unwrap()
}

fn samples_of(record: &GameRecord<String>) -> Vec<Sample> {
    let mut samples = Vec::new();
    ChessSurvey.samples(record, &mut samples).unwrap();
    samples
}

/// The example of the format's documentation; its half bytes stand there in reading order, here as in the files.
#[test]
fn the_documented_game_is_read_and_written() {
    let text = "ffff00000000ffff 1642256100000000 888888889ecaade9 40 00 0100 0000 02 00 \
                0c070a00 34091400 c309e2ff 3c0dff7f 2709ff7f 00000000";
    let hex: String = text.split_whitespace().collect();
    let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect();
    let games = read_all(&Viri, bytes.clone());
    assert_eq!(games.len(), 1);
    assert_eq!(games[0].main_line(), ["e2e4", "e7e5", "d1h5", "e8e7", "h5e5"]);
    assert_eq!(games[0].outcome, Some(Outcome::win(Side::First, By::Mate)));
    assert_eq!(games[0].note(2).value, Some(Value::cp(-20)));
    // 32,767 is beyond every value of ours and becomes the largest, a mate.
    assert!(games[0].note(5).value.unwrap().is_mate());
    let again = written_bytes(&Viri, &games);
    assert_eq!(again[..44], bytes[..44]);
}

/// Two rooks on one side of the king that may castle were read as Chess960 and written back as chess.
#[test]
fn a_second_rook_that_may_castle_on_one_side_is_refused() {
    let head = "ffff00000000ffff 1642656100000000 888888889ecaade9 40 00 0100 0000 02 00 00000000";
    let hex: String = head.split_whitespace().collect();
    let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect();
    let error = Viri.reader(Box::new(std::io::Cursor::new(bytes))).read().unwrap_err().to_string();
    assert!(error.ends_with("expected one rook that may castle on each side of a king, found `f1`"), "{error}");
}

#[test]
fn bulletformat_equals_the_crate_that_defines_it() {
    let mut random = Random::new(8);
    for (text, _) in STARTS {
        for (i, (board, _)) in random_game(start(text), 120, &mut random).into_iter().enumerate() {
            let sample = Sample {
                rules: Rules { chess960: board.is_chess960(), ..Rules::default() }.to_string(),
                position: fen::to_string(&board),
                score: Some(FirstSide(random.below(4001) as i16 - 2000)),
                half_points: Some(i as u8 % 3),
                ..Sample::default()
            };
            let mut bytes = Vec::new();
            Bullet.write(&sample, &mut bytes).unwrap();
            let mut line = Vec::new();
            Labelled::TEXT.write(&sample, &mut line).unwrap();
            let theirs: bulletformat::ChessBoard = String::from_utf8(line).unwrap().trim().parse().unwrap();
            assert_eq!(bytes, memory_of(&theirs), "{sample:?}");
            let back = parse_all(&Bullet, &bytes);
            assert_eq!((back[0].score, back[0].half_points), (Some(FirstSide(theirs.score)), Some(theirs.result)));
            let mut again = Vec::new();
            Bullet.write(&back[0], &mut again).unwrap();
            assert_eq!(again, bytes);
        }
    }
}

/// The record as it lies in files.
fn memory_of(board: &bulletformat::ChessBoard) -> Vec<u8> {
    let mut bytes = board.occ.to_le_bytes().to_vec();
    bytes.extend(board.pcs);
    bytes.extend(board.score.to_le_bytes());
    bytes.extend([board.result, board.ksq, board.opp_ksq]);
    bytes.extend(board.extra);
    bytes
}

fn start(text: &str) -> Board {
    fen::parse(text, &Rules { chess960: true, ..Rules::default() }, fen::Care::Lenient).unwrap()
}

fn parse_all(format: &dyn SampleFormat, bytes: &[u8]) -> Vec<Sample> {
    let mut all = Vec::new();
    format.read(bytes, &mut |sample| all.push(sample.unwrap()));
    all
}

#[test]
fn broken_records_name_their_index() {
    let mut random = Random::new(9);
    let good = game(1, &mut random);
    let bytes = written_bytes(&Viri, &[good.clone(), good.clone(), good]);
    let each = bytes.len() / 3;
    let mut bent = bytes.clone();
    bent[each + 30] = 3;
    let mut reader = Viri.reader(Box::new(std::io::Cursor::new(bent)));
    assert!(reader.read().unwrap().is_some());
    let error = reader.read().unwrap_err();
    assert_eq!(error.to_string(), "game 2: expected a result of 0, 1 or 2, found `3`");
    assert!(reader.read().unwrap().is_some() && reader.read().unwrap().is_none());
    let mut torn = Viri.reader(Box::new(std::io::Cursor::new(bytes[..each + 50].to_vec())));
    assert!(torn.read().unwrap().is_some());
    let error = torn.read().unwrap_err();
    assert!(error.is_fatal() && error.to_string().contains("game 2: the file ends in the middle of a game"), "{error}");

    let mut positions = Vec::new();
    for _ in 0..3 {
        Bullet.write(&parse("4k3/8/8/8/8/8/8/4K2R b - - 0 1 | 480 | 1.0").unwrap(), &mut positions).unwrap();
    }
    positions[32 + 27] ^= 1;
    let mut errors = Vec::new();
    Bullet.read(&positions[..95], &mut |read| errors.extend(read.err().map(|e| e.to_string())));
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(errors[0].starts_with("game 2: expected the squares of the kings, found"), "{errors:?}");
    assert!(errors[1].starts_with("game 3: expected a whole record of 32 bytes"), "{errors:?}");
}

#[track_caller]
fn check(line: &str, labels: (Option<i16>, Option<u8>, Option<u32>, &str)) {
    let sample = parse(line).unwrap_or_else(|e| panic!("{line}: {e}"));
    let score = sample.score.map(|FirstSide(score)| score);
    assert_eq!((score, sample.half_points, sample.plies_left, sample.mv.as_str()), labels, "{line}");
}

#[test]
fn lines_of_all_shapes_are_read() {
    let kings = "4k3/8/8/8/8/8/8/4K2R b K - 0 1";
    check(&format!("{kings} | -31 | 0.5"), (Some(-31), Some(1), None, ""));
    check(&format!("{kings}|7|1-0| more"), (Some(7), Some(2), None, ""));
    check(&format!("{kings} | | 0"), (None, Some(0), None, ""));
    check(&format!("1/2-1/2 12 {kings}"), (None, Some(1), Some(12), ""));
    check(&format!("{kings} sm Kd7; ce 31; c9 \"0-1\";"), (Some(-31), Some(0), None, "e8d7"));
    check(&format!("{kings} [0.5] 31"), (None, Some(1), None, ""));
    check("4k3/8/8/8/8/8/8/4K2R b K - c9 \"1-0\";", (None, Some(2), None, ""));
    check(&format!("{kings} c9 \"a remark\";"), (None, None, None, ""));
    check(kings, (None, None, None, ""));
    for bad in ["x | 1 | 1.0", "4k3/8/8/8/8/8/8/4K2R b - - 0 1 | x | 1.0", "4k3/8/8/8/8/8/8/4K2R b - - 0 1 | 1 | 2.0"] {
        assert!(parse(bad).is_err(), "{bad}");
    }
    assert!(parse("1-0 x 4k3/8/8/8/8/8/8/4K2R b - - 0 1").is_err());
}

#[test]
fn positions_join_to_the_games_they_came_from() {
    let mut random = Random::new(10);
    for index in 0..30 {
        let mut record = game(index, &mut random);
        record.set_tag("Origin", "a test");
        let samples = samples_of(&record);
        assert_eq!(samples.len(), record.plies() + 1);
        assert!(samples.iter().all(|s| s.game == samples[0].game && ChessSurvey.look(s).is_ok()));
        let mut back = Vec::new();
        ChessSurvey.games(&samples, &mut back).unwrap();
        // Why a game ended is not in positions: what the last of them says stands for it.
        back[0].outcome = record.outcome;
        assert_eq!(back, [record]);
        // Without one in the middle they are two games.
        let (mut gone, mut two) = (samples, Vec::new());
        gone.remove(gone.len() / 2);
        ChessSurvey.games(&gone, &mut two).unwrap();
        assert_eq!(two.len(), 2);
    }
}

#[test]
fn bent_packed_files_do_no_harm() {
    let mut random = Random::new(11);
    let games: Vec<_> = (0..3).map(|i| game(i, &mut random)).collect();
    let viri = written_bytes(&Viri, &games);
    let mut bullet = Vec::new();
    for sample in games.iter().flat_map(samples_of).filter(|s| s.score.is_some()) {
        Bullet.write(&sample, &mut bullet).unwrap();
    }
    let time = Duration::from_millis(300);
    let run = tesuji_testkit::fuzz::run_bytes;
    run("chess::viri", fuzz::viri, std::slice::from_ref(&viri), 31, time);
    run("chess::bullet", fuzz::bullet, &[bullet[..320].to_vec()], 31, time);
    let lines =
        b"4k3/8/8/8/8/8/8/4K2R b K - 0 1 | -31 | 0.5\n1-0 3 4k3/8/8/8/8/8/8/4K2R w K - sm O-O; ce 3; c9 \"1-0\";\n";
    run("chess::labelled", fuzz::labelled, &[lines.to_vec()], 31, time);
    run("chess::cuts", fuzz::cuts, &[viri, b"game W -\n[A \"b\"]\n\n1. e4 *\n\n[A \"c\"]\n".to_vec()], 31, time);
}

/// A rook marked on g7 got a right to castle, and the game was read as Chess960.
#[test]
fn a_rook_off_its_first_rank_has_no_right_to_castle() {
    let mut record = GameRecord::from_moves("", None, ["e2e4".to_string()]);
    record.outcome = Some(Outcome::draw(By::Adjudication));
    let mut bytes = written_bytes(&Viri, &[record]);
    // Half bytes in the order of squares: the 22nd piece from a1 stands on g7.
    let pair = &mut bytes[8 + 22 / 2];
    *pair = *pair & 0xF0 | 14;
    let error = Viri.reader(Box::new(std::io::Cursor::new(bytes))).read().unwrap_err().to_string();
    assert!(error.contains("a rook that may castle on its king's first rank"), "{error}");
}
