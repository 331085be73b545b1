//! Self-play, duels, SPSA and rescoring on workers of a fleet: the same files and numbers as on threads, however often coordinator and
//! connection are lost.

use std::{
    fs, io,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering::SeqCst},
    },
    time::Duration,
};
use tesuji_arena::OwnProgram;
use tesuji_circle::{
    CircleError, Duel, DuelKind, EngineDataKit, Openings, RescoreKind, SelfplayEnd, SelfplayKind, SelfplayPlan,
    SelfplayRequest, SelfplayRun, Setup, conditions, duel, run_selfplay, selfplay,
    spsa::{SpsaGames, SpsaRequest, SpsaRun, tune_options},
};
use tesuji_dataset::tasks::{DataOutcome, DataRequest, DataRun, DataTask, RescoreTask, Writing, run_data};
use tesuji_fleet::Fleet;
use tesuji_four::FOUR;
use tesuji_game::Random;
use tesuji_jobs::{
    Interrupt, Show,
    units::{Carrier, Dispatcher, FileStore, RunOrder, SharedCarrier, Unit, UnitResult, WorkKind},
};
use tesuji_kit::{Games, Kit, data::DataKit};
use tesuji_testkit::mock;

static ALL: [&dyn Kit; 1] = [&FOUR];
static SELFPLAY: SelfplayKind = SelfplayKind { games: Games(&ALL) };
static DUEL: DuelKind = DuelKind { games: Games(&ALL) };
static RESCORE: RescoreKind = RescoreKind { games: Games(&ALL), own };
static KINDS: [&dyn WorkKind; 3] = [&SELFPLAY, &DUEL, &RESCORE];

fn own(_: &dyn Kit) -> io::Result<OwnProgram> {
    Ok(OwnProgram { path: "tesuji".into(), words: Vec::new(), version: "1.0".into() })
}

/// A fleet whose coordinators die after some calls.
struct Mortal {
    fleet: Fleet,
    calls: Arc<AtomicI64>,
}

struct MortalDispatcher(Box<dyn Dispatcher>, Arc<AtomicI64>);

impl MortalDispatcher {
    fn live(&self) -> io::Result<()> {
        if self.1.fetch_sub(1, SeqCst) > 0 { Ok(()) } else { Err(io::Error::other("killed")) }
    }
}

impl Dispatcher for MortalDispatcher {
    fn room(&self) -> usize {
        self.0.room()
    }
    fn submit(&mut self, unit: Unit) -> io::Result<()> {
        self.live()?;
        self.0.submit(unit)
    }
    fn receive(&mut self, wait: Duration) -> io::Result<Option<UnitResult>> {
        let received = self.0.receive(wait)?;
        // Time that nothing came in is no step of the work.
        if received.is_some() {
            self.live()?;
        }
        Ok(received)
    }
    fn commit(&mut self, index: u64) -> io::Result<()> {
        self.live()?;
        self.0.commit(index)
    }
    fn cancel(&mut self) -> io::Result<()> {
        self.0.cancel()
    }
}

impl Carrier for Mortal {
    fn files(&self) -> &dyn FileStore {
        self.fleet.files()
    }
    fn begin(&self, run: &RunOrder<'_>) -> io::Result<Box<dyn Dispatcher>> {
        Ok(Box::new(MortalDispatcher(Carrier::begin(&self.fleet, run)?, self.calls.clone())))
    }
    fn workers(&self) -> [usize; 2] {
        Carrier::workers(&self.fleet)
    }
}

/// A fleet of two workers, and the calls that its coordinators have left.
fn fleet() -> (SharedCarrier, Arc<AtomicI64>) {
    let calls = Arc::new(AtomicI64::new(i64::MAX));
    let fleet = Mortal { fleet: Fleet::in_process(&KINDS, 2), calls: calls.clone() };
    (SharedCarrier::new(Arc::new(fleet), "a test"), calls)
}

/// Does `work`, which a coordinator that dies leaves unfinished, until it is done; how often one died. Coordinators live longer from
/// death to death: on a slow machine the first ones are gone before any worker has finished a unit.
fn until_done(calls: &AtomicI64, seed: u64, mut work: impl FnMut(bool) -> bool) -> u32 {
    let (mut random, mut deaths) = (Random::new(seed), 0);
    loop {
        calls.store(1 + random.below(8 + deaths as usize) as i64, SeqCst);
        if work(deaths > 0) {
            return deaths;
        }
        deaths += 1;
        assert!(deaths < 500, "nothing goes on");
    }
}

