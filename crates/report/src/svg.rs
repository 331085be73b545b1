//! Small charts for reports: lines with a band and curves of several series as SVG, and bars. Colours come from the page's
//! style sheet, so that one picture serves light and dark pages; every chart has its words for those who do not see it.

use std::fmt::Write as _;

/// Width and height of a chart, in its own units.
const SIZE: (f64, f64) = (720.0, 240.0);
/// Space for the labels around a chart, in its own units.
struct Margins {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

const MARGINS: Margins = Margins { left: 54.0, top: 10.0, right: 12.0, bottom: 26.0 };

/// One place of a line: where, and from what to what it may lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Along the chart.
    pub x: f64,
    /// The lower end of the band.
    pub low: f64,
    /// The line.
    pub value: f64,
    /// The upper end of the band.
    pub high: f64,
}

/// Text that can stand in HTML and SVG.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            c => out.push(c),
        }
    }
    out
}

/// Round numbers from `low` to `high`, five or so.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low).max(1e-9) / 6.0;
    let unit = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * unit).find(|s| *s >= rough).unwrap_or(unit);
    let from = (low / step).ceil() as i64;
    let to = (high / step).floor() as i64;
    (from..=to.min(from + 20)).map(|i| i as f64 * step).collect()
}

fn number(x: f64) -> String {
    match x.abs() {
        a if a >= 10.0 || x.fract() == 0.0 => format!("{x:.0}"),
        a if a >= 1.0 => format!("{x:.1}"),
        _ => format!("{x:.2}"),
    }
}

/// The range that shows the later part of a line with its band, the beginning cut off where it is wild, and all of
/// `also`.
fn range(points: &[Point], also: &[f64]) -> (f64, f64) {
    let from = points.last().map_or(0.0, |p| p.x) * 0.4;
    let later = points.iter().filter(|p| p.x >= from).flat_map(|p| [p.low, p.value, p.high]);
    let all = later.chain(also.iter().copied()).filter(|y| y.is_finite()).map(|y| y.clamp(-2000.0, 2000.0));
    let (low, high) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), y| (l.min(y), h.max(y)));
    if low > high {
        return (-1.0, 1.0);
    }
    let room = ((high - low) * 0.05).max(0.5);
    (low - room, high + room)
}

/// A line with its band over the number of games. `marks`: level lines with their names.
pub fn line_chart(label: &str, points: &[Point], marks: &[(f64, &str)]) -> String {
    let levels: Vec<f64> = marks.iter().map(|m| m.0).collect();
    let (low, high) = range(points, &levels);
    let last = points.last().map_or(1.0, |p| p.x).max(1.0);
    let Margins { left, top, right, bottom } = MARGINS;
    let x = |v: f64| left + v / last * (SIZE.0 - left - right);
    let y = |v: f64| top + (high - v.clamp(low, high)) / (high - low) * (SIZE.1 - top - bottom);
    let mut svg =
        format!("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n", SIZE.0, SIZE.1, escaped(label));
    for tick in ticks(low, high) {
        let at = y(tick);
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{left}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            SIZE.0 - right,
            left - 6.0,
            at + 4.0,
            number(tick)
        );
    }
    for tick in ticks(0.0, last) {
        let at = x(tick);
        let _ = writeln!(
            svg,
            "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            SIZE.1 - 8.0,
            number(tick)
        );
    }
    for (level, name) in marks {
        let at = y(*level);
        let _ = writeln!(
            svg,
            "<line class=\"mark\" x1=\"{left}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text class=\"name\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            SIZE.0 - right,
            left + 4.0,
            at - 4.0,
            escaped(name)
        );
    }
    let place = |p: &Point, v: f64| format!("{:.1},{:.1}", x(p.x), y(v));
    let seen: Vec<&Point> = points.iter().filter(|p| p.value.is_finite()).collect();
    if seen.iter().any(|p| p.low < p.high) {
        let up = seen.iter().map(|p| place(p, p.high));
        let down = seen.iter().rev().map(|p| place(p, p.low));
        let around: Vec<String> = up.chain(down).collect();
        let _ = writeln!(svg, "<polygon class=\"band\" points=\"{}\"/>", around.join(" "));
    }
    let line: Vec<String> = seen.iter().map(|p| place(p, p.value)).collect();
    let _ = writeln!(svg, "<polyline class=\"line\" points=\"{}\"/>\n</svg>", line.join(" "));
    svg
}

