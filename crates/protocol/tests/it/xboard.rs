//! Dialogues with XBoard engines.

use std::time::Duration;
use tesuji_game::{Choice, Clock, Limits, Side};
use tesuji_protocol::{BoardCommand, Command, Ending, Glance, Go, OfferKind, Reply, RunnerEnd, xboard::XboardRunner};

fn written(runner: &mut XboardRunner, command: &Command) -> String {
    let mut out = String::new();
    runner.write(command, &mut out);
    out
}

fn replies(runner: &mut XboardRunner, line: &str) -> Vec<Reply> {
    let first = runner.read(line).unwrap();
    first.into_iter().chain(std::iter::from_fn(|| runner.next_reply())).collect()
}

fn set(moves: &[&str]) -> Command {
    Command::Board(BoardCommand::Set { start: None, moves: moves.iter().map(|m| m.to_string()).collect() })
}

fn go(side: Side) -> Command {
    let clock = |ms| Clock { left: Duration::from_millis(ms), ..Clock::default() };
    let limits = Limits { clock: Some([clock(61_500), clock(9_990)]), ..Limits::default() };
    Command::Go(Go { side: Some(side), commit: true, limits, ..Go::default() })
}

/// A runner that has greeted an engine with these features.
fn greeted(features: &str) -> XboardRunner {
    let mut runner = XboardRunner::default();
    assert_eq!(written(&mut runner, &Command::Hello), "xboard\nprotover 2\n");
    replies(&mut runner, &format!("feature {features} done=1"));
    runner.respond(&mut String::new());
    runner
}

#[test]
fn features_are_answered() {
    let mut runner = XboardRunner::default();
    let line = "feature ping=1 san=1 frob=1 myname=\"Old Engine\" option=\"Style -spin 1 0 9\" done=1";
    let said = replies(&mut runner, line);
    assert_eq!((said.len(), &said[0], &said[2]), (3, &Reply::Name("Old Engine".into()), &Reply::Welcome));
    assert!(matches!(&said[1], Reply::Option(o) if o.kind == OfferKind::Spin { default: 1, min: 0, max: 9 }));
    let mut out = String::new();
    runner.respond(&mut out);
    let expect = "accepted ping\nrejected san\nrejected frob\naccepted myname\naccepted option\naccepted done\n";
    assert_eq!(out, expect);
    assert_eq!(written(&mut runner, &Command::Sync), "ping 1\n");
    assert_eq!(replies(&mut runner, "pong 7"), []);
    assert_eq!(replies(&mut runner, "pong 1"), [Reply::Ready]);
}

#[test]
fn who_has_no_ping_is_ready() {
    let mut runner = greeted("setboard=1");
    assert_eq!(written(&mut runner, &Command::Sync), "");
    assert_eq!(runner.next_reply(), Some(Reply::Ready));
    assert_eq!(runner.next_reply(), None);
}

#[test]
fn a_game_is_force_go_and_moves() {
    let mut runner = greeted("usermove=1 setboard=1 ping=1");
    assert_eq!(written(&mut runner, &Command::NewGame), "new\nforce\npost\neasy\n");
    assert_eq!(written(&mut runner, &set(&["e2e4", "e7e5"])), "usermove e2e4\nusermove e7e5\n");
    assert_eq!(written(&mut runner, &go(Side::First)), "level 0 1:01 0\ntime 6150\notim 999\ngo\n");
    let best = |mv: &str| Reply::Best { choice: Some(Choice::Play(mv.into())), ponder: None };
    assert_eq!(replies(&mut runner, "move g1f3"), [best("g1f3")]);
    assert_eq!(written(&mut runner, &set(&["e2e4", "e7e5", "g1f3", "b8c6"])), "");
    assert_eq!(written(&mut runner, &go(Side::First)), "time 6150\notim 999\nusermove b8c6\n");
    assert_eq!(written(&mut runner, &Command::Stop), "?\n");
    assert_eq!(replies(&mut runner, "move f1b5"), [best("f1b5")]);
    assert_eq!(written(&mut runner, &Command::GameOver(Ending::Lose)), "result 0-1 {Black wins}\n");
    // A board that does not follow from the one before is set up again.
    assert_eq!(written(&mut runner, &set(&["d2d4"])), "new\nforce\npost\neasy\nusermove d2d4\n");
}

/// Fairy-Max knows no `setboard` and played from the usual start; Phalanx castles by `O-O`. Both lost such games by illegal moves.
#[test]
fn engines_without_setboard_get_edit_and_may_castle_by_letters() {
    let mut runner = greeted("usermove=0 setboard=0");
    let start = "r3k2r/8/8/8/8/8/8/4K2R b Kkq - 0 1";
    let board = BoardCommand::Set { start: Some(start.into()), moves: Vec::new() };
    let expect = "new\nforce\na2a3\nedit\n#\nKe1\nRh1\nc\nRa8\nKe8\nRh8\n.\npost\neasy\n";
    assert_eq!(written(&mut runner, &Command::Board(board)), expect);
    assert!(written(&mut runner, &go(Side::Second)).ends_with("go\n"));
    let best = |mv: &str| Reply::Best { choice: Some(Choice::Play(mv.into())), ponder: None };
    assert_eq!(replies(&mut runner, "move O-O-O"), [best("e8c8")]);
    // The next move of the opponent follows on that board, and needs no new one.
    let moves = ["e8c8", "e1g1"].map(str::to_string).to_vec();
    let board = BoardCommand::Set { start: Some(start.into()), moves };
    assert_eq!(written(&mut runner, &Command::Board(board)), "");
    assert!(written(&mut runner, &go(Side::Second)).ends_with("e1g1\n"));
}

