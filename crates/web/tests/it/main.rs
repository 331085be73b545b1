//! The server as a browser, a script and an attacker see it, with the toy game at the table.

mod attacks;
mod client;
mod connections;
mod files;
mod fleet;
mod jobs;
mod play;
mod records;
mod seats;
mod terms;
mod toy;
mod trees;
mod why_not;
