//! Go played slowly: a board of characters, floods for everything, all earlier boards kept. Shares no code with the crate.

use std::collections::BTreeSet;

pub type At = (i32, i32);

/// `'X'`, `'O'` or `'.'` for each point; the ko rule's memory is the list of all boards with the side to move.
#[derive(Clone)]
pub struct Slow {
    pub width: i32,
    pub height: i32,
    pub cells: Vec<char>,
    pub black_to_move: bool,
    pub captured: [usize; 2],
    pub before: Vec<(Vec<char>, bool)>,
}

impl Slow {
    pub fn new(width: usize, height: usize) -> Slow {
        let cells = vec!['.'; width * height];
        let (width, height) = (width as i32, height as i32);
        Slow { width, height, cells, black_to_move: true, captured: [0; 2], before: Vec::new() }
    }

    pub fn get(&self, (x, y): At) -> char {
        if x < 0 || y < 0 || x >= self.width || y >= self.height {
            '#'
        } else {
            self.cells[(y * self.width + x) as usize]
        }
    }

    pub fn set(&mut self, (x, y): At, c: char) {
        self.cells[(y * self.width + x) as usize] = c;
    }

    pub fn all(&self) -> impl Iterator<Item = At> + use<> {
        let (w, h) = (self.width, self.height);
        (0..h).flat_map(move |y| (0..w).map(move |x| (x, y)))
    }

    pub fn around((x, y): At) -> [At; 4] {
        [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
    }

    /// The points of one colour around `at`, and the points of other contents beside them.
    pub fn flood(&self, at: At) -> (BTreeSet<At>, BTreeSet<At>) {
        let colour = self.get(at);
        let (mut inside, mut beside) = (BTreeSet::from([at]), BTreeSet::new());
        let mut open = vec![at];
        while let Some(here) = open.pop() {
            for n in Slow::around(here) {
                match self.get(n) {
                    '#' => {}
                    c if c == colour => {
                        if inside.insert(n) {
                            open.push(n);
                        }
                    }
                    _ => {
                        beside.insert(n);
                    }
                }
            }
        }
        (inside, beside)
    }

    pub fn liberties(&self, at: At) -> BTreeSet<At> {
        self.flood(at).1.into_iter().filter(|&n| self.get(n) == '.').collect()
    }

    fn colours(&self) -> (char, char) {
        if self.black_to_move { ('X', 'O') } else { ('O', 'X') }
    }

    /// The board after a stone at `at`, with the stones taken from the other and from the mover.
    pub fn after(&self, at: At) -> (Slow, usize, usize) {
        let (own, enemy) = self.colours();
        let mut next = self.clone();
        next.before.push((self.cells.clone(), self.black_to_move));
        next.set(at, own);
        let (mut taken, mut lost) = (0, 0);
        for n in Slow::around(at) {
            if next.get(n) == enemy && next.liberties(n).is_empty() {
                for s in next.flood(n).0 {
                    next.set(s, '.');
                    taken += 1;
                }
            }
        }
        if next.liberties(at).is_empty() {
            for s in next.flood(at).0 {
                next.set(s, '.');
                lost += 1;
            }
        }
        next.captured[self.black_to_move as usize] += taken;
        next.captured[!self.black_to_move as usize] += lost;
        next.black_to_move = !self.black_to_move;
        (next, taken, lost)
    }

    pub fn pass(&self) -> Slow {
        let mut next = self.clone();
        next.before.push((self.cells.clone(), self.black_to_move));
        next.black_to_move = !self.black_to_move;
        next
    }

    /// Whether a stone may be put at `at`; `ko` is `simple`, `positional` or `situational`.
    pub fn is_legal(&self, at: At, ko: &str, suicide: bool) -> bool {
        if self.get(at) != '.' {
            return false;
        }
        let (next, taken, lost) = self.after(at);
        if lost > 0 && (lost == 1 || !suicide) {
            return false;
        }
        match ko {
            // Taking one stone with one stone back to the board before the opponent's move.
            "simple" => !(taken == 1 && self.before.last().is_some_and(|b| b.0 == next.cells)),
            "positional" => next.before.iter().all(|b| b.0 != next.cells),
            _ => next.before.iter().all(|b| b.0 != next.cells || b.1 != next.black_to_move),
        }
    }

    /// Points of Black less points of White by area, every stone alive.
    pub fn area(&self) -> i32 {
        let owner = |at| match self.get(at) {
            'X' => 1,
            'O' => -1,
            _ => {
                let beside: BTreeSet<char> = self.flood(at).1.iter().map(|&n| self.get(n)).collect();
                (beside == BTreeSet::from(['X'])) as i32 - (beside == BTreeSet::from(['O'])) as i32
            }
        };
        self.all().map(owner).sum()
    }
}
