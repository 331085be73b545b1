//! Which positions are mates, as `data filter --mate` asks.

use tesuji_kit::{Kit, mates::MateJudge};
use tesuji_search::mate::MateLimits;

/// How far mates are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Preset {
    /// Up to 300 plies, 5,000 nodes
    Quick,
    /// 20 plies, 1,048,576 nodes: those of Yamaoka's diary of 2018
    Diary,
    /// Up to 300 plies, 10,000,000 nodes
    Deep,
}

/// What is asked on the command line.
#[derive(clap::Args)]
#[command(next_help_heading = "Mates")]
pub(super) struct Asked {
    /// Write positions where the side to move mates, or is in check and mated, to this file instead
    #[arg(long, value_name = "FILE")]
    pub(super) mate: Option<std::path::PathBuf>,
    /// How far mates are looked for
    #[arg(long, value_name = "PRESET", value_enum, default_value = "diary", requires = "mate")]
    mate_limits: Preset,
    /// Nodes for each question at most, whatever the preset
    #[arg(long, value_name = "N", requires = "mate")]
    mate_nodes: Option<u64>,
    /// Plies of the mate at most, whatever the preset
    #[arg(long, value_name = "N", requires = "mate")]
    mate_plies: Option<u16>,
    /// Memory of each thread's search in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64, requires = "mate")]
    mate_hash: usize,
}

/// The longest mate that is looked for where no limit is asked for: the threads have the usual stacks.
const PLIES: u16 = 300;

impl Asked {
    /// The limits that are asked for.
    pub(super) fn limits(&self) -> MateLimits {
        let (plies, nodes) = match self.mate_limits {
            Preset::Quick => (None, 5_000),
            Preset::Diary => (Some(20), 1 << 20),
            Preset::Deep => (None, 10_000_000),
        };
        MateLimits {
            plies: Some(self.mate_plies.or(plies).unwrap_or(PLIES).min(PLIES)),
            nodes: Some(self.mate_nodes.unwrap_or(nodes)),
        }
    }

    /// A judge of the positions of a game; `None` where mates are not known.
    pub(super) fn judge(&self, kit: &dyn Kit) -> Option<Box<dyn MateJudge>> {
        Some(kit.mates()?.judge(self.mate_hash.max(1), self.limits()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::kit;
    use tesuji_kit::mates::Verdict;
    use tesuji_record::Sample;

    #[track_caller]
    fn check(game: &str, preset: Preset, position: &str, expect: Verdict) {
        let asked = Asked { mate: None, mate_limits: preset, mate_nodes: None, mate_plies: None, mate_hash: 8 };
        let sample = Sample { position: position.to_string(), ..Sample::default() };
        let judge = asked.judge(kit(game).unwrap()).unwrap();
        assert_eq!(judge.judge(&sample).unwrap(), expect, "{position}");
    }

    #[test]
    fn mates_on_both_sides_of_the_board_are_found() {
        use Preset::{Diary, Quick};
        check("shogi", Diary, "4k4/9/4P4/9/9/9/9/9/4K4 b G 1", Verdict::Mates);
        check("shogi", Diary, "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1", Verdict::Mated);
        // In check, and whatever it answers it is mated by the next one.
        check("shogi", Diary, "4k4/9/3+P1+P3/9/9/9/9/4R4/4K4 w 2G 1", Verdict::Mated);
        check("shogi", Diary, "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", Verdict::Neither);
        check("chess", Quick, "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", Verdict::Mates);
        check("chess", Quick, "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", Verdict::Mated);
        check("chess", Quick, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", Verdict::Neither);
    }

    #[test]
    fn a_limit_is_no_verdict() {
        let diary = "1n1g3+Pl/k1p1s4/1ng5p/pSP1p1pp1/1n3p3/P1K3P1P/1P7/9/L1G5L b 2R2BG2SL5Pn 161";
        check("shogi", Preset::Deep, diary, Verdict::Mates);
        let asked =
            Asked { mate: None, mate_limits: Preset::Quick, mate_nodes: Some(100), mate_plies: None, mate_hash: 8 };
        let sample = Sample { position: diary.to_string(), ..Sample::default() };
        assert_eq!(asked.judge(kit("shogi").unwrap()).unwrap().judge(&sample).unwrap(), Verdict::Limit);
        let broken = Sample { position: "9/9".to_string(), ..Sample::default() };
        assert!(asked.judge(kit("shogi").unwrap()).unwrap().judge(&broken).is_err());
    }
}
