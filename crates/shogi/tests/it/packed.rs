//! Conversions of packed records: whole files of random games through every format, and the speed of it.

use crate::speed::cpu_ns;
use tesuji_game::{Game, Position, Random, Side};
use tesuji_record::{Ask, SampleFormat};
use tesuji_shogi::{
    Rules, Shogi,
    packed::{Checked, Conversion, Packed, Shape},
};

/// Records of random games in YaneuraOu's format.
fn psv_file(records: usize) -> Vec<u8> {
    let (mut bytes, mut random) = (Vec::new(), Random::new(7));
    let mut board = Shogi::start(&Rules::default());
    for i in 0..records {
        let moves = board.legal_moves();
        if moves.is_empty() || board.move_number() > 120 {
            board = Shogi::start(&Rules::default());
            continue;
        }
        let mv = moves[random.below(moves.len())];
        let winner = [None, Some(Side::First), Some(Side::Second)][i % 3];
        let score = random.below(6_000) as i16 - 3_000;
        let psv = Checked { board, mv: Some(mv) }.to_psv(score, winner).expect("two kings");
        bytes.extend_from_slice(&psv.to_bytes());
        board.play(mv);
    }
    bytes
}

#[track_caller]
fn convert(conversion: Conversion, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let counts = conversion.stream(&mut &bytes[..], &mut out, &mut Err).expect("good records");
    assert_eq!((counts.read as usize, counts.wrong), (bytes.len() / conversion.from.bytes(), 0));
    assert_eq!(out.len(), counts.written as usize * conversion.to.bytes());
    out
}

/// From psv to hcpe and back only the ply is lost; from hcpe to psv and back nothing.
#[test]
fn files_go_through_every_format_and_back() {
    let psv = psv_file(10_000);
    let hcpe = convert(Conversion::new(Shape::Psv, Shape::Hcpe), &psv);
    let back = convert(Conversion::new(Shape::Hcpe, Shape::Psv), &hcpe);
    for (old, new) in psv.chunks_exact(40).zip(back.chunks_exact(40)) {
        assert_eq!((&old[..36], &old[38..]), (&new[..36], &new[38..]));
    }
    assert_eq!(convert(Conversion::new(Shape::Psv, Shape::Hcpe), &back), hcpe);
    let hcp = convert(Conversion::new(Shape::Hcpe, Shape::Hcp), &hcpe);
    let psfen = convert(Conversion::new(Shape::Psv, Shape::PackedSfen), &psv);
    assert_eq!(convert(Conversion::new(Shape::Hcp, Shape::PackedSfen), &hcp), psfen);
    assert_eq!(convert(Conversion::new(Shape::PackedSfen, Shape::Hcp), &psfen), hcp);
    let hcpe2 = convert(Conversion::new(Shape::Hcpe, Shape::Hcpe2), &hcpe);
    assert_eq!(convert(Conversion::new(Shape::Hcpe2, Shape::Hcpe), &hcpe2), hcpe);
    for (from, _) in Shape::NAMES {
        for (to, _) in Shape::NAMES {
            assert_eq!(from.loses(to).is_none(), !from.teaches() && to.teaches());
        }
    }
}

/// `psv_to_hcp in out 500 30` keeps quiet positions and the first thirty plies.
#[test]
fn filters_are_those_of_psv_to_hcp() {
    let psv = psv_file(3_000);
    let filter = Conversion { score_below: Some(500), or_ply_max: Some(30), ..Conversion::new(Shape::Psv, Shape::Hcp) };
    let kept = psv.chunks_exact(40).filter(|record| {
        let (score, ply) = (i16::from_le_bytes([record[32], record[33]]), u16::from_le_bytes([record[36], record[37]]));
        score.abs() < 500 || ply <= 30
    });
    assert_eq!(convert(filter, &psv).len(), 32 * kept.count());
}

#[test]
fn wrong_records_are_named_and_left_out() {
    let mut psv = psv_file(300);
    let records = psv.len() as u64 / 40;
    psv[40 * 7 + 34] = 0x55;
    psv[40 * 9 + 38] = 9;
    psv.truncate(psv.len() - 3);
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    let end = Conversion::new(Shape::Psv, Shape::Hcpe).stream(&mut &psv[..], &mut out, &mut |error| {
        errors.push(error.to_string());
        Ok(())
    });
    let words = end.expect_err("the last record is cut").to_string();
    assert_eq!(
        words,
        format!("game {records}: at byte {}: expected a whole record, found `37 of 40 bytes`", psv.len())
    );
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(errors[0].starts_with("game 8: at byte 314: expected a legal move, found `0x"), "{errors:?}");
    assert_eq!(errors[1], "game 10: at byte 398: expected a result, found `9`");
    assert_eq!(out.len() as u64, 38 * (records - 3));
}

/// Short cuts are no other conversions: reading samples and writing them gives the same bytes, and names what is lost.
#[test]
fn short_cuts_equal_reading_and_writing() {
    let psv = psv_file(2_000);
    for (from, _) in Shape::NAMES {
        let source = if from == Shape::Psv { psv.clone() } else { convert(Conversion::new(Shape::Psv, from), &psv) };
        for (to, _) in Shape::NAMES {
            let ask = Ask { check: true, score_below: None, or_ply_max: None };
            let (from, to) = (Packed(from), Packed(to));
            let Some(way) = from.short_cut(&to, ask) else {
                assert!(from.0.loses(to.0).is_none());
                continue;
            };
            let (mut out, mut expected) = (Vec::new(), Vec::new());
            let counts = way.convert(&source, &mut out, &mut |error| panic!("{error}"));
            assert_eq!(counts, ((source.len() / from.0.bytes()) as u64, (out.len() / to.0.bytes()) as u64));
            from.read(&source, &mut |sample| to.write(&sample.unwrap(), &mut expected).unwrap());
            assert!(out == expected, "{from:?} to {to:?}");
            let lost = from.labels().unwrap().beyond(to.labels().unwrap());
            assert_eq!(lost.is_empty(), from.0.loses(to.0) == Some(""), "{from:?} to {to:?}: {lost:?}");
        }
    }
}

#[test]
fn records_per_cpu_second() {
    if !tesuji_testkit::needs::slow("measures speed") {
        return;
    }
    let psv = psv_file(200_000);
    let hcpe = convert(Conversion::new(Shape::Psv, Shape::Hcpe), &psv);
    for check in [false, true] {
        for (from, to, bytes, expect) in
            [(Shape::Psv, Shape::Hcpe, &psv, Some(&hcpe)), (Shape::Hcpe, Shape::Psv, &hcpe, None)]
        {
            let conversion = Conversion { check, ..Conversion::new(from, to) };
            let mut speeds: Vec<f64> = (0..5)
                .filter_map(|_| {
                    let since = cpu_ns()?;
                    let out = convert(conversion, bytes);
                    let ns = cpu_ns()?.saturating_sub(since).max(1);
                    assert!(expect.is_none_or(|expect| *expect == out));
                    Some((bytes.len() / from.bytes()) as f64 / ns as f64 * 1e3)
                })
                .collect();
            speeds.sort_by(f64::total_cmp);
            match speeds.get(2) {
                Some(speed) => eprintln!("{from:?} to {to:?}, checked {check}: {speed:.2} million records/CPU second"),
                None => tesuji_testkit::needs::skip("needs a clock of CPU time"),
            }
        }
    }
}
