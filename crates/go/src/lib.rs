//! Go: boards, rules, scoring, life and ladders, record formats. Knows nothing about who is winning.
