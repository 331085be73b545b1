//! Go: its rules, Monte-Carlo tree search and best-first search as a kit, on boards of any size.

mod analysis;
mod batched;
mod bench;
mod best;
mod collection;
mod console;
mod explain;
mod final_count;
mod gammas;
mod networks;
mod own_nets;
mod passing;
mod player;
mod preset;
mod regions;
mod rules_test;
mod samples;
mod search;
pub mod study;

pub use analysis::GoBoards;
pub use networks::go_net;
use player::{GoPlayerOf, lines_for, player_for};
use std::{collections::HashSet, sync::Arc, time::Duration};
use tesuji_dataset::searched::MoveWords;
use tesuji_engine::{Handicap, HandicapError, LiveTree, Placed, Player, PlayerError, Scale, TreeBounds, TreeCopy};
use tesuji_game::{CacheCounts, Choice, Limits, NotationError, Report, Side, Signal, Wants, Watch};
use tesuji_go::{GoDoor, Move, Rules, Size, Vertex, door, handicap, list::GameList, notation, sgf::Sgf};
use tesuji_kit::{
    Kit, KitError, books::Books, explain::Explain, features::FeatureTables, mates::Mates, nnue::NnueNetworks,
    nnue_training::NnueTraining, playouts::Playouts, regions::Regions, shuffled::ShuffledStarts, tuning::Tuning,
};
use tesuji_kit::{RulesTest, bench::Benchmark, console::Consoles, networks::Networks};
use tesuji_options::{OptionError, Options, Spec, find, options};
use tesuji_protocol::{EngineEnd, gtp::GtpEngine};
use tesuji_record::{AnyGame, HasDoor, Survey};

/// The kit of go.
pub static GO: GoKit = GoKit;

/// Rules and records.
static DOOR: GoDoor = door(&[&Sgf, &GameList]);

/// Packed moves as GTP writes them.
const WORDS: MoveWords = MoveWords {
    word: |_, code| Move::from_bits(code).map(|mv| mv.to_string()),
    code: |rules, word| Move::parse(word, rules.parse::<Rules>().ok()?.size).ok().map(Move::bits),
};

/// Balanced openings by the side of the board, and the empty board where there are none for its size.
const OPENINGS: [(usize, &str); 3] = [
    (9, include_str!("../data/openings-go9.txt")),
    (13, include_str!("../data/openings-go13.txt")),
    (19, include_str!("../data/openings-go19.txt")),
];
const EMPTY: &str = "startpos\n";

/// Opening books of go, which are text. The last field of a position is a number that books leave out.
static BOOKS: Books = Books { name_fields: 3, counters: " 1", ..Books::TEXT };

/// The opening positions of matches by `rules`, as text.
fn openings(rules: &str) -> &'static str {
    let Ok(rules) = rules.parse::<Rules>() else { return EMPTY };
    let fits = |(side, _): &&(usize, &str)| Size::square(*side) == Some(rules.size) && rules.handicap == 0;
    OPENINGS.iter().find(fits).map_or(EMPTY, |(_, text)| text)
}

/// A filter of moves for random openings: on 9x9 moves from the third line on, since others are rarely good so early; on 13x13 and
/// 19x19 moves about the corners. `None` on other boards.
fn opening_moves(rules: &str) -> Option<fn(&str) -> bool> {
    fn is_central(mv: &str) -> bool {
        lines::<9>(mv).is_some_and(|lines| lines.iter().all(|line| *line >= 3))
    }
    fn is_in_corner<const SIDE: usize>(mv: &str) -> bool {
        lines::<SIDE>(mv).is_some_and(|lines| lines.iter().all(|line| (3..=5).contains(line)))
    }
    let size = rules.parse::<Rules>().ok()?.size;
    match () {
        () if Size::square(9) == Some(size) => Some(is_central),
        () if Size::square(13) == Some(size) => Some(is_in_corner::<13>),
        () if Size::square(19) == Some(size) => Some(is_in_corner::<19>),
        () => None,
    }
}

/// The lines of a move from the nearest edges, from 1, by column and row.
fn lines<const SIDE: usize>(mv: &str) -> Option<[usize; 2]> {
    let vertex = Move::parse(mv, Size::square(SIDE)?).ok()?.vertex()?;
    Some([vertex.x, vertex.y].map(|at| usize::from(at).min(SIDE - 1 - usize::from(at)) + 1))
}

