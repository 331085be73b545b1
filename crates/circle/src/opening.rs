//! Openings of self-play games: from a book, of random moves, or both, drawn by seed and game number; lost ones are rejected.

use crate::{CircleError, local_contestant::Unwatched};
use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Instant,
};
use tesuji_arena::{Opening, Order};
use tesuji_dataset::data::{Format, Stock};
use tesuji_engine::Player;
use tesuji_game::{Limits, Random};
use tesuji_kit::{Kit, RequestError, shuffled::ShuffledStarts};
use tesuji_record::AnyGame;

/// Openings looked at before giving up.
const TRIES: u32 = 500;
/// Of these, with random moves after the same opening of a book.
const TRIES_EACH: u32 = 8;
/// Makes the choice of games with shuffled pieces independent of their openings.
const SHUFFLED_SALT: u64 = 0x7368_7566_666C_6564;

/// Settings of openings.
///
/// # Examples
///
/// ```
/// use tesuji_circle::Openings;
/// use tesuji_four::FOUR;
/// let openings = Openings::random(4, 7);
/// // Opening 3 is the same whatever was drawn before; every other has one ply more, so that both sides move first.
/// let third = openings.begin(&FOUR, "", 3)?;
/// assert_eq!((third.moves.len(), openings.begin(&FOUR, "", 2)?.moves.len()), (5, 4));
/// assert_eq!(openings.begin(&FOUR, "", 3)?, third);
/// # Ok::<(), tesuji_circle::CircleError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Openings {
    /// The book: every opening is played once before any is repeated; empty: the usual start.
    pub book: Arc<[Opening]>,
    /// Positions that games begin with instead, in an order that the seed decides, every one once before any comes again.
    pub starts: Option<Arc<Stock>>,
    /// The share of the games that begin with shuffled pieces instead, under the rules of that variant.
    pub shuffled: Option<Shuffled>,
    /// Random moves from there. Every other opening has one more, so that both sides get to move first.
    pub plies: u32,
    /// A quick search must see neither side ahead by more.
    pub limit_cp: i32,
    /// Nodes of the quick search.
    pub nodes: u64,
    /// Decides all of them.
    pub seed: u64,
}

/// Games that begin with shuffled pieces. The seed and the number of a game decide whether it is one of them.
#[derive(Debug, Clone, Copy)]
pub struct Shuffled {
    /// The start positions.
    pub starts: &'static ShuffledStarts,
    /// Their share of the games, 0 to 1.
    pub share: f64,
}

/// The positions of the file `path`, to begin games with.
///
/// # Errors
/// When it cannot be read, or holds no positions.
pub fn start_positions(kit: &dyn Kit, path: &Path) -> Result<Arc<Stock>, RequestError> {
    let format = Format::find(kit, kit.survey(), &path.display().to_string()).map_err(RequestError::failed)?;
    Ok(Arc::new(Stock::open(path, format).map_err(RequestError::failed)?))
}

impl Openings {
    /// This many random plies, within three pawns.
    pub fn random(plies: u32, seed: u64) -> Openings {
        Openings { book: Arc::new([]), starts: None, shuffled: None, plies, limit_cp: 300, nodes: 500, seed }
    }

    /// These openings, each continuing one of a book, in an order that the seed decides.
    pub fn with_book(mut self, mut book: Vec<Opening>) -> Openings {
        Order::Random.arrange(&mut book, self.seed);
        self.book = book.into();
        self
    }

