//! Ratings of many players as text and as JSON, with a cross-table and who is better than whom.

use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::str::FromStr;
use tesuji_game::Side;
use tesuji_record::GameRecord;
use tesuji_stats::{Games, Given, Met, Ratings, Relation, rate};

/// `NAME=ELO`.
#[derive(Debug, Clone, PartialEq)]
pub struct Anchor {
    name: String,
    elo: f64,
}

impl FromStr for Anchor {
    type Err = String;

    fn from_str(text: &str) -> Result<Anchor, String> {
        let wrong = || format!("{text:?} is not NAME=ELO");
        let (name, elo) = text.rsplit_once('=').ok_or_else(wrong)?;
        let elo: f64 = elo.trim().parse().map_err(|_| wrong())?;
        if name.is_empty() || !elo.is_finite() {
            return Err(wrong());
        }
        Ok(Anchor { name: name.into(), elo })
    }
}

/// Tables of players side by side up to this many.
const TABLE_MAX: usize = 16;
/// The matrix of chances in JSON up to this many.
const MATRIX_MAX: usize = 100;
/// The player of an anchor does not take part.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("--anchor: no player is called {0:?}")]
pub struct NoSuchPlayer(pub String);

/// Players, games and ratings.
pub struct RatingTable {
    names: Vec<String>,
    met: Vec<Met>,
    ratings: Ratings,
    anchor: Option<Anchor>,
}

impl RatingTable {
    /// Rates players.
    ///
    /// # Errors
    /// When nobody has the anchor's name.
    pub fn new(names: Vec<String>, met: Vec<Met>, anchor: Option<&Anchor>) -> Result<RatingTable, NoSuchPlayer> {
        let mut ratings = rate(names.len(), &met, Given::default());
        if let Some(anchor) = anchor {
            let player = names.iter().position(|n| *n == anchor.name);
            ratings.anchor(player.ok_or_else(|| NoSuchPlayer(anchor.name.clone()))?, anchor.elo);
        }
        Ok(RatingTable { names, met, ratings, anchor: anchor.cloned() })
    }

    /// Ratings, best first, and what they rest on.
    pub fn text(&self) -> String {
        let order = self.ratings.order();
        let total: u64 = self.met.iter().map(|m| m.games.games()).sum();
        let zero = match &self.anchor {
            Some(a) => format!("{} is {}", a.name, a.elo),
            None => "the mean is 0".to_string(),
        };
        let mut text =
            format!("Ratings of {} players from {total} games (maximum likelihood, {zero}, ± 95 %):\n", order.len());
        let width = self.names.iter().map(|n| n.chars().count()).max().unwrap_or(0).max(6);
        let _ = writeln!(
            text,
            "{:>4}  {:width$}  {:>8}  {:>7}  {:>7}  {:>7}  {:>6}",
            "#", "player", "Elo", "±", "games", "score", "draws"
        );
        let mut seen: Vec<usize> = Vec::new();
        for (place, &i) in order.iter().enumerate() {
            let player = &self.ratings.players[i];
            if let Some(&above) = seen.last()
                && self.ratings.players[above].group != player.group
            {
                let is_below = seen.iter().any(|&j| self.ratings.relation(j, i) == Relation::Above);
                text += if is_below {
                    "      -- below: points between these and those above went one way only, so that no Elo is enough --\n"
                } else {
                    "      -- apart: no chain of games leads to those above --\n"
                };
            }
            seen.push(i);
            let error = player.error.map_or("?".to_string(), |e| format!("{e:.1}"));
            let n = player.games.games();
            let percent =
                |share: f64| if n > 0 { format!("{:.1} %", 100.0 * share / n as f64) } else { "-".to_string() };
            let (score, draws) = (percent(player.games.points()), percent(player.games.draws as f64));
            let name = &self.names[i];
            let elo = self.elo(i).map_or("-".to_string(), |elo| format!("{elo:.1}"));
            let _ = writeln!(
                text,
                "{:>4}  {name:width$}  {elo:>8}  {error:>7}  {n:>7}  {score:>7}  {draws:>6}",
                place + 1,
            );
        }
        match self.ratings.advantage {
            Some(a) => {
                let _ = write!(text, "The first side is worth {:.1} ± {:.1} Elo", a.value, a.error());
            }
            None => text += "The games do not tell what the first side is worth (taken as 0)",
        }
        let _ = writeln!(text, "; equals draw {:.1} % of their games.", 100.0 * self.ratings.draws_of_equals);
        if (2..=TABLE_MAX).contains(&order.len()) {
            text += &self
                .side_by_side(&order, "Points of the player in the row (wins/draws/losses):", &|i, j| self.cell(i, j));
            let los = |i: usize, j: usize| match self.ratings.relation(i, j) {
                Relation::Measured => self.ratings.los(i, j).map(|p| format!("{:.1}", 100.0 * p)),
                Relation::Above => Some(">".into()),
                Relation::Below => Some("<".into()),
                Relation::Unknown => None,
            };
            let title = "Chance in % that the player in the row is better (> and <: by more than any number):";
            text += &self.side_by_side(&order, title, &los);
        }
        text
    }

