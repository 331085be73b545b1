//! Time, node and depth limits of a contestant's moves, and the deadline of a move by its clock.

use crate::{Stopwatch, TimeControl};
use std::{fmt, time::Duration};
use tesuji_game::{Limits, Side};

/// Time, node and depth limits of one contestant. All that are given hold at once.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use tesuji_arena::{Allowance, Stopwatch};
/// let seconds = Duration::from_secs;
/// let allowance =
///     Allowance { control: Some("60+1".parse()?), move_time: Some(seconds(10)), ..Allowance::default() };
/// let clock = Stopwatch::new("60+1".parse()?);
/// // The tighter of both limits, and what is forgiven.
/// assert_eq!(allowance.deadline(Some(clock.available())), Some(seconds(10) + allowance.margin));
/// assert_eq!(allowance.share(Some(&clock)), Some(seconds(60) / 40 + seconds(1)));
/// assert!(allowance.is_limited() && !Allowance::default().is_limited());
/// # Ok::<(), tesuji_arena::ControlError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Allowance {
    /// Time for the game.
    pub control: Option<TimeControl>,
    /// Time for a move.
    pub move_time: Option<Duration>,
    /// Nodes a move.
    pub nodes: Option<u64>,
    /// Nodes of a move after which no new iteration begins; for players of this process alone, since protocols have no word for it.
    pub soft_nodes: Option<u64>,
    /// Plies a move.
    pub depth: Option<u32>,
    /// Overstepping that is forgiven.
    pub margin: Duration,
    /// Time beyond the limits after which a contestant without a move is taken to hang; `None`: chosen to fit the limits.
    pub patience: Option<Duration>,
}

impl Allowance {
    /// Nodes a move, and nothing else.
    pub fn of_nodes(nodes: u64) -> Allowance {
        Allowance { nodes: Some(nodes), ..Allowance::default() }
    }

    /// That of one side, where the clock is another one for each.
    pub fn of(&self, side: Side) -> Allowance {
        Allowance { control: self.control.as_ref().map(|control| control.of(side)), ..self.clone() }
    }

    /// The same on a machine that is slower by `factor`: clocks and times of moves are longer, and what counts is as it was.
    pub fn scaled(&self, factor: f64) -> Allowance {
        let longer = |time: Duration| Duration::from_secs_f64((time.as_secs_f64() * factor).clamp(0.0, 3.2e9));
        Allowance {
            control: self.control.as_ref().map(|control| control.scaled(factor)),
            move_time: self.move_time.map(longer),
            ..self.clone()
        }
    }

    /// Whether time limits it.
    pub fn is_timed(&self) -> bool {
        self.control.is_some() || self.move_time.is_some()
    }

    /// Whether any limit is given.
    pub fn is_limited(&self) -> bool {
        let counts = self.nodes.is_some() || self.soft_nodes.is_some() || self.depth.is_some();
        self.control.is_some() || self.move_time.is_some() || counts
    }

    /// After which time a move is too late, with this much on the clock.
    pub fn deadline(&self, left: Option<Duration>) -> Option<Duration> {
        let limit = match (left, self.move_time) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        limit.map(|l| l + self.margin)
    }

    /// The time for the next move by an even division of its time, with this clock; `None` where nodes or depths limit the move.
    pub fn share(&self, clock: Option<&Stopwatch>) -> Option<Duration> {
        if self.nodes.is_some() || self.depth.is_some() {
            return None;
        }
        match (clock.map(Stopwatch::share), self.move_time) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// After which time a contestant is given up as hung: with a clock two seconds after the flag, without one what the
    /// slowest engine might need.
    pub fn patience(&self, deadline: Option<Duration>) -> Duration {
        let base = match (deadline, self.nodes) {
            (Some(deadline), _) => deadline + Duration::from_secs(2),
            (None, Some(nodes)) => Duration::from_secs(10) + Duration::from_micros(nodes.saturating_mul(100)),
            (None, None) => Duration::from_secs(600),
        };
        match self.patience {
            Some(extra) => deadline.unwrap_or_default() + extra,
            None => base,
        }
    }

    /// The limits of a search, with these clocks (own and the opponent's; own stands in where it has none).
    pub fn limits(&self, side: Side, own: Option<&Stopwatch>, other: Option<&Stopwatch>) -> Limits {
        let clock = own.map(|own| {
            let mut pair = [own.clock(), other.unwrap_or(own).clock()];
            if side == Side::Second {
                pair.swap(0, 1);
            }
            pair
        });
        let Allowance { depth, nodes, soft_nodes, move_time, .. } = *self;
        Limits { depth, nodes, soft_nodes, move_time, clock, ..Limits::default() }
    }
}

impl Default for Allowance {
    /// No limits, and a margin of 50 ms: on a shared machine the scheduler takes that much now and then.
    fn default() -> Allowance {
        Allowance {
            control: None,
            move_time: None,
            nodes: None,
            soft_nodes: None,
            depth: None,
            margin: Duration::from_millis(50),
            patience: None,
        }
    }
}

impl fmt::Display for Allowance {
    /// As in a PGN's `TimeControl` tag and in tables: `1+0.01`, `nodes 5000`, `40/4 and depth 9`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if let Some(c) = &self.control {
            parts.push(c.to_string());
        }
        if let Some(t) = self.move_time {
            parts.push(format!("{} s a move", t.as_secs_f64()));
        }
        if let Some(n) = self.nodes {
            parts.push(format!("nodes {n}"));
        }
        if let Some(n) = self.soft_nodes {
            parts.push(format!("soft nodes {n}"));
        }
        if let Some(d) = self.depth {
            parts.push(format!("depth {d}"));
        }
        if parts.is_empty() { write!(f, "no limit") } else { write!(f, "{}", parts.join(" and ")) }
    }
}
