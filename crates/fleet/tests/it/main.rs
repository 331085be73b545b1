//! What every queue must do, and what happens when workers, coordinators and servers die.

mod deaths;
mod failures;
mod keys;
mod kinds;
mod local;
mod nats;
mod sandbox;
mod stage;
mod suite;
