//! The order and the headings of the options of subcommands that have many: what is used daily first, the rest by purpose. Examples in
//! help break only where a shell reads on.

use clap::Command;
use tesuji_jobs::words::broken_command;

/// Headings with the options below them; below the first one, which has no name, stand the common options.
type Sections = &'static [(&'static str, &'static str)];

/// The options of every subcommand.
const OF_ALL: [&str; 3] = ["log", "log_file", "force"];

const MATCH: Sections = &[
    ("", "engines each tc nodes games sprt openings jobs seed pgn_out resume quiet config"),
    ("Limits", "st depth stc ltc margin patience"),
    ("Game and tournament", "game rules rounds gauntlet knockout swiss tiebreaks sides event site"),
    ("Openings", "plies order start wanted"),
    ("End of games", "resign draw max_plies referee"),
    ("End of the match", "alpha beta model stop_width"),
    ("Files of games", "games_out sgs_out sgs_style sgf_out kif_out csa_out epd_out log_dialogue"),
    ("Journal, requests, machines", "journal fresh request print_request from_command fleet priority build_on_workers"),
    ("Reports", "output html json sigma anchor"),
    ("Instead of playing", "dry_run check stats pairs rate plan elo draws"),
    ("Making openings", "make_openings count balance spread"),
];

const SELFPLAY: Sections = &[
    ("", "games engine nodes soft_nodes tc out seed openings random_plies jobs resume quiet fleet"),
    ("Start positions", "rules starts shuffled_share balance balance_nodes"),
    ("End of games", "resign draw max_plies drop_short drop_unfinished"),
    ("Search, files and requests", "weights options search sgs_style request print_request priority build_on_workers"),
];

const SPSA: Sections = &[
    ("", "engine options options_file iterations pairs nodes tc st journal seed jobs quiet fleet"),
    ("Engine and openings", "search rules fixed weights openings rate"),
    ("Results", "prove numbers_out curves"),
    ("Requests and machines", "request print_request priority build_on_workers"),
];

/// Lines of help longer than this were broken in the source, and go on in the next one.
const BROKEN_FROM: usize = 90;

/// The program's arguments under their headings.
pub(crate) fn with_headings(command: Command) -> Command {
    let command = OF_ALL
        .iter()
        .fold(command, |command, id| command.mut_arg(id, |arg| arg.help_heading("All commands").display_order(1000)));
    [("match", MATCH), ("selfplay", SELFPLAY), ("spsa", SPSA)]
        .into_iter()
        .fold(command, |command, (name, sections)| command.mut_subcommand(name, |sub| sectioned(sub, sections)))
}

/// The program's arguments with examples that fit `columns`: clap would wrap them within a command. They stand behind two spaces.
/// Other lines that are broken in the source are joined, for clap to wrap.
pub(crate) fn with_whole_examples(command: Command, columns: usize) -> Command {
    let fitted = |text: String| {
        let mut out = String::new();
        let mut is_broken = false;
        for line in text.lines() {
            let is_prose = !line.starts_with("  ") && !line.is_empty();
            if !out.is_empty() {
                out.push(if is_broken && is_prose { ' ' } else { '\n' });
            }
            out += &if line.starts_with("  ") { broken_command(line, columns) } else { line.to_string() };
            is_broken = is_prose && line.chars().count() > BROKEN_FROM;
        }
        out
    };
    let help = command.get_after_help().map(|help| fitted(help.to_string()));
    let command = command.mut_subcommands(|sub| with_whole_examples(sub, columns));
    match help {
        Some(help) => command.after_help(help),
        None => command,
    }
}

/// A subcommand under headings.
fn sectioned(mut command: Command, sections: Sections) -> Command {
    let ids = sections.iter().flat_map(|(heading, ids)| ids.split(' ').map(move |id| (*heading, id)));
    for (order, (heading, id)) in ids.enumerate() {
        let heading = (!heading.is_empty()).then_some(heading);
        command = command.mut_arg(id, |arg| arg.help_heading(heading).display_order(order));
    }
    command
}
