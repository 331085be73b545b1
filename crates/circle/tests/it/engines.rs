//! Engines of the user that play, score and learn: a mock engine that plays at random, and on request is at fault.

use std::{
    fs,
    path::{Path, PathBuf},
};
use tesuji_arena::OwnProgram;
use tesuji_circle::{
    EngineDataKit, SelfplayEnd, SelfplayNews, SelfplayRequest, SelfplayRun,
    improve::{
        EngineLearner, EngineTraining, Improve, ImproveEnd, ImproveNews, ImproveRequest, LessonNews, MatchOf, Round,
        Run,
    },
    run_selfplay,
};
use tesuji_dataset::tasks::{DataOutcome, DataRequest, DataRun, DataTask, RescoreTask, Writing, run_data};
use tesuji_four::FOUR;
use tesuji_jobs::{Interrupt, Show, open_input};
use tesuji_kit::{Games, Kit, RequestError, data::DataKit};
use tesuji_record::AnyGame;
use tesuji_testkit::mock;

static ALL: [&dyn Kit; 1] = [&FOUR];

fn own() -> OwnProgram {
    OwnProgram { path: "tesuji".into(), words: Vec::new(), version: "1.0".into() }
}

/// The words of a mock engine with these habits.
fn engine(habits: &str) -> String {
    format!("'cmd={}' args='--game four {habits}'", mock::path().display())
}

fn request(habits: &str, games: u64, outputs: &[PathBuf]) -> SelfplayRequest {
    SelfplayRequest {
        game: "four".into(),
        games,
        engine: Some(engine(habits).parse().unwrap()),
        nodes: Some(100),
        seed: Some(5),
        random_plies: Some(4),
        outputs: outputs.to_vec(),
        resign: None,
        jobs: 2,
        ..SelfplayRequest::default()
    }
}

/// Plays, and gives the warnings.
fn play(request: &SelfplayRequest) -> (Result<SelfplayEnd, RequestError>, Vec<String>) {
    let (mut told, stop) = (Vec::new(), Interrupt::new());
    let mut news = |news: SelfplayNews<'_>| {
        if let SelfplayNews::Warning(line) = news {
            told.push(line.to_string());
        }
    };
    let mut run = SelfplayRun { games: Games(&ALL), own: &own(), interrupt: &stop, fleet: None, news: &mut news };
    let end = run_selfplay(&FOUR, request, &mut run);
    (end, told)
}

/// What a file holds, compressed or not.
fn text(path: &Path) -> String {
    std::io::read_to_string(open_input(path).unwrap()).unwrap()
}

/// The label of each game of a file.
fn labels(path: &Path) -> Vec<String> {
    let label = |line: &str| line.split('\t').find_map(|tag| tag.strip_prefix("Label=")).unwrap().to_string();
    text(path).lines().map(label).collect()
}

/// An engine whose moves depend on the position alone makes the same file for any number of jobs, and after any tear; compressed files,
/// too, which hold the same games.
#[test]
fn games_of_an_engine_have_its_scores_and_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let outputs = |name: &str| [at(&format!("{name}.four")), at(&format!("{name}.four.labelled"))];
    // The bound that it tells last is no score.
    let whole = request("--score 30 --bound 12", 8, &outputs("whole")[..1]);
    assert_eq!(play(&whole), (Ok(SelfplayEnd::Complete), Vec::new()));
    let games = text(&at("whole.four"));
    assert_eq!(labels(&at("whole.four")), (1..=8).map(|n| format!("g{n}")).collect::<Vec<_>>());
    assert!(games.lines().all(|line| line.contains("engine ") && line.contains("nodes 100, seed 5")), "{games}");
    // Four random plies, five in every other game; then each move has the engine's score.
    let first = games.lines().next().unwrap().rsplit('\t').next().unwrap();
    let scored = first.split(' ').filter(|mv| mv.ends_with("/30")).count();
    assert_eq!(first.split(' ').count() - scored, 4, "{first}");
    for name in ["packed.four.zst", "packed.four.gz"] {
        let packed = request("--score 30 --bound 12", 8, &[at(name)]);
        assert_eq!(play(&packed).0, Ok(SelfplayEnd::Complete));
        assert_eq!(text(&at(name)), games, "{name}");
        let bytes = fs::read(at(name)).unwrap();
        for cut in [3, bytes.len() / 2, bytes.len()] {
            fs::write(at(name), &bytes[..cut]).unwrap();
            let again = SelfplayRequest { resume: true, jobs: 1, ..packed.clone() };
            assert_eq!(play(&again).0, Ok(SelfplayEnd::Complete), "{name} cut at {cut}");
            assert_eq!(fs::read(at(name)).unwrap(), bytes, "{name} cut at {cut}");
        }
        let more = SelfplayRequest { games: 9, resume: true, ..packed };
        assert_eq!(play(&more).0, Ok(SelfplayEnd::Complete));
        assert!(text(&at(name)).starts_with(&games) && labels(&at(name)).len() == 9, "{name}");
    }
    // A file that is not compressed as its name says is of somebody else.
    fs::write(at("notes.four.zst"), "some notes\n").unwrap();
    let notes = SelfplayRequest { resume: true, ..request("", 2, &[at("notes.four.zst")]) };
    assert!(play(&notes).0.is_err());
    assert_eq!(fs::read_to_string(at("notes.four.zst")).unwrap(), "some notes\n");
}

