//! An engine at its moves: asked, listened to, and left thinking on the opponent's time.

use super::{Dialogue, Engine, Wait};
use crate::{Contestant, Fault, FaultKind, Over, Thought, Turn};
use std::time::{Duration, Instant};
use tesuji_game::Bound;
use tesuji_protocol::{Ask, BoardCommand, Command, Ending, Glance, Go, NO_MOVE, Reply};

/// Output of an engine during one move that counts as a flood, in bytes.
const FLOOD_BYTES: usize = 1 << 26;
/// Between two looks at the threads of an engine that thinks long.
const LOOK_AT_THREADS: Duration = Duration::from_millis(100);
/// Between two looks at an opponent that thinks, too: a full pipe would stop it.
const LOOK_AT_OPPONENT: Duration = Duration::from_millis(25);
/// Time limit for an engine to end pondering.
const END_OF_PONDERING: Duration = Duration::from_secs(5);
/// Time that a pondering engine gets to write its first line: one whose protocol has no search output, and one whose has. On a busy
/// machine its thread may start late.
const FIRST_WORDS: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(500)];
/// What `lowerbound` and `upperbound` end in, the words behind a score that is a bound.
const BOUND: &[u8] = b"rbound";
/// After which time it is told again.
const STOP_AGAIN: Duration = Duration::from_millis(100);

impl Engine {
    /// Puts the line of `turn` into the command kept for it, of which most stands there already.
    fn set_board(&mut self, turn: &Turn<'_>) {
        if let Command::Board(BoardCommand::Set { start, moves }) = &mut self.board {
            if start.as_deref() != turn.start {
                *start = turn.start.map(str::to_string);
            }
            let common = moves.iter().zip(turn.moves).take_while(|(a, b)| a == b).count();
            moves.truncate(common);
            moves.extend_from_slice(&turn.moves[common..]);
        }
    }

    /// Asks for a move: position and `go` in one write. Returns the time of that write.
    fn ask(&mut self, turn: &Turn<'_>) -> Result<Instant, Fault> {
        if self.expected.is_some() {
            self.await_first_words();
        }
        if turn.deadline.is_some() {
            self.starved.begin();
        }
        let turned = Instant::now();
        let mut late = Duration::ZERO;
        if let Some(expected) = self.expected.take() {
            if turn.moves.last() == Some(&expected) {
                self.send(&[Command::PonderHit])?;
                return Ok(turned);
            }
            // Its clock runs while it comes to the end of the wrong search.
            self.end_pondering()?;
            late = turned.elapsed();
        }
        self.pipes.forget();
        self.news.clear();
        self.exact_news.clear();
        self.told_search = false;
        self.set_board(turn);
        self.out.clear();
        if turn.is_draw_offered {
            self.protocol.write(&Command::OfferDraw, &mut self.out);
        }
        self.protocol.write(&self.board, &mut self.out);
        let go = Go { limits: turn.limits.clone(), side: Some(turn.side), commit: true, ..Go::default() };
        self.protocol.write(&Command::Go(go), &mut self.out);
        // Before the write and not after it: an engine that wakes up takes this thread's processor often enough, and
        // would think unseen until the write returns. The write itself costs a few microseconds.
        let asked = Instant::now();
        self.flush()?;
        Ok(asked.checked_sub(late).unwrap_or(asked))
    }

    /// Waits until a search on the opponent's time has begun, as far as its words tell. An order that comes before is lost
    /// on some engines, or locks them (Ethereal 12 then waits for the end of a search that it told to go on). No clock runs.
    fn await_first_words(&mut self) {
        if self.early.is_some() || self.pipes.read_since_forget() > 0 {
            return;
        }
        let patience = FIRST_WORDS[usize::from(self.tells_news)];
        if self.pipes.wait(Instant::now() + patience, self.stop.flag()) == Wait::Line {
            self.take_early();
        }
    }

    /// Looks at the line that was waited for while the opponent thought: it may be an answer already.
    fn take_early(&mut self) {
        if self.is_worth_reading()
            && let Ok(Some(reply)) = self.hear()
        {
            self.early = Some(reply);
        }
    }

