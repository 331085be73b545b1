//! The statistics and reports of `tesuji match` from outside.

use crate::match_::{engine, run};
use serde_json::Value;

/// Games of A, B and C with given results.
fn pgn(results: &[(&str, &str, &str)]) -> String {
    let game = |(white, black, result): &(&str, &str, &str)| {
        format!(
            "[Event \"?\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n1. e4 e5 {result}\n\n"
        )
    };
    results.iter().map(game).collect()
}

#[test]
fn players_of_files_are_rated() {
    let folder = tempfile::tempdir().unwrap();
    let broken =
        "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 2. Qh6 1-0\n\n[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 1-0\n";
    std::fs::write(folder.path().join("broken.pgn"), broken).unwrap();
    let (code, _, errors) = run(folder.path(), &["--rate", "broken.pgn"]);
    assert!(code == 0 && errors.contains("broken.pgn: line 4") && errors.contains("Qh6"), "{code} {errors}");
    let folder = tempfile::tempdir().unwrap();
    let mut games = Vec::new();
    for _ in 0..10 {
        games.extend([
            ("A", "B", "1-0"),
            ("B", "A", "1/2-1/2"),
            ("B", "C", "1-0"),
            ("C", "B", "1-0"),
            ("C", "A", "0-1"),
        ]);
        games.extend([("B", "C", "1/2-1/2"), ("A", "C", "0-1"), ("A", "B", "1-0")]);
    }
    std::fs::write(folder.path().join("one.pgn"), pgn(&games[..40])).unwrap();
    std::fs::write(folder.path().join("two.pgn"), pgn(&games[40..]) + &pgn(&[("A", "?", "1-0"), ("A", "B", "*")]))
        .unwrap();
    let (code, text, errors) = run(folder.path(), &["--rate", "one.pgn", "two.pgn", "--anchor", "C=2000"]);
    assert_eq!((code, errors.as_str()), (0, "Left out: 1 without a result, 1 without names games\n"));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "Ratings of 3 players from 80 games (maximum likelihood, C is 2000, ± 95 %):");
    assert!(lines[3].starts_with("   2  C         2000.0      0.0       50"), "{text}");
    let (code, text, _) = run(folder.path(), &["--rate", "one.pgn", "two.pgn", "--json"]);
    let value: Value = serde_json::from_str(&text).unwrap();
    let sum: f64 = value["players"].as_array().unwrap().iter().map(|p| p["elo"].as_f64().unwrap()).sum();
    assert!(code == 0 && sum.abs() < 1e-6 && value["better"][0][2].as_f64().unwrap() > 0.5, "{text}");
    for (args, words) in [
        (vec!["--rate", "no.pgn"], "no.pgn"),
        (vec!["--rate", "one.xyz"], "no game has a format of this name"),
        (vec!["--rate", "one.pgn", "--anchor", "D=1"], "no player is called \"D\""),
    ] {
        let (code, _, errors) = run(folder.path(), &args);
        assert!(code == 2 && errors.contains(words), "{args:?}: {code} {errors}");
    }
}

#[test]
fn plans_need_no_engines() {
    let folder = tempfile::tempdir().unwrap();
    let (code, text, _) = run(folder.path(), &["--plan", "--elo", "5", "--draws", "0.6", "--tc", "10+0.1", "-j", "4"]);
    assert!(code == 0 && text.contains("± 5 Elo (95 %) takes 7420 games (15."), "{text}");
    assert!(text.contains("SPRT 0 to 5 (normalised, errors 0.05 and 0.05):"), "{text}");
    let (_, text, _) =
        run(folder.path(), &["--plan", "--elo", "5", "--sprt", "-3", "1", "--model", "logistic", "--json"]);
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((value["sprt"]["tests"].as_array().unwrap().len(), &value["seconds_a_game"]), (3, &Value::Null));
    let (code, _, errors) = run(folder.path(), &["--plan", "--draws", "1.5"]);
    assert!(code == 2 && errors.contains("'1.5' for '--draws"), "{errors}");
    let (code, _, errors) = run(folder.path(), &["--plan", "--elo", "1e-9"]);
    assert!(code == 2 && errors.contains("a difference of at least 0.01 is needed"), "{errors}");
    let (code, _, errors) = run(folder.path(), &["--plan", "--elo", "5", "--tc", "-5"]);
    assert!(code == 2 && errors.contains("'-5' for '--tc"), "{errors}");
}

