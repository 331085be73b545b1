//! GNU Go 3.8 over GTP as a second opinion on legality, prisoners, handicap, unconditional life and final scores.
//! Says so and skips where no `gnugo` is installed (Debian: `apt-get install gnugo`).

use std::{
    collections::BTreeSet,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdout, Command, Stdio},
};
use tesuji_game::{Line, Position, Random, Side};
use tesuji_go::{Area, CellSet, GoPosition, Medium, Move, Rules, Scoring, Size, handicap, life};

struct Gnugo {
    child: Child,
    replies: BufReader<ChildStdout>,
}

impl Gnugo {
    fn start(options: &[&str]) -> Option<Gnugo> {
        let mut command = Command::new(tesuji_testkit::needs::program("gnugo", "gnugo")?);
        command.args(["--mode", "gtp", "--level", "1"]).args(options);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let replies = BufReader::new(child.stdout.take().unwrap());
        Some(Gnugo { child, replies })
    }

    /// The reply without its mark; an error is a panic.
    fn ask(&mut self, command: &str) -> String {
        writeln!(self.child.stdin.as_mut().unwrap(), "{command}").unwrap();
        let mut reply = String::new();
        loop {
            let mut line = String::new();
            assert!(self.replies.read_line(&mut line).unwrap() > 0, "gnugo left at {command}");
            if line.trim().is_empty() {
                break;
            }
            reply.push_str(&line);
        }
        let text = reply.strip_prefix('=').unwrap_or_else(|| panic!("{command}: {reply}"));
        text.trim().to_string()
    }

    fn new_game(&mut self, rules: &Rules) {
        self.ask(&format!("boardsize {}", rules.size.width()));
        self.ask("clear_board");
        self.ask(&format!("komi {}", rules.komi_halves as f32 / 2.0));
    }
}

impl Drop for Gnugo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn word(side: Side) -> &'static str {
    if side == Side::First { "black" } else { "white" }
}

/// A move that fills no own eye, if there is one; now and then a pass.
fn sensible(line: &Line<GoPosition<Medium>>, random: &mut Random, passes: bool) -> Move {
    let (pos, mut moves) = (line.here(), Vec::new());
    line.legal_moves(&mut moves);
    moves.retain(|mv| {
        let side = pos.side_to_move();
        mv.vertex().is_some_and(|v| !pos.board().is_true_eye(side, Medium::cell(v)))
    });
    if moves.is_empty() || (passes && random.below(30) == 0) { Move::PASS } else { moves[random.below(moves.len())] }
}

#[test]
fn gnugo_agrees_on_legal_moves() {
    for (options, rules) in [
        (&["--chinese-rules"][..], "chinese"),
        (&["--positional-superko", "--forbid-suicide"], "chinese ko positional"),
        (&["--situational-superko", "--forbid-suicide"], "aga"),
        // Not superko and suicide together: GNU Go allows a suicide that brings an earlier board back.
        (&["--allow-suicide"], "japanese suicide yes"),
    ] {
        let Some(mut gnugo) = Gnugo::start(options) else { return };
        for (lines, plies) in [(2, 60), (3, 100), (4, 120), (5, 150), (9, 200), (19, 300)] {
            let rules = Rules { size: Size::square(lines).unwrap(), ..rules.parse().unwrap() };
            let mut random = Random::for_item(6, lines as u64);
            let mut line: Line<GoPosition<Medium>> = Line::new(GoPosition::start(&rules).unwrap());
            gnugo.new_game(&rules);
            for ply in 0..plies {
                let side = line.here().side_to_move();
                if lines < 9 || ply % 20 == 0 {
                    let reply = gnugo.ask(&format!("all_legal {}", word(side)));
                    let theirs: BTreeSet<String> = reply.split_whitespace().map(str::to_string).collect();
                    let mut moves = Vec::new();
                    line.legal_moves(&mut moves);
                    let ours: BTreeSet<String> = moves.iter().filter(|mv| !mv.is_pass()).map(Move::to_string).collect();
                    assert_eq!(theirs, ours, "{rules} {:?}", line.here());
                    for side in Side::ALL {
                        let captured = line.here().board().captured(!side).to_string();
                        assert_eq!(gnugo.ask(&format!("captures {}", word(side))), captured);
                    }
                }
                let mv = if rules.suicide && random.below(2) == 0 {
                    let mut moves = Vec::new();
                    line.legal_moves(&mut moves);
                    moves[random.below(moves.len())]
                } else {
                    sensible(&line, &mut random, true)
                };
                gnugo.ask(&format!("play {} {mv}", word(side)));
                line.push(mv);
            }
        }
    }
}

/// Games without eye-filling to their very end: all that stands is alive, and there is little to argue about.
#[test]
fn gnugo_agrees_on_final_scores() {
    let (mut same, mut all) = (0, 0);
    for (option, preset) in [("--chinese-rules", "chinese"), ("--japanese-rules", "japanese")] {
        let Some(mut gnugo) = Gnugo::start(&[option]) else { return };
        for lines in [5, 7, 9, 13] {
            for game in 0..4 {
                let rules = Rules { size: Size::square(lines).unwrap(), ..preset.parse().unwrap() };
                let mut random = Random::for_item(7, game * 100 + lines as u64);
                let mut line: Line<GoPosition<Medium>> = Line::new(GoPosition::start(&rules).unwrap());
                gnugo.new_game(&rules);
                while line.here().passes() < 2 && line.len() < 3 * rules.size.points() {
                    let mv = sensible(&line, &mut random, false);
                    gnugo.ask(&format!("play {} {mv}", word(line.here().side_to_move())));
                    line.push(mv);
                }
                let here = line.here();
                // GNU Go knows unconditional life, too, by an algorithm that sees a little more than Benson's.
                for side in Side::ALL {
                    let alive = life::unconditional(here.board(), side, false).alive;
                    for stone in alive.iter().filter(|&c| here.board().chain(c) == c) {
                        let status = gnugo.ask(&format!("unconditional_status {}", Medium::vertex(stone)));
                        assert_eq!(status, "alive", "{} {here:?}", Medium::vertex(stone));
                    }
                }
                let halves = here.margin_halves(&CellSet::of([]));
                let winner = if halves > 0 { "B" } else { "W" };
                let ours = format!("{winner}+{:.1}", halves.abs() as f32 / 2.0);
                let theirs = gnugo.ask("final_score");
                all += 1;
                same += (ours == theirs) as usize;
                if ours != theirs {
                    println!("{rules}: ours {ours}, gnugo's {theirs} {here:?}");
                }
                assert_eq!(rules.scoring == Scoring::Territory, preset == "japanese");
            }
        }
    }
    println!("{same} of {all} scores agree");
    assert!(same * 10 >= all * 9, "only {same} of {all} scores agree");
}

#[test]
fn gnugo_agrees_on_handicap_points() {
    let Some(mut gnugo) = Gnugo::start(&[]) else { return };
    for lines in [7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 18, 19] {
        let size = Size::square(lines).unwrap();
        for stones in 2..=handicap::fixed_max(size) {
            gnugo.ask(&format!("boardsize {lines}"));
            gnugo.ask("clear_board");
            let reply = gnugo.ask(&format!("fixed_handicap {stones}"));
            let theirs: BTreeSet<String> = reply.split_whitespace().map(str::to_string).collect();
            let ours = handicap::fixed(size, stones).unwrap().iter().map(|v| v.to_string()).collect();
            assert_eq!(theirs, ours, "{stones} on {size}");
        }
    }
}
