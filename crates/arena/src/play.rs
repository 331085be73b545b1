//! One game: two contestants, a table that knows the rules, clocks, and a record of all of it.

use crate::adjudicate::Adjudicator;
use crate::referee::count;
use crate::{
    Adjudication, Allowance, Contestant, Count, Fault, FaultKind, Over, Referee, Stopwatch, Thought, Turn, Used,
    is_idle, nodes_tolerated,
};
use std::cell::RefCell;
use std::num::{NonZeroU32, NonZeroU64};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tesuji_game::{By, Choice, Limits, NotationError, Outcome, Side};
use tesuji_protocol::Ending;
use tesuji_record::{AnyGame, GameRecord, RulesTable, Step};

/// The opening of a game: a start position and moves.
#[derive(Debug, Clone, PartialEq, Eq, Default, Hash)]
pub struct Opening {
    /// The position; `None` for the usual start.
    pub start: Option<String>,
    /// The moves from there that are played without thinking, in the protocol's notation.
    pub moves: Vec<String>,
}

/// The conditions of a game: rules, allowances, adjudication.
#[derive(Debug, Clone)]
pub struct Conditions {
    /// The rules, as the game reads them; empty: the usual ones.
    pub rules: String,
    /// The limits of each side, [`Side::First`] before [`Side::Second`].
    pub allowances: [Allowance; 2],
    /// The rules by which games are adjudicated.
    pub adjudication: Adjudication,
}

impl Conditions {
    /// Conditions with one allowance for both sides, usual rules and no adjudication.
    pub fn even(allowance: Allowance) -> Conditions {
        Conditions {
            rules: String::new(),
            allowances: [allowance.clone(), allowance],
            adjudication: Adjudication::default(),
        }
    }
}

/// A game that was played to its end.
#[derive(Debug, Clone)]
pub struct Played {
    /// Moves with values, depths, nodes and times; outcome set. Names and other tags are the caller's.
    pub record: GameRecord<String>,
    /// The winner and the reason.
    pub outcome: Outcome,
    /// The fault that decided the game, if one did, with the side at fault.
    pub fault: Option<(Side, Fault)>,
    /// The count of the final position, where the game was counted.
    pub count: Option<Count>,
    /// Moves made, opening included.
    pub plies: u32,
    /// Time and nodes used by each side, [`Side::First`] before [`Side::Second`].
    pub used: [Used; 2],
}

/// The reason why a game has no result.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum NoGame {
    /// The match was stopped.
    Stopped,
    /// The opening or the rules are wrong.
    Opening(NotationError),
    /// This contestant lost its evaluator: the game says nothing of either.
    Void(Side, Fault),
}

/// Plays a game from `opening` to its end. `contestants` are given as [`Side::First`], [`Side::Second`].
///
/// Whatever a contestant does, the game has a result, unless its evaluator gives no answer.
///
/// # Errors
/// When there is nothing to play, `stop` was raised, or an evaluator was lost.
pub fn play_game(
    game: &dyn AnyGame,
    opening: &Opening,
    contestants: [&mut dyn Contestant; 2],
    conditions: &Conditions,
    stop: &AtomicBool,
) -> Result<Played, NoGame> {
    play_seen_game(game, opening, contestants, conditions, stop, &mut |_| {}, None)
}

/// A move as shown to spectators.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// The side that moved.
    pub side: Side,
    /// The move, in the protocol's notation.
    pub mv: &'a str,
    /// The search behind it.
    pub thought: &'a Thought,
    /// The mover's clock after it, where there is one.
    pub left: Option<Duration>,
}