/// The stones and the side to move of a position as text, turned and mirrored so that all that are alike have one text.
fn symmetry_key(text: &str) -> Option<String> {
    let (rows, rest) = text.split_once(' ')?;
    let side = rest.split(' ').next()?;
    let read = |row: &str| -> Vec<u8> {
        let mut points = Vec::new();
        let mut empty = 0;
        for c in row.bytes() {
            if c.is_ascii_digit() {
                empty = empty * 10 + usize::from(c - b'0');
                continue;
            }
            points.extend(std::iter::repeat_n(b'.', std::mem::take(&mut empty)));
            points.push(c);
        }
        points.extend(std::iter::repeat_n(b'.', empty));
        points
    };
    let mut board: Vec<Vec<u8>> = rows.split('/').map(read).collect();
    let mut least: Option<Vec<Vec<u8>>> = None;
    for _ in 0..4 {
        let width = board.first()?.len();
        let turned: Vec<Vec<u8>> = (0..width).map(|x| board.iter().rev().map(|row| row[x]).collect()).collect();
        let mirrored: Vec<Vec<u8>> = turned.iter().map(|row| row.iter().rev().copied().collect()).collect();
        for one in [&turned, &mirrored] {
            if least.as_ref().is_none_or(|known| one < known) {
                least = Some(one.clone());
            }
        }
        board = turned;
    }
    let rows: Vec<String> = least?.iter().map(|row| String::from_utf8_lossy(row).into_owned()).collect();
    Some(format!("{} {side}", rows.join("/")))
}

/// Go on boards of 2 to 25 lines.
pub struct GoKit;

impl HasDoor for GoKit {
    fn door(&self) -> &'static dyn AnyGame {
        &DOOR
    }
}

impl Kit for GoKit {
    fn families(&self) -> &'static [&'static str] {
        &["mcts", "best-first"]
    }

    fn player(&self, family: &str) -> Result<Box<dyn Player>, KitError> {
        match family {
            "" | "mcts" => Ok(Box::new(GoPlayer::new(Family::Tree))),
            "best-first" => Ok(Box::new(GoPlayer::new(Family::Best))),
            _ => Err(KitError::unknown_family(self, family)),
        }
    }

    fn protocol(&self) -> Box<dyn EngineEnd> {
        Box::new(GtpEngine::default())
    }

    fn side_tags(&self) -> [&'static str; 2] {
        ["Black", "White"]
    }

    fn scale(&self) -> Scale {
        // Playouts and networks know nothing but chances.
        Scale::Chance
    }

    fn unit(&self) -> &'static str {
        "% of the chance"
    }

    fn full_rules(&self, rules: &str) -> Result<String, NotationError> {
        Ok(rules.parse::<Rules>()?.to_string())
    }

    fn openings(&self, rules: &str) -> Option<&'static str> {
        Some(openings(rules))
    }

    fn shuffled_starts(&self) -> Option<&'static ShuffledStarts> {
        None
    }

    fn opening_moves(&self, rules: &str) -> Option<fn(&str) -> bool> {
        opening_moves(rules)
    }

    fn symmetry_key(&self, position: &str) -> Option<String> {
        symmetry_key(position)
    }

    fn books(&self) -> &'static Books {
        &BOOKS
    }

    fn survey(&self) -> Option<&'static dyn Survey> {
        None
    }

    fn move_words(&self) -> Option<MoveWords> {
        Some(WORDS)
    }

    fn mates(&self) -> Option<&'static dyn Mates> {
        None
    }

    fn regions(&self) -> Option<&'static dyn Regions> {
        Some(&regions::GoRegions)
    }

    fn rules_test(&self) -> &dyn RulesTest {
        &rules_test::RULES_TEST
    }

    fn benchmark(&self) -> Option<&'static dyn Benchmark> {
        Some(&bench::GoBench)
    }

    fn networks(&self) -> Option<&'static dyn Networks> {
        Some(&networks::GoNetworks)
    }

    fn nnue(&self) -> Option<&'static dyn NnueNetworks> {
        None
    }

    fn nnue_training(&self) -> Option<&'static dyn NnueTraining> {
        None
    }

    fn tuning(&self) -> Option<&'static Tuning> {
        None
    }

    fn explain(&self) -> Option<&'static dyn Explain> {
        Some(&explain::GoExplain)
    }

    fn feature_tables(&self) -> Option<&'static dyn FeatureTables> {
        None
    }

    fn playouts(&self) -> Option<&'static dyn Playouts> {
        Some(&gammas::GoPlayouts)
    }

    fn consoles(&self) -> Option<&'static dyn Consoles> {
        Some(&console::GoConsoles)
    }
}

