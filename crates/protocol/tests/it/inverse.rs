//! What one end writes, the other reads back, for every command and reply that a protocol can say.

use proptest::{collection::vec, option, prelude::*, sample::select};
use std::time::Duration;
use tesuji_game::{Bound, Choice, Clock, Limits, Side, Value, Wdl};
use tesuji_protocol::{
    Ask, BoardCommand, Command, Ending, EngineEnd, Go, Info, MateAnswer, Offer, OfferKind, Reply, RunnerEnd, Score,
    gtp::{GtpEngine, GtpRunner},
    uci::{UciEngine, UciRunner},
    usi::{UsiEngine, UsiRunner},
};

fn a_move() -> impl Strategy<Value = String> {
    "[a-h][1-8][a-h][1-8][nbrq]?"
}

fn a_name() -> impl Strategy<Value = String> {
    "[A-Z][a-z0-9_]{1,8}( [A-Z][a-z]{1,6}){0,2}"
}

fn a_time() -> impl Strategy<Value = Duration> {
    (0..100_000_000u64).prop_map(Duration::from_millis)
}

fn clocks() -> impl Strategy<Value = [Clock; 2]> {
    (a_time(), a_time(), a_time(), a_time(), option::of(1..1000u32)).prop_map(|(a, b, c, d, moves_to_go)| {
        [(a, c), (b, d)].map(|(left, increment)| Clock { left, increment, moves_to_go, ..Clock::default() })
    })
}

fn a_go() -> impl Strategy<Value = Command> {
    let limits = (
        option::of(1..200u32),
        option::of(1..u64::MAX / 2),
        option::of(a_time()),
        option::of(clocks()),
        option::of((1..100u32).prop_map(|moves| 2 * moves - 1)),
        any::<bool>(),
        any::<bool>(),
    );
    (limits, vec(a_move(), 0..4)).prop_map(|((depth, nodes, move_time, clock, mate_plies, infinite, ponder), only)| {
        let limits = Limits { depth, nodes, move_time, clock, mate_plies, infinite, ponder, soft_nodes: None };
        Command::Go(Go { limits, only, ..Go::default() })
    })
}

fn a_command() -> impl Strategy<Value = Command> {
    let board = (option::of("[a-z1-8/]{4,20} [wb] (KQkq|-) - [0-9] [1-9]"), vec(a_move(), 0..9))
        .prop_map(|(start, moves)| Command::Board(BoardCommand::Set { start, moves }));
    prop_oneof![
        select(vec![
            Command::Hello,
            Command::Debug(true),
            Command::Debug(false),
            Command::Sync,
            Command::NewGame,
            Command::Stop,
            Command::PonderHit,
            Command::Quit,
            Command::Ask(Ask::Show),
            Command::Ask(Ask::Explain),
            Command::Ask(Ask::Bench),
            Command::Ask(Ask::Help),
            Command::Ask(Ask::Perft(5)),
        ]),
        (a_name(), "([a-zA-Z0-9/.]{1,9}( [a-z]{1,4}){0,2})?").prop_map(|(name, value)| Command::Set { name, value }),
        board,
        a_go(),
    ]
}

fn a_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        (-30_999..=30_999).prop_map(Value::cp),
        (1..=500).prop_map(|moves| Value::mate_in(2 * moves - 1)),
        (0..=500).prop_map(|moves| Value::mated_in(2 * moves)),
    ]
}

fn a_wdl() -> impl Strategy<Value = Wdl> {
    (0..=1000u16, 0..=1000u16).prop_map(|(a, b)| {
        let (win, rest) = (a.min(b), a.max(b));
        Wdl { win, draw: rest - win, loss: 1000 - rest }
    })
}

fn an_info() -> impl Strategy<Value = Info> {
    let bound = select(vec![Bound::Exact, Bound::Lower, Bound::Upper]);
    let first = (
        option::of(0..300u32),
        option::of(0..300u32),
        option::of(1..256u32),
        option::of((a_value(), bound).prop_map(|(value, bound)| Score { value, bound })),
        option::of(a_wdl()),
        option::of(0..u64::MAX / 2),
        option::of(0..u64::MAX / 2),
    );
    let second = (
        option::of(0..=1000u32),
        option::of(0..1000u64),
        option::of(a_time()),
        option::of(a_move()),
        option::of(1..200u32),
        vec(a_move(), 0..6),
        option::of("[a-z]{1,6}( [a-z0-9]{1,6}){0,3}"),
    );
    (first, second).prop_map(|(first, second)| {
        let (depth, depth_max, rank, score, wdl, nodes, speed) = first;
        let (hash_full, table_hits, time, current, current_number, pv, text) = second;
        Info {
            depth,
            depth_max,
            rank,
            score,
            wdl,
            nodes,
            speed,
            hash_full,
            table_hits,
            time,
            current,
            current_number,
            pv,
            text,
        }
    })
}

