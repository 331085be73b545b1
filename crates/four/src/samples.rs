//! Positions of Connect Four by themselves: games cut into positions and joined again, lines of text that hold them.

use crate::start_of;
use tesuji_game::{FirstSide, Notation, Position, Tactical};
use tesuji_record::{
    Facts, Fault, GameRecord, Labels, RecordError, Sample, SampleFormat, Step, Survey, fingerprint, half_points,
    outcome_of, score_of, value_of,
};
use tesuji_testkit::four::{Columns, Drop, FourPosition, NoRules};

/// The survey of positions of Connect Four.
pub struct FourSurvey;

/// The facts of `pos` by the rules, and of the move played there. Pieces are discs; each is worth one.
fn facts(pos: &FourPosition, mv: Option<Drop>) -> Facts {
    let (mine, all) = pos.discs();
    let pieces = all.count_ones() as u16;
    Facts {
        key: pos.key().0,
        pieces,
        balance: FirstSide::of(pos.side_to_move(), 2 * mine.count_ones() as i16 - pieces as i16).0,
        material: pieces,
        noisy: mv.is_some_and(|mv| pos.is_noisy(mv)),
        ..Facts::default()
    }
}

/// A sample read: the position, and the move if there is one.
fn read(sample: &Sample) -> Result<(FourPosition, Option<Drop>), Fault> {
    let pos = Columns::parse_position(&NoRules, &sample.position).map_err(Fault::Position)?;
    let mv = if sample.mv.is_empty() { None } else { Some(move_at(&pos, 1, &sample.mv)?) };
    Ok((pos, mv))
}

/// The legal move that `text` is; `number` is for the error.
fn move_at(pos: &FourPosition, number: usize, text: &str) -> Result<Drop, Fault> {
    Columns::parse_move(pos, text).map_err(|_| Fault::IllegalMove { number, text: text.chars().take(20).collect() })
}

impl Survey for FourSurvey {
    fn formats(&self) -> &'static [&'static dyn SampleFormat] {
        &[&Labelled]
    }

    fn samples(&self, game: &GameRecord<String>, out: &mut Vec<Sample>) -> Result<(), Fault> {
        let mut pos = start_of(game.start.as_deref()).map_err(Fault::Position)?;
        let line = game.main_nodes();
        let (half_points, id) = (half_points(game.outcome), fingerprint(game));
        let mut after_noisy = false;
        for ply in 0..=line.len() {
            let here = match line.get(ply).map(|&node| (node, &game.nodes[node as usize].step)) {
                None => None,
                Some((node, Step::Move(text))) => Some((node, move_at(&pos, ply + 1, text)?)),
                Some(_) => return Err(Fault::Unsupported("a position set up in the middle of a game")),
            };
            let mv = here.map(|(_, mv)| mv);
            let facts = Facts { after_noisy: Some(after_noisy), after_check: Some(false), ..facts(&pos, mv) };
            out.push(Sample {
                position: crate::text_of(&pos),
                mv: mv.map(|mv| (mv.0 + 1).to_string()).unwrap_or_default(),
                score: here.and_then(|(node, _)| score_of(game.note(node), pos.side_to_move())),
                half_points,
                plies_left: Some((line.len() - ply) as u32),
                game: Some(id),
                ply: Some(ply as u32),
                origin: game.tag("Origin").unwrap_or("").to_string(),
                facts: Some(facts),
                ..Sample::default()
            });
            if let Some(mv) = mv {
                after_noisy = facts.noisy;
                pos.play(mv);
            }
        }
        Ok(())
    }

    fn games(&self, samples: &[Sample], out: &mut Vec<GameRecord<String>>) -> Result<(), (usize, Fault)> {
        // The game that is open, and the position behind its last move.
        let mut open: Option<(GameRecord<String>, Option<FourPosition>)> = None;
        for (index, sample) in samples.iter().enumerate() {
            let (pos, mv) = read(sample).map_err(|fault| (index, fault))?;
            let goes_on =
                open.as_ref().is_some_and(|(_, behind)| *behind == Some(pos) && pos != FourPosition::default());
            if !goes_on {
                out.extend(open.take().map(|(game, _)| game));
            }
            let (game, behind) = open.get_or_insert_with(|| {
                let start = Some(sample.position.as_str()).filter(|_| pos != FourPosition::default());
                let mut game = GameRecord::from_moves("", start, std::iter::empty::<String>());
                game.outcome = sample.half_points.map(outcome_of);
                (game, Some(pos))
            });
            *behind = mv.map(|mv| {
                let node = game.append(Step::Move(sample.mv.clone()));
                if let Some(score) = sample.score {
                    game.note_mut(node).value = Some(value_of(score, pos.side_to_move()));
                }
                let mut next = pos;
                next.play(mv);
                next
            });
        }
        out.extend(open.map(|(game, _)| game));
        Ok(())
    }

    fn look(&self, sample: &Sample) -> Result<Facts, Fault> {
        let (pos, mv) = read(sample)?;
        Ok(facts(&pos, mv))
    }
}

/// A position a line: `POSITION MOVE SCORE RESULT`, `-` for what is not known; score and result are those of who began.
pub struct Labelled;

impl SampleFormat for Labelled {
    fn name(&self) -> &'static str {
        "cells"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["cells"]
    }

    fn carries(&self) -> &'static str {
        "position, move, score, result"
    }

    fn holds(&self) -> Labels {
        // The position tells the number of the move.
        Labels { ending: false, ..Labels::ALL }
    }

    fn whole(&self, block: &[u8]) -> usize {
        block.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1)
    }

    fn read(&self, block: &[u8], each: &mut dyn FnMut(Result<Sample, RecordError>)) {
        for (number, line) in (1..).zip(block.split(|&b| b == b'\n')).filter(|(_, line)| !line.is_empty()) {
            let text = std::str::from_utf8(line).map_err(|_| Fault::expected("text in UTF-8", ""));
            each(text.and_then(parse).map_err(|fault| RecordError::new(number, number, fault)));
        }
    }

    fn write(&self, sample: &Sample, out: &mut Vec<u8>) -> Result<(), RecordError> {
        let word = |known: Option<String>| known.unwrap_or_else(|| "-".to_string());
        let mv = Some(sample.mv.clone()).filter(|mv| !mv.is_empty());
        let [score, result] = [sample.score.map(|s| s.0.to_string()), sample.half_points.map(|p| p.to_string())];
        let line = format!("{} {} {} {}\n", sample.position, word(mv), word(score), word(result));
        out.extend_from_slice(line.as_bytes());
        Ok(())
    }
}

/// The sample of a line.
fn parse(line: &str) -> Result<Sample, Fault> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [position, mv, score, result] = words[..] else {
        return Err(Fault::expected("a position, a move, a score and a result", line));
    };
    let known = |word: &'static str, text: &str| match text {
        "-" => Ok(None),
        text => text.parse::<i16>().map(Some).map_err(|_| Fault::expected(word, text)),
    };
    let half_points = known("a result in half points", result)?.map(|points| points.clamp(0, 2) as u8);
    let mut sample = Sample { position: position.to_string(), half_points, ..Sample::default() };
    sample.score = known("a score", score)?.map(FirstSide);
    sample.mv = if mv == "-" { String::new() } else { mv.to_string() };
    let (pos, mv) = read(&sample)?;
    sample.ply = Some(pos.discs().1.count_ones());
    sample.facts = Some(facts(&pos, mv));
    Ok(sample)
}