options! {
    /// Options that only go has.
    struct GoOptions {
        /// Sets all options of the search to a known program's: bakago as its article describes it, bakago-code as its program does it; default
        /// sets the same ones back.
        preset: Choice = "default" of ["default", "bakago", "bakago-code"], "Preset";
        /// Playouts for a move where nothing else limits the search; with a clock, the most.
        visits: u64 = 0 in 0..=1000000000, "Visits";
        /// Passes once the game is surely lost, instead of throwing stones into what belongs to the other side.
        pass_when_lost: bool = true, "PassWhenLost";
    }
}

/// The expected result below which a game is surely lost, and for how many of our moves it must have been.
const SURELY_LOST: (f32, u32) = (-0.98, 3);

/// The search family of a player.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    /// Monte-Carlo tree search.
    Tree,
    /// Best-first search.
    Best,
}

/// A player of go: one for boards of the capacity that the rules need, made again when they need another.
struct GoPlayer {
    family: Family,
    player: Box<dyn GoPlayerOf>,
    /// The longest side of a board that fits it.
    lines: usize,
    options: GoOptions,
    /// The options that were set, with their values: they are set again in the next player.
    settings: Vec<(String, String)>,
    /// The number of our last moves made in a game that was surely lost.
    lost_for: u32,
}

impl GoPlayer {
    /// Turns the move of a game that has been surely lost for a while into a pass, so that games between programs that never
    /// resign come to an end.
    fn leave_lost_games(&mut self, report: &mut Report<String>) {
        let expected = report.lines.first().and_then(|line| line.expected);
        let is_lost = expected.is_some_and(|expected| expected < SURELY_LOST.0);
        self.lost_for = if is_lost { self.lost_for + 1 } else { 0 };
        if self.options.pass_when_lost
            && self.lost_for >= SURELY_LOST.1
            && matches!(report.choice, Some(Choice::Play(_)))
            && self.player.is_move("pass")
        {
            report.choice = Some(Choice::Play("pass".into()));
            report.ponder = None;
        }
    }

    /// Turns a stone that gains nothing into a pass, so that nobody fills their own territory, and a pass that wins ends the game.
    fn pass_where_nothing_is_gained(&mut self, report: &mut Report<String>, watch: &mut dyn Watch<String>) {
        let Some(Choice::Play(mv)) = report.choice.clone() else { return };
        if mv == "pass" || report.fault.is_some() || !self.player.is_move("pass") {
            return;
        }
        let case = self.player.case_for_pass(&mv, &report.ownership);
        if case == passing::Case::None {
            return;
        }
        let limits = Limits { nodes: Some(passing::VISITS), ..Limits::default() };
        let mut silent = passing::Silent(watch);
        let mut alone = |mv: &str| self.player.go(&limits, &[mv.to_string()], &mut silent);
        let passed = alone("pass");
        if case == passing::Case::AsGood {
            // A search that was stopped before its first visit tells nothing.
            let expected = |report: &Report<String>| report.lines.first().filter(|line| line.visits > 0)?.expected;
            let (Some(pass), Some(stone)) = (expected(&passed), expected(&alone(&mv))) else { return };
            if pass < stone - passing::AS_GOOD {
                return;
            }
        }
        passing::put_first(report, passed);
        report.choice = Some(Choice::Play("pass".into()));
        report.ponder = None;
    }

    /// `limits`, and where they limit nothing, those of the options or the defaults of what answers.
    fn limited(&self, limits: &Limits) -> Limits {
        let is_free = limits.nodes.is_none() && limits.depth.is_none() && !limits.infinite && !limits.ponder;
        if !is_free {
            return limits.clone();
        }
        let usual = self.player.usual_visits();
        let own = Some(self.options.visits).filter(|&visits| visits > 0);
        let timed = limits.clock.is_some() || limits.move_time.is_some();
        if let (Family::Tree, None, false, Some(time)) =
            (self.family, own, timed, preset::move_time(&self.options.preset))
        {
            return Limits { move_time: Some(time), ..limits.clone() };
        }
        Limits { nodes: own.or((!timed).then_some(usual)), ..limits.clone() }
    }

