//! The roles of a table's columns: which one is the result, the game and so on, and which are features.

use serde::{Deserialize, Serialize};
use std::{collections::HashMap, path::PathBuf};
use utoipa::ToSchema;

/// The most features of a table: [`crate::Rows`] numbers them by 16 bits.
pub(super) const FEATURES_MAX: usize = 1 << 16;
/// Names that an error lists.
const LISTED: usize = 12;

/// The names of the columns that are no features. Where a name is missing the usual ones are looked for; an empty name means that
/// there is no such column.
///
/// # Examples
/// ```
/// use tesuji_dataset::feature_table::TableColumns;
/// let mut columns = TableColumns::default();
/// columns.set("result=wdl")?;
/// assert_eq!(columns.result.as_deref(), Some("wdl"));
/// assert!(columns.set("colour=x").unwrap_err().contains("result, score, ply"));
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TableColumns {
    /// The result of the game, from the point of view of the features. Usual names: `result`, `winner`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The search's score, in the unit of the weights. Usual name: `score`. A cell may be empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<String>,
    /// The ply of the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ply: Option<String>,
    /// Plies that the game goes on. Usual names: `boards_left`, `board_left`, `plies_left`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<String>,
    /// The game: a number or a name. Usual names: `game`, `game_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<String>,
    /// The phase of the game, for tapered weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// The factor of the endgame's part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<String>,
    /// The weight of the row in the loss.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<String>,
    /// Columns that are left out; `*` stands for any characters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignore: Vec<String>,
    /// The numbers that stand for a lost and for a won game; 0 and 1 if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<[f64; 2]>,
    /// The phases of a pure endgame and of a pure middlegame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phases: Option<[f64; 2]>,
    /// The scale that leaves the endgame's part as it is; 1 if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale_full: Option<f64>,
    /// For sparse text: a file with the names of the features, a name a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub names: Option<PathBuf>,
    /// For sparse text: the index of the first feature; 1 if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_index: Option<u16>,
}

/// Names of columns that are known without being named, by role.
const USUAL: [(Role, &[&str]); 6] = [
    (Role::Result, &["result", "winner"]),
    (Role::Score, &["score"]),
    (Role::Left, &["boards_left", "board_left", "plies_left"]),
    (Role::Game, &["game", "game_id"]),
    (Role::Ply, &["ply"]),
    // Of our rows and of SoFCheck's.
    (Role::Ignored, &["boards", "board_total"]),
];

/// What a column is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Feature(u16),
    Result,
    Score,
    Ply,
    Left,
    Game,
    Phase,
    Scale,
    Weight,
    Ignored,
}

impl Role {
    /// The name of a role as [`TableColumns::set`] takes it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Role::Feature(_) => "feature",
            Role::Result => "result",
            Role::Score => "score",
            Role::Ply => "ply",
            Role::Left => "left",
            Role::Game => "game",
            Role::Phase => "phase",
            Role::Scale => "scale",
            Role::Weight => "weight",
            Role::Ignored => "ignore",
        }
    }
}

impl TableColumns {
    /// Takes a word `ROLE=NAME` of a command line, whose name may be empty, or that of another field: `ignore=PATTERN`,
    /// `results=LOST,WON`, `phases=ENDGAME,MIDDLEGAME`, `scale_full=NUMBER`, `names=FILE`, `first_index=NUMBER`.
    ///
    /// # Errors
    /// When there is no such role, or a number cannot be read.
    pub fn set(&mut self, word: &str) -> Result<(), String> {
        let (role, name) = word.split_once('=').ok_or_else(|| Self::expected(word))?;
        let number =
            |text: &str| text.trim().parse::<f64>().map_err(|_| format!("{word:?}: expected a number, found {text:?}"));
        let range = || match name.split_once(',') {
            Some((from, to)) => Ok(Some([number(from)?, number(to)?])),
            None => Err(format!("{word:?}: expected two numbers with a comma")),
        };
        match role {
            "ignore" => self.ignore.push(name.to_string()),
            "results" => self.results = range()?,
            "phases" => self.phases = range()?,
            "scale_full" => self.scale_full = Some(number(name)?),
            "names" => self.names = Some(name.into()),
            "first_index" => {
                let index = name.parse().map_err(|_| format!("{word:?}: expected a whole number, found {name:?}"))?;
                self.first_index = Some(index);
            }
            _ => match self.roles_mut().into_iter().find(|(known, _)| known.name() == role) {
                Some((_, place)) => *place = Some(name.to_string()),
                None => return Err(Self::expected(word)),
            },
        }
        Ok(())
    }