fn plan(games: u64, fleet: Option<SharedCarrier>) -> SelfplayPlan {
    SelfplayPlan {
        games,
        player: Setup::default().into(),
        openings: Openings::random(4, 7),
        // Two games a unit.
        conditions: conditions(11_000),
        drop: Default::default(),
        jobs: 2,
        until: None,
        fleet,
        origin: "a test".into(),
    }
}

#[test]
fn self_play_of_a_fleet_is_the_same_as_alone_whoever_dies() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let play = |path: &Path, plan: &SelfplayPlan, resume| {
        selfplay(&FOUR, plan, path, resume, &Interrupt::new(), &mut |_| ()).map(|played| played.games)
    };
    assert_eq!(play(&at("alone.four"), &plan(14, None), false).unwrap(), 14);
    let (fleet, calls) = fleet();
    let plan = plan(14, Some(fleet));
    assert_eq!(play(&at("fleet.four"), &plan, false).unwrap(), 14);
    let alone = fs::read(at("alone.four")).unwrap();
    assert_eq!(fs::read(at("fleet.four")).unwrap(), alone);
    let deaths = until_done(&calls, 3, |resume| match play(&at("mortal.four"), &plan, resume) {
        Ok(games) => games == 14,
        Err(CircleError::Fleet(words)) if words == "killed" => false,
        Err(error) => panic!("{error}"),
    });
    assert!(deaths >= 3, "{deaths}");
    assert_eq!(fs::read(at("mortal.four")).unwrap(), alone);
}

/// Files go to the workers by their checksums, and engines are started there.
#[test]
fn engines_of_a_fleet_play_as_they_do_here() {
    let folder = tempfile::tempdir().unwrap();
    let engine = format!("'cmd={}' args='--game four --score 30'", mock::path().display());
    let file = |name: &str, fleet| {
        let path = folder.path().join(name);
        let request = SelfplayRequest {
            game: "four".into(),
            games: 5,
            engine: Some(engine.parse().unwrap()),
            nodes: Some(17_000),
            seed: Some(5),
            outputs: vec![path.clone()],
            jobs: 2,
            ..SelfplayRequest::default()
        };
        let own = own(&FOUR).unwrap();
        let mut run =
            SelfplayRun { games: Games(&ALL), own: &own, interrupt: &Interrupt::new(), fleet, news: &mut |_| () };
        assert_eq!(run_selfplay(&FOUR, &request, &mut run), Ok(SelfplayEnd::Complete));
        fs::read(path).unwrap()
    };
    assert_eq!(file("fleet.four", Some(fleet().0)), file("alone.four", None));
}

#[test]
fn duels_of_a_fleet_go_on_behind_their_pairs() {
    let run = |fleet, played: &[[u64; 2]], last: usize| {
        let mut pairs = played.to_vec();
        let strong = Setup { family: "mcts".into(), ..Setup::default() };
        let settings = Duel {
            duelists: [strong.into(), Setup::default().into()],
            openings: Openings::random(3, 5),
            conditions: conditions(150),
            pairs: 12,
            jobs: 2,
            until: None,
            fleet,
        };
        let standing = duel(&FOUR, &settings, played, &Interrupt::new(), &mut |_, half_points, _| {
            pairs.push(half_points);
            Ok(pairs.len() < last)
        });
        standing.map(|standing| (standing, pairs))
    };
    let alone = run(None, &[], 12).unwrap();
    let (fleet, _) = fleet();
    assert_eq!(run(Some(fleet.clone()), &[], 12).unwrap(), alone);
    let (_, first) = run(Some(fleet.clone()), &[], 5).unwrap();
    assert_eq!(first, alone.1[..5]);
    assert_eq!(run(Some(fleet), &first, 12).unwrap(), alone);
}

