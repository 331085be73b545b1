//! One player on a thread of its own: orders in, states out. A new order stops the search that runs.

mod eye;
mod review;

use crate::{
    Problem,
    grove::{BOUNDS, Course, Grove},
    places::{GamePosition, Move, follow, table_at},
    reach::{Reach, Share},
};
use eye::Eye;
pub use review::Review;
use serde::{Deserialize, Serialize};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};
use tesuji_engine::{Judge, Player, Scale};
use tesuji_game::{Choice, Clock, Limits};
use tesuji_kit::Kit;
use tokio::sync::{oneshot, watch};
use utoipa::ToSchema;

/// States are published this often at most.
const PUBLISH_EVERY: Duration = Duration::from_millis(100);

/// The limits of a search; without any it runs until it is stopped.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Goal {
    /// Nodes or playouts.
    pub nodes: Option<u64>,
    /// Plies.
    pub depth: Option<u32>,
    /// Milliseconds.
    pub time: Option<u64>,
    /// The clocks of both sides, of the one that moves first in the game before the other.
    pub clocks: Option<[ClockGoal; 2]>,
    /// Only these moves.
    pub only: Vec<String>,
    /// A move that was played at this place: what it costs is found as well, for a game review.
    pub review: Option<String>,
}

/// A side's clock, in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ClockGoal {
    /// Main time left.
    pub left: u64,
    /// Added after each move.
    pub increment: u64,
    /// Time of one byoyomi period.
    pub byoyomi: u64,
    /// Byoyomi periods left.
    pub periods: u32,
    /// Moves until the next time control; 0: there is none.
    pub moves: u32,
}

impl ClockGoal {
    fn clock(self) -> Clock {
        let [left, increment, byoyomi] = [self.left, self.increment, self.byoyomi].map(Duration::from_millis);
        let moves_to_go = Some(self.moves).filter(|moves| *moves > 0);
        Clock { left, increment, byoyomi, periods: self.periods, moves_to_go, ..Clock::default() }
    }
}

impl Goal {
    fn limits(&self) -> Limits {
        let nothing = self.nodes.is_none() && self.depth.is_none() && self.time.is_none() && self.clocks.is_none();
        let move_time = self.time.map(Duration::from_millis);
        let clock = self.clocks.map(|clocks| clocks.map(ClockGoal::clock));
        Limits { depth: self.depth, nodes: self.nodes, move_time, clock, infinite: nothing, ..Limits::default() }
    }
}

/// The state of a player and its findings.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub struct State {
    /// Grows with each state.
    pub seq: u64,
    /// The place of the player.
    pub place: GamePosition,
    /// Whether it thinks.
    pub thinking: bool,
    /// Whether it thinks no further until somebody listens again.
    pub paused: bool,
    /// The number of the search that found what follows, from 1.
    pub search: u64,
    /// The last findings at this place.
    pub found: Option<Found>,
    /// Its decision, when there is one.
    pub choice: Option<Decision>,
    /// The cost of the move of [`Goal::review`], when the last search found it.
    pub review: Option<Review>,
    /// Why the evaluator that was asked for gave no answer in the last search: what was found is another one's, or nothing.
    pub fault: Option<String>,
}

/// The actions of a player on its move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Plays a move.
    Play,
    /// Declares the game over by the rules.
    Claim,
    /// Gives up.
    Resign,
}

/// The decision of a search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Decision {
    /// What it does.
    pub what: Action,
    /// The move played.
    pub play: Option<Move>,
    /// The answer that it expects.
    pub expected: Option<Move>,
}

/// The findings of a search.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Found {
    /// Plies of the iteration.
    pub depth: u32,
    /// Plies of the longest path.
    pub depth_max: u32,
    /// Nodes or playouts.
    pub nodes: u64,
    /// Milliseconds.
    pub time: u64,
    /// Nodes a second.
    pub speed: u64,
    /// How full the table is, in thousandths.
    pub hash_full: u32,
    /// The lines, best first.
    pub lines: Vec<FoundLine>,
}

/// The meaning of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum BoundKind {
    /// The value itself.
    Exact,
    /// It is at least this.
    Lower,
    /// It is at most this.
    Upper,
}

