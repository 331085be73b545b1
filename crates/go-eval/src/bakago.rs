//! BakaGo's playouts (SJTU, 2017), after its article and program: near-random games over scored points, and a damped judgement of how they end.

use std::collections::VecDeque;
use tesuji_game::{Position, Random, Side};
use tesuji_go::{Area, BLACK, Board, Cell, Colour, GoPosition, Size, WHITE};

/// Moves of a side are drawn from this many of the best.
const BEST: usize = 11;
/// A playout ends with the move of this number, counted from the start of the game.
const STEPS_MAX: usize = 400;
/// For this many plies of a playout a list of points is used, by moves since the start of the game: from which move on, and how many.
const FRESH: [(usize, usize); 3] = [(200, 3), (100, 5), (0, 10)];
/// Damping of the margin: it is multiplied by this for each ply of the playout.
const DAMPING: f64 = 0.98;
/// Moves that are remembered, and what lying near the oldest of them, the next and so on is worth.
pub(crate) const LAST: usize = 7;
const NEAR: [f32; 4] = [100.0, 75.0, 50.0, 25.0];
/// The squared distances up to which a move is near, and at which nearness would be worth nothing.
const NEAR_SQUARED: (i32, i32) = (18, 36);

/// The expected result for Black of games played on from `pos`, in -1..=1, the mean of `playouts`. `last`: where the last moves went,
/// oldest first.
pub(crate) fn value<A: Area>(pos: &GoPosition<A>, last: &[Cell], playouts: usize, random: &mut Random) -> (f32, u64) {
    let (mut sum, mut plies) = (0.0, 0);
    for _ in 0..playouts.max(1) {
        let mut playout = Playout::new(pos, last);
        playout.run(pos.side_to_move(), random);
        sum += playout.white_wins(f64::from(pos.rules().komi_halves) / 2.0);
        plies += playout.plies as u64;
    }
    ((1.0 - 2.0 * sum / playouts.max(1) as f64) as f32, plies)
}

/// One game under way.
struct Playout<A: Area> {
    board: Board<A>,
    last: VecDeque<Cell>,
    /// Moves since the start of the game, as the stones tell.
    step: usize,
    plies: usize,
    /// By side: points that were good when they were listed, the best first, and plies since.
    lists: [(Vec<Cell>, usize); 2],
}

impl<A: Area> Playout<A> {
    fn new(pos: &GoPosition<A>, last: &[Cell]) -> Playout<A> {
        let board = *pos.board();
        let stones = board.points().filter(|&cell| board.colour(cell) != Colour::Empty).count();
        let step = stones + board.captured(BLACK) + board.captured(WHITE);
        let last = last[last.len().saturating_sub(LAST)..].iter().copied().collect();
        Playout { board, last, step, plies: 0, lists: Default::default() }
    }

    /// Plays until a side has no good move.
    fn run(&mut self, mut side: Side, random: &mut Random) {
        while self.step <= STEPS_MAX
            && let Some(cell) = self.choose(side, random)
        {
            self.board.play(side, cell);
            if self.last.len() == LAST {
                self.last.pop_front();
            }
            self.last.push_back(cell);
            (self.step, self.plies) = (self.step + 1, self.plies + 1);
            side = !side;
        }
    }

    /// One of the best points of the list that is still legal; the list is made again when it is old or used up.
    fn choose(&mut self, side: Side, random: &mut Random) -> Option<Cell> {
        let fresh = FRESH.iter().find(|(from, _)| self.step >= *from).map_or(0, |(_, plies)| *plies);
        let (list, since) = &self.lists[side.index()];
        if list.is_empty() || self.plies - since >= fresh {
            self.lists[side.index()] = (self.good_points(side), self.plies);
        }
        loop {
            let list = &mut self.lists[side.index()].0;
            if list.is_empty() {
                let again = self.good_points(side);
                if again.is_empty() {
                    return None;
                }
                self.lists[side.index()] = (again, self.plies);
                continue;
            }
            let cell = list.remove(random.below(list.len().min(BEST)));
            if self.board.is_legal(side, cell) {
                return Some(cell);
            }
        }
    }

    /// Legal points that are neither own eyes nor self-atari, by falling scores.
    fn good_points(&self, side: Side) -> Vec<Cell> {
        let board = &self.board;
        let is_good = |cell: &Cell| {
            board.is_legal(side, *cell) && !board.is_true_eye(side, *cell) && !board.is_self_atari(side, *cell)
        };
        let mut points: Vec<(f32, Cell)> =
            board.points().filter(is_good).map(|cell| (self.score(cell), cell)).collect();
        points.sort_by(|a, b| b.0.total_cmp(&a.0));
        points.into_iter().map(|(_, cell)| cell).collect()
    }

    /// The score of a point by BakaGo's formula; each part is 0 to 100.
    fn score(&self, cell: Cell) -> f32 {
        let around = A::around(cell).map(|n| (n, self.board.colour(n)));
        let chains = || around.iter().filter(|(_, colour)| matches!(colour, Colour::Black | Colour::White));
        let least = chains().map(|&(n, _)| self.board.liberties(n)).min();
        let liberty = least.map_or(0.0, |least| 6usize.saturating_sub(least) as f32 * 20.0);
        let atari = if least == Some(1) { 100.0 } else { 0.0 };
        let near = self.nearness(cell);
        let (border, position) = lines::<A>(self.board.size(), cell);
        let both = [Colour::Black, Colour::White].iter().all(|wanted| around.iter().any(|(_, c)| c == wanted));
        let battlefield = if both { 100.0 } else { 0.0 };
        let step = self.step as f32;
        let phase = match self.step {
            0..=30 => position * (1.0 - step / 30.0) * 0.25 + (liberty + atari + near) * (step / 90.0) * 0.25,
            31..=190 => (liberty + atari + near) * 0.25 / 3.0,
            _ => (liberty + atari) * 0.125 + battlefield * 0.5,
        };
        0.05 * 100.0 + 0.1 * border + 0.2 * liberty + 0.2 * atari + 0.2 * near + phase
    }

