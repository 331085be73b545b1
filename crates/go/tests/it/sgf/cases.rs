//! Files in small: shapes that the standard describes and that careless programs write, and what they become.

use super::{errors, one, written};
use std::fmt::Write;
use tesuji_game::{By, Outcome};
use tesuji_go::{BLACK, WHITE};
use tesuji_record::{GameRecord, Step};

/// A record in lines: what it says at the top, then its nodes with their parents.
fn shown(game: &GameRecord<String>) -> String {
    let mut out = format!("rules `{}`", game.rules);
    if let Some(start) = &game.start {
        let _ = write!(out, " start `{start}`");
    }
    for (name, value) in &game.tags {
        let _ = write!(out, " {name}={value}");
    }
    if !game.note(0).comment.is_empty() {
        let _ = write!(out, " {{{}}}", game.note(0).comment);
    }
    for (i, node) in game.nodes.iter().enumerate().skip(1) {
        let _ = write!(out, "\n{} {} ", i, node.parent);
        let _ = match &node.step {
            Step::Start => write!(out, "start"),
            Step::Move(text) => write!(out, "{text}"),
            Step::Setup(setup) => write!(out, "`{}`", game.setup(*setup).unwrap()),
        };
        if !game.note(i as u32).comment.is_empty() {
            let _ = write!(out, " {{{}}}", game.note(i as u32).comment);
        }
    }
    out
}

/// A file, and the record that it is; written and read again it is the same.
#[track_caller]
fn check(text: &str, expect: &str) {
    let game = one(text);
    assert_eq!(shown(&game), expect, "{text}");
    let back = written(&game);
    assert_eq!(shown(&one(&back)), expect, "{text}\nwritten as\n{back}");
    assert_eq!(one(&back), game);
}

#[test]
fn a_game_of_the_standard_is_read() {
    check(
        "(;FF[4]GM[1]SZ[19]KM[6.5]RU[Japanese]PB[Honinbo Shusaku]PW[Gennan Inseki]DT[1846-09-11]RE[B+2]\n;B[qd];W[dc];B[pq];W[oc])",
        "rules `19x19 japanese komi 6.5` Black=Honinbo Shusaku White=Gennan Inseki Date=1846.09.11\n\
         1 0 R16\n2 1 D17\n3 2 Q3\n4 3 P17",
    );
    let game = one("(;RE[B+2];B[qd])");
    assert_eq!(game.outcome, Some(Outcome::win(BLACK, By::Points(2.0))));
    check("(;GM[1])", "rules ``");
    check("(;SZ[9:4];B[ad];W[ia])", "rules `9x4`\n1 0 A1\n2 1 J4");
}

#[test]
fn files_of_older_standards_are_read() {
    check(
        "(;GaMe[1]FileFormat[1]SiZe[9]PlayerBlack[a]PlayerWhite[b]KoMi[5.5]\n;Black[ee];White[tt];Black[tt]Comment[end])",
        "rules `9x9 komi 5.5` Black=a White=b\n1 0 E5\n2 1 pass\n3 2 pass {end}",
    );
    check(
        "(;FF[3]GM[1]SZ[19]HA[2]AB[pd][dp]EV[x]LT[]ID[y];W[qq]L[aa][bb]M[cc]BS[0])",
        "rules `19x19 handicap 2` Event=x ID=y {[%sgf LT[]]}\n1 0 R3 {[%sgf L[aa][bb]M[cc]BS[0]]}",
    );
}

#[test]
fn variations_keep_their_order() {
    check(
        "(;SZ[9](;B[aa](;W[ba];B[ca])(;W[bb]))(;B[cc])(;B[dd];W[ee]))",
        "rules `9x9`\n1 0 A9\n2 1 B9\n3 2 C9\n4 1 B8\n5 0 C7\n6 0 D6\n7 6 E5",
    );
}

#[test]
fn passes_of_all_standards_are_passes() {
    check("(;SZ[9];B[];W[tt];B[ee])", "rules `9x9`\n1 0 pass\n2 1 pass\n3 2 E5");
}

#[test]
fn starts_have_stones_turns_and_handicaps() {
    check("(;SZ[9];W[ee])", "rules `9x9` start `9/9/9/9/9/9/9/9/9 w komi 7.5`\n1 0 E5");
    check("(;SZ[5]AB[aa:cb][ee]AW[bc]AE[ba]PL[W])", "rules `5x5` start `X1X2/XXX2/1O3/5/4X w komi 7.5`");
    check("(;SZ[9]HA[2]AB[cg][gc];W[ee])", "rules `9x9 handicap 2`\n1 0 E5");
    check("(;SZ[9]HA[2]AB[cg][gc];B[ee])", "rules `9x9` start `9/9/6X2/9/9/9/2X6/9/9 b handicap 2 komi 7.5`\n1 0 E5");
    check("(;SZ[9]HA[2]AB[cc][gg];W[ee])", "rules `9x9` start `9/9/2X6/9/9/9/6X2/9/9 w handicap 2 komi 7.5`\n1 0 E5");
    check("(;SZ[9]KM[0]HA[0])", "rules `9x9 komi 0` Handicap=0");
}

