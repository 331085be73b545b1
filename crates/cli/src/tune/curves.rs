//! Learning curves as an SVG file that stands alone: training and validation loss over epochs, one pair of lines for each
//! attempt, the best epoch marked.

use std::fmt::Write as _;
use tesuji_tune::{Progress, Trained};

/// Width and height.
const SIZE: [f64; 2] = [720.0, 320.0];
/// Room at the left, top, right and bottom.
const MARGIN: [f64; 4] = [76.0, 34.0, 14.0, 34.0];
const STYLE: &str = "text{font:12px sans-serif;fill:#444}.grid{stroke:#ddd}polyline{fill:none;stroke-width:1.6}\
    .train{stroke:#2166ac}.held{stroke:#d6604d}.best{fill:#d6604d}\
    @media(prefers-color-scheme:dark){text{fill:#bbb}.grid{stroke:#444}}";

/// Where numbers stand on the picture.
struct Frame {
    last: f64,
    low: f64,
    high: f64,
}

impl Frame {
    fn of(history: &[Progress]) -> Frame {
        let losses = || history.iter().flat_map(|p| [Some(p.train_loss), p.held_loss]).flatten();
        let (low, high) = losses().fold((f64::MAX, f64::MIN), |(l, h), y| (l.min(y), h.max(y)));
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        let room = ((high - low) * 0.04).max(1e-6);
        let last = history.iter().map(|p| p.epoch).max().unwrap_or(1).max(1);
        Frame { last: f64::from(last), low: low - room, high: high + room }
    }

    fn x(&self, epoch: f64) -> f64 {
        MARGIN[0] + epoch / self.last * (SIZE[0] - MARGIN[0] - MARGIN[2])
    }

    fn y(&self, loss: f64) -> f64 {
        MARGIN[1] + (self.high - loss) / (self.high - self.low) * (SIZE[1] - MARGIN[1] - MARGIN[3])
    }

    fn line(&self, class: &str, points: impl Iterator<Item = (u32, f64)>) -> String {
        let places: Vec<String> =
            points.map(|(epoch, loss)| format!("{:.1},{:.1}", self.x(f64::from(epoch)), self.y(loss))).collect();
        format!("<polyline class=\"{class}\" points=\"{}\"/>\n", places.join(" "))
    }
}

/// A round step that cuts `range` into five parts or so.
fn round_step(range: f64) -> f64 {
    let rough = range / 5.0;
    let unit = 10f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * unit).find(|s| *s >= rough).unwrap_or(unit)
}

/// Round numbers in `from..=to`.
fn ticks(from: f64, to: f64, step: f64) -> impl Iterator<Item = f64> {
    let first = (from / step).ceil() as i64;
    (first..=(to / step).floor() as i64).map(move |i| i as f64 * step)
}

/// The picture of `trained`.
pub(super) fn svg(trained: &Trained) -> String {
    let frame = Frame::of(&trained.history);
    let [width, height] = SIZE;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-label=\"Training and validation loss over epochs\">\n<style>{STYLE}</style>\n"
    );
    let step = round_step(frame.high - frame.low);
    let digits = (-step.log10().floor()).max(0.0) as usize;
    for tick in ticks(frame.low, frame.high, step) {
        let (y, left) = (frame.y(tick), MARGIN[0]);
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{left}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{tick:.digits$}</text>",
            width - MARGIN[2],
            left - 6.0,
            y + 4.0
        );
    }
    for tick in ticks(0.0, frame.last, round_step(frame.last).max(1.0)) {
        let (x, y) = (frame.x(tick), height - MARGIN[3] + 18.0);
        let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{tick:.0}</text>");
    }
    for run in &trained.runs {
        let of_run = || trained.history.iter().filter(|p| p.run == run.run);
        svg += &frame.line("train", of_run().map(|p| (p.epoch, p.train_loss)));
        svg += &frame.line("held", of_run().filter_map(|p| Some((p.epoch, p.held_loss?))));
    }
    let best = trained.history.iter().find(|p| p.run == trained.best_run && p.epoch == trained.best_epoch);
    if let Some(best) = best {
        let (x, y) = (frame.x(f64::from(best.epoch)), frame.y(best.decisive_loss()));
        let _ = writeln!(svg, "<circle class=\"best\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>");
    }
    let left = MARGIN[0];
    for (i, (class, name)) in [("train", "training"), ("held", "validation")].into_iter().enumerate() {
        let x = left + 120.0 * i as f64;
        let _ = writeln!(
            svg,
            "<polyline class=\"{class}\" points=\"{x:.1},16 {:.1},16\"/><text x=\"{:.1}\" y=\"20\">{name}</text>",
            x + 22.0,
            x + 28.0
        );
    }
    svg + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::ControlFlow;
    use tesuji_dataset::{Head, Rows};
    use tesuji_tally::Weights;
    use tesuji_tune::{Canon, Method, Settings, learn};

    #[test]
    fn curves_hold_every_attempt_and_numbers_only() {
        let mut rows = Rows::default();
        for game in 0..200 {
            rows.push(Head { game, half_points: 2 * u8::from(game % 4 > 0), phase: 256, ..Head::default() }, &[(0, 1)]);
        }
        let settings = Settings { method: Method::Lbfgs, restarts: 1, ..Settings::default() };
        let go_on = &mut |_: &_| ControlFlow::Continue(());
        let trained = learn(&rows, &Weights::zero(1), &Canon::default(), &settings, go_on).unwrap();
        let svg = svg(&trained);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert_eq!(svg.matches("<polyline class=\"train\"").count(), 3, "two attempts and the legend: {svg}");
        assert!(svg.contains("<circle") && svg.ends_with("</svg>\n"));
        assert_eq!(ticks(0.061, 0.0789, round_step(0.0179)).count(), 3);
    }
}
