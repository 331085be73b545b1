//! Long work: progress with rate and time left, a clean stop by Ctrl-C, files that are whole or absent, journals that survive a kill. The same for a terminal and the page.

mod bounded;
mod bundle;
mod chained;
mod checksum;
mod files;
pub mod fuzz;
mod hold;
mod identity;
mod interrupt;
pub mod job_control;
mod joined;
mod journal;
mod log_file;
mod ordered;
mod origins;
mod output;
mod packed_request;
mod packing;
mod paths;
mod process;
mod progress;
mod request;
mod speed;
mod summed;
mod tar_members;
pub mod terminal;
mod threads;
pub mod units;
mod unpack;
mod unwritten;
pub mod words;
mod zipped;

pub use bounded::{open_bounded, open_limited, read_bounded, read_text_bounded, read_text_limited};
pub use bundle::{Member, each_member, files_within};
pub use chained::ChainedJournal;
pub use checksum::{named_by_content, sha256, sha256_of};
pub use files::{AtomicFile, find_in_archive, open_input, open_members, open_watched};
pub use identity::Identity;
pub use interrupt::Interrupt;
pub use joined::Wanted;
pub use journal::LineJournal;
pub use ordered::{in_order, on_threads};
pub use origins::{OriginLog, UnitOrigin};
pub use output::{
    Existing, OutputFile, allow_replacing, check_output, check_present, file_id, is_replacing_allowed, is_same_file,
    lock_folder, open_alone, open_append, open_lock_file, open_log, open_output, open_program_log,
};
pub use packed_request::{LocalFiles, PackedRequest};
pub use packing::{PackedWriter, Packing};
pub use paths::is_special;
pub use process::{LineProcess, NoLine};
pub use progress::{Progress, Show, counted, duration_text};
pub use request::{JOBS_MAX, RequestError};
pub use speed::speed;
pub use summed::{SummedOutput, changed_part, check_sums, sums_file, whole_parts};
pub use tesuji_system::{
    FileId, ProcessTree, become_sibling_build, find_program, machine, memory, processor_time, program_path,
    thread_processor_time, was_stdout_closed,
};
pub use threads::threads;
pub use unpack::unpacked;
pub use unwritten::{note_unwritten, was_unwritten};
pub use words::{command_line, parse_count};
