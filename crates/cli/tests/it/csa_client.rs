//! `tesuji csa-client` against a server that keeps to a script: whole games, servers that lie, vanish and stay silent.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

/// The server's side of a connection.
struct Peer {
    reader: BufReader<TcpStream>,
    stream: TcpStream,
}

impl Peer {
    fn accept(listener: &TcpListener) -> Peer {
        let (stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        Peer { reader: BufReader::new(stream.try_clone().unwrap()), stream }
    }

    fn say(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).unwrap();
    }

    /// The next line, signs of life left out; empty at the end of all.
    fn hear(&mut self) -> String {
        loop {
            let mut line = String::new();
            if self.reader.read_line(&mut line).unwrap() == 0 {
                return String::new();
            }
            if !line.trim().is_empty() {
                return line.trim_end().to_string();
            }
        }
    }

    fn login(&mut self) {
        assert_eq!(self.hear(), "LOGIN me floodgate,x");
        self.say("LOGIN:me OK\n");
    }

    /// Offers a game and begins it.
    fn offer(&mut self, id: &str, you: char, position: &str) {
        self.say(&format!(
            "BEGIN Game_Summary\nProtocol_Version:1.2\nProtocol_Mode:Server\nFormat:Shogi 1.0\nGame_ID:{id}\nName+:black\n\
             Name-:white\nYour_Turn:{you}\nRematch_On_Draw:NO\nTo_Move:+\nMax_Moves:256\nBEGIN Time\nTime_Unit:1sec\n\
             Total_Time:60\nByoyomi:0\nIncrement:1\nLeast_Time_Per_Move:0\nEND Time\nBEGIN Position\n{position}\
             END Position\nEND Game_Summary\n"
        ));
        assert_eq!(self.hear(), format!("AGREE {id}"));
        self.say(&format!("START:{id}\n"));
    }
}

const START: &str = "PI\n+\n";
/// Black to move mates by G*5b.
const MATE: &str = "P-51OU\nP+53FU59OU00KI\nP-00AL\n+\n";

fn listen() -> (TcpListener, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, port)
}

fn client(folder: &Path, port: u16, more: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    let line = format!("csa-client 127.0.0.1 --port {port} --user me --password floodgate,x --out games {more}");
    command.args(line.split_whitespace()).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts")
}

/// What the client said, and with what it ended.
fn end(child: Child) -> (Option<i32>, String) {
    let out = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    (out.status.code(), text)
}

fn kept(folder: &Path, id: &str) -> String {
    fs::read_to_string(folder.join(format!("games/{id}.csa"))).unwrap()
}

#[test]
fn a_game_is_played_to_its_end_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (listener, port) = listen();
    let child = client(folder.path(), port, "--games 2 --keep-alive 0.05");
    let mut peer = Peer::accept(&listener);
    peer.login();
    // We are White, one move was played already.
    peer.offer("one", '-', "PI\n+\n+7776FU,T3\n");
    let answer = peer.hear();
    let (mv, told) = answer.split_once(",'* ").expect("a value goes with the move");
    assert!(mv.starts_with('-') && mv.len() == 7, "{answer}");
    assert!(told.split(' ').next().unwrap().parse::<i32>().is_ok(), "{answer}");
    peer.say(&format!("{mv},T2\n"));
    peer.say("%TORYO,T1\n#RESIGN\n#WIN\n");
    // The second game: a mate at once, then the other resigns by rule.
    peer.offer("two", '+', MATE);
    let answer = peer.hear();
    assert!(answer.starts_with("+0052KI"), "{answer}");
    peer.say("+0052KI,T1\n#ILLEGAL_MOVE\n#LOSE\n");
    assert_eq!(peer.hear(), "LOGOUT");
    peer.say("LOGOUT:completed\n");
    let (code, text) = end(child);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("2 games: 1 won, 1 lost, 0 drawn, 0 without result; in games"), "{text}");
    let one = kept(folder.path(), "one");
    for line in ["N+black", "N-white", "+7776FU", "T3", mv, "T2", "%TORYO"] {
        assert!(one.lines().any(|l| l == line), "{line:?} is missing:\n{one}");
    }
    assert!(one.contains("'** "), "the value is kept:\n{one}");
    assert!(kept(folder.path(), "two").contains("+0052KI\nT1\n"));
}

