//! Checks of searches: moves that can be played, limits that are kept, orders that are obeyed.

use super::{Check, CheckVerdict, Subject, ms};
use crate::{Dialect, Stopwatch, TimeControl, is_few, is_idle, nodes_tolerated};
use std::time::Duration;
use tesuji_game::{Choice, Clock, Limits, Side};
use tesuji_protocol::{BoardCommand, Command, Go, Info, Reply};

/// The checks of UCI and USI.
pub(super) const CHECKS: [Check; 12] = [
    ("move from the start", move_from_the_start),
    ("move after moves", move_after_moves),
    ("depth limit", depth_limit),
    ("node limit", node_limit),
    ("time for a move", time_for_a_move),
    ("clock", clock),
    ("score before pv", score_before_pv),
    ("legal pv", legal_pv),
    ("ready while thinking", ready_while_thinking),
    ("stop", stop),
    ("stop without a search", stop_without_a_search),
    ("ponder", ponder),
];
/// The checks of XBoard's protocol.
pub(super) const XBOARD_CHECKS: [Check; 5] = [
    ("move from the start", move_from_the_start),
    ("move after moves", move_after_moves),
    ("depth limit", depth_limit),
    ("time for a move", time_for_a_move),
    ("clock", clock),
];

/// Timeout of a search without a clock.
const SEARCH: Duration = Duration::from_secs(20);
/// Timeout of a command such as `stop`.
const ORDER: Duration = Duration::from_secs(2);
/// Tolerance for delays of the machine.
const SLACK: Duration = Duration::from_millis(100);

/// The output of a search.
struct Searched {
    choice: Option<Choice<String>>,
    ponder: Option<String>,
    infos: Vec<(Info, String)>,
    time: Duration,
}

impl Subject<'_> {
    fn go(&mut self, moves: &[String], limits: Limits) {
        let board = Command::Board(BoardCommand::Set { start: None, moves: moves.to_vec() });
        let side = if moves.len().is_multiple_of(2) { Side::First } else { Side::Second };
        self.probe.send(&[board, Command::Go(Go { limits, side: Some(side), commit: true, ..Go::default() })]);
    }

    /// Waits for the move.
    fn best(&mut self, patience: Duration) -> Result<Searched, String> {
        let mut searched = Searched { choice: None, ponder: None, infos: Vec::new(), time: Duration::ZERO };
        let reply = self.probe.hear(patience, |reply, line| {
            match reply {
                Reply::Info(info) => searched.infos.push((info.clone(), line.to_string())),
                Reply::Best { choice, ponder } => {
                    (searched.choice, searched.ponder) = (choice.clone(), ponder.clone());
                    return true;
                }
                _ => {}
            }
            false
        });
        searched.time = reply.map_err(|silence| super::in_words("move", patience, silence))?;
        Ok(searched)
    }

    /// Searches from a new game and judges the move.
    fn search(&mut self, moves: &[String], limits: Limits, patience: Duration) -> Result<Searched, String> {
        self.probe.send(&[Command::NewGame]);
        self.sync()?;
        self.go(moves, limits);
        let searched = self.best(patience)?;
        self.judge(moves, &searched)?;
        Ok(searched)
    }

    /// Whether the move can be played, as far as we know the rules.
    fn judge(&self, moves: &[String], searched: &Searched) -> Result<(), String> {
        let Some(mut table) = self.table().filter(|_| self.knows_rules) else { return Ok(()) };
        moves.iter().try_for_each(|mv| table.play(mv)).map_err(|e| e.to_string())?;
        match &searched.choice {
            Some(Choice::Play(mv)) => table.play(mv).map_err(|e| format!("its move {mv}: {e}")),
            Some(Choice::Resign) => Ok(()),
            Some(Choice::Claim) => Err("it claims a win".to_string()),
            None => Err("it says that it has no move".to_string()),
        }
    }

    /// Some moves from the start.
    fn some_moves(&self) -> Vec<String> {
        let Some(mut table) = self.table().filter(|_| self.knows_rules) else { return Vec::new() };
        for index in 0..4 {
            let moves = table.moves();
            if let Some(mv) = moves.get(index * 7 % moves.len().max(1)) {
                let _ = table.play(mv);
            }
        }
        table.played()
    }
}

fn verdict(result: Result<String, String>) -> CheckVerdict {
    result.map_or_else(CheckVerdict::Error, CheckVerdict::Ok)
}

fn one_second() -> Limits {
    Limits { move_time: Some(Duration::from_secs(1)), ..Limits::default() }
}

