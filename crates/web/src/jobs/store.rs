//! All jobs of a workspace: begun as child processes of this program, each with a folder of its own; looked after by one
//! thread; found again after a restart.

use super::job::Job;
use super::memo::{AGAIN_FILE, JobKind, Memo, Phase, REQUEST_FILE, now};
use super::numbered::{Counter, Numbered};
use super::view::{JobView, view};
use crate::{Problem, fleet::link::CHOSEN, workspace::Workspace};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};
use tesuji_arena::OwnProgram;
use tesuji_fleet::keep_address;
use tesuji_jobs::{AtomicFile, job_control};
use tokio::sync::watch;

/// Jobs at work at once; others wait.
const ALIVE_MAX: usize = 2;
/// Jobs that are remembered.
const JOBS_MAX: usize = 1000;
/// Between two looks at the jobs.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// The file of a job with the address of its fleet.
const FLEET_FILE: &str = "fleet.address";
/// The timeout for the end of a process of another server.
const PATIENCE: Duration = Duration::from_secs(10);
/// The timeout for the ends of processes when the server ends.
const END_PATIENCE: Duration = Duration::from_millis(1500);

/// Makes what a job is asked to do, as JSON, from the name of its folder, as called from the workspace.
pub(crate) type Request = Box<dyn FnOnce(&str) -> Value + Send>;

/// The command line that carries out the request in a file of a job's folder.
fn words_for(command: &[&str], file: &str, shown: &[&str], fleet: &[String]) -> Vec<String> {
    let asked = ["--request", file];
    let words = command.iter().chain(&asked).chain(shown).map(ToString::to_string);
    words.chain(fleet.iter().cloned()).collect()
}

/// The options that say which fleet does the work of a job. The address of a fleet that was chosen is kept beside the request: the job goes on
/// there, also after another fleet was chosen.
fn fleet_of_job(fleet: Vec<String>, root: &Path, (folder, name): (&Path, &str)) -> Result<Vec<String>, Problem> {
    let kept = |word: String| {
        if word != CHOSEN {
            return Ok(word);
        }
        let address = fs::read_to_string(root.join(CHOSEN)).map_err(|error| broken(&error))?;
        keep_address(&folder.join(FLEET_FILE), &address).map_err(|error| Problem::internal(error.to_string()))?;
        Ok(format!("{name}/{FLEET_FILE}"))
    };
    fleet.into_iter().map(kept).collect()
}

/// Writes a request into the folder of a job.
fn write_request(folder: &Path, file: &str, request: &Value) -> Result<(), Problem> {
    let text = serde_json::to_vec_pretty(request).map_err(|error| broken(&error.into()))?;
    AtomicFile::write(&folder.join(file), &text).map_err(|error| broken(&error))
}

/// A job that is to be.
pub(crate) struct Wish {
    pub(crate) kind: JobKind,
    pub(crate) title: String,
    pub(crate) game: Option<String>,
    /// The subcommand that carries out the request.
    pub(crate) command: &'static [&'static str],
    /// Options that say how its results are shown.
    pub(crate) shown: &'static [&'static str],
    /// Options that say which fleet does the work; none: this machine.
    pub(crate) fleet: Vec<String>,
    /// The request.
    pub(crate) request: Request,
    /// The request to go on with it.
    pub(crate) again: Option<Request>,
    pub(crate) makes: Option<String>,
}

/// The public state of all jobs, for listeners.
#[derive(Default)]
pub(crate) struct News {
    /// Jobs as JSON, by their numbers.
    pub(crate) jobs: BTreeMap<u64, Numbered>,
    /// The live views of their work.
    pub(crate) live: BTreeMap<u64, Numbered>,
    /// Nothing comes after this.
    pub(crate) is_last: bool,
}

/// All jobs.
pub(crate) struct Jobs {
    pub(crate) space: Workspace,
    folder: PathBuf,
    program: PathBuf,
    version: String,
    all: Mutex<BTreeMap<u64, Job>>,
    news: watch::Sender<Arc<News>>,
    counter: Counter,
    has_ended: AtomicBool,
}

