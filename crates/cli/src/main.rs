//! Charter.
fn main() {}
