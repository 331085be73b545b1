//! sgf-parse as a second reader.
