//! Versions of an engine from git revisions, built side by side and ready for a match: repositories, recipes, compilers, a manifest.
//!
//! A [`BuildRequest`] says what is wanted: [`plan`] finds the revisions, [`build`] builds them, [`list`] says what is there.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod cargo;
pub mod fuzz;
mod make;
mod manifest;
mod outcome;
mod profile;
mod recipe;
mod request;
mod revision;
mod shell;
mod travel;
mod tree;
mod workers;

pub use outcome::{BuildOutcome, Built, BuiltVersion, Listed, Listing, Planned};
pub use recipe::{BuildTool, Recipe, RecipeFile};
pub use request::{BuildRequest, FOLDER, VERSION};
pub use travel::{build_ordered, order_of};
pub use workers::{build, list, plan};
