//! Matches: engine processes, referee, openings, adjudication, schedule, scoreboard, crash policy. Games are text behind the door of `record`: nothing here names one.
//!
//! [`Contestant`] is anyone who plays, a process ([`Engine`]) or a player in this process; [`play_game`] is one game
//! between two of them under [`Conditions`]; [`Match`] is many games on many threads, each written when it ends.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod adjudicate;
mod allowance;
mod book;
mod bracket;
mod calendar;
mod check;
mod config;
mod contestant;
mod control;
mod dispatched;
mod dry_run;
mod engine_files;
mod engine_player;
mod engine_request;
mod expected;
mod fault;
mod few_openings;
mod finished;
mod foreign;
pub mod fuzz;
pub mod in_json;
mod journal;
mod journal_choice;
mod match_request;
mod match_unit;
mod matching;
mod moved;
mod opening_files;
mod opening_maker;
mod opening_play;
mod openings;
mod output;
mod packed_game;
mod plan;
mod play;
mod players;
mod position_search;
mod process;
mod referee;
mod regression;
mod repeats;
mod request_error;
mod resume;
mod resume_options;
mod schedule;
mod set_aside;
mod standing;
mod stopwatch;
mod swiss;
mod swiss_pairing;
mod tournament;
mod tournament_request;
mod used;
mod warning;
mod watched;
mod worker;

pub use adjudicate::{Adjudication, DrawRule, ResignRule};
pub use allowance::Allowance;
pub use book::Book;
pub use calendar::{date_text, time_text};
pub use check::{CheckCounts, CheckVerdict, Checked, check_engine, dialect_of};
pub use config::{config_words, config_words_of};
pub use contestant::{Contestant, Over, Thought, Turn};
pub use control::{ControlError, Overtime, Stage, TimeControl};
pub use dry_run::dry_run;
pub use engine_files::check_engine_files;
pub use engine_player::EnginePlayer;
pub use engine_request::{EngineRequest, OwnProgram, entrants, seconds};
pub use expected::expected_time;
pub use fault::{Fault, FaultKind};
pub use few_openings::few_openings;
pub use finished::Finished;
pub use foreign::from_foreign_command;
pub use journal::{GameOrigin, Journal, JournalError, SetAside, Written};
pub use journal_choice::{DEFAULT_JOURNAL, begin_journal, choose_journal};
pub use match_request::{EVENT, MatchRequest, OutputRequest, VERSION, fresh_seed};
pub use match_unit::{MatchKind, begin_match, map_engine_files};
pub use opening_files::{OpeningOrder, built_in_openings, read_openings};
pub use opening_maker::{OpeningsMade, OpeningsRequest, write_openings};
pub use openings::{Making, make_opening, make_openings};
pub use output::{Output, Tail, check_holds_games};
pub use packed_game::{PackedFault, PackedGame};
pub use plan::{Entrant, Maker, MatchPlan, RefereeMaker, fresh_match_id};
pub use play::{Conditions, NoGame, Opening, Played, Seen, play_game, play_seen_game};
pub use position_search::EngineSearch;
pub use process::{
    Dialect, Dialogue, Engine, EngineSpec, GtpAnswer, GtpFault, GtpProcess, News, PositionQuestion, SearchEnd,
};
pub use referee::{Count, Counted, Referee};
pub use regression::{RegressionCase, RegressionNews, RegressionRequest, RegressionVerdict, run_regression};
pub use resume::{Resumed, check_for_lost_games, check_results, open_outputs};
pub use resume_options::{
    RESUME_OPTIONS, check_resume_options, longer_words, words_with_request, words_without, words_without_fleet,
};
pub use schedule::{Fixture, Format, Order, Schedule, Sides};
pub use standing::{Pairing, PlayerCount, Standing};
pub use stopwatch::Stopwatch;
pub use swiss::SwissRow;
pub use tournament::{Match, MatchEnd, MatchError, MatchNews};
pub use tournament_request::TournamentRequest;
pub use used::Used;
pub use warning::{TimeGap, Warning, is_few, is_idle, nodes_tolerated, time_gap, warnings_of};
pub use worker::{Live, Scene};
