//! Filters of games and positions, and the rule for splitting games between two files.

use super::run::{Item, Routed};
use super::{Items, Lens};
use crate::is_held_out;
use serde::{Deserialize, Serialize};
use tesuji_game::{By, Random};
use tesuji_record::{Fault, GameRecord, Sample, fingerprint, half_points};
use utoipa::ToSchema;

/// Conditions that records must meet to be kept. The default keeps everything.
///
/// Positions are asked all questions; games those that do not speak of one position, and then as wholes. A position that
/// does not know the answer (a score where it has none) is not kept.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Sieve {
    /// A result that counts.
    pub finished: bool,
    /// One of these results, in half points of First; empty: any.
    pub results: Vec<u8>,
    /// Plies of the whole game.
    pub plies: Option<(u32, u32)>,
    /// Words that a tag of the game must contain: name and part of the value, whatever the case.
    pub tags: Vec<(String, String)>,
    /// One of these endings, by the words of [`ENDINGS`]; empty: any.
    pub endings: Vec<String>,
    /// The rating of both players, as the game tells it.
    pub rating: Option<(u32, u32)>,
    /// The ply of the position, from 0.
    pub ply: Option<(u32, u32)>,
    /// Plies to the end of the game.
    pub plies_left: Option<(u32, u32)>,
    /// A score.
    pub scored: bool,
    /// The size of the score in centipawns.
    pub score_cp: Option<(u32, u32)>,
    /// A score nearer to 0 than the first, in centipawns; or a move number of at most the second, from 1, whatever the score.
    pub score_below: Option<(u32, Option<u32>)>,
    /// Pieces on the board.
    #[serde(alias = "men")]
    pub pieces: Option<(u32, u32)>,
    /// Not in check.
    pub no_checks: bool,
    /// The move played neither takes nor promotes.
    pub no_captures: bool,
    /// The move before neither took nor promoted.
    pub no_after_captures: bool,
    /// The position before was no check.
    pub no_after_checks: bool,
    /// The share of what is left that is kept, and the seed that decides which.
    pub share: Option<(f64, u64)>,
}

fn within(n: u32, bounds: Option<(u32, u32)>) -> bool {
    bounds.is_none_or(|(from, to)| (from..=to).contains(&n))
}

/// The words for how games end.
pub const ENDINGS: [&str; 15] = [
    "mate",
    "no_moves",
    "repetition",
    "superiority",
    "move_rule",
    "material",
    "points",
    "declaration",
    "resignation",
    "time",
    "illegal",
    "agreement",
    "adjudication",
    "disconnect",
    "void",
];

/// The word of [`ENDINGS`] for `by`.
fn ending_word(by: By) -> &'static str {
    let index = match by {
        By::Mate => 0,
        By::NoMoves => 1,
        By::Repetition => 2,
        By::Superiority => 3,
        By::MoveRule => 4,
        By::Material => 5,
        By::Points(_) => 6,
        By::Declaration => 7,
        By::Resignation => 8,
        By::Time => 9,
        By::Illegal => 10,
        By::Agreement => 11,
        By::Adjudication => 12,
        By::Disconnect => 13,
        By::Void => 14,
        _ => return "",
    };
    ENDINGS[index]
}

/// The tags that tell the ratings of First and Second: floodgate's, which name the player before the number, and PGN's.
const RATING_TAGS: [[&str; 2]; 2] = [["black_rate", "WhiteElo"], ["white_rate", "BlackElo"]];

/// The ratings of both players, where the game tells them.
fn ratings(game: &GameRecord<String>) -> [Option<u32>; 2] {
    RATING_TAGS.map(|names| {
        let mut tags = game.tags.iter().filter(|t| names.contains(&t.0.as_str()));
        let number = |text: &str| text.rsplit(':').next()?.trim().parse::<f64>().ok().filter(|r| *r >= 0.0);
        tags.find_map(|t| number(&t.1)).map(|rating| rating.round() as u32)
    })
}

impl Sieve {
    /// Whether it asks what only positions can answer.
    pub fn asks_positions(&self) -> bool {
        let bounds = self.score_below.is_some()
            || self.ply.is_some()
            || self.plies_left.is_some()
            || self.score_cp.is_some()
            || self.pieces.is_some();
        let looks = self.no_checks || self.no_captures || self.no_after_captures || self.no_after_checks;
        bounds || looks || self.scored
    }

    /// Whether it asks what only whole games can answer.
    pub fn asks_games(&self) -> bool {
        self.plies.is_some() || !self.tags.is_empty() || !self.endings.is_empty() || self.rating.is_some()
    }

