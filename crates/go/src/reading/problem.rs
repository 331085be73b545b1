//! Problems as text: a diagram with a goal, who moves first, what is known.

use crate::{Colour, Size, Vertex};
use std::fmt;
use tesuji_game::Side;

/// The goal of the attacker against a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// Can it be captured?
    Capture,
    /// Can it be captured by ataris alone?
    Ladder,
    /// Can it not be captured? Two eyes and seki are the same.
    Live,
}

impl Goal {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Goal::Capture => "capture",
            Goal::Ladder => "ladder",
            Goal::Live => "live",
        }
    }

    fn read(word: &str) -> Option<Goal> {
        [Goal::Capture, Goal::Ladder, Goal::Live].into_iter().find(|goal| goal.word() == word)
    }
}

/// A question about a chain, on a board whose stones are legal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    name: String,
    size: Size,
    stones: Vec<(Vertex, Side)>,
    goal: Goal,
    target: Vertex,
    defender: Side,
    first: Side,
    region: Vec<Vertex>,
    answer: Option<String>,
}

/// An error in a problem's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProblemError {
    /// The line, from 1.
    pub line: usize,
    /// The error: what was expected, or is wrong.
    pub what: String,
}

impl fmt::Display for ProblemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl std::error::Error for ProblemError {}

/// The parsed words beside a board.
#[derive(Debug, Clone, Default)]
struct Words {
    name: String,
    goal: Option<Goal>,
    target: Option<String>,
    first: Option<Side>,
    answer: Option<String>,
    region: Option<[String; 2]>,
}