/// One candidate.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct FoundLine {
    /// The line, the candidate first.
    pub pv: Vec<Move>,
    /// Hundredths of a pawn for the side to move; none where a mate is proven, or the engine tells no value.
    pub cp: Option<i32>,
    /// Plies to mate, negative when the side to move is mated.
    pub mate: Option<i32>,
    /// The meaning of `cp`, `mate` and `value`.
    pub bound: BoundKind,
    /// The value for the side to move as records hold it: hundredths of a pawn, 32000 - n for a mate in n plies, n - 32000 for
    /// being mated.
    pub value: i32,
    /// Win, draw and loss for the side to move in thousandths, where the search tells.
    pub wdl: Option<[u16; 3]>,
    /// Nodes or visits spent on it.
    pub visits: u64,
    /// The policy's share, in 0..=1.
    pub prior: f32,
    /// Expected margin in points for the side to move, where the search saw margins.
    pub lead: Option<f32>,
}

impl FoundLine {
    /// A line of which nothing is known but its moves.
    fn untold(pv: Vec<Move>) -> FoundLine {
        let bound = BoundKind::Exact;
        FoundLine { pv, cp: None, mate: None, bound, value: 0, wdl: None, visits: 0, prior: 0.0, lead: None }
    }
}

/// An order to the player.
enum Order {
    Stand(GamePosition, oneshot::Sender<Result<(), Problem>>),
    Go(Goal),
    Set(Vec<(String, String)>, oneshot::Sender<Result<(), Problem>>),
    Explain(oneshot::Sender<Option<String>>),
    /// Copies the tree of the last search, if it was not copied yet.
    Tree(oneshot::Sender<()>),
    /// Ends a search that is paused; one that runs has ended before.
    Stop,
    /// Goes on with a search that is paused.
    Resume,
    /// Gives up what is not needed until the next search.
    Rest,
}

/// A player at work. Dropping it stops the search and ends the thread.
pub(crate) struct Thinker {
    orders: mpsc::Sender<(u64, Order)>,
    newest: Arc<AtomicU64>,
    is_paused: Arc<AtomicBool>,
    /// Whether the player was told to rest since somebody listened last.
    is_resting: AtomicBool,
    state: watch::Receiver<Arc<State>>,
    grove: Arc<Grove>,
}

impl Thinker {
    /// Starts the thread. The player has `share` of the memory, and its options reach as far as `reach`.
    pub(crate) fn start(
        kit: &'static dyn Kit,
        player: Box<dyn Player>,
        name: String,
        reach: Reach,
        share: Share,
    ) -> Result<Thinker, Problem> {
        let (orders, inbox) = mpsc::channel();
        let (state_in, state) = watch::channel(Arc::new(State::default()));
        let newest = Arc::new(AtomicU64::new(0));
        let is_paused = Arc::new(AtomicBool::new(false));
        let grove = Arc::new(Grove::default());
        let mind = Mind {
            kit,
            player,
            reach,
            share,
            newest: newest.clone(),
            is_paused: is_paused.clone(),
            state: state_in,
            now: State::default(),
            grove: grove.clone(),
            has_grown: false,
            pause: None,
        };
        let started = thread::Builder::new().name(name).spawn(move || mind.run(&inbox));
        started.map_err(|error| Problem::internal(format!("no thread for the search: {error}")))?;
        Ok(Thinker { orders, newest, is_paused, is_resting: AtomicBool::new(false), state, grove })
    }

    /// The states as they come.
    pub(crate) fn states(&self) -> watch::Receiver<Arc<State>> {
        self.state.clone()
    }

    /// Its trees.
    pub(crate) fn grove(&self) -> &Arc<Grove> {
        &self.grove
    }

    /// Has the tree of the last search copied, unless it is or a search runs.
    pub(crate) async fn show_tree(&self) -> Result<(), Problem> {
        self.grove.want();
        if self.state.borrow().thinking {
            return Ok(());
        }
        let (reply, answer) = oneshot::channel();
        let number = self.newest.load(Ordering::Relaxed);
        self.orders.send((number, Order::Tree(reply))).map_err(|_| gone())?;
        let mut states = self.state.clone();
        tokio::select! {
            answered = answer => answered.map_err(|_| gone()),
            // A search that was ordered just before comes first, and may have no end: its tree is copied while it grows.
            begun = states.wait_for(|state| state.thinking) => begun.map(drop).map_err(|_| gone()),
        }
    }

    /// Stops the search that runs or is paused, if one does.
    pub(crate) fn stop(&self) {
        // A thread that has ended searches no more.
        let _ = self.send(Order::Stop);
    }

    /// Whether a search runs, and is not paused.
    pub(crate) fn is_searching(&self) -> bool {
        let state = self.state.borrow();
        state.thinking && !state.paused
    }

    /// Stops the search that runs until [`Thinker::resume`].
    pub(crate) fn pause(&self) {
        self.is_paused.store(true, Ordering::Relaxed);
    }

    /// Has the player give up what it needs for a search alone, once until somebody listens again.
    pub(crate) fn rest(&self) {
        if !self.is_resting.swap(true, Ordering::Relaxed) {
            let _ = self.orders.send((self.newest.load(Ordering::Relaxed), Order::Rest));
        }
    }