/// Games that an engine ends by a fault are void: each attempt is told, and what stays without a result leaves no record and no gap in
/// the numbers of a run that goes on.
#[test]
fn faults_make_games_void_and_never_records() {
    let folder = tempfile::tempdir().unwrap();
    for (fault, words) in
        [("crash", "crash: "), ("exit", "exit: "), ("illegal", "illegal: it played z9z9"), ("nothing", "illegal: ")]
    {
        let file = folder.path().join(format!("{fault}.four"));
        let asked = request(&format!("--do {fault} --odds 40"), 12, std::slice::from_ref(&file));
        let (end, told) = play(&asked);
        assert_eq!(end, Ok(SelfplayEnd::Complete), "{fault}: {told:?}");
        assert!(!told.is_empty() && told.iter().all(|line| line.contains(words) && !line.contains('\n')), "{told:?}");
        // Random moves from the same opening meet the same fault: three attempts each.
        let left_out = told.iter().filter(|line| line.ends_with("it is left out")).count();
        assert_eq!(told.len(), 3 * left_out, "{told:?}");
        let whole = fs::read(&file).unwrap();
        assert_eq!(labels(&file).len(), 12 - left_out, "{fault}");
        // Every game that is there was played to its end by the rules.
        let is_over = |line: &str| {
            let mut table = FOUR.table("", None).unwrap();
            let moves = line.rsplit('\t').next().unwrap().split(' ');
            moves.for_each(|mv| table.play(mv.split('/').next().unwrap()).unwrap());
            table.outcome().is_some()
        };
        assert!(text(&file).lines().all(is_over), "{fault}: {}", text(&file));
        let journal = folder.path().join(format!("{fault}.four.dropped"));
        assert_eq!(fs::read_to_string(&journal).unwrap().matches(" faulty\n").count(), left_out);
        for cut in [whole.len() / 2, whole.len()] {
            fs::write(&file, &whole[..cut]).unwrap();
            assert_eq!(play(&SelfplayRequest { resume: true, ..asked.clone() }).0, Ok(SelfplayEnd::Complete));
            assert_eq!(fs::read(&file).unwrap(), whole, "{fault} cut at {cut}");
        }
    }
}

#[test]
fn engines_that_do_not_work_end_the_run_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("g.four");
    let said = |asked: &SelfplayRequest| play(asked).0.unwrap_err().to_string();
    // Before any file is there.
    let mut none = request("", 4, std::slice::from_ref(&file));
    none.engine = Some("cmd=/no/such/engine".parse().unwrap());
    assert!(said(&none).contains("cannot start /no/such/engine"));
    let mut wrong = request("", 4, std::slice::from_ref(&file));
    wrong.engine = Some((engine("") + " option.Nonsense=1").parse().unwrap());
    assert!(said(&wrong).contains("it has no option \"Nonsense\""));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    // One that hangs in every game: with a clock it is soon given up.
    let mut hanging = request("--do hang --at 5", 20, std::slice::from_ref(&file));
    (hanging.nodes, hanging.jobs) = (None, 3);
    hanging.control = Some("0.1".parse().unwrap());
    let (end, told) = play(&hanging);
    let error = end.unwrap_err().to_string();
    assert!(
        error.contains("3 games in a row are void after 3 attempts each; the last fault: hang: no move within"),
        "{error}"
    );
    assert_eq!((told.len() >= 9, text(&file).as_str()), (true, ""), "{told:?}");
}

#[test]
fn an_engine_without_scores_or_beyond_its_nodes_is_told_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("g.four");
    let (end, told) = play(&request("--infos 0", 4, std::slice::from_ref(&file)));
    assert_eq!(end, Ok(SelfplayEnd::Complete));
    assert!(told.len() == 1 && told[0].contains("the engine told no score for any of its moves"), "{told:?}");
    assert!(text(&file).lines().all(|line| !line.rsplit('\t').next().unwrap().contains('/')), "{}", text(&file));
    // A hundred nodes a line.
    let file = folder.path().join("many.four");
    let (_, told) = play(&request("--infos 40", 2, &[file]));
    assert!(told.len() == 1 && told[0].contains("more nodes than it is asked to, 4000 for a move"), "{told:?}");
}

