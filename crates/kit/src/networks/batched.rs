//! Games that networks play, many at once in each thread: what code that knows no game says to them in text, and the same for any
//! game.

use crate::RequestError;
use std::{collections::HashMap, marker::PhantomData, num::NonZeroU64, path::PathBuf};
use tesuji_game::{Choice, Game, Line, MoveOf, Notation, NotationError, Oracle, Side, move_text, position_text};
use tesuji_nn::NetParameters;
use tesuji_record::{GameRecord, Note};
use tesuji_search::mcts::{
    BatchedError, BatchedRules, Beginning, Finished, LeafMateParameters, NoRivals, Parameters, RivalAnswer, Rivals,
    play_batched,
};

/// Batched games of networks under the rules of a game.
pub trait BatchedGames: Send + Sync {
    /// The options of the search that suit the nets of these files.
    fn parameters(&self, files: &[PathBuf]) -> Parameters;

    /// The largest length of a game, in plies.
    fn plies_max(&self) -> usize;

    /// The concentration of noise at roots: about ten over the number of moves (Silver et al., 2018).
    fn noise_alpha(&self) -> f32;

    /// Plies of mates that are looked for at leaves; 0: none.
    fn leaf_mate_plies(&self) -> u32;

    /// Opens nets.
    ///
    /// # Errors
    /// When one cannot be read, or is of another game.
    fn open(&self, nets: &BatchedNets<'_>) -> Result<Box<dyn BatchedOracles>, RequestError>;
}

/// The nets of batched games, and their options.
pub struct BatchedNets<'a> {
    /// Their files.
    pub files: &'a [PathBuf],
    /// The options of the nets.
    pub parameters: &'a NetParameters,
    /// Whether all answer together.
    pub average: bool,
    /// Mates at leaves, where the game has any.
    pub mates: &'a LeafMateParameters,
}

/// Nets that are open.
pub trait BatchedOracles {
    /// The number of nets that take turns.
    fn count(&self) -> usize;

    /// Anyone who plays the games of a thread with net `which` of them.
    ///
    /// # Panics
    /// When there are fewer.
    fn player(&self, which: usize) -> Box<dyn BatchedPlayer>;
}

/// Anyone who plays the games of a thread.
pub trait BatchedPlayer: Send {
    /// Plays what `next` gives, `size` games at once, until there are no more or `stop` says so, and gives each to `done` when it
    /// ends. `rivals` move for one side in some games.
    ///
    /// # Errors
    /// When an opening cannot be read, or a net or a rival gives no answer.
    fn play(
        &mut self,
        size: usize,
        rules: &BatchedRules,
        rivals: Option<&mut dyn BatchedRivals>,
        next: &mut dyn FnMut() -> Option<BatchedOpening>,
        done: &mut dyn FnMut(BatchedGame),
        stop: &dyn Fn() -> bool,
    ) -> Result<(), BatchedFault>;
}

/// A game that begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchedOpening {
    /// Its number.
    pub number: u64,
    /// The start; the usual one if not given.
    pub start: Option<String>,
    /// Moves from there.
    pub moves: Vec<String>,
    /// Decides all that is drawn in it.
    pub seed: u64,
}

/// A game that ended.
#[derive(Debug, Clone)]
pub struct BatchedGame {
    /// Its number.
    pub number: u64,
    /// All of it, with values and visits.
    pub record: GameRecord<String>,
    /// In games that are played on for an audit, who would have given up first.
    pub gave_up: Option<Side>,
}

/// The answer of a rival: the game's number and the choice.
pub type BatchedAnswer = (u64, Choice<String>);

/// Others who move for one side in some games; see [`Rivals`].
pub trait BatchedRivals {
    /// The side that they move for in the game of this number, if any.
    fn side(&self, number: u64) -> Option<Side>;

    /// Asks for a move after `moves` from `start`, the usual one if not given. One answer must come.
    ///
    /// # Errors
    /// In words, when nobody can be asked.
    fn ask(&mut self, number: u64, start: Option<String>, moves: Vec<String>) -> Result<(), String>;

    /// An answer that has come, with the number of its game. With `wait` there is nothing else to do, and it may be waited for a
    /// little.
    ///
    /// # Errors
    /// The game and words, when somebody does not answer any more.
    fn answer(&mut self, wait: bool) -> Result<Option<BatchedAnswer>, (u64, String)>;
}

