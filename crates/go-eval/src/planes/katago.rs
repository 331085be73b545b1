//! `katago-7`: the inputs of KataGo's networks from version 8 on (Wu, 2019, and its version 7 of inputs since), as far as the rules that
//! are played here have them: no encores of territory scoring, no handicap of playouts.

use super::canvas::Canvas;
use tesuji_game::{Line, Position, Side};
use tesuji_go::{Area, Board, Cell, Colour, GoPosition, Ko, Move, Scoring, Tax, ladder_without_ko::Reader, owned};

/// Planes that differ from point to point, and then one for each global input.
pub const PLANES: usize = GLOBAL + 19;

/// Ones on the board.
const BOARD: usize = 0;
/// Own stones, the other's.
const STONES: usize = 1;
/// Stones of chains with 1, 2, 3 liberties.
const LIBERTIES: usize = 3;
/// Points that ko or superko forbid.
const KO: usize = 6;
/// The point of the last move, of the one before … of the fifth.
const LAST: usize = 9;
/// Stones that ladders catch: now, a move ago, two moves ago.
const CAUGHT: usize = 14;
/// Moves that catch chains of the other with two liberties.
const CATCHES: usize = 17;
/// Own area, the other's, under area scoring.
const AREA: usize = 18;
/// The first global input: after the plane of stones at the start of an encore, which stays empty here.
const GLOBAL: usize = 22;

/// Which of the last five moves were passes.
const PASSES: usize = GLOBAL;
/// Komi and all that White gets with it, as the side to move gets them, in units of [`KOMI_UNIT`].
const KOMI: usize = GLOBAL + 5;
/// Superko, and a half more for positional, a half less for situational superko.
const SUPERKO: usize = GLOBAL + 6;
/// Whether suicide of several stones is legal.
const SUICIDE: usize = GLOBAL + 8;
/// Territory scoring.
const TERRITORY: usize = GLOBAL + 9;
/// A tax on territory in seki; then one on two eyes of each group.
const TAX: usize = GLOBAL + 10;
/// Whether a pass would end the game.
const PASS_ENDS: usize = GLOBAL + 14;
/// Whether the button is still there.
const BUTTON: usize = GLOBAL + 17;
/// By how much komi is better than the next lower one with which a draw is possible, as a wave.
const WAVE: usize = GLOBAL + 18;

/// Points.
const KOMI_UNIT: f32 = 20.0;
/// Komi beyond the number of points by more than this is cut.
const KOMI_ROOM: f32 = 20.0;
/// Moves that are remembered.
const REMEMBERED: usize = 5;

/// Paints all planes. `suicide`: unconditional life is that under rules with suicide, whatever the rules are.
pub fn paint<A: Area>(line: &Line<GoPosition<A>>, suicide: bool, canvas: &mut Canvas<A>) {
    let pos = line.here();
    canvas.fill(BOARD, 1.0);
    stones(line, canvas);
    area(pos, suicide || pos.rules().suicide, canvas);
    // Beyond the end only the last move belongs to the game.
    let known = if pos.passes() >= 2 { 1 } else { REMEMBERED };
    let moves: Vec<Move> = line.moves().rev().take(known).collect();
    for (age, mv) in moves.iter().enumerate() {
        match mv.vertex() {
            Some(vertex) => canvas.one(LAST + age, A::cell(vertex)),
            None => canvas.fill(PASSES + age, 1.0),
        }
    }
    let me = pos.side_to_move();
    let now = caught(pos.board());
    for (stone, begins) in &now {
        pos.board().chain_stones(*stone).for_each(|cell| canvas.one(CAUGHT, cell));
        if pos.board().colour(*stone) == Colour::of(!me) {
            begins.iter().for_each(|&cell| canvas.one(CATCHES, cell));
        }
    }
    // Where the history is shorter, the oldest board that is known stands for those before it.
    let mut last = (*pos.board(), now);
    for age in 1..=2 {
        if let Some(before) = Some(age).filter(|&age| age <= moves.len()).and_then(|age| line.before(age)) {
            last = (*before.board(), caught(before.board()));
        }
        for (stone, _) in &last.1 {
            last.0.chain_stones(*stone).for_each(|cell| canvas.one(CAUGHT + age, cell));
        }
    }
    globals(pos, canvas);
}