    /// Whether it needs the game around a position: what came before it.
    pub fn asks_before(&self) -> bool {
        self.no_after_captures || self.no_after_checks
    }

    fn needs_facts(&self) -> bool {
        self.pieces.is_some() || self.no_checks || self.no_captures || self.asks_before()
    }

    /// Whether `game` is kept, as far as a game can answer.
    pub fn keeps_game(&self, game: &GameRecord<String>) -> bool {
        let points = half_points(game.outcome);
        let has = |name: &str, part: &str| {
            let mut tags = game.tags.iter().filter(|t| t.0.eq_ignore_ascii_case(name));
            tags.any(|t| t.1.to_lowercase().contains(&part.to_lowercase()))
        };
        (!self.finished || points.is_some())
            && (self.results.is_empty() || points.is_some_and(|p| self.results.contains(&p)))
            && (self.plies.is_none() || within(game.plies() as u32, self.plies))
            && self.tags.iter().all(|(name, part)| has(name, part))
            && (self.endings.is_empty()
                || game.outcome.is_some_and(|o| self.endings.iter().any(|word| word == ending_word(o.by))))
            && (self.rating.is_none()
                || ratings(game).into_iter().all(|rating| rating.is_some_and(|r| within(r, self.rating))))
    }

    /// Whether `sample` is kept.
    ///
    /// # Errors
    /// A position that makes no sense, where the question needs one that does.
    pub fn keeps_sample(&self, sample: &Sample, lens: &Lens) -> Result<bool, Fault> {
        // Files that tell no ply have 0.
        let ply = sample.ply.unwrap_or(0);
        let size = sample.score.map(|score| u32::from(score.0.unsigned_abs()));
        let cheap = (!self.finished || sample.half_points.is_some())
            && (self.results.is_empty() || sample.half_points.is_some_and(|p| self.results.contains(&p)))
            && within(ply, self.ply)
            && (self.plies_left.is_none() || sample.plies_left.is_some_and(|n| within(n, self.plies_left)))
            && (!self.scored || size.is_some())
            && self.score_below.is_none_or(|(below, or_ply)| {
                size.is_some_and(|size| size < below) || or_ply.is_some_and(|max| ply < max)
            })
            && (self.score_cp.is_none() || size.is_some_and(|size| within(size, self.score_cp)));
        if !cheap || !self.needs_facts() {
            return Ok(cheap);
        }
        let facts = match (sample.facts, lens.survey) {
            (Some(facts), _) => facts,
            (None, Some(survey)) => survey.look(sample)?,
            (None, None) => return Ok(false),
        };
        Ok(within(facts.pieces.into(), self.pieces)
            && !(self.no_checks && facts.check)
            && !(self.no_captures && facts.noisy)
            && !(self.no_after_captures && facts.after_noisy != Some(false))
            && !(self.no_after_checks && facts.after_check != Some(false)))
    }

    /// Keeps the wanted records of `routed`, whose first record is number `first` of all; `fault` hears of positions that make no sense.
    pub fn sift(&self, routed: Routed, lens: &Lens, first: u64, fault: &mut dyn FnMut(u64, Fault)) -> Routed {
        let mut number = first;
        let mut kept = routed.part(1, |item, at| {
            number += 1;
            let keep = match item {
                Item::Game(game) => self.keeps_game(game),
                Item::Sample(sample) => match self.keeps_sample(sample, lens) {
                    Ok(keep) => keep,
                    Err(reason) => {
                        fault(at, reason);
                        false
                    }
                },
            };
            let lucky = self.share.is_none_or(|(share, seed)| Random::for_item(seed, number).unit() < share);
            (keep && lucky).then_some(0)
        });
        kept.pop().unwrap_or(Routed::new(Items::Games(Vec::new()), Vec::new()))
    }
}

