//! Whether an engine makes the same of the same nodes each time, so that another worker's games can be compared with its own.

use crate::EngineRequest;

/// The search family that makes the same of the same nodes on any processor.
const ALPHA_BETA: &str = "alpha-beta";

impl EngineRequest {
    /// Whether the engine makes the same of the same nodes each time, on any machine; `None`: that is not known. `each`: words of all
    /// engines; `search`: the search family of this program's engine where no words name one. Threads that search together do not; this
    /// program's alpha-beta search on one thread does, and another program that is told to use one thread is taken for one that does.
    pub fn repeats(&self, each: Option<&EngineRequest>, search: &str) -> Option<bool> {
        let engine = each.map_or_else(|| self.clone(), |each| self.clone().or(each));
        let is_threads = |name: &str| name.to_ascii_lowercase().ends_with("threads");
        let mut told = engine.options.iter().filter(|(name, _)| is_threads(name)).map(|(_, value)| value);
        match told.next_back().map(|threads| threads.trim() == "1") {
            _ if engine.ponder == Some(true) => Some(false),
            Some(false) => Some(false),
            Some(true) if engine.command.is_some() => Some(true),
            // Its other searches may run networks, whose sums differ between processors.
            _ if engine.command.is_none() && engine.args.is_empty() && search == ALPHA_BETA => Some(true),
            _ => None,
        }
    }

    /// [`EngineRequest::repeats`] of several engines in one run.
    pub fn all_repeat(each: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
        let all: Vec<Option<bool>> = each.into_iter().collect();
        match () {
            () if all.contains(&Some(false)) => Some(false),
            () if all.contains(&None) => None,
            () => Some(true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Engines with several threads differed from worker to worker, and honest workers were excluded.
    #[test]
    fn what_repeats_is_one_thread_of_a_known_search() {
        let check = |words: &str, each: Option<&str>, repeats: Option<bool>| {
            let [engine, each] = [Some(words), each].map(|words| words.map(|w| w.parse::<EngineRequest>().unwrap()));
            assert_eq!(engine.clone().unwrap().repeats(each.as_ref(), ALPHA_BETA), repeats, "{words}");
            let other = repeats.filter(|_| engine.as_ref().unwrap().command.is_some() || repeats == Some(false));
            assert_eq!(engine.unwrap().repeats(each.as_ref(), "mcts"), other, "{words}");
        };
        check("self", None, Some(true));
        check("self option.Threads=2", None, Some(false));
        check("self option.Threads=1", Some("option.Threads=4"), Some(true));
        check("self", Some("option.threads=4"), Some(false));
        check("self ponder=on", None, Some(false));
        check("self args='--search mcts'", None, None);
        check("self", Some("args='--search mcts'"), None);
        check("name=a", Some("cmd=./engine"), None);
        check("cmd=./engine", None, None);
        check("cmd=./engine option.Threads=1", None, Some(true));
        check("cmd=./engine option.Threads=8", None, Some(false));
        check("cmd=./engine option.USI_Threads=1", None, Some(true));
        let all = |each: &[Option<bool>]| EngineRequest::all_repeat(each.iter().copied());
        assert_eq!((all(&[]), all(&[Some(true), None])), (Some(true), None));
        assert_eq!((all(&[None, Some(false)]), all(&[Some(true); 2])), (Some(false), Some(true)));
    }
}
