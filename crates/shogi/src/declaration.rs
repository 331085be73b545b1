//! Declarations of a king that has entered the opponent's camp: how they may end a game.

/// The declaration rule (entering king): how a side whose king has entered the opponent's camp may end the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Declaration {
    /// Nobody may declare.
    None,
    /// 28 points win for the first side and 27 for the second.
    #[default]
    Points27,
    /// 31 points win, 24 to 30 make a draw.
    Points24,
    /// The king that reaches the start square of the other king wins.
    Try,
}

impl Declaration {
    /// All rules with their names in texts of rules.
    pub const NAMES: [(Declaration, &'static str); 4] = [
        (Declaration::Points27, "27-points"),
        (Declaration::Points24, "24-points"),
        (Declaration::Try, "try"),
        (Declaration::None, "no-declaration"),
    ];
}