    fn new(family: Family) -> GoPlayer {
        let (player, lines) = player_for(family, &Rules::default());
        GoPlayer { family, player, lines, options: GoOptions::default(), settings: Vec::new(), lost_for: 0 }
    }

    /// Gives an option of the search the value that it has where nobody sets it.
    fn reset(&mut self, name: &str) {
        self.player.reset(name);
        self.settings.retain(|(known, _)| known != name);
    }

    /// Changes to a player that is right for `size`.
    fn sit(&mut self, size: Size) {
        // A search takes memory when it is made: not for each position.
        if lines_for(size) == self.lines {
            return;
        }
        let rules = Rules { size, handicap: 0, ..Rules::default() };
        let (mut player, lines) = player_for(self.family, &rules);
        for (name, value) in &self.settings {
            // It took the same before.
            let _ = player.options().set(name, value);
        }
        (self.player, self.lines) = (player, lines);
    }
}

impl Options for GoPlayer {
    fn specs(&self) -> Vec<Spec> {
        [GoOptions::SPECS.to_vec(), self.player.search_options().specs()].concat()
    }

    fn get(&self, name: &str) -> Option<String> {
        let set = || self.settings.iter().rev().find(|(known, _)| known.eq_ignore_ascii_case(name));
        let usual = || self.player.search_options().get(name);
        self.options.get(name).or_else(|| set().map(|(_, value)| value.clone())).or_else(usual)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let spec = find(&self.specs(), name)?;
        if GoOptions::SPECS.contains(&spec) {
            self.options.set(spec.name, value)?;
            if spec.name == "Preset" {
                for (name, value) in preset::options(&self.options.preset) {
                    match value {
                        Some(value) => self.set(name, value)?,
                        None => self.reset(name),
                    }
                }
            }
            return Ok(());
        }
        self.player.options().set(spec.name, value)?;
        self.settings.retain(|(known, _)| known != spec.name);
        self.settings.push((spec.name.to_string(), value.to_string()));
        Ok(())
    }
}

