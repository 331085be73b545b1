//! Learning curves as an SVG file that stands alone: training and validation loss over epochs, one pair of lines for each
//! attempt, the best epoch marked.

use crate::svg::{Series, curves, standalone};
use tesuji_tune::{Progress, Trained};

/// The picture of `trained`.
pub fn svg(trained: &Trained) -> String {
    let lines = |loss: &dyn Fn(&Progress) -> Option<f64>| -> Vec<Vec<(f64, f64)>> {
        let of_run = |run: u32| trained.history.iter().filter(move |p| p.run == run);
        let line = |run: u32| of_run(run).filter_map(|p| Some((f64::from(p.epoch), loss(p)?))).collect();
        trained.runs.iter().map(|r| line(r.run)).collect()
    };
    let series = [
        Series { class: "train", name: "training", lines: lines(&|p| Some(p.train_loss)) },
        Series { class: "held", name: "validation", lines: lines(&|p| p.held_loss) },
    ];
    let best = trained.history.iter().find(|p| p.run == trained.best_run && p.epoch == trained.best_epoch);
    let best = best.map(|p| (f64::from(p.epoch), p.decisive_loss()));
    standalone(&curves("Training and validation loss over epochs", &series, best))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::ControlFlow;
    use tesuji_dataset::{Head, Rows};
    use tesuji_tally::Weights;
    use tesuji_tune::{Canon, Method, TuneSettings, learn};

    #[test]
    fn curves_hold_every_attempt_and_numbers_only() {
        let mut rows = Rows::default();
        for game in 0..200 {
            rows.push(Head { game, half_points: 2 * u8::from(game % 4 > 0), phase: 256, ..Head::default() }, &[(0, 1)]);
        }
        let settings = TuneSettings { method: Method::Lbfgs, restarts: 1, ..TuneSettings::default() };
        let go_on = &mut |_: &_| ControlFlow::Continue(());
        let trained = learn(&rows, &Weights::zero(1), &Canon::default(), &settings, go_on).unwrap();
        let svg = svg(&trained);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert_eq!(svg.matches("<polyline class=\"train\"").count(), 3, "two attempts and the legend: {svg}");
        assert!(svg.contains("<circle") && svg.ends_with("</svg>\n"));
    }
}
