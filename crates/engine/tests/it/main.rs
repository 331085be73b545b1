//! Sessions and players as others see them: transcripts with a scripted player, and real play of the toy game.

mod fuzz;
mod golden;
mod real;
mod scripted;
mod search_player;
mod session;
mod wire;
