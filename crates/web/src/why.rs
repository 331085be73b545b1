//! Explanations of a move against another one: computed from a search's tree and its evaluation, with the evidence for each line.

mod spread;

use self::spread::Spread;
use crate::{
    App, Problem,
    grove::{Change, Moment, Snapshot},
    places::{GamePosition, Move, follow, in_words, number, table_at},
    sessions::Session,
    signs::{self, Signs},
    think::{BoundKind, FoundLine},
    trees::{descend, snapshot_of},
};
use axum::{
    Json,
    extract::{Path, Query, State},
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tesuji_engine::{Account, Player, TreeNode};
use utoipa::{IntoParams, ToSchema};

/// Plies of a line that are followed.
const LINE_MAX: usize = 24;
/// A line is firm as long as each move has so much of the effort before it.
const FIRM: f64 = 0.5;

/// Which moves are compared.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Question {
    /// The moves from the root to the position, joined by dots.
    path: String,
    /// The move that is explained; empty: the best one.
    of: String,
    /// The move it is compared with; empty: the best of the others.
    vs: String,
    /// A kept snapshot; none: the newest.
    t: Option<u64>,
}

/// A move of a line with what the search thinks of it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct WhyStep {
    /// The move.
    #[serde(flatten)]
    mv: Move,
    /// Expected result for the side that moves at the position explained, in -1..=1.
    value: f32,
    /// Nodes or visits below.
    effort: u64,
}

/// One of the two moves.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = WhyCandidate)]
pub(crate) struct Candidate {
    /// The move.
    #[serde(flatten)]
    mv: Move,
    /// Expected result for the side that moves, in -1..=1.
    value: f32,
    /// Half of a 95 % interval around the value, where it is a mean of visits, were they independent.
    margin: Option<f32>,
    /// The meaning of `value`; never `lower`.
    bound: BoundKind,
    /// Nodes or visits below.
    effort: u64,
    /// Its share of the effort of all moves.
    share: f64,
    /// The policy's share.
    prior: f32,
    /// Its place among the priors, from 1; none without priors.
    prior_rank: Option<usize>,
    /// The line that the search expects, this move first.
    line: Vec<WhyStep>,
    /// The evaluation at the end of the line.
    end: Option<End>,
    /// The worth of each piece at the end of the line: square, and centipawns for the first side.
    worths: Vec<(String, i32)>,
}

/// The static evaluation of a position as a sum, for the first side.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct End {
    /// The value in centipawns.
    value: i32,
    /// The share of the middlegame, in 256ths.
    phase: i32,
    /// The share that is left of an endgame's value, in 64ths.
    scale: i32,
    /// Sum of the middlegame.
    sum_mg: i32,
    /// Sum of the endgame.
    sum_eg: i32,
    /// The last addition: its name and centipawns.
    rest: Option<(String, i32)>,
    /// Whether the terms sum to the value of the hand-made evaluation, which the search plays by where no network does.
    is_sound: bool,
    /// The value in centipawns by the network that the search plays by; the terms are what the hand-made evaluation says beside it.
    network: Option<i32>,
}

/// A term of the evaluation at both ends, blended, in centipawns for the first side.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct TermView {
    /// The term.
    name: String,
    /// Its group.
    group: String,
    /// Its contribution at the end of the explained move's line.
    of: f64,
    /// Its contribution at the end of the other line.
    vs: f64,
    /// The first side's count less the second's, at the end of the explained move's line.
    of_count: i32,
    /// The same at the end of the other line.
    vs_count: i32,
}

/// The place at which a line goes wrong.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct Swing {
    /// The ply of the line at which the value changes most against the mover, from 1.
    ply: usize,
    /// The value before, in -1..=1.
    before: f32,
    /// The value after.
    after: f32,
}

/// The course of the search that found the explained move; of root moves only.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = WhyFound)]
pub(crate) struct Found {
    /// The best one since this many nodes; none: it is not the best one.
    since_nodes: Option<u64>,
    /// The number of times that the best move changed.
    changes: usize,
    /// The move that was the best one before.
    before: Option<Move>,
    /// Half of the range of its value over the last nine tenths of the search.
    steady: Option<f32>,
}

