//! PGN read as fast as by the crate pgn-reader, which plays the moves with shakmaty.

use crate::data::{file, slow, unpacked};
use crate::records::written;
use pgn_reader::{Reader, SanPlus, Skip, Visitor};
use shakmaty::{Chess, Position};
use std::io::Cursor;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use tesuji_chess::pgn::{Pgn, games};
use tesuji_chess::sgs::Sgs;
use tesuji_record::{RecordFormat, Records};

/// Plays the moves of main lines.
struct Walk;

impl Visitor for Walk {
    type Tags = ();
    type Movetext = (Chess, usize);
    type Output = usize;

    fn begin_tags(&mut self) -> ControlFlow<usize, ()> {
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<usize, (Chess, usize)> {
        ControlFlow::Continue((Chess::default(), 0))
    }

    fn san(&mut self, (board, plies): &mut (Chess, usize), san: SanPlus) -> ControlFlow<usize> {
        let mv = san.san.to_move(board).unwrap();
        board.play_unchecked(mv);
        *plies += 1;
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut (Chess, usize)) -> ControlFlow<usize, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, (_, plies): (Chess, usize)) -> usize {
        plies
    }
}

fn theirs(text: &str) -> (usize, Duration) {
    let began = Instant::now();
    let plies = Reader::new(Cursor::new(text)).read_games(&mut Walk).map(Result::unwrap).sum();
    (plies, began.elapsed())
}

fn ours(text: &str) -> (usize, Duration) {
    let text = text.to_string();
    let began = Instant::now();
    let plies = games(Box::new(Cursor::new(text))).map(|g| g.unwrap().nodes.len() - 1).sum();
    (plies, began.elapsed())
}

#[test]
fn pgn_is_read_as_fast_as_by_others() {
    if !slow() {
        return;
    }
    let Some(path) = file("sofcheck1_30k.sgs.zst") else { return };
    let all: Vec<_> = Records::new(Sgs::PLAIN.reader(Box::new(unpacked(path)))).map(Result::unwrap).collect();
    // Both need all games to begin at the usual start.
    let usual: Vec<_> = all.into_iter().filter(|g| g.start.is_none()).take(20_000).collect();
    let text = written(&Pgn, &usual);
    // Rounds in turn, so that a busy machine is unfair to nobody; the best of each.
    let mut best = [Duration::MAX; 2];
    for _ in 0..5 {
        let (a, b) = (ours(&text), theirs(&text));
        assert_eq!(a.0, b.0);
        best = [best[0].min(a.1), best[1].min(b.1)];
    }
    let rate = |time: Duration| text.len() as f64 / time.as_secs_f64() / 1e6;
    println!("{} bytes: ours {:.1} MB/s, pgn-reader {:.1} MB/s", text.len(), rate(best[0]), rate(best[1]));
    assert!(best[0].as_secs_f64() < 1.1 * best[1].as_secs_f64(), "{best:?}");
}
