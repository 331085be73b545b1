//! Strengths of move features and patterns, learned from games: the file they are kept in, and the prior of moves they make.

use crate::{
    move_features::{Family, MoveFeatures, fill_features},
    patterns,
};
use std::{
    collections::HashMap,
    fmt::Write,
    hash::{BuildHasherDefault, Hasher},
    sync::{Arc, LazyLock},
};
use tesuji_game::{Position, Side};
use tesuji_go::{Area, Board, Cell, GoPosition, Move};

/// The first line of a file of strengths.
const HEAD: &str = "tesuji-gammas 1";

/// The strengths that the program is built with.
static BUILTIN: LazyLock<Arc<Gammas>> =
    LazyLock::new(|| Arc::new(Gammas::parse(include_str!("../data/gammas.txt")).unwrap_or_default()));

/// The built-in strengths for playouts: small patterns alone.
static PLAYOUTS: LazyLock<Arc<Gammas>> =
    LazyLock::new(|| Arc::new(Gammas::parse(include_str!("../data/playouts.txt")).unwrap_or_default()));

/// Keys of patterns are as good as random already.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// A known pattern.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pattern {
    /// From [`patterns::SIZE_MIN`] to [`patterns::SIZE_MAX`].
    pub size: u8,
    /// As [`patterns::grow`] tells it.
    pub key: u64,
    /// Its strength, above 0.
    pub strength: f32,
}

/// Strengths of features and patterns: the chance of a move is its share of the sum over all moves of the product of its
/// features' strengths (a Bradley-Terry model; Coulom 2007). 1 is a feature that changes nothing.
#[derive(Debug, Clone, Default)]
pub struct Gammas {
    /// The program that made them.
    pub made_by: String,
    /// The games they were learned from.
    pub from: String,
    /// By family, for its levels from 1 on; empty: all 1.
    families: Vec<Vec<f32>>,
    known: HashMap<u64, f32, BuildHasherDefault<KeyHasher>>,
    /// The known patterns, in the order of the file.
    list: Vec<Pattern>,
}

/// An error in a file of strengths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GammasError {
    /// The line, from 1.
    pub line: usize,
    /// The text expected there.
    pub expected: &'static str,
    /// The text found there, shortened.
    pub found: String,
}

impl std::fmt::Display for GammasError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: expected {}, found {:?}", self.line, self.expected, self.found)
    }
}

impl std::error::Error for GammasError {}

impl Gammas {
    /// The strengths that the program is built with, learned from games of strong players.
    pub fn builtin() -> Arc<Gammas> {
        BUILTIN.clone()
    }

    /// The strengths that playouts are built with, learned from the same games with the smallest patterns alone.
    pub fn playouts() -> Arc<Gammas> {
        PLAYOUTS.clone()
    }

    /// Strengths by family, for levels from 1 on, and of patterns; a pattern counts only if those within it are known.
    pub fn new(made_by: String, from: String, families: Vec<Vec<f32>>, list: Vec<Pattern>) -> Gammas {
        let known = list.iter().map(|pattern| (pattern.key, pattern.strength)).collect();
        Gammas { made_by, from, families, known, list }
    }

    /// The known patterns.
    pub fn patterns(&self) -> &[Pattern] {
        &self.list
    }

    /// The strength of a level of a family.
    #[inline]
    pub fn of(&self, family: Family, level: usize) -> f32 {
        let levels = self.families.get(family as usize);
        level.checked_sub(1).and_then(|i| levels?.get(i).copied()).unwrap_or(1.0)
    }

    /// The strength of the pattern with this key; 1 where it is not known.
    pub fn of_pattern(&self, key: u64) -> f32 {
        self.known.get(&key).copied().unwrap_or(1.0)
    }

    /// The strength of a move by what it does.
    pub fn of_features(&self, features: MoveFeatures) -> f32 {
        Family::ALL.iter().map(|&family| self.of(family, features.level(family))).product()
    }

