//! How games end and what the rules forbid, case by case.

use tesuji_game::{By, Game, Line, Notation, Outcome, Position, Side};
use tesuji_shogi::{Board, Declaration, HANDICAPS, Rules, Shogi, UsiNotation, sfen};

fn board(sfen: &str) -> Board {
    sfen::parse(sfen).unwrap_or_else(|e| panic!("{sfen}: {e}"))
}

fn line(sfen: &str, moves: &str) -> Line<Board> {
    let mut line = Line::new(board(sfen));
    for word in moves.split_ascii_whitespace() {
        let mv = UsiNotation::parse_move(line.here(), word).unwrap_or_else(|e| panic!("{word} in {sfen}: {e}"));
        line.push(mv);
    }
    line
}

/// `cycle` is played three times: only then the rule book ends the game, and a search at once after the first.
#[track_caller]
fn check_cycle(sfen: &str, cycle: &str, expect: Outcome) {
    let twice = [cycle; 2].join(" ");
    assert_eq!(line(sfen, cycle).ended(0), Some(expect), "on the path of a search");
    assert_eq!(line(sfen, cycle).ended(1), None, "before the root of a search");
    assert_eq!(line(sfen, &twice).outcome(), None, "after three times");
    assert_eq!(line(sfen, &[cycle; 3].join(" ")).outcome(), Some(expect), "after four times");
}

#[test]
fn fourfold_repetition_is_a_draw() {
    check_cycle(sfen::START, "2h3h 8b7b 3h2h 7b8b", Outcome::draw(By::Repetition));
}

#[test]
fn perpetual_check_loses() {
    let white_wins = Outcome::win(Side::Second, By::Repetition);
    check_cycle("7k1/9/9/9/8R/9/9/9/4K4 b - 1", "1e2e 2a1a 2e1e 1a2a", white_wins);
    check_cycle("8k/9/9/9/8R/9/9/9/4K4 w - 1", "1a2a 1e2e 2a1a 2e1e", white_wins);
    let black_wins = Outcome::win(Side::First, By::Repetition);
    check_cycle("4k4/9/9/9/r8/9/9/9/1K7 w - 1", "9e8e 8i9i 8e9e 9i8i", black_wins);
    check_cycle("4k4/9/9/9/r8/9/9/9/K8 b - 1", "9i8i 9e8e 8i9i 8e9e", black_wins);
}

#[test]
fn checks_with_a_pause_are_no_perpetual_check() {
    let cycle = "1e2e 2a1a 2e2f 1a1b 2f1f 1b2b 1f1e 2b2a";
    check_cycle("7k1/9/9/9/8R/9/9/9/4K4 b - 1", cycle, Outcome::draw(By::Repetition));
}

/// The fourth time counts from the first, however the moves between the others were.
#[test]
fn perpetual_check_lasts_from_the_first_time() {
    let start = "7k1/9/9/9/8R/9/9/9/4K4 b - 1";
    let checks = "1e2e 2a1a 2e1e 1a2a";
    let quiet = "1e1f 2a3a 1f1e 3a2a";
    let mixed = line(start, &[quiet, checks, checks].join(" "));
    assert_eq!(mixed.outcome(), Some(Outcome::draw(By::Repetition)));
}

#[test]
fn a_better_hand_on_the_same_board_counts_for_searches_only() {
    let moves = "P*1d 1e1d 5a4a 1d1e 4a4b 5i4i 4b5a 4i5i";
    let line = line("4k4/9/9/9/8R/9/9/9/4K4 w p 1", moves);
    assert_eq!(line.ended(0), Some(Outcome::win(Side::First, By::Superiority)));
    assert_eq!(line.ended(1), None);
    assert_eq!(line.outcome(), None);
}

#[test]
fn no_move_loses() {
    let mated = board("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1");
    assert!(!mated.has_moves());
    assert_eq!(mated.no_legal_moves(), Outcome::win(Side::First, By::Mate));
    let no_legal_moves = board("k8/2G6/1G7/9/9/9/9/9/4K4 w - 1");
    assert!(!no_legal_moves.has_moves(), "{:?}", no_legal_moves.legal_moves());
    assert_eq!(no_legal_moves.no_legal_moves(), Outcome::win(Side::First, By::NoMoves));
}

#[track_caller]
fn check_move(sfen: &str, mv: &str, legal: bool) {
    assert_eq!(UsiNotation::parse_move(&board(sfen), mv).is_ok(), legal, "{mv} in {sfen}");
}

#[test]
fn a_dropped_pawn_may_not_mate() {
    check_move("6G1k/9/8G/9/9/9/9/9/4K4 b P 1", "P*1b", false);
    check_move("6G1k/9/8G/9/9/9/9/9/4K4 b L 1", "L*1b", true); // Other pieces may mate,
    check_move("6G1k/9/8P/8G/9/9/9/9/4K4 b - 1", "1c1b+", true); // and so may a pawn on the board.
    check_move("8k/9/8G/9/9/9/9/9/4K4 b P 1", "P*1b", true); // The king steps aside to 2a,
    check_move("8k/6G2/9/9/9/9/9/9/4K4 b P 1", "P*1b", true); // takes an unprotected pawn,
    check_move("6G1k/r8/8G/9/9/9/9/9/4K4 b P 1", "P*1b", true); // or another piece takes it,
    check_move("6G1k/7g1/8G/9/9/9/9/9/4K4 b P 1", "P*1b", true);
    check_move("6G1k/7g1/6B1G/9/9/9/9/9/4K4 b P 1", "P*1b", false); // unless it is pinned.
}

