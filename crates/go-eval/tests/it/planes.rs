//! The planes that networks see: readable golden files, symmetries, and a slow second opinion on what moves do.

use std::{collections::HashSet, fmt::Write as _};
use tesuji_game::{Encoding, Line, Position, Random, fnv};
use tesuji_go::{Area, GoPosition, Large, Medium, Move, Rules, Small, Symmetry, Vertex};
use tesuji_go_eval::{GoPlanes, Heavy, HeavyParameters};

fn encode<A: Area>(encoding: GoPlanes, line: &Line<GoPosition<A>>, symmetry: u8) -> Vec<f32> {
    // What was there before must not shine through.
    let mut out = vec![7.0; encoding.planes() * line.here().size().points()];
    encoding.encode(line, symmetry, &mut out);
    out
}

/// A line by the moves of a game.
fn line<A: Area>(rules: &str, moves: &str) -> Line<GoPosition<A>> {
    let rules: Rules = rules.parse().unwrap();
    let mut line = Line::new(GoPosition::start(&rules).unwrap());
    for text in moves.split_whitespace() {
        let mv = Move::parse(text, rules.size).unwrap();
        assert!(line.here().unpack(mv.bits()).is_some(), "{text}");
        line.push(mv);
    }
    line
}

/// A random game of `plies` moves that pass seldom.
fn random_line<A: Area>(rules: &str, plies: usize, random: &mut Random) -> Line<GoPosition<A>> {
    let mut line = line(rules, "");
    let mut moves = Vec::new();
    for _ in 0..plies {
        line.legal_moves(&mut moves);
        let mv = moves[random.below(moves.len())];
        if !mv.is_pass() || random.below(10) == 0 {
            line.push(mv);
        }
    }
    line
}

/// The points of each plane that has any, in text.
fn show(encoding: GoPlanes, line: &Line<GoPosition<Small>>) -> String {
    let size = line.here().size();
    let planes = encode(encoding, line, 0);
    let mut text = String::new();
    for (n, plane) in planes.chunks(size.points()).enumerate() {
        let at = |v: &Vertex| {
            let mv = Move::at(*v);
            plane[encoding.action(line.here(), mv, 0)]
        };
        if plane.iter().all(|&x| x == plane[0]) {
            if plane[0] != 0.0 {
                writeln!(text, "{n}: all {:.3}", plane[0]).unwrap();
            }
            continue;
        }
        let mut points: Vec<String> = Vec::new();
        for vertex in Vertex::all(size).filter(|v| at(v) >= 0.0005) {
            let value = at(&vertex);
            points.push(if value == 1.0 { vertex.to_string() } else { format!("{vertex}={value:.3}") });
        }
        writeln!(text, "{n}: {}", points.join(" ")).unwrap();
    }
    text
}

