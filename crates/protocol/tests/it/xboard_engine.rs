//! The engine's end of XBoard against lines of GUIs, and against our own runner's end.

use tesuji_game::{Choice, Limits, Side, Value};
use tesuji_protocol::{
    BoardCommand, Command, EngineEnd, Info, Offer, OfferKind, Reply, RunnerEnd, Score,
    xboard::{XboardEngine, XboardRunner},
};

/// All commands of a line.
fn read(end: &mut XboardEngine, line: &str) -> Vec<Command> {
    let mut commands: Vec<Command> = end.read(line).unwrap().into_iter().collect();
    while let Some(command) = end.next_command() {
        commands.push(command);
    }
    commands
}

fn write(end: &mut XboardEngine, reply: Reply) -> String {
    let mut out = String::new();
    end.write(&reply, &mut out);
    out
}

fn best(mv: &str) -> Reply {
    Reply::Best { choice: Some(Choice::Play(mv.into())), ponder: None }
}

fn board(moves: &[&str]) -> Command {
    let moves = moves.iter().map(ToString::to_string).collect();
    Command::Board(BoardCommand::Set { start: None, moves })
}

/// The limits of the last command, which is an order to search.
#[track_caller]
fn limits(commands: &[Command]) -> Limits {
    let Some(Command::Go(go)) = commands.last() else { panic!("no search: {commands:?}") };
    go.limits.clone()
}

#[test]
fn it_plays_the_side_that_moves_second_until_it_is_forced() {
    let mut end = XboardEngine::default();
    assert_eq!(read(&mut end, "xboard"), []);
    assert_eq!(read(&mut end, "new"), [Command::NewGame, board(&[])]);
    assert_eq!((write(&mut end, Reply::Done), write(&mut end, Reply::Done)), (String::new(), String::new()));
    assert_eq!(read(&mut end, "level 40 5 0"), []);
    let commands = read(&mut end, "usermove e2e4");
    assert_eq!(commands[..1], [board(&["e2e4"])]);
    assert!(limits(&commands).clock.is_some());
    write(&mut end, Reply::Done);
    assert_eq!(write(&mut end, best("e7e5")), "move e7e5\n");
    // Both sides by hand, then the side to move by the engine.
    assert_eq!(read(&mut end, "force"), []);
    assert_eq!(read(&mut end, "g1f3"), [board(&["e2e4", "e7e5", "g1f3"])]);
    assert_eq!(read(&mut end, "undo"), [board(&["e2e4", "e7e5"])]);
    read(&mut end, "st 2");
    let commands = read(&mut end, "go");
    assert_eq!(commands[..1], [board(&["e2e4", "e7e5"])]);
    assert_eq!(limits(&commands).move_time, Some(std::time::Duration::from_secs(2)));
    // Its move is not wanted any more.
    assert_eq!(read(&mut end, "force"), [Command::Stop]);
    (0..3).for_each(|_| drop(write(&mut end, Reply::Done)));
    assert_eq!(write(&mut end, best("b1c3")), "");
    assert_eq!(read(&mut end, "remove"), [board(&[])]);
    assert_eq!(read(&mut end, "undo"), [Command::Say(Reply::Text("Error (no move to take back): undo".into()))]);
}

#[test]
fn refusals_name_what_was_refused() {
    let mut end = XboardEngine::default();
    assert_eq!(read(&mut end, "usermove e2e5").len(), 2);
    assert_eq!(write(&mut end, Reply::Fault("no pawn goes there".into())), "Illegal move (no pawn goes there): e2e5\n");
    assert_eq!(write(&mut end, Reply::Fault("no search".into())), "# no search\n");
    assert_eq!(write(&mut end, Reply::Best { choice: None, ponder: None }), "");
    // The move is not on its board.
    assert_eq!(read(&mut end, "usermove e2e4")[0], board(&["e2e4"]));
    (0..2).for_each(|_| drop(write(&mut end, Reply::Done)));
    let set = Command::Set { name: "Hash".into(), value: "x".into() };
    assert_eq!(read(&mut end, "memory x"), [set]);
    assert_eq!(write(&mut end, Reply::Fault("no number".into())), "Error (no number): memory x\n");
    let unknown = "Error (unknown command): fly me";
    assert_eq!(read(&mut end, "fly me"), [Command::Say(Reply::Text(unknown.into()))]);
}

