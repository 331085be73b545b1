//! Games with what a review found: values, marks, better moves in words and as variations.

use super::AnalyseRequest;
use crate::Kit;
use std::num::{NonZeroU32, NonZeroU64};
use tesuji_engine::{Reviewed, Scale};
use tesuji_game::{Candidate, Value};
use tesuji_record::{GameRecord, RulesTable, Step};

/// Plies of a better line that are shown.
const LINE_PLIES: usize = 8;

/// The worth of a line for the side with index `side`, as people write it: centipawns for the first side, as records have them,
/// chances and mates for the side itself.
fn worth_text(scale: Scale, side: usize, line: &Candidate<String>) -> String {
    match (scale, line.value.mate_plies()) {
        (Scale::Chance, _) => format!("{:.0} %", 50.0 * line.expected.unwrap_or(0.0) + 50.0),
        (_, Some(plies)) if plies > 0 => format!("mate in {}", (plies + 1) / 2),
        (_, Some(plies)) => format!("mated in {}", (-plies + 1) / 2),
        (_, None) => {
            let cp = if side == 0 { line.value.raw() } else { -line.value.raw() };
            format!("{:+.2}", f64::from(cp) / 100.0)
        }
    }
}

/// A value after a move as records have it: mates are counted from before the move.
fn before_move(value: Value) -> Value {
    match value.mate_plies() {
        Some(plies) if plies > 0 => Value::mate_in(plies + 1),
        Some(plies) if plies < 0 => Value::mated_in(1 - plies),
        _ => value,
    }
}

/// Moves from the position of `table` as people of the game write them, as many as are legal.
fn readable(table: Option<&mut Box<dyn RulesTable>>, moves: &[String]) -> String {
    let Some(table) = table else { return moves.join(" ") };
    let (mut words, mut played) = (Vec::new(), 0);
    for text in moves {
        let Ok(word) = table.format_move(text) else { break };
        words.push(word);
        if table.play(text).is_err() {
            break;
        }
        played += 1;
    }
    for _ in 0..played {
        table.undo();
    }
    // Shift-JIS, in which many records of shogi are, has the triangles alone.
    words.join(" ").replace('☗', "▲").replace('☖', "△")
}

/// The result of a search after a move of `side`, where values are chances: the chance and the mean margin, each with who has it.
/// Numbers alone read as points. Both are means over the same evaluations, one of wins and one of points: who wins most games narrowly and
/// loses the others by much has the better chance and the worse mean, so the mean is not called a lead.
fn chance_text(kit: &dyn Kit, side: usize, line: &Candidate<String>) -> Option<String> {
    let chance = 50.0 * line.expected? + 50.0;
    let tags = kit.side_tags();
    let mut text = format!("{}'s chance {chance:.0} %", tags[side]);
    if let Some(margin) = line.margin {
        let leader = if margin < 0.0 { 1 - side } else { side };
        text += &format!(", on average {} by {:.1} points", tags[leader], margin.abs());
    }
    Some(text)
}

/// A loss as people write it.
fn loss_text(scale: Scale, lost: i32) -> String {
    match scale {
        Scale::Centipawns => format!("{:.2}", f64::from(lost) / 100.0),
        Scale::Chance => format!("{lost} % of the chance"),
    }
}

/// The game with what was found, beside everything that it says already: values, marks, better lines in words and, if wanted, as
/// variations. `judged` has the position before each move, and the last one.
///
/// # Panics
/// When positions are missing.
pub fn annotated(
    kit: &dyn Kit,
    request: &AnalyseRequest,
    game: &GameRecord<String>,
    judged: &[Reviewed],
    variations: bool,
) -> GameRecord<String> {
    let mut out = game.clone();
    let scale = kit.scale();
    let mut table = kit.table(&game.rules, game.start.as_deref()).ok();
    for (i, &node) in game.main_nodes().iter().enumerate() {
        let mover = table.as_ref().map_or(i % 2, |table| table.side_to_move().index());
        let played = match &game.nodes[node as usize].step {
            Step::Move(text) => text,
            Step::Setup(setup) => {
                table = kit.table(&game.rules, game.setup(*setup)).ok();
                continue;
            }
            _ => continue,
        };
        let (before, after) = (&judged[i], &judged[i + 1].report);
        let verdict = before.verdict.as_ref();
        let marked = verdict.and_then(|v| Some((v.cost, v.mark?, v.better.as_ref()?)));
        // In words while the table has the position before the move.
        let better = marked.map(|(cost, _, better)| {
            let line = readable(table.as_mut(), &better.pv[..better.pv.len().min(LINE_PLIES)]);
            format!("loses {}, better {line} ({})", loss_text(scale, cost), worth_text(scale, mover, better))
        });
        let candidates = (request.candidates > 1).then(|| {
            let one = |c: &Candidate<String>| {
                let mv = readable(table.as_mut(), c.pv.get(..1)?);
                Some(format!("{mv} {}", worth_text(scale, mover, c)))
            };
            let all: Vec<String> = before.report.lines.iter().filter_map(one).collect();
            format!("candidates: {}", all.join(", "))
        });
        drop(table.as_mut().map(|table| table.play(played)));
        let note = out.note_mut(node);
        let mut words: Vec<String> = Vec::new();
        if let Some(next) = after.lines.first() {
            let mut own = next.clone();
            (own.value, own.expected) = (-next.value, next.expected.map(|e| -e));
            own.margin = next.margin.map(|margin| -margin);
            let chance = chance_text(kit, mover, &own).filter(|_| scale == Scale::Chance);
            if let Some(chance) = chance {
                words.push(chance);
            } else if note.value.is_none() {
                note.value = Some(before_move(own.value));
                (note.depth, note.nodes) = (NonZeroU32::new(after.depth), NonZeroU64::new(after.nodes));
            } else if note.value != Some(before_move(own.value)) {
                words.push(format!("review: {}", worth_text(scale, mover, &own)));
            }
        }
        if let Some((_, mark, _)) = marked {
            note.glyphs.extend(Some(mark.glyph()).filter(|glyph| !note.glyphs.contains(glyph)));
        }
        words.extend(better);
        words.extend(candidates);
        add_words(&mut note.comment, &words.join("; "));
        if let (Some((.., better)), true) = (marked, variations) {
            add_line(&mut out, game.nodes[node as usize].parent, &better.pv);
        }
    }
    out
}

/// Adds `words` to a comment, after what it says, unless it says them.
fn add_words(comment: &mut String, words: &str) {
    if words.is_empty() || comment.contains(words) {
        return;
    }
    if !comment.is_empty() {
        comment.push_str("; ");
    }
    comment.push_str(words);
}

/// Adds the beginning of `line` as a variation after node `parent`, along what is there already.
fn add_line(game: &mut GameRecord<String>, mut parent: u32, line: &[String]) {
    for mv in line.iter().take(LINE_PLIES) {
        let step = Step::Move(mv.clone());
        let known = game.children(parent).find(|&child| game.nodes[child as usize].step == step);
        parent = known.unwrap_or_else(|| game.push(parent, step));
    }
}
