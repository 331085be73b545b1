//! Integration tests of the searches, on the toy game.