/// The same before a spectator, who is shown every move when it is made, those of the opening excepted; and with a
/// referee, if there is one, who counts the game where it is to be counted.
///
/// # Errors
/// As [`play_game`].
///
/// # Examples
///
/// Two contestants that drop into one column each, before a spectator who writes down what they play:
///
/// ```
/// use std::{sync::atomic::AtomicBool, time::Duration};
/// use tesuji_arena::{Allowance, Conditions, Contestant, Fault, Opening, Thought, Turn, play_seen_game};
/// use tesuji_game::Choice;
/// use tesuji_record::{Of, of};
/// use tesuji_testkit::four::Four;
/// struct Stacker(&'static str);
/// impl Contestant for Stacker {
///     fn name(&self) -> &str {
///         "stacker"
///     }
///     fn new_game(&mut self, _rules: &str) -> Result<(), Fault> {
///         Ok(())
///     }
///     fn think(&mut self, _turn: &Turn<'_>) -> Result<Thought, Fault> {
///         Ok(Thought::new(Choice::Play(self.0.to_string()), Duration::ZERO))
///     }
/// }
///
/// static FOUR: Of<Four> = of(&[]);
/// let (mut first, mut second, mut moves) = (Stacker("1"), Stacker("2"), String::new());
/// play_seen_game(
///     &FOUR,
///     &Opening::default(),
///     [&mut first, &mut second],
///     &Conditions::even(Allowance::of_nodes(1)),
///     &AtomicBool::new(false),
///     &mut |seen| moves += seen.mv,
///     None,
/// )
/// .unwrap();
/// assert_eq!(moves, "1212121");
/// ```
pub fn play_seen_game(
    game: &dyn AnyGame,
    opening: &Opening,
    mut contestants: [&mut dyn Contestant; 2],
    conditions: &Conditions,
    stop: &AtomicBool,
    see: &mut dyn FnMut(&Seen<'_>),
    referee: Option<&mut (dyn Referee + '_)>,
) -> Result<Played, NoGame> {
    let mut table = game.table(&conditions.rules, opening.start.as_deref()).map_err(NoGame::Opening)?;
    for mv in &opening.moves {
        table.play(mv).map_err(NoGame::Opening)?;
    }
    let record = GameRecord::from_moves(table.rules(), opening.start.as_deref(), opening.moves.iter().cloned());
    let mut match_ = Running {
        table,
        clocks: [0, 1].map(|i| conditions.allowances[i].control.clone().map(Stopwatch::new)),
        watch: Adjudicator::new(conditions.adjudication, opening.moves.len() as u32),
        moves: opening.moves.clone(),
        record,
        used: [Used::default(); 2],
        is_pondering: [false; 2],
        draw_offered_by: None,
        conditions,
        stop,
        see,
    };
    let (mut outcome, fault) = match match_.play(&mut contestants) {
        Ok(outcome) => (outcome, None),
        Err((_, fault)) if fault.kind == FaultKind::Stopped => return Err(NoGame::Stopped),
        Err((side, fault)) if fault.kind == FaultKind::Evaluator => return Err(NoGame::Void(side, fault)),
        Err((side, mut fault)) => {
            if fault.last_lines.is_empty() {
                fault.last_lines = contestants[side.index()].last_lines();
            }
            (Outcome::win(!side, fault_by(fault.kind)), Some((side, fault)))
        }
    };
    let Running { table, mut record, moves, used, .. } = match_;
    let (start, side) = (opening.start.as_deref(), table.side_to_move());
    let over = Over { rules: table.rules(), start, moves: &moves, side };
    let count = count(outcome, table.as_ref(), &over, &mut contestants, referee);
    let count = count.map(|(counted, count)| {
        outcome = counted;
        let last = record.last();
        record.note_mut(last).comment = count.text();
        count
    });
    record.outcome = Some(outcome);
    for side in Side::ALL {
        let ending = match outcome.winner {
            None => Ending::Draw,
            Some(winner) if winner == side => Ending::Win,
            Some(_) => Ending::Lose,
        };
        // Who broke gets no more commands.
        if !fault.as_ref().is_some_and(|(faulty, fault): &(Side, Fault)| *faulty == side && fault.kind.breaks()) {
            contestants[side.index()].end_game(ending);
        }
    }
    Ok(Played { record, outcome, fault, count, plies: moves.len() as u32, used })
}

/// The reason in records for a fault.
fn fault_by(kind: FaultKind) -> By {
    match kind {
        FaultKind::Time => By::Time,
        FaultKind::Illegal => By::Illegal,
        _ => By::Disconnect,
    }
}

/// A game in play.
struct Running<'a> {
    table: Box<dyn RulesTable>,
    clocks: [Option<Stopwatch>; 2],
    watch: Adjudicator,
    moves: Vec<String>,
    record: GameRecord<String>,
    used: [Used; 2],
    is_pondering: [bool; 2],
    draw_offered_by: Option<Side>,
    conditions: &'a Conditions,
    stop: &'a AtomicBool,
    see: &'a mut dyn FnMut(&Seen<'_>),
}

