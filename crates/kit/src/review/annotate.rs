//! Games with what a review found: values, marks, better moves in words and as variations.

use super::AnalyseRequest;
use crate::Kit;
use std::num::{NonZeroU32, NonZeroU64};
use tesuji_engine::{Reviewed, Scale};
use tesuji_game::Candidate;
use tesuji_record::{GameRecord, Step};

/// Plies of a better line that are shown.
const LINE_PLIES: usize = 8;

/// The worth of a line as people write it.
fn worth_text(scale: Scale, line: &Candidate<String>) -> String {
    match (scale, line.value.mate_plies()) {
        (Scale::Chance, _) => format!("{:.0} %", 50.0 * line.expected.unwrap_or(0.0) + 50.0),
        (_, Some(plies)) if plies > 0 => format!("mate in {}", (plies + 1) / 2),
        (_, Some(plies)) => format!("mated in {}", (-plies + 1) / 2),
        (_, None) => format!("{:+.2}", f64::from(line.value.raw()) / 100.0),
    }
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
        match &game.nodes[node as usize].step {
            Step::Move(text) => drop(table.as_mut().map(|table| table.play(text))),
            Step::Setup(setup) => {
                table = kit.table(&game.rules, game.setup(*setup)).ok();
                continue;
            }
            _ => continue,
        }
        let (before, after) = (&judged[i], &judged[i + 1].report);
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
                note.value = Some(own.value);
                (note.depth, note.nodes) = (NonZeroU32::new(after.depth), NonZeroU64::new(after.nodes));
            } else if note.value != Some(own.value) {
                words.push(format!("review: {}", worth_text(scale, &own)));
            }
        }
        let verdict = before.verdict.as_ref();
        let marked = verdict.and_then(|v| Some((v.cost, v.mark?, v.better.as_ref()?)));
        if let Some((cost, mark, better)) = marked {
            note.glyphs.extend(Some(mark.glyph()).filter(|glyph| !note.glyphs.contains(glyph)));
            let shown = better.pv.iter().take(LINE_PLIES).map(String::as_str).collect::<Vec<_>>().join(" ");
            let (lost, worth) = (loss_text(scale, cost), worth_text(scale, better));
            words.push(format!("loses {lost}, better {shown} ({worth})"));
        }
        if request.candidates > 1 {
            let one = |c: &Candidate<String>| c.pv.first().map(|mv| format!("{mv} {}", worth_text(scale, c)));
            let all: Vec<String> = before.report.lines.iter().filter_map(one).collect();
            words.push(format!("candidates: {}", all.join(", ")));
        }
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
        comment.push(' ');
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
