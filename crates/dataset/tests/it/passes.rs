//! What passes over data promise.

use crate::files::*;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use tesuji_dataset::data::{Item, Job, Routed, Sieve, convert, dedup, each, peek, shuffle, split_of, summarise};
use tesuji_jobs::Interrupt;
use tesuji_record::{GameRecord, Sample};

/// All positions of a file.
fn samples(path: &Path) -> Vec<Sample> {
    let mut all = Vec::new();
    peek(&[input(path)], 0, u64::MAX, |_, item| {
        if let Item::Sample(sample) = item {
            all.push(Sample { facts: None, ..sample.clone() });
        }
    })
    .unwrap();
    all
}

/// All games of a file.
fn games(path: &Path) -> Vec<GameRecord<String>> {
    let mut all = Vec::new();
    peek(&[input(path)], 0, u64::MAX, |_, item| {
        if let Item::Game(game) = item {
            all.push(game.clone());
        }
    })
    .unwrap();
    all
}

/// Enough games for several blocks of 256 KiB.
const GAMES: usize = 1000;

#[test]
fn every_format_is_written_the_same_by_any_number_of_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let source = games_file(folder.path(), "games.sgs", GAMES, 1);
    for name in ["a.pgn", "a.viri", "a.boards", "a.parquet", "a.bullet", "a.txt", "a.fen", "a.epd.zst", "a.sgs.gz"] {
        let tally = convert_file(&source, &at(name), 1).unwrap();
        let one = bytes(&at(name));
        assert!(tally.written >= 1000 && one.len() > 1000, "{name}: {tally:?}");
        let again = convert_file(&source, &at(name), 4).unwrap();
        assert_eq!((again.written, &again.left), (tally.written, &tally.left), "{name}");
        assert!(bytes(&at(name)) == one, "{name}");
        std::fs::remove_file(at(name)).unwrap();
    }
    assert_eq!(names(folder.path()), ["games.sgs"]);
}

#[test]
fn games_survive_the_way_through_positions_and_packed_games() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let source = games_file(folder.path(), "games.sgs", GAMES, 2);
    convert_file(&source, &at("a.parquet"), 3).unwrap();
    convert_file(&at("a.parquet"), &at("b.sgs"), 3).unwrap();
    assert!(bytes(&source) == bytes(&at("b.sgs")));
    convert_file(&at("a.parquet"), &at("b.parquet"), 2).unwrap();
    assert!(samples(&at("a.parquet")) == samples(&at("b.parquet")));
    convert_file(&source, &at("a.viri"), 3).unwrap();
    convert_file(&at("a.viri"), &at("c.sgs"), 3).unwrap();
    // Packed games have no origin.
    let bare = |mut game: GameRecord<String>| {
        game.tags.clear();
        game
    };
    let expected: Vec<_> = games(&source).into_iter().map(bare).collect();
    assert!(games(&at("c.sgs")) == expected);
    let positions: usize = expected.iter().map(|g| g.plies() + 1).sum();
    assert_eq!(samples(&at("a.parquet")).len(), positions);
}

/// A pass that is stopped after some blocks, again and again, until it comes to an end.
#[test]
fn a_stopped_pass_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let sources = [games_file(folder.path(), "a.sgs", GAMES, 3), games_file(folder.path(), "b.pgn", GAMES, 4)];
    convert_file(&sources[1], &at("b.pgn.zst"), 2).unwrap();
    let inputs = [input(&sources[0]), input(&at("b.pgn.zst"))];
    let keep = Sieve { share: Some((0.5, 9)), ..Sieve::default() };
    for name in ["whole.parquet", "whole.txt.zst"] {
        let run = |job: &Job<'_>, name: &str| {
            convert(job, &[output(&at(name))], |block, routed: Routed, fault| {
                vec![keep.sift(routed, &LENS, (block as u64) << 32, fault)]
            })
        };
        with_job(&inputs, 3, |job| run(job, name)).unwrap();
        let (again, mut stops, mut tally) = (name.replace("whole", "again"), 0, None);
        while tally.is_none() {
            let interrupt = Interrupt::new();
            let blocks = AtomicUsize::new(0);
            let tell = |_: &_| {
                if blocks.fetch_add(1, SeqCst) >= 2 {
                    interrupt.raise();
                }
            };
            let done = with_job(&inputs, 1, |job| {
                run(&Job { resume: true, interrupt: &interrupt, tell: &tell, ..job.clone() }, &again)
            });
            let done = done.unwrap();
            if done.stopped {
                stops += 1;
                assert!(!at(&again).exists() && at(&format!("{again}.part")).exists());
                // A kill may have left more than the journal knows.
                let mut part = std::fs::OpenOptions::new().append(true).open(at(&format!("{again}.part"))).unwrap();
                std::io::Write::write_all(&mut part, b"torn").unwrap();
            } else {
                tally = Some(done);
            }
        }
        assert!(stops > 1, "{stops}");
        assert!(bytes(&at(name)) == bytes(&at(&again)), "{name}");
        assert!(!at(&format!("{again}.part")).exists() && !at(&format!("{again}.part.journal")).exists());
    }
}

