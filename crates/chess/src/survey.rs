//! Games of chess as positions with what the rules say about them, and positions joined to games again.

use crate::{Board, Chess, Move, Rules, UciNotation, ending, facts::facts, fen, labelled::Labelled, packed::Bullet};
use tesuji_game::{Game, Notation, Position};
use tesuji_record::{
    Facts, Fault, GameRecord, Sample, SampleFormat, Step, Survey, fingerprint, half_points, outcome_of, score_of,
    value_of,
};

/// Data formats and facts about positions of chess, for work on data.
#[derive(Debug, Clone, Copy)]
pub struct ChessSurvey;

fn rules_of(text: &str) -> Result<Rules, Fault> {
    text.parse().map_err(|_| Fault::Unsupported("rules other than chess and chess960"))
}

fn start_of(rules: &Rules, text: Option<&str>) -> Result<Board, Fault> {
    match text {
        None => Ok(Chess::start(rules)),
        Some(text) => UciNotation::parse_position(rules, text).map_err(Fault::Position),
    }
}

fn move_at(board: &Board, number: usize, text: &str) -> Result<Move, Fault> {
    UciNotation::parse_move(board, text)
        .map_err(|_| Fault::IllegalMove { number, text: text.chars().take(20).collect() })
}

impl Survey for ChessSurvey {
    fn formats(&self) -> &'static [&'static dyn SampleFormat] {
        &[&Labelled::TEXT, &Labelled::EPD, &Labelled::GREKO, &Bullet]
    }

    fn samples(&self, game: &GameRecord<String>, out: &mut Vec<Sample>) -> Result<(), Fault> {
        let rules = rules_of(&game.rules)?;
        let mut board = start_of(&rules, game.start.as_deref())?;
        let line = game.main_nodes();
        let (half_points, id) = (half_points(game.outcome), fingerprint(game));
        let origin = game.tag("Origin").unwrap_or("");
        let (mut after_noisy, mut after_check) = (false, false);
        for ply in 0..=line.len() {
            let here = match line.get(ply) {
                None => None,
                Some(&node) => match &game.nodes[node as usize].step {
                    Step::Move(text) => Some((node, text, move_at(&board, ply + 1, text)?)),
                    _ => return Err(Fault::Unsupported("a position set up in the middle of a game")),
                },
            };
            // The root's own value is for the side to move.
            let said = here.map_or(if line.is_empty() { Some(0) } else { None }, |(node, ..)| Some(node));
            let facts = Facts {
                after_noisy: Some(after_noisy),
                after_check: Some(after_check),
                ..facts(&board, here.map(|h| h.2))
            };
            out.push(Sample {
                rules: game.rules.clone(),
                position: fen::to_string(&board),
                mv: here.map(|h| h.1.clone()).unwrap_or_default(),
                score: said.and_then(|node| score_of(game.note(node), board.side_to_move())),
                half_points,
                plies_left: Some((line.len() - ply) as u32),
                game: Some(id),
                ply: Some(ply as u32),
                origin: origin.to_string(),
                facts: Some(facts),
            });
            if let Some((_, _, mv)) = here {
                (after_noisy, after_check) = (facts.noisy, facts.check);
                board.play(mv);
            }
        }
        Ok(())
    }

    fn games(&self, samples: &[Sample], out: &mut Vec<GameRecord<String>>) -> Result<(), (usize, Fault)> {
        let mut open: Option<Open> = None;
        for (index, sample) in samples.iter().enumerate() {
            let fail = |fault| (index, fault);
            let rules = rules_of(&sample.rules).map_err(fail)?;
            let board = start_of(&rules, Some(&sample.position)).map_err(fail)?;
            if !open.as_ref().is_some_and(|game| game.goes_on(sample, &board)) {
                out.extend(open.take().map(Open::close));
            }
            open.get_or_insert_with(|| Open::new(sample, &board)).take(sample, board).map_err(fail)?;
        }
        out.extend(open.map(Open::close));
        Ok(())
    }

    fn look(&self, sample: &Sample) -> Result<Facts, Fault> {
        let board = start_of(&rules_of(&sample.rules)?, Some(&sample.position))?;
        let mv = if sample.mv.is_empty() { None } else { Some(move_at(&board, 1, &sample.mv)?) };
        Ok(facts(&board, mv))
    }
}

/// A game being joined.
struct Open {
    record: GameRecord<String>,
    /// The game, if it is known and may go on.
    id: Option<u64>,
    /// The ply to come.
    ply: Option<u32>,
    /// The last position, if a move was played to it: what has to come.
    next: Option<Board>,
    past: Vec<<Board as Position>::Mark>,
    half_points: Option<u8>,
}

impl Open {
    fn new(sample: &Sample, board: &Board) -> Open {
        let mut record = GameRecord::new();
        record.rules = sample.rules.clone();
        record.start = (*board != Chess::start(&Rules { chess960: board.is_chess960(), ..Rules::default() }))
            .then(|| sample.position.clone());
        if !sample.origin.is_empty() {
            record.set_tag("Origin", sample.origin.as_str());
        }
        Open { record, id: sample.game, ply: sample.ply, next: None, past: Vec::new(), half_points: sample.half_points }
    }

    fn goes_on(&self, sample: &Sample, board: &Board) -> bool {
        let same = sample.game == self.id && self.id.is_some() && sample.ply == self.ply;
        same && self.next.is_some_and(|next| next.key() == board.key())
    }

    fn take(&mut self, sample: &Sample, board: Board) -> Result<(), Fault> {
        self.ply = sample.ply.map(|ply| ply.saturating_add(1));
        let value = sample.score.map(|score| value_of(score, board.side_to_move()));
        if sample.mv.is_empty() {
            if self.record.nodes.len() == 1 && value.is_some() {
                self.record.note_mut(0).value = value;
            }
            // Nothing can follow; the position stays for the end.
            self.id = None;
            return Ok(());
        }
        let mv = move_at(&board, self.record.nodes.len(), &sample.mv)?;
        let node = self.record.append(Step::Move(sample.mv.clone()));
        if value.is_some() {
            self.record.note_mut(node).value = value;
        }
        self.past.push(board.mark(&self.past));
        let mut after = board;
        after.play(mv);
        self.next = Some(after);
        Ok(())
    }

    /// The game; why it ended is what its last position says.
    fn close(mut self) -> GameRecord<String> {
        self.record.outcome = self.half_points.map(outcome_of).map(|o| match &self.next {
            Some(board) => ending::explain(board, &self.past, o.winner, o.by),
            None => o,
        });
        self.record
    }
}
