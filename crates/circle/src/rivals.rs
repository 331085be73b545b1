//! Programs that move for one side in some games of a batch of games: processes that answer in threads of their own.

use crate::CircleError;
use crossbeam_channel::{Receiver, Sender, unbounded};
use std::{
    fmt,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread::{Builder, Scope},
    time::Duration,
};
use tesuji_arena::{Contestant, Entrant, Fault, FaultKind, Turn};
use tesuji_game::{Choice, Random, Side};
use tesuji_jobs::Interrupt;
use tesuji_kit::networks::{BatchedAnswer, BatchedRivals};

/// Time that an idle batch waits for an answer before it checks for a stop.
const WAIT: Duration = Duration::from_millis(20);
/// Attempts at the same question before the games end; the program is restarted in between.
const ATTEMPTS: u32 = 2;

/// The programs, and in how many games they play.
pub struct Opponents {
    /// Each with limits for a move: nodes, depth or time.
    pub entrants: Vec<Entrant>,
    /// The share of the games in which one of them moves for one side, drawn by each game's number.
    pub share: f64,
    /// Processes of each.
    pub processes: usize,
}

impl fmt::Debug for Opponents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.entrants.iter().map(|entrant| entrant.name.as_str()).collect();
        write!(f, "{names:?} in {} of the games, {} processes each", self.share, self.processes)
    }
}

impl Opponents {
    /// The opponent of game `number` and its side, if it has one.
    fn drawn(&self, seed: u64, number: u64) -> Option<(usize, Side)> {
        let mut random = Random::for_item(seed ^ 0x7269_7661_6c73, number);
        if random.unit() >= self.share || self.entrants.is_empty() {
            return None;
        }
        let which = random.below(self.entrants.len());
        Some((which, if random.below(2) == 0 { Side::First } else { Side::Second }))
    }
}

/// A question to one of them.
struct Question {
    number: u64,
    /// The start, if it is not the usual one.
    start: Option<String>,
    moves: Vec<String>,
    side: Side,
    reply: Sender<Answer>,
}

/// The answer of an opponent; the error says why there is no choice.
struct Answer {
    number: u64,
    choice: Result<Choice<String>, String>,
}

/// The queues, one for each program, in which batches of games leave their questions.
#[derive(Clone)]
pub(crate) struct QuestionQueues(Vec<Sender<Question>>);

/// Starts the threads that answer, or as many for each program as the system gives. They end when the last copy of the queues is gone, or `halt` is raised while they think.
///
/// # Errors
/// When the system gives a program no thread.
pub(crate) fn open<'scope, 'env: 'scope>(
    scope: &'scope Scope<'scope, 'env>,
    opponents: &'env Opponents,
    (rules, stop, halt): (&'env str, &'env Interrupt, &'env AtomicBool),
) -> Result<QuestionQueues, CircleError> {
    let queue = |entrant: &'env Entrant| {
        let (sender, questions) = unbounded::<Question>();
        for started in 0..opponents.processes.max(1) {
            let questions = questions.clone();
            let serve = move || {
                let mut servant = Servant { entrant, rules, stop, halt, contestant: None };
                for question in questions {
                    // Nobody waits for what is left in the queue.
                    if halt.load(Relaxed) {
                        break;
                    }
                    let (number, choice) = (question.number, servant.choose(&question));
                    // Anyone who asked may have stopped.
                    let _ = question.reply.send(Answer { number, choice });
                }
                if let Some(mut contestant) = servant.contestant {
                    let _ = contestant.quit();
                }
            };
            match Builder::new().spawn_scoped(scope, serve) {
                Ok(_) => {}
                // One thread asks its process about all games.
                Err(error) if started == 0 => return Err(CircleError::NoThread(error)),
                Err(_) => break,
            }
        }
        Ok(sender)
    };
    opponents.entrants.iter().map(queue).collect::<Result<_, _>>().map(QuestionQueues)
}

/// A thread with a process of one program.
struct Servant<'a> {
    entrant: &'a Entrant,
    rules: &'a str,
    stop: &'a Interrupt,
    halt: &'a AtomicBool,
    contestant: Option<Box<dyn Contestant>>,
}

impl Servant<'_> {
    /// The choice of the program, which is started where it is not there.
    fn choose(&mut self, question: &Question) -> Result<Choice<String>, String> {
        let mut words = String::new();
        for _ in 0..ATTEMPTS {
            match self.think(question) {
                Ok(choice) => return Ok(choice),
                Err(fault) => {
                    words = format!("{}: {}", self.entrant.name, fault.detail);
                    if let Some(line) = fault.last_lines.last() {
                        words += &format!("; its last line: {line}");
                    }
                    if fault.kind == FaultKind::Stopped {
                        break;
                    }
                }
            }
        }
        Err(words)
    }

    fn think(&mut self, question: &Question) -> Result<Choice<String>, Fault> {
        let mut contestant = match self.contestant.take() {
            Some(contestant) => contestant,
            None => {
                let mut contestant = (self.entrant.make)(self.stop)?;
                contestant.new_game(self.rules)?;
                contestant
            }
        };
        let allowance = &self.entrant.allowance;
        let turn = Turn {
            start: question.start.as_deref(),
            moves: &question.moves,
            side: question.side,
            limits: &allowance.limits(question.side, None, None),
            deadline: None,
            patience: allowance.patience(allowance.move_time),
            stop: self.halt,
            attend: None,
            is_draw_offered: false,
        };
        match contestant.think(&turn) {
            Ok(thought) => {
                if !contestant.is_spent() {
                    self.contestant = Some(contestant);
                }
                Ok(thought.choice)
            }
            Err(fault) => {
                let _ = contestant.quit();
                Err(fault)
            }
        }
    }
}

/// One batch's way to the programs.
pub(crate) struct OpponentGames<'a> {
    opponents: &'a Opponents,
    seed: u64,
    queues: QuestionQueues,
    reply: Sender<Answer>,
    answers: Receiver<Answer>,
}

impl<'a> OpponentGames<'a> {
    /// A way through these queues, for games drawn by `seed`.
    pub(crate) fn new(opponents: &'a Opponents, seed: u64, queues: QuestionQueues) -> Self {
        let (reply, answers) = unbounded();
        OpponentGames { opponents, seed, queues, reply, answers }
    }
}

impl BatchedRivals for OpponentGames<'_> {
    fn side(&self, number: u64) -> Option<Side> {
        self.opponents.drawn(self.seed, number).map(|(_, side)| side)
    }

    fn ask(&mut self, number: u64, start: Option<String>, moves: Vec<String>) -> Result<(), String> {
        let (which, side) = self.opponents.drawn(self.seed, number).ok_or("a game without an opponent")?;
        let question = Question { number, start, moves, side, reply: self.reply.clone() };
        self.queues.0[which].send(question).map_err(|_| "nobody answers any more".to_string())
    }

    fn answer(&mut self, wait: bool) -> Result<Option<BatchedAnswer>, (u64, String)> {
        let answer = if wait { self.answers.recv_timeout(WAIT).ok() } else { self.answers.try_recv().ok() };
        let Some(Answer { number, choice }) = answer else { return Ok(None) };
        choice.map(|choice| Some((number, choice))).map_err(|words| (number, words))
    }
}
