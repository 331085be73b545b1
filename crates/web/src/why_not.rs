//! "Why not my move?": a move of a person beside the best one, both searched with the whole window, and where their lines part.
//!
//! The search of the session goes on meanwhile: another player of the same kind compares.

use crate::{
    App, Problem,
    body::Body,
    places::{GamePosition, Move, follow, number, table_at},
    sessions::Session,
    why::{Ends, TermView, after, stand},
};
use axum::{
    Json,
    extract::{Path, State},
};
use serde::{Deserialize, Serialize};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tesuji_engine::{Player, expected_result};
use tesuji_game::{Bound, Candidate, Limits, Report, Signal, Wants, Watch};
use utoipa::ToSchema;

/// The budget where none is named, in milliseconds.
const TIME_USUAL: u64 = 2000;
/// The largest budget.
const TIME_MAX: u64 = 60_000;
/// Nodes of a comparison at most.
const NODES_MAX: u64 = 1_000_000_000;
/// Plies of a line that are looked at one by one.
const STEPS: usize = 6;
/// The limits of a look at one position: what a first glance sees.
const GLANCE: (u32, u64, Duration) = (1, 64, Duration::from_millis(150));
/// No further position of a line is looked at after this time.
const GLANCES_MAX: Duration = Duration::from_secs(2);
/// A fall of the value by less than this many hundredths of the expected result is no turn.
const TURN: f64 = 5.0;
/// Times that a search whose value is a bound goes on, each twice as long as the one before.
const TRIES: u32 = 3;
/// A mean over fewer visits than this share of the other move's says too little.
const VISITS_SHARE: u64 = 10;
/// The option for the number of lines.
const LINES: &str = "MultiPV";

/// The request to compare a move with the best one.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WhyNotQuestion {
    /// The position in which the move could be played.
    #[serde(default)]
    place: GamePosition,
    /// The move.
    #[serde(rename = "move")]
    mv: String,
    /// The move it is compared with; empty: the best of the others.
    #[serde(default)]
    vs: String,
    /// The budget in milliseconds, for all searches together; without it and `nodes` two seconds.
    #[serde(default)]
    time: Option<u64>,
    /// Nodes or playouts of the comparison, in place of time.
    #[serde(default)]
    nodes: Option<u64>,
}

/// A move of a line with what a first glance sees after it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct GlanceStep {
    /// The move.
    #[serde(flatten)]
    mv: Move,
    /// Expected result for the side that asks, in -1..=1, as a search of one ply sees it; none beyond what was looked at.
    glance: Option<f64>,
    /// The same in hundredths of a pawn, where it is no mate.
    cp: Option<i32>,
}

/// One of the two moves.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct Compared {
    /// The move.
    #[serde(flatten)]
    mv: Move,
    /// Expected result for the side that moves, in -1..=1: a value, never a bound.
    expected: f64,
    /// Hundredths of a pawn for the side that moves; none where a mate is proven.
    cp: Option<i32>,
    /// Plies to mate, negative when the side that moves is mated.
    mate: Option<i32>,
    /// Expected margin in points for the side that moves, where the search saw margins.
    lead: Option<f32>,
    /// Visits, where the search counts them.
    visits: u64,
    /// The line that is expected, this move first.
    line: Vec<GlanceStep>,
    /// The worth of each piece at the end of the line: square, and centipawns for the first side.
    worths: Vec<(String, i32)>,
}

/// Where a line turns against the side that asks.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = Turn)]
pub(crate) struct LineTurn {
    /// The ply of the line, from 1.
    ply: usize,
    /// Expected result before it, as a first glance sees it.
    before: f64,
    /// Expected result after it.
    after: f64,
    /// The value before it in hundredths of a pawn for the side that asks, where it is no mate.
    before_cp: Option<i32>,
    /// The value after it.
    after_cp: Option<i32>,
}

/// A move of a person against the best one.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct WhyNot {
    /// The side that moves: 0 or 1.
    side: u8,
    /// Who compared.
    by: String,
    /// Whose evaluation explains both ends; none: there is nothing to add up.
    explained_by: Option<String>,
    /// Milliseconds that it took.
    time: u64,
    /// The move that was asked about.
    mine: Compared,
    /// The best of the others.
    best: Compared,
    /// Hundredths of the expected result that the move costs; below 0 where it is the best one.
    loss: f64,
    /// Where its line turns against the side that moves.
    turn: Option<LineTurn>,
    /// The terms of the evaluation that differ between both ends, `of` at the end of the line of the move asked about: centipawns for
    /// the first side, the largest difference first.
    terms: Vec<TermView>,
    /// Whose each point will be at both ends: rows from the top, 1 is surely the first side's.
    owners: Option<[Vec<Vec<f32>>; 2]>,
}

