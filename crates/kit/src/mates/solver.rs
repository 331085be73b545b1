//! One question about mates: searched, shortened, proved, replayed by the rules.

use super::{
    MatePicture, MateQuestion, MateSettings, MateSolver, PictureNode, Pictures, Proof, SolvedMate, line_text,
    side_index,
};
use crate::Pasted;
use anyhow::bail;
use std::time::{Duration, Instant};
use tesuji_game::{Game, Mating, MoveOf, Notation, Position, Side, Tactical, move_text};
use tesuji_options::Options;
use tesuji_search::mate::{Answer, GrownNode, MateLimits, MateSearch, NoStrategy, Parameters, Settings, Strategy};

/// Between two pictures.
const PICTURES_EVERY: Duration = Duration::from_millis(250);
/// Nodes of a picture.
const PICTURE_NODES_MAX: usize = 800;

/// The solver of a game.
pub(super) struct Solver<G: Game>
where
    G::Position: Mating,
{
    search: MateSearch<G::Position>,
    hash_mib: usize,
}

impl<G> Solver<G>
where
    G: Game,
    G::Position: Mating + Tactical,
{
    pub(super) fn new(settings: &MateSettings) -> anyhow::Result<Solver<G>> {
        let mut parameters = Parameters::default();
        for option in &settings.options {
            let Some((name, value)) = option.split_once('=') else { bail!("--option {option}: expected NAME=VALUE") };
            parameters.set(name, value)?;
        }
        let (hash_mib, threads) = (settings.hash_mib, settings.threads.max(1));
        Ok(Solver { search: MateSearch::with_threads(&Settings { hash_mib }, &parameters, threads), hash_mib })
    }

    /// The answer and whether its mate is the shortest.
    fn answer(
        &mut self,
        pos: &G::Position,
        question: &MateQuestion,
        stop: &mut dyn FnMut(u64) -> bool,
        pictures: Option<Pictures<'_>>,
    ) -> (Answer, bool) {
        let attacker = attacker_of(pos, question);
        let limits = MateLimits { plies: question.plies, nodes: question.nodes };
        let answer = match pictures {
            Some(pictures) => grow::<G>(&mut self.search, (pos, attacker), limits, stop, pictures),
            None => self.search.solve(pos, attacker, limits, stop),
        };
        match answer {
            Answer::Mate(plies) if question.shortest => {
                let (plies, is_shortest) = self.search.shorten(pos, plies, stop);
                (Answer::Mate(plies), is_shortest)
            }
            answer => (answer, false),
        }
    }

    /// The strategy that proves `answer`; `None` where nothing is proved or nobody asks.
    fn strategy(
        &mut self,
        pos: &G::Position,
        (answer, question): (Answer, &MateQuestion),
        is_stopped: &dyn Fn() -> bool,
    ) -> anyhow::Result<Option<Strategy<G::Position>>> {
        // The line of a mate is worth looking for; all answers to all checks only where somebody asks.
        if !matches!(answer, Answer::Mate(_)) && !question.verify && !question.proof {
            return Ok(None);
        }
        match self.search.strategy(pos, answer, &mut |_| is_stopped()) {
            Ok(strategy) => Ok(Some(strategy)),
            Err(NoStrategy::Unsolved | NoStrategy::Stopped) => Ok(None),
            Err(_) => bail!("the proof does not fit into memory: --hash {} is too little", self.hash_mib),
        }
    }
}

