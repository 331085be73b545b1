//! Mates of shogi and chess: positions with known answers, and strategies that the rules confirm.

use std::time::Duration;
use tesuji_game::{Evaluator, Game, Limits, Line, Position, Report, Side, Signal, Tactical, Value, Watch};
use tesuji_search::mate::{Answer, MateLimits, MateSearch, NoStrategy, Parameters, Settings};
use tesuji_search::{Searcher, alpha_beta::AlphaBeta};
use tesuji_shogi::{Board, Move, sfen};

/// Positions of the diary of Tadao Yamaoka (2018), of collections that test mate solvers, and of composed problems:
/// name, position, answer (plies of the shortest mate, `mate` where that is not established, `nomate`), from what is
/// known by exhaustive search or other solvers.
const PROBLEMS: &str = include_str!("../data/tsume.tsv");

/// Little memory, so that tests start quickly.
fn small() -> Settings {
    Settings { hash_mib: 32 }
}

/// Pages of memory that this process holds.
#[cfg(target_os = "linux")]
fn resident_pages() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").expect("the system tells");
    text.split_whitespace().nth(1).and_then(|word| word.parse().ok()).expect("a number")
}

/// Tables of 128 GiB wrote 16 of them before the first node: half a minute, and the end of smaller machines.
#[cfg(target_os = "linux")]
#[test]
fn a_huge_hash_takes_memory_only_as_it_fills() {
    let before = resident_pages();
    let mut search = MateSearch::new(&Settings { hash_mib: 16 << 10 }, &Parameters::default());
    let board = problem("diary_loop_3ply");
    assert_eq!(search.solve(&board, board.side_to_move(), limited(8_000), &mut |_| false), Answer::Mate(3));
    let grown = (resident_pages() - before) * 4;
    assert!(grown < 512 << 10, "{grown} KiB");
}

fn solver(parameters: &Parameters) -> MateSearch<Board> {
    MateSearch::new(&small(), parameters)
}

fn limited(nodes: u64) -> MateLimits {
    MateLimits { plies: None, nodes: Some(nodes) }
}

fn problems() -> impl Iterator<Item = (&'static str, Board, &'static str)> {
    PROBLEMS.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let mut cells = line.split('\t');
        let mut cell = || cells.next().expect("three cells");
        let (name, position, answer) = (cell(), cell(), cell());
        (name, sfen::parse(position).unwrap_or_else(|e| panic!("{name}: {e}")), answer)
    })
}

fn problem(wanted: &str) -> Board {
    problems().find(|(name, ..)| *name == wanted).map(|(_, board, _)| board).expect("a problem of this name")
}

/// Solves, and lets the rules confirm what is claimed. The answer, and the plies of the line played out.
fn proved<P: tesuji_game::Mating + Tactical>(
    search: &mut MateSearch<P>,
    pos: &P,
    attacker: Side,
    limits: MateLimits,
) -> Answer {
    let answer = search.solve(pos, attacker, limits, &mut |_| false);
    match search.strategy(pos, answer, &mut |_| false) {
        Ok(strategy) => {
            strategy.check(pos).unwrap_or_else(|flaw| panic!("{flaw}"));
            if strategy.is_mate() {
                let line = strategy.line(pos);
                assert!(!line.is_empty());
                let mut end = pos.clone();
                line.iter().for_each(|&mv| end.play(mv));
                assert!(!end.has_moves() && end.no_legal_moves().winner == Some(attacker));
            }
        }
        Err(NoStrategy::Unsolved) => assert!(!matches!(answer, Answer::Mate(_) | Answer::NoMate)),
        Err(other) => assert_eq!(other, NoStrategy::Stopped, "{answer:?}"),
    }
    answer
}

/// No answer is ever wrong, at any limit, and each claim is confirmed.
#[test]
fn known_answers_are_found_and_confirmed() {
    let slow = tesuji_testkit::needs::is_slow();
    let limits: &[u64] = if slow { &[100, 3_000, 1_000_000] } else { &[100, 8_000] };
    let mut search = solver(&Parameters::default());
    let mut solved = 0;
    for &nodes in limits {
        solved = 0;
        for (name, board, known) in problems() {
            let answer = proved(&mut search, &board, board.side_to_move(), limited(nodes));
            match (answer, known, known.parse::<u16>()) {
                (Answer::Unknown, ..) => continue,
                (Answer::Mate(plies), _, Ok(shortest)) => assert!(plies >= shortest && plies % 2 == 1, "{name}"),
                (Answer::Mate(_), "mate" | "?", _) | (Answer::NoMate, "nomate" | "?", _) => {}
                _ => panic!("{name}: {answer:?}, but it is {known}"),
            }
            solved += 1;
        }
    }
    println!("{solved} of {} solved", problems().count());
    assert!(solved >= if slow { 60 } else { 45 }, "{solved}");
}