impl Words {
    /// Reads one line; whether it is one of ours, or what is wrong with it.
    fn read(&mut self, line: &str) -> Result<bool, String> {
        let (word, rest) = line.split_once(' ').map_or((line, ""), |(word, rest)| (word, rest.trim()));
        match word {
            "name" => self.name = rest.to_string(),
            "goal" => {
                let (goal, target) = rest.split_once(' ').map_or((rest, None), |(goal, at)| (goal, Some(at.trim())));
                self.goal =
                    Some(Goal::read(goal).ok_or(format!("expected goal capture, ladder or live, found {rest:?}"))?);
                self.target = target.map(str::to_string);
            }
            "first" => {
                self.first = Some(match rest.to_ascii_lowercase().as_str() {
                    "x" | "b" | "black" => Side::First,
                    "o" | "w" | "white" => Side::Second,
                    _ => return Err(format!("expected first X or O, found {rest:?}")),
                });
            }
            "answer" => match rest {
                "yes" | "no" | "ko" => self.answer = Some(rest.to_string()),
                _ => return Err(format!("expected answer yes, no or ko, found {rest:?}")),
            },
            "region" => {
                let corners = rest.split_once(' ').ok_or(format!("expected region CORNER CORNER, found {rest:?}"))?;
                self.region = Some([corners.0.to_string(), corners.1.trim().to_string()]);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl Problem {
    /// Reads problems parted by empty lines: lines of words and the rows of a diagram, highest first. `X` and `O` are stones, `x`
    /// or `o` the chain that is asked about, `.` an empty point, `:` one where nobody may play; lines that begin with `#` say
    /// nothing. Words are `name …`, `goal capture|ladder|live [POINT]`, `first X|O`, `answer yes|no|ko`, `region POINT POINT`
    /// (corners of the rectangle where both may play).
    ///
    /// # Errors
    /// The first line that is wrong.
    ///
    /// # Examples
    /// ```
    /// use tesuji_go::reading::{Goal, Problem};
    /// let text = "name one eye\ngoal live\nfirst X\nanswer no\n. x O .\nX X O .\nO O O .\n";
    /// let problems = Problem::read_all(text)?;
    /// assert_eq!((problems[0].goal(), problems[0].answer()), (Goal::Live, Some("no")));
    /// # Ok::<(), tesuji_go::reading::ProblemError>(())
    /// ```
    pub fn read_all(text: &str) -> Result<Vec<Problem>, ProblemError> {
        let mut problems = Vec::new();
        let (mut words, mut rows, mut begins) = (Words::default(), Vec::new(), None);
        for (index, line) in text.lines().chain([""]).enumerate() {
            let line = line.trim();
            if line.starts_with('#') {
                continue;
            }
            if line.is_empty() {
                if let Some(begins) = begins.take() {
                    let wrong = |what| ProblemError { line: begins, what };
                    let rows = std::mem::take(&mut rows);
                    problems.push(of_diagram(std::mem::take(&mut words), &rows).map_err(wrong)?);
                }
                continue;
            }
            begins.get_or_insert(index + 1);
            let wrong = |what| ProblemError { line: index + 1, what };
            if words.read(line).map_err(wrong)? {
                continue;
            }
            let row: Vec<char> = line.chars().filter(|c| !c.is_whitespace()).collect();
            if let Some(other) = row.iter().find(|&&c| !".:XOxo".contains(c)) {
                return Err(wrong(format!("expected a word of a problem or a row of a diagram, found {other:?}")));
            }
            rows.push(row);
        }
        Ok(problems)
    }

    /// A problem of stones, with the words of [`Problem::read_all`] in lines; others are left alone. `first` moves first where
    /// the words do not say.
    ///
    /// # Errors
    /// The words are wrong; the error has their line.
    pub fn of_stones(
        size: Size,
        stones: Vec<(Vertex, Side)>,
        first: Side,
        words: &str,
    ) -> Result<Problem, ProblemError> {
        let mut read = Words { first: Some(first), ..Words::default() };
        for (index, line) in words.lines().enumerate() {
            read.read(line.trim()).map_err(|what| ProblemError { line: index + 1, what })?;
        }
        let region = Vertex::all(size).collect();
        build(read, size, stones, None, region).map_err(|what| ProblemError { line: 1, what })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The board.
    pub fn size(&self) -> Size {
        self.size
    }

    /// All stones.
    pub fn stones(&self) -> &[(Vertex, Side)] {
        &self.stones
    }

    /// The goal of the problem.
    pub fn goal(&self) -> Goal {
        self.goal
    }

    /// A stone of the chain that is asked about.
    pub fn target(&self) -> Vertex {
        self.target
    }

    /// The owner of the chain.
    pub fn defender(&self) -> Side {
        self.defender
    }

    /// The side that moves first.
    pub fn first(&self) -> Side {
        self.first
    }

    /// The points on which both sides may play.
    pub fn region(&self) -> &[Vertex] {
        &self.region
    }

    /// The stated answer: `yes`, `no`, `ko`.
    pub fn answer(&self) -> Option<&str> {
        self.answer.as_deref()
    }
}

/// A problem of a diagram.
fn of_diagram(words: Words, rows: &[Vec<char>]) -> Result<Problem, String> {
    let width = rows.first().map_or(0, Vec::len);
    if rows.iter().any(|row| row.len() != width) {
        return Err("expected a diagram with rows of one length".into());
    }
    let size = Size::new(width, rows.len()).ok_or(format!(
        "expected a diagram of 2 to {} lines, found {width}x{}",
        Size::SIDE_MAX,
        rows.len()
    ))?;
    let (mut stones, mut target, mut region) = (Vec::new(), None, Vec::new());
    for (y, row) in rows.iter().rev().enumerate() {
        for (x, &c) in row.iter().enumerate() {
            let Some(vertex) = Vertex::new(x, y) else { continue };
            if c != ':' {
                region.push(vertex);
            }
            match c.to_ascii_uppercase() {
                'X' => stones.push((vertex, Side::First)),
                'O' => stones.push((vertex, Side::Second)),
                _ => {}
            }
            if c == 'x' || c == 'o' {
                target.get_or_insert(vertex);
            }
        }
    }
    build(words, size, stones, target, region)
}

fn build(
    words: Words,
    size: Size,
    stones: Vec<(Vertex, Side)>,
    marked: Option<Vertex>,
    mut region: Vec<Vertex>,
) -> Result<Problem, String> {
    let point =
        |text: &str| Vertex::parse(text, size).map_err(|_| format!("expected a point of the board, found {text:?}"));
    let named = words.target.as_deref().map(point).transpose()?;
    let target =
        named.or(marked).ok_or("which chain is asked about? mark it by x or o, or name a point after the goal")?;
    let stone = stones.iter().find(|(vertex, _)| *vertex == target);
    let defender = stone.ok_or(format!("expected a stone at {target}"))?.1;
    if let Some(corners) = &words.region {
        let [a, b] = [point(&corners[0])?, point(&corners[1])?];
        let within = |at: u8, p: u8, q: u8| (p.min(q)..=p.max(q)).contains(&at);
        region.retain(|v| within(v.x, a.x, b.x) && within(v.y, a.y, b.y));
    }
    if !breathes(size, &stones) {
        return Err("a chain without a liberty stands on the board".into());
    }
    Ok(Problem {
        name: words.name,
        size,
        goal: words.goal.ok_or("what is asked? expected goal capture, ladder or live")?,
        first: words.first.ok_or("who moves first? expected first X or first O")?,
        answer: words.answer,
        stones,
        target,
        defender,
        region,
    })
}

/// Whether every chain has a liberty.
fn breathes(size: Size, stones: &[(Vertex, Side)]) -> bool {
    let grid = super::grid::Grid::of(size, stones);
    stones.iter().all(|&(vertex, _)| grid.colour(vertex) != Colour::Empty && grid.has_liberty(vertex))
}