#[test]
fn tournaments_end_with_ratings() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b, c] = [engine("A", "--seed 1"), engine("B", "--seed 2"), engine("C", "--do illegal --at 6")];
    let args =
        ["--engine", &a, "--engine", &b, "--engine", &c, "--nodes", "1", "--games", "6", "--seed", "3", "--quiet"];
    let (code, text, errors) = run(folder.path(), &args);
    assert!(code == 5 && text.starts_with("Ratings of 3 players from 18 games"), "{text}{errors}");
    assert!(text.contains("so that no Elo is enough") && text.contains("Ended by:"), "{text}");
    let args: Vec<&str> = args[..12].iter().copied().chain(["--json", "--fresh", "--html", "t.html"]).collect();
    let (_, text, _) = run(folder.path(), &args);
    let end: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(end["ratings"]["players"].as_array().unwrap().len(), 3);
    let page = std::fs::read_to_string(folder.path().join("t.html")).unwrap();
    assert!(section(&page, "Ratings").contains("Ratings of 3 players from 18 games"), "{page}");
    // A wrong anchor is told before anything is played.
    let args: Vec<&str> = args[..12].iter().copied().chain(["--fresh", "--anchor", "D=0"]).collect();
    let (code, text, errors) = run(folder.path(), &args);
    assert!(code == 2 && text.is_empty() && errors.contains("no player is called \"D\""), "{text}{errors}");
}

/// Widths are looked at after every pair, and an interval that is narrow enough is an end like any other.
#[test]
fn narrow_intervals_end_a_match() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b] = [engine("A", "--seed 1"), engine("B", "--seed 2")];
    let args = ["--engine", &a, "--engine", &b, "--nodes", "1", "--games", "2000", "--seed", "3", "-j", "2"];
    let args: Vec<&str> = args.into_iter().chain(["--stop-width", "250", "--json", "--max-plies", "60"]).collect();
    let (code, text, errors) = run(folder.path(), &args);
    let end: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let elo = &end["pairings"][0]["pairs"]["elo"];
    let width = elo["high"].as_f64().unwrap() - elo["low"].as_f64().unwrap();
    assert_eq!((code, &end["end"]), (0, &"narrow".into()), "{errors}");
    assert!(width <= 250.0 && end["games"].as_u64().unwrap() < 400, "{end}");
    let (code, _, errors) = run(folder.path(), &["--engine", &a, "--engine", &b, "--nodes", "1", "--stop-width", "0"]);
    assert!(code == 2 && errors.contains("--stop-width 0"), "{errors}");
}

/// BattleField's own lines on stderr, its block on stdout, and no styles without a terminal.
#[test]
fn battlefield_s_words_can_be_had() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b] = [engine("A", "--seed 1"), engine("B", "--seed 2 --do illegal --odds 300")];
    let args = ["--engine", &a, "--engine", &b, "--nodes", "1", "--games", "8", "--seed", "3", "-j", "2"];
    let args: Vec<&str> = args.into_iter().chain(["--output", "battlefield"]).collect();
    let (_, block, lines) = run(folder.path(), &args);
    assert!(!block.contains('\x1b') && !lines.contains('\x1b'), "{block}{lines}");
    let lines: Vec<&str> = lines.lines().filter(|l| *l != "Engine \"B\" played an invalid move!").collect();
    assert_eq!(lines.len(), 8, "{lines:?}");
    for (index, line) in lines.iter().enumerate() {
        let rest = line.strip_prefix(&format!("{}/8 games (", index + 1)).unwrap();
        let (times, rest) = rest.split_once("), score = ").unwrap();
        let times: Vec<&str> = times.split('/').collect();
        assert!(times.len() == 2 && times.iter().all(|t| t.ends_with(" sec") && t.contains('.')), "{line}");
        let (score, confidence) = rest.split_once(", confidence = ").unwrap();
        let points: f64 = score.split(':').map(|p| p.parse::<f64>().unwrap()).sum();
        assert!(points == index as f64 + 1.0 && !confidence.is_empty(), "{line}");
    }
    // The same counts without playing give the same block.
    let counts: Vec<String> = block.lines().next().unwrap().split([' ', ',']).map(str::to_string).collect();
    let (code, again, _) =
        run(folder.path(), &["--stats", &counts[1], &counts[7], &counts[4], "--output", "battlefield"]);
    assert_eq!((code, again), (0, block));
    let c = engine("C", "--seed 3");
    let args = ["--engine", &a, "--engine", &b, "--engine", &c, "--nodes", "1", "--fresh", "--output", "battlefield"];
    let (code, _, errors) = run(folder.path(), &args);
    assert!(code == 2 && errors.contains("matches of two only"), "{errors}");
}

/// The part of a page under a heading.
fn section<'a>(page: &'a str, title: &str) -> &'a str {
    let (_, rest) = page.split_once(&format!("<h2>{title}</h2>")).unwrap_or_else(|| panic!("{title}: {page}"));
    rest.split_once("</section>").unwrap().0
}

