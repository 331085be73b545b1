//! Encodings of go positions for networks: our own planes and those of BakaGo and KataGo, for boards of any size.

mod bakago;
mod canvas;
mod katago;
mod rich;

use canvas::Canvas;
use tesuji_game::{Encoding, Line, Shape};
use tesuji_go::{Area, GoPosition, Move, Size, Symmetry, Vertex};

/// A way to show go positions to networks.
///
/// A plane has a row for each line of the board, from the lowest (`1`) upward; a point lies at
/// [`Vertex::index`]: `y * width + x`, except where an encoding says otherwise. The policy has a logit for each point in the same order, then one for passing.
/// Square boards have eight symmetries, others four.
///
/// ```
/// use tesuji_game::{Encoding, Line};
/// use tesuji_go::{GoPosition, Medium, Rules};
/// use tesuji_go_eval::GoPlanes;
///
/// let line = Line::new(GoPosition::<Medium>::start(&Rules::default())?);
/// let shape = GoPlanes::Rich.shape(line.here());
/// let mut planes = vec![0.0; shape.planes * shape.height * shape.width];
/// GoPlanes::Rich.encode(&line, 0, &mut planes);
/// assert_eq!((shape.planes, shape.actions), (48, 362));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoPlanes {
    /// `go-1`: stones, liberties before and after the move, captures, ladders, the last eight moves, ko, eyes, lines of
    /// the board, komi, side and rules.
    Rich,
    /// `bakago-1`: the 39 planes of BakaGo (2017) by what its description says of them.
    Bakago,
    /// `bakago-1-quirks`: the same as its program computed them: captures and ataris shown on stones instead of moves,
    /// sensible moves turned round, recent moves shown where nothing stands any more, columns for rows.
    BakagoQuirks,
    /// `katago-7`: the 22 planes and 19 global inputs of KataGo's networks from version 8 on, the latter as planes of one number each;
    /// rows from the highest.
    Katago,
    /// `katago-7-suicide`: the same for networks that see unconditional life as if suicide of several stones were always legal.
    KatagoSuicide,
}

impl GoPlanes {
    /// All of them.
    pub const ALL: [GoPlanes; 5] =
        [GoPlanes::Rich, GoPlanes::Bakago, GoPlanes::BakagoQuirks, GoPlanes::Katago, GoPlanes::KatagoSuicide];

    /// Its name in network files; see [`Encoding::name`].
    pub const fn name(&self) -> &'static str {
        match self {
            GoPlanes::Rich => "go-1",
            GoPlanes::Bakago => "bakago-1",
            GoPlanes::BakagoQuirks => "bakago-1-quirks",
            GoPlanes::Katago => "katago-7",
            GoPlanes::KatagoSuicide => "katago-7-suicide",
        }
    }

    /// The one of that name.
    pub fn named(name: &str) -> Option<GoPlanes> {
        GoPlanes::ALL.into_iter().find(|e| e.name() == name)
    }

    /// The number of planes.
    pub const fn planes(&self) -> usize {
        match self {
            GoPlanes::Rich => rich::PLANES,
            GoPlanes::Bakago | GoPlanes::BakagoQuirks => bakago::PLANES,
            GoPlanes::Katago | GoPlanes::KatagoSuicide => katago::PLANES,
        }
    }

    /// The index of `vertex` in a plane under `symmetry`.
    fn index(self, vertex: Vertex, size: Size, symmetry: Symmetry) -> usize {
        let there = symmetry.apply(vertex, size);
        let size = symmetry.size(size);
        match self {
            GoPlanes::BakagoQuirks => there.x as usize * size.height() + there.y as usize,
            GoPlanes::Katago | GoPlanes::KatagoSuicide => {
                (size.height() - 1 - there.y as usize) * size.width() + there.x as usize
            }
            _ => there.index(size),
        }
    }
}

/// The symmetry of that number.
fn symmetry_of(size: Size, number: u8) -> Symmetry {
    let all = Symmetry::of(size);
    assert!((number as usize) < all.len(), "symmetry {number} of {}", all.len());
    all[number as usize]
}

impl<A: Area> Encoding<GoPosition<A>> for GoPlanes {
    fn name(&self) -> &'static str {
        GoPlanes::name(self)
    }

    fn planes(&self) -> usize {
        GoPlanes::planes(self)
    }

    fn shape(&self, pos: &GoPosition<A>) -> Shape {
        let size = pos.size();
        let (height, width) = match self {
            GoPlanes::BakagoQuirks => (size.width(), size.height()),
            _ => (size.height(), size.width()),
        };
        Shape { planes: GoPlanes::planes(self), height, width, actions: size.points() + 1 }
    }

    fn symmetries(&self, pos: &GoPosition<A>) -> u8 {
        Symmetry::of(pos.size()).len() as u8
    }

    fn encode(&self, line: &Line<GoPosition<A>>, symmetry: u8, out: &mut [f32]) {
        let size = line.here().size();
        let symmetry = symmetry_of(size, symmetry);
        assert_eq!(out.len(), GoPlanes::planes(self) * size.points(), "planes of {}", GoPlanes::name(self));
        let mut canvas = Canvas::<A>::new(size, |vertex| self.index(vertex, size, symmetry), out);
        match self {
            GoPlanes::Rich => rich::paint(line, &mut canvas),
            GoPlanes::Bakago => bakago::paint(line, false, &mut canvas),
            GoPlanes::BakagoQuirks => bakago::paint(line, true, &mut canvas),
            GoPlanes::Katago => katago::paint(line, false, &mut canvas),
            GoPlanes::KatagoSuicide => katago::paint(line, true, &mut canvas),
        }
    }

    #[inline]
    fn action(&self, pos: &GoPosition<A>, mv: Move, symmetry: u8) -> usize {
        let size = pos.size();
        mv.vertex().map_or(size.points(), |vertex| self.index(vertex, size, symmetry_of(size, symmetry)))
    }

    #[inline]
    fn point(&self, pos: &GoPosition<A>, index: usize, symmetry: u8) -> usize {
        let size = pos.size();
        let (y, x) = (index / size.width(), index % size.width());
        let vertex = Vertex { x: x as u8, y: y as u8 };
        self.index(vertex, size, symmetry_of(size, symmetry))
    }
}