#[test]
fn stones_are_set_up_within_the_game() {
    check("(;SZ[3];B[aa];AW[bb]AE[aa]C[so];B[cc])", "rules `3x3`\n1 0 A3\n2 1 `3/1O1/3 b komi 7.5` {so}\n3 2 C1");
    check("(;SZ[3];B[aa];PL[B])", "rules `3x3`\n1 0 A3\n2 1 `X2/3/3 b komi 7.5`");
    // A capture before leaves a prisoner, which the text of the position tells.
    check(
        "(;SZ[3]AW[aa]AB[ba];B[ab];AW[cc])",
        "rules `3x3` start `OX1/3/3 b komi 7.5`\n1 0 A2\n2 1 `1X1/X2/2O w prisoners 1 0 komi 7.5`",
    );
}

#[test]
fn nodes_without_a_move_and_second_moves_are_positions() {
    check("(;SZ[3];B[aa];C[hm];W[bb])", "rules `3x3`\n1 0 A3\n2 1 `X2/3/3 w komi 7.5` {hm}\n3 2 B2");
    check("(;SZ[3];B[aa];B[bb])", "rules `3x3`\n1 0 A3\n2 1 `X2/3/3 b komi 7.5`\n3 2 B2");
    check("(;SZ[3]B[aa]W[bb];B[cc]W[ca])", "rules `3x3`\n1 0 A3\n2 1 B2\n3 2 C1\n4 3 C3");
    let twice = written(&one("(;SZ[3];B[aa];B[bb])"));
    assert!(twice.contains(";B[aa];B[bb])"), "{twice}");
}

#[test]
fn what_a_record_has_no_place_for_is_kept_in_its_comments() {
    check(
        "(;SZ[9]XY[once]TR[aa][bb]C[root];B[cc]BL[12.5]OB[3]LB[dd:\\]][ee:b]C[words])",
        "rules `9x9` XY=once {root\n[%sgf TR[aa][bb]]}\n1 0 C7 {words\n[%sgf OB[3]LB[dd:\\]][ee:b]]}",
    );
    let game = one("(;SZ[9];B[cc]BL[12.5]TE[1]C[+0.31/12 0.052s, n=12345\nwords])");
    let note = game.note(1);
    assert_eq!((note.left.unwrap().as_millis(), note.spent.unwrap().as_millis()), (12_500, 52));
    assert_eq!((note.value.unwrap().raw(), note.depth.unwrap().get(), note.nodes.unwrap().get()), (31, 12, 12345));
    assert_eq!((note.glyphs.as_slice(), note.comment.as_str()), (&[1u8][..], "words"));
    assert_eq!(one(&written(&game)), game);
}

#[test]
fn tags_of_every_kind_are_kept() {
    check(
        "(;GM[1]GN[a \\] game]EV[two\nlines]GC[two\nlines]KM[1.1]RU[house]RE[who knows]TAG[Time Control:60+0.6][a\\:b:c:d])",
        "rules `` Title=a ] game Event=two lines GameComment=two\nlines KM=1.1 RU=house RE=who knows \
         Time Control=60+0.6 a:b=c:d",
    );
    let mut game = one("(;GM[1])");
    game.tags = vec![("Black".into(), "x".into()), ("Black".into(), "y".into()), ("Site".into(), String::new())];
    assert_eq!(one(&written(&game)), game);
}

#[test]
fn results_and_reasons_are_kept() {
    for (text, winner, by) in [
        ("RE[W+R]", Some(WHITE), By::Resignation),
        ("RE[B+T]", Some(BLACK), By::Time),
        ("RE[0]", None, By::Points(0.0)),
        ("RE[Void]", None, By::Void),
        ("RE[B+F]END[illegal]", Some(BLACK), By::Illegal),
        ("RE[0]END[repetition]", None, By::Repetition),
    ] {
        let game = one(&format!("(;GM[1]{text})"));
        assert_eq!(game.outcome, Some(Outcome { winner, by }));
        assert!(written(&game).contains(text), "{}", written(&game));
    }
    assert_eq!(one("(;RE[?])").outcome, None);
}