    /// Goes on with the search that was paused, if one was.
    pub(crate) fn resume(&self) {
        self.is_resting.store(false, Ordering::Relaxed);
        if self.is_paused.swap(false, Ordering::Relaxed) {
            let _ = self.orders.send((self.newest.load(Ordering::Relaxed), Order::Resume));
        }
    }

    /// Starts a search.
    pub(crate) fn go(&self, goal: Goal) -> Result<(), Problem> {
        self.send(Order::Go(goal))
    }

    /// Takes a position.
    pub(crate) async fn stand(&self, place: GamePosition) -> Result<(), Problem> {
        let (reply, answer) = oneshot::channel();
        self.send(Order::Stand(place, reply))?;
        answer.await.map_err(|_| gone())?
    }

    /// Sets options.
    pub(crate) async fn set(&self, options: Vec<(String, String)>) -> Result<(), Problem> {
        let (reply, answer) = oneshot::channel();
        self.send(Order::Set(options, reply))?;
        answer.await.map_err(|_| gone())?
    }

    /// The static evaluation, explained.
    pub(crate) async fn explain(&self) -> Result<Option<String>, Problem> {
        let (reply, answer) = oneshot::channel();
        self.send(Order::Explain(reply))?;
        answer.await.map_err(|_| gone())
    }

    /// Hands over an order after stopping what runs.
    fn send(&self, order: Order) -> Result<(), Problem> {
        let number = self.newest.fetch_add(1, Ordering::Relaxed) + 1;
        self.orders.send((number, order)).map_err(|_| gone())
    }
}

impl Drop for Thinker {
    fn drop(&mut self) {
        self.stop();
    }
}

fn gone() -> Problem {
    Problem::internal("the search's thread has ended").hint("Delete the session and start another.")
}

/// A search that stopped because nobody listened.
struct Pause {
    goal: Goal,
    /// The decision of the paused search.
    choice: Option<Decision>,
}

/// The player's side of the thread. The memory is given back after the player is gone.
struct Mind {
    kit: &'static dyn Kit,
    player: Box<dyn Player>,
    reach: Reach,
    share: Share,
    /// The number of the newest order: a search for an older one stops.
    newest: Arc<AtomicU64>,
    /// Whether a search stops because nobody listens.
    is_paused: Arc<AtomicBool>,
    state: watch::Sender<Arc<State>>,
    now: State,
    grove: Arc<Grove>,
    /// Whether the last search was at the place where the player stands.
    has_grown: bool,
    pause: Option<Pause>,
}

impl Mind {
    fn run(mut self, inbox: &mpsc::Receiver<(u64, Order)>) {
        while let Ok((number, order)) = inbox.recv() {
            if !matches!(order, Order::Resume | Order::Tree(_) | Order::Rest) {
                self.end_pause();
            }
            match order {
                Order::Stand(place, reply) => {
                    let done = self.stand(place);
                    let _ = reply.send(done);
                }
                Order::Set(options, reply) => {
                    let (reach, share) = (&self.reach, &mut self.share);
                    let mut form = self.player.options();
                    let mut options = options;
                    tesuji_options::presets_first(&mut options, |(name, _)| name);
                    let done = options.iter().try_for_each(|(name, value)| reach.set(&mut *form, share, name, value));
                    drop(form);
                    let _ = reply.send(done);
                }
                Order::Explain(reply) => {
                    let _ = reply.send(self.player.explain());
                }
                Order::Tree(reply) => {
                    self.show_tree();
                    let _ = reply.send(());
                }
                Order::Go(goal) => self.go(number, &goal),
                Order::Stop => {}
                Order::Rest => self.player.rest(),
                Order::Resume => {
                    if let Some(pause) = self.pause.take() {
                        self.go(number, &pause.goal);
                    }
                }
            }
        }
    }

    /// A search that is paused is over.
    fn end_pause(&mut self) {
        if let Some(pause) = self.pause.take() {
            (self.now.thinking, self.now.paused, self.now.choice) = (false, false, pause.choice);
            self.publish();
        }
    }

    fn stand(&mut self, place: GamePosition) -> Result<(), Problem> {
        let table = table_at(self.kit, &place)?;
        let place = GamePosition { moves: table.played(), ..place };
        let start = place.start.as_deref().filter(|start| !start.is_empty());
        let taken = self.player.set_position(&place.rules, start, &place.moves);
        taken.map_err(|error| Problem::unprocessable(error.to_string()))?;
        self.has_grown = false;
        self.now = State { place, search: self.now.search, seq: self.now.seq, ..State::default() };
        self.publish();
        Ok(())
    }