    /// The nearness of a point to the last moves: the oldest one that is near at all counts.
    fn nearness(&self, cell: Cell) -> f32 {
        let at = A::vertex(cell);
        let squared = |other: &Cell| {
            let other = A::vertex(*other);
            let apart = |a: u8, b: u8| (i32::from(a) - i32::from(b)).pow(2);
            apart(at.x, other.x) + apart(at.y, other.y)
        };
        let (most, none) = NEAR_SQUARED;
        let found = self.last.iter().map(squared).zip(NEAR).find(|(d, _)| *d <= most);
        found.map_or(0.0, |(d, base)| base * (none - d) as f32 / none as f32)
    }

    /// White's chance: stones and the points that only stones of one colour touch are counted, none is taken off as dead, and
    /// the longer the playout was the less the margin says.
    fn white_wins(&self, komi: f64) -> f64 {
        let owner = |cell: Cell| match self.board.colour(cell) {
            Colour::White => 1.0,
            Colour::Black => -1.0,
            _ => {
                let touched = |wanted: Colour| A::around(cell).into_iter().any(|n| self.board.colour(n) == wanted);
                f64::from(u8::from(touched(Colour::White))) - f64::from(u8::from(touched(Colour::Black)))
            }
        };
        let margin: f64 = self.board.points().map(owner).sum::<f64>() + komi;
        1.0 / (1.0 + (-DAMPING.powi(self.plies as i32) * margin).exp())
    }
}

/// Whether a point lies above the first line, and how near to the third or fourth, each as 0 to 100.
fn lines<A: Area>(size: Size, cell: Cell) -> (f32, f32) {
    let at = A::vertex(cell);
    let (x, y) = (i32::from(at.x), i32::from(at.y));
    let (width, height) = (size.width() as i32, size.height() as i32);
    let is_border = x == 0 || y == 0 || x == width - 1 || y == height - 1;
    let off = [x - 3, x - (width - 4), y - 3, y - (height - 4)].map(i32::abs).into_iter().min().unwrap_or(0);
    (if is_border { 0.0 } else { 100.0 }, 100.0 * (1.0 - off as f32 / 7.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_go::{Medium, Rules, Vertex};

    fn start(rules: &str, stones: &[(&str, Side)]) -> GoPosition<Medium> {
        let rules: Rules = rules.parse().unwrap();
        let at = |text: &str| Vertex::parse(text, rules.size).unwrap();
        GoPosition::with_stones(&rules, stones.iter().map(|&(text, side)| (at(text), side)), BLACK).unwrap()
    }

    fn cell(text: &str) -> Cell {
        Medium::cell(Vertex::parse(text, Size::square(19).unwrap()).unwrap())
    }

    #[track_caller]
    fn check_score(pos: &GoPosition<Medium>, last: &[&str], point: &str, expect: f32) {
        let last: Vec<Cell> = last.iter().map(|text| cell(text)).collect();
        let score = Playout::new(pos, &last).score(cell(point));
        assert!((score - expect).abs() < 1e-3, "{point}: {score}, expected {expect}");
    }

    #[test]
    fn points_are_scored_by_the_formula() {
        let empty = start("19x19 chinese", &[]);
        // 5 + 0.1 * 100 for the border, and a quarter of the position, which is full on the fourth line.
        check_score(&empty, &[], "D4", 40.0);
        check_score(&empty, &[], "A10", 5.0 + 25.0 * (1.0 - 3.0 / 7.0));
        // Of the last moves the oldest that is near counts: Q16 is far away, R4 is one step from Q4.
        let pos = start("19x19 chinese", &[("Q16", BLACK), ("R4", WHITE)]);
        let near = 75.0 * 35.0 / 36.0;
        let (liberty, step) = (2.0 * 20.0, 2.0 / 90.0 * 0.25);
        let phase = 100.0 * (1.0 - 2.0 / 30.0) * 0.25 + (liberty + near) * step;
        check_score(&pos, &["Q16", "R4"], "Q4", 15.0 + 0.2 * (liberty + near) + phase);
    }

    #[test]
    fn ends_are_judged_by_the_margin_and_the_length() {
        let mut stones = Vec::new();
        let names: Vec<String> =
            (0..4).flat_map(|x| (1..=5).map(move |y| format!("{}{y}", (b'A' + x) as char))).collect();
        stones.extend(names.iter().map(|name| (name.as_str(), BLACK)));
        let pos = start("5x5 chinese komi 0.5", &stones);
        let mut playout = Playout::new(&pos, &[]);
        // All is Black's, the untouched points too.
        assert!((playout.white_wins(0.5) - 1.0 / (1.0 + 24.5f64.exp())).abs() < 1e-15);
        playout.plies = 100;
        let damped = 0.98f64.powi(100) * 24.5;
        assert!((playout.white_wins(0.5) - 1.0 / (1.0 + damped.exp())).abs() < 1e-9);
    }

    #[test]
    fn playouts_are_fair_and_the_same_for_a_seed() {
        let pos = start("9x9 chinese komi 0", &[]);
        let play = |seed| value(&pos, &[], 200, &mut Random::new(seed));
        assert_eq!(play(1), play(1));
        let (mean, plies) = play(1);
        assert!(mean.abs() < 0.2 && plies > 200 * 30, "{mean}, {plies} plies");
        let (behind, _) = value(&start("9x9 chinese komi 60", &[]), &[], 50, &mut Random::new(1));
        assert!(behind < -0.5, "{behind}");
    }
}