    /// The largest known pattern around `cell`.
    pub fn pattern_around<A: Area>(&self, board: &Board<A>, side: Side, cell: Cell) -> Option<Pattern> {
        let mut largest = None;
        patterns::grow(board, side, cell, |size, key| {
            let found = self.known.get(&key);
            found.inspect(|found| largest = Some(Pattern { size: size as u8, key, strength: **found })).is_some()
        });
        largest
    }

    /// The strength of the largest known pattern around `cell`; 1 where none is known.
    pub fn of_surroundings<A: Area>(&self, board: &Board<A>, side: Side, cell: Cell) -> f32 {
        let mut strength = 1.0;
        patterns::grow(board, side, cell, |_, key| {
            let found = self.known.get(&key);
            found.inspect(|found| strength = **found).is_some()
        });
        strength
    }

    /// Fills `policy` for `moves` of `pos` in their order: `[moves.len()]`, sums to 1. `last`: where the last move went, and the
    /// one before it.
    pub fn fill_prior<A: Area>(
        &self,
        pos: &GoPosition<A>,
        last: [Option<Cell>; 2],
        moves: &[Move],
        policy: &mut Vec<f32>,
    ) {
        let mut features = Vec::new();
        fill_features(pos, last, moves, &mut features);
        policy.clear();
        policy.extend(moves.iter().zip(&features).map(|(mv, &features)| {
            let around = mv.vertex().map_or(1.0, |v| self.of_surroundings(pos.board(), pos.side_to_move(), A::cell(v)));
            // Games end before eyes are filled: how bad that is cannot be learned from them.
            let rule = if features.level(Family::Eye) > 0 { EYE } else { 1.0 };
            self.of_features(features) * around * rule
        }));
        let is_move = |(_, mv): &(&f32, &Move)| !mv.is_pass();
        let sum: f32 = policy.iter().zip(moves).filter(is_move).map(|(share, _)| share).sum();
        // Nor do they say what a pass is worth to a search: games go on until the players agree.
        let pass = sum * PASS[usize::from(pos.passes() > 0)] + PASS_AT_LAST;
        for (share, _) in policy.iter_mut().zip(moves).filter(|(_, mv)| mv.is_pass()) {
            *share = pass;
        }
        let sum: f32 = policy.iter().sum();
        policy.iter_mut().for_each(|share| *share /= sum);
    }

    /// Reads a file's text.
    ///
    /// # Errors
    /// The line that is not as it should be.
    pub fn parse(text: &str) -> Result<Gammas, GammasError> {
        let mut gammas = Gammas { families: Family::ALL.map(|f| vec![1.0; f.levels()]).to_vec(), ..Gammas::default() };
        let mut lines = text.lines().enumerate();
        let wrong = |line: usize, expected, found: &str| GammasError {
            line: line + 1,
            expected,
            found: found.chars().take(40).collect(),
        };
        match lines.next() {
            Some((_, HEAD)) => {}
            other => return Err(wrong(0, HEAD, other.map_or("", |(_, line)| line))),
        }
        for (number, line) in lines {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "made-by" => gammas.made_by = rest.to_string(),
                "from" => gammas.from = rest.to_string(),
                "pattern" => {
                    let pattern = read_pattern(rest).ok_or_else(|| wrong(number, "pattern SIZE KEY STRENGTH", line))?;
                    gammas.list.push(pattern);
                }
                _ => {
                    let family = Family::ALL.into_iter().find(|family| family.name() == word);
                    let family = family.ok_or_else(|| wrong(number, "the name of a family of features", line))?;
                    let strengths: Option<Vec<f32>> = rest.split(' ').map(read_strength).collect();
                    let strengths = strengths.filter(|all| all.len() == family.levels());
                    gammas.families[family as usize] = strengths
                        .ok_or_else(|| wrong(number, "a strength above 0 for each level of the family", line))?;
                }
            }
        }
        gammas.known = gammas.list.iter().map(|pattern| (pattern.key, pattern.strength)).collect();
        Ok(gammas)
    }

    /// The text of a file with them.
    pub fn text(&self) -> String {
        let mut out = format!("{HEAD}\nmade-by {}\nfrom {}\n", self.made_by, self.from);
        for family in Family::ALL {
            out.push_str(family.name());
            (1..=family.levels()).for_each(|level| _ = write!(out, " {}", rounded(self.of(family, level))));
            out.push('\n');
        }
        for Pattern { size, key, strength } in &self.list {
            let _ = writeln!(out, "pattern {size} {key:016x} {}", rounded(*strength));
        }
        out
    }
}

