//! BattleField's command line (A. Kernozhitsky) as ours: `battlefield -q -j 2 -g 100 -c 1+0.01 -o games.pgn engine1 engine2`.

use super::FOREIGN_EXAMPLE;
use crate::TimeControl;
use crate::request_error::{Context as _, refuse};
use tesuji_jobs::words::quoted;
use tesuji_kit::RequestError;

/// Time by which BattleField lets engines overstep, in milliseconds.
const MARGIN_MS: &str = "500";

/// What its options ask for.
#[derive(Default)]
struct Asked {
    engines: Vec<String>,
    /// Options of ours, each with its value.
    rest: Vec<(&'static str, String)>,
    /// The option that limits a move or a game.
    limit: Option<String>,
    has_games: bool,
    has_openings: bool,
    has_jobs: bool,
}

/// Our command line, and what is otherwise here.
///
/// # Errors
/// When BattleField would not take it either.
pub(super) fn convert(words: &[String]) -> Result<(String, Vec<String>), RequestError> {
    let mut asked = Asked::default();
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        if !word.starts_with('-') || word == "-" {
            asked.engines.push(word.clone());
            continue;
        }
        if word == "-q" {
            asked.rest.push(("--quiet", String::new()));
            continue;
        }
        let Some(value) = words.next() else { refuse!("{word}: its value is missing") };
        asked.take(word, value)?;
    }
    asked.finish()
}

impl Asked {
    fn take(&mut self, option: &str, value: &str) -> Result<(), RequestError> {
        let count = || value.parse::<u64>().context(format_args!("{option} {value}: expected a number"));
        match option {
            "-j" => {
                self.has_jobs = true;
                self.rest.push(("--jobs", count()?.to_string()));
            }
            "-g" => {
                self.has_games = true;
                self.rest.push(("--games", count()?.to_string()));
            }
            "-o" => self.rest.push(("--pgn-out", value.to_string())),
            "-r" => self.rest.extend([("--sgs-out", value.to_string()), ("--sgs-style", "plain".to_string())]),
            "-d" => self.limit(option, "--depth", count()?.to_string())?,
            "-t" => self.limit(option, "--st", (count()? as f64 / 1e3).to_string())?,
            "-c" => {
                let control: TimeControl = value.parse().context(option)?;
                self.limit(option, "--tc", control.to_string())?;
            }
            "-f" => {
                self.has_openings = true;
                self.rest.push(("--openings", value.to_string()));
            }
            "-s" => self.rest.push(("--resign", format!("1/{}/both", count()?))),
            _ => refuse!("{option}: BattleField has no such option; expected {FOREIGN_EXAMPLE}"),
        }
        Ok(())
    }

    /// Takes the one limit of a game.
    fn limit(&mut self, option: &str, ours: &'static str, value: String) -> Result<(), RequestError> {
        if let Some(other) = self.limit.replace(option.to_string()) {
            refuse!("{option} beside {other}: expected one of -d DEPTH, -t MILLISECONDS and -c CONTROL");
        }
        self.rest.push((ours, value));
        // Depths are not timed.
        if ours != "--depth" {
            self.rest.push(("--margin", MARGIN_MS.to_string()));
        }
        Ok(())
    }

    fn finish(mut self) -> Result<(String, Vec<String>), RequestError> {
        if self.limit.is_none() {
            refuse!("no limit: expected one of -d DEPTH, -t MILLISECONDS and -c CONTROL");
        }
        if !self.has_games {
            refuse!("-g GAMES is missing");
        }
        let [first, second] = self.engines.as_slice() else {
            refuse!("{} engines: expected two", self.engines.len());
        };
        if !self.has_jobs {
            self.rest.push(("--jobs", "1".to_string()));
        }
        let mut ours = "tesuji match".to_string();
        for engine in [first, second] {
            ours += &format!(" \\\n    --engine {}", quoted(&format!("cmd={}", quoted(engine))));
        }
        for (option, value) in self.rest.iter().chain([&("--output", "battlefield".to_string())]) {
            ours += &format!(" \\\n    {option}");
            if !value.is_empty() {
                ours += &format!(" {}", quoted(value));
            }
        }
        let mut otherwise =
            vec!["each opening is played twice, with sides swapped (BattleField draws one for each game)"];
        if !self.has_openings {
            otherwise.push(
                "openings are those built in here (BattleField's are 247 lines of its own); -f FILE names others",
            );
        }
        Ok((ours, otherwise.into_iter().map(str::to_string).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::from_foreign_command;

    fn one_line(text: &str) -> String {
        text.replace(" \\\n    ", " ")
    }

    #[test]
    fn its_whole_command_line_is_taken() {
        let command =
            "battlefield -q -j 2 -g 100 -c '40/10+0.1|5+0.05' -o x.pgn -r x.sgs -f book.fen -s 600 ./new 'my engine'";
        let (ours, otherwise) = from_foreign_command(command).unwrap();
        assert_eq!(
            one_line(&ours),
            "tesuji match --engine cmd=./new --engine 'cmd='\"'\"'my engine'\"'\"'' --quiet --jobs 2 --games 100 \
             --tc '40/10+0.1|5+0.05' --margin 500 --pgn-out x.pgn --sgs-out x.sgs --sgs-style plain --openings book.fen \
             --resign 1/600/both --output battlefield"
        );
        assert_eq!(otherwise.len(), 1, "{otherwise:?}");
        let (ours, otherwise) = from_foreign_command("/usr/bin/battlefield -g 10 -t 250 a b").unwrap();
        assert!(one_line(&ours).contains("--games 10 --st 0.25 --margin 500 --jobs 1 --output battlefield"), "{ours}");
        assert_eq!(otherwise.len(), 2, "{otherwise:?}");
        assert!(from_foreign_command("battlefield -g 1 -d 3 a b").unwrap().0.contains("--depth 3"));
    }

    #[test]
    fn what_it_refuses_is_refused() {
        for (command, words) in [
            ("battlefield -g 1 -d 3 a", "1 engines: expected two"),
            ("battlefield -g 1 a b", "no limit"),
            ("battlefield -d 3 a b", "-g GAMES is missing"),
            ("battlefield -g 1 -d 3 -t 5 a b", "-t beside -d"),
            ("battlefield -g many -d 3 a b", "-g many: expected a number"),
            ("battlefield -g 1 -c soon a b", "-c: "),
            ("battlefield -g 1 -x 3 a b", "-x: BattleField has no such option"),
            ("battlefield a b -g", "-g: its value is missing"),
        ] {
            let error = from_foreign_command(command).unwrap_err().to_string();
            assert!(error.contains(words), "{command}: {error}");
        }
    }
}