#[test]
fn it_resigns_and_declares() {
    let folder = tempfile::tempdir().unwrap();
    let (listener, port) = listen();
    let child = client(folder.path(), port, "--games 2");
    let mut peer = Peer::accept(&listener);
    peer.login();
    // Black is mated.
    peer.offer("lost", '+', "P+59OU\nP-58KI57FU51OU\n+\n");
    assert_eq!(peer.hear(), "%TORYO");
    peer.say("%TORYO,T0\n#RESIGN\n#LOSE\n");
    let entered = "P+81OU61RY51RY41UM31UM91TO92TO82TO72TO62TO52TO00KI00KI\nP-19OU\n+\n";
    peer.offer("won", '+', entered);
    assert_eq!(peer.hear(), "%KACHI");
    peer.say("%KACHI,T0\n#JISHOGI\n#WIN\n");
    let (code, text) = end(child);
    assert_eq!(code, Some(0), "{text}");
    assert!(kept(folder.path(), "lost").ends_with("%TORYO\n"));
    assert!(kept(folder.path(), "won").ends_with("%KACHI\n"));
}

#[test]
fn a_lost_connection_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let (listener, port) = listen();
    let child = client(folder.path(), port, "--games 2 --retry 0.05");
    // The first one vanishes before the login, the second in the middle of a game.
    drop(Peer::accept(&listener));
    let mut peer = Peer::accept(&listener);
    peer.login();
    peer.offer("cut", '+', START);
    assert!(peer.hear().starts_with('+'));
    drop(peer);
    let mut peer = Peer::accept(&listener);
    peer.login();
    peer.offer("cut", '+', MATE);
    assert!(peer.hear().starts_with("+0052KI"));
    peer.say("+0052KI,T1\n#TIME_UP\n#WIN\n");
    let (code, text) = end(child);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("1 won, 0 lost, 0 drawn, 1 without result"), "{text}");
    assert!(kept(folder.path(), "cut").contains("left: "), "{}", kept(folder.path(), "cut"));
    assert!(kept(folder.path(), "cut-2").contains("+0052KI"));
}

#[test]
fn what_a_server_should_not_say_is_survived() {
    let folder = tempfile::tempdir().unwrap();
    let (listener, port) = listen();
    let child = client(folder.path(), port, "--games 1");
    let mut peer = Peer::accept(&listener);
    peer.login();
    peer.say("##[CHAT] hello\nEND Game_Summary\n+7776FU,T1\nBEGIN Game_Summary\nYour_Turn:x\nEND Game_Summary\n");
    assert_eq!(peer.hear(), "REJECT");
    peer.say("REJECT:none by me\n");
    // The other plays what cannot be played: no answer, the server has its say.
    peer.offer("odd", '-', START);
    peer.say("+7775FU,T1\n#ILLEGAL_MOVE\n#WIN\n");
    assert_eq!(peer.hear(), "LOGOUT");
    let (code, text) = end(child);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("line 1 of the game's summary: Your_Turn: expected + or -, found \"x\""), "{text}");
    assert!(text.contains("odd: +7775FU cannot be played in lnsgkgsnl"), "{text}");
    assert!(
        kept(folder.path(), "odd").contains("%+ILLEGAL_ACTION") || kept(folder.path(), "odd").contains("%ILLEGAL_MOVE")
    );
}

/// A server that did not answer the resignation of a game was waited for a minute, and then connected to again.
#[test]
fn an_interrupt_ends_it_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (listener, port) = listen();
    let mut child = client(folder.path(), port, "");
    let mut peer = Peer::accept(&listener);
    peer.login();
    peer.offer("left", '-', START);
    std::thread::sleep(Duration::from_millis(300));
    let began = std::time::Instant::now();
    let status = crate::pipes::interrupted(&mut child).expect("it ends");
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert_eq!((peer.hear().as_str(), peer.hear().as_str()), ("%TORYO", "LOGOUT"));
    let (code, text) = end(child);
    assert_eq!((status.code(), code), (Some(0), Some(0)), "{text}");
    assert!(text.contains("1 without result") && !text.contains("once more"), "{text}");
}

#[test]
fn wrong_logins_and_dead_servers_end_it() {
    let folder = tempfile::tempdir().unwrap();
    let (listener, port) = listen();
    let child = client(folder.path(), port, "");
    let mut peer = Peer::accept(&listener);
    peer.hear();
    peer.say("LOGIN:incorrect\n");
    let (code, text) = end(child);
    assert_eq!(code, Some(2));
    assert!(text.contains("does not take this name and password"), "{text}");
    drop(listener);
    let (code, text) = end(client(folder.path(), port, "--retries 2 --retry 0.01"));
    assert_eq!(code, Some(2));
    assert_eq!(text.matches("once more in").count(), 2, "{text}");
}
