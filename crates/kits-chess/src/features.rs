//! Tables of features of chess: those of our evaluation, or SoFCheck's.

mod output;
mod quiet;
mod sample;
mod source;
mod worker;

use anyhow::bail;
use output::Output;
use sample::Reservoir;
use source::Source;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use tesuji_jobs::{Interrupt, Progress, in_order, threads};
use tesuji_kit::features::{FeatureOutcome, FeatureOutput, FeatureRequest, FeatureTables};
use worker::{Layout, Orders, Piece, Worker};

/// The tables of chess.
pub(super) struct ChessFeatures;

impl FeatureTables for ChessFeatures {
    fn layouts(&self) -> &'static [&'static str] {
        &["tesuji", "sofcheck"]
    }

    fn write(&self, request: &FeatureRequest, stop: &Interrupt, progress: &Progress) -> anyhow::Result<FeatureOutcome> {
        request.check_layout(self.layouts())?;
        let layout = match request.layout.as_str() {
            "tesuji" => Layout::Tesuji,
            "sofcheck" => Layout::Sofcheck,
            other => bail!("--layout {other}: expected one of {}", self.layouts().join(", ")),
        };
        if let (Layout::Tesuji, FeatureOutput::Csv(_)) = (layout, &request.out) {
            bail!(
                "rows of our own features are written as Parquet: --out rows.parquet (or --layout sofcheck, or --hash)"
            )
        }
        let orders = Orders {
            layout,
            filter: request.filter,
            quiet: request.quiet_cp,
            lines: matches!(request.out, FeatureOutput::Csv(_)) && request.count.is_none(),
            lots_below: request.count.map(|_| (request.seed, AtomicU64::new(u64::MAX))),
        };
        let mut output = Output::open(&request.out, layout)?;
        let mut outcome = request.skip.hinted(flow(request, &orders, &mut output, (stop, progress)))?;
        outcome.stopped = stop.is_raised();
        if !outcome.stopped {
            (outcome.rows, outcome.hash) = output.finish()?;
        }
        Ok(outcome)
    }
}

/// Games to rows, rows to the output.
fn flow(
    args: &FeatureRequest,
    orders: &Orders,
    output: &mut Output,
    (stop, progress): (&Interrupt, &Progress),
) -> anyhow::Result<FeatureOutcome> {
    let mut source = Source::new(args.games.clone(), output.block_bytes(), args.skip);
    let mut reservoir = args.count.map(|size| Reservoir::new(size, args.seed));
    // Pieces come back when they are written: their memory is the largest there is.
    let spare: Mutex<Vec<Piece>> = Mutex::new(Vec::new());
    let mut total = FeatureOutcome::default();
    let encoder = output.encoder();
    in_order(
        threads(args.jobs),
        || if stop.is_raised() { Ok(None) } else { source.next() },
        || Worker::new(orders),
        |worker, item| {
            let mut piece = spare.lock().ok().and_then(|mut spare| spare.pop()).unwrap_or_default();
            worker.make(item, &mut piece)?;
            encoder.encode(&mut piece)?;
            Ok(piece)
        },
        |mut piece| {
            total.games += piece.games;
            total.unfinished += piece.unfinished;
            total.boards += piece.boards;
            total.kept += piece.kept;
            progress.set(total.games);
            match (&mut reservoir, &orders.lots_below) {
                (Some(reservoir), Some((_, below))) => {
                    reservoir.offer(&piece.rows);
                    below.store(reservoir.below(), Ordering::Relaxed);
                }
                _ => output.take(&mut piece)?,
            }
            piece.clear();
            if let Ok(mut spare) = spare.lock() {
                spare.push(piece);
            }
            Ok(())
        },
    )?;
    if let Some(reservoir) = reservoir {
        output.take_drawn(reservoir.into_rows())?;
    }
    Ok(total)
}
