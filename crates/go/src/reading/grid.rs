//! A board of a reading problem as plain numbers, slow and simple: what judges a solution shares nothing with what found it.

use crate::{Colour, Size, Vertex};
use tesuji_game::Side;

/// Stones on a plain grid.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Grid {
    pub(super) width: usize,
    pub(super) height: usize,
    /// 0 empty, 1 the first side, 2 the second; row by row from below.
    pub(super) points: Vec<u8>,
}

impl Grid {
    /// A board of stones.
    pub(crate) fn of(size: Size, stones: &[(Vertex, Side)]) -> Grid {
        let (width, height) = (size.width(), size.height());
        let mut grid = Grid { width, height, points: vec![0; width * height] };
        for &(vertex, side) in stones {
            grid.points[usize::from(vertex.y) * width + usize::from(vertex.x)] = number(side);
        }
        grid
    }

    pub(super) fn index(&self, vertex: Vertex) -> usize {
        usize::from(vertex.y) * self.width + usize::from(vertex.x)
    }

    pub(super) fn vertex(&self, index: usize) -> Vertex {
        Vertex { x: (index % self.width) as u8, y: (index / self.width) as u8 }
    }

    /// The content of a point: a stone of either colour, or empty.
    pub(crate) fn colour(&self, vertex: Vertex) -> Colour {
        match self.points[self.index(vertex)] {
            1 => Colour::of(Side::First),
            2 => Colour::of(Side::Second),
            _ => Colour::Empty,
        }
    }

    pub(super) fn around(&self, at: usize) -> Vec<usize> {
        let (x, y) = (at % self.width, at / self.width);
        let mut all = Vec::with_capacity(4);
        if x > 0 {
            all.push(at - 1);
        }
        if x + 1 < self.width {
            all.push(at + 1);
        }
        if y > 0 {
            all.push(at - self.width);
        }
        if y + 1 < self.height {
            all.push(at + self.width);
        }
        all
    }

    /// The points that hang together with `at` among those that are `in_it`.
    pub(super) fn flood(&self, at: usize, in_it: impl Fn(u8) -> bool) -> Vec<usize> {
        let mut seen = vec![at];
        let mut next = 0;
        while next < seen.len() {
            for n in self.around(seen[next]) {
                if in_it(self.points[n]) && !seen.contains(&n) {
                    seen.push(n);
                }
            }
            next += 1;
        }
        seen
    }

    pub(super) fn chain(&self, at: usize) -> Vec<usize> {
        let own = self.points[at];
        self.flood(at, |p| p == own)
    }

    pub(super) fn liberties(&self, at: usize) -> Vec<usize> {
        let mut all: Vec<usize> = self.chain(at).into_iter().flat_map(|stone| self.around(stone)).collect();
        all.retain(|&n| self.points[n] == 0);
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether the chain of a stone has a liberty.
    pub(crate) fn has_liberty(&self, vertex: Vertex) -> bool {
        !self.liberties(self.index(vertex)).is_empty()
    }

    /// The board after a stone of `side` at `at`, and the point of a simple ko; `None` where the rules forbid the stone.
    pub(super) fn play(&self, side: Side, at: usize) -> Option<(Grid, Option<usize>)> {
        if self.points[at] != 0 {
            return None;
        }
        let mut next = self.clone();
        next.points[at] = number(side);
        let mut taken = Vec::new();
        for n in self.around(at) {
            if next.points[n] == number(!side) && next.liberties(n).is_empty() {
                let chain = next.chain(n);
                chain.iter().for_each(|&stone| next.points[stone] = 0);
                taken.extend(chain);
            }
        }
        let liberties = next.liberties(at).len();
        if liberties == 0 {
            return None;
        }
        let is_ko = taken.len() == 1 && liberties == 1 && next.chain(at).len() == 1;
        Some((next, is_ko.then(|| taken[0])))
    }

    /// Whether the chain of the stone at `at` lives without an answer to anything (Benson 1976), by the definition: chains are
    /// left out that have fewer than two regions of which every empty point is their liberty, then regions that touch such a
    /// chain, until nothing changes.
    pub(super) fn is_safe(&self, at: usize) -> bool {
        let own = self.points[at];
        let all = 0..self.points.len();
        let parts = |in_it: &dyn Fn(u8) -> bool| {
            let mut parts: Vec<Vec<usize>> = Vec::new();
            for point in all.clone().filter(|&p| in_it(self.points[p])) {
                if !parts.iter().any(|part| part.contains(&point)) {
                    parts.push(self.flood(point, in_it));
                }
            }
            parts
        };
        let mut chains = parts(&|p| p == own);
        let mut regions = parts(&|p| p != own);
        loop {
            let touches = |region: &Vec<usize>, chain: &Vec<usize>| {
                region.iter().any(|&p| self.around(p).iter().any(|n| chain.contains(n)))
            };
            let is_vital = |region: &Vec<usize>, chain: &Vec<usize>| {
                let mut empty = region.iter().filter(|&&p| self.points[p] == 0).peekable();
                empty.peek().is_some() && empty.all(|&p| self.around(p).iter().any(|n| chain.contains(n)))
            };
            let before = (chains.len(), regions.len());
            chains.retain(|chain| regions.iter().filter(|region| is_vital(region, chain)).count() >= 2);
            regions.retain(|region| {
                let around = region.iter().flat_map(|&p| self.around(p)).filter(|&n| self.points[n] == own);
                around.into_iter().all(|n| chains.iter().any(|chain| chain.contains(&n)))
                    && chains.iter().any(|chain| touches(region, chain))
            });
            if (chains.len(), regions.len()) == before {
                return chains.iter().any(|chain| chain.contains(&at));
            }
        }
    }
}

pub(super) fn number(side: Side) -> u8 {
    1 + side.index() as u8
}
