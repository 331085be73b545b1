//! Trees of processes on Windows: a job object holds the process with all that it starts.
//!
//! `process-wrap` starts the process suspended, puts it into a job and lets it run then, so that no helper is started outside of the job.
//! Before it runs it is put into a second job, of `win32job`, whose handle is here alone: the kernel kills what is in it when this process
//! ends, however it ends. (The first cannot be told to.)

use process_wrap::std::{ChildWrapper, CommandWrap, CommandWrapper, JobObject};
use std::{
    io,
    mem::replace,
    os::windows::{io::AsRawHandle, process::CommandExt},
    process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus},
    sync::{Arc, Mutex, PoisonError},
};
use win32job::{ExtendedLimitInfo, Job};

/// `CREATE_SUSPENDED`: it runs when it is in its jobs.
const SUSPENDED: u32 = 0x4;
/// `CREATE_NEW_PROCESS_GROUP`: Ctrl-C in the console reaches this process alone.
const OWN_GROUP: u32 = 0x200;

/// A process in its jobs.
#[derive(Debug)]
pub(super) struct Tree {
    child: Box<dyn ChildWrapper>,
    /// Closing it kills what is left.
    _ends_with_runner: Option<Job>,
    is_over: bool,
    status: Option<ExitStatus>,
}

/// Puts the process into a job that ends with this process.
#[derive(Debug, Default, Clone)]
struct EndsWithRunner(Arc<Mutex<Option<Job>>>);

impl CommandWrapper for EndsWithRunner {
    fn wrap_child(&mut self, child: Box<dyn ChildWrapper>, _: &CommandWrap) -> io::Result<Box<dyn ChildWrapper>> {
        let job = Job::create_with_limit_info(ExtendedLimitInfo::new().limit_kill_on_job_close());
        let job = job.map_err(io::Error::other)?;
        if let Some(handle) = child.process_handle() {
            job.assign_process(handle.as_raw_handle() as isize).map_err(io::Error::other)?;
        }
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(job);
        Ok(child)
    }
}

/// Says how the process starts, after `JobObject`, which knows only of its own flag.
#[derive(Debug, Clone, Copy)]
struct StartsApart;

impl CommandWrapper for StartsApart {
    fn pre_spawn(&mut self, command: &mut Command, _: &CommandWrap) -> io::Result<()> {
        command.creation_flags(SUSPENDED | OWN_GROUP);
        Ok(())
    }
}

pub(super) fn in_own_group(command: &mut Command) {
    command.creation_flags(OWN_GROUP);
}

impl Tree {
    pub(super) fn spawn(command: &mut Command) -> io::Result<Tree> {
        let ends = EndsWithRunner::default();
        let mut wrapped = CommandWrap::from(replace(command, Command::new("")));
        // In this order: `JobObject` lets the process run.
        wrapped.wrap(ends.clone()).wrap(JobObject).wrap(StartsApart);
        let child = wrapped.spawn();
        *command = wrapped.into_command();
        let job = ends.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        Ok(Tree { child: child?, _ends_with_runner: job, is_over: false, status: None })
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn take_input(&mut self) -> Option<ChildStdin> {
        self.child.stdin().take()
    }

    pub(super) fn take_output(&mut self) -> Option<ChildStdout> {
        self.child.stdout().take()
    }

    pub(super) fn take_errors(&mut self) -> Option<ChildStderr> {
        self.child.stderr().take()
    }

    pub(super) fn has_ended(&mut self) -> bool {
        self.is_over || !matches!(self.child.inner_mut().try_wait(), Ok(None))
    }

    pub(super) fn status(&self) -> Option<ExitStatus> {
        self.status
    }

    /// A process without a window cannot be asked.
    pub(super) fn ask_to_end(&mut self) {
        self.kill();
    }

    pub(super) fn kill(&mut self) {
        if self.is_over {
            return;
        }
        // Of the whole job.
        let _ = self.child.start_kill();
        self.status = self.child.inner_mut().wait().ok();
        self.is_over = true;
    }
}
