//! Whether stdout was closed when the program began. Before `main` the standard library opens what is closed as `/dev/null`, for reading
//! and writing, and so do others who want nothing of what is written: only earlier than that the two are different.
#![allow(unsafe_code)]

/// Whether stdout was closed when the program began, so that nobody gets what is written there.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn was_stdout_closed() -> bool {
    early::WAS_CLOSED.load(std::sync::atomic::Ordering::Relaxed)
}

/// Elsewhere it is not known.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn was_stdout_closed() -> bool {
    false
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod early {
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    /// The result of [`look`].
    pub(super) static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

    /// The C library calls what this section holds before `main`.
    // SAFETY: the section is a list of functions with C's calling convention, and this is one of them.
    #[used]
    #[unsafe(link_section = ".init_array")]
    static LOOK: extern "C" fn() = look;

    extern "C" fn look() {
        // SAFETY: `fcntl` with `F_GETFD` takes two numbers by value and changes nothing; a closed descriptor is an error that it returns.
        WAS_CLOSED.store(unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) } == -1, Relaxed);
    }
}
