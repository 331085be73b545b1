//! Matches: engine processes, referee, openings, adjudication, schedule, scoreboard, crash policy. Games are text behind the door of `record`: nothing here names one.
//!
//! [`Contestant`] is anyone who plays, a process ([`Engine`]) or a player in this process; [`play_game`] is one game
//! between two of them under [`Conditions`]; [`Match`] is many games on many threads, each written when it ends.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod adjudicate;
mod book;
mod bracket;
mod calendar;
mod contestant;
mod control;
mod expected;
mod fault;
pub mod fuzz;
mod journal;
mod openings;
mod output;
mod play;
mod process;
mod referee;
mod schedule;
mod standing;
mod stopwatch;
mod tournament;
mod warning;
mod worker;

pub use adjudicate::{Adjudication, DrawRule, ResignRule};
pub use book::Book;
pub use calendar::{date_text, time_text};
pub use contestant::{Contestant, Thought, Turn};
pub use control::{Allowance, ControlError, Overtime, Stage, TimeControl};
pub use expected::expected_time;
pub use fault::{Fault, FaultKind};
pub use journal::{Journal, JournalError, Written, by_name};
pub use openings::{Making, make_opening, make_openings};
pub use output::{Output, Tail};
pub use play::{Conditions, NoGame, Opening, Played, Seen, Used, play_game, play_seen_game};
pub use process::{Dialect, Dialogue, Engine, EngineSpec, GtpAnswer, GtpFault, GtpProcess};
pub use referee::{Count, Counted, Over, Referee};
pub use schedule::{Fixture, Format, Order, Schedule, Sides};
pub use standing::{Pairing, PlayerCount, Standing};
pub use stopwatch::Stopwatch;
pub use tournament::{End, Entrant, Finished, Maker, Match, MatchError, News, Plan, RefereeMaker};
pub use warning::{TimeGap, Warning, is_few, is_idle, nodes_tolerated, time_gap, warnings_of};
pub use worker::{Live, Scene};
