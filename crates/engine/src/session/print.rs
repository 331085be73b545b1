//! Reports of a search as replies of a protocol.

use tesuji_game::Report;
use tesuji_protocol::{Info, Reply, Score};

/// The news in `report`: a line for each candidate, or one about the move being searched.
pub(super) fn infos(report: &Report<String>, show_wdl: bool) -> Vec<Reply> {
    let micros = report.time.as_micros().max(1);
    let speed = u128::from(report.nodes) * 1_000_000 / micros;
    let common = Info {
        depth: Some(report.depth).filter(|&d| d > 0),
        depth_max: Some(report.depth_max).filter(|&d| d > 0),
        nodes: Some(report.nodes),
        speed: Some(u64::try_from(speed).unwrap_or(u64::MAX)),
        hash_full: Some(report.hash_full),
        table_hits: Some(report.table_hits),
        time: Some(report.time),
        ..Info::default()
    };
    if let Some((mv, number)) = &report.current {
        let (current, current_number) = (Some(mv.clone()), Some(*number));
        return vec![Reply::Info(Info { depth: common.depth, current, current_number, ..Info::default() })];
    }
    if report.lines.is_empty() {
        return vec![Reply::Info(common)];
    }
    let line = |(rank, line): (u32, &tesuji_game::Candidate<String>)| {
        Reply::Info(Info {
            rank: Some(rank),
            score: Some(Score { value: line.value, bound: line.bound }),
            wdl: line.wdl.filter(|_| show_wdl),
            pv: line.pv.clone(),
            ..common.clone()
        })
    };
    (1..).zip(&report.lines).map(line).collect()
}