/// Everything that speaks for a move against another.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct Why {
    /// The snapshot it is told of.
    seq: u64,
    /// The side to move: 0 or 1.
    side: u8,
    /// The search family.
    family: String,
    /// The move explained.
    of: Candidate,
    /// The move it is compared with; none where there is no other.
    vs: Option<Candidate>,
    /// Its value less the other's, in -1..=1 halves: 0.02 is one point of expected result.
    difference: Option<f32>,
    /// Half of a 95 % interval around the difference, where both are means of visits.
    margin: Option<f32>,
    /// How values spread below both moves.
    spread: Spread,
    /// The place at which the other move's line goes wrong.
    swing: Option<Swing>,
    /// The terms that differ, those that differ most first.
    terms: Vec<TermView>,
    /// The course of the search that found it.
    found: Option<Found>,
    /// Moves of its line to which most of the effort before them went.
    firm: usize,
    /// The worth of each piece where it stands: square, and centipawns for the first side.
    worths: Vec<(String, i32)>,
    /// Whose each point will be at both ends: rows from the top, 1 is surely the first side's.
    owners: Option<[Vec<Vec<f32>>; 2]>,
    /// Evaluations that are no sums, in words.
    told: Option<[String; 2]>,
}

/// Explains a move against another by the tree of the session's search.
#[utoipa::path(get, path = "/api/v1/sessions/{id}/why", params(("id" = u64, Path, description = "its number"), Question),
    responses((status = 200, body = Why), (status = "4XX", body = Problem)))]
pub(crate) async fn why(
    State(app): State<Arc<App>>,
    Path(id): Path<u64>,
    Query(question): Query<Question>,
) -> Result<Json<Why>, Problem> {
    let session = app.sessions.find(id)?;
    let snapshot = snapshot_of(&session, question.t).await?;
    let told = tokio::task::spawn_blocking(move || tell(&session, &snapshot, &question)).await;
    told.map_err(|error| Problem::internal(format!("the explanation broke: {error}")))?.map(Json)
}

/// A tree as it is asked.
struct Grown<'a> {
    snapshot: &'a Snapshot,
    below: Vec<Vec<u32>>,
    by_effort: bool,
}

impl Grown<'_> {
    fn node(&self, at: usize) -> &TreeNode {
        &self.snapshot.tree.nodes[at]
    }

    /// The children that were looked at, the deciding one first, of several visits to a move the one with the most effort.
    fn ranked(&self, at: usize) -> Vec<usize> {
        let mut list: Vec<usize> = self.below[at].iter().map(|&id| id as usize).collect();
        list.retain(|&id| {
            let node = self.node(id);
            node.effort > 0 && !node.mv.is_empty() && Signs::of(node.note).flags & signs::LEFT_OUT == 0
        });
        // A value counts for more than a bound, however much effort a refutation took.
        let is_bound = |id: usize| Signs::of(self.node(id).note).flags & signs::CUT != 0;
        list.sort_by_key(|&id| (is_bound(id), std::cmp::Reverse(self.node(id).effort)));
        let mut seen = std::collections::HashSet::new();
        list.retain(|&id| seen.insert(self.node(id).mv.clone()));
        if !self.by_effort {
            // Equal values are bounds of moves that were refuted: the one with the most effort was shown to be so good.
            let value = |id: usize| self.node(id).value;
            list.sort_by(|&a, &b| is_bound(a).cmp(&is_bound(b)).then(value(b).total_cmp(&value(a))));
        }
        list
    }

    /// The nodes of the line that the search expects, `first` included.
    fn line(&self, first: usize) -> Vec<usize> {
        let mut line = vec![first];
        while let Some(&next) = self.ranked(line[line.len() - 1]).first().filter(|_| line.len() < LINE_MAX) {
            line.push(next);
        }
        line
    }
}