    fn expected(word: &str) -> String {
        let roles = Self::default().roles_mut().map(|(role, _)| role.name()).join(", ");
        let others = "ignore, results, phases, scale_full, names, first_index";
        format!("{word:?}: expected ROLE=NAME, where ROLE is one of {roles}, {others}")
    }

    fn roles_mut(&mut self) -> [(Role, &mut Option<String>); 8] {
        [
            (Role::Result, &mut self.result),
            (Role::Score, &mut self.score),
            (Role::Ply, &mut self.ply),
            (Role::Left, &mut self.left),
            (Role::Game, &mut self.game),
            (Role::Phase, &mut self.phase),
            (Role::Scale, &mut self.scale),
            (Role::Weight, &mut self.weight),
        ]
    }

    /// The columns that are named for their roles.
    pub(super) fn named(&self) -> Vec<(Role, String)> {
        let mut copy = self.clone();
        let named = copy.roles_mut().map(|(role, name)| (role, name.clone()));
        named.into_iter().filter_map(|(role, name)| Some((role, name.filter(|name| !name.is_empty())?))).collect()
    }

    /// Whether nothing was said of `role`.
    pub(super) fn is_unsaid(&self, role: Role) -> bool {
        self.clone().roles_mut().into_iter().all(|(known, name)| known != role || name.is_none())
    }

    /// Whether `name` is to be left out.
    pub(super) fn is_ignored(&self, name: &str) -> bool {
        self.ignore.iter().any(|pattern| matches_pattern(pattern, name))
    }

    /// Checks the numbers by themselves. Returns the field and what is wrong with it.
    ///
    /// # Errors
    /// The first field that cannot be meant.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        let is_range = |range: Option<[f64; 2]>| range.is_none_or(|[a, b]| a.is_finite() && b.is_finite() && a != b);
        if !is_range(self.results) {
            return Err(("results", "expected two different numbers: of a lost and of a won game".into()));
        }
        if !is_range(self.phases) {
            return Err((
                "phases",
                "expected two different numbers: of a pure endgame and of a pure middlegame".into(),
            ));
        }
        if !self.scale_full.is_none_or(|full| full > 0.0 && full.is_finite()) {
            return Err(("scale_full", "expected a number above 0".into()));
        }
        let is_phase_named = self.phase.as_ref().is_some_and(|name| !name.is_empty());
        if is_phase_named && self.phases.is_none() {
            return Err((
                "phases",
                "is missing: the phases of a pure endgame and of a pure middlegame, such as 0,24".into(),
            ));
        }
        Ok(())
    }
}

/// The features of all files: those of the first one.
#[derive(Debug, Default)]
pub(super) struct FeatureNames {
    pub names: Vec<String>,
    numbers: HashMap<String, u16>,
    /// The file that they come from.
    pub from: String,
}

/// The role of each column of a file, in its order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Roles {
    pub of: Vec<Role>,
}

impl Roles {
    /// Whether a column has `role`.
    pub(super) fn has(&self, role: Role) -> bool {
        self.of.contains(&role)
    }

