//! Positions on record: games fall into samples, samples go through every format, and join to the same games again.

use crate::records::random_game;
use tesuji_game::FirstSide;
use tesuji_record::{GameRecord, Sample, SampleFormat, Survey, half_points};
use tesuji_shogi::{
    ShogiSurvey,
    packed::{Packed, Shape},
};

fn samples(game: &GameRecord<String>) -> Vec<Sample> {
    let mut samples = Vec::new();
    ShogiSurvey.samples(game, &mut samples).expect("a game of legal moves");
    assert_eq!(samples.len(), game.plies() + 1);
    samples
}

/// Written and read again.
fn through(format: &dyn SampleFormat, samples: &[Sample]) -> Vec<Sample> {
    let mut bytes = Vec::new();
    for sample in samples {
        format.write(sample, &mut bytes).expect("a sample that the format can hold");
    }
    assert_eq!(format.whole(&bytes), bytes.len());
    let mut back = Vec::new();
    format.read(&bytes, &mut |sample| back.push(sample.expect("a good record")));
    let mut again = Vec::new();
    for sample in &back {
        format.write(sample, &mut again).expect("what was read can be written");
    }
    assert_eq!(bytes, again, "{}", format.name());
    back
}

fn moves(game: &GameRecord<String>) -> Vec<String> {
    game.main_line()
}

#[test]
fn samples_go_through_every_format() {
    for seed in 0..10 {
        let game = random_game(seed);
        let mut all = samples(&game);
        let mut back = Vec::new();
        ShogiSurvey.games(&all, &mut back).expect("a game again");
        assert_eq!(back.len(), 1);
        assert_eq!(moves(&back[0]), moves(&game));
        assert_eq!(half_points(back[0].outcome), half_points(game.outcome));
        for sample in &mut all {
            sample.score = sample.score.or(Some(FirstSide(0)));
        }
        for format in ShogiSurvey.formats() {
            // Where a game ends there is no move to learn, which these formats must have.
            let is_packed = matches!(format.name(), "hcpe" | "hcpe2" | "psv");
            let given: Vec<Sample> = all.iter().filter(|s| !is_packed || !s.mv.is_empty()).cloned().collect();
            let read = through(*format, &given);
            for (old, new) in given.iter().zip(&read) {
                let board = |s: &Sample| s.position.rsplit_once(' ').map(|(board, _)| board.to_string());
                assert_eq!(board(old), board(new), "{}", format.name());
                assert_eq!(old.facts.map(|f| f.key), new.facts.map(|f| f.key));
                if !matches!(format.name(), "hcp" | "psfen") {
                    assert_eq!((&old.mv, old.score, old.half_points), (&new.mv, new.score, new.half_points));
                    // Formats without games: moves that lead on join them all the same.
                    let mut joined = Vec::new();
                    ShogiSurvey.games(&read, &mut joined).expect("a game again");
                    assert_eq!((joined.len(), moves(&joined[0])), (1, moves(&game)));
                }
                if matches!(format.name(), "psv" | "text") {
                    // The start has move number 1, which tells no ply.
                    let ply = |sample: &Sample| sample.ply.unwrap_or(0);
                    assert_eq!((&old.position, ply(old)), (&new.position, ply(new)));
                }
            }
        }
    }
}

#[test]
fn what_a_format_cannot_hold_is_refused() {
    let mut out = Vec::new();
    let one_king = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1";
    let problem = Sample {
        position: one_king.into(),
        mv: "5c5b+".into(),
        score: Some(FirstSide(1)),
        half_points: Some(2),
        ..Sample::default()
    };
    for format in ShogiSurvey.formats().iter().filter(|f| f.name() != "text") {
        let error = format.write(&problem, &mut out).expect_err("257 bits").to_string();
        assert_eq!(error, "this format cannot hold a position without both kings", "{}", format.name());
    }
    let plain = Sample { position: "startpos".into(), mv: "7g7f".into(), ..Sample::default() };
    let error = Packed(Shape::Psv).write(&plain, &mut out).expect_err("no score").to_string();
    assert_eq!((error.as_str(), out.len()), ("this format cannot hold a position without a score", 0));
    // It stood there as move 0, which a net would have learned.
    let end = Sample { score: Some(FirstSide(0)), half_points: Some(1), mv: String::new(), ..plain.clone() };
    let error = Packed(Shape::Hcpe).write(&end, &mut out).expect_err("no move").to_string();
    assert_eq!((error.as_str(), out.len()), ("this format cannot hold a position without a move", 0));
    Packed(Shape::Hcp).write(&plain, &mut out).expect("a position is enough");
    assert_eq!(out.len(), 32);
    let mut errors = Vec::new();
    Packed(Shape::Hcp).read(&out[..31], &mut |sample| errors.push(sample.expect_err("cut").to_string()));
    assert_eq!(errors, ["game 1: at byte 31: expected a whole record, found `31 of 32 bytes`"]);
}

#[test]
fn lines_are_written_by_hand() {
    let text =
        "# a remark\nsfen startpos move 7g7f score 30\nstartpos result 1\n\nstartpos score x\nstartpos move 7g7e\n";
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    let text_format = ShogiSurvey.formats().iter().find(|f| f.name() == "text").expect("lines");
    text_format.read(text.as_bytes(), &mut |sample| match sample {
        Ok(sample) => good.push((sample.mv, sample.score, sample.half_points)),
        Err(error) => bad.push(error.to_string()),
    });
    assert_eq!(good, [("7g7f".into(), Some(FirstSide(30)), None), (String::new(), None, Some(2))]);
    assert_eq!(
        bad,
        [
            "line 5 (game 3): expected a score from -32767 to 32767, found `x`",
            "line 6 (game 4): move #1 is illegal: 7g7e"
        ]
    );
}