/// The place after `codes` have been played from `place`.
pub(crate) fn after(place: &GamePosition, codes: impl IntoIterator<Item = String>) -> GamePosition {
    GamePosition { moves: place.moves.iter().cloned().chain(codes).collect(), ..place.clone() }
}

/// Sets a player up at `place`.
pub(crate) fn stand(player: &mut dyn Player, place: &GamePosition) -> Result<(), Problem> {
    let start = place.start.as_deref().filter(|start| !start.is_empty());
    let taken = player.set_position(&place.rules, start, &place.moves);
    taken.map_err(|error| Problem::internal(error.to_string()))
}

fn tell(session: &Session, snapshot: &Snapshot, question: &Question) -> Result<Why, Problem> {
    let by_effort = session.family == "mcts";
    let grown = Grown { snapshot, below: snapshot.children(), by_effort };
    let here = descend(snapshot, &grown.below, &question.path)?;
    let ranked = grown.ranked(here);
    let pick = |code: &str, field: &str| {
        let found = ranked.iter().copied().find(|&at| grown.node(at).mv == code);
        found.ok_or_else(|| Problem::not_found(format!("{code:?} was not looked at here")).at(field))
    };
    let nothing = || Problem::not_found("nothing was looked at below this node").hint("Search from here first.");
    let of = if question.of.is_empty() { *ranked.first().ok_or_else(nothing)? } else { pick(&question.of, "of")? };
    let vs = match question.vs.as_str() {
        "" => ranked.iter().copied().find(|&at| at != of),
        code => Some(pick(code, "vs")?),
    };
    let path = question.path.split('.').filter(|code| !code.is_empty()).map(str::to_string);
    let place = after(&snapshot.place, path);
    let table = table_at(session.kit, &place)?;
    let side = number(table.side_to_move());
    let total: u64 = ranked.iter().map(|&at| grown.node(at).effort).sum();
    let told = if here == 0 && question.t.is_none() { told_lines(session, &snapshot.place) } else { Vec::new() };
    let view = |at: usize| candidate(session, &grown, &place, &ranked, total, &told, at);
    let (mut of_view, mut vs_view) = (view(of), vs.map(view));
    let mut ends = Ends::default();
    let codes = |view: &Candidate| view.line.iter().map(|step| step.mv.code.clone()).collect();
    let lines = [Some(codes(&of_view)), vs_view.as_ref().map(codes)];
    session.advise(|player| ends.look(player, &place, &lines))?;
    let there = std::mem::take(&mut ends.worths_there);
    for ((view, account), worths) in [Some(&mut of_view), vs_view.as_mut()].into_iter().zip(&ends.accounts).zip(there) {
        let Some(view) = view else { continue };
        view.end = account.as_ref().map(end_of);
        view.worths = worths;
    }
    let difference = vs_view.as_ref().map(|vs| of_view.value - vs.value);
    let margin = vs_view.as_ref().and_then(|vs| Some(of_view.margin?.hypot(vs.margin?)));
    let shares = of_view.line.windows(2).map(|pair| pair[1].effort as f64 / pair[0].effort.max(1) as f64);
    Ok(Why {
        seq: snapshot.seq,
        side,
        family: session.family.clone(),
        difference,
        margin,
        spread: spread::spread(&grown, &session.family, &ranked, of, vs),
        swing: vs_view.as_ref().and_then(|vs| swing(&vs.line)),
        terms: ends.terms(),
        found: (here == 0).then(|| {
            let history = session.thinker.grove().history();
            let words = |code: String| in_words(&*table, code);
            found(&history.changes, &history.moments, snapshot, &of_view.mv.code, words)
        }),
        firm: 1 + shares.take_while(|&share| share >= FIRM).count(),
        worths: ends.worths,
        owners: ends.owners,
        told: ends.told,
        of: of_view,
        vs: vs_view,
    })
}

