//! Builds of versions whose authors nobody knows.

mod planted;