    /// The rating, where it says something: measured against others, or given.
    fn elo(&self, i: usize) -> Option<f64> {
        let is_anchor = self.anchor.as_ref().is_some_and(|a| a.name == self.names[i]);
        (is_anchor || self.ratings.is_measured(i)).then(|| self.ratings.players[i].elo)
    }

    /// The results of `i` against `j`.
    fn against(&self, i: usize, j: usize) -> Games {
        self.met.iter().fold(Games::default(), |sum, m| {
            let Games { wins, draws, losses } = m.games;
            match (m.first, m.second) {
                (a, b) if (a, b) == (i, j) => sum.plus(&m.games),
                (a, b) if (a, b) == (j, i) => sum.plus(&Games::new(losses, draws, wins)),
                _ => sum,
            }
        })
    }

    fn cell(&self, i: usize, j: usize) -> Option<String> {
        let games = self.against(i, j);
        (games.games() > 0).then(|| format!("{}/{}/{}", games.wins, games.draws, games.losses))
    }

    /// A square table of players.
    fn side_by_side(&self, order: &[usize], title: &str, cell: &dyn Fn(usize, usize) -> Option<String>) -> String {
        let rows: Vec<Vec<String>> = order
            .iter()
            .map(|&i| {
                order.iter().map(|&j| if i == j { "·".into() } else { cell(i, j).unwrap_or("-".into()) }).collect()
            })
            .collect();
        let width = rows.iter().flatten().map(|c| c.chars().count()).max().unwrap_or(1).max(2);
        let names = self.names.iter().map(|n| n.chars().count()).max().unwrap_or(0);
        let mut text = format!("{title}\n{:names$}", "", names = names + 6);
        (1..=order.len()).for_each(|n| {
            let _ = write!(text, "  {n:>width$}");
        });
        for (place, (&i, row)) in order.iter().zip(rows).enumerate() {
            let _ = write!(text, "\n{:>4}  {:names$}", place + 1, self.names[i]);
            for cell in row {
                let _ = write!(text, "  {cell:>width$}");
            }
        }
        text + "\n"
    }

    /// The ratings as JSON: `players` (best first: `name`, `elo` or null, `error` or null, `group`, `games`), `advantage`,
    /// `draws_of_equals`, `met`, and for few players `better` (chances; null where nothing is measured).
    pub fn json(&self) -> Value {
        let order = self.ratings.order();
        let counts = |g: &Games| json!({ "wins": g.wins, "draws": g.draws, "losses": g.losses });
        let players: Vec<Value> = order
            .iter()
            .map(|&i| {
                let p = &self.ratings.players[i];
                json!({ "name": self.names[i], "elo": self.elo(i), "error": p.error, "group": p.group, "games": counts(&p.games) })
            })
            .collect();
        let met: Vec<Value> = self
            .met
            .iter()
            .map(|m| json!({ "first": self.names[m.first], "second": self.names[m.second], "games": counts(&m.games) }))
            .collect();
        let row = |&i: &usize| -> Value { order.iter().map(|&j| self.ratings.los(i, j)).collect() };
        let better: Option<Value> = (order.len() <= MATRIX_MAX).then(|| order.iter().map(row).collect());
        json!({
            "players": players, "groups": self.ratings.groups(), "met": met, "better": better,
            "advantage": self.ratings.advantage.map(|a| json!({ "value": a.value, "low": a.low, "high": a.high })),
            "draws_of_equals": self.ratings.draws_of_equals,
        })
    }
}

/// Games between named players, counted one by one.
#[derive(Debug, Default)]
pub struct RatedGames {
    names: Vec<String>,
    index: HashMap<String, usize>,
    met: HashMap<(usize, usize), Games>,
    /// Games that count.
    pub games: u64,
    /// Games without a result, left out.
    pub unfinished: u64,
    /// Games without names of both players, left out.
    pub nameless: u64,
}

impl RatedGames {
    fn player(&mut self, name: &str) -> usize {
        if let Some(&i) = self.index.get(name) {
            return i;
        }
        self.names.push(name.into());
        self.index.insert(name.into(), self.names.len() - 1);
        self.names.len() - 1
    }

    /// Counts a game; `side_tags` are the tags that name the players, who moves first before the other.
    pub fn add(&mut self, record: &GameRecord<String>, side_tags: [&str; 2]) {
        let name = |tag| record.tag(tag).map(str::trim).filter(|n| !n.is_empty() && *n != "?");
        let [Some(first), Some(second)] = side_tags.map(name) else {
            self.nameless += 1;
            return;
        };
        let Some(outcome) = record.outcome else {
            self.unfinished += 1;
            return;
        };
        let pair = (self.player(first), self.player(second));
        self.met.entry(pair).or_default().add(outcome.score(Side::First));
        self.games += 1;
    }

