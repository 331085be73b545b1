//! Where handicap stones go: the fixed points of GTP's specification.

use crate::{Size, Vertex};

/// The most fixed handicap stones a board takes: 4 where a side is even or has 7 lines, 9 on larger odd boards, 0 on boards
/// with a side of less than 7 lines.
pub fn fixed_max(size: Size) -> usize {
    let shorter = size.width().min(size.height());
    let odd = size.width() % 2 == 1 && size.height() % 2 == 1;
    match shorter {
        ..7 => 0,
        7 => 4,
        _ if odd => 9,
        _ => 4,
    }
}

/// The points of `stones` fixed handicap stones on a board of `size`, as GTP 2 lists them; `None` where GTP has none.
///
/// Stones stand on the third line of boards below 12 lines and on the fourth of others, as in GNU Go, its reference program.
pub fn fixed(size: Size, stones: usize) -> Option<Vec<Vertex>> {
    if !(2..=fixed_max(size)).contains(&stones) {
        return None;
    }
    let lines = |n: usize| {
        let low = if n < 12 { 2 } else { 3 };
        [low, n / 2, n - 1 - low]
    };
    let ([left, mid_x, right], [low, mid_y, high]) = (lines(size.width()), lines(size.height()));
    let corners = [(left, low), (right, high), (left, high), (right, low)];
    let centre = (mid_x, mid_y);
    let sides = [(left, mid_y), (right, mid_y), (mid_x, low), (mid_x, high)];
    let mut points: Vec<(usize, usize)> = corners.into_iter().take(stones).collect();
    match stones {
        5 => points.push(centre),
        6 => points.extend(&sides[..2]),
        7 => {
            points.extend(&sides[..2]);
            points.push(centre);
        }
        8 => points.extend(sides),
        9 => {
            points.extend(sides);
            points.push(centre);
        }
        _ => {}
    }
    Some(points.into_iter().filter_map(|(x, y)| Vertex::new(x, y)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(size: &str, stones: usize, expect: Option<&str>) {
        let points = fixed(size.parse().unwrap(), stones);
        let text = points.map(|p| p.iter().map(Vertex::to_string).collect::<Vec<_>>().join(" "));
        assert_eq!(text.as_deref(), expect, "{stones} on {size}");
    }

    /// The placements of GTP 2's draft, section 4.1.1.
    #[test]
    fn stones_stand_where_gtp_says() {
        check("19", 2, Some("D4 Q16"));
        check("19", 3, Some("D4 Q16 D16"));
        check("19", 4, Some("D4 Q16 D16 Q4"));
        check("19", 5, Some("D4 Q16 D16 Q4 K10"));
        check("19", 6, Some("D4 Q16 D16 Q4 D10 Q10"));
        check("19", 7, Some("D4 Q16 D16 Q4 D10 Q10 K10"));
        check("19", 8, Some("D4 Q16 D16 Q4 D10 Q10 K4 K16"));
        check("19", 9, Some("D4 Q16 D16 Q4 D10 Q10 K4 K16 K10"));
        check("9", 2, Some("C3 G7"));
        check("9", 9, Some("C3 G7 C7 G3 C5 G5 E3 E7 E5"));
        check("8", 4, Some("C3 F6 C6 F3"));
        check("13x9", 2, Some("D3 K7"));
        check("8", 5, None);
        check("7", 5, None);
        check("6", 2, None);
        check("19", 1, None);
        check("19", 10, None);
    }
}