/// Horizontal bars with names and counts, as they come: words of the page itself, so that they keep their size on small
/// screens.
pub fn bars(label: &str, rows: &[(String, u64)]) -> String {
    // What the longest bar leaves of the width, in percent, is for its count.
    const LONGEST: f64 = 75.0;
    let most = rows.iter().map(|r| r.1).max().unwrap_or(0).max(1) as f64;
    let total = rows.iter().map(|r| r.1).sum::<u64>().max(1) as f64;
    let mut html = format!("<div class=\"bars\" role=\"group\" aria-label=\"{}\">\n", escaped(label));
    for (name, count) in rows {
        let (long, share) = (*count as f64 / most * LONGEST, 100.0 * *count as f64 / total);
        let _ = writeln!(
            html,
            "<span>{}</span><span><i style=\"width:{long:.1}%\"></i>{count} ({share:.1} %)</span>",
            escaped(name)
        );
    }
    html + "</div>\n"
}

/// Lines of one kind.
pub struct Series<'a> {
    /// The class that colours it: `train` or `held`; `c0` to `c7` where there are more, which may be `dashed` as well.
    pub class: &'a str,
    /// The name of the curve in the legend.
    pub name: &'a str,
    /// Its lines, each a list of places.
    pub lines: Vec<Vec<(f64, f64)>>,
}

/// Classes `c0`, `c1`, … that have colours.
pub(crate) const SERIES_CLASSES: usize = 8;
/// Series in a row of the legend.
const LEGEND_COLUMNS: usize = 4;
/// The width of a name in the legend.
const LEGEND_WIDTH: f64 = 158.0;
/// The height of a row of the legend.
const LEGEND_ROW: f64 = 16.0;

/// Lines of several kinds with a legend over them, scaled to all that they hold. `best` is marked by a dot.
pub fn curves(label: &str, series: &[Series<'_>], best: Option<(f64, f64)>) -> String {
    let all = || series.iter().flat_map(|s| s.lines.iter().flatten());
    let finite = all().map(|p| p.1).filter(|y| y.is_finite());
    let (low, high) = finite.fold((f64::MAX, f64::MIN), |(l, h), y| (l.min(y), h.max(y)));
    let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
    let room = ((high - low) * 0.04).max(1e-6);
    let (low, high) = (low - room, high + room);
    let last = all().map(|p| p.0).fold(1.0, f64::max);
    // The legend takes a row for every few series.
    let more = LEGEND_ROW * (series.len().saturating_sub(1) / LEGEND_COLUMNS) as f64;
    let Margins { left, top, right, bottom } = Margins { left: 76.0, top: 34.0 + more, ..MARGINS };
    let height = 300.0 + more;
    let x = |v: f64| left + v / last * (SIZE.0 - left - right);
    let y = |v: f64| top + (high - v.clamp(low, high)) / (high - low) * (height - top - bottom);
    let mut svg = format!("<svg viewBox=\"0 0 {} {height}\" role=\"img\" aria-label=\"{}\">\n", SIZE.0, escaped(label));
    let levels = ticks(low, high);
    let step = levels.windows(2).map(|w| w[1] - w[0]).next().unwrap_or(high - low);
    let digits = (-step.log10().floor()).max(0.0) as usize;
    for tick in levels {
        let at = y(tick);
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{left}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{tick:.digits$}</text>",
            SIZE.0 - right,
            left - 6.0,
            at + 4.0
        );
    }
    for tick in ticks(0.0, last).into_iter().filter(|t| t.fract() == 0.0) {
        let (at, base) = (x(tick), height - 8.0);
        let _ = writeln!(svg, "<text x=\"{at:.1}\" y=\"{base:.1}\" text-anchor=\"middle\">{tick:.0}</text>");
    }
    for (i, Series { class, name, lines }) in series.iter().enumerate() {
        for line in lines.iter().filter(|l| !l.is_empty()) {
            let places: Vec<String> = line.iter().map(|p| format!("{:.1},{:.1}", x(p.0), y(p.1))).collect();
            let _ = writeln!(svg, "<polyline class=\"{class}\" points=\"{}\"/>", places.join(" "));
        }
        let (from, down) =
            (left + LEGEND_WIDTH * (i % LEGEND_COLUMNS) as f64, LEGEND_ROW * (i / LEGEND_COLUMNS) as f64);
        let _ = writeln!(
            svg,
            "<polyline class=\"{class}\" points=\"{from:.1},{at} {:.1},{at}\"/><text x=\"{:.1}\" y=\"{}\">{}</text>",
            from + 22.0,
            from + 28.0,
            20.0 + down,
            escaped(name),
            at = 16.0 + down
        );
    }
    if let Some((at, level)) = best {
        let _ = writeln!(svg, "<circle class=\"best\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\"/>", x(at), y(level));
    }
    svg + "</svg>\n"
}

