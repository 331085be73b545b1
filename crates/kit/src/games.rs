//! The games of a program: a table of kits, asked by name.

use crate::{Kit, networks::Networks, tuning::Tuning};
use anyhow::bail;

/// The games of a program, in the order in which they are listed. The first is the one that is meant where none is named.
///
/// # Examples
/// ```
/// use tesuji_kit::{Games, Kit, RulesOnly};
/// static RULES: tesuji_record::Of<tesuji_testkit::four::Four> = tesuji_record::of(&[]);
/// static FOUR: RulesOnly = RulesOnly(&RULES);
/// static ALL: [&dyn Kit; 1] = [&FOUR];
/// let games = Games(&ALL);
/// assert!(games.kit("Four").is_ok());
/// assert_eq!(games.kit("nim").err().unwrap().to_string(), "no game is called \"nim\"; there are: four");
/// assert!(games.names_with(|kit| kit.mates().is_some()).is_empty());
/// ```
#[derive(Clone, Copy)]
pub struct Games(pub &'static [&'static dyn Kit]);

impl Games {
    /// The game called `name`, whatever the case of its letters.
    ///
    /// # Errors
    /// When there is none; the words say which there are.
    pub fn kit(self, name: &str) -> anyhow::Result<&'static dyn Kit> {
        match self.0.iter().find(|kit| kit.name().eq_ignore_ascii_case(name)) {
            Some(kit) => Ok(*kit),
            None => bail!("no game is called {name:?}; there are: {}", self.names().join(", ")),
        }
    }

    /// The names of all games.
    pub fn names(self) -> Vec<&'static str> {
        self.0.iter().map(|kit| kit.name()).collect()
    }

    /// The names of the games that have something, in the order of the alphabet, for errors of the others.
    pub fn names_with(self, has: impl Fn(&'static dyn Kit) -> bool) -> Vec<&'static str> {
        let mut names: Vec<&str> = self.0.iter().filter(|kit| has(**kit)).map(|kit| kit.name()).collect();
        names.sort_unstable();
        names
    }

    /// The networks of a game.
    ///
    /// # Errors
    /// When it has none; the words say which games have.
    pub fn networks(self, kit: &dyn Kit) -> anyhow::Result<&'static dyn Networks> {
        match kit.networks() {
            Some(networks) => Ok(networks),
            None => {
                let known = self.names_with(|kit| kit.networks().is_some());
                bail!("{} has no networks; {} have", kit.name(), known.join(" and "))
            }
        }
    }

    /// The evaluation of the game called `name`, as learning sees it.
    ///
    /// # Errors
    /// When there is no such game, or none of its weights learn; the words say which games have some.
    pub fn tuning(self, name: &str) -> anyhow::Result<&'static Tuning> {
        let all = || self.0.iter().filter_map(|kit| kit.tuning());
        match all().find(|tuning| tuning.game().eq_ignore_ascii_case(name)) {
            Some(tuning) => Ok(tuning),
            None => {
                let known: Vec<&str> = all().map(|tuning| tuning.game()).collect();
                bail!("{name} has no weights that learn; these games have: {}", known.join(", "))
            }
        }
    }
}
