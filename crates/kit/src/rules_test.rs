//! Tests of a game's rules: leaves of the move tree counted, transcripts of what the rules say, invariants, other engines' rules.

mod by_text;
mod engine;
mod perft;
mod requests;
mod transcript;

pub use perft::count_below;
pub use requests::{LegalPositions, Perft, PerftRequest, Selftest, SelftestNews, SelftestRequest};

use crate::RequestError;
use std::io;
use tesuji_game::{Game, MoveOf, NotationError, Tactical};

/// The tests of a game's rules: perft and selftest.
pub trait RulesTest: Sync {
    /// Its abilities beyond counting leaves.
    fn abilities(&self) -> RulesAbilities;

    /// Counts the leaves of the move tree.
    ///
    /// # Errors
    /// When the request names no position of the game, or a field is out of bounds.
    fn perft(&self, request: &PerftRequest) -> Result<Perft, RequestError>;

    /// Counts all legal positions of the size that the request's rules and start name.
    ///
    /// # Errors
    /// When this game cannot, or not for so large a size.
    fn legal_positions(&self, request: &PerftRequest) -> Result<LegalPositions, RequestError>;

    /// Tests the rules as `request` says and tells `news` on the way.
    ///
    /// # Errors
    /// When the request cannot be carried out. Rules that fail are a [`Selftest`], not an error.
    fn selftest(&self, request: &SelftestRequest, news: &mut SelftestListener<'_>) -> Result<Selftest, RequestError>;
}

/// Anyone who is told of a selftest on the way.
pub type SelftestListener<'a> = dyn FnMut(SelftestNews<'_>) -> io::Result<()> + 'a;

/// The abilities of a game's tests beyond counting leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RulesAbilities {
    /// Transcripts of positions, from files or random games.
    pub transcripts: bool,
    /// Squares that each side attacks, in transcripts.
    pub attacks: bool,
    /// A count of all legal positions.
    pub legal_positions: bool,
}

/// The positions of a game that is transcribed.
pub type PositionOf<T> = <<T as Transcribed>::Game as Game>::Position;

/// A game with transcripts of positions, from which [`ByTranscript`] makes the tests of its rules.
pub trait Transcribed: Sync {
    /// The game.
    type Game: Game<Position: Tactical>;
    /// The writer of transcripts, which walks trees of moves.
    type Dumper: Default;
    /// The style of entries.
    type Style: Copy + Send + Sync;

    /// Whether entries show the squares that each side attacks.
    const ATTACKS: bool;
    /// The first word to an engine, and what it ends its answer with.
    const GREETING: [&'static str; 2];
    /// The command before a position that is sent to an engine.
    const POSITION: &'static str;

    /// Reads the style of entries.
    ///
    /// # Errors
    /// When the request's rules are none of the game.
    fn style(request: &SelftestRequest) -> Result<Self::Style, RequestError>;

    /// The command sent to an engine after the greeting.
    fn preparation(style: Self::Style) -> Option<&'static str>;

    /// The position of a line.
    ///
    /// # Errors
    /// When it is none.
    fn load(line: &str, style: Self::Style) -> Result<PositionOf<Self>, NotationError>;

    /// Checks all invariants that a position and its children must keep.
    ///
    /// # Errors
    /// The one that does not hold.
    fn invariants(pos: &PositionOf<Self>) -> Result<(), String>;

    /// Appends the entry of a position; `line` is echoed as given.
    fn write_entry(line: &str, pos: &PositionOf<Self>, style: Self::Style, dumper: &mut Self::Dumper, out: &mut String);

    /// The game's own set of positions.
    fn our_set(positions: usize, seed: u64) -> String;

    /// The leaves below a move, `depth` plies from before it.
    fn leaves_below(pos: &PositionOf<Self>, mv: MoveOf<Self::Game>, depth: u32) -> u64;
}

/// Tests of the rules by the transcript `T`.
pub struct ByTranscript<T>(pub T);

impl<T: Transcribed> RulesTest for ByTranscript<T> {
    fn abilities(&self) -> RulesAbilities {
        RulesAbilities { transcripts: true, attacks: T::ATTACKS, legal_positions: false }
    }

    fn perft(&self, request: &PerftRequest) -> Result<Perft, RequestError> {
        perft::count::<T::Game>(request, T::leaves_below)
    }

    fn legal_positions(&self, _: &PerftRequest) -> Result<LegalPositions, RequestError> {
        Err(by_text::no_legal_positions(T::Game::NAME))
    }

    fn selftest(&self, request: &SelftestRequest, news: &mut SelftestListener<'_>) -> Result<Selftest, RequestError> {
        request.validate()?;
        transcript::run::<T>(request, news)
    }
}