/// Whether a record goes to the second part, which gets about `share` of the games: 1, else 0; the games that [`is_held_out`]
/// names. It depends on the game alone,
/// so that no game has positions in both parts, in whatever files its positions are; `None` for a position whose game is
/// not known.
pub fn split_of(item: Item<'_>, seed: u64, share: f64) -> Option<usize> {
    let game = match item {
        Item::Game(game) => fingerprint(game),
        Item::Sample(sample) => sample.game?,
    };
    Some(usize::from(is_held_out(game, seed, share)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_game::{FirstSide, Outcome, Side};
    use tesuji_record::Facts;

    #[track_caller]
    fn check(sieve: Sieve, sample: &Sample, keep: bool) {
        let lens = Lens { survey: None, fill_score: None };
        assert_eq!(sieve.keeps_sample(sample, &lens).unwrap(), keep, "{sieve:?}");
    }

    #[test]
    fn each_question_drops_by_itself() {
        let facts = Facts {
            pieces: 10,
            check: true,
            noisy: true,
            after_noisy: None,
            after_check: Some(true),
            ..Facts::default()
        };
        let sample = Sample { ply: Some(7), facts: Some(facts), ..Sample::default() };
        check(Sieve::default(), &sample, true);
        check(Sieve { ply: Some((7, 7)), pieces: Some((10, 32)), ..Sieve::default() }, &sample, true);
        check(Sieve { score_below: Some((500, Some(8))), ..Sieve::default() }, &sample, true);
        let scored = Sample { score: Some(FirstSide(-499)), ..sample.clone() };
        check(Sieve { score_below: Some((500, Some(1))), ..Sieve::default() }, &scored, true);
        check(Sieve { score_below: Some((499, Some(1))), ..Sieve::default() }, &scored, false);
        let none = Sieve::default;
        for sieve in [
            Sieve { finished: true, ..none() },
            Sieve { results: vec![1], ..none() },
            Sieve { ply: Some((8, 9)), ..none() },
            Sieve { plies_left: Some((0, 9)), ..none() },
            Sieve { scored: true, ..none() },
            Sieve { score_cp: Some((0, 10)), ..none() },
            Sieve { score_below: Some((500, None)), ..none() },
            Sieve { score_below: Some((500, Some(7))), ..none() },
            Sieve { pieces: Some((11, 32)), ..none() },
            Sieve { no_checks: true, ..none() },
            Sieve { no_captures: true, ..none() },
            Sieve { no_after_captures: true, ..none() },
            Sieve { no_after_checks: true, ..none() },
        ] {
            check(sieve, &sample, false);
        }
    }

    #[test]
    fn games_are_asked_as_wholes() {
        let mut game = GameRecord::<String>::from_moves("", None, ["a".to_string(), "b".to_string()]);
        game.set_tag("White", "Some Engine 2");
        let none = Sieve::default;
        assert!(!Sieve { finished: true, ..none() }.keeps_game(&game));
        game.outcome = Some(Outcome::win(Side::Second, By::Resignation));
        assert!(Sieve { finished: true, results: vec![0, 1], plies: Some((2, 2)), ..none() }.keeps_game(&game));
        assert!(!Sieve { results: vec![2], ..none() }.keeps_game(&game));
        assert!(!Sieve { plies: Some((3, 9)), ..none() }.keeps_game(&game));
        let tag = |part: &str| Sieve { tags: vec![("white".into(), part.into())], ..none() };
        assert!(tag("ENGINE").keeps_game(&game) && !tag("other").keeps_game(&game));
        let ending = |word: &str| Sieve { endings: vec!["time".into(), word.to_string()], ..none() };
        assert!(ending("resignation").keeps_game(&game) && !ending("mate").keeps_game(&game));
        let rating = |from, to| Sieve { rating: Some((from, to)), ..none() };
        assert!(!rating(0, 9999).keeps_game(&game));
        game.set_tag("black_rate", "someone+abc:3211.5");
        assert!(!rating(0, 9999).keeps_game(&game));
        game.set_tag("BlackElo", "2899");
        assert!(rating(2899, 3212).keeps_game(&game));
        assert!(!rating(2900, 3300).keeps_game(&game) && !rating(0, 3211).keeps_game(&game));
    }

    #[test]
    fn games_split_by_what_they_are() {
        let sample = |game: u64| Sample { game: Some(game), ..Sample::default() };
        assert_eq!(split_of(Item::Sample(&Sample::default()), 1, 0.5), None);
        let part =
            |seed, share| (1..=10_000).filter_map(|g| split_of(Item::Sample(&sample(g)), seed, share)).sum::<usize>();
        assert!((900..1100).contains(&part(1, 0.1)), "{}", part(1, 0.1));
        assert_eq!((part(1, 0.0), part(1, 1.0)), (0, 10_000));
        let game = GameRecord::<String>::from_moves("", None, ["a".to_string()]);
        let its = Sample { game: Some(fingerprint(&game)), ..Sample::default() };
        for seed in 0..50 {
            assert_eq!(split_of(Item::Game(&game), seed, 0.5), split_of(Item::Sample(&its), seed, 0.5));
        }
    }
}
