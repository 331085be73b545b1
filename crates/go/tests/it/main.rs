//! The oracles of go: rules and formats against other implementations and published figures.
