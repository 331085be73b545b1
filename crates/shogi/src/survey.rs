//! Games of shogi as positions with what the rules say about them, and positions joined to games again.

use crate::{
    Board, Rules, Shogi,
    facts::{facts, move_at, sample},
    labelled::Labelled,
    packed::{Checked, Packed, Shape, checked_of},
    record,
};
use tesuji_game::{By, Game, Outcome, Position};
use tesuji_record::{
    Facts, Fault, GameRecord, Sample, SampleFormat, Step, Survey, fingerprint, half_points, outcome_of, score_of,
    value_of,
};

/// Data formats and facts about positions of shogi, for work on data.
#[derive(Debug, Clone, Copy)]
pub struct ShogiSurvey;

impl Survey for ShogiSurvey {
    fn formats(&self) -> &'static [&'static dyn SampleFormat] {
        &[
            &Packed(Shape::Psv),
            &Packed(Shape::Hcpe),
            &Packed(Shape::Hcpe2),
            &Packed(Shape::Hcp),
            &Packed(Shape::PackedSfen),
            &Labelled,
        ]
    }

    fn samples(&self, game: &GameRecord<String>, out: &mut Vec<Sample>) -> Result<(), Fault> {
        let mut board = record::start_board(game)?;
        let line = game.main_nodes();
        let (half_points, id) = (half_points(game.outcome), fingerprint(game));
        let origin = game.tag("Origin").unwrap_or("");
        let (mut after_noisy, mut after_check) = (false, false);
        for ply in 0..=line.len() {
            let here = match line.get(ply) {
                None => None,
                Some(&node) => match &game.nodes[node as usize].step {
                    Step::Move(text) => Some((node, move_at(&board, ply + 1, text)?)),
                    _ => return Err(Fault::Unsupported("a position set up in the middle of a game")),
                },
            };
            // The root's own value is for the side to move.
            let said = here.map_or(if line.is_empty() { Some(0) } else { None }, |(node, _)| Some(node));
            let mv = here.map(|(_, mv)| mv);
            let facts = Facts { after_noisy: Some(after_noisy), after_check: Some(after_check), ..facts(&board, mv) };
            out.push(Sample {
                score: said.and_then(|node| score_of(game.note(node), board.side_to_move())),
                half_points,
                plies_left: Some((line.len() - ply) as u32),
                game: Some(id),
                ply: Some(ply as u32),
                origin: origin.to_string(),
                facts: Some(facts),
                ..sample(&Checked { board, mv })
            });
            if let Some(mv) = mv {
                (after_noisy, after_check) = (facts.noisy, facts.check);
                board.play(mv);
            }
        }
        Ok(())
    }

    fn games(&self, samples: &[Sample], out: &mut Vec<GameRecord<String>>) -> Result<(), (usize, Fault)> {
        let mut open: Option<Open> = None;
        for (index, sample) in samples.iter().enumerate() {
            let checked = checked_of(sample).map_err(|fault| (index, fault))?;
            if !open.as_ref().is_some_and(|game| game.goes_on(sample, &checked.board)) {
                out.extend(open.take().map(Open::close));
            }
            open.get_or_insert_with(|| Open::new(sample, &checked.board)).take(sample, &checked);
        }
        out.extend(open.map(Open::close));
        Ok(())
    }

    fn look(&self, sample: &Sample) -> Result<Facts, Fault> {
        let Checked { board, mv } = checked_of(sample)?;
        Ok(facts(&board, mv))
    }
}

/// A game being joined.
struct Open {
    record: GameRecord<String>,
    /// The game, if it is known.
    id: Option<u64>,
    /// The ply to come.
    ply: Option<u32>,
    board: Board,
    /// Whether a move was played to the board, so that something may follow.
    open: bool,
    past: Vec<<Board as Position>::Mark>,
    half_points: Option<u8>,
}

impl Open {
    fn new(sample: &Sample, board: &Board) -> Open {
        let mut record = GameRecord::new();
        (record.rules, record.start) = record::start_texts(board);
        if !sample.origin.is_empty() {
            record.set_tag("Origin", sample.origin.as_str());
        }
        let (id, ply, half_points) = (sample.game, sample.ply, sample.half_points);
        Open { record, id, ply, board: *board, open: true, past: Vec::new(), half_points }
    }

    /// Packed formats know no games: there, a move that leads to the next position is enough.
    fn goes_on(&self, sample: &Sample, board: &Board) -> bool {
        let same = sample.game == self.id && (self.id.is_none() || sample.ply == self.ply);
        let usual = || *board == Shogi::start(&Rules::default());
        same && self.open && self.half_points == sample.half_points && self.board.key() == board.key() && !usual()
    }

    fn take(&mut self, sample: &Sample, checked: &Checked) {
        self.ply = sample.ply.map(|ply| ply.saturating_add(1));
        let side = self.board.side_to_move();
        let value = sample.score.map(|score| value_of(score, side));
        let Some(mv) = checked.mv else {
            if self.record.nodes.len() == 1 && value.is_some() {
                self.record.note_mut(0).value = value;
            }
            // Nothing can follow; the position stays for the end.
            self.open = false;
            return;
        };
        let node = self.record.append(Step::Move(mv.to_string()));
        if value.is_some() {
            self.record.note_mut(node).value = value;
        }
        self.past.push(self.board.mark(&self.past));
        self.board.play(mv);
    }

    /// The game; why it ended is what its last position says.
    fn close(mut self) -> GameRecord<String> {
        self.record.outcome = self.half_points.map(outcome_of).map(|o| explain(&self.board, &self.past, o));
        self.record
    }
}

/// An outcome with the reason that the rules give for it, if they do; a loser to move resigned.
fn explain(board: &Board, past: &[<Board as Position>::Mark], outcome: Outcome) -> Outcome {
    let ruled = if board.has_moves() { board.ended(past, past.len()) } else { Some(board.no_legal_moves()) };
    let ruled = ruled.or_else(|| board.claim()).filter(|o| o.winner == outcome.winner);
    let by = if outcome.winner == Some(!board.side_to_move()) { By::Resignation } else { By::Adjudication };
    ruled.unwrap_or(Outcome { by, ..outcome })
}