    fn go(&mut self, number: u64, goal: &Goal) {
        let search = self.now.search + 1;
        let (seq, place) = (self.now.seq, self.now.place.clone());
        self.now = State { seq, place, thinking: true, search, ..State::default() };
        self.publish();
        let limits = goal.limits();
        let course = self.course();
        let (newest, state, grove) = (&*self.newest, &self.state, &*self.grove);
        grove.count(0);
        // A review searches several times: there is no one tree to look at.
        let live = self.player.live_tree().filter(|_| goal.review.is_none());
        let began = Instant::now();
        let goes_on = AtomicBool::new(live.is_some());
        let mut eye = Eye {
            kit: self.kit,
            number,
            newest,
            is_paused: &self.is_paused,
            has_paused: false,
            state,
            now: &mut self.now,
            last: None,
            began,
            grove,
            live,
            best: None,
        };
        let player = &mut self.player;
        let mut verdict = None;
        let report = thread::scope(|scope| {
            let goes_on = &goes_on;
            let copier = goes_on.load(Ordering::Relaxed).then(|| {
                // Where the system gives no thread, the tree is seen when it has grown.
                let copy = || grove.copy_while_growing(&course, || began.elapsed(), || goes_on.load(Ordering::Relaxed));
                thread::Builder::new().spawn_scoped(scope, copy).ok()
            });
            let copier = copier.flatten();
            let report = match &goal.review {
                None => player.go(&limits, &goal.only, &mut eye),
                Some(played) => {
                    let judge = Judge::of(Scale::Chance);
                    let reviewed = judge.review(player.as_mut(), &limits, Some(played), &mut eye);
                    verdict = reviewed.verdict;
                    reviewed.report
                }
            };
            goes_on.store(false, Ordering::Relaxed);
            grove.grow(None);
            if let Some(copier) = copier {
                copier.thread().unpark();
            }
            report
        });
        let found = eye.found(&report);
        let has_paused = eye.has_paused && newest.load(Ordering::Relaxed) == number;
        if !found.lines.is_empty() {
            self.now.found = Some(found);
        } else if let Some(Choice::Play(code)) = &report.choice {
            // An engine that tells nothing but its move.
            let table = table_at(self.kit, &self.now.place).ok();
            let pv = table.map(|mut table| follow(&mut *table, std::slice::from_ref(code))).unwrap_or_default();
            self.now.found = Some(Found { lines: vec![FoundLine::untold(pv)], ..found });
        }
        let choice = report.choice.as_ref().map(|choice| self.decision(choice, report.ponder.as_ref()));
        self.now.fault.clone_from(&report.fault);
        if has_paused {
            // For those who come back it still thinks: what it had decided by then is no decision.
            self.now.paused = true;
            self.pause = Some(Pause { goal: goal.clone(), choice });
            self.player.rest();
        } else {
            (self.now.thinking, self.now.choice) = (false, choice);
        }
        self.has_grown = true;
        self.now.review = verdict.map(|verdict| Review::of(self.kit, &self.now.place, &verdict));
        self.publish();
        if self.grove.is_wanted() {
            self.show_tree();
        }
    }

    fn course(&self) -> Course {
        Course { search: self.now.search, place: self.now.place.clone() }
    }

    /// Publishes the tree of the last search.
    fn show_tree(&self) {
        let newest = self.grove.newest();
        if !self.has_grown || (newest.search == self.now.search && !newest.thinking) {
            return;
        }
        if let Some(tree) = self.player.tree(&BOUNDS) {
            let found = self.now.found.as_ref();
            let (nodes, time) = found.map_or((0, 0), |found| (found.nodes, found.time));
            self.grove.publish(&self.course(), nodes, Duration::from_millis(time), false, tree);
        }
    }

    fn decision(&self, choice: &Choice<String>, expected: Option<&String>) -> Decision {
        let (what, play) = match choice {
            Choice::Play(code) => (Action::Play, Some(code)),
            Choice::Claim => (Action::Claim, None),
            Choice::Resign => (Action::Resign, None),
        };
        let table = table_at(self.kit, &self.now.place).ok();
        let line: Vec<String> = play.into_iter().chain(expected).cloned().collect();
        let mut line = table.map(|mut table| follow(&mut *table, &line)).unwrap_or_default().into_iter();
        let play = play.and_then(|_| line.next());
        Decision { what, expected: play.is_some().then(|| line.next()).flatten(), play }
    }

    fn publish(&mut self) {
        self.now.seq += 1;
        self.state.send_replace(Arc::new(self.now.clone()));
    }
}
