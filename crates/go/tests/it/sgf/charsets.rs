//! Files in the charsets of Japan, China, Korea and the West.

use super::{all, one, written};
use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, SHIFT_JIS, WINDOWS_1252};

#[track_caller]
fn check(encoding: &'static Encoding, name: &str, player: &str) {
    // The comment ends with the name, so that its last byte stands before the bracket, and has escapes around it.
    let text = format!("(;GM[1]CA[{name}]PB[{player}]C[\\[{player}\\]{player}\\\\{player}];B[pd]N[{player}])");
    let (bytes, _, lost) = encoding.encode(&text);
    assert!(!lost, "{player} is not in {name}");
    let mut games = all(&bytes);
    let game = games.remove(0).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(game.tag("Black"), Some(player), "{name}");
    assert_eq!(game.note(0).comment, format!("[{player}]{player}\\{player}"), "{name}");
    assert_eq!(game.note(1).comment, format!("[%sgf N[{player}]]"));
    let text = written(&game);
    assert!(text.contains("CA[UTF-8]") && text.contains(player));
    assert_eq!(one(&text), game);
}

#[test]
fn games_of_all_countries_are_read() {
    check(SHIFT_JIS, "Shift_JIS", "表ソ能貼予");
    check(SHIFT_JIS, "shift-jis", "ｱｲｳ井山");
    check(EUC_JP, "EUC-JP", "趙治勲");
    check(GBK, "GB2312", "聂卫平");
    check(GBK, "gbk", "孿哴");
    check(GB18030, "GB18030", "柯洁\u{3400}");
    check(BIG5, "Big5", "許功蓋");
    check(EUC_KR, "EUC-KR", "이세돌");
    check(WINDOWS_1252, "ISO-8859-1", "Müller");
}

#[test]
fn one_file_may_hold_games_in_many_charsets() {
    let mut file = Vec::new();
    for (encoding, name, player) in [(GBK, "GBK", "哴"), (SHIFT_JIS, "SJIS", "表"), (EUC_KR, "euc-kr", "돌")] {
        file.extend_from_slice(&encoding.encode(&format!("(;CA[{name}]PB[{player}];B[aa])\n")).0);
    }
    let names: Vec<String> = all(&file).into_iter().map(|g| g.unwrap().tag("Black").unwrap().to_string()).collect();
    assert_eq!(names, ["哴", "表", "돌"]);
}