/// Factor of the strength of a move that fills an own eye.
pub(crate) const EYE: f32 = 1e-7;
/// The strength of a pass, of all other moves together; after a pass of the other side, which a second one would end.
const PASS: [f32; 2] = [0.001, 0.05];
/// The strength of a pass where nothing else makes sense.
const PASS_AT_LAST: f32 = 1e-4;

/// Three digits that count are enough for a strength, and files stay small.
fn rounded(strength: f32) -> f32 {
    format!("{strength:.2e}").parse().unwrap_or(strength)
}

fn read_strength(text: &str) -> Option<f32> {
    text.parse().ok().filter(|strength: &f32| strength.is_finite() && *strength > 0.0)
}

fn read_pattern(text: &str) -> Option<Pattern> {
    let mut words = text.split(' ');
    let size: u8 = words.next()?.parse().ok()?;
    let key = words.next().filter(|key| key.len() == 16).and_then(|key| u64::from_str_radix(key, 16).ok())?;
    let strength = read_strength(words.next()?)?;
    let is_size = (patterns::SIZE_MIN..=patterns::SIZE_MAX).contains(&usize::from(size));
    (is_size && words.next().is_none()).then_some(Pattern { size, key, strength })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Gammas {
        let mut families = Family::ALL.map(|f| vec![1.0; f.levels()]).to_vec();
        families[Family::Capture as usize][4] = 12.5;
        let list =
            vec![Pattern { size: 3, key: 7, strength: 0.25 }, Pattern { size: 4, key: u64::MAX, strength: 1.23e-5 }];
        Gammas::new("a test".into(), "nothing".into(), families, list)
    }

    #[test]
    fn files_are_read_as_they_were_written() {
        let read = Gammas::parse(&sample().text()).unwrap();
        assert_eq!((read.made_by.as_str(), read.from.as_str()), ("a test", "nothing"));
        assert_eq!(read.families, sample().families);
        assert_eq!(read.list, sample().list);
        assert_eq!(read.of_features(MoveFeatures::default().with(Family::Capture, 5)), 12.5);
    }

    #[test]
    fn wrong_files_name_the_line() {
        #[track_caller]
        fn check(text: &str, line: usize, expected: &str) {
            let error = Gammas::parse(text).unwrap_err();
            assert_eq!((error.line, error.expected.contains(expected)), (line, true), "{error}");
        }
        check("", 1, HEAD);
        check("tesuji-weights 1\n", 1, HEAD);
        check(&format!("{HEAD}\nfrom x\ncapture 1 2\n"), 3, "each level");
        check(&format!("{HEAD}\nladder 1\n"), 2, "family");
        check(&format!("{HEAD}\nrace 0\n"), 2, "above 0");
        check(&format!("{HEAD}\nrace NaN\n"), 2, "above 0");
        for pattern in ["", "3", "2 0000000000000007 1", "3 07 1", "3 0000000000000007 -1", "3 0000000000000007 1 1"] {
            check(&format!("{HEAD}\npattern {pattern}\n"), 2, "SIZE KEY STRENGTH");
        }
    }

    #[test]
    fn the_built_in_file_is_whole() {
        let text = include_str!("../data/gammas.txt");
        let gammas = Gammas::parse(text).unwrap();
        assert!(gammas.patterns().len() > 1000 && !gammas.from.is_empty());
        assert_eq!(gammas.text(), text);
        let text = include_str!("../data/playouts.txt");
        let gammas = Gammas::parse(text).unwrap();
        assert!(gammas.patterns().iter().all(|pattern| usize::from(pattern.size) == patterns::SIZE_MIN));
        assert!(gammas.patterns().len() > 500 && gammas.text() == text);
    }
}