    /// The roles of the columns `header`; the features of the first file become those of all. `with_label`: rows begin with their
    /// result, which has no name.
    ///
    /// # Errors
    /// In words, what does not fit.
    pub(super) fn of_header(
        header: &[String],
        columns: &TableColumns,
        with_label: bool,
        features: &mut FeatureNames,
        file: &str,
    ) -> Result<Roles, String> {
        let mut places = HashMap::new();
        for (place, name) in header.iter().enumerate() {
            if let Some(before) = places.insert(name.as_str(), place) {
                return Err(format!("columns {} and {} are both called {name:?}", before + 1, place + 1));
            }
        }
        let mut roles: Vec<Option<Role>> =
            header.iter().map(|name| columns.is_ignored(name).then_some(Role::Ignored)).collect();
        for (role, name) in columns.named() {
            let Some(&place) = places.get(name.as_str()) else {
                return Err(format!(
                    "it has no column {name:?}, which was named as {}; its columns: {}",
                    role.name(),
                    listed(header)
                ));
            };
            if roles[place].is_some_and(|there| there != Role::Ignored) {
                return Err(format!("column {name:?} was named for two things"));
            }
            roles[place] = Some(role);
        }
        for (role, names) in USUAL {
            let is_open = columns.is_unsaid(role) && !(with_label && role == Role::Result);
            let place = names.iter().find_map(|name| places.get(name)).filter(|&&place| roles[place].is_none());
            if let (true, Some(&place)) = (is_open, place) {
                roles[place] = Some(role);
            }
        }
        if !with_label && !roles.contains(&Some(Role::Result)) {
            return Err(format!(
                "no column is called result: name it (--column result=NAME); its columns: {}",
                listed(header)
            ));
        }
        let rest = header.iter().zip(&roles).filter(|(_, role)| role.is_none()).map(|(name, _)| name.clone());
        features.take(rest.collect(), file)?;
        let role =
            |(name, role): (&String, Option<Role>)| role.unwrap_or_else(|| Role::Feature(features.numbers[name]));
        Ok(Roles { of: header.iter().zip(roles).map(role).collect() })
    }

    /// The roles of indices that have no names: an index is its own name, and that of a feature from `first` on.
    ///
    /// # Errors
    /// In words, when another file has features with names.
    pub(super) fn of_indices(
        first: u16,
        columns: &TableColumns,
        features: &mut FeatureNames,
        file: &str,
    ) -> Result<Roles, String> {
        let names: Vec<String> = (usize::from(first)..FEATURES_MAX).map(|index| index.to_string()).collect();
        let mut of: Vec<Role> = (0..names.len()).map(|number| Role::Feature(number as u16)).collect();
        for (role, name) in of.iter_mut().zip(&names).filter(|(_, name)| columns.is_ignored(name)) {
            debug_assert!(!name.is_empty());
            *role = Role::Ignored;
        }
        for (role, name) in columns.named() {
            let place = names.iter().position(|known| *known == name);
            let Some(place) = place else {
                return Err(format!(
                    "{name:?} was named as {}: without a file of names (names) it is an index",
                    role.name()
                ));
            };
            of[place] = role;
        }
        features.take(names, file)?;
        Ok(Roles { of })
    }
}

impl FeatureNames {
    /// Takes the features of the first file, or compares those of another one with them.
    fn take(&mut self, names: Vec<String>, file: &str) -> Result<(), String> {
        if names.is_empty() {
            return Err("it has no column of a feature".into());
        }
        if names.len() > FEATURES_MAX {
            return Err(format!("{} features; at most {FEATURES_MAX} are learned", names.len()));
        }
        if self.names.is_empty() {
            self.numbers = names.iter().enumerate().map(|(number, name)| (name.clone(), number as u16)).collect();
            (self.names, self.from) = (names, file.to_string());
            return Ok(());
        }
        if let Some(name) = names.iter().find(|name| !self.numbers.contains_key(*name)) {
            return Err(format!("column {name:?} is no column of {}: all files have the same features", self.from));
        }
        if names.len() < self.names.len() {
            let is_missing = |name: &&String| !names.contains(name);
            let missing = self.names.iter().find(is_missing).map_or("", String::as_str);
            return Err(format!("column {missing:?} of {} is missing: all files have the same features", self.from));
        }
        Ok(())
    }
}