    /// Stops a search whose move nobody played, and waits for its answer.
    fn end_pondering(&mut self) -> Result<(), Fault> {
        self.expected = None;
        if self.early.take().is_some() {
            return Ok(());
        }
        // Some engines lose an order that comes in the moment in which they begin: it is given again.
        let given_up = Instant::now() + END_OF_PONDERING;
        loop {
            self.send(&[Command::Stop])?;
            let is_best = |reply| matches!(reply, Reply::Best { .. });
            match self.read_until(STOP_AGAIN, "stop thinking on the opponent's time", FaultKind::Hang, is_best) {
                Err(fault) if fault.kind == FaultKind::Hang && Instant::now() < given_up => {}
                result => return result,
            }
        }
    }

    /// Reads a line that may end the search.
    fn hear(&mut self) -> Result<Option<Reply>, Fault> {
        let line = self.line();
        let reply = match self.protocol.read(&line) {
            Ok(reply) => reply,
            Err(e) => return Err(self.fault(FaultKind::Garbage, e.to_string())),
        };
        self.respond()?;
        match reply {
            Some(Reply::Best { .. }) => return Ok(reply),
            // GTP's runner puts the command before it that was refused.
            Some(Reply::Fault(text)) => match text.split_once(NO_MOVE) {
                Some((_, why)) => return Err(self.fault(FaultKind::Evaluator, why.to_string())),
                None if self.protocol.refuses() => {
                    return Err(self.fault(FaultKind::Garbage, format!("it refuses {text}")));
                }
                None => {}
            },
            Some(Reply::OfferDraw) => self.offers_draw = true,
            _ => {}
        }
        Ok(None)
    }

    /// Makes a thought of the reply that ends a search.
    fn decide(&mut self, reply: Reply, turn: &Turn<'_>, spent: Duration) -> Result<Thought, Fault> {
        let Reply::Best { choice: Some(choice), ponder } = reply else {
            return Err(self.fault(FaultKind::Illegal, "it says that it has no move".to_string()));
        };
        let mut thought = Thought::new(choice, spent);
        let news = String::from_utf8_lossy(&self.news);
        if let Ok(Some(Reply::Info(info))) = self.protocol.read(&news) {
            thought.value = info.score.map(|s| s.value);
            thought.depth = info.depth.unwrap_or(0);
            thought.depth_max = info.depth_max.unwrap_or(0);
            thought.nodes = info.nodes.unwrap_or(0);
            thought.told = info.time;
            thought.pv = info.pv;
            // Engines whose nodes end in the middle of an iteration tell a bound last: the score is the last one that is none.
            if info.score.is_some_and(|score| score.bound != Bound::Exact)
                && let Ok(Some(Reply::Info(info))) = self.protocol.read(&String::from_utf8_lossy(&self.exact_news))
            {
                thought.value = info.score.map(|s| s.value).or(thought.value);
            }
        }
        if turn.deadline.is_some_and(|deadline| spent > deadline) {
            thought.starved = self.starved.since_begin().map(|t| t.min(spent));
        }
        thought.is_silent = self.protocol.tells_search() && !self.told_search;
        thought.expected = ponder.filter(|_| self.spec.ponder);
        thought.offers_draw = std::mem::take(&mut self.offers_draw);
        Ok(thought)
    }

    /// Looks at the line that was waited for: news are kept, anything else is `true`.
    fn is_worth_reading(&mut self) -> bool {
        self.note_line();
        let line = self.pipes.line_bytes();
        match self.protocol.glance(line) {
            Glance::Score => {
                (self.tells_news, self.told_search) = (true, true);
                self.news.clear();
                self.news.extend_from_slice(line);
                if !line.windows(BOUND.len()).any(|word| word == BOUND) {
                    self.exact_news.clear();
                    self.exact_news.extend_from_slice(line);
                }
                false
            }
            Glance::News => {
                self.told_search = true;
                false
            }
            Glance::Reply => true,
        }
    }
}