/// All is written, and the second output cannot get its name: as a kill between the two names would leave it.
#[test]
fn a_pass_that_ended_between_two_names_is_ended_later() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let inputs = [input(&games_file(folder.path(), "a.sgs", GAMES, 3))];
    for ending in ["parquet", "txt", "sgs"] {
        let run = |names: [&str; 2]| {
            let outputs = names.map(|name| output(&at(&format!("{name}.{ending}"))));
            with_job(&inputs, 2, |job| {
                let job = Job { resume: true, ..job.clone() };
                convert(&job, &outputs, |block, routed: Routed, _| routed.part(2, |_, _| Some(block % 2)))
            })
        };
        let whole = run(["odd", "even"]).unwrap();
        let second = at(&format!("second.{ending}"));
        std::fs::create_dir_all(second.join("in the way")).unwrap();
        let error = run(["first", "second"]).unwrap_err().to_string();
        assert!(error.contains(&format!("second.{ending}: ")), "{error}");
        assert!(at(&format!("first.{ending}")).exists() && !at(&format!("first.{ending}.part")).exists());
        std::fs::remove_dir_all(&second).unwrap();
        let ended = run(["first", "second"]).unwrap();
        assert_eq!((ended.records, ended.written), (whole.records, whole.written));
        for (done, expected) in [("first", "odd"), ("second", "even")] {
            let [done, expected] = [done, expected].map(|name| bytes(&at(&format!("{name}.{ending}"))));
            assert!(done == expected && done.len() > 1000, "{ending}");
        }
        assert!(names(folder.path()).iter().all(|name| !name.contains(".part")));
    }
}

#[test]
fn other_work_is_not_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let inputs = [input(&games_file(folder.path(), "a.sgs", 50, 3))];
    let interrupt = Interrupt::new();
    interrupt.raise();
    let run = |words: &str, resume: bool| {
        with_job(&inputs, 1, |job| {
            let job = Job { words: words.into(), interrupt: &interrupt, resume, ..job.clone() };
            convert(&job, &[output(&at("a.pgn"))], |_, routed: Routed, _| vec![routed])
        })
    };
    assert!(run("one", false).unwrap().stopped);
    assert!(run("one", true).unwrap().stopped);
    let error = run("two", true).unwrap_err().to_string();
    assert!(error.contains("a.pgn.part.journal: it belongs to other work"), "{error}");
    assert!(run("two", false).unwrap().stopped);
}

#[test]
fn broken_files_name_the_place_and_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let good = games_file(folder.path(), "good.sgs", GAMES, 5);
    let text = String::from_utf8(bytes(&good)).unwrap();
    let line = text.lines().enumerate().filter(|(_, l)| l.starts_with("moves ")).nth(900).unwrap().0 + 1;
    let broken: String = text
        .lines()
        .enumerate()
        .map(|(i, l)| if i + 1 == line { l.replacen("moves ", "moves e2e5 ", 1) } else { l.to_string() } + "\n")
        .collect();
    std::fs::write(at("broken.sgs"), broken).unwrap();
    for jobs in [1, 4] {
        let error = convert_file(&at("broken.sgs"), &at("out.parquet"), jobs).unwrap_err().to_string();
        let expected = format!("broken.sgs: line {line} (game 901): move #1 is illegal: e2e5");
        assert!(error.ends_with(&expected), "{error}");
    }
    let skipped = with_job(&[input(&at("broken.sgs"))], 2, |job| {
        let job = Job { skip_errors: true, ..job.clone() };
        convert(&job, &[output(&at("most.sgs"))], |_, routed: Routed, _| vec![routed])
    });
    let skipped = skipped.unwrap();
    assert_eq!((skipped.records, skipped.written, skipped.errors), (GAMES as u64, GAMES as u64 - 1, 1));
    convert_file(&good, &at("x.bullet"), 2).unwrap();
    let mut packed = bytes(&at("x.bullet"));
    let index = 70_001 % (packed.len() / 32) + 1;
    packed[index * 32 - 6] = 9;
    std::fs::write(at("x.bullet"), &packed).unwrap();
    let error = convert_file(&at("x.bullet"), &at("out.txt"), 3).unwrap_err().to_string();
    assert!(
        error.ends_with(&format!("x.bullet: position {index}: expected a result of 0, 1 or 2, found `9`")),
        "{error}"
    );
    convert_file(&good, &at("y.parquet"), 2).unwrap();
    let columns = bytes(&at("y.parquet"));
    std::fs::write(at("y.parquet"), &columns[..columns.len() - 100]).unwrap();
    let error = convert_file(&at("y.parquet"), &at("out.txt"), 3).unwrap_err().to_string();
    assert!(error.contains("y.parquet: no Parquet file"), "{error}");
    let mut bent = columns;
    (20_000..21_000).for_each(|i| bent[i] ^= 0x55);
    std::fs::write(at("y.parquet"), &bent).unwrap();
    let error = convert_file(&at("y.parquet"), &at("out.txt"), 3).unwrap_err().to_string();
    assert!(error.contains("y.parquet: the checksum of bytes 0 to "), "{error}");
    let left = ["broken.sgs", "good.sgs", "most.sgs", "x.bullet", "y.parquet"];
    assert_eq!(names(folder.path()), left);
}