/// A value with its error on both sides; `None` where nothing is known.
pub type Measured = Option<(f64, f64)>;

/// Values with their errors as dots on horizontal bars, a row for each name with a bar for each of `series`, whose legend stands above.
pub fn intervals(label: &str, series: &[String], rows: &[(String, Vec<Measured>)]) -> String {
    const BAR: f64 = 12.0;
    const GAP: f64 = 8.0;
    let ends =
        rows.iter().flat_map(|row| row.1.iter().flatten()).flat_map(|(value, error)| [value - error, value + error]);
    let (low, high) = ends.filter(|x| x.is_finite()).fold((0.0_f64, 0.0_f64), |(l, h), x| (l.min(x), h.max(x)));
    let room = ((high - low) * 0.04).max(1.0);
    let (low, high) = (low - room, high + room);
    let legend = LEGEND_ROW * series.len().div_ceil(LEGEND_COLUMNS) as f64;
    let Margins { left, top, right, bottom } = Margins { left: 130.0, top: 16.0 + legend, ..MARGINS };
    let row_height = BAR * series.len().max(1) as f64 + GAP;
    let height = top + row_height * rows.len() as f64 + bottom;
    let x = |v: f64| left + (v.clamp(low, high) - low) / (high - low) * (SIZE.0 - left - right);
    let mut svg = format!("<svg viewBox=\"0 0 {} {height}\" role=\"img\" aria-label=\"{}\">\n", SIZE.0, escaped(label));
    for tick in ticks(low, high) {
        let (at, class) = (x(tick), if tick == 0.0 { "mark" } else { "grid" });
        let _ = writeln!(
            svg,
            "<line class=\"{class}\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{:.1}\" y2=\"{:.1}\"/>\
             <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{tick:.0}</text>",
            top - 4.0,
            height - bottom,
            height - 8.0
        );
    }
    let bar = |svg: &mut String, class: usize, [from, at, to]: [f64; 3], y: f64| {
        let class = class % SERIES_CLASSES;
        let _ = writeln!(
            svg,
            "<polyline class=\"c{class}\" points=\"{from:.1},{y:.1} {to:.1},{y:.1}\"/><polyline class=\"c{class}\" \
             style=\"stroke-width:7\" points=\"{:.1},{y:.1} {:.1},{y:.1}\"/>",
            at - 3.5,
            at + 3.5
        );
    };
    for (i, name) in series.iter().enumerate() {
        let from = left + LEGEND_WIDTH * (i % LEGEND_COLUMNS) as f64;
        let y = 12.0 + LEGEND_ROW * (i / LEGEND_COLUMNS) as f64;
        bar(&mut svg, i, [from, from + 11.0, from + 22.0], y);
        let _ = writeln!(svg, "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>", from + 28.0, y + 4.0, escaped(name));
    }
    for (i, (name, values)) in rows.iter().enumerate() {
        let y = top + row_height * i as f64;
        let middle = y + (row_height - GAP) / 2.0 + 4.0;
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{middle:.1}\" text-anchor=\"end\">{}</text>",
            left - 8.0,
            escaped(name)
        );
        for (j, value) in values.iter().enumerate() {
            if let Some((value, error)) = value {
                let ends = [value - error, *value, value + error].map(x);
                bar(&mut svg, j, ends, y + BAR * (j as f64 + 0.5));
            }
        }
    }
    svg + "</svg>\n"
}

