//! The binary `tesuji`: what its crate's library runs.

fn main() -> std::process::ExitCode {
    tesuji_cli::main(tesuji_kits::GAMES)
}