#[test]
fn numbers_that_a_fleet_tunes_are_those_of_one_machine() {
    let folder = tempfile::tempdir().unwrap();
    let request = |name: &str| SpsaRequest {
        game: "four".into(),
        search: "alpha-beta".into(),
        tuned: vec!["AspirationWindow=20:5..90/5".into()],
        iterations: 5,
        pairs: 3,
        nodes: Some(50),
        proof_pairs: 4,
        journal: folder.path().join(name),
        jobs: 2,
        ..SpsaRequest::default()
    };
    let tune = |name: &str, fleet: Option<&SharedCarrier>| {
        let own = own(&FOUR).unwrap();
        let run = SpsaRun { show: Show::Quiet, own: &own, interrupt: &Interrupt::new(), fleet };
        tune_options(&FOUR, &SpsaGames::default(), &request(name), &run)
    };
    let alone = tune("alone", None).unwrap();
    let (fleet, calls) = fleet();
    let mut found = None;
    let deaths = until_done(&calls, 9, |_| match tune("fleet", Some(&fleet)) {
        Ok(outcome) => found.insert(outcome).is_complete(&request("fleet")),
        Err(error) => {
            assert!(error.to_string().contains("killed"), "{error}");
            false
        }
    });
    let found = found.unwrap();
    assert!(deaths >= 3, "{deaths}");
    assert_eq!((found.path, found.proof), (alone.path, alone.proof));
    let [a, b] = ["alone", "fleet"].map(|name| fs::read(folder.path().join(name)).unwrap());
    assert_eq!(a, b);
}

#[test]
fn scores_of_a_fleet_are_those_of_one_machine() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let games = SelfplayPlan { conditions: conditions(100), ..plan(60, None) };
    selfplay(&FOUR, &games, &at("games.four"), false, &Interrupt::new(), &mut |_| ()).unwrap();
    let engine = format!("'cmd={}' args='--game four --score 30'", mock::path().display());
    let rescore = |name: &str, engine: Option<&String>, fleet: Option<SharedCarrier>, resume| {
        let writing = Writing { output: at(name), resume, ..Writing::default() };
        let task = RescoreTask { writing, nodes: 100, engine: engine.cloned(), moves: true, ..RescoreTask::default() };
        let request = DataRequest {
            version: DataRequest::VERSION,
            game: Some("four".into()),
            inputs: vec![at("games.four")],
            from: None,
            skip_errors: true,
            jobs: 4,
            task: DataTask::Rescore(task),
        };
        let game = EngineDataKit { data: DataKit { kit: &FOUR, games: Games(&ALL) }, own: own(&FOUR).unwrap(), fleet };
        let stop = Interrupt::new();
        let run = DataRun { made_by: "1.0", show: Show::Quiet, interrupt: &stop, complain: &|_| () };
        match run_data(&request, &game, &run, &mut |_, _| ()) {
            Ok(DataOutcome::Written(done)) => Ok(done.tally),
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error.to_string()),
        }
    };
    for engine in [None, Some(&engine)] {
        let alone = rescore("alone.four.cells", engine, None, false).unwrap();
        assert_eq!(alone.errors, 0);
        let bytes = fs::read(at("alone.four.cells")).unwrap();
        assert!(bytes.len() > 1000);
        let (fleet, calls) = fleet();
        let whole = rescore("fleet.four.cells", engine, Some(fleet.clone()), false).unwrap();
        assert_eq!((whole.written, whole.errors), (alone.written, 0));
        assert_eq!(fs::read(at("fleet.four.cells")).unwrap(), bytes);
        let mut is_begun = false;
        until_done(&calls, 4, |_| {
            let done = rescore("mortal.four.cells", engine, Some(fleet.clone()), is_begun);
            is_begun |= done.is_err();
            if let Err(error) = &done {
                assert!(error.contains("killed"), "{error}");
            }
            done.is_ok()
        });
        assert_eq!(fs::read(at("mortal.four.cells")).unwrap(), bytes);
        for name in ["alone", "fleet", "mortal"] {
            fs::remove_file(at(&format!("{name}.four.cells"))).unwrap();
        }
    }
}

/// Who asks for what no worker can do hears why, in the words of a worker.
#[test]
fn what_no_worker_can_do_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let plan = SelfplayPlan {
        player: Setup { options: vec![("NoSuchOption".into(), "1".into())], ..Setup::default() }.into(),
        ..plan(2, Some(fleet().0))
    };
    let error = selfplay(&FOUR, &plan, &folder.path().join("g.four"), false, &Interrupt::new(), &mut |_| ());
    let error = error.unwrap_err().to_string();
    assert!(error.contains("no worker could do it: thread-") && error.contains("NoSuchOption"), "{error}");
}