/// Compares a move with the best one; the session's own search goes on.
#[utoipa::path(post, path = "/api/v1/sessions/{id}/why-not", request_body = WhyNotQuestion,
    params(("id" = u64, Path, description = "its number")),
    responses((status = 200, body = WhyNot), (status = "4XX", body = Problem)))]
pub(crate) async fn why_not(
    State(app): State<Arc<App>>,
    Path(id): Path<u64>,
    Body(question): Body<WhyNotQuestion>,
) -> Result<Json<WhyNot>, Problem> {
    let session = app.sessions.find(id)?;
    check(&question)?;
    // The client that waits for the answer listens.
    let listener = app.sessions.listen(&session);
    let told = tokio::task::spawn_blocking(move || {
        let _listener = listener;
        tell(&app, &session, &question)
    });
    told.await.map_err(|error| Problem::internal(format!("the comparison broke: {error}")))?.map(Json)
}

fn check(question: &WhyNotQuestion) -> Result<(), Problem> {
    let limits = [("time", question.time, TIME_MAX), ("nodes", question.nodes, NODES_MAX)];
    for (field, number, max) in limits {
        if number.is_some_and(|number| !(1..=max).contains(&number)) {
            return Err(Problem::unprocessable(format!("{field}: expected a number from 1 to {max}")).at(field));
        }
    }
    Ok(())
}

/// The limits of the searches of a comparison.
#[derive(Clone, Copy)]
enum Budget {
    Time(Duration),
    Nodes(u64),
}

impl Budget {
    fn of(question: &WhyNotQuestion) -> Budget {
        match question.nodes {
            Some(nodes) => Budget::Nodes(nodes),
            None => Budget::Time(Duration::from_millis(question.time.unwrap_or(TIME_USUAL))),
        }
    }

    /// A part of it, in hundredths; more than a hundred where it goes on.
    fn part(self, hundredths: u32) -> Limits {
        match self {
            Budget::Time(time) => Limits { move_time: Some(time * hundredths / 100), ..Limits::default() },
            Budget::Nodes(nodes) => {
                Limits { nodes: Some((nodes.saturating_mul(u64::from(hundredths)) / 100).max(1)), ..Limits::default() }
            }
        }
    }
}

/// Hears a search, and keeps the last exact value of each move.
struct Exact {
    began: Instant,
    lines: Vec<Candidate<String>>,
}

impl Exact {
    fn new() -> Exact {
        Exact { began: Instant::now(), lines: Vec::new() }
    }

    fn keep(&mut self, report: &Report<String>) {
        for line in report.lines.iter().filter(|line| line.bound == Bound::Exact) {
            self.lines.retain(|known| known.pv[0] != line.pv[0]);
            self.lines.push(line.clone());
        }
    }

    fn of(&self, mv: &str) -> Option<&Candidate<String>> {
        self.lines.iter().find(|line| line.pv[0] == mv)
    }
}

impl Watch<String> for Exact {
    fn signal(&mut self) -> Signal {
        Signal::Run
    }

    fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    fn report(&mut self, report: &Report<String>) {
        self.keep(report);
    }

    fn wants(&self) -> Wants {
        Wants { lines: Some(2), ..Wants::default() }
    }
}

/// Searches these moves alone, all where there are none; what is known of each afterwards.
fn search(player: &mut dyn Player, limits: &Limits, only: &[String]) -> Result<(Exact, Report<String>), Problem> {
    let mut watch = Exact::new();
    let report = player.go(limits, only, &mut watch);
    if let Some(fault) = &report.fault {
        return Err(Problem::unprocessable(fault.clone()));
    }
    watch.keep(&report);
    Ok((watch, report))
}

/// The value of one move, searched alone until it is no bound.
fn alone(player: &mut dyn Player, budget: Budget, mv: &str) -> Result<Candidate<String>, Problem> {
    let mut part = 25;
    for _ in 0..TRIES {
        let (mut exact, _) = search(player, &budget.part(part), &[mv.to_string()])?;
        if let Some(at) = exact.lines.iter().position(|line| line.pv[0] == mv) {
            return Ok(exact.lines.swap_remove(at));
        }
        part *= 2;
    }
    Err(Problem::unprocessable(format!("no value of {mv} was found")).hint("Allow more time."))
}