impl Player for GoPlayer {
    fn options(&mut self) -> Box<dyn Options + '_> {
        Box::new(self)
    }

    fn new_game(&mut self) {
        self.lost_for = 0;
        self.player.new_game();
    }

    fn set_position(&mut self, rules: &str, start: Option<&str>, moves: &[String]) -> Result<(), PlayerError> {
        let read: Rules = rules.parse().map_err(|error| PlayerError::Rules { text: rules.to_string(), error })?;
        let text = start.unwrap_or_default();
        let wrong = |error| PlayerError::Position { text: text.to_string(), error };
        self.sit(notation::size_of(&read, text).map_err(wrong)?);
        self.player.set_position(rules, start, moves)
    }

    fn is_move(&self, text: &str) -> bool {
        self.player.is_move(text)
    }

    fn go(&mut self, limits: &Limits, only: &[String], watch: &mut dyn Watch<String>) -> Report<String> {
        let width = self.player.rules_now().size.width();
        let mut watch = FromTop { width, watch };
        let own = self.limited(limits);
        let mut report = self.player.go(&own, only, &mut watch);
        let without_net = self.limited(limits);
        if report.fault.is_some() && without_net != own {
            // The net was lost on the way, and playouts need more of themselves.
            report = self.player.go(&without_net, only, &mut watch);
        }
        let is_free = !limits.infinite && !limits.ponder && only.is_empty();
        if is_free && limits.nodes.is_none_or(|nodes| nodes >= passing::VISITS / 2) {
            self.pass_where_nothing_is_gained(&mut report, &mut watch);
        }
        from_top(&mut report.ownership, width);
        if !limits.infinite && only.is_empty() {
            self.leave_lost_games(&mut report);
        }
        report
    }

    fn show(&self) -> String {
        self.player.diagram()
    }

    fn side_to_move(&self) -> Option<Side> {
        self.player.side_to_move()
    }

    fn final_score(&self) -> Option<String> {
        Some(self.player.score_text())
    }

    fn final_status(&self, status: &str) -> Option<Vec<Vec<String>>> {
        let texts = |chain: &Vec<Vertex>| chain.iter().map(Vertex::to_string).collect();
        Some(self.player.chains(status).iter().map(texts).collect())
    }

    fn owners(&self) -> Option<Vec<Vec<f32>>> {
        Some(self.player.owned())
    }

    fn raw_net(&self, symmetry: Option<u8>) -> Result<String, String> {
        self.player.raw(symmetry)
    }

    fn rules(&self) -> Option<String> {
        Some(self.player.rules_now().to_json())
    }

    fn compensation(&self) -> Option<f64> {
        Some(f64::from(self.player.rules_now().komi_halves) / 2.0)
    }

    fn moves(&self) -> Vec<String> {
        self.player.moves()
    }

    fn handicap(&self, stones: &Handicap) -> Result<Placed, HandicapError> {
        let size = self.player.rules_now().size;
        let points = match stones {
            Handicap::Fixed(stones) => handicap::fixed(size, *stones).ok_or(HandicapError::Number)?,
            Handicap::Free(stones) => handicap::free(size, *stones).ok_or(HandicapError::Number)?,
            Handicap::At(texts) => {
                let points: Result<Vec<_>, _> = texts.iter().map(|text| Vertex::parse(text, size)).collect();
                let points = points.map_err(|_| HandicapError::Points)?;
                let different: HashSet<_> = points.iter().collect();
                if different.len() < points.len() || points.len() < 2 {
                    return Err(HandicapError::Points);
                }
                points
            }
        };
        let start = self.player.start_with(&points).ok_or(HandicapError::Points)?;
        Ok(Placed { start, points: points.iter().map(Vertex::to_string).collect() })
    }

    fn perft(&self, depth: u32, stop: &dyn Fn() -> bool) -> Option<Vec<(String, u64)>> {
        self.player.perft(depth, stop)
    }

    fn tree(&self, bounds: &TreeBounds) -> Option<TreeCopy> {
        self.player.tree(bounds)
    }

    fn live_tree(&self) -> Option<Arc<dyn LiveTree>> {
        self.player.live_tree()
    }

    fn counts(&self) -> Vec<CacheCounts> {
        self.player.counts()
    }
}

/// Owners of points in the order in which people read a board.
fn from_top(ownership: &mut Vec<f32>, width: usize) {
    *ownership = ownership.chunks(width).rev().flatten().copied().collect();
}

/// A watch that is told of owners from the top.
struct FromTop<'a> {
    width: usize,
    watch: &'a mut dyn Watch<String>,
}

impl Watch<String> for FromTop<'_> {
    fn signal(&mut self) -> Signal {
        self.watch.signal()
    }

    fn elapsed(&self) -> Duration {
        self.watch.elapsed()
    }

    fn report(&mut self, report: &Report<String>) {
        let mut report = report.clone();
        from_top(&mut report.ownership, self.width);
        self.watch.report(&report);
    }

    fn wants(&self) -> Wants {
        self.watch.wants()
    }
}

#[cfg(test)]
mod tests {
    use super::{Family, GoPlayer, player::PLAYERS_MADE};
    use tesuji_engine::Player;
    use tesuji_options::Options;

    /// Each option that was asked for made a search with its tables, and each position as well: the page's first list of games cost a
    /// second, and best-first search cleared 32 MiB a move.
    #[test]
    fn options_and_positions_make_no_search_again() {
        let mut player = GoPlayer::new(Family::Best);
        player.set_position("19x19", None, &[]).unwrap();
        let made = PLAYERS_MADE.get();
        assert!(player.specs().iter().filter_map(|spec| player.get(spec.name)).count() > 20);
        let moves = vec!["Q16".to_string()];
        player.set_position("19x19", None, &moves).unwrap();
        assert_eq!(PLAYERS_MADE.get(), made);
        player.set("Batch", "16").unwrap();
        player.set_position("9x9", None, &[]).unwrap();
        assert_eq!(PLAYERS_MADE.get(), made + 1, "another board needs another player");
        assert_eq!(player.get("Batch").as_deref(), Some("16"));
    }
}
