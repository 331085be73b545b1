//! Tests of the rules of go: published counts of legal boards, invariants along random games, and another engine's legal moves.

mod perft;

use anyhow::{Context, anyhow, bail};
use std::{collections::BTreeSet, env, path::Path, time::Duration};
use tesuji_arena::GtpProcess;
use tesuji_game::{Line, Notation, Position, Random, Side};
use tesuji_go::{Area, Board, GoPosition, GtpNotation, Medium, Move, Rules, Small};
use tesuji_kit::{
    Perft, PerftRequest, RequestError, RulesTest, Selftest, SelftestRequest,
    rules_test::{LegalPositions, RulesAbilities, SelftestListener, SelftestNews},
};

/// Legal boards by size (J. Tromp, G. Farneback: Combinatorics of Go, 2007).
const LEGAL: [(&str, u64); 6] =
    [("2x2", 57), ("2x3", 489), ("2x4", 4_125), ("2x5", 35_117), ("3x3", 12_675), ("3x4", 321_689)];
/// Counted too where SLOW=1 says that there is time.
const LEGAL_SLOW: (&str, u64) = ("4x4", 24_318_165);
/// Rules of the random games.
const GAMES: [&str; 6] = [
    "5x5 tromp-taylor",
    "7x4 chinese",
    "9x9 japanese",
    "9x9 new-zealand",
    "13x13 aga handicap 3",
    "19x19 chinese ko positional",
];
/// Rules of the random games that another engine follows.
const COMPARED_GAMES: [&str; 4] = ["9x9 chinese", "5x5 chinese", "13x13 chinese", "19x19 chinese"];
/// Random games where nothing else is asked.
const GAMES_USUAL: u64 = 12;
/// The longest game, in plies for each point.
const PLIES_PER_POINT: usize = 2;
/// The longest that another engine may think.
const ANSWER_TIME: Duration = Duration::from_secs(60);

/// The tests.
pub(super) static RULES_TEST: GoRulesTest = GoRulesTest;

/// Tests of the rules of go.
pub(super) struct GoRulesTest;

impl RulesTest for GoRulesTest {
    fn abilities(&self) -> RulesAbilities {
        RulesAbilities { legal_positions: true, ..RulesAbilities::default() }
    }

    fn perft(&self, request: &PerftRequest) -> Result<Perft, RequestError> {
        perft::count(request)
    }

    fn legal_positions(&self, request: &PerftRequest) -> Result<LegalPositions, RequestError> {
        perft::legal_positions(request)
    }

    fn selftest(&self, request: &SelftestRequest, news: &mut SelftestListener<'_>) -> Result<Selftest, RequestError> {
        request.validate()?;
        let others = request.file.is_some() || request.expect.is_some() || request.make.is_some();
        if others || request.attacks || !request.rules.is_empty() {
            return Err(RequestError::failed("the selftest of go takes games, seed and engine"));
        }
        let games = request.games.unwrap_or(GAMES_USUAL);
        let tested = match &request.engine {
            Some(command) => compare(command, games, request.seed),
            None => count_and_walk(games, request.seed, news),
        };
        tested.map_err(|error| RequestError::failed(format!("{error:#}")))
    }
}

/// Counts legal boards, and checks the invariants along random games.
fn count_and_walk(games: u64, seed: u64, news: &mut SelftestListener<'_>) -> anyhow::Result<Selftest> {
    let slow = env::var_os("SLOW").map(|_| LEGAL_SLOW);
    for (size, published) in LEGAL.into_iter().chain(slow) {
        let rules: Rules = size.parse()?;
        let start = GoPosition::<Small>::start(&rules).map_err(|error| anyhow!("{size}: {error}"))?;
        let found = tesuji_go::perft::legal_boards(&start);
        news(SelftestNews::Legal { size, found, published })?;
        if found != published {
            return Ok(Selftest::Differs(format!("published: {published}")));
        }
    }
    let mut positions = 0;
    for game in 0..games {
        let rules: Rules = GAMES[game as usize % GAMES.len()].parse()?;
        match walk(&rules, &mut Random::for_item(seed, game)) {
            Ok(plies) => positions += plies,
            Err(broken) => return Ok(Selftest::Differs(format!("game {game} under {rules}: {broken:#}"))),
        }
    }
    Ok(Selftest::InvariantsHold { positions, games })
}

/// Plays a random game and checks each position; the number of positions.
fn walk(rules: &Rules, random: &mut Random) -> anyhow::Result<usize> {
    let start = GoPosition::<Medium>::start(rules).map_err(|error| anyhow!("{error}"))?;
    let mut line = Line::new(start);
    let plies_max = rules.size.points() * PLIES_PER_POINT;
    while line.len() < plies_max && line.outcome().is_none() {
        check(&line).with_context(|| format!("after {} moves: {}", line.len(), text(line.here())))?;
        line.push(next_move(&line, random));
    }
    let plies = line.len();
    while line.pop().is_some() {}
    if text(line.here()) != text(&GoPosition::<Medium>::start(rules).map_err(|error| anyhow!("{error}"))?) {
        bail!("taking all moves back does not lead to the start");
    }
    Ok(plies)
}