fn move_from_the_start(subject: &mut Subject<'_>) -> CheckVerdict {
    let searched = match subject.search(&[], one_second(), SEARCH) {
        Ok(searched) => searched,
        Err(words) => return CheckVerdict::Error(words),
    };
    // Which game a USI engine plays, it does not say: ours, if its first move is one of it.
    if subject.dialect == Dialect::Usi {
        subject.knows_rules = true;
        subject.knows_rules = subject.judge(&[], &searched).is_ok();
    }
    CheckVerdict::Ok(searched.choice.map_or(String::new(), |choice| text_of(&choice)))
}

fn text_of(choice: &Choice<String>) -> String {
    match choice {
        Choice::Play(mv) => mv.clone(),
        Choice::Resign => "resigns".to_string(),
        Choice::Claim => "claims".to_string(),
    }
}

fn move_after_moves(subject: &mut Subject<'_>) -> CheckVerdict {
    let moves = subject.some_moves();
    if moves.is_empty() {
        return CheckVerdict::Skipped("the rules of its game are not known here".to_string());
    }
    let searched = subject.search(&moves, one_second(), SEARCH);
    verdict(searched.map(|s| format!("{} after {}", text_of(&s.choice.unwrap_or(Choice::Resign)), moves.join(" "))))
}

fn depth_limit(subject: &mut Subject<'_>) -> CheckVerdict {
    let depth = 3;
    match subject.search(&[], Limits { depth: Some(depth), ..Limits::default() }, SEARCH) {
        Err(words) => CheckVerdict::Error(words),
        Ok(searched) if searched.infos.is_empty() => {
            CheckVerdict::Warning("it sends no info: nobody sees what it searched, and whether it searched".to_string())
        }
        Ok(searched) => match searched.infos.iter().filter_map(|(info, _)| info.depth).max() {
            None => CheckVerdict::Warning("it tells no depth".to_string()),
            Some(told) if told > depth => CheckVerdict::Warning(format!("{told} plies instead of {depth}")),
            Some(told) => CheckVerdict::Ok(format!("{told} plies in {}", ms(searched.time))),
        },
    }
}

fn node_limit(subject: &mut Subject<'_>) -> CheckVerdict {
    let nodes = 2000;
    match subject.search(&[], Limits { nodes: Some(nodes), ..Limits::default() }, SEARCH) {
        Err(words) => CheckVerdict::Error(words),
        Ok(searched) => match searched.infos.iter().filter_map(|(info, _)| info.nodes).max() {
            None => CheckVerdict::Warning("it tells no nodes".to_string()),
            Some(told) if told > nodes_tolerated(nodes) => {
                CheckVerdict::Warning(format!("{told} nodes instead of {nodes}"))
            }
            Some(told) if is_few(told, nodes) => {
                CheckVerdict::Warning(format!("{told} of {nodes} nodes: it hardly thinks where nodes limit it"))
            }
            Some(told) => CheckVerdict::Ok(format!("{told} of {nodes} nodes")),
        },
    }
}

fn time_for_a_move(subject: &mut Subject<'_>) -> CheckVerdict {
    let time = Duration::from_millis(300);
    // XBoard engines read whole seconds.
    let time = if subject.dialect == Dialect::Xboard { Duration::from_secs(1) } else { time };
    let limits = Limits { move_time: Some(time), ..Limits::default() };
    thought(subject.search(&[], limits, SEARCH), time, time)
}

fn clock(subject: &mut Subject<'_>) -> CheckVerdict {
    let (left, increment) = (Duration::from_secs(2), Duration::from_millis(100));
    let clock = Clock { left, increment, ..Clock::default() };
    let limits = Limits { clock: Some([clock, clock]), ..Limits::default() };
    let share = Stopwatch::new(TimeControl::new(left, increment)).share();
    thought(subject.search(&[], limits, SEARCH), left, share)
}

/// Whether it kept to its time, and used a part of what was there for a move: one that answers at once loses every match by time
/// without a fault.
fn thought(searched: Result<Searched, String>, time: Duration, given: Duration) -> CheckVerdict {
    match &searched {
        Ok(searched) if is_idle(searched.time, given) => {
            CheckVerdict::Warning(format!("{} of {}: it hardly thinks", ms(searched.time), ms(given)))
        }
        _ => within(searched, time),
    }
}

fn within(searched: Result<Searched, String>, time: Duration) -> CheckVerdict {
    match searched {
        Err(words) => CheckVerdict::Error(words),
        Ok(searched) if searched.time > time + SLACK => {
            CheckVerdict::Error(format!("it took {} of {}", ms(searched.time), ms(time)))
        }
        Ok(searched) => CheckVerdict::Ok(format!("{} of {}", ms(searched.time), ms(time))),
    }
}

