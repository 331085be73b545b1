//! A lone king is mated inside 50 moves: KQ, KR, KBB and KBN from random won positions, 20,000 nodes a move.

use std::{
    io::{BufRead, BufReader, Lines, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
    thread,
};
use tesuji_chess::{Bitboard, Board, Piece, Rules, Square, UciNotation, WHITE, fen};
use tesuji_game::{Notation, Position, Random};

/// Nodes a move, of either side.
const NODES: u32 = 20_000;

/// An engine process that answers one question at a time.
struct Engine {
    process: Child,
    words: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Engine {
    fn start() -> Engine {
        let mut process = Command::new(env!("CARGO_BIN_EXE_tesuji"))
            .arg("uci")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the engine starts");
        let words = process.stdin.take().expect("stdin");
        let lines = BufReader::new(process.stdout.take().expect("stdout")).lines();
        Engine { process, words, lines }
    }

    fn best(&mut self, start: &str, moves: &[String], nodes: u32) -> String {
        let played = if moves.is_empty() { String::new() } else { format!(" moves {}", moves.join(" ")) };
        writeln!(self.words, "position fen {start}{played}\ngo nodes {nodes}").expect("the engine listens");
        let answer = self.lines.by_ref().map_while(Result::ok).find(|line| line.starts_with("bestmove"));
        answer.and_then(|a| a.split(' ').nth(1).map(str::to_string)).expect("a best move")
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = writeln!(self.words, "quit");
        let _ = self.process.wait();
    }
}

/// A random position with White to move, nothing of White's attacked, bishops on both colours, not over.
fn won_position(pieces: &[Piece], random: &mut Random) -> Board {
    loop {
        let mut cells = ['1'; 64];
        let mut put = |letter: char| {
            let at = random.below(64);
            let free = cells[at] == '1';
            cells[at] = letter;
            free
        };
        let mut apart = put('K') & put('k');
        for piece in pieces {
            apart &= put(piece.fen_letter(WHITE));
        }
        let rows: Vec<String> = cells.chunks(8).map(|row| row.iter().collect()).collect();
        let text = format!("{} w - - 0 1", rows.join("/"));
        let Ok(board) = fen::parse(&text, &Rules::default(), fen::Care::Strict) else { continue };
        let bishops = board.of(WHITE, Piece::Bishop);
        let one_colour =
            bishops.several() && ((bishops & Bitboard::LIGHT).is_empty() || (bishops & Bitboard::DARK).is_empty());
        let loose = |square: Square| board.is_attacked(square, !WHITE, board.occupied());
        if apart && !one_colour && board.has_moves() && !Iterator::any(&mut board.side(WHITE), loose) {
            return board;
        }
    }
}

/// Plays it out; the number of moves White needed, `None` without mate.
fn mate(engine: &mut Engine, start: &Board) -> Option<usize> {
    let text = fen::to_string(start);
    let (mut board, mut moves) = (*start, Vec::new());
    writeln!(engine.words, "ucinewgame").expect("the engine listens");
    for ply in 0..100 {
        let best = engine.best(&text, &moves, NODES);
        board.play(UciNotation::parse_move(&board, &best).expect("a legal move"));
        moves.push(best);
        if !board.has_moves() {
            return board.checkers().any().then_some(ply / 2 + 1);
        }
        if board.is_dead() {
            return None;
        }
    }
    None
}

#[test]
fn lone_kings_are_mated() {
    let each = if tesuji_testkit::needs::is_slow() { 200 } else { 2 };
    let kinds: [(&str, &[Piece]); 4] = [
        ("KQ", &[Piece::Queen]),
        ("KR", &[Piece::Rook]),
        ("KBB", &[Piece::Bishop, Piece::Bishop]),
        ("KBN", &[Piece::Bishop, Piece::Knight]),
    ];
    let cores = thread::available_parallelism().map_or(1, usize::from);
    for (name, pieces) in kinds {
        let (next, longest) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let missed = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..cores.min(each) {
                scope.spawn(|| {
                    let mut engine = Engine::start();
                    loop {
                        let number = next.fetch_add(1, Relaxed);
                        if number >= each {
                            break;
                        }
                        let board = won_position(pieces, &mut Random::for_item(7, number as u64));
                        match mate(&mut engine, &board) {
                            Some(moves) => drop(longest.fetch_max(moves, Relaxed)),
                            None => {
                                println!("{name}: not mated from {}", fen::to_string(&board));
                                missed.fetch_add(1, Relaxed);
                            }
                        }
                    }
                });
            }
        });
        println!("{name}: {each} positions, {missed:?} missed, longest {longest:?} moves");
        assert_eq!(missed.into_inner(), 0, "{name}");
    }
}
