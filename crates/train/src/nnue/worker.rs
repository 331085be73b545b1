//! Who takes the steps of a run: the processor, or a device. Both hold a [`Learner`], which checkpoints are made of; a device brings it
//! up to date when that is asked for.

use super::device::NnueBackend;
use super::inputs::InputTable;
use super::layout::NnueLayout;
use super::net::Learner;
use super::sparse::SparseBatch;
use super::stream::Batch;
use super::tail::{NnueSums, NnueTarget};
use super::tensor::NnueStep;
use crate::error::TrainError;
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// See the file.
pub(super) trait Worker {
    /// The positions of a step.
    type Batch;
    /// The gradient of a batch, whose loss is added to `sums`; where `asks_length`, its length is returned and `sums` are up to date.
    fn gradient(
        &mut self,
        batch: Self::Batch,
        target: &NnueTarget,
        sums: &mut NnueSums,
        asks_length: bool,
    ) -> Result<Option<f32>, TrainError>;
    /// Moves all numbers by the gradient.
    fn step(&mut self, step: &NnueStep) -> Result<(), TrainError>;
    /// As [`Learner::round`].
    fn round(&mut self, is_rounded: bool) -> Result<(), TrainError>;
    /// The sums since the last line of the log are 0 again.
    fn restart(&mut self) -> Result<(), TrainError>;
    /// Waits for all steps and brings `sums` up to date.
    fn settle(&mut self, sums: &mut NnueSums) -> Result<(), TrainError>;
    /// Sums over `records`, in pieces of `batch` positions.
    fn judge(&mut self, records: &[u8], batch: usize, target: &NnueTarget) -> Result<NnueSums, TrainError>;
    /// The network after all steps so far; its numbers are rounded where passes read them so.
    fn learner(&mut self) -> Result<&Learner, TrainError>;
}

/// The processor.
pub(super) struct Processor<'a> {
    pub(super) learner: Learner,
    pub(super) table: &'a InputTable,
}

impl Worker for Processor<'_> {
    type Batch = Batch;

    fn gradient(
        &mut self,
        batch: Batch,
        target: &NnueTarget,
        sums: &mut NnueSums,
        asks_length: bool,
    ) -> Result<Option<f32>, TrainError> {
        sums.add(&self.learner.gradient(self.table, &batch.records, &batch.mirrored, target));
        Ok(asks_length.then(|| self.learner.gradient_length()))
    }

    fn step(&mut self, step: &NnueStep) -> Result<(), TrainError> {
        self.learner.step(step);
        Ok(())
    }

    fn round(&mut self, is_rounded: bool) -> Result<(), TrainError> {
        self.learner.round(is_rounded);
        Ok(())
    }

    fn restart(&mut self) -> Result<(), TrainError> {
        Ok(())
    }

    fn settle(&mut self, _: &mut NnueSums) -> Result<(), TrainError> {
        Ok(())
    }

    fn judge(&mut self, records: &[u8], batch: usize, target: &NnueTarget) -> Result<NnueSums, TrainError> {
        let mut sums = NnueSums::default();
        for records in records.chunks(batch * self.table.layout().record_bytes()) {
            sums.add(&self.learner.judge(self.table, records, target));
        }
        Ok(sums)
    }

    fn learner(&mut self) -> Result<&Learner, TrainError> {
        Ok(&self.learner)
    }
}

/// Batches as a device takes them, made by several threads.
pub(super) struct Preparer<'a> {
    pub(super) table: &'a InputTable,
    pub(super) pool: &'a rayon::ThreadPool,
    buckets: usize,
    /// Batches that were used: their memory serves again.
    free: Mutex<Vec<SparseBatch>>,
}

impl<'a> Preparer<'a> {
    pub(super) fn new(table: &'a InputTable, pool: &'a rayon::ThreadPool, buckets: usize) -> Preparer<'a> {
        Preparer { table, pool, buckets, free: Mutex::default() }
    }

    /// A batch of `records`.
    pub(super) fn prepare(&self, records: &[u8], mirrored: &[bool], learns: bool) -> SparseBatch {
        let mut batch = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        batch.fill(self.table, records, mirrored, self.buckets, learns);
        batch
    }

    fn used(&self, batch: SparseBatch) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(batch);
    }
}

/// A device, whose numbers the learner has when it `is_current`.
pub(super) struct OnDevice<'a> {
    backend: &'a mut dyn NnueBackend,
    preparer: &'a Preparer<'a>,
    layout: NnueLayout,
    learner: Learner,
    is_current: bool,
    is_rounded: bool,
}

impl<'a> OnDevice<'a> {
    /// The device takes over the numbers of `learner`, and `sums`.
    pub(super) fn new(
        backend: &'a mut dyn NnueBackend,
        preparer: &'a Preparer<'a>,
        (mut learner, layout): (Learner, NnueLayout),
        sums: &NnueSums,
    ) -> Result<OnDevice<'a>, TrainError> {
        learner.round(false);
        backend.load(&learner.numbers(&layout), sums)?;
        Ok(OnDevice { backend, preparer, layout, learner, is_current: true, is_rounded: false })
    }
}

impl Worker for OnDevice<'_> {
    type Batch = SparseBatch;

    fn gradient(
        &mut self,
        batch: SparseBatch,
        target: &NnueTarget,
        sums: &mut NnueSums,
        asks_length: bool,
    ) -> Result<Option<f32>, TrainError> {
        self.backend.gradient(&batch, target)?;
        self.preparer.used(batch);
        if !asks_length {
            return Ok(None);
        }
        *sums = self.backend.sums()?;
        Ok(Some(self.backend.gradient_length()?))
    }

    fn step(&mut self, step: &NnueStep) -> Result<(), TrainError> {
        self.is_current = false;
        self.backend.step(step)
    }

    fn round(&mut self, is_rounded: bool) -> Result<(), TrainError> {
        (self.is_rounded, self.is_current) = (is_rounded, false);
        self.backend.round(is_rounded)
    }

    fn restart(&mut self) -> Result<(), TrainError> {
        self.backend.restart()
    }

    fn settle(&mut self, sums: &mut NnueSums) -> Result<(), TrainError> {
        *sums = self.backend.sums()?;
        Ok(())
    }

    fn judge(&mut self, records: &[u8], batch: usize, target: &NnueTarget) -> Result<NnueSums, TrainError> {
        let mut sums = NnueSums::default();
        let preparer = self.preparer;
        let pieces: Vec<&[u8]> = records.chunks(batch * preparer.table.layout().record_bytes()).collect();
        for pieces in pieces.chunks(preparer.pool.current_num_threads()) {
            let batches: Vec<SparseBatch> = preparer
                .pool
                .install(|| pieces.par_iter().map(|records| preparer.prepare(records, &[], false)).collect());
            for batch in batches {
                sums.add(&self.backend.judge(&batch, target)?);
                preparer.used(batch);
            }
        }
        Ok(sums)
    }

    fn learner(&mut self) -> Result<&Learner, TrainError> {
        if !self.is_current {
            self.learner.take(&self.layout, &self.backend.numbers()?);
            self.learner.round(self.is_rounded);
            self.is_current = true;
        }
        Ok(&self.learner)
    }
}
