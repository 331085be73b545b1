//! The answer to `final_score`, as GTP and SGF write results.

use tesuji_game::{By, Outcome, Side};

/// Reads a counted result: `B+3.5`, `W+12`, `0`; also `Black+`, `Draw` and `Jigo`, and `B+R` for a resignation.
/// `None` for anything else, `?` and `B+T` among them.
///
/// # Examples
/// ```
/// use tesuji_game::{By, Outcome, Side};
/// use tesuji_protocol::gtp::parse_score;
/// assert_eq!(parse_score("B+3.5"), Some(Outcome::win(Side::First, By::Points(3.5))));
/// assert_eq!(parse_score("jigo"), Some(Outcome::draw(By::Points(0.0))));
/// assert_eq!(parse_score("who knows"), None);
/// ```
pub fn parse_score(text: &str) -> Option<Outcome> {
    // Words may follow: GNU Go adds bounds in parentheses.
    let word = text.split_whitespace().next()?.to_ascii_lowercase();
    if ["0", "draw", "jigo"].contains(&word.as_str()) {
        return Some(Outcome::draw(By::Points(0.0)));
    }
    let (name, margin) = word.split_once('+')?;
    let winner = match name {
        "b" | "black" => Side::First,
        "w" | "white" => Side::Second,
        _ => return None,
    };
    if ["r", "resign"].contains(&margin) {
        return Some(Outcome::win(winner, By::Resignation));
    }
    let points: f32 = margin.parse().ok().filter(|p: &f32| p.is_finite() && *p >= 0.0)?;
    Some(if points == 0.0 { Outcome::draw(By::Points(0.0)) } else { Outcome::win(winner, By::Points(points)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_read() {
        let check = |text: &str, winner: Option<Side>, points: f32| {
            assert_eq!(parse_score(text), Some(Outcome { winner, by: By::Points(points) }), "{text}");
        };
        check("B+3.5", Some(Side::First), 3.5);
        check(" w+12 (upper bound: -12.0, lower: -12.0)", Some(Side::Second), 12.0);
        check("Black+0.5", Some(Side::First), 0.5);
        check("0", None, 0.0);
        check("B+0.0", None, 0.0);
        check("Jigo", None, 0.0);
        assert_eq!(parse_score("W+R").map(|o| (o.winner, o.by)), Some((Some(Side::Second), By::Resignation)));
        for text in ["", "?", "B+T", "B+", "3.5", "X+1", "B+-1", "B+inf", "B+NaN"] {
            assert_eq!(parse_score(text), None, "{text}");
        }
    }
}