#[test]
fn analysis_goes_on_with_the_board() {
    let mut end = XboardEngine::default();
    assert!(limits(&read(&mut end, "analyze")).infinite);
    let commands = read(&mut end, "usermove d2d4");
    assert_eq!(commands[..2], [Command::Stop, board(&["d2d4"])]);
    assert!(limits(&commands).infinite);
    write(&mut end, Reply::Done);
    assert_eq!(write(&mut end, best("g1f3")), "", "the search before the move");
    write(&mut end, Reply::Done);
    let (score, pv) = (Some(Score { value: Value::cp(-31), bound: tesuji_game::Bound::Exact }), vec!["g8f6".into()]);
    let info = Info { depth: Some(5), score, nodes: Some(900), pv, ..Info::default() };
    assert_eq!(write(&mut end, Reply::Info(info.clone())), "5 -31 0 900 g8f6\n");
    read(&mut end, "nopost");
    assert_eq!(write(&mut end, Reply::Info(info)), "");
    assert_eq!(read(&mut end, "exit"), [Command::Stop]);
}

#[test]
fn our_runner_understands_our_engine() {
    let (mut end, mut runner, mut lines) = (XboardEngine::default(), XboardRunner::default(), String::new());
    runner.write(&Command::Hello, &mut lines);
    let mut asked: Vec<Command> = lines.lines().flat_map(|line| read(&mut end, line)).collect();
    assert_eq!(asked, [Command::Hello]);
    let among = vec!["auto".to_string(), "greko".to_string()];
    let combo = Offer { name: "Eval".into(), kind: OfferKind::Combo { default: "greko".into(), among } };
    let hash = Offer { name: "Hash".into(), kind: OfferKind::Spin { default: 16, min: 1, max: 64 } };
    let told = [Reply::Name("Tesuji 1".into()), Reply::Option(hash), Reply::Option(combo.clone()), Reply::Welcome];
    let text: String = told.into_iter().map(|reply| write(&mut end, reply)).collect();
    let mut heard = Vec::new();
    for line in text.lines() {
        heard.extend(runner.read(line).unwrap());
        while let Some(reply) = runner.next_reply() {
            heard.push(reply);
        }
    }
    // Memory has a word of its own.
    assert_eq!(heard, [Reply::Name("Tesuji 1".into()), Reply::Option(combo), Reply::Welcome]);

    // Castling of Chess960, as XBoard writes it.
    let start = Some("bqrkr1nb/pppppppp/8/8/8/8/PPPPPPPP/BQRKR1NB w KQkq - 0 1".to_string());
    lines.clear();
    runner.write(&Command::Board(BoardCommand::Rules("chess960".into())), &mut lines);
    runner.write(&Command::Board(BoardCommand::Set { start: start.clone(), moves: vec!["d1e1".into()] }), &mut lines);
    assert!(lines.contains("usermove O-O\n"), "{lines}");
    asked = lines.lines().flat_map(|line| read(&mut end, line)).collect();
    assert_eq!(asked.last(), Some(&Command::Board(BoardCommand::Set { start, moves: vec!["d1e1".into()] })));
    asked.iter().filter(|command| !matches!(command, Command::Stop)).for_each(|_| drop(write(&mut end, Reply::Done)));
    lines.clear();
    runner.write(&Command::Go(tesuji_protocol::Go { side: Some(Side::Second), ..Default::default() }), &mut lines);
    assert!(lines.lines().any(|line| line == "go"), "{lines}");
    lines.lines().for_each(|line| drop(read(&mut end, line)));
    write(&mut end, Reply::Done);
    let text = write(&mut end, best("d8c8"));
    assert_eq!(text, "move O-O-O\n");
    assert_eq!(runner.read(text.trim()), Ok(Some(best("d8c8"))));
}
