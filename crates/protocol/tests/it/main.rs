//! Both ends of each protocol against each other and against lines of the field.

mod fuzz;
mod gtp;
mod inverse;
mod uci;
mod usi;
mod xboard;
mod xboard_engine;
