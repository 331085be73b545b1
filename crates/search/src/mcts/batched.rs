//! Whole games by the hundred in one thread: a leaf of each is evaluated together with those of the others, and a game moves on as soon as its tree is grown.
//!
//! The scheme is Tadao Yamaoka's for dlshogi's self-play: one thread searches a batch of games and asks the network itself, two
//! such threads share a device, one searching while the other waits. No queue, no waking of hundreds of threads.

use super::{
    options::Parameters,
    tree::{Selected, Tree},
    view::{RootMove, to_value},
};
use std::{fmt, mem};
use tesuji_game::{By, Choice, Line, Oracle, OracleError, Outcome, Position, Query, Random, Side, Value};

/// Known results that a tree may meet before another gets its turn.
const ENDED_MAX: usize = 32;

/// Settings for the games of a batch.
#[derive(Debug, Clone)]
pub struct BatchedRules {
    /// Playouts for each move.
    pub visits: u64,
    /// Options of the trees; noise and kicks among them are for roots.
    pub parameters: Parameters,
    /// Moves are drawn by their visits to the power of one over this; 0 plays the best.
    pub temperature: f32,
    /// Plies of the game, its opening included, for which that holds.
    pub temperature_plies: usize,
    /// A side gives up below this expected result…
    pub resign_below: f32,
    /// …at this many of its moves in a row.
    pub resign_moves: u32,
    /// The share of games that are played on to see whether giving up would have been right.
    pub audit: f64,
    /// Games of this many plies are broken off: where the board tells a result (area in go) that counts, otherwise they are drawn.
    pub plies_max: usize,
    /// Whether moves that the game calls premature may be played: passes in go while the board is not settled.
    pub premature: bool,
    /// Leaves of one tree in a batch; with 1 a tree grows as it would alone.
    pub per_tree: usize,
    /// Memory of a tree in bytes.
    pub tree_bytes: usize,
}

impl Default for BatchedRules {
    fn default() -> Self {
        BatchedRules {
            visits: 400,
            parameters: Parameters::default(),
            temperature: 1.0,
            temperature_plies: 30,
            resign_below: -0.95,
            resign_moves: 2,
            audit: 0.1,
            plies_max: 1000,
            premature: false,
            per_tree: 1,
            tree_bytes: 8 << 20,
        }
    }
}

/// A game that begins.
pub struct Beginning<P: Position> {
    /// Its number.
    pub number: u64,
    /// Start and opening.
    pub line: Line<P>,
    /// Decides all that is drawn in it.
    pub seed: u64,
}

/// A move that was searched for.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// The value of the move, for the side that makes it.
    pub value: Value,
    /// Visits of the moves looked at, without those that chance kicked: packed move, count. Empty where there was nothing to choose.
    pub visits: Vec<(u16, u32)>,
    /// Playouts spent.
    pub nodes: u64,
}

/// A game that ended.
pub struct Finished<P: Position> {
    /// Its number.
    pub number: u64,
    /// All of it.
    pub line: Line<P>,
    /// The number of moves of its opening; each later move has a turn.
    pub opening: usize,
    /// The search's data for each move after the opening.
    pub turns: Vec<Turn>,
    /// The outcome.
    pub outcome: Outcome,
    /// In games that are played on for an audit, who would have given up first.
    pub gave_up: Option<Side>,
}

/// The answer of a rival: the game's number, and the choice, or `None` where it named no legal move.
pub type RivalAnswer<M> = (u64, Option<Choice<M>>);

/// Others who move for one side in some games, such as programs over a protocol. A game waits for them while the rest go on.
pub trait Rivals<P: Position> {
    /// The side that they move for in the game of this number, if any.
    fn side(&self, number: u64) -> Option<Side>;

    /// Asks for a move where `line` stands. One answer must come.
    ///
    /// # Errors
    /// In words, when nobody can be asked.
    fn ask(&mut self, number: u64, line: &Line<P>) -> Result<(), String>;

    /// An answer that has come. With `wait` there is nothing else to do, and it may be waited for a little.
    ///
    /// # Errors
    /// The game and words, when somebody does not answer any more.
    fn answer(&mut self, wait: bool) -> Result<Option<RivalAnswer<P::Move>>, (u64, String)>;
}

/// Nobody: the batch of games plays both sides of all games.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoRivals;