/// Positions get the engine's scores, the same for any number of jobs; where it is at fault, records are broken ones and not old scores.
#[test]
fn positions_are_scored_by_an_engine() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    assert_eq!(play(&request("--score 30", 6, &[at("g.four")])).0, Ok(SelfplayEnd::Complete));
    let rescore = |habits: &str, output: &str, jobs: usize, skip_errors: bool| {
        let game = EngineDataKit { data: DataKit { kit: &FOUR, games: Games(&ALL) }, own: own(), fleet: None };
        let writing = Writing { output: at(output), ..Writing::default() };
        let task = RescoreTask { writing, nodes: 100, engine: Some(engine(habits)), ..RescoreTask::default() };
        let request = DataRequest {
            version: DataRequest::VERSION,
            game: None,
            inputs: vec![at("g.four")],
            from: None,
            skip_errors,
            jobs,
            task: DataTask::Rescore(task),
        };
        let stop = Interrupt::new();
        let run = DataRun { made_by: "test", show: Show::Quiet, interrupt: &stop, complain: &|_| () };
        match run_data(&request, &game, &run, &mut |_, _| ())? {
            DataOutcome::Written(done) => Ok(done.tally),
            other => panic!("{other:?}"),
        }
    };
    let tally = rescore("--score -70", "one.parquet", 1, false).unwrap();
    assert!(tally.written > 60, "{tally:?}");
    rescore("--score -70", "three.parquet", 3, false).unwrap();
    assert_eq!(fs::read(at("one.parquet")).unwrap(), fs::read(at("three.parquet")).unwrap());
    rescore("--score -71", "other.parquet", 2, false).unwrap();
    assert_ne!(fs::read(at("one.parquet")).unwrap(), fs::read(at("other.parquet")).unwrap());
    for (habits, words) in [
        ("--infos 0", "expected a score by the engine, found `no score in what it tells"),
        ("--do illegal --at 0", "illegal: it played z9z9"),
        ("--do crash --at 0", "crash: "),
    ] {
        let error: RequestError = rescore(habits, "none.parquet", 1, false).unwrap_err();
        assert!(error.to_string().contains(words) && !at("none.parquet").exists(), "{habits}: {error}");
    }
    // One position in ten or so.
    let some = rescore("--score -70 --do crash --odds 10", "some.parquet", 2, true).unwrap();
    assert!(some.errors > 0 && some.written + some.errors == tally.written, "{some:?} of {tally:?}");
}

/// A training loop in which the rows say that three of four are won by who is ahead, whatever was played.
fn training(folder: &Path, build: bool) -> EngineTraining {
    let script = "printf 'result,game,ahead\\n' > \"$2\"; i=0; while [ $i -lt 400 ]; do \
                  echo \"$(( i % 4 > 0 )),$i,1\"; i=$(( i + 1 )); done >> \"$2\"; test -s \"$1\"";
    fs::write(folder.join("rows.sh"), script).unwrap();
    let mock = mock::path();
    let wrapper =
        format!("printf '#!/bin/sh\\n# %s\\nexec {} \"$@\"\\n' \"$1\" > \"$2\"; chmod +x \"$2\"", mock.display());
    fs::write(folder.join("build.sh"), wrapper).unwrap();
    fs::write(folder.join("start.json"), "{ \"weights\": [0.0] }\n").unwrap();
    let (program, shown) = match build {
        true => ("{engine}".to_string(), String::new()),
        false => (mock.display().to_string(), " env.WEIGHTS={weights}".to_string()),
    };
    EngineTraining {
        engine: format!("cmd={program} args='--game four --score 10'{shown}"),
        build: build.then(|| format!("sh {}/build.sh {{weights}} {{engine}}", folder.display())),
        rows: format!("sh {}/rows.sh {{games}} {{rows}}", folder.display()),
        ..EngineTraining::default()
    }
}

