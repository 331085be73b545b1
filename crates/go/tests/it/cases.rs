//! Positions made by hand with known answers: scores, seki, dead stones, eyes, self-atari, ladders, nakade, bent four.

use tesuji_game::{Notation, Position, Side};
use tesuji_go::{
    Area, Cell, CellSet, GoPosition, GtpNotation, Medium, Rules, Vertex, ladder, ladder::Fate, life, nakade,
    nakade::EyeSpace, score,
};

type Set = <Medium as Area>::Set;

/// A position from rows, the highest first, parted by spaces.
fn pos(rules: &str, rows: &str) -> GoPosition<Medium> {
    let rows: Vec<&str> = rows.split_whitespace().collect();
    let rules: Rules = rules.parse().unwrap();
    GtpNotation::parse_position(&rules, &format!("{} b", rows.join("/"))).unwrap()
}

fn at(text: &str) -> Cell {
    Medium::cell(Vertex::parse(text, Default::default()).unwrap())
}

fn cells(text: &str) -> Set {
    Set::of(text.split_whitespace().map(at))
}

/// The whole chains of the stones named.
fn chains(pos: &GoPosition<Medium>, text: &str) -> Set {
    let mut all = Set::default();
    for stone in text.split_whitespace() {
        all.unite(&Set::of(pos.board().chain_stones(at(stone))));
    }
    all
}

/// Black's margin in points under each of the rules.
#[track_caller]
fn check_score(rows: &str, dead: &str, expect: &[(&str, f32)]) {
    for (rules, margin) in expect {
        let pos = pos(rules, rows);
        let halves = pos.margin_halves(&chains(&pos, dead));
        assert_eq!(halves as f32 / 2.0, *margin, "{rules} {:?}", pos.board());
    }
}

const WALLS: &str = "..X.O ..XO. XXXO. ..XOO ..XO.";

#[test]
fn area_and_territory_are_counted() {
    // Black: 7 stones, 8 points. White: 6 stones, 3 points. D5 is dame.
    check_score(WALLS, "", &[("chinese komi 0", 6.0), ("japanese komi 0.5", 4.5), ("nz komi 7", -1.0)]);
    // Each side is one group.
    check_score(WALLS, "", &[("stone-scoring komi 0", 6.0)]);
}

#[test]
fn dead_stones_are_prisoners() {
    let with_one = "..X.O ..XO. XXXO. ..XOO O.XO.";
    check_score(with_one, "A1", &[("chinese komi 0", 6.0), ("japanese komi 0", 6.0)]);
    // Not taken off, it spoils the corner.
    check_score(with_one, "", &[("chinese komi 0", 1.0)]);
}

#[test]
fn handicap_bonuses_and_prisoners_count() {
    let rules: Rules = "japanese komi 0".parse().unwrap();
    let text = format!("{} b prisoners 3 1 handicap 4", WALLS.replace(' ', "/"));
    let mut pos: GoPosition<Medium> = GtpNotation::parse_position(&rules, &text).unwrap();
    let mut check = |rules: &str, expect: i32| {
        pos.set_rules(&rules.parse().unwrap());
        assert_eq!(pos.margin_halves(&Set::default()), expect, "{rules}");
    };
    check("japanese komi 0", 2 * (8 + 3 - 3 - 1));
    check("chinese komi 0", 2 * (6 - 4));
    check("aga komi 0", 2 * (6 - 3));
    check("tromp-taylor komi 0.5", 2 * 6 - 1);
}

/// Two chains share two liberties; on the outside everybody lives.
const SEKI: &str = "..OX.OX.. OOOXOOXXX OOOXXOXXX ..OX.OX..";
/// Two chains with an eye each share one.
const SEKI_WITH_EYES: &str = "..OXXXOOOOX.. OOOX.XXO.OXXX ..OXXX.OOOX..";

