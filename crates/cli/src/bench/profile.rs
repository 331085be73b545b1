//! `tesuji bench --profile`: what the searches of a bench did, node by node and step by step.

use super::Args;
use crate::request::refused;
use std::process::ExitCode;
use tesuji_jobs::Interrupt;
use tesuji_kit::{
    Kit,
    bench::{ProfileRequest, profile},
};
use tesuji_report::bench::{profile as profile_text, table};

/// Profiles the games that have an alpha-beta search.
pub(super) fn run(args: &Args, kits: &[&'static dyn Kit]) -> anyhow::Result<ExitCode> {
    let interrupt = Interrupt::of_process();
    let mut all = Vec::new();
    for kit in kits.iter().filter(|kit| !args.games.is_empty() || kit.families().contains(&"alpha-beta")) {
        let request = ProfileRequest {
            game: kit.name().to_string(),
            depth: args.depth,
            nodes: args.nodes,
            options: args.options.clone(),
            ..ProfileRequest::default()
        };
        let profiled = profile(*kit, &request, &|| interrupt.is_raised());
        let profiled = profiled.map_err(|error| refused(error, &[("options", "set")]))?;
        if !args.json {
            print!("{}", profile_text::text(&profiled));
        }
        all.push(profiled);
    }
    if args.json {
        print!("{}", table::json(&all)?);
    }
    Ok(ExitCode::SUCCESS)
}