impl<P: Position> Rivals<P> for NoRivals {
    fn side(&self, _: u64) -> Option<Side> {
        None
    }

    fn ask(&mut self, _: u64, _: &Line<P>) -> Result<(), String> {
        Err("there is nobody to ask".into())
    }

    fn answer(&mut self, _: bool) -> Result<Option<RivalAnswer<P::Move>>, (u64, String)> {
        Ok(None)
    }
}

/// The reason why a batch of games stopped.
#[derive(Debug, Clone, PartialEq)]
pub enum BatchedError {
    /// The oracle gave no answer.
    Oracle(OracleError),
    /// Others who play gave none.
    Rivals {
        /// The game.
        number: u64,
        /// Who, and why.
        words: String,
    },
}

impl fmt::Display for BatchedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BatchedError::Oracle(error) => error.fmt(f),
            BatchedError::Rivals { words, .. } => words.fmt(f),
        }
    }
}

impl std::error::Error for BatchedError {}

impl From<OracleError> for BatchedError {
    fn from(error: OracleError) -> Self {
        BatchedError::Oracle(error)
    }
}

/// A game under way.
struct Player<P: Position> {
    number: u64,
    line: Line<P>,
    opening: usize,
    tree: Tree<P>,
    random: Random,
    turns: Vec<Turn>,
    bad_moves: [u32; 2],
    is_audited: bool,
    gave_up: Option<Side>,
    ended: Option<Outcome>,
    /// The side that rivals move for.
    rival: Option<Side>,
    wait: Wait,
}

/// The player whose move a game waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// That of its own tree.
    No,
    /// A rival's, who must be asked.
    ToAsk,
    /// A rival's, who was asked.
    Asked,
}

impl<P: Position> Player<P> {
    fn new(game: Beginning<P>, rival: Option<Side>, rules: &BatchedRules) -> Self {
        let mut random = Random::new(game.seed);
        let tree = Tree::new(&game.line, &rules.parameters, rules.tree_bytes);
        // Drawn before anything else, so that it depends on the seed alone and not on the course of the game.
        let is_audited = random.unit() < rules.audit;
        let (opening, turns) = (game.line.len(), Vec::new());
        let mut player = Player {
            number: game.number,
            line: game.line,
            opening,
            tree,
            random,
            turns,
            bad_moves: [0; 2],
            is_audited,
            gave_up: None,
            ended: None,
            rival,
            wait: Wait::No,
        };
        player.begin_turn(rules);
        player
    }

    /// Makes forced moves, and a tree for the next that is none.
    fn begin_turn(&mut self, rules: &BatchedRules) {
        let mut moves = Vec::new();
        let is_whole = loop {
            self.ended = self.line.outcome();
            if self.ended.is_none() && self.line.len() >= rules.plies_max {
                let told = self.line.here().broken_off();
                self.ended = Some(told.unwrap_or(Outcome::draw(By::Adjudication)));
            }
            if self.ended.is_some() {
                return;
            }
            self.line.legal_moves(&mut moves);
            let all = moves.len();
            if all > 1 && self.rival == Some(self.line.here().side_to_move()) {
                self.wait = Wait::ToAsk;
                return;
            }
            if !rules.premature {
                leave_premature(self.line.here(), &mut moves);
            }
            let is_whole = moves.len() == all;
            let [only] = moves[..] else { break is_whole };
            // Nothing was searched: the side's last value is the best that is known.
            let value = self.turns.iter().rev().nth(1).map_or(Value::default(), |turn| turn.value);
            self.turns.push(Turn { value, visits: Vec::new(), nodes: 0 });
            self.line.push(only);
        };
        self.tree = Tree::new(&self.line, &rules.parameters, rules.tree_bytes);
        if !is_whole {
            self.tree.restrict_to(&moves);
        }
        self.tree.set_budget(Some(rules.visits));
        // Drawn with and without noise, so that all later draws of the game are the same.
        let seed = self.random.next_u64();
        if rules.parameters.noise > 0.0 || rules.parameters.noise_kick > 0.0 {
            self.tree.stir(seed);
        }
    }

    /// Whether its tree grows.
    fn is_searched(&self) -> bool {
        self.ended.is_none() && self.wait == Wait::No
    }