/// The best move other than `mine`: what the session found at this position, or a search finds now.
fn best_other(
    session: &Session,
    player: &mut dyn Player,
    budget: Budget,
    (place, mine): (&GamePosition, &str),
    legal: &[String],
) -> Result<String, Problem> {
    let state = session.thinker.states().borrow().clone();
    let known = state.found.iter().filter(|_| state.place == *place).flat_map(|found| &found.lines);
    let first = known.filter_map(|line| line.pv.first()).map(|mv| &mv.code).next();
    if let Some(best) = first.filter(|best| *best != mine) {
        return Ok(best.clone());
    }
    let others: Vec<String> = legal.iter().filter(|mv| *mv != mine).cloned().collect();
    let (_, report) = search(player, &budget.part(25), &others)?;
    let best = report.lines.into_iter().map(|mut line| line.pv.swap_remove(0)).find(|mv| mv != mine);
    best.or_else(|| others.first().cloned()).ok_or_else(|| Problem::unprocessable("there is no other move"))
}

/// Both moves in one search; each alone where that does not know it well.
fn both(player: &mut dyn Player, budget: Budget, moves: [&str; 2]) -> Result<[Candidate<String>; 2], Problem> {
    let (exact, _) = search(player, &budget.part(45), &moves.map(str::to_string))?;
    let most = exact.lines.iter().map(|line| line.visits).max().unwrap_or(0);
    let is_known = |line: &&Candidate<String>| most == 0 || line.visits.saturating_mul(VISITS_SHARE) >= most;
    let [mine, best] = moves.map(|mv| exact.of(mv).filter(is_known).cloned());
    let mine = mine.map_or_else(|| alone(player, budget, moves[0]), Ok)?;
    let best = best.map_or_else(|| alone(player, budget, moves[1]), Ok)?;
    Ok([mine, best])
}

fn tell(app: &App, session: &Session, question: &WhyNotQuestion) -> Result<WhyNot, Problem> {
    let began = Instant::now();
    let mut table = table_at(session.kit, &question.place)?;
    let place = GamePosition { moves: table.played(), ..question.place.clone() };
    let legal = table.moves();
    let code = |table: &dyn tesuji_record::RulesTable, text: &str, field: &str| {
        let known = table.parse_move(text).ok().filter(|code| legal.contains(code));
        known.ok_or_else(|| Problem::unprocessable(format!("{text:?} is no legal move here")).at(field))
    };
    let mine = code(&*table, &question.mv, "move")?;
    let vs = if question.vs.is_empty() { None } else { Some(code(&*table, &question.vs, "vs")?) };
    if legal.len() < 2 || vs.as_ref() == Some(&mine) {
        return Err(Problem::unprocessable("there is no other move to compare it with").at("vs"));
    }
    let side = table.side_to_move();
    let budget = Budget::of(question);
    let (lines, root, glances) = session.compare(app, |player| {
        stand(player, &place)?;
        // An engine without this option shows what it has.
        let _ = player.options().set(LINES, "2");
        let vs = match vs {
            Some(vs) => vs,
            None => best_other(session, player, budget, (&place, &mine), &legal)?,
        };
        let lines = both(player, budget, [&mine, &vs])?;
        let root = glance(player, &place, &[])?;
        let glances = [glances(player, &place, &lines[0].pv)?, glances(player, &place, &lines[1].pv)?];
        Ok((lines, root, glances))
    })?;
    let mut ends = Ends::default();
    let codes = lines.each_ref().map(|line| Some(line.pv.clone()));
    session.advise(|player| ends.look(player, &place, &codes))?;
    let loss = 50.0 * (expected_result(&lines[1]) - expected_result(&lines[0]));
    let turn = turn(root.as_ref(), &glances[0]);
    let has_terms = ends.has_terms();
    let worths = std::mem::take(&mut ends.worths_there);
    let mut sides = lines.iter().zip(glances).zip(worths).map(|((line, glances), worths)| Compared {
        expected: expected_result(line),
        cp: (!line.value.is_mate()).then(|| line.value.raw()),
        mate: line.value.mate_plies(),
        lead: line.margin,
        visits: line.visits,
        line: steps(&mut *table, &line.pv, &glances),
        mv: crate::places::in_words(&*table, line.pv[0].clone()),
        worths,
    });
    let (Some(mine), Some(best)) = (sides.next(), sides.next()) else {
        return Err(Problem::internal("two moves are compared"));
    };
    drop(sides);
    Ok(WhyNot {
        side: number(side),
        by: session.seat.name.clone(),
        explained_by: has_terms.then(|| session.explained_by()),
        time: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        mine,
        best,
        loss: (loss * 10.0).round() / 10.0,
        turn,
        terms: ends.terms(),
        owners: ends.owners,
    })
}

