//! Records of chess, shogi and go on their way through the page: read, kept, changed, found again, written, and nothing lost.

use crate::client::Running;
use serde_json::{Value, json};
use std::{path::Path, sync::Arc};
use tesuji_chess::{Chess, pgn::Pgn};
use tesuji_kit::{Kit, RulesOnly};
use tesuji_record::{Of, of};
use tesuji_shogi::Shogi;

static CHESS: Of<Chess> = of(&[&Pgn]);
static SHOGI: Of<Shogi> = of(tesuji_shogi::FORMATS);
static GO: tesuji_go::GoDoor = tesuji_go::door(&[&tesuji_go::sgf::Sgf]);
static KITS: [&dyn Kit; 3] = [&RulesOnly(&CHESS), &RulesOnly(&SHOGI), &RulesOnly(&GO)];

/// From lichess: clocks, evaluations, marks, comments before and after variations that nest.
const PGN: &str = r#"[Event "Rated Blitz game"]
[Site "https://lichess.org/abcdefgh"]
[Date "2024.03.01"]
[Round "-"]
[White "alice"]
[Black "bob"]
[Result "1-0"]
[WhiteElo "2104"]
[TimeControl "180+2"]
[ECO "C50"]
[Termination "Time forfeit"]

{ A game of two friends. } 1. e4 { [%eval 0.18] [%clk 0:03:00] } 1... e5 { [%eval 0.21] [%clk 0:03:00] } 2. Nf3
{ [%eval 0.13] [%clk 0:02:59] } 2... Nc6 { [%clk 0:02:58] } 3. Bc4 $1 { The Italian. [%csl Gf7][%cal Gc4f7] [%clk 0:02:57] }
( 3. Bb5 { The Ruy Lopez } 3... a6 ( 3... Nf6 $5 4. O-O ( 4. d3 ) 4... Nxe4 $14 ) 4. Ba4 ) ( 3. d4 exd4 )
3... Nd4 $6 { [%eval 1.33] [%clk 0:02:51] Blackburne's trap } 4. Nxe5 $4 $138 { [%eval -1.8] } ( 4. O-O $16 ) 4... Qg5 1-0
"#;

/// As Japanese programs write it: times, comments, a variation of a variation.
const KIF: &str = "\
# KIF形式棋譜ファイル
開始日時：2023/05/01 10:00:00
棋戦：テスト戦
手合割：平手
先手：先手太郎
後手：後手花子
手数----指手---------消費時間--
*開始のコメント
   1 ７六歩(77)   ( 0:16/00:00:16)
   2 ３四歩(33)   ( 0:05/00:00:05)
*角道を開けた。
*二行目。
   3 ２六歩(27)   ( 0:30/00:00:46)
   4 ４四歩(43)   ( 1:00/00:01:05)
   5 投了
まで4手で後手の勝ち

変化：3手
   3 ６六歩(67)   ( 0:10/00:00:26)
*穏やかな手
   4 ８四歩(83)
   5 ７八銀(79)

変化：2手
   2 ８四歩(83)
   3 ２六歩(27)
";

/// A game with handicap, markup, clocks, marks, variations, and stones set up on the way.
const SGF: &str = "(;GM[1]FF[4]CA[UTF-8]AP[Somebody:1.0]SZ[9]KM[0.5]HA[2]AB[gc][cg]RU[Japanese]PB[Kuro]BR[3k]PW[Shiro]WR[1d]\
    DT[2022-10-09]EV[A cup]RE[W+R]TM[600]C[Before the game.]\
    ;W[ee]WL[595.5]C[In the middle; a [strange\\] move.]LB[ee:1]TR[cc]\
    ;B[ge]BL[590]TE[1](;W[cc]N[main];B[gg]DM[1];AW[aa][ab]PL[W]C[What if?];W[ac])(;W[eg]C[other]GB[2];B[ec](;W[cc])(;W[gg]BM[1])))";

fn begin() -> (Arc<tempfile::TempDir>, Running) {
    let space = Arc::new(tempfile::tempdir().unwrap());
    let server = start(&space);
    (space, server)
}

fn start(space: &Arc<tempfile::TempDir>) -> Running {
    Running::start_with(&KITS, space.clone(), Path::new("/no/such/program"), |_| ())
}

/// The answer to a request that must succeed.
#[track_caller]
fn done(server: &Running, method: &str, path: &str, body: Option<Value>) -> Value {
    let answer = server.ask(method, &format!("/api/v1/records{path}"), body);
    assert!(matches!(answer.status, 200 | 201), "{method} {path}: {answer:?}");
    answer.json()
}

#[track_caller]
fn read(server: &Running, game: &str, format: &str, text: &str) -> Value {
    done(server, "POST", "/read", Some(json!({"game": game, "format": format, "text": text})))[0].take()
}

#[track_caller]
fn written(server: &Running, game: &str, format: &str, record: &Value) -> String {
    let wish = json!({"game": game, "format": format, "record": record});
    done(server, "POST", "/write", Some(wish))["text"].as_str().unwrap().to_string()
}

/// Reads `text`, keeps it, adds `moves` beside the node 1 and words to it, finds it again behind a new server, writes it, and reads
/// what was written: it is the same, and holds all of `words`.
#[track_caller]
fn check(game: &str, format: &str, text: &str, moves: [&str; 2], words: &[&str]) {
    let (space, server) = begin();
    let mut record = read(&server, game, format, text);
    let key = done(&server, "POST", "", Some(json!({"game": game, "record": record})));
    let path = format!("/{}", key["id"].as_str().unwrap());
    assert_eq!(done(&server, "GET", &path, None)["record"], record, "kept as it was read");

    let nodes = record["nodes"].as_array_mut().unwrap();
    let said = nodes[1]["comment"].as_str().unwrap_or_default().to_string();
    nodes[1]["comment"] = json!(format!("{said} Added by a person.").trim());
    nodes.push(json!({"parent": 0, "move": moves[0], "glyphs": [5]}));
    nodes.push(json!({"parent": nodes.len() - 1, "move": moves[1]}));
    let change = json!({"version": key["version"], "record": record});
    assert_eq!(done(&server, "PUT", &path, Some(change.clone()))["version"], json!(2));
    let late = server.ask("PUT", &format!("/api/v1/records{path}"), Some(change));
    assert_eq!(late.status, 409, "a change of an old version takes nothing away: {late:?}");
    drop(server);

    let server = start(&space);
    let kept = done(&server, "GET", &path, None);
    assert_eq!((&kept["game"], &kept["version"]), (&json!(game), &json!(2)));
    let out = written(&server, game, format, &kept["record"]);
    for word in words.iter().chain(&["Added by a person."]) {
        // Formats wrap lines where they like.
        assert!(out.split_whitespace().collect::<Vec<_>>().join(" ").contains(word), "{word:?} is lost in\n{out}");
    }
    let again = read(&server, game, format, &out);
    assert_eq!(written(&server, game, format, &again), out, "what was written is read whole");
    let count = |record: &Value| record["nodes"].as_array().unwrap().len();
    assert_eq!(count(&again), count(&kept["record"]));
    assert_eq!((&again["tags"], &again["outcome"]), (&kept["record"]["tags"], &kept["record"]["outcome"]));
}

#[test]
fn records_lost_variations_marks_clocks_and_comments_on_save() {
    let pgn = [
        "[White \"alice\"]",
        "[Black \"bob\"]",
        "[Result \"1-0\"]",
        "[WhiteElo \"2104\"]",
        "[TimeControl \"180+2\"]",
        "[Termination \"Time forfeit\"]",
        "[%csl Gf7][%cal Gc4f7]",
        "A game of two friends.",
        "[%clk 0:02:57]",
        "Blackburne's trap",
        "The Ruy Lopez",
        "3... Nf6 $5 4. O-O (4. d3) 4... Nxe4 $14",
        "(3. d4 exd4)",
        "Nxe5 $4 $138",
        "-1.80",
        "(4. O-O $16)",
    ];
    check("chess", "pgn", PGN, ["d4", "d5"], &pgn);
    let kif = [
        "先手：先手太郎",
        "後手：後手花子",
        "棋戦：テスト戦",
        "*開始のコメント",
        "*二行目。",
        "( 1:00/00:01:05)",
        "変化：3手",
        "*穏やかな手",
        "変化：2手",
        "投了",
        "*nag=5",
    ];
    check("shogi", "kifu", KIF, ["2g2f", "8c8d"], &kif);
    let sgf = [
        "PB[Kuro]",
        "PW[Shiro]",
        "EV[A cup]",
        "RE[W+R",
        "HA[2]",
        "WL[595.5]",
        "In the middle; a [strange\\] move.",
        "TR[cc]",
        "LB[ee:1]",
        "TE[1]",
        "AW[ab][aa]",
        "What if?",
        "GB[2]",
        "BM[1]",
        "IT[]",
    ];
    check("go", "sgf", SGF, ["D4", "F6"], &sgf);
}

#[test]
fn a_record_in_shift_jis_comes_back_as_bytes() {
    let (_space, server) = begin();
    let record = read(&server, "shogi", "kif", KIF);
    let wish = json!({"game": "shogi", "format": "kif", "record": record});
    let file = done(&server, "POST", "/write", Some(wish));
    assert_eq!(file["text"], Value::Null, "replacement characters are no record");
    let back = done(&server, "POST", "/read", Some(json!({"game": "shogi", "format": "kif", "hex": file["hex"]})));
    assert_eq!(back[0], record);
}

#[test]
fn kept_records_are_safe_from_others() {
    let (_space, server) = begin();
    let record = read(&server, "chess", "pgn", "1. e4 *");
    let key = done(&server, "POST", "", Some(json!({"game": "chess", "record": record})));
    let path = format!("/api/v1/records/{}", key["id"].as_str().unwrap());
    let host = format!("host: {}", server.address);
    let put = server.raw(&[&format!("PUT {path} HTTP/1.1"), &host, "content-type: application/json"], b"{}");
    assert_eq!(put.status, 403, "no change without the token");
    for bad in ["0", "..%2f..%2fsecret", &"0".repeat(32)] {
        assert_eq!(server.ask("GET", &format!("/api/v1/records/{bad}"), None).status, 404, "{bad}");
    }
    let wrong = server.ask("POST", "/api/v1/records", Some(json!({"game": "chess", "record": {"start": "8/8 w"}})));
    assert_eq!((wrong.status, &wrong.json()["where"]), (422, &json!("record.start")));
}

#[test]
fn a_game_against_an_engine_was_only_its_moves_after_a_reload() {
    let (_space, server) = begin();
    let record = read(&server, "chess", "pgn", "1. e4 *");
    let play = |left: u64| {
        json!({"seat": {"engine": "stockfish"}, "plays": [1], "time": 1000, "nodes": null, "options": {"UCI_Elo": "1400"},
            "clock": {"left": [180_000, left], "increment": 2000}})
    };
    let key = done(&server, "POST", "", Some(json!({"game": "chess", "record": record, "play": play(170_000)})));
    let path = format!("/{}", key["id"].as_str().unwrap());
    assert_eq!(done(&server, "GET", &path, None)["play"], play(170_000));
    let change = |version: u64, play: Value| json!({"version": version, "record": record, "play": play});
    done(&server, "PUT", &path, Some(change(1, play(160_000))));
    assert_eq!(done(&server, "GET", &path, None)["play"], play(160_000));
    let wrong = json!({"seat": {"engine": "stockfish"}, "plays": [7]});
    let refused = server.ask("PUT", &format!("/api/v1/records{path}"), Some(change(2, wrong)));
    assert_eq!((refused.status, &refused.json()["where"]), (422, &json!("play.plays")));
    // A game that is over is a record alone.
    done(&server, "PUT", &path, Some(json!({"version": 2, "record": record})));
    assert_eq!(done(&server, "GET", &path, None)["play"], Value::Null);
}

#[test]
fn kept_records_could_not_be_found_again() {
    let (space, server) = begin();
    let keep = |game: &str, format: &str, text: &str| {
        let record = read(&server, game, format, text);
        done(&server, "POST", "", Some(json!({"game": game, "record": record})))["id"].as_str().unwrap().to_string()
    };
    assert_eq!(done(&server, "GET", "", None), json!({"records": [], "has_more": false}));
    let (pgn, sgf) = (keep("chess", "pgn", PGN), keep("go", "sgf", SGF));
    std::fs::write(space.path().join(".tesuji/records/notes.txt"), "no record").unwrap();
    let list = |query: &str| done(&server, "GET", query, None)["records"].as_array().unwrap().clone();
    let ids = |query: &str| list(query).iter().map(|row| row["id"].as_str().unwrap().to_string()).collect::<Vec<_>>();
    assert_eq!(ids("?game=chess"), [&*pgn]);
    assert_eq!((ids("").len(), ids("?limit=1").len(), ids("?skip=2").len()), (2, 1, 0));
    assert_eq!(done(&server, "GET", "?limit=1", None)["has_more"], true);
    let row = list("?game=chess")[0].clone();
    assert_eq!((&row["plies"], &row["outcome"]["winner"]), (&json!(8), &json!(0)), "{row}");
    assert!(row["tags"].as_array().unwrap().contains(&json!(["White", "alice"])), "{row}");
    assert!(row["changed"].as_u64().unwrap() > 1_600_000_000, "{row}");

    // A change is seen, a removed record is gone.
    let mut kept = done(&server, "GET", &format!("/{pgn}"), None);
    kept["record"]["tags"] = json!([["White", "carol"]]);
    let change = json!({"version": kept["version"], "record": kept["record"]});
    done(&server, "PUT", &format!("/{pgn}"), Some(change));
    assert_eq!(list("?game=chess")[0]["tags"], json!([["White", "carol"]]));
    let remove = || server.ask("DELETE", &format!("/api/v1/records/{sgf}"), None).status;
    assert_eq!((remove(), remove()), (204, 404));
    assert_eq!(ids(""), [pgn]);
}
