//! Tesuji with a fourth game, as tests need it: the same program, one more line in the table of games.

use tesuji_kit::{Games, Kit};

/// All games, Connect Four behind the others.
static GAMES: [&dyn Kit; 4] =
    [tesuji_kits::GAMES.0[0], tesuji_kits::GAMES.0[1], tesuji_kits::GAMES.0[2], &tesuji_four::FOUR];

fn main() -> std::process::ExitCode {
    tesuji_cli::main(Games(&GAMES))
}