#[test]
fn shortest_mates_are_as_short_as_published() {
    let mut search = solver(&Parameters::default());
    let mut compared = 0;
    for (name, board, known) in problems() {
        let Ok(shortest @ 1..=7) = known.parse::<u16>() else { continue };
        let Answer::Mate(plies) = search.solve(&board, board.side_to_move(), limited(200_000), &mut |_| false) else {
            panic!("{name}: no mate found");
        };
        assert_eq!(search.shorten(&board, plies, &mut |_| false), (shortest, true), "{name}");
        compared += 1;
    }
    assert!(compared >= 30, "{compared}");
}

/// Yamaoka's two findings: a solver that takes the end of the search for the end of all mates, and does not see that a
/// position came back, calls a mate in three none; and without dominance a problem of his takes several times as long.
#[test]
fn the_diary_is_right() {
    let looping = problem("diary_loop_3ply");
    let within = |plies| MateLimits { plies: Some(plies), nodes: Some(200_000) };
    assert_eq!(
        proved(&mut solver(&Parameters::default()), &looping, looping.side_to_move(), within(20)),
        Answer::Mate(3)
    );
    let position = problem("diary_15ply");
    let nodes = |parameters: &Parameters| {
        let mut search = solver(parameters);
        let answer = search.solve(&position, position.side_to_move(), limited(2_000_000), &mut |_| false);
        assert!(matches!(answer, Answer::Mate(_)), "{answer:?}");
        search.nodes()
    };
    let with = nodes(&Parameters::default());
    let without = nodes(&Parameters { dominance: false, ..Parameters::default() });
    println!("with dominance {with} nodes, without {without}");
    assert!(without > 2 * with, "{with} {without}");
}

#[test]
fn limits_are_told_from_answers() {
    let board = problem("yo_mate7_01");
    let mut search = solver(&Parameters::default());
    let me = board.side_to_move();
    for plies in [1, 3, 5] {
        let limits = MateLimits { plies: Some(plies), nodes: None };
        assert_eq!(search.solve(&board, me, limits, &mut |_| false), Answer::NoMateWithin(plies));
    }
    assert_eq!(search.solve(&board, me, limited(3), &mut |_| false), Answer::Unknown);
    assert_eq!(search.nodes(), 3);
    assert_eq!(
        search.solve(&problem("diary_15ply"), Side::First, limited(u64::MAX), &mut |n| n >= 512),
        Answer::Unknown
    );
    // The defender to move: anyone who is in check already can be asked about, too.
    let mated = sfen::parse("4k4/4G4/4P4/9/9/9/9/9/9 w 2r2b3g4s4n4l17p 1").expect("a position");
    assert_eq!(search.solve(&mated, Side::First, limited(10), &mut |_| false), Answer::Mate(0));
}

/// Every part can be taken out without a wrong answer, `loops` excepted.
#[test]
fn no_part_is_needed_for_truth() {
    let parts: [fn(&mut Parameters); 8] = [
        |k| k.dominance = false,
        |k| k.proof_hands = false,
        |k| k.disproof_hands = false,
        |k| k.look_ahead = false,
        |k| k.delay = false,
        |k| k.threshold_control = false,
        |k| k.widen = false,
        |k| k.damp = false,
    ];
    for (index, part) in parts.iter().enumerate() {
        let mut parameters = Parameters::default();
        part(&mut parameters);
        let mut search = solver(&parameters);
        for (name, board, known) in problems() {
            let answer = proved(&mut search, &board, board.side_to_move(), limited(600));
            let wrong = match answer {
                Answer::Mate(plies) => known == "nomate" || known.parse::<u16>().is_ok_and(|least| plies < least),
                Answer::NoMate => known == "mate" || known.parse::<u16>().is_ok(),
                _ => false,
            };
            assert!(!wrong, "{name} without part {index}: {answer:?}, but it is {known}");
        }
    }
}

