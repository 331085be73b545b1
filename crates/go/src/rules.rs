//! The rules of go as flags, the usual sets of them by name, and their text.

use crate::Size;

/// The ko rule: the repetitions that are forbidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ko {
    /// Only taking one stone back at once. A situation that comes for the third time ends the game without a result.
    Simple,
    /// No move may bring back an earlier board.
    Positional,
    /// No move may bring back an earlier board with the same side to move.
    Situational,
}

/// The scoring method: the things counted at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scoring {
    /// Stones and the empty points that they surround.
    Area,
    /// Surrounded empty points and prisoners.
    Territory,
}

/// The group tax: the points deducted from surrounded territory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tax {
    /// Nothing.
    None,
    /// Points surrounded by stones in seki do not count.
    Seki,
    /// Nor do the two eyes that every living group needs (stone scoring).
    All,
}

/// White's compensation for handicap stones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bonus {
    /// Nothing.
    None,
    /// A point for each stone but the first.
    LessOne,
    /// A point for each stone.
    Full,
}

/// The rules of a game, its board and its komi. Small and copied freely.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rules {
    /// The board.
    pub size: Size,
    /// Komi: points for White for moving second, in half points, within ±[`Rules::KOMI_HALVES_MAX`].
    pub komi_halves: i16,
    /// Forbidden repetitions.
    pub ko: Ko,
    /// Whether a move may take its own chain of two or more stones off. A single stone never takes itself off.
    pub suicide: bool,
    /// The scoring method.
    pub scoring: Scoring,
    /// The points deducted from territory.
    pub tax: Tax,
    /// White's compensation for handicap stones.
    pub bonus: Bonus,
    /// Whether the first pass takes the button, worth half a point, and does not count towards the end.
    pub button: bool,
    /// Black stones on the fixed handicap points at the start: 0 or 2..=9, as many as the board has room for.
    pub handicap: u8,
}

/// A named set of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Preset {
    /// The name that [`Rules`] writes.
    pub name: &'static str,
    /// Other names that are read.
    pub aliases: &'static [&'static str],
    /// The flags, on 19x19 with the usual komi.
    pub rules: Rules,
}

const fn rules(ko: Ko, suicide: bool, scoring: Scoring, tax: Tax, bonus: Bonus, komi_halves: i16) -> Rules {
    let Some(size) = Size::square(19) else { panic!("19 lines are a board") };
    Rules { size, komi_halves, ko, suicide, scoring, tax, bonus, button: false, handicap: 0 }
}

const CHINESE: Rules = rules(Ko::Simple, false, Scoring::Area, Tax::None, Bonus::Full, 15);
const JAPANESE: Rules = rules(Ko::Simple, false, Scoring::Territory, Tax::Seki, Bonus::None, 13);
const AGA: Rules = rules(Ko::Situational, false, Scoring::Area, Tax::None, Bonus::LessOne, 15);

impl Rules {
    /// The largest komi either way, in half points.
    pub const KOMI_HALVES_MAX: i16 = 2000;

    /// The sets of rules with names. Of sets with equal flags (Japanese, Korean) the first name is written.
    pub const PRESETS: [Preset; 9] = [
        Preset { name: "chinese", aliases: &["china"], rules: CHINESE },
        Preset {
            name: "tromp-taylor",
            aliases: &["tt", "tromptaylor"],
            rules: rules(Ko::Positional, true, Scoring::Area, Tax::None, Bonus::None, 15),
        },
        Preset { name: "japanese", aliases: &["japan", "jp"], rules: JAPANESE },
        Preset { name: "korean", aliases: &["korea"], rules: JAPANESE },
        Preset { name: "aga", aliases: &["bga", "french"], rules: AGA },
        Preset {
            name: "new-zealand",
            aliases: &["nz", "newzealand"],
            rules: rules(Ko::Situational, true, Scoring::Area, Tax::None, Bonus::None, 14),
        },
        Preset {
            name: "chinese-superko",
            aliases: &["chinese-ogs", "chinese-kgs"],
            rules: Rules { ko: Ko::Positional, ..CHINESE },
        },
        Preset {
            name: "stone-scoring",
            aliases: &["ancient-area"],
            rules: rules(Ko::Simple, false, Scoring::Area, Tax::All, Bonus::None, 15),
        },
        Preset { name: "aga-button", aliases: &[], rules: Rules { button: true, komi_halves: 14, ..AGA } },
    ];

    /// The preset named `name` in any case; `_` and `-` are the same.
    pub fn preset(name: &str) -> Option<&'static Preset> {
        const ALL: &[Preset] = &Rules::PRESETS;
        let name = name.to_ascii_lowercase().replace('_', "-");
        ALL.iter().find(|p| p.name == name || p.aliases.contains(&name.as_str()))
    }

    /// The flags of `preset` with the board, komi and handicap of `self`.
    pub fn with_flags_of(self, preset: &Rules) -> Rules {
        Rules { size: self.size, komi_halves: self.komi_halves, handicap: self.handicap, ..*preset }
    }

    /// White's points before the game begins, in halves: komi and the bonus for `handicap` stones.
    pub const fn white_bonus_halves(&self, handicap: usize) -> i32 {
        let stones = match self.bonus {
            Bonus::None => 0,
            Bonus::LessOne => handicap.saturating_sub(1),
            Bonus::Full => handicap,
        };
        self.komi_halves as i32 + 2 * stones as i32
    }
}

impl Default for Rules {
    /// Chinese rules, 19x19, komi 7.5.
    fn default() -> Rules {
        CHINESE
    }
}