/// Runs the loop; `kill` may stop it at some news.
fn improve(folder: &Path, training: &EngineTraining, kill: &mut (dyn FnMut(&ImproveNews<'_>) -> bool + Send)) -> bool {
    let (out, stop) = (folder.join("run"), Interrupt::new());
    let fresh = ImproveRequest {
        game: "four".into(),
        from: folder.join("start.json").display().to_string(),
        engine: Some(training.clone()),
        rounds: Some(2),
        games: Some(4),
        pairs: Some(2),
        nodes: Some(100),
        jobs: 2,
        out: Some(out.clone()),
        ..ImproveRequest::default()
    };
    let resumed = ImproveRequest { game: "four".into(), resume: Some(out.clone()), ..ImproveRequest::default() };
    let request = if out.exists() { resumed } else { fresh };
    request.validate().unwrap();
    let learner = EngineLearner::of(&FOUR, &request, own(), &stop).unwrap().expect("an engine learns");
    let Run { folder, settings } = match &request.resume {
        Some(folder) => Run::reopen(folder, false).unwrap(),
        None => Run::begin(&FOUR, &learner, &request, "test 1.0").unwrap(),
    };
    let run =
        Improve { kit: &FOUR, study: &learner, starts: None, folder: &folder, settings, fleet: None, stop: &stop };
    let end = run.run(&mut |news| {
        if kill(news) {
            stop.raise();
        }
    });
    matches!(end.unwrap(), ImproveEnd::Done(_))
}

#[test]
fn an_engine_learns_rows_and_a_run_that_was_stopped_ends_the_same() {
    let [whole, torn] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    assert!(improve(whole.path(), &training(whole.path(), false), &mut |_| false));
    let asked = training(torn.path(), false);
    let kills: [&mut (dyn FnMut(&ImproveNews<'_>) -> bool + Send); 3] = [
        &mut |news| matches!(news, ImproveNews::Games(played, _) if played.games == 2),
        &mut |news| matches!(news, ImproveNews::Learning(LessonNews::Learned { .. })),
        &mut |news| matches!(news, ImproveNews::Match { match_: MatchOf::Round, standing } if standing.games() == 2),
    ];
    for kill in kills {
        assert!(!improve(torn.path(), &asked, kill), "it was stopped");
    }
    assert!(improve(torn.path(), &asked, &mut |_| false));
    let files =
        ["round-1/weights.json", "round-1/learned.json", "round-2/weights.json", "round-1/pairs.txt", "weights.json"];
    for name in files {
        let [a, b] = [&whole, &torn].map(|folder| fs::read_to_string(folder.path().join("run").join(name)).unwrap());
        assert!(!a.is_empty() && a == b, "{name}: {a} {b}");
    }
    let folder = whole.path().join("run");
    let round: Round = serde_json::from_str(&fs::read_to_string(folder.join("round-1/round.json")).unwrap()).unwrap();
    let learned = round.learned.unwrap();
    assert!(learned.loss_after < learned.loss_before && learned.rows[0] > 300, "{learned:?}");
    // The file has its structure, with the weight in it: ahead is worth ln 3 odds in the unit of K.
    let json: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(folder.join("round-1/weights.json")).unwrap()).unwrap();
    let weight = json["weights"][0].as_f64().unwrap();
    assert!((weight / learned.k - 3f64.ln()).abs() < 0.3, "{weight} at K {}", learned.k);
    // Engines that play at random are equals: every pair is shared, and the new weights are adopted.
    assert!(round.adopted && round.standing.unwrap().games() == 4);
}

#[test]
fn an_engine_is_built_with_its_weights() {
    let folder = tempfile::tempdir().unwrap();
    assert!(improve(folder.path(), &training(folder.path(), true), &mut |_| false));
    let run = folder.path().join("run");
    for (program, weights) in [("engine-start", "start.json"), ("round-1/engine-weights", "round-1/weights.json")] {
        let text = fs::read_to_string(run.join(program)).unwrap();
        assert!(text.contains(&format!("# {}", run.join(weights).display())), "{text}");
    }
    // Commands that fail say so, with what they wrote, and leave nothing that looks whole.
    let broken = tempfile::tempdir().unwrap();
    let mut asked = training(broken.path(), false);
    fs::write(broken.path().join("rows.sh"), "echo no such column; exit 3").unwrap();
    asked.rows += " --all";
    let (out, stop) = (broken.path().join("run"), Interrupt::new());
    let request = ImproveRequest {
        game: "four".into(),
        from: broken.path().join("start.json").display().to_string(),
        engine: Some(asked),
        games: Some(2),
        pairs: Some(1),
        nodes: Some(100),
        jobs: 1,
        out: Some(out.clone()),
        ..ImproveRequest::default()
    };
    let learner = EngineLearner::of(&FOUR, &request, own(), &stop).unwrap().expect("an engine learns");
    let Run { folder, settings } = Run::begin(&FOUR, &learner, &request, "test 1.0").unwrap();
    let run =
        Improve { kit: &FOUR, study: &learner, starts: None, folder: &folder, settings, fleet: None, stop: &stop };
    let error = run.run(&mut |_| ()).unwrap_err().to_string();
    assert!(error.contains("it ended with exit status: 3") && error.contains("no such column"), "{error}");
    assert!(!out.join("round-1/rows.csv").exists() && !out.join("round-1/weights.json").exists());
}