impl Contestant for Engine {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, rules: &str) -> Result<(), Fault> {
        let rules = Command::Board(BoardCommand::Rules(rules.to_string()));
        self.send(&[rules, Command::NewGame, Command::Sync])?;
        let patience = self.spec.start_patience;
        self.read_until(patience, "get ready", FaultKind::Ping, |reply| reply == Reply::Ready)?;
        self.starved.run_from_here();
        Ok(())
    }

    fn think(&mut self, turn: &Turn<'_>) -> Result<Thought, Fault> {
        let began = self.ask(turn)?;
        if let Some(reply) = self.early.take() {
            return self.decide(reply, turn, began.elapsed());
        }
        let given_up = began + turn.patience;
        let mut alarm = turn.deadline.map_or(given_up, |d| began + d);
        let mut told_to_stop = turn.deadline.is_none();
        let mut look_at = if turn.deadline.is_some() { began + LOOK_AT_THREADS } else { given_up };
        let mut attend_at = turn.attend.map_or(given_up.max(alarm), |_| began + LOOK_AT_OPPONENT);
        loop {
            match self.pipes.wait(alarm.min(look_at).min(attend_at), turn.stop) {
                Wait::Line => {
                    if self.is_worth_reading()
                        && let Some(reply) = self.hear()?
                    {
                        let spent = self.pipes.last_read().saturating_duration_since(began);
                        return self.decide(reply, turn, spent);
                    }
                    if self.pipes.read_since_forget() > FLOOD_BYTES {
                        return Err(self.fault(FaultKind::Garbage, "it writes without end".to_string()));
                    }
                }
                Wait::Ended => return Err(self.ended()),
                Wait::Stopped => return Err(Fault::new(FaultKind::Stopped, "the match was stopped")),
                Wait::Flood => return Err(self.fault(FaultKind::Garbage, "it writes a line without end".to_string())),
                Wait::Late if attend_at < alarm.min(look_at) => {
                    turn.attend.inspect(|attend| attend());
                    attend_at = Instant::now() + LOOK_AT_OPPONENT;
                }
                Wait::Late if look_at < alarm => {
                    self.starved.look();
                    look_at += LOOK_AT_THREADS;
                }
                Wait::Late if !told_to_stop => {
                    told_to_stop = true;
                    alarm = given_up.max(alarm);
                    self.send(&[Command::Stop])?;
                }
                Wait::Late => {
                    let seconds = began.elapsed().as_secs_f64();
                    return Err(self.fault(FaultKind::Hang, format!("no move within {seconds:.1} s")));
                }
            }
        }
    }

    fn ponder(&mut self, turn: &Turn<'_>) -> bool {
        let Some(expected) = turn.moves.last() else { return false };
        // What fails here fails again when it is asked for its move, and is reported then.
        let is_asked = self.ask(turn).is_ok();
        self.expected = is_asked.then(|| expected.clone());
        is_asked
    }

    fn attend(&mut self) {
        while self.pipes.look() {
            self.take_early();
        }
    }

    fn dead_stones(&mut self, game: &Over<'_>) -> Option<Vec<String>> {
        if !self.protocol.may_answer(&Ask::FinalStatus("dead".to_string())) {
            return None;
        }
        let told = self.dead(game);
        // Who did not answer would answer later, in the middle of the next game.
        self.is_spent |= told.as_ref().is_err_and(|fault| fault.kind != FaultKind::Garbage);
        told.ok()
    }

    fn end_game(&mut self, ending: Ending) {
        if self.expected.is_some() {
            self.await_first_words();
        }
        let is_sound = self.expected.is_none() || self.end_pondering().is_ok();
        (self.early, self.offers_draw) = (None, false);
        self.is_spent |= !is_sound || self.send(&[Command::GameOver(ending)]).is_err();
    }

    fn is_spent(&self) -> bool {
        self.is_spent || self.spec.restart || !self.protocol.can_play_again()
    }

    fn log_to(&mut self, dialogue: Option<Dialogue>) {
        self.dialogue = dialogue;
    }

    fn last_lines(&mut self) -> Vec<String> {
        self.pipes.last_lines()
    }

    fn quit(&mut self) -> Option<Fault> {
        self.send(&[Command::Stop, Command::Quit]).ok()?;
        if self.pipes.end(self.spec.quit_patience) {
            return None;
        }
        let seconds = self.spec.quit_patience.as_secs_f64();
        Some(self.fault(FaultKind::Quit, format!("it did not end within {seconds} s of quit")))
    }
}