#[test]
fn shuffles_are_decided_by_the_seed_alone() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let inputs = [input(&games_file(folder.path(), "a.sgs", GAMES, 6))];
    for name in ["a.txt", "a.parquet", "a.viri.zst"] {
        let run = |name: &str, seed: u64, jobs: usize, memory: usize| {
            let tally = with_job(&inputs, jobs, |job| shuffle(job, &output(&at(name)), seed, memory, folder.path()));
            assert!(tally.unwrap().written > 0);
            bytes(&at(name))
        };
        let one = run(name, 1, 1, 1 << 30);
        assert!(run(name, 1, 4, 1 << 30) == one && run(name, 1, 2, 100_000) == one, "{name}");
        assert!(run(name, 2, 1, 1 << 30) != one, "{name}");
    }
    convert_file(&inputs[0].path, &at("b.txt"), 2).unwrap();
    let lines = |name: &str| String::from_utf8(bytes(&at(name))).unwrap().lines().map(String::from).collect::<Vec<_>>();
    let (mut mixed, mut plain) = (lines("a.txt"), lines("b.txt"));
    assert!(mixed != plain);
    // Neighbours do not stay neighbours.
    let place: HashMap<&String, usize> = plain.iter().enumerate().map(|(i, l)| (l, i)).collect();
    let close = mixed.windows(2).filter(|w| place[&w[0]].abs_diff(place[&w[1]]) < 100).count();
    assert!(close * 50 < mixed.len(), "{close} of {}", mixed.len());
    mixed.sort();
    plain.sort();
    assert!(mixed == plain);
}

#[test]
fn no_game_is_on_both_sides_of_a_split() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let source = games_file(folder.path(), "a.sgs", GAMES, 7);
    let run = |from: &Path, names: [&str; 2]| {
        let outputs = names.map(|n| output(&at(n)));
        with_job(&[input(from)], 3, |job| {
            convert(job, &outputs, |_, routed: Routed, fault| {
                routed.part(2, |item, number| {
                    let part = split_of(item, 5, 0.2);
                    if part.is_none() {
                        fault(number, tesuji_record::Fault::Unsupported("the game of a position"));
                    }
                    part
                })
            })
        })
    };
    run(&source, ["t.parquet", "v.parquet"]).unwrap();
    let of = |name: &str| samples(&at(name)).iter().filter_map(|s| s.game).collect::<HashSet<u64>>();
    let (train, valid) = (of("t.parquet"), of("v.parquet"));
    assert!(train.is_disjoint(&valid));
    assert_eq!(train.len() + valid.len(), GAMES);
    assert!((GAMES / 7..GAMES / 4).contains(&valid.len()), "{}", valid.len());
    // Shuffled positions go where their games go.
    let all = [input(&source)];
    with_job(&all, 2, |job| shuffle(job, &output(&at("s.parquet")), 1, 1 << 30, folder.path())).unwrap();
    run(&at("s.parquet"), ["t2.parquet", "v2.parquet"]).unwrap();
    assert!(of("t2.parquet") == train && of("v2.parquet") == valid);
    convert_file(&source, &at("x.bullet"), 1).unwrap();
    let error = run(&at("x.bullet"), ["t3.bullet", "v3.bullet"]).unwrap_err().to_string();
    assert!(error.ends_with("x.bullet: position 1: this format cannot hold the game of a position"), "{error}");
}