/// The reason why batched games stopped.
#[derive(Debug)]
#[non_exhaustive]
pub enum BatchedFault {
    /// Rules or an opening cannot be read.
    Opening(NotationError),
    /// A net or a rival gave no answer.
    Search(BatchedError),
}

/// Games of `G` by oracles.
pub struct BatchedOf<G, O> {
    rules: String,
    oracles: Vec<O>,
    game: PhantomData<fn() -> G>,
}

impl<G: Game, O: Oracle<G::Position> + Clone> BatchedOf<G, O> {
    /// Games under `rules`, by each of the oracles in turn.
    pub fn new(rules: &str, oracles: Vec<O>) -> BatchedOf<G, O> {
        BatchedOf { rules: rules.to_string(), oracles, game: PhantomData }
    }
}

impl<G: Game, O: Oracle<G::Position> + Clone + 'static> BatchedOracles for BatchedOf<G, O> {
    fn count(&self) -> usize {
        self.oracles.len()
    }

    fn player(&self, which: usize) -> Box<dyn BatchedPlayer> {
        let (rules, oracle) = (self.rules.clone(), self.oracles[which].clone());
        Box::new(Player::<G, O> { rules, oracle, game: PhantomData })
    }
}

/// Anyone who plays the games of a thread.
struct Player<G, O> {
    rules: String,
    oracle: O,
    game: PhantomData<fn() -> G>,
}

impl<G: Game, O: Oracle<G::Position>> BatchedPlayer for Player<G, O> {
    fn play(
        &mut self,
        size: usize,
        batched: &BatchedRules,
        rivals: Option<&mut dyn BatchedRivals>,
        next: &mut dyn FnMut() -> Option<BatchedOpening>,
        done: &mut dyn FnMut(BatchedGame),
        stop: &dyn Fn() -> bool,
    ) -> Result<(), BatchedFault> {
        let text = &self.rules;
        let rules: G::Rules = text.parse().map_err(BatchedFault::Opening)?;
        let usual = position_text::<G>(&G::start(&rules));
        let mut fault = None;
        let mut begin = || {
            let BatchedOpening { number, start, moves, seed } = if fault.is_some() { None } else { next() }?;
            match line_of::<G>(&rules, start.as_deref(), &moves) {
                Ok(line) => Some(Beginning { number, line, seed }),
                Err(error) => {
                    fault = Some(error);
                    None
                }
            }
        };
        let mut ended = |game: Finished<G::Position>| done(record_of::<G>(text, &usual, game));
        let mut translated = rivals.map(|rivals| Translated::<G> { usual: &usual, rivals, asked: HashMap::new() });
        let rivals: &mut dyn Rivals<G::Position> = match &mut translated {
            Some(rivals) => rivals,
            None => &mut NoRivals,
        };
        let played = play_batched(size, batched, &mut self.oracle, rivals, &mut begin, &mut ended, stop);
        match fault {
            Some(error) => Err(BatchedFault::Opening(error)),
            None => played.map(drop).map_err(BatchedFault::Search),
        }
    }
}

/// The line that an opening makes.
fn line_of<G: Game>(
    rules: &G::Rules,
    start: Option<&str>,
    moves: &[String],
) -> Result<Line<G::Position>, NotationError> {
    let start = match start {
        Some(text) => G::Notation::parse_position(rules, text)?,
        None => G::start(rules),
    };
    let mut line = Line::new(start);
    for text in moves {
        let mv = G::Notation::parse_move(line.here(), text)?;
        line.push(mv);
    }
    Ok(line)
}

/// A line as text: its start where that is not the usual one, and its moves.
fn text_of<G: Game>(line: &Line<G::Position>, usual: &str) -> (Option<String>, Vec<String>) {
    let start = Some(position_text::<G>(line.start())).filter(|start| start != usual);
    let (mut here, mut moves) = (Line::new(line.start().clone()), Vec::with_capacity(line.len()));
    for mv in line.moves() {
        moves.push(move_text::<G>(here.here(), mv));
        here.push(mv);
    }
    (start, moves)
}