/// Compares with `tests/it/data/planes.txt`, or writes it under `UPDATE=1`.
fn golden(text: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/data/planes.txt");
    if std::env::var("UPDATE").is_ok_and(|v| v == "1") {
        std::fs::write(&path, text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap();
    assert!(
        kept == text,
        "planes changed: a network trained on the old ones is spoilt; new version or UPDATE=1\n{text}"
    );
}

/// A ladder, a ko, an eye, a capture to be had, a self-atari, a pass.
const GAMES: [(&str, &str); 3] = [
    ("9x9 chinese komi 7", "D4 E4 E5 F4 F5 G5 D3 F6 E6 G6 E3 F3 B1 A1 A2 J9 F2 C3 G4"),
    ("7x7 japanese komi 6.5", "C4 E5 D5 F4 D3 E3 pass D4 E4"),
    ("5x4 tromp-taylor komi 2", "B2 C2 B1 C1 A3 D3 B3 C3 C4 D4 B4 E3 A1 E1"),
];

#[test]
fn planes_are_what_they_were() {
    let mut text = String::new();
    for (rules, moves) in GAMES {
        let line = line::<Small>(rules, moves);
        for encoding in GoPlanes::ALL {
            writeln!(text, "{rules}; {moves}; {}\n{}", encoding.name(), show(encoding, &line)).unwrap();
        }
    }
    golden(&text);
}

/// The same game on a turned board.
fn turned<A: Area>(rules: &str, line: &Line<GoPosition<A>>, symmetry: Symmetry) -> Line<GoPosition<A>> {
    let mut there = self::line(rules, "");
    let size = line.here().size();
    line.moves().for_each(|mv| there.push(symmetry.apply_move(mv, size)));
    there
}

#[test]
fn symmetries_turn_planes_points_and_moves() {
    let mut random = Random::new(1);
    for (rules, plies) in [("9x9 komi 7", 60), ("7x9 komi 0", 40), ("13x13 japanese komi 6.5", 120)] {
        for _ in 0..5 {
            let line = random_line::<Medium>(rules, plies, &mut random);
            for encoding in GoPlanes::ALL {
                let plain = encode(encoding, &line, 0);
                let points = line.here().size().points();
                for (n, &symmetry) in Symmetry::of(line.here().size()).iter().enumerate() {
                    let there = turned(rules, &line, symmetry);
                    let got = encode(encoding, &line, n as u8);
                    assert_eq!(got, encode(encoding, &there, 0), "{rules} {symmetry:?} {}", encoding.name());
                    let mut seen = HashSet::new();
                    for (at, &value) in plain.iter().enumerate() {
                        // The quirky planes have columns for rows, so that points are counted there as anywhere.
                        let mv = Vertex::all(line.here().size()).nth(at % points).unwrap();
                        let from = encoding.action(line.here(), Move::at(mv), 0);
                        let to = encoding.point(line.here(), at % points, n as u8);
                        assert_eq!(to, encoding.action(line.here(), Move::at(mv), n as u8));
                        let plane = at / points * points;
                        assert_eq!(plain[plane + from], got[plane + to], "{value}");
                        seen.insert(to);
                    }
                    assert_eq!(seen.len(), points);
                    assert_eq!(encoding.action(line.here(), Move::PASS, n as u8), points);
                }
            }
        }
    }
}

/// What planes of moves say, worked out by playing each.
#[test]
fn moves_do_what_planes_say() {
    let mut random = Random::new(2);
    for round in 0..30 {
        let line = random_line::<Small>("9x9 tromp-taylor komi 7", 30 + 6 * round, &mut random);
        let (pos, points) = (line.here(), 81);
        let planes = encode(GoPlanes::Rich, &line, 0);
        let plain = encode(GoPlanes::Bakago, &line, 0);
        let mut legal = Vec::new();
        line.legal_moves(&mut legal);
        for vertex in Vertex::all(pos.size()) {
            let (at, cell) = (vertex.index(pos.size()), Small::cell(vertex));
            let is = |plane: usize| planes[plane * points + at] == 1.0;
            let which = |range: std::ops::Range<usize>| range.clone().find(|&p| is(p)).map(|p| p - range.start);
            let mv = Move::at(vertex);
            assert_eq!(is(23), legal.contains(&mv), "{pos:?} {vertex}");
            let class = |n: usize, most: usize| (n > 0).then(|| n.min(most) - 1);
            if !legal.contains(&mv) {
                assert_eq!((which(11..16), which(16..20), which(20..23)), (None, None, None), "{vertex}");
                continue;
            }
            let mut next = pos.clone();
            let before = next.board().captured(!pos.side_to_move());
            next.play(mv);
            let taken = next.board().captured(!pos.side_to_move()) - before;
            let there = next.board().stone(vertex).is_some();
            let liberties = if there { next.board().liberties(cell) } else { 0 };
            let stones = if there { next.board().stones_in_chain(cell) } else { 0 };
            assert_eq!(which(11..16), Some(liberties.clamp(1, 5) - 1), "{pos:?} {vertex}");
            assert_eq!(which(16..20), class(taken, 4), "{pos:?} {vertex}");
            let plain = |from: usize| (from..from + 8).find(|p| plain[p * points + at] == 1.0).map(|p| p - from);
            assert_eq!(plain(19), class(taken, 8), "{pos:?} {vertex}");
            assert_eq!(plain(27), if liberties == 1 { class(stones, 8) } else { None }, "{pos:?} {vertex}");
        }
    }
}

#[test]
fn ladders_are_shown_with_the_move_that_begins_them() {
    // Black at E5 has two liberties; White takes it by a ladder, unless a stone of Black stands in its way.
    let at = |planes: &[f32], plane: usize, text: &str| {
        planes[plane * 361 + Vertex::parse(text, tesuji_go::Size::default()).unwrap().index(Default::default())]
    };
    let open = line::<Medium>("19x19", "E5 D5 Q3 E4 R3 F4 S3");
    let planes = encode(GoPlanes::Rich, &open, 0);
    assert_eq!((at(&planes, 36, "E5"), at(&planes, 37, "E6") + at(&planes, 37, "F5")), (1.0, 1.0));
    let planes = encode(GoPlanes::Rich, &line::<Medium>("19x19", "E5 D5 Q3 E4 R3 F4"), 0);
    assert_eq!((at(&planes, 38, "E5"), at(&planes, 39, "E5")), (1.0, 0.0));
    let shut = line::<Medium>("19x19", "E5 D5 Q16 E4 P16 F4 H8");
    assert_eq!(at(&encode(GoPlanes::Rich, &shut, 0), 36, "E5"), 0.0);
}

#[test]
fn names_and_sizes_are_those_of_the_files() {
    for encoding in GoPlanes::ALL {
        assert_eq!(GoPlanes::named(encoding.name()), Some(encoding));
        let big = line::<Large>("25x25", "A1");
        assert_eq!(encode(encoding, &big, 3).len(), encoding.planes() * 625);
    }
    assert_eq!(GoPlanes::named("go-0"), None);
}

/// Positions of games that playouts with shapes and captures play.
fn played_lines(count: usize) -> Vec<Line<GoPosition<Medium>>> {
    let mut random = Random::new(3);
    let mut lines = Vec::new();
    for n in 0..count {
        let mut line = line::<Medium>("19x19 komi 7", "");
        // Whatever the defaults are: the games, and so the hashes, hang on these.
        let (escape, capture, two_liberties, nakade, shape, self_atari) = (0.9, 0.9, 0.8, 0.3, 0.9, 0.95);
        let parameters = HeavyParameters { escape, capture, two_liberties, nakade, shape, self_atari };
        let mut heavy = Heavy::new(parameters);
        let mut board = *line.here().board();
        let (mut plies, wanted) = (0, 20 + 3 * (n % 80));
        let mut moves = Vec::new();
        tesuji_go_eval::play_out(&mut board, tesuji_go::BLACK, None, &mut heavy, &mut random, |_, cell| {
            plies += 1;
            if plies <= wanted {
                moves.push(cell);
            }
        });
        for cell in moves {
            line.push(Move::at(Medium::vertex(cell)));
        }
        lines.push(line);
    }
    lines
}

/// The hashes of [`planes_of_many_positions_are_what_they_were`].
const KEPT: [u64; 3] = [0x84ce_c036_6498_0519, 0x9ec1_1557_aa5c_6c49, 0x8766_1af5_3e7b_5d31];

/// A hash of the planes of many positions: what a faster way to paint them must keep. Each encoding's stands by itself.
#[test]
fn planes_of_many_positions_are_what_they_were() {
    let mut hashes = [fnv::START; 3];
    let note = |hash: &mut u64, planes: &[f32]| {
        for &value in planes {
            *hash = fnv::step(*hash, value.to_bits().into());
        }
    };
    let mut random = Random::new(11);
    for round in 0..250 {
        let line = random_line::<Small>("9x9 tromp-taylor komi 7", 10 + round % 150, &mut random);
        (0..3).for_each(|n| note(&mut hashes[n], &encode(GoPlanes::ALL[n], &line, (round % 8) as u8)));
    }
    for round in 0..150 {
        let line = random_line::<Small>("5x6 japanese komi 0.5", 5 + round % 60, &mut random);
        (0..3).for_each(|n| note(&mut hashes[n], &encode(GoPlanes::ALL[n], &line, (round % 4) as u8)));
    }
    for round in 0..40 {
        let line = random_line::<Medium>("19x19 aga komi 7", 60 + 5 * round, &mut random);
        (0..3).for_each(|n| note(&mut hashes[n], &encode(GoPlanes::ALL[n], &line, (round % 8) as u8)));
    }
    for line in played_lines(80) {
        (0..3).for_each(|n| note(&mut hashes[n], &encode(GoPlanes::ALL[n], &line, 0)));
    }
    assert_eq!(hashes, KEPT, "planes changed: {hashes:#018x?}");
}

#[test]
fn speed_of_planes() {
    if !tesuji_testkit::needs::slow("the speed of planes") {
        return;
    }
    let lines = played_lines(80);
    for encoding in GoPlanes::ALL {
        let mut out = vec![0.0; encoding.planes() * 361];
        let mut rates: Vec<f64> = (0..5)
            .map(|_| {
                let began = crate::speed::cpu_seconds();
                (0..10).for_each(|_| lines.iter().for_each(|line| encoding.encode(line, 0, &mut out)));
                (crate::speed::cpu_seconds() - began) / 800.0 * 1e6
            })
            .collect();
        rates.sort_by(f64::total_cmp);
        println!("{}: {:.1} us a position, 19x19", encoding.name(), rates[2]);
    }
}