#[test]
fn duplicates_are_dropped_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let source = games_file(folder.path(), "a.sgs", 700, 8);
    let twice = [input(&source), input(&source)];
    for (jobs, memory) in [(1, 1 << 30), (3, 10_000)] {
        let tally = with_job(&twice, jobs, |job| dedup(job, &output(&at("b.sgs")), memory, folder.path())).unwrap();
        assert_eq!((tally.written, tally.left["games seen before"]), (700, 700));
        assert!(bytes(&at("b.sgs")) == bytes(&source));
    }
    with_job(&twice, 2, |job| dedup(job, &output(&at("c.parquet")), 1 << 20, folder.path())).unwrap();
    let (summary, _) = with_job(&twice, 2, |job| summarise(job, 10_000, folder.path())).unwrap();
    let (kept, _) = with_job(&[input(&at("c.parquet"))], 2, |job| summarise(job, 1 << 30, folder.path())).unwrap();
    assert_eq!((summary.games, summary.games_repeated), (1400, Some(700)));
    assert_eq!(kept.positions, summary.positions - summary.positions_repeated.unwrap());
    assert_eq!(kept.positions_repeated, Some(0));
    // Counted by another way: placement, side, rights; a pawn beside the en-passant square makes the few others.
    convert_file(&source, &at("d.parquet"), 2).unwrap();
    let all = samples(&at("d.parquet"));
    let words = |s: &Sample| s.position.split(' ').take(4).map(String::from).collect::<Vec<_>>();
    let exact = all.iter().map(words).collect::<HashSet<_>>().len();
    let coarse = all.iter().map(|s| words(s)[..3].to_vec()).collect::<HashSet<_>>().len();
    assert!((coarse..=exact).contains(&(kept.positions as usize)), "{coarse} {} {exact}", kept.positions);
}

#[test]
fn summaries_count_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let source = games_file(folder.path(), "a.sgs", 300, 9);
    convert_file(&source, &at("a.parquet"), 2).unwrap();
    let of =
        |path: &Path, jobs| with_job(&[input(path)], jobs, |job| summarise(job, 1 << 30, folder.path())).unwrap().0;
    let (games_say, positions_say) = (of(&source, 1), of(&at("a.parquet"), 1));
    assert_eq!(games_say, of(&source, 4));
    let read = games(&source);
    let won = read.iter().filter(|g| g.outcome.unwrap().winner == Some(tesuji_game::Side::First)).count() as u64;
    assert_eq!((games_say.games, games_say.results[0], games_say.results[3]), (300, won, 0));
    assert_eq!(games_say.plies.total(), 300);
    let plies: usize = read.iter().map(|g| g.plies()).sum();
    assert_eq!((games_say.moves, games_say.positions), (plies as u64, plies as u64 + 300));
    assert_eq!(games_say.scores.total() + games_say.mates, plies as u64);
    // Positions tell the same about themselves.
    assert_eq!(positions_say.games, 300);
    assert_eq!(
        (positions_say.positions, &positions_say.scores, &positions_say.material, positions_say.positions_repeated),
        (games_say.positions, &games_say.scores, &games_say.material, games_say.positions_repeated)
    );
    let mut seen = 0;
    with_job(&[input(&source)], 2, |job| {
        each(
            job,
            |_, items, _| items.len(),
            |n| {
                seen += n;
                Ok(())
            },
        )
    })
    .unwrap();
    assert_eq!(seen, 300);
}

/// Whatever is wrong with columns is an error, never the end of the program.
#[test]
fn bent_columns_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    convert_file(&games_file(folder.path(), "a.sgs", 20, 10), &at("a.parquet"), 1).unwrap();
    let whole = bytes(&at("a.parquet"));
    let mut random = tesuji_game::Random::new(12);
    let rounds = if tesuji_testkit::needs::is_slow() { 20_000 } else { 400 };
    let mut errors = 0;
    for round in 0..rounds {
        let mut bent = whole.clone();
        // Footers are where most of the structure is.
        let from = if round % 2 == 0 { 0 } else { bent.len() - 2500 };
        for _ in 0..1 + random.below(4) {
            let i = from + random.below(bent.len() - from);
            bent[i] = random.next_u64() as u8;
        }
        if round % 7 == 0 {
            bent.truncate(random.below(whole.len()));
        }
        std::fs::write(at("b.parquet"), bent).unwrap();
        let inputs = [input(&at("b.parquet"))];
        let read = with_job(&inputs, 1, |job| each(job, |_, items, _| items.len(), |_| Ok(())));
        if let Err(error) = read {
            errors += 1;
            assert!(error.to_string().contains("b.parquet: "), "{error}");
        }
    }
    assert!(errors > rounds / 4, "{errors} of {rounds}");
}