impl<G> MateSolver for Solver<G>
where
    G: Game,
    G::Position: Mating + Tactical,
    MateSearch<G::Position>: Send,
{
    fn solve(
        &mut self,
        position: &Pasted,
        question: &MateQuestion,
        is_stopped: &dyn Fn() -> bool,
        pictures: Option<Pictures<'_>>,
    ) -> anyhow::Result<SolvedMate> {
        let pos = position.read::<G>(&G::Rules::default())?;
        check_sides::<G>(&pos, attacker_of(&pos, question))?;
        let began = Instant::now();
        let mut stop = |_| is_stopped() || question.time.is_some_and(|time| began.elapsed() >= time);
        let (answer, is_shortest) = self.answer(&pos, question, &mut stop, pictures);
        let (nodes, time) = (self.search.nodes(), began.elapsed());
        let strategy = self.strategy(&pos, (answer, question), is_stopped)?;
        let mut verified = None;
        if let (Some(strategy), true) = (&strategy, question.verify) {
            // What the checker refuses must never be told as an answer.
            verified = Some(strategy.check(&pos).map_err(|flaw| anyhow::anyhow!("the proof does not hold: {flaw}"))?);
        }
        let mating = strategy.as_ref().filter(|strategy| strategy.is_mate());
        let line = mating.map_or_else(Vec::new, |strategy| line_text::<G>(&pos, &strategy.line(&pos)));
        let proof = strategy.filter(|_| question.proof).map(|strategy| Proof::of::<G>(&pos, &strategy));
        Ok(SolvedMate { answer, is_shortest, line, nodes, time, verified, proof })
    }
}

/// The side that `question` lets mate.
fn attacker_of<P: Position>(pos: &P, question: &MateQuestion) -> Side {
    if question.defend { !pos.side_to_move() } else { pos.side_to_move() }
}

/// Checks that `attacker` has something to mate.
///
/// # Errors
/// When it has not: "no mate" would be true of it, and of no use.
pub(super) fn check_sides<G: Game<Position: Mating>>(pos: &G::Position, attacker: Side) -> anyhow::Result<()> {
    let Some(lacks) = pos.lacks_for_mate(attacker) else { return Ok(()) };
    let mut text = String::new();
    let _ = G::Notation::write_position(pos, &mut text);
    bail!("position {text:?}: {lacks}")
}

/// Solves a problem in slices, with a picture after each.
fn grow<G: Game>(
    search: &mut MateSearch<G::Position>,
    (pos, attacker): (&G::Position, Side),
    limits: MateLimits,
    stop: &mut dyn FnMut(u64) -> bool,
    pictures: Pictures<'_>,
) -> Answer
where
    G::Position: Mating,
{
    let began = Instant::now();
    let mut is_first = true;
    loop {
        let slice = Instant::now();
        let mut has_ended = false;
        let mut pause = |nodes| {
            has_ended = stop(nodes);
            has_ended || slice.elapsed() >= PICTURES_EVERY
        };
        let answer = match is_first {
            true => search.solve(pos, attacker, limits, &mut pause),
            false => search.go_on(pos, limits, &mut pause),
        };
        is_first = false;
        let over = answer != Answer::Unknown || has_ended || limits.nodes.is_some_and(|max| search.nodes() >= max);
        let tree = picture::<G>(pos, &search.grown(pos, limits, PICTURE_NODES_MAX));
        let (nodes, seconds, side) = (search.nodes(), began.elapsed().as_secs_f64(), side_index(pos.side_to_move()));
        pictures(&MatePicture { nodes, seconds, side, over, tree });
        if over {
            return answer;
        }
    }
}

/// Nodes of a growing search as text.
fn picture<G: Game>(pos: &G::Position, tree: &[GrownNode<MoveOf<G>>]) -> Vec<PictureNode> {
    let mut places: Vec<G::Position> = Vec::with_capacity(tree.len());
    let mut list = Vec::with_capacity(tree.len());
    for node in tree {
        let above = node.parent.map(|parent| places[parent as usize].clone());
        let text = match (&above, node.mv) {
            (Some(above), Some(mv)) => move_text::<G>(above, mv),
            _ => String::new(),
        };
        let mut here = above.unwrap_or_else(|| pos.clone());
        if let Some(mv) = node.mv {
            here.play(mv);
        }
        places.push(here);
        let GrownNode { parent, pn, dn, plies, work, moves, .. } = *node;
        list.push(PictureNode { parent, mv: text, pn, dn, plies, work, moves });
    }
    list
}
