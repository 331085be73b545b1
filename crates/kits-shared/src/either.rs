//! One of two evaluators: the hand-made one or a network, the game's or a preset's.

use tesuji_game::{CacheCounts, Evaluator, Position, Value};

/// One of two evaluators, chosen when the program runs.
///
/// A search is compiled once for both: what it costs to ask which one it is was counted, see docs/nnue.md.
#[derive(Clone)]
pub enum EitherEval<A, B> {
    /// The first.
    First(A),
    /// The second.
    Second(B),
}

impl<P: Position, A: Evaluator<P>, B: Evaluator<P>> Evaluator<P> for EitherEval<A, B> {
    #[inline]
    fn reset(&mut self, pos: &P) {
        match self {
            EitherEval::First(eval) => eval.reset(pos),
            EitherEval::Second(eval) => eval.reset(pos),
        }
    }

    #[inline]
    fn push(&mut self, pos: &P, changes: &[P::Change]) {
        match self {
            EitherEval::First(eval) => eval.push(pos, changes),
            EitherEval::Second(eval) => eval.push(pos, changes),
        }
    }

    #[inline]
    fn pop(&mut self) {
        match self {
            EitherEval::First(eval) => eval.pop(),
            EitherEval::Second(eval) => eval.pop(),
        }
    }

    #[inline]
    fn value(&mut self, pos: &P) -> Value {
        match self {
            EitherEval::First(eval) => eval.value(pos),
            EitherEval::Second(eval) => eval.value(pos),
        }
    }

    #[inline]
    fn prefetch(&self, pos: &P) {
        match self {
            EitherEval::First(eval) => eval.prefetch(pos),
            EitherEval::Second(eval) => eval.prefetch(pos),
        }
    }

    #[inline]
    fn cache_counts(&self) -> Vec<CacheCounts> {
        match self {
            EitherEval::First(eval) => eval.cache_counts(),
            EitherEval::Second(eval) => eval.cache_counts(),
        }
    }

    #[inline]
    fn reset_counts(&mut self) {
        match self {
            EitherEval::First(eval) => eval.reset_counts(),
            EitherEval::Second(eval) => eval.reset_counts(),
        }
    }

    #[inline]
    fn clear(&mut self) {
        match self {
            EitherEval::First(eval) => eval.clear(),
            EitherEval::Second(eval) => eval.clear(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use tesuji_chess::{Board, Chess};
    use tesuji_game::Game;

    thread_local! {
        /// The methods that were called, in order.
        static CALLED: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
    }

    fn note(method: &'static str) {
        CALLED.with(|called| called.borrow_mut().push(method));
    }

    /// Writes down what is asked of it.
    #[derive(Clone)]
    struct Witness;

    impl Evaluator<Board> for Witness {
        fn reset(&mut self, _: &Board) {
            note("reset");
        }
        fn push(&mut self, _: &Board, _: &[<Board as Position>::Change]) {
            note("push");
        }
        fn pop(&mut self) {
            note("pop");
        }
        fn value(&mut self, _: &Board) -> Value {
            note("value");
            Value::cp(7)
        }
        fn prefetch(&self, _: &Board) {
            note("prefetch");
        }
        fn cache_counts(&self) -> Vec<CacheCounts> {
            note("cache_counts");
            vec![CacheCounts::new("witness", 2, 1)]
        }
        fn reset_counts(&mut self) {
            note("reset_counts");
        }
        fn clear(&mut self) {
            note("clear");
        }
    }

    /// Three of the eight were not: caches of the evaluation were neither shown nor counted again from 0.
    #[test]
    fn every_question_reaches_the_evaluator() {
        let board = Chess::start(&Default::default());
        for mut eval in [EitherEval::<Witness, Witness>::First(Witness), EitherEval::Second(Witness)] {
            CALLED.with(|called| called.borrow_mut().clear());
            eval.reset(&board);
            eval.push(&board, &[]);
            Evaluator::<Board>::pop(&mut eval);
            assert_eq!(eval.value(&board), Value::cp(7));
            eval.prefetch(&board);
            assert_eq!(Evaluator::<Board>::cache_counts(&eval), [CacheCounts::new("witness", 2, 1)]);
            Evaluator::<Board>::reset_counts(&mut eval);
            Evaluator::<Board>::clear(&mut eval);
            let all = ["reset", "push", "pop", "value", "prefetch", "cache_counts", "reset_counts", "clear"];
            assert_eq!(CALLED.with(|called| called.borrow().clone()), all);
        }
    }
}