#[test]
fn a_game_is_written_as_ff4() {
    let game = one("(;SZ[9]PB[a]PW[b]RE[B+R]KM[7]RU[Chinese];B[ee];W[gc]C[hm](;B[cg];W[])(;B[gg]TR[aa]))");
    let text = written(&game).replace(env!("CARGO_PKG_VERSION"), "0");
    assert_eq!(
        text,
        "(;FF[4]GM[1]CA[UTF-8]AP[Tesuji:0]SZ[9]RU[Chinese]KM[7]PB[a]PW[b]RE[B+R]\n;B[ee];W[gc]C[hm]\n(;B[cg];W[])\n(;B[gg]TR[aa]))\n\n"
    );
    let mut long = GameRecord::from_moves("9x9", None, (1..=8).flat_map(|y| [format!("A{y}"), format!("J{y}")]));
    long.tags.push(("Black".into(), "x".repeat(100)));
    assert!(written(&long).lines().all(|l| l.len() <= 80 || l.contains("PB[")));
}

#[test]
fn positions_that_say_more_than_stones_are_kept() {
    let mut game = GameRecord::from_moves("5x5 komi 0.5", Some("5/5/2X2/5/5 w passes 1 prisoners 3 4 komi 2"), []);
    game.push_setup(0, "5/5/2X2/5/5 b prisoners 9 9 komi 2".into());
    game.append(Step::Move("A1".into()));
    let text = written(&game);
    assert!(text.contains("POS["), "{text}");
    assert_eq!(one(&text), game);
}

#[test]
fn a_move_that_cannot_be_played_breaks_the_main_line_and_ends_a_variation() {
    let faults = [
        ("(;SZ[9];B[ee]\n;W[ee])", "line 2 (game 1): move #2 is illegal: W E5"),
        ("(;SZ[3]AB[ba][ab]AW[ca][ac];W[aa])", "line 1 (game 1): move #1 is illegal: W A3"),
        ("(;SZ[5]AB[ba][ab][cb][bc]AW[ca][db][cc];W[bb];B[cb])", "line 1 (game 1): move #2 is illegal: B C4"),
        ("(;SZ[3]\nAB[aa]AW[ab][ba])", "expected stones that have liberties when all are set up"),
    ];
    for (text, expect) in faults {
        let found = errors(text.as_bytes());
        assert!(found.len() == 1 && found[0].contains(expect), "{text}: {found:?}");
    }
    assert_eq!(one("(;SZ[9];B[ee](;W[gg])(;W[ee];B[aa])(;W[cc]))").nodes.len(), 4);
}

#[test]
fn broken_games_say_where_and_what() {
    let faults = [
        (
            "(;SZ[9];B[zz])",
            "line 1 (game 1): at byte 8: expected a point of the board such as `cd`, or none for a pass, found `zz`",
        ),
        (
            "(;SZ[9]\n;AB[aa:zz])",
            "line 2 (game 1): at byte 9: expected points of the board such as `cd` or `aa:cc`, found `aa:zz`",
        ),
        ("(;SZ[1])", "line 1 (game 1): at byte 2: expected a board of 2 to 25 lines, found `1`"),
        ("(;SZ[big])", "line 1 (game 1): at byte 2: expected a board of 2 to 25 lines, found `big`"),
        ("(;GM[2])", "line 1 (game 1): at byte 2: expected a game of go, GM[1], found `2`"),
        ("(;SZ[9];PL[x])", "line 1 (game 1): at byte 8: expected `B` or `W`, found `x`"),
        ("(;SZ[9];B[aa][bb])", "line 1 (game 1): at byte 8: expected one point for a move, found `several`"),
        ("(;SZ[9];B[aa", "line 1 (game 1): at byte 9: expected a `]` that ends the value opened here"),
        ("(;SZ[9]POS[9/9 b])", "line 1 (game 1): bad position"),
    ];
    for (text, expect) in faults {
        let found = errors(text.as_bytes());
        assert!(found.len() == 1 && found[0].starts_with(expect), "{text}: {found:?}");
    }
    let both = super::all(b"(;SZ[9];B[zz])\n(;SZ[9];B[aa])(;GM[6])(;SZ[13])");
    let kinds: Vec<bool> = both.iter().map(Result::is_ok).collect();
    assert_eq!(kinds, [false, true, false, true]);
    assert!(both[2].as_ref().unwrap_err().to_string().starts_with("line 2 (game 3)"));
}

/// `tesuji data check --from sgf /dev/zero` read on without an end, and Ctrl-C was not heard.
#[test]
fn a_stream_without_games_ends_with_one_line() {
    use tesuji_record::RecordFormat;
    let mut reader = super::Sgf.reader(Box::new(std::io::BufReader::new(std::io::repeat(0))));
    let error = reader.read().unwrap_err();
    assert!(error.is_fatal() && error.to_string().contains("no game that begins with `(;` in 16 MiB"), "{error}");
}
