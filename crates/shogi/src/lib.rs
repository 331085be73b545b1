//! Shogi: rules, notation, exchanges, packed forms, record formats. Knows nothing about who is winning.
