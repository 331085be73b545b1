//! Threads that play games from one queue, with their contestants kept from game to game, and what can be seen of a
//! game in play.

use crate::play::NoGame;
use crate::players::Players;
use crate::{Dialogue, Fault, Fixture, GameOrigin, MatchPlan, Played, Seen};
use std::collections::VecDeque;
use std::iter::Peekable;
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use tesuji_game::Value;
use tesuji_jobs::Interrupt;

/// Messages from worker threads to the collector.
pub(crate) enum Sent {
    /// A game begins.
    Began(Live),
    /// A game was played.
    Ended(Fixture, Box<Played>, Times),
    /// A contestant of this entrant did wrong outside its games, or the referee.
    Warned(Option<usize>, Fault),
    /// A contestant of this entrant lost its evaluator: the game is void.
    Void(usize, Fault),
    /// An opening cannot be played.
    BadOpening(usize, tesuji_game::NotationError),
}

/// When a game was played, and by whom.
#[derive(Debug, Clone)]
pub(crate) struct Times {
    /// By the calendar.
    pub(crate) began: SystemTime,
    /// By a clock that never jumps.
    pub(crate) duration: Duration,
    /// The worker of a fleet; `None`: a thread of this process.
    pub(crate) origin: Option<GameOrigin>,
}

/// A game in play.
#[derive(Debug, Clone)]
pub struct Live {
    /// The pairings.
    pub fixture: Fixture,
    /// When it began.
    pub began: Instant,
    /// Plies of its opening.
    given: usize,
    scene: Arc<Mutex<Scene>>,
}

impl Live {
    /// The present state of the game.
    pub fn scene(&self) -> Scene {
        self.scene.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The number of plies that its players have made.
    pub fn plies_made(&self) -> u32 {
        let moves = self.scene.lock().unwrap_or_else(PoisonError::into_inner).moves.len();
        moves.saturating_sub(self.given) as u32
    }
}

/// A snapshot of a game in play.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scene {
    /// Moves from the opening's start on, in the protocol's notation.
    pub moves: Vec<String>,
    /// The last value of each side, from its own view.
    pub values: [Option<Value>; 2],
    /// The last depth of each side, in plies.
    pub depths: [u32; 2],
    /// Each side's clock after its last move.
    pub left: [Option<Duration>; 2],
}

impl Scene {
    fn see(&mut self, seen: &Seen<'_>) {
        let side = seen.side.index();
        self.moves.push(seen.mv.to_string());
        self.values[side] = seen.thought.value;
        self.depths[side] = seen.thought.depth;
        self.left[side] = seen.left;
    }
}

/// Games to be played. Workers wait at it while more may come.
pub(crate) struct GameQueue {
    state: Mutex<Waiting>,
    changed: Condvar,
}

/// Games that wait.
struct Waiting {
    /// Those known from the beginning, made one by one.
    first: Peekable<Box<dyn Iterator<Item = Fixture> + Send>>,
    /// Those that follow from results.
    more: VecDeque<Fixture>,
    may_grow: bool,
}

impl GameQueue {
    /// These games; `may_grow`: whether more come after them.
    pub(crate) fn new(first: impl Iterator<Item = Fixture> + Send + 'static, may_grow: bool) -> GameQueue {
        let first: Box<dyn Iterator<Item = Fixture> + Send> = Box::new(first);
        let waiting = Waiting { first: first.peekable(), more: VecDeque::new(), may_grow };
        GameQueue { state: Mutex::new(waiting), changed: Condvar::new() }
    }

    /// More games, behind the others.
    pub(crate) fn add(&self, fixtures: Vec<Fixture>) {
        if !fixtures.is_empty() {
            self.lock().more.extend(fixtures);
            self.changed.notify_all();
        }
    }

    /// No more games, and those that wait are dropped.
    pub(crate) fn close(&self) {
        let nothing: Box<dyn Iterator<Item = Fixture> + Send> = Box::new(std::iter::empty());
        *self.lock() = Waiting { first: nothing.peekable(), more: VecDeque::new(), may_grow: false };
        self.changed.notify_all();
    }

    /// The next game; `None` when there are none and none will come.
    fn next(&self) -> Option<Fixture> {
        let waits = |w: &mut Waiting| w.may_grow && w.more.is_empty() && w.first.peek().is_none();
        let mut waiting = self.changed.wait_while(self.lock(), waits).unwrap_or_else(PoisonError::into_inner);
        let first = waiting.first.next();
        first.or_else(|| waiting.more.pop_front())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Waiting> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One thread that plays games.
pub(crate) struct Worker<'a> {
    plan: &'a MatchPlan<'a>,
    halt: &'a Interrupt,
    sender: SyncSender<Sent>,
    players: Players,
}

impl<'a> Worker<'a> {
    /// One without contestants yet; it ends soon after `halt` is raised.
    pub(crate) fn new(plan: &'a MatchPlan<'a>, halt: &'a Interrupt, sender: SyncSender<Sent>) -> Worker<'a> {
        Worker { plan, halt, sender, players: Players::default() }
    }

    /// Plays games from the queue until there are none or the match is halted.
    pub(crate) fn work(mut self, queue: &GameQueue) {
        let sender = self.sender.clone();
        let mut warn = |player, fault| drop(sender.send(Sent::Warned(player, fault)));
        while !self.halt.is_raised()
            && let Some(fixture) = queue.next()
        {
            let (began, date) = (Instant::now(), SystemTime::now());
            let opening = self.plan.openings.get(fixture.opening).unwrap_or_default();
            let scene = Arc::new(Mutex::new(Scene { moves: opening.moves.clone(), ..Scene::default() }));
            let live = Live { fixture, began, given: opening.moves.len(), scene: scene.clone() };
            if self.sender.send(Sent::Began(live)).is_err() {
                break;
            }
            let mut see = |seen: &Seen<'_>| scene.lock().unwrap_or_else(PoisonError::into_inner).see(seen);
            let dialogue = self.dialogue(&fixture);
            let (plan, halt) = (self.plan, self.halt);
            let played = self.players.play((plan, halt), fixture.players, &opening, dialogue, (&mut see, &mut warn));
            let sent = match played {
                Ok(played) => {
                    let times = Times { began: date, duration: began.elapsed(), origin: None };
                    Sent::Ended(fixture, Box::new(played), times)
                }
                Err(NoGame::Stopped) => break,
                Err(NoGame::Opening(error)) => Sent::BadOpening(fixture.opening, error),
                Err(NoGame::Void(side, fault)) => Sent::Void(fixture.players[side.index()], fault),
            };
            if self.sender.send(sent).is_err() {
                break;
            }
        }
        self.players.dismiss(&mut warn);
    }

    /// The file for the dialogue of a game, if dialogues are kept.
    fn dialogue(&self, fixture: &Fixture) -> Option<Dialogue> {
        let folder = self.plan.dialogues.as_ref()?;
        let path = folder.join(format!("game-{:06}.log", fixture.game + 1));
        Dialogue::create(&path).inspect_err(|e| tracing::warn!("{}: {e}", path.display())).ok()
    }
}
