//! Limits on the output of an engine before its answer: an engine that floods its greeting must not fill the memory of the runner.

/// Lines and bytes left for one answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Quota {
    lines: usize,
    bytes: usize,
}

impl Quota {
    /// Lines of a greeting. Engines with many options have a few hundred.
    pub(crate) const GREETING_LINES_MAX: usize = 10_000;
    /// Bytes of a greeting, line ends left out.
    pub(crate) const GREETING_BYTES_MAX: usize = 4 << 20;
    /// For what comes before `uciok`, `usiok` and the like, whose options are kept.
    pub(crate) const GREETING: Quota = Quota { lines: Quota::GREETING_LINES_MAX, bytes: Quota::GREETING_BYTES_MAX };
    /// For all that is not kept, where patience alone is the limit.
    pub(crate) const UNLIMITED: Quota = Quota { lines: usize::MAX, bytes: usize::MAX };

    /// Takes a line off; `false` when it was one too many.
    pub(crate) fn take(&mut self, line: &str) -> bool {
        let left = self.lines.checked_sub(1).zip(self.bytes.checked_sub(line.len()));
        if let Some((lines, bytes)) = left {
            *self = Quota { lines, bytes };
        }
        left.is_some()
    }
}

/// The error message for a greeting that is longer than [`Quota::GREETING`].
pub(crate) fn flooded() -> String {
    let (lines, mib) = (Quota::GREETING_LINES_MAX, Quota::GREETING_BYTES_MAX >> 20);
    format!("its greeting does not end: more than {lines} lines or {mib} MiB")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_bytes_are_counted_down() {
        let mut quota = Quota { lines: 3, bytes: 10 };
        assert!(quota.take("12345") && quota.take("12345"));
        assert!(!quota.take("1"), "no bytes are left");
        assert!(quota.take("") && !quota.take(""), "no lines are left");
        let mut endless = Quota::UNLIMITED;
        assert!((0..100).all(|_| endless.take("info depth 1")));
    }
}
