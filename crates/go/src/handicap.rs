//! Points of handicap stones: the fixed ones of GTP's specification.

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

/// Points for `stones` free handicap stones, for an engine that has no better idea: the fixed ones as far as they go, then
/// points off the first two lines, each as far as possible from the stones before it; `None` where fewer than 2 stones are
/// asked for or the board has no room.
pub fn free(size: Size, stones: usize) -> Option<Vec<Vertex>> {
    if stones < 2 || stones >= size.points() {
        return None;
    }
    let mut points = fixed(size, stones.min(fixed_max(size))).unwrap_or_default();
    while points.len() < stones {
        let distance = |v: &Vertex| {
            let from = |p: &Vertex| (p.x.abs_diff(v.x) as usize).pow(2) + (p.y.abs_diff(v.y) as usize).pow(2);
            points.iter().map(from).min().unwrap_or(usize::MAX)
        };
        let line = |v: &Vertex| {
            let (x, y) = (v.x as usize, v.y as usize);
            x.min(y).min(size.width() - 1 - x).min(size.height() - 1 - y)
        };
        let next = Vertex::all(size).max_by_key(|v| (distance(v) > 0, line(v).min(2), distance(v)))?;
        points.push(next);
    }
    Some(points)
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

    #[test]
    fn free_stones_stand_apart() {
        for (size, stones) in [("19", 2), ("19", 9), ("19", 25), ("9", 12), ("5", 3), ("2", 3), ("13x7", 6), ("3", 8)] {
            let size: Size = size.parse().unwrap();
            let points = free(size, stones).unwrap();
            let set: std::collections::HashSet<_> = points.iter().collect();
            assert_eq!((set.len(), points.len()), (stones, stones), "{stones} on {size}");
            assert!(points.iter().all(|v| v.is_on(size)));
            assert!(
                crate::GoPosition::<crate::Medium>::with_handicap(
                    &crate::Rules { size, ..Default::default() },
                    &points
                )
                .is_ok()
            );
        }
        assert_eq!(free("19".parse().unwrap(), 4), fixed("19".parse().unwrap(), 4));
        assert!(free("2".parse().unwrap(), 4).is_none() && free("9".parse().unwrap(), 1).is_none());
    }
}