    /// The rules of game `number` where it begins with shuffled pieces.
    pub fn shuffled_rules(&self, number: u64) -> Option<&'static str> {
        let Shuffled { starts, share } = self.shuffled?;
        (Random::for_item(self.seed ^ SHUFFLED_SALT, number).unit() < share).then_some(starts.rules)
    }

    /// Opening `number` under `rules` (those of [`Openings::shuffled_rules`] where it has some), judged by `player`: a new one is drawn until one is balanced. `None` when it was
    /// stopped.
    ///
    /// # Errors
    /// When none is balanced, or the player does not take a position.
    pub fn draw(
        &self,
        game: &dyn AnyGame,
        rules: &str,
        number: u64,
        player: &mut dyn Player,
        stop: &AtomicBool,
    ) -> Result<Option<Opening>, CircleError> {
        let mut random = Random::for_item(self.seed, number);
        let plies = self.plies + (self.plies > 0 && number % 2 == 1) as u32;
        for attempt in 0..TRIES {
            let Some(opening) = self.walk(game, rules, number, attempt, plies, &mut random)? else { continue };
            player.new_game();
            player.set_position(rules, opening.start.as_deref(), &opening.moves)?;
            let limits = Limits { nodes: Some(self.nodes), ..Limits::default() };
            let report = player.go(&limits, &[], &mut Unwatched { began: Instant::now(), stop });
            if stop.load(Relaxed) {
                return Ok(None);
            }
            if let Some(what) = report.fault {
                return Err(CircleError::Play { number, what });
            }
            if report.lines.first().is_some_and(|best| best.value.raw().abs() <= self.limit_cp) {
                return Ok(Some(opening));
            }
        }
        Err(CircleError::Opening { plies, limit_cp: self.limit_cp, tries: TRIES })
    }

    /// Opening `number` under `rules`, balanced or not.
    ///
    /// # Errors
    /// When no random walk leads to a game that is not over, or a start cannot be read.
    pub fn begin(&self, game: &dyn AnyGame, rules: &str, number: u64) -> Result<Opening, CircleError> {
        let mut random = Random::for_item(self.seed, number);
        let plies = self.plies + (self.plies > 0 && number % 2 == 1) as u32;
        for attempt in 0..TRIES {
            if let Some(opening) = self.walk(game, rules, number, attempt, plies, &mut random)? {
                return Ok(opening);
            }
        }
        Err(CircleError::Opening { plies, limit_cp: i32::MAX, tries: TRIES })
    }

    /// An opening of the book, or the start, and random moves from there; `None` when the game ended on the way. An
    /// opening that was out of balance gives its place to any other.
    fn walk(
        &self,
        game: &dyn AnyGame,
        rules: &str,
        number: u64,
        attempt: u32,
        plies: u32,
        random: &mut Random,
    ) -> Result<Option<Opening>, CircleError> {
        // With random moves after it, an opening deserves several attempts.
        let is_its_turn = attempt == 0 || (plies > 0 && attempt < TRIES_EACH);
        let first = self.first(number, is_its_turn, random)?;
        let start = first.start;
        let mut table = game.table(rules, start.as_deref())?;
        for mv in &first.moves {
            table.play(mv)?;
        }
        for _ in 0..plies {
            let moves = table.moves();
            if moves.is_empty() || table.outcome().is_some() {
                return Ok(None);
            }
            table.play(&moves[random.below(moves.len())])?;
        }
        Ok(table.outcome().is_none().then(|| Opening { start, moves: table.played() }))
    }

    /// The opening of game `number` before its random moves: the next of the book, or any other.
    fn first(&self, number: u64, is_its_turn: bool, random: &mut Random) -> Result<Opening, CircleError> {
        if let (Some(_), Some(Shuffled { starts, .. })) = (self.shuffled_rules(number), self.shuffled) {
            let start = (starts.position)(random.below(starts.count));
            return Ok(Opening { start: Some(start), moves: Vec::new() });
        }
        if let Some(stock) = &self.starts {
            // Beyond all turns of games there are enough for second attempts.
            let turn = if is_its_turn { number } else { random.below(usize::MAX >> 1) as u64 };
            let sample = stock.get(stock.index(self.seed, turn))?;
            return Ok(Opening { start: Some(sample.position), moves: Vec::new() });
        }
        let index = match self.book.len() {
            0 => return Ok(Opening::default()),
            count if is_its_turn => (number % count as u64) as usize,
            count => random.below(count),
        };
        Ok(self.book[index].clone())
    }
}