/// The record of a game, with values and visits.
fn record_of<G: Game>(rules: &str, usual: &str, game: Finished<G::Position>) -> BatchedGame {
    let (start, moves) = text_of::<G>(&game.line, usual);
    let mut record = GameRecord::from_moves(rules, start.as_deref(), moves);
    for (node, turn) in record.main_nodes().into_iter().skip(game.opening).zip(&game.turns) {
        let value = (!turn.visits.is_empty()).then_some(turn.value);
        *record.note_mut(node) =
            Note { value, nodes: NonZeroU64::new(turn.nodes), visits: turn.visits.clone(), ..Note::default() };
    }
    record.outcome = Some(game.outcome);
    BatchedGame { number: game.number, record, gave_up: game.gave_up }
}

/// Rivals who are asked in text.
struct Translated<'a, G: Game> {
    /// The usual start, as text.
    usual: &'a str,
    rivals: &'a mut dyn BatchedRivals,
    /// The positions that were asked about, by game.
    asked: HashMap<u64, G::Position>,
}

impl<G: Game> Rivals<G::Position> for Translated<'_, G> {
    fn side(&self, number: u64) -> Option<Side> {
        self.rivals.side(number)
    }

    fn ask(&mut self, number: u64, line: &Line<G::Position>) -> Result<(), String> {
        let (start, moves) = text_of::<G>(line, self.usual);
        self.asked.insert(number, line.here().clone());
        self.rivals.ask(number, start, moves)
    }

    fn answer(&mut self, wait: bool) -> Result<Option<RivalAnswer<MoveOf<G>>>, (u64, String)> {
        let Some((number, choice)) = self.rivals.answer(wait)? else { return Ok(None) };
        let asked = self.asked.remove(&number);
        let choice = match choice {
            Choice::Play(text) => asked.and_then(|pos| G::Notation::parse_move(&pos, &text).ok()).map(Choice::Play),
            Choice::Claim => Some(Choice::Claim),
            Choice::Resign => Some(Choice::Resign),
        };
        Ok(Some((number, choice)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use tesuji_search::mcts::EvalOracle;
    use tesuji_testkit::four::{Four, FourEval};

    /// One rival, who takes the first move of each question's game again.
    struct Echo(Vec<(u64, String)>);

    impl BatchedRivals for Echo {
        fn side(&self, number: u64) -> Option<Side> {
            (number == 1).then_some(Side::First)
        }

        fn ask(&mut self, number: u64, start: Option<String>, moves: Vec<String>) -> Result<(), String> {
            assert_eq!(start, None, "the usual start is not named");
            self.0.push((number, moves[0].clone()));
            Ok(())
        }

        fn answer(&mut self, _: bool) -> Result<Option<BatchedAnswer>, (u64, String)> {
            Ok(self.0.pop().map(|(number, mv)| (number, Choice::Play(mv))))
        }
    }

    #[test]
    fn games_are_played_in_text() {
        let batched = BatchedOf::<Four, _>::new("", vec![EvalOracle::new(FourEval::default())]);
        assert_eq!(batched.count(), 1);
        let rules = BatchedRules { visits: 10, ..BatchedRules::default() };
        let first = move_text::<Four>(&Four::start(&Default::default()), {
            let mut moves = Vec::new();
            Line::new(Four::start(&Default::default())).legal_moves(&mut moves);
            moves[0]
        });
        let play = |moves: Vec<String>, rivals: Option<&mut dyn BatchedRivals>| {
            let (mut numbers, games) = (0..3, RefCell::new(Vec::new()));
            let mut next = || {
                let number = numbers.next()?;
                Some(BatchedOpening { number, start: None, moves: moves.clone(), seed: number })
            };
            let mut done = |game: BatchedGame| games.borrow_mut().push(game);
            let played = batched.player(0).play(2, &rules, rivals, &mut next, &mut done, &|| false);
            played.map(|()| games.into_inner())
        };
        let games = play(vec![first.clone(), first.clone()], Some(&mut Echo(Vec::new()))).unwrap();
        assert_eq!(games.len(), 3);
        assert!(games.iter().all(|game| game.record.outcome.is_some() && game.record.plies() > 2));
        assert!(matches!(play(vec!["none".into()], None), Err(BatchedFault::Opening(_))));
    }
}