/// Several threads on one problem: each claim is confirmed, no limit is passed, and anyone who is alone finds the same each time.
#[test]
fn threads_together_are_as_right() {
    let mut together = MateSearch::with_threads(&small(), &Parameters::default(), 3);
    let mut solved = 0;
    for (name, board, known) in problems() {
        let answer = proved(&mut together, &board, board.side_to_move(), limited(4_000));
        assert!(together.nodes() <= 4_000, "{name}");
        let wrong = match answer {
            Answer::Mate(plies) => known == "nomate" || known.parse::<u16>().is_ok_and(|least| plies < least),
            Answer::NoMate => known == "mate" || known.parse::<u16>().is_ok(),
            _ => false,
        };
        assert!(!wrong, "{name} by three threads: {answer:?}, but it is {known}");
        solved += u32::from(matches!(answer, Answer::Mate(_) | Answer::NoMate));
    }
    assert!(solved >= 40, "{solved}");
    // Anyone who finds a mate within three plies only must not take it for the end of all mates.
    let board = problem("yo_mate7_01");
    let me = board.side_to_move();
    let limits = MateLimits { plies: Some(3), nodes: None };
    assert_eq!(together.solve(&board, me, limits, &mut |_| false), Answer::NoMateWithin(3));
    // Its own side to move: for the other one there is no mate, which threads may find before they look at the stop.
    let diary = problem("diary_15ply");
    let attacker = diary.side_to_move();
    assert_eq!(together.solve(&diary, attacker, limited(u64::MAX), &mut |_| true), Answer::Unknown);
    let Answer::Mate(plies) = together.solve(&board, me, limited(200_000), &mut |_| false) else { panic!("a mate") };
    assert_eq!(together.shorten(&board, plies, &mut |_| false), (7, true));
    let alone = |threads| {
        let mut search = MateSearch::with_threads(&small(), &Parameters::default(), threads);
        let answer = search.solve(&diary, attacker, limited(20_000), &mut |_| false);
        (answer, search.nodes())
    };
    assert_eq!(alone(1), alone(1));
}

/// A strategy with a hole, a foreign move or a wrong claim is found out.
#[test]
fn false_strategies_are_found_out() {
    let mut search = solver(&Parameters::default());
    let (mate, other) = (problem("yo_mate5_01"), problem("yo_mate7_03"));
    let answer = search.solve(&mate, mate.side_to_move(), limited(100_000), &mut |_| false);
    let Ok(strategy) = search.strategy(&mate, answer, &mut |_| false) else { panic!("no strategy") };
    assert!(strategy.is_mate() && strategy.check(&mate).is_ok_and(|n| n >= strategy.len()));
    assert!(strategy.check(&other).is_err());
    let line = strategy.line(&mate);
    let mut later = mate;
    later.play(line[0]);
    assert!(strategy.check(&later).is_ok());
    assert!(strategy.check(&tesuji_shogi::Shogi::start(&tesuji_shogi::Rules::default())).is_err());
}

/// Anyone who watches sees the tree while it is searched, and stopping for that does not change the answer.
#[test]
fn the_tree_is_seen_while_it_grows() {
    let pos = problem("elmo_t1_09");
    let mut search = solver(&Parameters::default());
    let expect = search.solve(&pos, pos.side_to_move(), MateLimits::default(), &mut |_| false);
    let mut answer = search.solve(&pos, pos.side_to_move(), MateLimits::default(), &mut |nodes| nodes >= 256);
    let mut sizes = Vec::new();
    while answer == Answer::Unknown {
        let tree = search.grown(&pos, MateLimits::default(), 500);
        assert!(tree[0].parent.is_none() && tree[0].pn > 0 && tree[0].dn > 0, "{:?}", tree[0]);
        let parents = tree.iter().enumerate().skip(1).all(|(i, node)| node.parent.is_some_and(|p| (p as usize) < i));
        assert!(parents && tree.iter().skip(1).all(|node| node.mv.is_some() && node.work > 0));
        sizes.push(tree.len());
        let until = search.nodes() + 512;
        answer = search.go_on(&pos, MateLimits::default(), &mut |nodes| nodes >= until);
        assert!(sizes.len() < 10_000, "it never comes to an end");
    }
    assert!(sizes.len() > 2 && sizes.iter().max() > sizes.first(), "{sizes:?}");
    assert!(matches!((answer, expect), (Answer::Mate(_), Answer::Mate(_))), "{answer:?} {expect:?}");
    let tree = search.grown(&pos, MateLimits::default(), 500);
    assert_eq!((tree[0].pn, tree[0].plies.is_some()), (0, true));
}