#[test]
fn positions_and_variants_are_set_up() {
    let mut runner = greeted("setboard=1");
    written(&mut runner, &Command::Board(BoardCommand::Rules("chess960".into())));
    let set = Command::Board(BoardCommand::Set { start: Some("8/8 w - - 0 1".into()), moves: vec!["a2a4".into()] });
    let expect = "new\nvariant fischerandom\nforce\nsetboard 8/8 w - - 0 1\npost\neasy\na2a4\n";
    assert_eq!(written(&mut runner, &set), expect);
    let mut limited = Go { side: Some(Side::Second), ..Go::default() };
    limited.limits.move_time = Some(Duration::from_secs(3));
    limited.limits.depth = Some(6);
    assert_eq!(written(&mut runner, &Command::Go(limited)), "st 3\nsd 6\ngo\n");
}

#[test]
fn castling_in_chess960_has_letters() {
    let mut runner = greeted("usermove=1 setboard=1");
    written(&mut runner, &Command::Board(BoardCommand::Rules("chess960".into())));
    let start = "bqrkr1nb/pppppppp/8/8/8/8/PPPPPPPP/BQRKR1NB w KQkq - 0 1";
    let set = |moves: &[&str]| {
        let moves = moves.iter().map(|m| m.to_string()).collect();
        Command::Board(BoardCommand::Set { start: Some(start.into()), moves })
    };
    assert!(written(&mut runner, &set(&["d1e1"])).ends_with("usermove O-O\n"));
    written(&mut runner, &go(Side::Second));
    let best = |mv: &str| Reply::Best { choice: Some(Choice::Play(mv.into())), ponder: None };
    assert_eq!(replies(&mut runner, "move O-O-O"), [best("d8c8")]);
    assert_eq!(written(&mut runner, &set(&["d1e1", "d8c8", "a2a3"])), "");
    assert!(written(&mut runner, &go(Side::Second)).ends_with("usermove a2a3\n"));
    // Who does not understand it hears UCI's words, once.
    written(&mut runner, &Command::NewGame);
    assert!(written(&mut runner, &set(&["d1e1", "d8e8"])).ends_with("usermove O-O\nusermove O-O\n"));
    assert_eq!(replies(&mut runner, "Error (unknown command): O-O"), []);
    let mut answer = String::new();
    runner.respond(&mut answer);
    assert_eq!(answer, "usermove d8e8\n");
    let again = "Illegal move: d8e8";
    assert_eq!(replies(&mut runner, again), [Reply::Fault(again.into())]);
    // In the usual game it is the squares of the king; whether it is legal is for the referee.
    let mut runner = greeted("usermove=1");
    written(&mut runner, &Command::NewGame);
    written(&mut runner, &go(Side::First));
    assert_eq!(replies(&mut runner, "move O-O"), [best("e1g1")]);
}

#[test]
fn ends_are_claimed_offered_and_resigned() {
    let best = |choice| Reply::Best { choice: Some(choice), ponder: None };
    let mut runner = greeted("ping=1");
    written(&mut runner, &Command::NewGame);
    written(&mut runner, &go(Side::First));
    assert_eq!(replies(&mut runner, "resign"), [best(Choice::Resign)]);
    assert_eq!(replies(&mut runner, "0-1 {White resigns}"), [best(Choice::Resign)]);
    assert_eq!(replies(&mut runner, "1-0 {White mates}"), [best(Choice::Claim)]);
    assert_eq!(replies(&mut runner, "1/2-1/2 {Draw by repetition}"), [best(Choice::Claim)]);
    assert_eq!(replies(&mut runner, "offer draw"), [Reply::OfferDraw]);
    assert_eq!(written(&mut runner, &Command::OfferDraw), "draw\n");
    let refusal = "Illegal move (no such piece): e2e4";
    assert_eq!(replies(&mut runner, refusal), [Reply::Fault(refusal.into())]);
    written(&mut runner, &Command::NewGame);
    written(&mut runner, &set(&["e2e4"]));
    let refusal = "Error (unknown command): e2e4";
    assert_eq!(replies(&mut runner, refusal), [Reply::Fault(refusal.into())]);
    let error = "Error (unknown command): otim";
    assert_eq!(replies(&mut runner, error), [Reply::Text(error.into())]);
}

#[test]
fn thinking_is_told_from_results() {
    let runner = XboardRunner::default();
    assert_eq!(runner.glance(b"  9 156 1084 48000 Nf3"), Glance::Score);
    assert_eq!(runner.glance(b"1-0 {White mates}"), Glance::Reply);
    assert_eq!(runner.glance(b"# 12 debug"), Glance::News);
    assert_eq!(runner.glance(b"move e2e4"), Glance::Reply);
}