/// The lines that the search told last, as codes, where it is at `place`.
fn told_lines(session: &Session, place: &GamePosition) -> Vec<Vec<String>> {
    let state = session.thinker.states().borrow().clone();
    let found = state.found.as_ref().filter(|_| state.place == *place);
    let codes = |line: &FoundLine| line.pv.iter().map(|mv| mv.code.clone()).collect();
    found.map(|found| found.lines.iter().map(codes).collect()).unwrap_or_default()
}

fn candidate(
    session: &Session,
    grown: &Grown<'_>,
    place: &GamePosition,
    ranked: &[usize],
    total: u64,
    told: &[Vec<String>],
    at: usize,
) -> Candidate {
    let node = grown.node(at);
    let mut nodes = grown.line(at);
    let mut codes: Vec<String> = nodes.iter().map(|&at| grown.node(at).mv.clone()).collect();
    // A trace ends after some plies, often in the middle of an exchange: the line that was told last goes on from there.
    if let Some(line) = told.iter().find(|line| line.len() > codes.len() && line.first() == codes.first()) {
        nodes.truncate(line.iter().zip(&codes).take_while(|(told, traced)| told == traced).count());
        codes = line.iter().take(LINE_MAX).cloned().collect();
    }
    let words = table_at(session.kit, place).map(|mut table| follow(&mut *table, &codes)).unwrap_or_default();
    let line: Vec<WhyStep> = words
        .into_iter()
        .enumerate()
        .map(|(ply, mv)| {
            // Beyond the tree nothing changes, and nothing is known to have been spent.
            let known = ply.min(nodes.len() - 1);
            let node = grown.node(nodes[known]);
            let effort = if known == ply { node.effort } else { 0 };
            WhyStep { mv, value: if known % 2 == 0 { node.value } else { -node.value }, effort }
        })
        .collect();
    let mv = line.first().map_or_else(|| Move { code: node.mv.clone(), text: node.mv.clone() }, |step| step.mv.clone());
    let has_priors = ranked.iter().any(|&at| grown.node(at).prior > 0.0);
    let better = ranked.iter().filter(|&&at| grown.node(at).prior > node.prior).count();
    // The mean of n results of -1 or 1 would lie so close to what it estimates, were they drawn one by one.
    let margin = grown.by_effort.then(|| 1.96 * ((1.0 - node.value * node.value).max(0.0) / node.effort as f32).sqrt());
    Candidate {
        mv,
        value: node.value,
        margin,
        bound: if Signs::of(node.note).flags & signs::CUT == 0 { BoundKind::Exact } else { BoundKind::Upper },
        effort: node.effort,
        share: node.effort as f64 / total.max(1) as f64,
        prior: node.prior,
        prior_rank: has_priors.then_some(better + 1),
        line,
        end: None,
        worths: Vec::new(),
    }
}

/// The largest fall of the value along a line.
fn swing(line: &[WhyStep]) -> Option<Swing> {
    let falls = line.windows(2).enumerate().map(|(i, pair)| (i + 2, pair[0].value, pair[1].value));
    let worst = falls.min_by(|a, b| (a.2 - a.1).total_cmp(&(b.2 - b.1)))?;
    let (ply, before, after) = worst;
    (after < before).then_some(Swing { ply, before, after })
}

/// The history of the move `code` in the search.
fn found(
    changes: &[Change],
    moments: &[Moment],
    snapshot: &Snapshot,
    code: &str,
    words: impl FnOnce(String) -> Move,
) -> Found {
    let last = changes.last().filter(|last| last.to == code);
    let late = moments.iter().filter(|moment| moment.nodes * 10 >= snapshot.nodes && moment.seq <= snapshot.seq);
    let values: Vec<f32> =
        late.filter_map(|moment| moment.moves.iter().find(|mv| mv.code == code)).map(|mv| mv.value).collect();
    let low = values.iter().copied().fold(f32::INFINITY, f32::min);
    let high = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    Found {
        since_nodes: last.map(|last| last.nodes),
        changes: changes.len().saturating_sub(1),
        before: last.and_then(|last| last.from.clone()).map(words),
        steady: (values.len() > 1).then_some((high - low) / 2.0),
    }
}