#[test]
fn seki_is_seen() {
    let count = |rules: &str, rows: &str| pos(rules, rows).count(&Set::default());
    let plain = pos("japanese", SEKI);
    assert_eq!(count("japanese", SEKI).seki, chains(&plain, "D1 F1"));
    assert_eq!(count("japanese", SEKI).tax, [0, 0]);
    let eyes = pos("japanese", SEKI_WITH_EYES);
    assert_eq!(count("japanese", SEKI_WITH_EYES).seki, chains(&eyes, "D1 H1"));
    assert_eq!(count("japanese", SEKI_WITH_EYES).tax, [1, 1]);
    assert_eq!(count("stone-scoring", SEKI_WITH_EYES).tax, [3, 3]);
    assert_eq!(count("chinese", SEKI_WITH_EYES).tax, [0, 0]);
    check_score(SEKI_WITH_EYES, "", &[("chinese komi 0", 0.0), ("japanese komi 0", 0.0)]);
    // An ordinary dame, not yet filled, makes no seki.
    assert!(count("japanese", WALLS).seki.is_empty());
}

#[test]
fn unconditional_life_is_seen() {
    let board = *pos("", SEKI).board();
    let life = life::unconditional(&board, Side::First, false);
    assert_eq!(life.alive, chains(&pos("", SEKI), "G1"));
    assert_eq!(life.territory, cells("H1 J1 H4 J4"));
    // A lone stone in a small corner is dead beyond doubt; with two points that no black stone touches it is not.
    let corner = pos("", "X.X..X. XXXXXX. .....X. .O...XX .....X. .....X.");
    assert!(life::dead(corner.board(), false).is_empty());
    let corner = pos("", "X.XX.X. XXXXXX. X.OXX.. XXXX...");
    assert_eq!(life::dead(corner.board(), false), cells("C2"));
}

#[test]
fn ownership_names_dead_chains() {
    let position = pos("", "..X.O ..XO. XXXO. ..XOO O.XO.");
    let mut ownership = vec![0.0; 25];
    for (vertex, _) in position.board().stones() {
        ownership[vertex.index(position.size())] = if vertex.x < 3 { 0.9 } else { -0.9 };
    }
    assert_eq!(score::dead_by_ownership(position.board(), &ownership, 0.5), cells("A1"));
    assert!(score::dead_by_ownership(position.board(), &ownership, 0.95).is_empty());
}

#[test]
fn eyes_are_true_or_false() {
    let check = |rows: &str, cell: &str, eye: bool| {
        let board = *pos("", rows).board();
        assert!(board.is_eye_shape(Side::First, at(cell)) && !board.is_eye_shape(Side::Second, at(cell)));
        assert_eq!(board.is_true_eye(Side::First, at(cell)), eye, "{cell} {board:?}");
        assert_eq!(board.is_false_eye(Side::First, at(cell)), !eye, "{cell} {board:?}");
    };
    // In the corner and at the edge one enemy on a diagonal is enough, in the centre it takes two.
    check(".X... X.... ..... ..... .....", "A5", true);
    check(".X... XO... ..... ..... .....", "A5", false);
    check("..... ..... X.... .X... X....", "A2", true);
    check("..... ..... X.... .X... XO...", "A2", false);
    check("..... ...X. ..X.X ..OX. .....", "D3", true);
    check("..... ...X. ..X.X ..OXO .....", "D3", false);
}

#[test]
fn ladders_run_to_the_edge() {
    let setup = |breaker: &str| {
        let rules = Rules::default();
        let vertex = |text: &str| Vertex::parse(text, rules.size).unwrap();
        let mut stones = vec![(vertex("E5"), Side::Second)];
        stones.extend(["D5", "E4", "F4"].map(|text| (vertex(text), Side::First)));
        stones.extend((!breaker.is_empty()).then(|| (vertex(breaker), Side::Second)));
        GoPosition::<Medium>::with_stones(&rules, stones, Side::First).unwrap()
    };
    let works = ladder::attack(setup("").board(), at("E5"), 5_000);
    assert_eq!(works.fate, Fate::Captured);
    assert!(works.line.len() > 40 && works.nodes < 500, "{works:?}");
    for breaker in ["Q16", "K10", "R16"] {
        let broken = ladder::attack(setup(breaker).board(), at("E5"), 5_000);
        assert_eq!(broken.fate, Fate::Escapes, "{breaker} {broken:?}");
    }
    // Beside the way a stone changes nothing.
    assert_eq!(ladder::attack(setup("G16").board(), at("E5"), 5_000).fate, Fate::Captured);
    assert_eq!(ladder::attack(setup("").board(), at("E5"), 10).fate, Fate::Unknown);
    // The line can be played.
    let mut line = tesuji_game::Line::new(setup(""));
    for &cell in &works.line {
        let mv = tesuji_go::Move::at(Medium::vertex(cell));
        assert!(line.here().unpack(mv.bits()).is_some());
        line.push(mv);
    }
    assert_eq!(line.here().board().stone(Medium::vertex(at("E5"))), None);
}