fn an_offer() -> impl Strategy<Value = Offer> {
    let word = || "[a-z]{1,8}";
    let kind = prop_oneof![
        (-9..=9i64, -99..=-10i64, 10..=99i64).prop_map(|(default, min, max)| OfferKind::Spin { default, min, max }),
        any::<bool>().prop_map(|default| OfferKind::Check { default }),
        "([a-z/.]{1,9}( [a-z]{1,4}){0,2})?".prop_map(|default| OfferKind::Text { default }),
        "[a-z/.]{1,9}".prop_map(|default| OfferKind::File { default }),
        vec(word(), 1..4).prop_map(|among| OfferKind::Combo { default: among[0].clone(), among }),
        Just(OfferKind::Button),
    ];
    (a_name(), kind).prop_map(|(name, kind)| Offer { name, kind })
}

fn a_reply() -> impl Strategy<Value = Reply> {
    let choice = prop_oneof![
        a_move().prop_map(|mv| Some(Choice::Play(mv))),
        select(vec![None, Some(Choice::Claim), Some(Choice::Resign)]),
    ];
    prop_oneof![
        select(vec![Reply::Welcome, Reply::Ready]),
        a_name().prop_map(Reply::Name),
        a_name().prop_map(Reply::Author),
        an_offer().prop_map(Reply::Option),
        an_info().prop_map(Reply::Info),
        (choice, option::of(a_move())).prop_map(|(choice, ponder)| Reply::Best { choice, ponder }),
        "[A-Z][a-z]{1,9} [a-z ]{0,9}[a-z]".prop_map(Reply::Text),
        "[a-z]{1,9} [a-z ]{0,9}[a-z]".prop_map(Reply::Fault),
    ]
}

/// A command of USI: what UCI has with other clocks, and searches for mate.
fn a_usi_command() -> impl Strategy<Value = Command> {
    let solve = option::of(a_time()).prop_map(|move_time| {
        let limits = Limits { move_time, infinite: move_time.is_none(), ..Limits::default() };
        Command::Go(Go { limits, solve: true, ..Go::default() })
    });
    let ending = select(vec![Ending::Win, Ending::Lose, Ending::Draw]).prop_map(Command::GameOver);
    let common = (a_command(), a_time()).prop_map(|(mut command, byoyomi)| {
        if let Command::Go(go) = &mut command {
            go.limits.mate_plies = None;
            for clock in go.limits.clock.iter_mut().flatten() {
                (clock.byoyomi, clock.periods) = (byoyomi, u32::from(!byoyomi.is_zero()));
            }
        }
        command
    });
    prop_oneof![4 => common, 1 => solve, 1 => ending]
}

/// A reply of USI.
fn a_usi_reply() -> impl Strategy<Value = Reply> {
    let mate = prop_oneof![
        select(vec![MateAnswer::None, MateAnswer::Limit, MateAnswer::Unable]),
        vec(a_move(), 1..9).prop_map(MateAnswer::Line),
    ];
    let common = a_reply()
        .prop_filter("USI has no word for having no move", |reply| !matches!(reply, Reply::Best { choice: None, .. }));
    prop_oneof![4 => common, 1 => mate.prop_map(Reply::Mate)]
}

fn a_point() -> impl Strategy<Value = String> {
    "[A-HJ-T]([1-9]|1[0-9])|pass"
}

fn a_side() -> impl Strategy<Value = Side> {
    select(Side::ALL.to_vec())
}

/// A clock in whole seconds, as GTP tells it.
fn a_gtp_clock() -> impl Strategy<Value = Command> {
    let settings = (0..9999u64, 1..99u64, 0..30u32).prop_map(|(left, period, stones)| {
        let byoyomi = Duration::from_secs(if stones == 0 { 0 } else { period });
        let clock = Clock { left: Duration::from_secs(left), byoyomi, stones, ..Clock::default() };
        Command::Clock { side: None, clock: Some(clock) }
    });
    let left = (a_side(), 1..9999u64, 1..30u32).prop_map(|(side, time, stones)| {
        let byoyomi = Duration::from_secs(time);
        Command::Clock { side: Some(side), clock: Some(Clock { byoyomi, stones, ..Clock::default() }) }
    });
    prop_oneof![settings, left, Just(Command::Clock { side: None, clock: None })]
}