impl Running<'_> {
    /// Plays until somebody has won, or nobody can, or a side is at fault.
    fn play(&mut self, contestants: &mut [&mut dyn Contestant; 2]) -> Result<Outcome, (Side, Fault)> {
        for side in Side::ALL {
            contestants[side.index()].new_game(self.table.rules()).map_err(|fault| (side, fault))?;
        }
        if let Some(outcome) = self.table.outcome() {
            return Ok(outcome);
        }
        loop {
            let side = self.table.side_to_move();
            if let Some(outcome) = self.turn(side, contestants).map_err(|fault| (side, fault))? {
                return Ok(outcome);
            }
        }
    }

    /// One move; the outcome when it ends the game otherwise than by the position it leads to.
    fn turn(&mut self, side: Side, contestants: &mut [&mut dyn Contestant; 2]) -> Result<Option<Outcome>, Fault> {
        let [first, second] = contestants;
        let (contestant, other) = match side {
            Side::First => (first, second),
            Side::Second => (second, first),
        };
        let thought = self.ask(side, &mut **contestant, &mut **other)?;
        let choice = thought.choice.clone();
        let Choice::Play(text) = choice else { return self.give_up(side, &choice).map(Some) };
        self.table.play(&text).map_err(|e| Fault::new(FaultKind::Illegal, format!("it played {text}: {e}")))?;
        let (over, watched) = (self.table.outcome(), self.watch.after(side, thought.value));
        if over.is_none() && watched == Some(Outcome::win(!side, By::Resignation)) {
            // As engines that resign themselves, in place of the move: records know no resignation out of turn.
            self.table.undo();
            return Ok(watched);
        }
        // As the game writes it, whatever way its engine has.
        let text = self.table.last_move().map_or(text, str::to_string);
        self.write_down(side, &thought, text);
        let ended = over.or(watched).or(self.agree(side, thought.offers_draw));
        if let (None, Some(expected)) = (ended, thought.expected) {
            self.ponder(side, &mut **contestant, expected);
        }
        Ok(ended)
    }

    /// Asks for a move, and sees to the clock.
    fn ask(&mut self, side: Side, mover: &mut dyn Contestant, other: &mut dyn Contestant) -> Result<Thought, Fault> {
        let other = RefCell::new(other);
        let attend = || other.borrow_mut().attend();
        let [own, opponent] = [side, !side].map(|s| self.clocks[s.index()].as_ref());
        let allowance = &self.conditions.allowances[side.index()];
        let deadline = allowance.deadline(own.map(Stopwatch::available));
        let limits = allowance.limits(side, own, opponent);
        let turn = Turn {
            start: self.record.start.as_deref(),
            moves: &self.moves,
            side,
            limits: &limits,
            deadline,
            patience: allowance.patience(deadline),
            stop: self.stop,
            attend: if self.is_pondering[(!side).index()] { Some(&attend) } else { None },
            is_draw_offered: self.draw_offered_by == Some(!side),
        };
        self.is_pondering[side.index()] = false;
        let thought = mover.think(&turn)?;
        self.account(side, &thought, deadline.map(|d| d - allowance.margin));
        if let Some(deadline) = deadline
            && thought.spent > deadline
        {
            return Err(time_loss(&thought, deadline - allowance.margin, deadline));
        }
        if let Some(clock) = &mut self.clocks[side.index()] {
            clock.press(thought.spent);
        }
        Ok(thought)
    }

    /// A side ends the game instead of moving.
    fn give_up(&self, side: Side, choice: &Choice<String>) -> Result<Outcome, Fault> {
        match (choice, self.table.claim()) {
            (Choice::Resign, _) => Ok(Outcome::win(!side, By::Resignation)),
            (_, Some(outcome)) => Ok(outcome),
            (_, None) => Err(Fault::new(FaultKind::Illegal, "it claims what it has no right to")),
        }
    }

    /// A draw that one side offers and the other offers, too, with its next move is agreed.
    fn agree(&mut self, side: Side, offers: bool) -> Option<Outcome> {
        let was_offered = self.draw_offered_by.take() == Some(!side);
        if offers {
            self.draw_offered_by = Some(side);
        }
        (offers && was_offered).then_some(Outcome::draw(By::Agreement))
    }

    /// Lets a contestant think on about the move that it expects, if that is one.
    fn ponder(&mut self, side: Side, contestant: &mut dyn Contestant, expected: String) {
        if self.table.play(&expected).is_err() {
            return;
        }
        let is_over = self.table.outcome().is_some() || self.table.side_to_move() != side;
        self.table.undo();
        if is_over {
            return;
        }
        self.moves.push(expected);
        let [own, opponent] = [side, !side].map(|s| self.clocks[s.index()].as_ref());
        let allowance = &self.conditions.allowances[side.index()];
        let limits = Limits { ponder: true, ..allowance.limits(side, own, opponent) };
        let turn = Turn {
            start: self.record.start.as_deref(),
            moves: &self.moves,
            side,
            limits: &limits,
            deadline: None,
            patience: Duration::ZERO,
            stop: self.stop,
            attend: None,
            is_draw_offered: false,
        };
        self.is_pondering[side.index()] = contestant.ponder(&turn);
        self.moves.pop();
    }

    /// Adds up what was used.
    fn account(&mut self, side: Side, thought: &Thought, allowed: Option<Duration>) {
        let (allowance, clock) = (&self.conditions.allowances[side.index()], self.clocks[side.index()].as_ref());
        let used = &mut self.used[side.index()];
        used.moves += 1;
        used.time += thought.spent;
        used.longest = used.longest.max(thought.spent);
        used.nodes = used.nodes.saturating_add(thought.nodes);
        used.depths += u64::from(thought.depth);
        let given = allowance.share(clock).unwrap_or_default();
        used.given += given;
        used.idle_moves += u32::from(is_idle(thought.spent, given));
        used.silent += u32::from(thought.is_silent);
        used.excess_moves += u32::from(allowance.nodes.is_some_and(|limit| thought.nodes > nodes_tolerated(limit)));
        used.nodes_most = used.nodes_most.max(thought.nodes);
        used.starved += thought.starved.unwrap_or_default();
        if let Some(allowed) = allowed {
            used.overrun = used.overrun.max(thought.spent.saturating_sub(allowed));
        }
    }

    /// Puts a move and what was thought into the record.
    fn write_down(&mut self, side: Side, thought: &Thought, text: String) {
        let left = self.clocks[side.index()].as_ref().map(Stopwatch::left);
        (self.see)(&Seen { side, mv: &text, thought, left });
        self.moves.push(text.clone());
        let node = self.record.append(Step::Move(text));
        let note = self.record.note_mut(node);
        note.spent = Some(thought.spent);
        note.told = thought.told;
        note.left = left;
        note.value = thought.value;
        note.depth = NonZeroU32::new(thought.depth);
        note.nodes = NonZeroU64::new(thought.nodes);
    }
}

/// A loss on time, and whether the processor was to blame.
fn time_loss(thought: &Thought, allowed: Duration, deadline: Duration) -> Fault {
    let ms = |t: Duration| t.as_secs_f64() * 1e3;
    let mut detail = format!("{:.1} ms used of {:.1} ms", ms(thought.spent), ms(allowed));
    let mut stolen = false;
    if let Some(starved) = thought.starved {
        stolen = thought.spent.saturating_sub(starved) <= deadline;
        detail += &format!("; for {:.1} ms of them it waited for a processor", ms(starved));
    }
    Fault { stolen, ..Fault::new(FaultKind::Time, detail) }
}
