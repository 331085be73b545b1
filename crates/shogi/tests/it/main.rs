//! The oracles of shogi: rules and formats against other implementations and published figures.
