//! An owl, drawn in letters. The same seed draws the same owl.

use std::cmp::Ordering;
use tesuji_game::Random;

/// The parts that vary with the seed. The first of each belongs to the owl of seed 0.
const EYES: [[char; 2]; 6] = [['o', 'o'], ['O', 'O'], ['@', '@'], ['-', '-'], ['-', 'o'], ['^', '^']];
const BEAKS: [char; 3] = ['v', 'V', 'Y'];
const EARS: [[&str; 2]; 4] = [["/\\", "/\\"], ["//", "\\\\"], [",,", ",,"], ["^^", "^^"]];
const FEATHERS: [[char; 2]; 6] = [['v', ' '], ['w', '\''], ['"', ' '], ['u', ' '], ['V', '.'], ['y', ' ']];
const WING_TIPS: [[char; 2]; 3] = [['{', '}'], ['(', ')'], ['<', '>']];
/// The things beside the owl on the branch, or above it.
const COMPANY: [&str; 7] = ["", "*", "(_", "o o", ".", "_o_", "\"\""];
/// The sayings of the owl. A tesuji is the clever move of a moment.
const SAYINGS: [&str; 12] = [
    "A tesuji hides in every position.",
    "Hoo moved last?",
    "Look twice, move once.",
    "Ten thousand games, then an opinion.",
    "Night is the best time for long matches.",
    "Mind the confidence interval.",
    "The pawn sees only what is before it. I can turn my head.",
    "Corner, side, centre.",
    "Drop the pawn; drop it well.",
    "Same seed, same owl.",
    "Who undoes every move knows the way home.",
    "One more game? One more game.",
];
/// The column that everything is centred on.
const CENTRE: usize = 22;

/// The owl of a seed: ASCII lines of less than 80 characters.
pub fn owl(seed: u64) -> String {
    let mut random = Random::for_item(0, seed);
    let mut pick = |count: usize| if seed == 0 { 0 } else { random.below(count) };
    let [left, right] = EYES[pick(EYES.len())];
    let beak = BEAKS[pick(BEAKS.len())];
    let ears = EARS[pick(EARS.len())];
    let [feather, between] = FEATHERS[pick(FEATHERS.len())];
    let tips = WING_TIPS[pick(WING_TIPS.len())];
    let rows = 5 + 2 * pick(2);
    let company = COMPANY[pick(COMPANY.len())];
    let saying = SAYINGS[pick(SAYINGS.len())];

    let breast = |count: usize| vec![feather.to_string(); count].join(&between.to_string());
    let mut lines = vec![
        format!("{}_________{}", ears[0], ears[1]),
        "/  .-.   .-.  \\".to_string(),
        format!("| ( {left} ) ( {right} ) |"),
        format!("|  '-' {beak} '-'  |"),
    ];
    for row in 0..rows {
        // Feathers lie like tiles; the wings spread to the middle and close again.
        let spread = " ".repeat(row.min(rows - 1 - row));
        let [l, r] = match row.cmp(&(rows / 2)) {
            Ordering::Less => ['/', '\\'],
            Ordering::Equal => tips,
            Ordering::Greater => ['\\', '/'],
        };
        lines.push(format!("{l}{spread}|{:^13}|{spread}{r}", breast(5 - row % 2)));
    }
    lines.push(format!("\\  {}  /", breast(4)));
    lines.push("'-._____.-'".to_string());
    lines.push(format!("~~====~~=====mm===mm====~~===~~=~~  {company:3}"));
    lines.push(String::new());
    lines.push(saying.to_string());
    let centred = |line: &String| {
        let indent = CENTRE.saturating_sub(line.chars().count() / 2);
        format!("{:indent$}{line}", "").trim_end().to_string() + "\n"
    };
    lines.iter().map(centred).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owls_fit_and_differ_and_stay_what_they_are() {
        let owls: std::collections::HashSet<String> = (0..200).map(owl).collect();
        assert!(owls.len() > 150, "only {} different owls of 200", owls.len());
        for drawn in &owls {
            assert!(drawn.is_ascii() && drawn.lines().all(|line| line.len() < 80), "{drawn}");
            assert!(drawn.lines().count() >= 13, "{drawn}");
        }
        assert_eq!(owl(7), owl(7));
        assert!(owl(0).contains("| ( o ) ( o ) |"), "{}", owl(0));
    }
}
