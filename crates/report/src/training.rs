//! The log of a training as a picture that stands alone: the policy's hits, and the losses, over the positions seen.

use crate::svg::{Series, curves, standalone};
use std::fmt::Write as _;
use tesuji_kit::nnue_training::NnueSweepRow;
use tesuji_train::log::{LogEntry, What};

/// The curves that can be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Curve {
    /// The share of positions whose first choice was right, in per cent.
    Top1,
    /// The loss as it is minimised.
    Loss,
}

/// The picture of a log: training and validation over thousands of positions.
pub fn svg(entries: &[LogEntry], what: Curve) -> String {
    let line = |of: What| -> Vec<Vec<(f64, f64)>> {
        let y = |entry: &LogEntry| match what {
            Curve::Top1 => entry.top1.map(|share| 100.0 * share),
            Curve::Loss => Some(entry.loss),
        };
        let of = entries.iter().filter(|entry| entry.what == of);
        vec![of.filter_map(|entry| Some((entry.positions as f64 / 1000.0, y(entry)?))).collect()]
    };
    let series = [
        Series { class: "train", name: "training", lines: line(What::Training) },
        Series { class: "held", name: "validation", lines: line(What::Validation) },
    ];
    let label = match what {
        Curve::Top1 => "Per cent of moves predicted, over thousands of positions",
        Curve::Loss => "Loss over thousands of positions",
    };
    standalone(&curves(label, &series, None))
}

/// What the runs of a sweep reached, the best first.
pub fn sweep(rows: &[NnueSweepRow]) -> String {
    let mut judged: Vec<_> = rows.iter().filter_map(|row| Some((row, row.done.validation.as_ref()?))).collect();
    judged.sort_by(|(_, a), (_, b)| a.loss.total_cmp(&b.loss));
    let mut text = format!("{:>10} {:>8}  network, settings\n", "validation", "winner");
    for (row, validation) in judged.into_iter().filter(|(row, _)| !row.done.stopped) {
        let winner = validation.sign.map_or("-".into(), |sign| format!("{:.1} %", 100.0 * sign));
        let (out, settings) = (row.request.out.display(), &row.settings);
        let _ = writeln!(text, "{:>10.6} {winner:>8}  {out}, {settings}", validation.loss);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_train::loss::Figures;

    #[test]
    fn a_log_becomes_two_curves() {
        let figures = |hits| Figures { policies: 10.0, top1: hits, total: 10.0, positions: 10.0, ..Figures::default() };
        let mut entries: Vec<LogEntry> =
            (1..6).map(|n| LogEntry::training(n, 1000 * n, &figures(n as f64), 0.1, 1.0)).collect();
        entries.push(LogEntry::validation(5, 5000, &figures(4.0)));
        entries.push(LogEntry::validation(5, 5000, &Figures::default()));
        for what in [Curve::Top1, Curve::Loss] {
            let svg = svg(&entries, what);
            assert!(!svg.contains("NaN") && svg.ends_with("</svg>\n"), "{svg}");
            assert_eq!(svg.matches("<polyline class=\"train\"").count(), 2, "the curve and the legend");
            assert_eq!(svg.matches("<polyline class=\"held\"").count(), 2);
        }
    }
}