/// Runners take the score that stands before a line for the line's.
fn score_before_pv(subject: &mut Subject<'_>) -> CheckVerdict {
    let searched = match subject.search(&[], Limits { depth: Some(4), ..Limits::default() }, SEARCH) {
        Ok(searched) => searched,
        Err(words) => return CheckVerdict::Error(words),
    };
    let lines: Vec<_> = searched.infos.iter().filter(|(info, _)| !info.pv.is_empty()).collect();
    let wrong = lines.iter().find(|(info, line)| info.score.is_none() || line.find(" score ") > line.find(" pv "));
    match (lines.len(), wrong) {
        (0, _) => CheckVerdict::Warning("it tells no pv".to_string()),
        (_, Some((_, line))) => CheckVerdict::Warning(line.clone()),
        (n, None) => CheckVerdict::Ok(format!("{n} lines")),
    }
}

fn legal_pv(subject: &mut Subject<'_>) -> CheckVerdict {
    if !subject.knows_rules {
        return CheckVerdict::Skipped("the rules of its game are not known here".to_string());
    }
    let moves = subject.some_moves();
    let searched = match subject.search(&moves, Limits { depth: Some(5), ..Limits::default() }, SEARCH) {
        Ok(searched) => searched,
        Err(words) => return CheckVerdict::Error(words),
    };
    for (info, line) in &searched.infos {
        let Some(mut table) = subject.table() else { break };
        let all = moves.iter().chain(&info.pv);
        if let Some(error) = all.into_iter().find_map(|mv| table.play(mv).err()) {
            return CheckVerdict::Warning(format!("{error} in {line}"));
        }
    }
    CheckVerdict::Ok(format!("{} lines", searched.infos.len()))
}

fn infinite(subject: &mut Subject<'_>) -> Result<(), String> {
    subject.probe.send(&[Command::NewGame]);
    subject.sync()?;
    subject.go(&[], Limits { infinite: true, ..Limits::default() });
    match subject.best(Duration::from_millis(300)) {
        Ok(_) => Err("it moves before it is told to".to_string()),
        Err(words) if words.starts_with("no ") => Ok(()),
        Err(words) => Err(words),
    }
}

fn ready_while_thinking(subject: &mut Subject<'_>) -> CheckVerdict {
    let asked = infinite(subject);
    subject.probe.send(&[Command::Sync]);
    let answer = asked.and_then(|()| subject.expect("readyok", ORDER, |reply| *reply == Reply::Ready));
    subject.probe.send(&[Command::Stop]);
    let stopped = subject.best(ORDER);
    verdict(answer.and_then(|time| stopped.map(|_| format!("after {}", ms(time)))))
}

fn stop(subject: &mut Subject<'_>) -> CheckVerdict {
    let asked = infinite(subject);
    subject.probe.send(&[Command::Stop]);
    verdict(asked.and_then(|()| subject.best(ORDER)).map(|searched| format!("after {}", ms(searched.time))))
}

fn stop_without_a_search(subject: &mut Subject<'_>) -> CheckVerdict {
    subject.probe.send(&[Command::Stop, Command::Sync]);
    let mut moved = false;
    let ready = subject.expect("readyok", ORDER, |reply| {
        moved |= matches!(reply, Reply::Best { .. });
        *reply == Reply::Ready
    });
    match ready {
        Err(words) => CheckVerdict::Error(words),
        Ok(_) if moved => CheckVerdict::Warning("it moves without being asked".to_string()),
        Ok(_) => CheckVerdict::Ok(String::new()),
    }
}

fn ponder(subject: &mut Subject<'_>) -> CheckVerdict {
    let is_ponder = |name: &str| matches!(name, "Ponder" | "USI_Ponder");
    let Some(name) = subject.offers.iter().map(|o| o.name.clone()).find(|name| is_ponder(name)) else {
        return CheckVerdict::Skipped("it offers no Ponder".to_string());
    };
    subject.probe.send(&[Command::Set { name, value: "true".to_string() }, Command::NewGame]);
    if let Err(words) = subject.sync() {
        return CheckVerdict::Error(words);
    }
    let left = Duration::from_millis(400);
    let clock = Clock { left, ..Clock::default() };
    subject.go(&[], Limits { clock: Some([clock, clock]), ponder: true, ..Limits::default() });
    if let Ok(searched) = subject.best(left + left / 2) {
        return CheckVerdict::Error(format!("it moves after {} while the opponent thinks", ms(searched.time)));
    }
    subject.probe.send(&[Command::PonderHit]);
    within(subject.best(SEARCH), left)
}