/// Stones, liberties and ko.
fn stones<A: Area>(line: &Line<GoPosition<A>>, canvas: &mut Canvas<A>) {
    let pos = line.here();
    let (board, me) = (pos.board(), pos.side_to_move());
    let has_superko = pos.rules().ko != Ko::Simple;
    for cell in board.points() {
        if let Some(side) = board.colour(cell).side() {
            canvas.one(STONES + usize::from(side != me), cell);
            let liberties = board.liberties(cell);
            if liberties <= 3 {
                canvas.one(LIBERTIES + liberties - 1, cell);
            }
        } else if board.ko() == Some(cell)
            || (has_superko && pos.is_legal(cell) && !pos.allows(Move::at(A::vertex(cell)), line.past()))
        {
            canvas.one(KO, cell);
        }
    }
}

/// The area of both sides, where it counts at the end.
fn area<A: Area>(pos: &GoPosition<A>, suicide: bool, canvas: &mut Canvas<A>) {
    let rules = pos.rules();
    if rules.scoring == Scoring::Territory {
        return;
    }
    let owners = match rules.tax {
        Tax::None => owned::by_area(pos.board(), suicide),
        Tax::Seki | Tax::All => owned::independent(pos.board(), suicide).0,
    };
    for cell in pos.board().points() {
        if let Some(owner) = owners[cell] {
            canvas.one(AREA + usize::from(owner != pos.side_to_move()), cell);
        }
    }
}

/// A stone of each chain that a ladder catches, and the moves that begin it.
fn caught<A: Area>(board: &Board<A>) -> Vec<(Cell, Vec<Cell>)> {
    let mut reader = None;
    let mut all = Vec::new();
    for stone in board.all_chains().filter(|&stone| board.liberties(stone) <= 2) {
        let reader = reader.get_or_insert_with(|| Reader::new(board));
        if let Some(begins) = reader.is_caught(stone) {
            all.push((stone, begins));
        }
    }
    all
}

/// Rules, komi and what a pass does.
fn globals<A: Area>(pos: &GoPosition<A>, canvas: &mut Canvas<A>) {
    let rules = pos.rules();
    let komi = own_komi(pos);
    canvas.fill(KOMI, komi / KOMI_UNIT);
    match rules.ko {
        Ko::Simple => {}
        Ko::Positional => (canvas.fill(SUPERKO, 1.0), canvas.fill(SUPERKO + 1, 0.5)).0,
        Ko::Situational => (canvas.fill(SUPERKO, 1.0), canvas.fill(SUPERKO + 1, -0.5)).0,
    }
    let flags = [
        (SUICIDE, rules.suicide),
        (TERRITORY, rules.scoring == Scoring::Territory),
        (TAX, rules.tax != Tax::None),
        (TAX + 1, rules.tax == Tax::All),
        (PASS_ENDS, pos.passes() >= 1),
        (BUTTON, rules.button && pos.button().is_none()),
    ];
    for (plane, _) in flags.into_iter().filter(|(_, is_set)| *is_set) {
        canvas.fill(plane, 1.0);
    }
    if rules.scoring == Scoring::Area {
        canvas.fill(WAVE, wave(komi, pos.size().points()));
    }
}

/// The points that the side to move gets beside the board: komi, bonus and button. Territory is counted as area less a point for each
/// stone that was played, which comes to the same in the end.
fn own_komi<A: Area>(pos: &GoPosition<A>) -> f32 {
    let (rules, board) = (pos.rules(), pos.board());
    let mut halves = rules.white_bonus_halves(pos.handicap());
    halves += pos.button().map_or(0, |side| if side == Side::First { -1 } else { 1 });
    if rules.scoring == Scoring::Territory {
        let on_board: i32 = board
            .points()
            .map(|cell| board.colour(cell).side().map_or(0, |side| if side == Side::First { 1 } else { -1 }))
            .sum();
        let lost = board.captured(Side::First) as i32 - board.captured(Side::Second) as i32;
        halves += 2 * (on_board + lost);
    }
    let komi = halves as f32 / 2.0;
    let most = pos.size().points() as f32 + KOMI_ROOM;
    (if pos.side_to_move() == Side::First { -komi } else { komi }).clamp(-most, most)
}

/// Komi from that with which a draw is possible to the next is worth most where it turns losses into draws and draws into wins.
fn wave(komi: f32, points: usize) -> f32 {
    let parity = (points % 2) as f32;
    let above = komi - (((komi - parity) / 2.0).floor() * 2.0 + parity);
    match above {
        ..0.5 => above,
        0.5..1.5 => 1.0 - above,
        _ => above - 2.0,
    }
}
