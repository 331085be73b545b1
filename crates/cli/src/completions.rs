//! `tesuji completions` and `tesuji manual`: what a package puts beside the binary, made from the binary's own arguments.

use anyhow::Context;
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use std::{fs, io::Write, path::PathBuf, process::ExitCode};
use tesuji_jobs::{AtomicFile, terminal::Stdout};

/// Print the completions of a shell
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  tesuji completions bash > ~/.local/share/bash-completion/completions/tesuji
  tesuji completions zsh > ~/.zfunc/_tesuji
  tesuji completions fish > ~/.config/fish/completions/tesuji.fish")]
pub(crate) struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Write the manual pages
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  tesuji manual > tesuji.1
  tesuji manual --into man/man1")]
pub(crate) struct ManualArgs {
    /// A page for each subcommand, into this folder (pages that exist are replaced), instead of the first page on stdout
    #[arg(long, value_name = "FOLDER")]
    into: Option<PathBuf>,
}

/// Prints completions.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut crate::Cli::command(), "tesuji", &mut script);
    print(&script)
}

/// Prints or writes manual pages.
pub(crate) fn run_manual(args: ManualArgs) -> anyhow::Result<ExitCode> {
    // The line of the build is of this machine; a page is of the version.
    let mut command = crate::Cli::command().version(env!("CARGO_PKG_VERSION"));
    command.build();
    let Some(folder) = args.into else { return print(&page(command, "tesuji")?) };
    let place = || folder.display().to_string();
    fs::create_dir_all(&folder).with_context(place)?;
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help" && !sub.is_hide_set()) {
        let name = format!("tesuji-{}", sub.get_name());
        AtomicFile::write(&folder.join(format!("{name}.1")), &page(sub.clone(), &name)?)?;
    }
    AtomicFile::write(&folder.join("tesuji.1"), &page(command, "tesuji")?)?;
    Ok(ExitCode::SUCCESS)
}

/// One page, called `name`.
fn page(command: Command, name: &str) -> anyhow::Result<Vec<u8>> {
    let source = format!("tesuji {}", env!("CARGO_PKG_VERSION"));
    let page = clap_mangen::Man::new(command).title(name.to_uppercase()).source(source).manual("Tesuji");
    let mut text = Vec::new();
    page.render(&mut text)?;
    Ok(text)
}

/// Prints bytes.
fn print(bytes: &[u8]) -> anyhow::Result<ExitCode> {
    Stdout.write_all(bytes)?;
    Ok(ExitCode::SUCCESS)
}
