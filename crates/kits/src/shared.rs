//! What the kits of several games are made of: searches over any evaluation, books, networks, learned positions.

pub mod architecture;
pub(crate) mod best_first;
pub(crate) mod booked;
pub(crate) mod chances;
pub(crate) mod hand;
pub mod herd;
pub(crate) mod learned;
pub mod net;
pub mod net_files;
pub mod net_speed;
pub mod opening_book;
pub(crate) mod training;
pub(crate) mod tree_search;