/// What the proof rests on is forgotten where memory is short, and solved again, though the answer above it is remembered;
/// so is what several threads have found.
#[test]
fn what_was_forgotten_is_solved_again() {
    for threads in [1, 2] {
        let mut search = MateSearch::with_threads(&Settings { hash_mib: 1 }, &Parameters::default(), threads);
        for name in ["elmo_t1_18", "yo_bench_07"] {
            let board = problem(name);
            // With so little memory two threads now and then run to any limit.
            let mut solve = || search.solve(&board, board.side_to_move(), limited(3_000_000), &mut |_| false);
            let answer = (0..20).map(|_| solve()).find(|answer| matches!(answer, Answer::Mate(_))).expect(name);
            let solved = search.nodes();
            let strategy = search.strategy(&board, answer, &mut |_| false);
            let strategy = strategy.unwrap_or_else(|e| panic!("{name}, {threads} threads: {e:?}"));
            strategy.check(&board).unwrap_or_else(|flaw| panic!("{name}, {threads} threads: {flaw}"));
            assert!(strategy.is_mate() && search.nodes() > solved, "{name}: nothing was forgotten");
        }
    }
}

/// `MateLoops=false` overflowed the stack: a line that returned again and again had no end, and each of its plies lay on the
/// call stack. (Helpers had 64 MiB, the main thread 8.)
#[test]
fn long_lines_need_no_deep_stack() {
    let work = || {
        let parameters = Parameters { loops: false, ..Parameters::default() };
        let mut search = solver(&parameters);
        for (name, board, _) in problems() {
            // This one went on below itself without an end.
            let nodes = if name == "diary_15ply" { 100_000 } else { 3_000 };
            let answer = search.solve(&board, board.side_to_move(), limited(nodes), &mut |_| false);
            // Without what this switch turns off answers may be wrong, but a mate is still one where the checker says so.
            if let (Answer::Mate(_), Ok(strategy)) = (answer, search.strategy(&board, answer, &mut |_| false)) {
                let line = strategy.line(&board);
                assert!(strategy.check(&board).is_err() || !line.is_empty(), "{name}");
            }
        }
    };
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(work);
    assert!(thread.expect("a thread").join().is_ok());
}

/// Says of every position that it is even.
#[derive(Clone)]
struct Even;

impl Evaluator<Board> for Even {
    fn value(&mut self, _: &Board) -> Value {
        Value::cp(0)
    }
}

/// Nobody watches.
struct Quiet;

impl Watch<Move> for Quiet {
    fn signal(&mut self) -> Signal {
        Signal::Run
    }

    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }

    fn report(&mut self, _: &Report<Move>) {}
}

/// The trace called them "searched", "a move is too good" or "captures only".
#[test]
fn nodes_cut_by_a_mate_at_once_are_named_so() {
    // Without quiescence nothing is known of a position before it is searched with a ply of depth.
    for (quiescence, depth, words) in [("true", 1, "depth 0,"), ("false", 2, "depth 1,")] {
        let board = sfen::parse("4k4/9/4P4/9/9/9/9/9/4K4 w Grb4s4n4l9p 1").expect("a position");
        let mut search = AlphaBeta::<Board, Even>::new(Even);
        search.options().set("TracePlies", "3").expect("an option");
        search.options().set("Quiescence", quiescence).expect("an option");
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        search.search(&Line::new(board), &limits, &[], &mut Quiet);
        let tree = search.tree().expect("a trace");
        let mut rows = Vec::new();
        tree.children(0, &mut rows);
        let notes: Vec<String> = rows.iter().filter_map(|row| Some(tree.note(row.node)?.to_string())).collect();
        let is_named = |note: &String| note.starts_with(words) && note.ends_with("cut: a mate at once");
        assert!(notes.iter().any(is_named), "{notes:#?}");
    }
}