/// The page is whole at the end, loads nothing, escapes names, and is the same when a resumed match makes it again.
#[test]
fn pages_show_the_way_to_the_result() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b] = [engine("A&amp", "--seed 1"), engine("<b>", "--seed 2 --do crash --odds 300")];
    let args = ["--engine", &a, "--engine", &b, "--nodes", "1", "--games", "40", "--seed", "3", "-j", "1", "--quiet"];
    let args: Vec<&str> = args.into_iter().chain(["--sprt", "-500", "500", "--html", "report.html"]).collect();
    let (_, text, errors) = run(folder.path(), &args);
    let page = std::fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"), "{text}{errors}");
    assert!(page.contains("<title>A&amp;amp – &lt;b&gt;</title>") && !page.contains("<b>"), "{page}");
    assert!(!page.contains("http-equiv") && !page.contains("src=") && !page.contains("href="), "{page}");
    assert!(!page.contains("NaN") && !page.contains(">inf"), "{page}");
    let elo_line = text.lines().find(|l| l.starts_with("Elo (pairs)")).unwrap();
    assert!(page.contains(elo_line), "{elo_line}");
    for title in ["How games ended", "Plies of games", "Openings", "Time and faults"] {
        assert!(!section(&page, title).trim().is_empty());
    }
    let (_, _, errors) = run(folder.path(), &["--resume", "--quiet", "--html", "again.html"]);
    let again = std::fs::read_to_string(folder.path().join("again.html")).unwrap_or_else(|e| panic!("{e}: {errors}"));
    for title in ["Elo over games", "Log-likelihood ratio over games", "Openings", "Plies of games"] {
        assert_eq!(section(&page, title), section(&again, title));
    }
    let (code, _, errors) =
        run(folder.path(), &["--engine", &a, "--engine", &b, "--nodes", "1", "--fresh", "--html", "no/where.html"]);
    assert!(code == 2 && errors.contains("no/"), "{code} {errors}");
}

/// Every event has the fields that its description promises.
#[test]
fn events_are_complete() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b] = [engine("A", "--seed 1"), engine("B", "--seed 2 --do illegal --odds 100")];
    let args = ["--engine", &a, "--engine", &b, "--nodes", "1", "--games", "6", "--seed", "3", "--json"];
    let (_, text, _) = run(folder.path(), &args.into_iter().chain(["--sprt", "-500", "500"]).collect::<Vec<_>>());
    let events: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let described = include_str!("../../../report/src/matches/events.rs");
    let mut kinds = Vec::new();
    for event in &events {
        let kind = event["event"].as_str().unwrap();
        let (_, rest) = described.split_once(&format!("//! - `{kind}`")).unwrap();
        let rest = rest.split_once("//! - `").map_or(rest, |(words, _)| words);
        for field in event.as_object().unwrap().keys().filter(|f| *f != "event") {
            assert!(rest.contains(&format!("`{field}`")), "{kind}: {field} is not described");
        }
        kinds.push(kind);
    }
    assert_eq!((kinds.first(), kinds.last()), (Some(&"start"), Some(&"end")));
    assert!(events[2]["llr"].is_number() && events[1]["used"][0]["moves"].as_u64().unwrap() > 0);
    assert!(events[0]["sprt"]["model"] == "normalised");
}

/// BayesElo's model knows games only: a match tests its games by it, and pairs are refused.
#[test]
fn bayesian_tests_are_of_games() {
    let folder = tempfile::tempdir().unwrap();
    let sprt = ["--sprt", "0", "5", "--model", "bayesian"];
    let (code, text, _) = run(folder.path(), &[&["--stats", "1940", "1337", "1723"][..], &sprt].concat());
    assert!(code == 0 && text.contains("SPRT (games): 0 to 5 (bayesian): LLR 3.35"), "{text}");
    let (code, _, errors) = run(folder.path(), &[&["--pairs", "1", "2", "3", "4", "5"][..], &sprt].concat());
    assert!(code == 2 && errors.contains("a model of games"), "{errors}");
    let [good, bad] = [engine("good", "--seed 1"), engine("bad", "--do illegal --at 6")];
    let args =
        ["--engine", &good, "--engine", &bad, "--nodes", "1", "--quiet", "--sprt", "-5", "200", "--model", "bayesian"];
    let (code, text, errors) = run(folder.path(), &args);
    assert!(
        code == 0 && text.contains("SPRT (games): -5 to 200 (bayesian)") && text.contains("H1 accepted"),
        "{text}{errors}"
    );
    let (code, _, _) = run(folder.path(), &["--plan", "--stats", "1", "2", "3"]);
    assert_eq!(code, 2);
}
