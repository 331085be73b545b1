//! Matches and their statistics as text, JSON and HTML.

pub mod battlefield;
pub mod counted;
pub mod counts;
pub mod events;
pub mod history;
pub mod html;
pub mod live;
pub mod numbers;
pub mod plan;
pub mod ratings;
pub mod summary;
pub mod view;
pub mod warnings;
