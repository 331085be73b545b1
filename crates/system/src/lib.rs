//! All that differs between operating systems: processes with what they start, pipes, locks, kinds of files, memory, processors. Nothing else in the workspace asks which system it runs on.
//!
//! Linux, macOS and Windows have all of it, but for what only Linux knows: processors for an engine ([`on_processors`]), the time that its
//! threads waited for one ([`Starved`]), a sandbox ([`contained`]), and whether stdout was closed from the beginning ([`was_stdout_closed`]).

mod affinity;
mod closed;
mod exit;
mod file_id;
mod files;
mod links;
mod locks;
pub mod machine;
pub mod memory;
mod pipes;
mod processor_time;
mod programs;
mod sandbox;
mod signals;
mod starved;
pub mod terminal;
mod tree;
mod waiting;

pub use affinity::on_processors;
pub use closed::was_stdout_closed;
pub use exit::{Ending, ending, is_process_alive, parent_process};
pub use file_id::FileId;
pub use files::{allow_running, make_private, may_run, may_write, sync_folder};
pub use links::link;
pub use locks::{lock_folder, try_lock, try_lock_shared};
pub use pipes::ProgramPipes;
pub use processor_time::{processor_time, thread_processor_time};
pub use programs::{become_sibling_build, find_program, program_path};
pub use sandbox::{
    Containment, Sandbox, SandboxRules, contain_programs, contained, contained_online, is_without_network, sandbox,
};
pub use signals::{StopSignal, on_stop_signals};
pub use starved::Starved;
pub use tree::{ProcessTree, in_own_group};
pub use waiting::{Waiting, is_named_pipe, open_pipe};