    /// Does what a rival chose; what the rules do not allow loses the game.
    fn end_rival_turn(&mut self, choice: Option<Choice<P::Move>>, rules: &BatchedRules) {
        let side = self.line.here().side_to_move();
        let mut legal = Vec::new();
        self.line.legal_moves(&mut legal);
        self.wait = Wait::No;
        match choice {
            Some(Choice::Play(mv)) if legal.contains(&mv) => {
                self.turns.push(Turn { value: Value::default(), visits: Vec::new(), nodes: 0 });
                self.line.push(mv);
                self.begin_turn(rules);
            }
            Some(Choice::Resign) => self.ended = Some(Outcome::win(!side, By::Resignation)),
            Some(Choice::Claim) => {
                self.ended = Some(self.line.here().claim().unwrap_or(Outcome::win(!side, By::Illegal)));
            }
            _ => self.ended = Some(Outcome::win(!side, By::Illegal)),
        }
    }

    fn is_grown(&self) -> bool {
        self.tree.budget_left() == Some(0) || self.tree.is_solved() || self.tree.is_cramped()
    }

    /// Makes the move that the tree found, or gives up.
    fn end_turn(&mut self, rules: &BatchedRules) {
        let moves = self.tree.root_moves();
        let side = self.line.here().side_to_move();
        let Some(best) = moves.first() else {
            self.ended = Some(Outcome::draw(By::Void));
            return;
        };
        let bad = &mut self.bad_moves[side.index()];
        *bad = if best.value < rules.resign_below { *bad + 1 } else { 0 };
        if *bad >= rules.resign_moves {
            if !self.is_audited {
                self.ended = Some(Outcome::win(!side, By::Resignation));
                return;
            }
            self.gave_up = self.gave_up.or(Some(side));
        }
        let value = match best.mate_plies {
            Some(plies) if plies > 0 => Value::mate_in(plies),
            Some(plies) => Value::mated_in(plies.saturating_neg()),
            None => to_value(best.value, rules.parameters.scale_cp),
        };
        let hot = self.line.len() < rules.temperature_plies;
        let drawn = if hot { self.tree.draw_move(rules.temperature, &mut self.random) } else { None };
        let mv = drawn.unwrap_or(best.mv);
        // Visits that noise brought teach nothing about the policy: they are taken off.
        let kicked = self.tree.kicked();
        let count = |m: &RootMove<P::Move>| {
            let by_chance = kicked.iter().find(|(mv, _)| *mv == P::pack(m.mv)).map_or(0, |(_, count)| *count);
            (P::pack(m.mv), u32::try_from(m.visits).unwrap_or(u32::MAX).saturating_sub(by_chance))
        };
        let visits = moves.iter().map(count).filter(|(_, count)| *count > 0).collect();
        self.turns.push(Turn { value, visits, nodes: self.tree.playouts() });
        self.line.push(mv);
        self.begin_turn(rules);
    }

    fn finish(self) -> Option<Finished<P>> {
        let Player { number, line, opening, turns, gave_up, ended, .. } = self;
        Some(Finished { number, line, opening, turns, outcome: ended?, gave_up })
    }
}

/// Takes premature moves out of the list, unless it holds no others.
fn leave_premature<P: Position>(here: &P, moves: &mut Vec<P::Move>) {
    let late = |mv: &P::Move| !here.is_premature(*mv);
    if moves.iter().any(late) {
        moves.retain(late);
    }
}

/// Counts over a batch of games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BatchedCounts {
    /// Positions that the oracle was asked about.
    pub asked: u64,
    /// Calls of the oracle.
    pub calls: u64,
    /// Moves that were searched for.
    pub moves: u64,
}

