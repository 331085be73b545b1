//! `print!`, `println!`, `eprint!` and `eprintln!` of this crate: they stand before those of the standard library, which
//! panic when a reader is gone or a disk is full.

macro_rules! print {
    ($($text:tt)*) => { tesuji_jobs::terminal::print(format_args!($($text)*)) };
}

macro_rules! println {
    () => { tesuji_jobs::terminal::print(format_args!("\n")) };
    ($($text:tt)*) => { tesuji_jobs::terminal::print(format_args!("{}\n", format_args!($($text)*))) };
}

macro_rules! eprint {
    ($($text:tt)*) => { tesuji_jobs::terminal::eprint(format_args!($($text)*)) };
}

macro_rules! eprintln {
    () => { tesuji_jobs::terminal::eprint(format_args!("\n")) };
    ($($text:tt)*) => { tesuji_jobs::terminal::eprint(format_args!("{}\n", format_args!($($text)*))) };
}