impl Jobs {
    /// This program as an engine.
    pub(crate) fn own(&self) -> OwnProgram {
        OwnProgram { path: self.program.clone(), words: Vec::new(), version: self.version.clone() }
    }

    /// The jobs of a workspace; `program` is run for them.
    ///
    /// # Errors
    /// Those of the file system.
    pub(crate) fn open(space: Workspace, program: PathBuf, version: String) -> io::Result<Arc<Jobs>> {
        let folder = space.own("jobs")?;
        let mut all = BTreeMap::new();
        for entry in fs::read_dir(&folder)? {
            let folder = entry?.path();
            // Folders that are no jobs are none of our business.
            let Ok(mut memo) = Memo::read(&folder) else { continue };
            if memo.phase.is_alive()
                || memo.phase == Phase::Queued
                || memo.phase == Phase::Paused && memo.again.is_none()
            {
                memo.phase = Phase::Interrupted;
                memo.write(&folder)?;
            }
            all.insert(memo.id, Job::new(memo, folder));
        }
        let jobs = Arc::new(Jobs {
            space,
            folder,
            program,
            version,
            all: Mutex::new(all),
            news: watch::Sender::new(Arc::default()),
            counter: Counter::default(),
            has_ended: AtomicBool::new(false),
        });
        jobs.tell();
        let weak = Arc::downgrade(&jobs);
        thread::Builder::new().name("jobs".into()).spawn(move || {
            while let Some(jobs) = weak.upgrade().filter(|jobs| !jobs.has_ended.load(Ordering::Relaxed)) {
                jobs.look();
                drop(jobs);
                thread::sleep(LOOK_EVERY);
            }
        })?;
        Ok(jobs)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Job>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The program that is run for jobs.
    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// A channel of the state of all jobs, which reports every change.
    pub(crate) fn news(&self) -> watch::Receiver<Arc<News>> {
        self.news.subscribe()
    }

    /// All jobs, the newest first.
    pub(crate) fn list(&self) -> Vec<JobView> {
        self.lock().values_mut().rev().map(|job| self.view(job)).collect()
    }

    /// A job with the number of its state.
    fn view(&self, job: &mut Job) -> JobView {
        let seq = job.show(&self.counter).seq;
        view(job, seq)
    }

    /// One of them.
    pub(crate) fn show(&self, id: u64) -> Result<JobView, Problem> {
        self.lock().get_mut(&id).map(|job| self.view(job)).ok_or_else(|| unknown(id))
    }

    /// The live view of the work of one of them now.
    pub(crate) fn live(&self, id: u64) -> Result<Numbered, Problem> {
        self.lock().get_mut(&id).map(|job| job.look(&self.counter)).ok_or_else(|| unknown(id))
    }

    /// Its folder, and what is remembered of it.
    pub(crate) fn find(&self, id: u64) -> Result<(PathBuf, Memo), Problem> {
        let all = self.lock();
        all.get(&id).map(|job| (job.folder.clone(), job.memo.clone())).ok_or_else(|| unknown(id))
    }

    /// The request of a job; null where a version asked in words alone.
    pub(crate) fn request(&self, id: u64) -> Value {
        let all = self.lock();
        let text = all.get(&id).and_then(|job| job.request.as_deref());
        text.and_then(|text| serde_json::from_str(text.get()).ok()).unwrap_or_default()
    }

    /// Makes a job and begins it, or lets it wait.
    pub(crate) fn add(&self, wish: Wish) -> Result<JobView, Problem> {
        let mut all = self.lock();
        if all.len() >= JOBS_MAX {
            return Err(Problem::too_many(format!("{JOBS_MAX} jobs are here")).hint("Remove old ones."));
        }
        let mut id = all.keys().next_back().map_or(1, |last| last + 1);
        // One that was removed keeps its number, in case it comes back.
        while self.folder.join(id.to_string()).exists() || self.removed(id).exists() {
            id += 1;
        }
        let folder = self.folder.join(id.to_string());
        fs::create_dir_all(&folder).map_err(|error| broken(&error))?;
        let name = self.space.name_of(&folder);
        write_request(&folder, REQUEST_FILE, &(wish.request)(&name))?;
        let again = wish.again.map(|again| write_request(&folder, AGAIN_FILE, &again(&name))).transpose()?;
        let fleet = fleet_of_job(wish.fleet, self.space.root(), (&folder, &name))?;
        let words = |file| words_for(wish.command, &format!("{name}/{file}"), wish.shown, &fleet);
        let memo = Memo {
            id,
            kind: wish.kind,
            title: wish.title,
            game: wish.game,
            words: words(REQUEST_FILE),
            again: again.map(|()| words(AGAIN_FILE)),
            phase: Phase::Queued,
            created: now(),
            began: None,
            ended: None,
            before: 0,
            exit: None,
            error: None,
            version: self.version.clone(),
            makes: wish.makes.map(|made| if made.contains('/') { made } else { format!("{name}/{made}") }),
        };
        memo.write(&folder).map_err(|error| broken(&error))?;
        all.insert(id, Job::new(memo, folder));
        self.start_waiting(&mut all);
        let shown = all.get_mut(&id).map(|job| self.view(job)).ok_or_else(|| unknown(id));
        drop(all);
        self.tell();
        shown
    }

    /// Does `deed` with the job: `pause`, `resume`, `finish`, `cancel`.
    pub(crate) fn act(&self, id: u64, deed: &str) -> Result<JobView, Problem> {
        self.wait_for_strays(id, deed)?;
        let mut all = self.lock();
        let job = all.get_mut(&id).ok_or_else(|| unknown(id))?;
        let can: Vec<&str> = job.deeds().iter().map(|deed| deed.word()).collect();
        if !can.contains(&deed) {
            let problem = Problem::conflict(format!("job {id} is {} and cannot {deed}", job.phase_word()));
            return Err(problem.hint(format!("It can: {}.", can.join(", "))));
        }
        match deed {
            "pause" => job.pause(),
            "finish" => job.finish(),
            "cancel" => job.cancel(),
            _ => job.resume(),
        }
        job.keep();
        self.start_waiting(&mut all);
        drop(all);
        self.tell();
        self.show(id)
    }

    /// Gives a match another request to go on with, and lets it go on, whether it rests or works.
    pub(crate) fn extend(&self, id: u64, again: Request) -> Result<JobView, Problem> {
        self.wait_for_strays(id, "resume")?;
        let mut all = self.lock();
        let job = all.get_mut(&id).ok_or_else(|| unknown(id))?;
        if job.memo.began.is_none() {
            return Err(Problem::conflict(format!("job {id} has not begun")).hint("Wait until it runs."));
        }
        if matches!(job.memo.phase, Phase::Pausing | Phase::Finishing) {
            return Err(Problem::conflict(format!("job {id} is {}", job.phase_word())).hint("Wait until it rests."));
        }
        let name = self.space.name_of(&job.folder);
        write_request(&job.folder, AGAIN_FILE, &again(&name))?;
        // The words to go on with say which fleet does the work.
        let again = job.memo.again.clone();
        job.extend(again.unwrap_or_else(|| words_for(&["match"], &format!("{name}/{AGAIN_FILE}"), &["--json"], &[])));
        job.keep();
        self.start_waiting(&mut all);
        drop(all);
        self.tell();
        self.show(id)
    }

    /// A process of a server before this one may still be ending.
    fn wait_for_strays(&self, id: u64, deed: &str) -> Result<(), Problem> {
        let (folder, memo) = self.find(id)?;
        let begun = Instant::now();
        while deed == "resume" && !memo.phase.is_alive() && !self.is_ours(id) && job_control::is_taken(&folder) {
            if begun.elapsed() > PATIENCE {
                return Err(Problem::conflict("a process of this job still runs").hint("Wait until it has ended."));
            }
            thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    fn is_ours(&self, id: u64) -> bool {
        self.lock().get(&id).is_some_and(|job| job.is_at_work())
    }

    fn removed(&self, id: u64) -> PathBuf {
        self.folder.join("removed").join(id.to_string())
    }

    /// Takes a job that rests out of the list; its folder is kept aside.
    pub(crate) fn remove(&self, id: u64) -> Result<(), Problem> {
        let mut all = self.lock();
        let job = all.get(&id).ok_or_else(|| unknown(id))?;
        if job.is_at_work() {
            return Err(Problem::conflict(format!("job {id} is at work")).hint("Cancel it first."));
        }
        let aside = self.removed(id);
        fs::create_dir_all(self.folder.join("removed")).map_err(|error| broken(&error))?;
        fs::rename(&job.folder, aside).map_err(|error| broken(&error))?;
        all.remove(&id);
        drop(all);
        self.tell();
        Ok(())
    }

    /// Takes a removed job back.
    pub(crate) fn restore(&self, id: u64) -> Result<JobView, Problem> {
        let (aside, folder) = (self.removed(id), self.folder.join(id.to_string()));
        let memo = Memo::read(&aside).map_err(|_| unknown(id))?;
        fs::rename(aside, &folder).map_err(|error| broken(&error))?;
        self.lock().insert(id, Job::new(memo, folder));
        self.tell();
        self.show(id)
    }

    /// Begins jobs that wait, as many as may be at work.
    fn start_waiting(&self, all: &mut BTreeMap<u64, Job>) {
        let mut alive = all.values().filter(|job| job.is_at_work()).count();
        for job in all.values_mut().filter(|job| job.memo.phase == Phase::Queued) {
            if alive >= ALIVE_MAX {
                break;
            }
            job.start(&self.program, self.space.root());
            alive += usize::from(job.is_at_work());
        }
    }

    /// Notes which processes have ended, begins what waits, and tells what changed.
    fn look(&self) {
        let mut all = self.lock();
        for job in all.values_mut() {
            job.reap();
        }
        self.start_waiting(&mut all);
        drop(all);
        self.tell();
    }

    /// Tells those who watch what changed since they were told last.
    fn tell(&self) {
        let mut all = self.lock();
        let old = self.news.borrow().clone();
        let is_watched = self.news.receiver_count() > 0;
        let mut news = News::default();
        for (&id, job) in &mut *all {
            let shown = job.show(&self.counter);
            // A process's last words may come after the last look at it. Nobody is told what is not looked at here: those who
            // come later look for themselves.
            if is_watched && (job.is_at_work() || old.jobs.get(&id) != Some(&shown)) {
                job.look(&self.counter);
            }
            news.jobs.insert(id, shown);
            news.live.insert(id, job.live().clone());
        }
        // Still locked, so that no older news comes after this.
        if news.jobs != old.jobs || news.live != old.live {
            self.news.send_replace(Arc::new(news));
        }
    }

    /// Lets all processes stop cleanly, and waits for them for a while. Jobs at work are interrupted then. What takes longer to
    /// stop goes on doing so without this server: the next one waits for it.
    pub(crate) fn end(&self) {
        if self.has_ended.swap(true, Ordering::Relaxed) {
            return;
        }
        let mut all = self.lock();
        self.news.send_replace(Arc::new(News { is_last: true, ..News::default() }));
        for job in all.values_mut() {
            job.let_go();
        }
        let begun = Instant::now();
        while all.values().any(|job| job.is_at_work()) && begun.elapsed() < END_PATIENCE {
            all.values_mut().for_each(Job::reap);
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        self.end();
    }
}

fn unknown(id: u64) -> Problem {
    Problem::not_found(format!("there is no job {id}"))
}

fn broken(error: &io::Error) -> Problem {
    Problem::internal(format!("the workspace: {error}"))
}
