//! Parts shared by the kits of several games: searches over any evaluation, books, networks, learned positions.

pub mod architecture;
pub mod batched;
pub mod best_first;
pub mod book_convert;
pub mod book_import;
pub mod booked;
pub mod chances;
pub mod either;
pub mod handmade;
pub mod learned;
pub mod net;
pub mod nnue;
pub mod opening_book;
pub mod training;
pub mod tree_search;
