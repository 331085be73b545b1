//! Moves, checks, repetition and declarations against cshogi, where Python has it.

use std::{
    collections::BTreeSet,
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
};
use tesuji_game::{By, Line, Notation, Outcome, Position, Random, Tactical};
use tesuji_shogi::{Board, UsiNotation, sfen};

/// Reads lines `sfen | moves`, plays the moves and answers with what cshogi knows of the last position.
const SCRIPT: &str = r#"
import cshogi, sys
names = {cshogi.NOT_REPETITION: "-", cshogi.REPETITION_DRAW: "draw", cshogi.REPETITION_WIN: "win",
         cshogi.REPETITION_LOSE: "lose", cshogi.REPETITION_SUPERIOR: "superior", cshogi.REPETITION_INFERIOR: "inferior"}
board = cshogi.Board()
for line in sys.stdin:
    sfen, moves = line.strip().split("|")
    board.set_sfen(sfen)
    for move in moves.split():
        board.push_usi(move)
    legal = " ".join(cshogi.move_to_usi(move) for move in board.legal_moves)
    print(names.get(board.is_draw(), "?"), int(board.is_nyugyoku()), int(board.is_check()), legal, flush=True)
"#;

/// What cshogi calls our outcome of a return on the path.
fn name_of(outcome: Option<Outcome>, board: &Board) -> &'static str {
    let Some(outcome) = outcome else { return "-" };
    match (outcome.by, outcome.winner.map(|winner| winner == board.side_to_move())) {
        (By::Repetition, None) => "draw",
        (By::Repetition, Some(true)) => "win",
        (By::Repetition, Some(false)) => "lose",
        (By::Superiority, Some(true)) => "superior",
        (By::Superiority, Some(false)) => "inferior",
        _ => "?",
    }
}

/// Starts on which games go on for long, positions come back, and kings enter.
const STARTS: [&str; 5] = [
    sfen::START,
    "4k4/9/9/9/4r4/9/9/9/4K4 b 2P2p 1",
    "8k/9/9/9/9/9/9/9/1R2K4 b - 1",
    "l2+P+P+P1+P+P/3+P+P1K2/9/9/9/9/9/2k6/9 b 2R2B4G 1",
    "9/6K2/9/9/9/9/+p+p+p+p+p4/4k4/+p+p+p+p+p4 w 2rb2g 1",
];

/// Lines that random walks rarely find: enough and too few points, better and worse hands on the same board.
const LINES: [(&str, &str); 6] = [
    ("+P+P+P+P+P4/4K4/+P+P+P+P+P4/9/9/9/9/9/k8 b 2RB3G 1", ""),
    ("+P+P+P+P+P4/4K4/+P+P+P+P+P4/9/9/9/9/9/k8 b 2RB2G 1", ""),
    ("4k4/9/9/9/8R/9/9/9/4K4 w p 1", "P*1d 1e1d 5a4a 1d1e 4a4b 5i4i 4b5a 4i5i"),
    ("4k4/9/9/9/8R/9/9/9/4K4 b p 1", "5i4i P*1d 1e1d 5a4a 1d1e 4a4b 4i5i 4b5a"),
    ("4k4/9/9/9/r8/9/9/9/4K4 b P 1", "P*9f 9e9f 5i6i 9f9e 6i6h 5a6a 6h5i 6a5a"),
    ("4k4/9/9/9/r8/9/9/9/4K4 w P 1", "5a6a P*9f 9e9f 5i6i 9f9e 6i6h 6a5a 6h5i"),
];

/// A walk of at most 120 plies that likes to go back where it came from, so that positions return.
pub(super) fn walk(start: &str, seed: u64) -> Line<Board> {
    let mut random = Random::new(seed);
    let mut line = Line::new(sfen::parse(start).expect("a position"));
    let mut moves = Vec::new();
    let (plies, wanders) = (1 + random.below(120), 1 + random.below(6));
    while line.len() < plies && line.outcome().is_none() {
        line.legal_moves(&mut moves);
        let back = line.len().checked_sub(2).and_then(|i| line.moves().nth(i)).and_then(|mv| {
            let text = mv.to_string();
            let turned = format!("{}{}", text.get(2..4)?, text.get(0..2)?);
            moves.iter().copied().find(|mv| mv.to_string() == turned)
        });
        let any = moves[random.below(moves.len())];
        line.push(if random.below(8) > wanders { back.unwrap_or(any) } else { any });
    }
    line
}

fn played(start: &str, moves: &str) -> Line<Board> {
    let mut line = Line::new(sfen::parse(start).expect("a position"));
    for word in moves.split_ascii_whitespace() {
        line.push(UsiNotation::parse_move(line.here(), word).expect("a legal move"));
    }
    line
}

#[test]
fn cshogi_agrees() {
    let Some(python) = tesuji_testkit::needs::python("cshogi", "cshogi") else { return };
    let mut command = Command::new(python);
    command.args(["-c", SCRIPT]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut python = command.spawn().expect("python3 starts");
    let mut input = python.stdin.take().expect("a pipe");
    let mut output = BufReader::new(python.stdout.take().expect("a pipe")).lines();
    let walks = if tesuji_testkit::needs::is_slow() { 20_000 } else { 1_000 };
    let mut seen = std::collections::BTreeMap::new();
    let fixed = LINES.iter().map(|(start, moves)| played(start, moves));
    let random = (0..walks).map(|seed| walk(STARTS[seed as usize % STARTS.len()], seed));
    for line in fixed.chain(random) {
        let board = line.here();
        let moves: Vec<String> = line.moves().map(|mv| mv.to_string()).collect();
        let asked = format!("{}|{}", line.start(), moves.join(" "));
        writeln!(input, "{asked}").expect("python3 reads");
        let answer = output.next().expect("an answer").expect("text");
        let mut words = answer.split_ascii_whitespace();
        let repetition = name_of(line.ended(0), board);
        let declares = board.claim().is_some();
        assert_eq!(words.next(), Some(repetition), "{asked}");
        assert_eq!(words.next(), Some(if declares { "1" } else { "0" }), "declaration after {asked}");
        assert_eq!(words.next(), Some(if board.in_check() { "1" } else { "0" }), "check after {asked}");
        let ours: BTreeSet<String> = board.legal_moves().into_iter().map(|mv| mv.to_string()).collect();
        let theirs: BTreeSet<String> = words.map(str::to_string).collect();
        assert_eq!(ours, theirs, "{asked}");
        *seen.entry(if declares { "declaration" } else { repetition }).or_insert(0) += 1;
    }
    drop(input);
    assert!(python.wait().expect("python3 ends").success());
    eprintln!("{seen:?}");
    for word in ["-", "draw", "win", "lose", "superior", "inferior", "declaration"] {
        assert!(seen.contains_key(word), "{word} is not among {seen:?}");
    }
}
