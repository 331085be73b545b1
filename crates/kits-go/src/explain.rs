//! A position of go, explained: moves by the search, the learned features that made each of them likely, and whose each point will be.

use super::search::GAMMAS_BYTES_MAX;
use anyhow::{Context, bail};
use serde_json::{Value as Json, json};
use std::fmt::Write as _;
use tesuji_engine::Player;
use tesuji_game::{Line, Notation, Report, Side};
use tesuji_go::{Area, GoPosition, GtpNotation, Large, Rules};
use tesuji_go_eval::{Gammas, Likely};
use tesuji_kit::{
    Kit,
    explain::{Explain, ExplainRequest, Explained, ExplainedPosition},
    think::{chance_of, lead_of, think},
};
use tesuji_record::GameRecord;

/// Moves in the table.
const MOVES: usize = 10;
/// A point is somebody's from this ownership on, and perhaps from the second.
const SURE: f32 = 0.7;
const LIKELY: f32 = 0.3;

/// The explainer of go positions.
pub(super) struct GoExplain;

impl Explain for GoExplain {
    fn position(&self, request: &ExplainRequest) -> anyhow::Result<Explained> {
        request.validate()?;
        let mut player = player(request)?;
        let mover = player.side_to_move().unwrap_or(Side::First);
        let report = think(player.as_mut(), request.nodes);
        if let Some(fault) = &report.fault {
            bail!("{fault}");
        }
        // A network's prior has no such features.
        let likely = if request.net.is_some() { Vec::new() } else { likely(request)? };
        let json = json_of(player.as_ref(), mover, &report, &likely);
        let mut text = String::new();
        // Strings take everything.
        let _ = write_text(&mut text, player.as_ref(), mover, (&report, &likely));
        Ok(Explained { text, json })
    }

    fn game(&self, _: &GameRecord<String>, _: &str) -> Option<anyhow::Result<Vec<ExplainedPosition>>> {
        None
    }
}

/// A player at the position.
fn player(request: &ExplainRequest) -> anyhow::Result<Box<dyn Player>> {
    let mut player = super::GO.player("")?;
    if request.weights != "builtin" {
        player.options().set("EvalFile", &request.weights)?;
    }
    // Without a network's name, what playouts and learned strengths say is explained.
    let net = request.net.as_ref().map_or("none".into(), |net| net.display().to_string());
    player.options().set("NetFile", &net)?;
    let position = &request.position;
    player.set_position(&request.rules, position.start.as_deref(), &position.moves).context("explain go")?;
    Ok(player)
}

/// The search results for the moves as JSON, for programs.
fn json_of(player: &dyn Player, mover: Side, report: &Report<String>, likely: &Reasons) -> Json {
    let moves: Vec<_> = report
        .lines
        .iter()
        .filter(|line| line.visits > 0)
        .map(|line| {
            json!({ "move": line.pv.first(), "visits": line.visits, "prior": line.prior, "line": line.pv,
                    "chance_black": chance_of(line, mover), "lead_black": lead_of(line.margin, mover).map(|lead| lead.0),
                    "why": line.pv.first().and_then(|mv| find(likely, mv)).map(why_json) })
        })
        .collect();
    let lead = lead_of(report.margin, mover).map(|lead| lead.0);
    json!({ "mover": side(mover), "nodes": report.nodes, "lead_black": lead, "moves": moves, "owners": player.owners() })
}

/// Every legal move with its learned features; none of a network's.
type Reasons = Vec<(String, Likely)>;

/// The priors of the position's moves by the learned strengths, with their features.
fn likely(args: &ExplainRequest) -> anyhow::Result<Reasons> {
    let gammas = match args.weights.as_str() {
        "builtin" => Gammas::builtin(),
        file => {
            let text = tesuji_jobs::read_text_limited(std::path::Path::new(file), GAMMAS_BYTES_MAX)?;
            Gammas::parse(&text).with_context(|| file.to_string())?.into()
        }
    };
    // The largest board holds all.
    let rules: Rules = if args.rules.is_empty() { Rules::default() } else { args.rules.parse()? };
    let start = match &args.position.start {
        Some(text) => GtpNotation::parse_position(&rules, text)?,
        None => GoPosition::<Large>::start(&rules)?,
    };
    let mut line = Line::new(start);
    for text in &args.position.moves {
        let mv = <GtpNotation as Notation<GoPosition<Large>, Rules>>::parse_move(line.here(), text)?;
        line.push(mv);
    }
    let cell = |mv: tesuji_go::Move| mv.vertex().map(Large::cell);
    let mut back = line.moves().rev().map(cell);
    let last = [back.next().flatten(), back.next().flatten()];
    let mut legal = Vec::new();
    line.legal_moves(&mut legal);
    let told = gammas.explain(line.here(), last, &legal);
    Ok(told.into_iter().map(|one| (one.mv.to_string(), one)).collect())
}