    /// Rates the players of the games that were counted.
    ///
    /// # Errors
    /// When nobody has the anchor's name.
    pub fn rate(self, anchor: Option<&Anchor>) -> Result<RatingTable, NoSuchPlayer> {
        let met = self.met.into_iter().map(|((first, second), games)| Met { first, second, games });
        let mut met: Vec<Met> = met.collect();
        met.sort_by_key(|m| (m.first, m.second));
        RatingTable::new(self.names, met, anchor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(first: usize, second: usize, wins: u64, draws: u64, losses: u64) -> Met {
        Met { first, second, games: Games::new(wins, draws, losses) }
    }

    #[track_caller]
    fn check(table: &RatingTable, expect: &str) {
        let lines: Vec<String> = table.text().lines().map(|l| l.trim_end().to_string()).collect();
        assert_eq!(lines, expect.lines().map(str::trim_end).collect::<Vec<_>>());
    }

    #[test]
    fn three_players_are_rated_and_compared() {
        let games = vec![met(0, 1, 30, 40, 10), met(1, 0, 20, 40, 20), met(1, 2, 38, 30, 12), met(2, 1, 20, 28, 32)];
        let names = ["A", "Béla", "C"].map(String::from).to_vec();
        let table = RatingTable::new(names.clone(), games.clone(), None).unwrap();
        check(&table, THREE);
        let anchored = RatingTable::new(names.clone(), games.clone(), Some(&"C=2000".parse().unwrap())).unwrap();
        assert!(anchored.text().contains("C is 2000") && anchored.text().contains("   3  C         2000.0      0.0"));
        assert!(RatingTable::new(names, games, Some(&"D=1".parse().unwrap())).is_err());
        let json = table.json();
        assert_eq!((&json["players"][2]["name"], &json["groups"]), (&"C".into(), &1.into()));
        assert!(json["better"][0][2].as_f64().unwrap() > 0.99 && json["better"][0][0].is_null());
    }

    const THREE: &str = "\
Ratings of 3 players from 320 games (maximum likelihood, the mean is 0, ± 95 %):
   #  player       Elo        ±    games    score   draws
   1  A           56.8     29.9      160   56.2 %  50.0 %
   2  Béla        15.0     18.9      320   52.8 %  43.1 %
   3  C          -71.7     31.0      160   38.1 %  36.2 %
The first side is worth 36.5 ± 28.4 Elo; equals draw 45.8 % of their games.
Points of the player in the row (wins/draws/losses):
                   1         2         3
   1  A            ·  50/80/30         -
   2  Béla  30/80/50         ·  70/58/32
   3  C            -  32/58/70         ·
Chance in % that the player in the row is better (> and <: by more than any number):
                1      2      3
   1  A         ·   98.2  100.0
   2  Béla    1.8      ·  100.0
   3  C       0.0    0.0      ·
";

    /// A player who won everything has no number, and strangers cannot be compared.
    #[test]
    fn no_number_is_invented() {
        let games = vec![met(1, 0, 9, 0, 0), met(0, 2, 2, 1, 1), met(3, 4, 0, 2, 0)];
        let table = RatingTable::new(["B", "top", "C", "x", "y"].map(String::from).to_vec(), games, None).unwrap();
        check(&table, NO_NUMBER);
    }

    const NO_NUMBER: &str = "\
Ratings of 5 players from 15 games (maximum likelihood, the mean is 0, ± 95 %):
   #  player       Elo        ±    games    score   draws
   1  x            0.0    143.8        2   50.0 %  100.0 %
   2  y            0.0    143.8        2   50.0 %  100.0 %
      -- apart: no chain of games leads to those above --
   3  top            -        ?        9  100.0 %   0.0 %
      -- below: points between these and those above went one way only, so that no Elo is enough --
   4  B           51.7    132.5       13   19.2 %   7.7 %
   5  C          -51.7    132.5        4   37.5 %  25.0 %
The games do not tell what the first side is worth (taken as 0); equals draw 53.5 % of their games.
Points of the player in the row (wins/draws/losses):
               1      2      3      4      5
   1  x        ·  0/2/0      -      -      -
   2  y    0/2/0      ·      -      -      -
   3  top      -      -      ·  9/0/0      -
   4  B        -      -  0/0/9      ·  2/1/1
   5  C        -      -      -  1/1/2      ·
Chance in % that the player in the row is better (> and <: by more than any number):
              1     2     3     4     5
   1  x       ·  50.0     -     -     -
   2  y    50.0     ·     -     -     -
   3  top     -     -     ·     >     >
   4  B       -     -     <     ·  77.8
   5  C       -     -     <  22.2     ·
";

    #[test]
    fn anchors_are_names_and_numbers() {
        assert_eq!("a=b=5".parse(), Ok(Anchor { name: "a=b".into(), elo: 5.0 }));
        assert!(["x", "=5", "x=", "x=nan"].iter().all(|text| text.parse::<Anchor>().is_err()));
    }
}