/// What a search of one ply sees after `line`; none where the game is over.
fn glance(
    player: &mut dyn Player,
    place: &GamePosition,
    line: &[String],
) -> Result<Option<Candidate<String>>, Problem> {
    let (depth, nodes, time) = GLANCE;
    let limits = Limits { depth: Some(depth), nodes: Some(nodes), move_time: Some(time), ..Limits::default() };
    // Tables still know what the comparison found: no first glance sees that.
    player.new_game();
    stand(player, &after(place, line.iter().cloned()))?;
    Ok(player.go(&limits, &[], &mut Exact::new()).lines.into_iter().next())
}

/// The glances after each move of a line, for the side that moves first in it; shorter than the line where it is long, or the game is
/// over.
fn glances(player: &mut dyn Player, place: &GamePosition, line: &[String]) -> Result<Vec<Candidate<String>>, Problem> {
    let began = Instant::now();
    let mut seen = Vec::new();
    for plies in 1..=line.len().min(STEPS) {
        if began.elapsed() > GLANCES_MAX {
            break;
        }
        let Some(best) = glance(player, place, &line[..plies])? else { break };
        seen.push(best);
    }
    Ok(seen)
}

/// The glance after `ply` plies for the side that moves first in the line.
fn seen_by_first(ply: usize, line: &Candidate<String>) -> (f64, Option<i32>) {
    let sign = if ply.is_multiple_of(2) { 1 } else { -1 };
    (f64::from(sign) * expected_result(line), (!line.value.is_mate()).then(|| sign * line.value.raw()))
}

fn steps(table: &mut dyn tesuji_record::RulesTable, line: &[String], glances: &[Candidate<String>]) -> Vec<GlanceStep> {
    let words = follow(table, line);
    for _ in &words {
        table.undo();
    }
    let seen = |i: usize| glances.get(i).map(|line| seen_by_first(i + 1, line));
    let step = |(i, mv): (usize, Move)| {
        let seen = seen(i);
        GlanceStep { mv, glance: seen.map(|seen| seen.0), cp: seen.and_then(|seen| seen.1) }
    };
    words.into_iter().enumerate().map(step).collect()
}

/// The move after which a first glance sees most less than before it; `root` is the glance before the first one.
fn turn(root: Option<&Candidate<String>>, glances: &[Candidate<String>]) -> Option<LineTurn> {
    let all = root.into_iter().map(|line| (0, line)).chain((1..).zip(glances));
    let seen: Vec<_> = all.map(|(ply, line)| (ply, seen_by_first(ply, line))).collect();
    let falls = seen.windows(2).map(|pair| {
        let [(_, (before, before_cp)), (ply, (after, after_cp))] = [pair[0], pair[1]];
        LineTurn { ply, before, after, before_cp, after_cp }
    });
    let worst = falls.min_by(|a, b| (a.after - a.before).total_cmp(&(b.after - b.before)))?;
    (50.0 * (worst.before - worst.after) >= TURN).then_some(worst)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_game::Value;

    fn line(cp: i32) -> Candidate<String> {
        Candidate {
            pv: vec!["a".into()],
            value: Value::cp(cp),
            bound: Bound::Exact,
            wdl: None,
            visits: 0,
            prior: 0.0,
            expected: None,
            margin: None,
        }
    }

    #[test]
    fn a_line_turns_where_a_glance_sees_most_less() {
        // After the first move the other side moves: its values are turned round.
        let glances = [line(-100), line(90), line(350), line(-300)];
        let found = turn(None, &glances).expect("the third move wins for the other side");
        assert_eq!((found.ply, found.before > 0.15, found.after < -0.6), (3, true, true));
        assert_eq!((found.before_cp, found.after_cp), (Some(90), Some(-350)));
        assert_eq!(turn(None, &[line(10), line(-12), line(14)]), None, "nothing of note happens");
        assert_eq!(turn(None, &[]), None);
    }

    #[test]
    fn a_line_that_was_lost_by_its_first_move_had_no_turn() {
        let found = turn(Some(&line(40)), &[line(300), line(-290)]).expect("the first move loses");
        assert_eq!((found.ply, found.before_cp, found.after_cp), (1, Some(40), Some(-300)));
    }
}