/// The style sheet of a chart that stands alone, for light and dark backgrounds.
const ALONE: &str = "text{font:12px sans-serif;fill:#555}.name{fill:#b3541e}.grid{stroke:#ddd}\
    .mark{stroke:#b3541e;stroke-dasharray:5 4}.band{fill:#1f6fb233}polyline{fill:none;stroke-width:1.8}\
    .line,.train,.c0{stroke:#2166ac}.held,.c1{stroke:#d6604d}.c2{stroke:#1b9e77}.c3{stroke:#8e5bb5}.c4{stroke:#b8860b}\
    .c5{stroke:#e07bb0}.c6{stroke:#7a7a7a}.c7{stroke:#35a7c4}.dashed{stroke-dasharray:6 3}.best{fill:#d6604d}.bar{fill:#2166ac}\
    @media(prefers-color-scheme:dark){text{fill:#bbb}.name{fill:#f0a36b}.grid{stroke:#444}.line,.train{stroke:#6cb2eb}\
    .bar{fill:#6cb2eb}}";

/// A chart of this file as a file of its own, with its colours.
pub fn standalone(svg: &str) -> String {
    let named = svg.replacen("<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" ", 1);
    named.replacen(">\n", &format!(">\n<style>{ALONE}</style>\n"), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(n: usize) -> Vec<Point> {
        (1..=n)
            .map(|i| (i as f64, 300.0 / (i as f64).sqrt()))
            .map(|(x, e)| Point { x, low: 5.0 - e, value: 5.0, high: 5.0 + e })
            .collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks(-2.9, 3.1), [-2.0, -1.0, 0.0, 1.0, 2.0, 3.0]);
        assert_eq!(ticks(-30.0, 140.0), [0.0, 50.0, 100.0]);
        assert_eq!(ticks(0.0, 1000.0), [0.0, 200.0, 400.0, 600.0, 800.0, 1000.0]);
        assert_eq!(ticks(0.2, 0.9), [0.2, 0.4, 0.6000000000000001, 0.8]);
        assert!(ticks(5.0, 5.0).len() <= 21);
    }

    #[test]
    fn the_wild_beginning_is_cut_off() {
        let (low, high) = range(&points(100), &[]);
        assert!(low > -50.0 && high < 60.0 && low < -40.0, "{low} {high}");
        let wild = [Point { x: 1.0, low: f64::NEG_INFINITY, value: f64::NEG_INFINITY, high: f64::INFINITY }];
        assert_eq!(range(&wild, &[]), (-1.0, 1.0));
        assert_eq!(range(&wild, &[0.0, 3.0]), (-0.5, 3.5));
    }

    #[test]
    fn charts_hold_numbers_only() {
        let mut line = points(50);
        line[0].high = f64::INFINITY;
        line[1] = Point { x: 2.0, low: f64::NEG_INFINITY, value: f64::INFINITY, high: f64::INFINITY };
        let svg = line_chart("Elo <&>", &line, &[(0.0, "level")]);
        assert!(!svg.contains("NaN") && !svg.contains("inf") && svg.contains("Elo &lt;&amp;&gt;"), "{svg}");
        assert!(svg.contains("class=\"band\"") && svg.contains(">level</text>"));
        assert!(line_chart("", &[], &[]).ends_with("</svg>\n"));
        let rows = [
            ("<A>".to_string(), vec![Some((-20.0, 30.0)), None]),
            ("B".into(), vec![None, Some((5.0, f64::INFINITY))]),
        ];
        let svg = intervals("Elo", &["1+0.01".to_string(), "10+0.1".into()], &rows);
        assert!(!svg.contains("NaN") && !svg.contains("inf") && svg.contains(">&lt;A&gt;</text>"), "{svg}");
        // Two lines for each value and for each entry of the legend.
        assert_eq!((svg.matches("class=\"c0\"").count(), svg.matches("class=\"c1\"").count()), (4, 4), "{svg}");
        assert!(intervals("", &[], &[]).ends_with("</svg>\n"));
        let html = bars("x", &[("mate".into(), 3), ("time".into(), 1)]);
        assert!(html.contains("3 (75.0 %)") && html.contains("width:25.0%\"></i>1 (25.0 %)"), "{html}");
        assert!(!bars("", &[]).contains("NaN"));
    }
}