/// A legal move; a pass only where nothing else is left, or now and then.
fn next_move<A: Area>(line: &Line<GoPosition<A>>, random: &mut Random) -> Move {
    let mut moves = Vec::new();
    line.legal_moves(&mut moves);
    moves.retain(|mv| !mv.is_pass());
    if moves.is_empty() || random.below(50) == 0 { Move::PASS } else { moves[random.below(moves.len())] }
}

/// The invariants of one position.
fn check<A: Area>(line: &Line<GoPosition<A>>) -> anyhow::Result<()> {
    let here = line.here();
    let board = here.board();
    let rebuilt = Board::<A>::with_stones(here.size(), board.stones()).context("a chain without liberties")?;
    if rebuilt.key() != board.key() {
        bail!("the key is another than that of the same stones put on an empty board");
    }
    for head in rebuilt.all_chains() {
        if board.liberties(head) != rebuilt.liberties(head)
            || board.stones_in_chain(head) != rebuilt.stones_in_chain(head)
        {
            bail!("the chain at {} has other liberties or stones than one put there", A::vertex(head));
        }
    }
    let read: GoPosition<A> = GtpNotation::parse_position(here.rules(), &text(here))?;
    if read.key() != here.key() {
        bail!("the text is read as another position");
    }
    let mut moves = Vec::new();
    line.legal_moves(&mut moves);
    for mv in moves {
        let mut after = here.clone();
        let undo = after.play_seen(mv, |_| ());
        if let Some(vertex) = mv.vertex()
            && here.board().stone(vertex).is_some()
        {
            bail!("{mv} is played on a stone");
        }
        after.undo(mv, undo);
        if after.key() != here.key() || text(&after) != text(here) {
            bail!("{mv} taken back leaves another position");
        }
    }
    Ok(())
}

/// Compares legal moves and prisoners along random games with an engine that knows GNU Go's `all_legal` and `captures`.
fn compare(command: &str, games: u64, seed: u64) -> anyhow::Result<Selftest> {
    let command = tesuji_jobs::words::split(command).map_err(|error| anyhow!("--engine: {error}"))?;
    let mut engine = GtpProcess::start(&command, Path::new("."))?;
    for word in ["all_legal", "captures"] {
        if ask(&mut engine, &format!("known_command {word}"))? != "true" {
            bail!("this engine does not know {word}; GNU Go does");
        }
    }
    let mut positions = 0;
    for game in 0..games {
        let rules: Rules = COMPARED_GAMES[game as usize % COMPARED_GAMES.len()].parse()?;
        let start = GoPosition::<Medium>::start(&rules).map_err(|error| anyhow!("{error}"))?;
        let (mut line, mut random) = (Line::new(start), Random::for_item(seed, game));
        for order in [format!("boardsize {}", rules.size.width()), "clear_board".to_string()] {
            ask(&mut engine, &order)?;
        }
        while line.len() < rules.size.points() * PLIES_PER_POINT && line.outcome().is_none() {
            if let Err(difference) = compare_here(&mut engine, &line) {
                let at = format!("game {game}, move {}", line.len() + 1);
                return Ok(Selftest::Differs(format!("{at}: {difference:#}\n{}", text(line.here()))));
            }
            let (side, mv) = (line.here().side_to_move(), next_move(&line, &mut random));
            ask(&mut engine, &format!("play {} {mv}", name(side)))?;
            line.push(mv);
            positions += 1;
        }
    }
    Ok(Selftest::SameGames { positions, games })
}

fn compare_here<A: Area>(engine: &mut GtpProcess, line: &Line<GoPosition<A>>) -> anyhow::Result<()> {
    let side = line.here().side_to_move();
    let answer = ask(engine, &format!("all_legal {}", name(side)))?;
    let theirs: BTreeSet<String> = answer.split_whitespace().map(str::to_ascii_uppercase).collect();
    let mut moves = Vec::new();
    line.legal_moves(&mut moves);
    let ours: BTreeSet<String> = moves.iter().filter(|mv| !mv.is_pass()).map(Move::to_string).collect();
    if ours != theirs {
        let only = |a: &BTreeSet<String>, b: &BTreeSet<String>| a.difference(b).cloned().collect::<Vec<_>>().join(" ");
        bail!("legal for us alone: {}; for the engine alone: {}", only(&ours, &theirs), only(&theirs, &ours));
    }
    for side in Side::ALL {
        let (ours, theirs) = (line.here().board().captured(!side), ask(engine, &format!("captures {}", name(side)))?);
        if ours.to_string() != theirs {
            bail!("{} has taken {ours} stones, the engine says {theirs}", name(side));
        }
    }
    Ok(())
}

fn ask(engine: &mut GtpProcess, command: &str) -> anyhow::Result<String> {
    let answer = engine.ask(None, command, ANSWER_TIME).with_context(|| command.to_string())?;
    if answer.done { Ok(answer.text) } else { bail!("{command}: refused: {}", answer.text) }
}

fn name(side: Side) -> &'static str {
    ["black", "white"][side.index()]
}

fn text<A: Area>(pos: &GoPosition<A>) -> String {
    let mut text = String::new();
    let _ = GtpNotation::write_position(pos, &mut text);
    text
}