/// A file that is exchanged between the stop and the resumed pass, size and name the same, made 65,536 wrong records of 400,000.
#[test]
fn a_file_exchanged_between_kill_and_resume_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let source = games_file(folder.path(), "a.sgs", GAMES, 3);
    let inputs = [input(&source)];
    let (was, time) = (bytes(&source), std::fs::metadata(&source).unwrap().modified().unwrap());
    let put = |content: &[u8], time| {
        let mut file = std::fs::File::create(&source).unwrap();
        std::io::Write::write_all(&mut file, content).unwrap();
        file.set_modified(time).unwrap();
    };
    let run = |stop: bool| {
        let interrupt = Interrupt::new();
        let tell = |_: &_| {
            if stop {
                interrupt.raise();
            }
        };
        with_job(&inputs, 1, |job| {
            let job = Job { resume: true, interrupt: &interrupt, tell: &tell, ..job.clone() };
            convert(&job, &[output(&at("a.pgn"))], |_, routed: Routed, _| vec![routed])
        })
    };
    assert!(run(true).unwrap().stopped);
    let mut other = was.clone();
    let last = other.len() - 2;
    other.swap(last, last - 1);
    other[last] ^= 1;
    for (content, time, how) in [
        (other.as_slice(), time, "its content is another"),
        (&was[..was.len() - 1], time, "bytes and has"),
        (was.as_slice(), time + std::time::Duration::from_secs(1), "modification time"),
    ] {
        put(content, time);
        let error = run(false).unwrap_err().to_string();
        assert!(
            error.contains("a.sgs: it is not the file that the stopped work began with") && error.contains(how),
            "{error}"
        );
        assert!(at("a.pgn.part").exists(), "what was done is still there");
    }
    // A shuffle reads all before it writes: it must not begin to.
    let shuffled = |stop: bool| {
        let interrupt = Interrupt::new();
        with_job(&inputs, 1, |job| {
            let job = Job { resume: true, interrupt: &interrupt, ..job.clone() };
            if stop {
                let heading = bytes(&at("a.pgn.part.journal"));
                let line = heading.iter().position(|&b| b == b'\n').unwrap() + 1;
                std::fs::write(at("s.sgs.part.journal"), &heading[..line]).unwrap();
            }
            shuffle(&job, &output(&at("s.sgs")), 1, 1 << 30, folder.path())
        })
    };
    assert!(shuffled(true).unwrap_err().to_string().contains("a.sgs: it is not the file"));
    put(&was, time);
    assert_eq!(run(false).unwrap().records, GAMES as u64);
    assert_eq!(shuffled(false).unwrap().records, GAMES as u64);
}

/// Own files with one bit flipped are errors, or hold what they held: never something else.
#[test]
fn a_flipped_bit_in_a_file_of_ours_is_never_silent() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let source = games_file(folder.path(), "a.sgs", 1, 3);
    for name in ["a.parquet", "b.sgs.zst", "c.viri.gz", "d.txt.zst"] {
        convert_file(&source, &at(name), 1).unwrap();
        let whole = bytes(&at(name));
        let read = || {
            let mut all = Vec::new();
            peek(&[input(&at(name))], 0, u64::MAX, |_, item| match item {
                Item::Game(game) => all.push(format!("{game:?}")),
                Item::Sample(sample) => all.push(format!("{sample:?}")),
            })
            .map(|()| all)
        };
        let expected = read().unwrap();
        assert!(!expected.is_empty());
        for byte in 0..whole.len() {
            // Each bit of the first bytes and of the last, where formats have their marks; one of the others.
            let edge = byte < 16 || byte + 16 >= whole.len();
            for bit in (0..8).filter(|bit| edge || byte % 8 == *bit) {
                let mut broken = whole.clone();
                broken[byte] ^= 1 << bit;
                std::fs::write(at(name), &broken).unwrap();
                match read() {
                    Ok(_) if name.ends_with("parquet") => panic!("{name}: bit {bit} of byte {byte} is read over"),
                    // Without its mark it is another file, in which nothing of this format is found.
                    Ok(all) if byte < 4 && all.is_empty() => {}
                    Ok(all) => assert_eq!(all, expected, "{name}: bit {bit} of byte {byte}"),
                    Err(_) => {}
                }
            }
        }
    }
}