/// Three kos let a line go round and round: it once was read until the stack was full.
#[test]
fn triple_ko_ends_the_reading() {
    let kos = pos("", "....... XXX.XXX XOXOOOX O.OO.X. OOO..OX XXXOXXX ...X...");
    let found = ladder::defend(kos.board(), at("F3"), 1_000_000);
    assert_eq!((found.fate, found.nodes < 1_000), (Fate::Escapes, true), "{found:?}");
}

#[test]
fn shapes_of_eye_space_are_known() {
    let check = |text: &str, expect: EyeSpace| {
        assert_eq!(nakade::eye_space::<Medium>(&cells(text)), expect, "{text}");
    };
    check("D4", EyeSpace::One);
    check("D4 E4", EyeSpace::One);
    check("D4 E4 F4", EyeSpace::Vital(at("E4")));
    check("A1 A2 B1", EyeSpace::Vital(at("A1")));
    check("D4 E4 F4 G4", EyeSpace::Two);
    check("D4 E4 F4 F5", EyeSpace::Two);
    check("D4 E4 E5 F5", EyeSpace::Two);
    check("D4 E4 F4 E5", EyeSpace::Vital(at("E4")));
    check("D4 E4 D5 E5", EyeSpace::One);
    check("D4 E4 D5 E5 F4", EyeSpace::Vital(at("E4")));
    check("D4 E4 F4 E3 E5", EyeSpace::Vital(at("E4")));
    check("D4 E4 F4 G4 H4", EyeSpace::Two);
    check("D4 E4 F4 D5 F5", EyeSpace::Two);
    check("D4 E4 F4 E5 E6", EyeSpace::Two);
    check("D4 E4 F4 E3 E5 F5", EyeSpace::Vital(at("E4")));
    check("D4 E4 F4 D5 E5 F5", EyeSpace::Two);
    check("D4 E4 F4 D5 E5 F5 G4", EyeSpace::Two);
}

#[test]
fn bent_four_in_the_corner_is_dead() {
    let rows = ".X..X.. XXX.X.. OOXXXX. .OOOOXX XXX.OX.";
    let seki = pos("", rows);
    assert_eq!(nakade::dead_by_bent_four(seki.board(), Side::Second), chains(&seki, "A3"));
    assert!(nakade::dead_by_bent_four(seki.board(), Side::First).is_empty());
    assert_eq!(nakade::enclosed(seki.board(), Side::Second, at("A2"), 5), Some(cells("A1 B1 C1 D1 A2")));
    assert_eq!(nakade::enclosed(seki.board(), Side::Second, at("A2"), 4), None);
    // The same in every corner.
    for symmetry in tesuji_go::Symmetry::ALL {
        let turned = seki.turned(symmetry);
        assert_eq!(nakade::dead_by_bent_four(turned.board(), Side::Second).len(), 7, "{turned:?}");
    }
    // A liberty outside changes nothing, an eye does.
    let open = pos("", &rows.replace("OOXXXX.", "OO.XXX."));
    assert_eq!(nakade::dead_by_bent_four(open.board(), Side::Second), chains(&open, "A3"));
    let eye = pos("", ".X..X.... XXX.X.... OOXXXXXX. .OOOOOOX. XXX.O.OX.");
    assert!(nakade::dead_by_bent_four(eye.board(), Side::Second).is_empty());
}