/// Some of `names`, for an error.
fn listed(names: &[String]) -> String {
    let more = if names.len() > LISTED { format!(" and {} more", names.len() - LISTED) } else { String::new() };
    format!("{}{more}", names[..names.len().min(LISTED)].join(", "))
}

/// Whether `name` is what `pattern` describes, in which `*` stands for any characters, none included.
///
/// # Examples
/// ```
/// use tesuji_dataset::feature_table::matches_pattern;
/// assert!(matches_pattern("psq.*", "psq.knight.27") && matches_pattern("*.27", "psq.knight.27"));
/// assert!(!matches_pattern("psq", "psq.knight.27") && matches_pattern("a*b*c", "a-b-b-c"));
/// ```
pub fn matches_pattern(pattern: &str, name: &str) -> bool {
    let Some((head, mut rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(head) else { return false };
    while let Some((middle, behind)) = rest.split_once('*') {
        // The first place that fits leaves most to what follows.
        let Some(at) = name.find(middle) else { return false };
        (name, rest) = (&name[at + middle.len()..], behind);
    }
    name.ends_with(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(text: &str) -> Vec<String> {
        text.split(',').map(str::to_string).collect()
    }

    fn roles(text: &str, columns: &TableColumns) -> Result<Vec<Role>, String> {
        Roles::of_header(&header(text), columns, false, &mut FeatureNames::default(), "a.csv").map(|roles| roles.of)
    }

    #[test]
    fn usual_names_are_known_and_others_are_named() {
        use Role::{Feature, Game, Ignored, Left, Result, Score};
        let usual = roles("winner,game_id,board_total,board_left,a,b", &TableColumns::default());
        assert_eq!(usual, Ok(vec![Result, Game, Ignored, Left, Feature(0), Feature(1)]));
        let mut columns = TableColumns { ignore: vec!["fen*".into()], ..TableColumns::default() };
        for word in ["result=wdl", "score=cp", "game=", "results=-1,1"] {
            columns.set(word).unwrap();
        }
        assert_eq!(
            roles("wdl,cp,game,fen,fen_key,x", &columns),
            Ok(vec![Result, Score, Feature(0), Ignored, Ignored, Feature(1)])
        );
    }

    #[test]
    fn wrong_words_say_what_is_expected() {
        let check = |word: &str, says: &str| {
            let error = TableColumns::default().set(word).unwrap_err();
            assert!(error.contains(says), "{error}");
        };
        check("result", "expected ROLE=NAME, where ROLE is one of result, score");
        check("phases=24", "expected two numbers with a comma");
        check("phases=0,x", "expected a number, found \"x\"");
        check("first_index=-1", "expected a whole number");
    }

    #[test]
    fn what_is_wrong_with_a_header_is_said_with_its_names() {
        let check = |text: &str, columns: &TableColumns, says: &str| {
            let error = roles(text, columns).unwrap_err();
            assert!(error.contains(says), "{error}");
        };
        let plain = TableColumns::default();
        check("a,b", &plain, "no column is called result: name it (--column result=NAME); its columns: a, b");
        check("result,a,a", &plain, "columns 2 and 3 are both called \"a\"");
        check("result", &plain, "no column of a feature");
        let named = TableColumns { game: Some("id".into()), ..plain };
        check("result,a", &named, "it has no column \"id\", which was named as game; its columns: result, a");
    }

    #[test]
    fn later_files_have_the_features_of_the_first_in_any_order() {
        let (mut features, plain) = (FeatureNames::default(), TableColumns::default());
        let mut of = |text: &str| Roles::of_header(&header(text), &plain, false, &mut features, "a.csv");
        of("result,a,b").unwrap();
        assert_eq!(of("b,result,a").unwrap().of, [Role::Feature(1), Role::Result, Role::Feature(0)]);
        assert!(of("result,a,c").unwrap_err().contains("\"c\" is no column of a.csv"));
        assert!(of("result,a").unwrap_err().contains("column \"b\" of a.csv is missing"));
    }
}