fn find<'a>(likely: &'a Reasons, mv: &str) -> Option<&'a Likely> {
    likely.iter().find(|(text, _)| text.eq_ignore_ascii_case(mv)).map(|(_, one)| one)
}

fn why_json(one: &Likely) -> serde_json::Value {
    let features = one
        .reasons
        .iter()
        .map(|reason| json!({ "feature": reason.name, "gamma": reason.strength, "meaning": reason.meaning }));
    json!({ "features": features.collect::<Vec<_>>(), "product": one.strength, "share": one.share })
}

/// Writes the learned features of each move of the table, which explain its prior.
fn write_reasons(out: &mut String, report: &Report<String>, likely: &Reasons) -> std::fmt::Result {
    writeln!(
        out,
        "\nWhy they are likely: the strengths (gammas) of their learned features, the product, its share of all moves:"
    )?;
    for line in report.lines.iter().take(MOVES).filter(|line| line.visits > 0) {
        let Some(one) = find(likely, &line.pv[0]) else { continue };
        if one.reasons.is_empty() {
            writeln!(out, "{:>6}{:>8.1}%  a pass has its share by hand", line.pv[0], one.share * 100.0)?;
            continue;
        }
        writeln!(out, "{:>6}{:>8.1}%  product {}", line.pv[0], one.share * 100.0, digits(one.strength))?;
        for reason in &one.reasons {
            writeln!(out, "{:>17}  {:<14}{}", digits(reason.strength), reason.name, reason.meaning)?;
        }
    }
    Ok(())
}

/// Three digits.
fn digits(strength: f32) -> String {
    match strength {
        x if x >= 100.0 => format!("{x:.0}"),
        x if x >= 10.0 => format!("{x:.1}"),
        x if x >= 1.0 => format!("{x:.2}"),
        x if x >= 0.001 => format!("{x:.3}"),
        x => format!("{x:.1e}"),
    }
}

/// Writes the search results for the moves as text, for people.
fn write_text(
    out: &mut String,
    player: &dyn Player,
    mover: Side,
    (report, likely): (&Report<String>, &Reasons),
) -> std::fmt::Result {
    writeln!(out, "{}", player.show())?;
    let by_net = likely.is_empty();
    let (what, prior) = if by_net { ("visits with the network", "prior") } else { ("playouts", "pattern") };
    writeln!(out, "{} moves. What {} {what} say, for Black:", side(mover), report.nodes)?;
    writeln!(out, "{:>6}{:>9}{:>9}{:>8}{prior:>9}  line", "move", "visits", "chance", "lead")?;
    for line in report.lines.iter().take(MOVES).filter(|line| line.visits > 0) {
        let lead = lead_of(line.margin, mover).map_or("-".to_string(), |lead| format!("{:+.1}", lead.0));
        writeln!(
            out,
            "{:>6}{:>9}{:>8.1}%{lead:>8}{:>8.1}%  {}",
            line.pv[0],
            line.visits,
            chance_of(line, mover) * 100.0,
            line.prior * 100.0,
            line.pv.join(" ")
        )?;
    }
    if !by_net {
        write_reasons(out, report, likely)?;
    }
    if let Some(rows) = player.owners() {
        writeln!(
            out,
            "\nWhose each point will be (X O sure, x o likely, . open), and the score if so: {}",
            score(player)
        )?;
        for row in rows {
            let signs: Vec<&str> = row.iter().map(|&owned| sign_of(owned)).collect();
            writeln!(out, "  {}", signs.join(" "))?;
        }
    }
    Ok(())
}

fn score(player: &dyn Player) -> String {
    player.final_score().unwrap_or_default()
}

fn sign_of(owned: f32) -> &'static str {
    match owned {
        x if x >= SURE => "X",
        x if x >= LIKELY => "x",
        x if x <= -SURE => "O",
        x if x <= -LIKELY => "o",
        _ => ".",
    }
}

fn side(mover: Side) -> &'static str {
    ["Black", "White"][mover.index()]
}
