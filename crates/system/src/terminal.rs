//! The terminal of this process.

use console::Term;

/// Columns of the terminal that stdout or stderr is; `None` where neither is one, or it does not know.
pub fn columns() -> Option<usize> {
    [Term::stdout(), Term::stderr()]
        .iter()
        .find_map(|term| term.size_checked())
        .map(|(_, columns)| usize::from(columns))
        .filter(|&columns| columns > 0)
}
