//! A stream of items in random order with bounded memory.

use crate::sample::SourceError;
use tesuji_game::Random;

/// Items in a fixed order, again and again: games or positions from files.
///
/// # Examples
///
/// ```
/// use tesuji_train::{
///     pool::{Pool, Stream},
///     sample::SourceError,
/// };
///
/// /// Numbers below a bound.
/// struct Numbers {
///     next: u32,
///     end: u32,
/// }
///
/// impl Stream for Numbers {
///     type Item = u32;
///     fn next(&mut self) -> Result<Option<u32>, SourceError> {
///         self.next += 1;
///         Ok((self.next <= self.end).then_some(self.next - 1))
///     }
///     fn restart(&mut self) -> Result<(), SourceError> {
///         self.next = 0;
///         Ok(())
///     }
/// }
///
/// let mut pool = Pool::new(Numbers { next: 0, end: 100 }, 10, 2, 1)?;
/// assert_eq!((pool.len(), pool.is_whole()), (10, false));
/// let (number, _) = pool.draw()?;
/// assert!(number < 10);
/// # Ok::<(), SourceError>(())
/// ```
pub trait Stream {
    /// The type of its items.
    type Item: Clone;

    /// The next item; nothing at the end.
    ///
    /// # Errors
    /// When a file cannot be read.
    fn next(&mut self) -> Result<Option<Self::Item>, SourceError>;

    /// Goes back to the beginning.
    ///
    /// # Errors
    /// When a file cannot be opened again.
    fn restart(&mut self) -> Result<(), SourceError>;
}

/// A pool of items to draw from. If all fit, every draw is one of all; else an item that was drawn `times` times makes room
/// for the next of the stream, which begins again at its end.
pub struct Pool<S: Stream> {
    stream: S,
    slots: Vec<(S::Item, u32)>,
    times: u32,
    whole: bool,
    random: Random,
}

impl<S: Stream> Pool<S> {
    /// Fills a pool of at most `room` items. The same stream, room, times and seed give the same draws.
    ///
    /// # Errors
    /// When the stream fails, or is empty.
    pub fn new(mut stream: S, room: usize, times: u32, seed: u64) -> Result<Pool<S>, SourceError> {
        let mut slots = Vec::new();
        let mut whole = false;
        while slots.len() < room.max(1) && !whole {
            match stream.next()? {
                Some(item) => slots.push((item, 0)),
                None => whole = true,
            }
        }
        if slots.is_empty() {
            return Err(SourceError::Empty("the files hold none that can be used".into()));
        }
        Ok(Pool { stream, slots, times: times.max(1), whole, random: Random::new(seed) })
    }

    /// Items in it now.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether nothing is in it: never, once it was made.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Whether all items of the stream are in it.
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// One of the items, and the generator for what else has to be chosen.
    ///
    /// # Errors
    /// When the stream fails, or has become empty.
    pub fn draw(&mut self) -> Result<(S::Item, &mut Random), SourceError> {
        let at = self.random.below(self.slots.len());
        let item = self.slots[at].0.clone();
        self.slots[at].1 += 1;
        if !self.whole && self.slots[at].1 >= self.times {
            self.slots[at] = (self.refill()?, 0);
        }
        Ok((item, &mut self.random))
    }

    /// The next item of the stream, from its beginning if it has ended.
    fn refill(&mut self) -> Result<S::Item, SourceError> {
        if let Some(item) = self.stream.next()? {
            return Ok(item);
        }
        self.stream.restart()?;
        self.stream.next()?.ok_or_else(|| SourceError::Empty("the files have become empty".into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers below a bound.
    struct Count(u32, u32);

    impl Stream for Count {
        type Item = u32;
        fn next(&mut self) -> Result<Option<u32>, SourceError> {
            self.0 += 1;
            Ok((self.0 <= self.1).then_some(self.0 - 1))
        }
        fn restart(&mut self) -> Result<(), SourceError> {
            self.0 = 0;
            Ok(())
        }
    }

    /// Counts of each of 100 items in 50,000 draws.
    fn counts(room: usize, times: u32) -> Vec<u32> {
        let mut pool = Pool::new(Count(0, 100), room, times, 3).unwrap();
        assert_eq!((pool.is_whole(), pool.len()), (room > 100, room.min(100)));
        let mut counts = vec![0; 100];
        for _ in 0..50_000 {
            counts[pool.draw().unwrap().0 as usize] += 1;
        }
        counts
    }

    #[test]
    fn every_item_comes_about_as_often() {
        for (room, times) in [(1000, 4), (101, 1), (20, 4), (100, 3), (1, 2)] {
            let counts = counts(room, times);
            let (low, high) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
            assert!(*low > 400 && *high < 600, "room {room}: {low} to {high}");
        }
    }

    #[test]
    fn draws_repeat_and_an_empty_stream_is_refused() {
        let draws = |seed| {
            let mut pool = Pool::new(Count(0, 50), 10, 2, seed).unwrap();
            (0..200).map(|_| pool.draw().unwrap().0).collect::<Vec<_>>()
        };
        assert_eq!(draws(1), draws(1));
        assert_ne!(draws(1), draws(2));
        let error = Pool::new(Count(0, 0), 10, 2, 1).err().unwrap();
        assert_eq!(error.to_string(), "no positions to learn from: the files hold none that can be used");
    }
}