/// What a player sees in a position.
struct Seen {
    account: Option<Account>,
    /// Its evaluation as text.
    words: Option<String>,
    owners: Option<Vec<Vec<f32>>>,
    /// The worth of each piece: square, and centipawns for the first side.
    worths: Vec<(String, i32)>,
}

/// The evaluations at the ends of both lines, and at the position itself.
#[derive(Default)]
pub(crate) struct Ends {
    accounts: [Option<Account>; 2],
    worths: Vec<(String, i32)>,
    /// The worth of each piece at both ends.
    pub(crate) worths_there: [Vec<(String, i32)>; 2],
    /// Whose each point will be at both ends.
    pub(crate) owners: Option<[Vec<Vec<f32>>; 2]>,
    told: Option<[String; 2]>,
}

impl Ends {
    /// Looks at the position and at the ends of both lines from it.
    pub(crate) fn look(
        &mut self,
        player: &mut dyn Player,
        place: &GamePosition,
        lines: &[Option<Vec<String>>; 2],
    ) -> Result<(), Problem> {
        let mut look = |place: &GamePosition| {
            stand(player, place)?;
            Ok::<Seen, Problem>(Seen {
                account: player.account(),
                words: player.explain(),
                owners: player.owners(),
                worths: player.worths().unwrap_or_default(),
            })
        };
        self.worths = look(place)?.worths;
        let mut owners = Vec::new();
        let mut told = Vec::new();
        for (i, line) in lines.iter().enumerate() {
            let Some(line) = line else { continue };
            let seen = look(&after(place, line.iter().cloned()))?;
            told.extend(seen.words.filter(|_| seen.account.is_none()));
            self.accounts[i] = seen.account;
            self.worths_there[i] = seen.worths;
            owners.extend(seen.owners);
        }
        self.owners = <[_; 2]>::try_from(owners).ok();
        self.told = <[_; 2]>::try_from(told).ok();
        Ok(())
    }

    /// Whether the evaluation is a sum of terms.
    pub(crate) fn has_terms(&self) -> bool {
        self.accounts.iter().any(Option::is_some)
    }

    /// The terms of both ends, those that differ most first.
    pub(crate) fn terms(&self) -> Vec<TermView> {
        // The contribution at each end, and the count.
        let mut terms: std::collections::BTreeMap<(String, String), [(f64, i32); 2]> =
            std::collections::BTreeMap::new();
        for (i, account) in self.accounts.iter().enumerate() {
            let Some(account) = account else { continue };
            let mut add = |group: &str, name: &str, value: f64, count: i32| {
                let sums = terms.entry((group.to_string(), name.to_string())).or_default();
                sums[i] = (sums[i].0 + value, sums[i].1 + count);
            };
            for term in &account.terms {
                add(&term.group, &term.name, account.blended(term.adds).0, term.first - term.second);
            }
            if let Some((name, value)) = &account.rest {
                add("", name, f64::from(value.0), 0);
            }
            // What whole numbers lose in the blend.
            let sum = account.blended(account.sums).0;
            let rest = account.rest.as_ref().map_or(0, |rest| rest.1.0);
            add("", "rounding", f64::from(account.value.0 - rest) - sum, 0);
        }
        let views = terms.into_iter().map(|((group, name), [of, vs])| {
            let (of_count, vs_count) = (of.1, vs.1);
            TermView { name, group, of: of.0, vs: vs.0, of_count, vs_count }
        });
        let mut views: Vec<TermView> = views.filter(|term| term.of != 0.0 || term.vs != 0.0).collect();
        views.sort_by(|a, b| (b.of - b.vs).abs().total_cmp(&(a.of - a.vs).abs()));
        views
    }
}

fn end_of(account: &Account) -> End {
    End {
        value: account.value.0,
        phase: account.phase,
        scale: account.scale,
        sum_mg: account.sums.0.mg,
        sum_eg: account.sums.0.eg,
        rest: account.rest.as_ref().map(|(name, value)| (name.clone(), value.0)),
        is_sound: account.is_sound(),
        network: account.by_network.then_some(account.played.0),
    }
}