fn a_gtp_command() -> impl Strategy<Value = Command> {
    let handicap = |stones, fixed| Command::Ask(Ask::Handicap { stones, fixed });
    let go = (a_side(), any::<bool>())
        .prop_map(|(side, commit)| Command::Go(Go { side: Some(side), commit, ..Go::default() }));
    prop_oneof![
        select(vec![
            Command::Board(BoardCommand::Clear),
            Command::Board(BoardCommand::Undo),
            Command::Board(BoardCommand::Komi("7.5".into())),
            Command::Board(BoardCommand::Komi("-3".into())),
            Command::Board(BoardCommand::Rules("size=13".into())),
            Command::Ask(Ask::Show),
            Command::Ask(Ask::Name),
            Command::Ask(Ask::Version),
            Command::Ask(Ask::Help),
            Command::Ask(Ask::FinalScore),
            Command::Ask(Ask::FinalStatus("dead".into())),
            Command::Ask(Ask::ProcessorTime),
            Command::Ask(Ask::RawNet(None)),
            Command::Ask(Ask::RawNet(Some(7))),
            handicap(5, true),
            handicap(3, false),
            Command::Quit,
        ]),
        (a_side(), a_point()).prop_map(|(side, text)| Command::Board(BoardCommand::Play { side, text })),
        vec(a_point(), 1..6).prop_map(|points| Command::Board(BoardCommand::Place { side: Side::First, points })),
        go,
        a_gtp_clock(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn uci_commands(command in a_command()) {
        let mut text = String::new();
        UciRunner::default().write(&command, &mut text);
        prop_assert_eq!(UciEngine.read(&text), Ok(Some(command)), "{}", text);
    }

    #[test]
    fn uci_replies(reply in a_reply()) {
        let mut text = String::new();
        UciEngine.write(&reply, &mut text);
        prop_assert_eq!(UciRunner::default().read(&text), Ok(Some(reply)), "{}", text);
    }

    #[test]
    fn usi_commands(command in a_usi_command()) {
        let mut text = String::new();
        UsiRunner::default().write(&command, &mut text);
        prop_assert_eq!(UsiEngine.read(&text), Ok(Some(command)), "{}", text);
    }

    #[test]
    fn usi_replies(reply in a_usi_reply()) {
        let mut text = String::new();
        UsiEngine.write(&reply, &mut text);
        // Names of options have no spaces there.
        let reply = match reply {
            Reply::Option(offer) => Reply::Option(Offer { name: offer.name.replace(' ', "_"), ..offer }),
            other => other,
        };
        prop_assert_eq!(UsiRunner::default().read(&text), Ok(Some(reply)), "{}", text);
    }

    /// Each command arrives, and its answer comes back to it through both queues.
    #[test]
    fn gtp_dialogues(commands in vec((a_gtp_command(), a_point(), any::<bool>()), 1..9)) {
        let (mut runner, mut engine, mut waiting) = (GtpRunner::default(), GtpEngine::default(), Vec::new());
        for (command, point, fails) in commands {
            let mut text = String::new();
            runner.write(&command, &mut text);
            prop_assert_eq!(text.lines().count(), 1, "{}", text);
            prop_assert_eq!(engine.read(&text), Ok(Some(command.clone())), "{}", text);
            waiting.push((command, text, point, fails));
        }
        for (command, line, point, fails) in waiting {
            let reply = match (&command, fails) {
                (_, true) => Reply::Fault("cannot do that".into()),
                (Command::Go(_), _) => Reply::Best { choice: Some(Choice::Play(point)), ponder: None },
                (Command::Ask(_), _) => Reply::Text(format!("B+3.5\n{point}")),
                _ => Reply::Done,
            };
            let mut text = String::new();
            engine.write(&reply, &mut text);
            let back: Vec<Reply> = text.lines().filter_map(|line| runner.read(line).unwrap()).collect();
            let words = line.trim_end().split_once(' ').unwrap().1;
            // Where the standard has words for a failure, they stand for the engine's.
            let failure = match words.split(' ').next().unwrap_or_default() {
                "boardsize" => "unacceptable size",
                "komi" | "final_status_list" => "syntax error",
                "play" => "illegal move",
                "undo" => "cannot undo",
                "final_score" => "cannot score",
                _ => "cannot do that",
            };
            match command {
                Command::Clock { .. } => prop_assert_eq!(back, []),
                _ if fails => prop_assert_eq!(back, [Reply::Fault(format!("{words}: {failure}"))]),
                _ => prop_assert_eq!(back, [reply]),
            }
        }
    }
}
