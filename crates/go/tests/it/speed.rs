//! How fast the board is: uniform random games without filling own eyes. Runs only under `SLOW=1`.

use tesuji_game::{Line, Random, Side};
use tesuji_go::{Area, Board, Cell, Colour, GoPosition, Medium, Rules, Size, Small};

fn cpu_seconds() -> f64 {
    // The first two numbers of /proc/self/schedstat: nanoseconds on the processor, nanoseconds waited.
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|w| w.parse::<f64>().ok()).map_or(f64::NAN, |ns| ns * 1e-9)
}

/// An eye by the neighbours and at most one enemy stone on the diagonals, none at the edge.
#[inline(always)]
fn is_eye<A: Area>(board: &Board<A>, side: Side, cell: Cell) -> bool {
    if board.own_or_edge_neighbours(cell, side) < 4 {
        return false;
    }
    let enemy = Colour::of(!side);
    let (mut enemies, mut edges) = (0, 0);
    for d in A::diagonals(cell) {
        enemies += (board.colour(d) == enemy) as u32;
        edges += (board.colour(d) == Colour::Edge) as u32;
    }
    enemies + (edges > 0) as u32 <= 1
}

/// A move chosen evenly among those that are legal and fill no own eye.
#[inline(always)]
fn choose<A: Area>(board: &Board<A>, side: Side, random: &mut Random) -> Option<Cell> {
    let good = |cell: Cell| board.is_legal(side, cell) && !is_eye(board, side, cell);
    let empties = board.empties();
    for _ in 0..6 {
        let wide = (random.next_u64() >> 32) * empties.len() as u64;
        let cell = empties[(wide >> 32) as usize];
        if good(cell) {
            return Some(cell);
        }
    }
    let mut seen = 0;
    let mut chosen = None;
    for &cell in empties.iter().filter(|&&c| good(c)) {
        seen += 1;
        if random.below(seen) == 0 {
            chosen = Some(cell);
        }
    }
    chosen
}

/// Moves and Black's wins of `games` games.
fn run<A: Area>(size: Size, games: u64) -> (u64, u64, f64) {
    let start: Board<A> = Board::new(size);
    let mut random = Random::new(1);
    let (mut moves, mut stones) = (0, 0);
    let began = cpu_seconds();
    for _ in 0..games {
        let mut board = start;
        let (mut side, mut passes, mut ply) = (Side::First, 0, 0);
        while passes < 2 && ply < 3 * size.points() {
            match choose(&board, side, &mut random) {
                Some(cell) => {
                    board.play(side, cell);
                    passes = 0;
                }
                None => {
                    board.pass();
                    passes += 1;
                }
            }
            side = !side;
            ply += 1;
        }
        moves += ply as u64;
        stones += (size.points() - board.empties().len()) as u64;
    }
    (moves, stones, cpu_seconds() - began)
}

/// Plies per CPU-second of games through [`Line`] with all legal moves made, as a tree does when it opens a node.
fn run_lines(rules: &str) -> f64 {
    let start: GoPosition<Medium> = GoPosition::start(&rules.parse::<Rules>().unwrap()).unwrap();
    let (mut random, mut moves, mut plies) = (Random::new(1), Vec::new(), 0);
    let began = cpu_seconds();
    for _ in 0..20 {
        let mut line = Line::new(start.clone());
        for _ in 0..400 {
            line.legal_moves(&mut moves);
            if line.outcome().is_some() {
                break;
            }
            line.push(moves[random.below(moves.len())]);
            plies += 1;
        }
    }
    plies as f64 / (cpu_seconds() - began)
}

#[test]
fn random_games_are_fast() {
    if !tesuji_testkit::needs::slow("measures random games") {
        return;
    }
    let report = |name: &str, games: u64, (moves, stones, seconds): (u64, u64, f64)| {
        let (rate, length) = (moves as f64 / seconds / 1e6, moves as f64 / games as f64);
        let full = stones as f64 / games as f64;
        println!(
            "{name}: {rate:.2} M moves/CPU-s, {:.0} games/CPU-s, {length:.1} moves, {full:.1} stones left",
            games as f64 / seconds
        );
        (rate, length)
    };
    for rules in ["19 chinese", "19 tromp-taylor"] {
        println!("{rules}: {:.0} k nodes with their moves/CPU-s", run_lines(rules) / 1e3);
    }
    for _ in 0..3 {
        let (_, length) = report("9x9", 60_000, run::<Small>(Size::square(9).unwrap(), 60_000));
        // libego's games have 110.8 moves, with its slightly uneven choice.
        assert!((105.0..118.0).contains(&length), "{length}");
        let (_, length) = report("19x19", 8_000, run::<Medium>(Size::square(19).unwrap(), 8_000));
        assert!((435.0..475.0).contains(&length), "{length}");
    }
}
