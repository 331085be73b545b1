//! Second opinions: the same figures computed another way, or by other programs.

mod fishtest;

mod ratings;