#[test]
fn pawns_stand_alone_and_nobody_is_dropped_on_a_dead_end() {
    check_move("4k4/9/9/9/9/4P4/9/9/4K4 b P 1", "P*5h", false);
    check_move("4k4/9/9/9/9/4+P4/9/9/4K4 b P 1", "P*5h", true);
    check_move("4k4/9/9/9/9/9/9/9/4K4 b NLP 1", "P*1a", false);
    check_move("4k4/9/9/9/9/9/9/9/4K4 b NLP 1", "L*1a", false);
    check_move("4k4/9/9/9/9/9/9/9/4K4 b NLP 1", "N*1b", false);
    check_move("4k4/9/9/9/9/9/9/9/4K4 b NLP 1", "N*1c", true);
    check_move("4k4/P8/9/N8/9/9/9/9/4K4 b - 1", "9b9a", false);
    check_move("4k4/P8/9/N8/9/9/9/9/4K4 b - 1", "9b9a+", true);
    check_move("4k4/9/P8/2N6/9/9/9/9/4K4 b - 1", "7d8b", false);
    check_move("4k4/9/P8/2N6/9/9/9/9/4K4 b - 1", "7d8b+", true);
    check_move("4k4/9/9/9/P8/9/9/9/4K4 b - 1", "9e9d+", false);
}

#[track_caller]
fn check_claim(sfen: &str, declaration: Declaration, expect: Option<Outcome>) {
    assert_eq!(board(sfen).with_declaration(declaration).claim(), expect, "{declaration:?} in {sfen}");
}

#[test]
fn declarations() {
    use Declaration::{None as Nobody, Points24, Points27, Try};
    let win = |side| Some(Outcome::win(side, By::Declaration));
    let draw = Some(Outcome::draw(By::Declaration));
    let entered = |hand: &str| format!("+P+P+P+P+P4/4K4/+P+P+P+P+P4/9/9/9/9/9/k8 b {hand} 1");
    let black = [("2R2BG", 31), ("2R2B", 30), ("2RB3G", 28), ("2RB2G", 27), ("RB4G", 24), ("RB3G", 23)];
    for (hand, points) in black {
        let sfen = entered(hand);
        assert_eq!(board(&sfen).entering_points(Side::First), points, "{sfen}");
        check_claim(&sfen, Points27, win(Side::First).filter(|_| points >= 28));
        let by_24 = if points >= 31 { win(Side::First) } else { draw.filter(|_| points >= 24) };
        check_claim(&sfen, Points24, by_24);
        check_claim(&sfen, Nobody, None);
        check_claim(&sfen, Try, None);
    }
    check_claim("8K/9/9/9/9/9/+p+p+p+p+p4/4k4/+p+p+p+p+p4 w 2rb2g 1", Points27, win(Side::Second));
    check_claim("8K/9/9/9/9/9/+p+p+p+p+p4/4k4/+p+p+p+p+p4 w 2rbg 1", Points27, None);
    // Nine pieces, a king outside, a king in check.
    check_claim("+P+P+P+P5/4K4/+P+P+P+P+P4/9/9/9/9/9/k8 b 2R2B4G 1", Points27, None);
    check_claim("+P+P+P+P+P4/9/+P+P+P+P+P4/4K4/9/9/9/9/k8 b 2R2B4G 1", Points27, None);
    check_claim("+P+P+P+P+P4/4K4/+P+P+P+P+P4/9/9/9/4l4/9/k8 b 2R2B4G 1", Points27, win(Side::First));
    check_claim("+P+P+P+P+P4/4K3r/+P+P+P+P+P4/9/9/9/9/9/k8 b R2B4G 1", Points27, None);
}

#[test]
fn the_king_that_arrives_has_tried() {
    let rules: Rules = "try".parse().expect("rules");
    let mut line = Line::new(UsiNotation::parse_position(&rules, "9/3K5/9/9/9/9/9/9/k8 b - 1").expect("a position"));
    assert_eq!(line.outcome(), None);
    line.push(UsiNotation::parse_move(line.here(), "6b5a").expect("a move"));
    assert_eq!(line.outcome(), Some(Outcome::win(Side::First, By::Declaration)));
    let usual = board("4K4/9/9/9/9/9/9/9/k8 w - 1");
    assert_eq!(usual.ended(&[], 0), None);
}

#[test]
fn handicaps_are_starts() {
    for (handicap, name, sfen) in HANDICAPS {
        let rules: Rules = name.parse().expect("rules");
        assert_eq!(rules.handicap, handicap);
        assert_eq!(Shogi::start(&rules).to_string(), sfen);
        assert_eq!(rules.to_string().parse(), Ok(rules));
    }
    let missing = |name: &str| {
        let start = Shogi::start(&name.parse().expect("rules"));
        40 - start.occupied().count()
    };
    let names = ["even", "lance", "bishop", "rook-lance", "2-piece", "3-piece", "4-piece", "left-5-piece", "6-piece"];
    assert_eq!(names.map(missing), [0, 1, 1, 2, 2, 3, 4, 5, 6]);
    assert_eq!(["7-piece", "left-7-piece", "8-piece", "10-piece"].map(missing), [7, 7, 8, 10]);
    assert!("2-pieces".parse::<Rules>().is_err());
    assert_eq!(Rules::default().to_string(), "");
}
