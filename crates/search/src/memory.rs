//! Memory for tables, asked for so that a refusal is an answer and not the end of the program.

use std::hint::black_box;
use tesuji_options::OptionError;

/// Asks the system for this many MiB in one piece and gives them back, for tables that grow into their size: whether they could
/// be had now. Costs nothing: no page is touched.
///
/// # Errors
/// When the system refuses, in the name of the option that asked.
pub fn check(option: &'static str, mib: usize) -> Result<(), OptionError> {
    let bytes = mib.checked_mul(1 << 20);
    // Seen by nobody, the request would be left out by the compiler, and believed to be granted.
    let is_there = bytes.is_some_and(|bytes| black_box(Vec::<u8>::new()).try_reserve_exact(black_box(bytes)).is_ok());
    if is_there { Ok(()) } else { Err(refusal(option, mib)) }
}

/// The error for an option that asks for more MiB than the system has.
pub(crate) fn refusal(option: &'static str, mib: usize) -> OptionError {
    OptionError::Failed { name: option, reason: format!("the system has no {mib} MiB of memory free; choose less") }
}

/// `len` items, each made by `make`; `None` where there is no memory for them. Large tables lie in huge pages where the system has them.
pub(crate) fn filled<T>(len: usize, make: impl FnMut() -> T) -> Option<Vec<T>> {
    let mut items = Vec::new();
    items.try_reserve_exact(len).ok()?;
    tesuji_system::memory::prefer_huge_pages(items.spare_capacity_mut());
    items.resize_with(len, make);
    Some(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_machine_has_is_refused() {
        assert_eq!(check("Hash", 1), Ok(()));
        let error = check("Hash", usize::MAX >> 21).expect_err("an exbibyte").to_string();
        assert!(error.starts_with("option Hash: the system has no ") && error.ends_with("choose less"), "{error}");
        assert!(check("Hash", usize::MAX).is_err());
        assert!(filled(usize::MAX >> 4, || 0_u8).is_none());
        assert_eq!(filled(3, || 1).map(|v| v.len()), Some(3));
    }
}
