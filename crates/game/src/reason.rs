//! Reasons why a search left a node, and marks of nodes: their codes, the words that saved trees and listings have for them, and the
//! labels that readers see in four languages. A new reason is a row of this table and nothing else.

use std::fmt;

/// A short label in the languages of the page.
///
/// # Examples
/// ```
/// use tesuji_game::Reason;
/// assert_eq!(Reason::NullMove.label().en, "null move");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label {
    /// English.
    pub en: &'static str,
    /// Japanese.
    pub ja: &'static str,
    /// Russian.
    pub ru: &'static str,
    /// Chinese.
    pub zh: &'static str,
}

impl Label {
    const fn new(en: &'static str, ja: &'static str, ru: &'static str, zh: &'static str) -> Label {
        Label { en, ja, ru, zh }
    }
}

/// Declares the reasons, each with its stable code, the words that saved trees and listings have for it, and its label
/// in English, Japanese, Russian and Chinese.
macro_rules! reasons {
    ($($(#[$about:meta])* $name:ident = $code:literal => $words:literal, $en:literal, $ja:literal, $ru:literal, $zh:literal;)+) => {
        /// The reason why alpha-beta left a node, or did not enter it.
        ///
        /// # Examples
        ///
        /// ```
        /// use tesuji_game::Reason;
        /// assert!(Reason::all().all(|reason| usize::from(reason.code()) < Reason::CODES));
        /// assert!(Reason::NullMove.is_cut() && !Reason::Searched.is_cut());
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        #[repr(u8)]
        pub enum Reason {
            $($(#[$about])* $name = $code,)+
        }

        impl Reason {
            const ALL: &[Reason] = &[$(Reason::$name,)+];

            const fn row(self) -> (&'static str, Label) {
                match self {
                    $(Reason::$name => ($words, Label::new($en, $ja, $ru, $zh)),)+
                }
            }
        }
    };
}

// A code is never given to another reason: pages, saved profiles and other programs count by it. 0 stands for no reason; 14 to 17 are
// those of `NodeMark`. `web/i18n/reasons.json`, from which the page has the labels, is written from this table (`UPDATE=1`).
reasons! {
    /// All moves were looked at.
    #[default]
    Searched = 1 => "searched", "all moves were looked at", "全手を探索", "просмотрены все ходы", "已搜索全部着法";
    /// A move was too good to be allowed.
    Beta = 2 => "cut: a move is too good", "a move is too good", "良すぎる手", "ход слишком хорош", "着法过好";
    /// The rules, or a return to an earlier position.
    Rules = 3 => "ended by the rules", "ended by the rules", "規則による終了", "конец по правилам", "按规则结束";
    /// A shorter mate is known.
    MateDistance = 4 => "cut: a shorter mate is known", "a shorter mate is known", "より短い詰みあり", "известен более короткий мат", "已知更短的杀";
    /// The transposition table knew enough.
    Table = 5 => "cut by the table", "the table knew", "置換表", "отсечено таблицей", "置换表截断";
    /// Endgame tables knew.
    Endgame = 6 => "cut by endgame tables", "endgame tables", "終盤表", "таблицы окончаний", "残局库";
    /// So far below the window that captures settle it.
    Razoring = 7 => "cut by razoring", "razoring", "レイザリング", "бритьё", "剃刀剪枝";
    /// So far above the window that nothing was tried.
    ReverseFutility = 8 => "cut by reverse futility", "reverse futility", "逆フューティリティ", "обратная тщетность", "反向无望剪枝";
    /// Passing was good enough.
    NullMove = 9 => "cut by a null move", "null move", "ヌルムーブ", "пустой ход", "空着剪枝";
    /// A capture was good enough with less depth.
    Probcut = 10 => "cut by probcut", "probcut", "プロブカット", "пробкат", "概率剪枝";
    /// Several moves are too good.
    MultiCut = 11 => "cut: several moves are too good", "several moves are too good", "複数の好手", "несколько ходов слишком хороши", "多着法过好";
    /// The side to move mates at once.
    MateAtOnce = 18 => "cut: a mate at once", "a mate at once", "一手詰み", "мат в один ход", "一步杀";
    /// The depth was used up: captures alone.
    Quiescence = 12 => "captures only", "captures only", "静止探索", "только взятия", "仅吃子";
    /// The move was not entered: too late, too quiet or a loss of material.
    LeftOut = 13 => "left out", "left out", "省略", "отброшен", "剪去";
}

impl Reason {
    /// All codes are less than this.
    pub const CODES: usize = {
        let (mut end, mut i) = (0, 0);
        while i < Self::ALL.len() {
            let code = Self::ALL[i].code() as usize;
            end = if code >= end { code + 1 } else { end };
            i += 1;
        }
        end
    };

    /// The reason's code, for wires and tables; at least 1 and less than [`Reason::CODES`].
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// Every reason.
    pub fn all() -> impl Iterator<Item = Reason> {
        Self::ALL.iter().copied()
    }

    /// Whether the node was left before its moves were searched to the end.
    pub fn is_cut(self) -> bool {
        !matches!(self, Reason::Searched | Reason::Rules | Reason::Quiescence | Reason::LeftOut)
    }

    /// The label that a reader is shown.
    pub fn label(self) -> Label {
        self.row().1
    }
}

/// The mark of a node by a search other than alpha-beta, under codes that no [`Reason`] has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum NodeMark {
    /// The value was learned in earlier games.
    Learned = 14,
    /// A transposition: the position also stands elsewhere in the tree.
    Elsewhere = 15,
    /// A move of the attacker in a mate problem.
    Attack = 16,
    /// A move of the defender in a mate problem.
    Defence = 17,
}

impl NodeMark {
    /// Every mark.
    pub const ALL: [NodeMark; 4] = [NodeMark::Learned, NodeMark::Elsewhere, NodeMark::Attack, NodeMark::Defence];

    /// The mark's code, for wires and tables.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The label that a reader is shown.
    pub fn label(self) -> Label {
        match self {
            NodeMark::Learned => Label::new("learned before", "学習済み", "выучено раньше", "此前学得"),
            NodeMark::Elsewhere => {
                Label::new("same position elsewhere", "同一局面", "та же позиция в другом месте", "别处同一局面")
            }
            NodeMark::Attack => Label::new("move of the attacker", "攻方の手", "ход атакующего", "攻方着法"),
            NodeMark::Defence => Label::new("move of the defender", "受方の手", "ход защиты", "守方着法"),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.row().0)
    }
}