/// Plays up to `size` games at once: `next` begins them, `done` takes each that ended; `stop` is asked before each call of the
/// oracle and breaks all games off. A game depends on its beginning, the rules and the oracle's answers alone, not on the others.
///
/// # Errors
/// When the oracle or a rival gives no answer; the games under way are lost.
///
/// # Examples
/// ```
/// use tesuji_game::Line;
/// use tesuji_search::mcts::{Beginning, EvalOracle, BatchedRules, NoRivals, play_batched};
/// use tesuji_testkit::four::{FourEval, FourPosition};
/// let rules = BatchedRules { visits: 20, ..BatchedRules::default() };
/// let mut numbers = 0..10;
/// let mut next = || {
///     let number = numbers.next()?;
///     Some(Beginning { number, line: Line::new(FourPosition::default()), seed: number })
/// };
/// let mut games = 0;
/// let mut oracle = EvalOracle::new(FourEval::default());
/// play_batched(4, &rules, &mut oracle, &mut NoRivals, &mut next, &mut |_| games += 1, &|| false)?;
/// assert_eq!(games, 10);
/// # Ok::<(), tesuji_search::mcts::BatchedError>(())
/// ```
pub fn play_batched<P: Position>(
    size: usize,
    rules: &BatchedRules,
    oracle: &mut dyn Oracle<P>,
    rivals: &mut dyn Rivals<P>,
    next: &mut dyn FnMut() -> Option<Beginning<P>>,
    done: &mut dyn FnMut(Finished<P>),
    stop: &dyn Fn() -> bool,
) -> Result<BatchedCounts, BatchedError> {
    let mut counts = BatchedCounts::default();
    let (mut players, mut queries) = (Vec::<Player<P>>::new(), Vec::new());
    let mut is_dry = false;
    while !stop() {
        while players.len() < size.max(1) && !is_dry {
            match next() {
                Some(game) => {
                    let rival = rivals.side(game.number);
                    players.push(Player::new(game, rival, rules));
                }
                None => is_dry = true,
            }
        }
        if players.is_empty() {
            break;
        }
        turn_to_rivals(&mut players, rules, rivals)
            .map_err(|(number, words)| BatchedError::Rivals { number, words })?;
        if players.iter().any(Player::is_searched) {
            counts.asked += grow(&players, rules.per_tree, oracle, &mut queries)?;
            counts.calls += 1;
        }
        for player in &mut players {
            if player.is_searched() && player.is_grown() {
                counts.moves += 1;
                player.end_turn(rules);
            }
        }
        let (over, going) = mem::take(&mut players).into_iter().partition(|player: &Player<P>| player.ended.is_some());
        players = going;
        over.into_iter().filter_map(Player::finish).for_each(&mut *done);
    }
    Ok(counts)
}

/// Asks rivals where it is their turn, and takes the answers that have come.
fn turn_to_rivals<P: Position>(
    players: &mut [Player<P>],
    rules: &BatchedRules,
    rivals: &mut dyn Rivals<P>,
) -> Result<(), (u64, String)> {
    for player in players.iter_mut().filter(|player| player.ended.is_none() && player.wait == Wait::ToAsk) {
        rivals.ask(player.number, &player.line).map_err(|words| (player.number, words))?;
        player.wait = Wait::Asked;
    }
    let mut asked = players.iter().filter(|player| player.wait == Wait::Asked).count();
    let mut idle = asked == players.len();
    while asked > 0
        && let Some((number, choice)) = rivals.answer(idle)?
    {
        if let Some(player) = players.iter_mut().find(|p| p.number == number && p.wait == Wait::Asked) {
            player.end_rival_turn(choice, rules);
        }
        (asked, idle) = (asked - 1, false);
    }
    Ok(())
}

/// Selects in all trees, asks about all leaves and backs them up; how many leaves there were.
fn grow<P: Position>(
    players: &[Player<P>],
    per_tree: usize,
    oracle: &mut dyn Oracle<P>,
    queries: &mut Vec<Query<P>>,
) -> Result<u64, OracleError> {
    let mut tickets = Vec::with_capacity(players.len());
    for player in players.iter().filter(|player| player.is_searched()) {
        let (mut held, mut ended, mut found) = (Vec::new(), 0, 0);
        while found + held.len() < per_tree.max(1) && ended < ENDED_MAX {
            if queries.len() == tickets.len() {
                queries.push(Query::new(player.line.clone()));
            }
            match player.tree.select(&player.line, &mut queries[tickets.len()]) {
                Selected::Leaf(ticket) => {
                    tickets.push(ticket);
                    found += 1;
                }
                Selected::Ended => ended += 1,
                Selected::Collision(ticket) => held.push(ticket),
                Selected::Full | Selected::Spent => break,
            }
        }
    }
    // An oracle may take less at once than there are games.
    let batch = oracle.batch_max().max(1);
    let asked = &mut queries[..tickets.len()];
    for part in asked.chunks_mut(batch) {
        oracle.ask(part)?;
    }
    let count = tickets.len() as u64;
    for (ticket, query) in tickets.into_iter().zip(asked) {
        ticket.backup(query);
    }
    Ok(count)
}
