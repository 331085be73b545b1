//! Records of one kind made into the other, and into the bytes of a format. What a format cannot hold is left out and counted.

use super::{Format, parquet};
use std::collections::BTreeMap;
use tesuji_game::FirstSide;
use tesuji_record::{Fault, GameRecord, Labels, Part, RecordWriter, Sample, SharedBuffer, Survey};

/// Games or positions.
#[derive(Debug, Clone)]
pub enum Items {
    /// Games.
    Games(Vec<GameRecord<String>>),
    /// Positions.
    Samples(Vec<Sample>),
}

/// Counts of the records, parts of games and labels of positions that were left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Left {
    /// Records left out, by reason.
    pub(super) records: BTreeMap<String, u64>,
    /// Parts of games that were kept without them, with how many games each.
    pub(super) parts: BTreeMap<&'static str, u64>,
    /// Labels that positions were kept without, with how many positions each.
    pub(super) labels: BTreeMap<&'static str, u64>,
}

/// The conversion of records: games into positions and back.
#[derive(Clone, Copy)]
pub struct Lens {
    /// The game's code for positions; without it games are not converted.
    pub survey: Option<&'static dyn Survey>,
    /// The score of positions that have none.
    pub fill_score: Option<i16>,
}

/// A fault of the record with this number.
pub(super) type At = (u64, Fault);

impl Items {
    /// The number of them.
    pub fn len(&self) -> usize {
        match self {
            Items::Games(games) => games.len(),
            Items::Samples(samples) => samples.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// None, of the same kind.
    pub(super) fn none(&self) -> Items {
        match self {
            Items::Games(_) => Items::Games(Vec::new()),
            Items::Samples(_) => Items::Samples(Vec::new()),
        }
    }
}

impl Left {
    /// One more for `reason`.
    pub(super) fn add(&mut self, reason: &str) {
        self.add_many(reason, 1);
    }

    /// `count` more for `reason`.
    fn add_many(&mut self, reason: &str, count: u64) {
        match self.records.get_mut(reason) {
            Some(n) => *n += count,
            None if count > 0 => drop(self.records.insert(reason.to_string(), count)),
            None => {}
        }
    }

    /// One more game without `parts`, as far as it had them.
    fn lose(&mut self, parts: &[Part], game: &GameRecord<String>) {
        parts.iter().filter(|part| part.is_in(game)).for_each(|part| self.lose_words(part.words()));
    }

    /// `count` more positions without the labels `lost`.
    pub(super) fn lose_labels(&mut self, lost: &[&'static str], count: u64) {
        lost.iter().filter(|_| count > 0).for_each(|&label| *self.labels.entry(label).or_insert(0) += count);
    }

    /// One more game without what `words` name.
    pub(super) fn lose_words(&mut self, words: &'static str) {
        *self.parts.entry(words).or_insert(0) += 1;
    }
}

impl Lens {
    /// `items` as games (`games`) or as positions. `numbers` are those of the records they come from, and are kept so.
    /// Records that do not fit the rules go to `faults`, those without a counterpart to `left`.
    pub(super) fn turn(
        &self,
        items: Items,
        numbers: &mut Vec<u64>,
        games: bool,
        left: &mut Left,
        faults: &mut Vec<At>,
    ) -> Items {
        match (items, self.survey) {
            (Items::Games(list), Some(survey)) if !games => {
                let (mut samples, mut from) = (Vec::new(), Vec::new());
                for (game, &number) in list.iter().zip(numbers.iter()) {
                    let before = samples.len();
                    let fault = survey.samples(game, &mut samples).err();
                    if fault.is_some() {
                        samples.truncate(before);
                    }
                    match fault {
                        None => {
                            from.resize(samples.len(), number);
                            left.lose(&Part::BUT_VALUES, game);
                        }
                        Some(Fault::Unsupported(what)) => left.add(&reason("games", what)),
                        Some(fault) => faults.push((number, fault)),
                    }
                }
                *numbers = from;
                self.fill(&mut samples);
                Items::Samples(samples)
            }
            (Items::Samples(samples), Some(survey)) if games => {
                let (mut list, mut rest, mut at) = (Vec::new(), samples.as_slice(), 0);
                loop {
                    let before = list.len();
                    let Err((index, fault)) = survey.games(rest, &mut list) else { break };
                    list.truncate(before);
                    // What comes before the fault is sound.
                    let _ = survey.games(&rest[..index], &mut list);
                    faults.push((numbers[at + index], fault));
                    rest = &rest[index + 1..];
                    at += index + 1;
                }
                *numbers = vec![0; list.len()];
                Items::Games(list)
            }
            (Items::Samples(mut samples), _) => {
                self.fill(&mut samples);
                Items::Samples(samples)
            }
            (items, _) => items,
        }
    }

    fn fill(&self, samples: &mut [Sample]) {
        if self.fill_score.is_some() {
            samples.iter_mut().for_each(|s| s.score = s.score.or(self.fill_score.map(FirstSide)));
        }
    }
}

/// Writes records of one format into memory, one after another.
pub(super) struct Encoder {
    format: Format,
    games: Option<(Box<dyn RecordWriter>, SharedBuffer)>,
    rows: Vec<Sample>,
    out: Vec<u8>,
}

impl Encoder {
    pub(super) fn new(format: Format) -> Encoder {
        let games = match format {
            Format::Games(format) => {
                let shared = SharedBuffer::default();
                Some((format.writer(Box::new(shared.clone())), shared))
            }
            _ => None,
        };
        Encoder { format, games, rows: Vec::new(), out: Vec::new() }
    }

    /// Adds a game. Positions are no games, and are not added.
    fn game(&mut self, game: &GameRecord<String>) -> Result<(), Fault> {
        match &mut self.games {
            Some((writer, _)) => writer.write(game).map_err(|e| e.fault),
            None => Err(Fault::Unsupported("games")),
        }
    }

    /// Adds a position.
    fn sample(&mut self, sample: Sample) -> Result<(), Fault> {
        match self.format {
            Format::Samples(format) => format.write(&sample, &mut self.out).map_err(|e| e.fault),
            Format::Columns => {
                self.rows.push(sample);
                Ok(())
            }
            Format::Games(_) => Err(Fault::Unsupported("positions")),
        }
    }

    /// The bytes of all that was added.
    pub(super) fn finish(self) -> Result<Vec<u8>, Fault> {
        match (self.format, self.games) {
            (Format::Columns, _) => parquet::encode(&self.rows).map_err(Fault::Io),
            (_, Some((writer, shared))) => {
                writer.finish().map_err(|e| e.fault)?;
                Ok(shared.take())
            }
            (_, None) => Ok(self.out),
        }
    }
}

/// The bytes of `items` in `format`, and how many were written. What the format cannot hold goes to `left`, what does not
/// fit the rules to `faults`.
pub(super) fn encode(
    format: Format,
    items: Items,
    numbers: &[u64],
    left: &mut Left,
    faults: &mut Vec<At>,
) -> (Vec<u8>, u64) {
    let mut encoder = Encoder::new(format);
    let (noun, mut written) = (if matches!(items, Items::Games(_)) { "games" } else { "positions" }, 0);
    let drops = if let Format::Games(format) = format { format.drops() } else { &[] };
    let moves_left_out = |game| if let Format::Games(format) = format { format.moves_left_out(game) } else { 0 };
    let holds = if let Format::Samples(format) = format { format.holds() } else { Labels::ALL };
    let mut note = |done: Result<(), Fault>, index: usize, left: &mut Left| match done {
        Ok(()) => written += 1,
        Err(Fault::Unsupported(what)) => left.add(&reason(noun, what)),
        Err(fault) => faults.push((numbers.get(index).copied().unwrap_or(0), fault)),
    };
    match items {
        Items::Games(games) => games.iter().enumerate().for_each(|(i, game)| {
            let done = encoder.game(game);
            if done.is_ok() {
                left.lose(drops, game);
                left.add_many("moves without a score", moves_left_out(game));
            }
            note(done, i, left);
        }),
        Items::Samples(list) => {
            list.into_iter().enumerate().for_each(|(i, sample)| {
                let lost = told(&sample).beyond(holds);
                let done = encoder.sample(sample);
                if done.is_ok() {
                    left.lose_labels(&lost, 1);
                }
                note(done, i, left);
            });
        }
    }
    match encoder.finish() {
        Ok(bytes) => (bytes, written),
        Err(fault) => {
            faults.push((0, fault));
            (Vec::new(), 0)
        }
    }
}

/// The labels that `sample` has beside the position.
fn told(sample: &Sample) -> Labels {
    Labels {
        mv: !sample.mv.is_empty(),
        score: sample.score.is_some(),
        result: sample.half_points.is_some(),
        ending: false,
        ply: sample.ply.is_some_and(|ply| ply > 0),
    }
}

/// "a game without a result" among `games` as "games without a result".
fn reason(noun: &str, what: &str) -> String {
    for one in ["a game ", "a position "] {
        if let Some(rest) = what.strip_prefix(one) {
            return format!("{noun} {rest}");
        }
    }
    format!("{noun} with {what}")
}

/// Records as bytes, one behind the other.
#[derive(Default)]
pub(super) struct Pieces {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Pieces {
    fn push(&mut self, record: &[u8]) {
        self.bytes.extend_from_slice(record);
        self.ends.push(self.bytes.len());
    }

    /// The records, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(from, &to)| &self.bytes[from..to])
    }
}

/// Each of `items` by itself as bytes that [`join`] makes into a piece of a file; nothing for what cannot be held.
pub(super) fn encode_each(
    format: Format,
    items: Items,
    numbers: &[u64],
    left: &mut Left,
    faults: &mut Vec<At>,
) -> Pieces {
    let mut pieces = Pieces::default();
    if let (Format::Columns, Items::Samples(samples)) = (format, &items) {
        samples.iter().for_each(|s| pieces.push(&pack(s)));
        return pieces;
    }
    let mut one = |item: Items, index: usize| {
        let number = numbers.get(index).map_or(&[] as &[u64], std::slice::from_ref);
        let (bytes, written) = encode(format, item, number, left, faults);
        if written > 0 {
            pieces.push(&bytes);
        }
    };
    match items {
        Items::Games(games) => games.into_iter().enumerate().for_each(|(i, g)| one(Items::Games(vec![g]), i)),
        Items::Samples(list) => list.into_iter().enumerate().for_each(|(i, s)| one(Items::Samples(vec![s]), i)),
    }
    pieces
}

/// Records that [`encode_each`] gave as a piece of a file.
pub(super) fn join<'a>(format: Format, records: impl Iterator<Item = &'a [u8]>) -> std::io::Result<Vec<u8>> {
    match format {
        Format::Columns => {
            let rows: Option<Vec<Sample>> = records.map(unpack).collect();
            let rows = rows.ok_or_else(|| std::io::Error::other("a position came back from the disk broken"))?;
            parquet::encode(&rows)
        }
        _ => Ok(records.flatten().copied().collect()),
    }
}

/// A position as bytes, for a while on the disk.
fn pack(sample: &Sample) -> Vec<u8> {
    let mut out = Vec::with_capacity(128);
    let known = u8::from(sample.score.is_some())
        | u8::from(sample.half_points.is_some()) << 1
        | u8::from(sample.plies_left.is_some()) << 2
        | u8::from(sample.ply.is_some()) << 3;
    out.push(known);
    out.extend(sample.score.map_or(0, |score| score.0).to_le_bytes());
    out.push(sample.half_points.unwrap_or(0));
    out.extend(sample.plies_left.unwrap_or(0).to_le_bytes());
    out.extend(sample.game.unwrap_or(0).to_le_bytes());
    out.extend(sample.ply.unwrap_or(0).to_le_bytes());
    for text in [&sample.rules, &sample.position, &sample.mv, &sample.origin] {
        out.extend((text.len() as u32).to_le_bytes());
        out.extend(text.as_bytes());
    }
    out
}

/// The inverse of [`pack`].
fn unpack(mut bytes: &[u8]) -> Option<Sample> {
    let mut take = |n: usize| {
        let (head, rest) = bytes.split_at_checked(n)?;
        bytes = rest;
        Some(head)
    };
    let known = take(1)?[0];
    let score = i16::from_le_bytes(take(2)?.try_into().ok()?);
    let half_points = take(1)?[0];
    let plies_left = u32::from_le_bytes(take(4)?.try_into().ok()?);
    let game = u64::from_le_bytes(take(8)?.try_into().ok()?);
    let ply = u32::from_le_bytes(take(4)?.try_into().ok()?);
    let mut text = || {
        let len = u32::from_le_bytes(take(4)?.try_into().ok()?) as usize;
        String::from_utf8(take(len)?.to_vec()).ok()
    };
    Some(Sample {
        rules: text()?,
        position: text()?,
        mv: text()?,
        origin: text()?,
        score: (known & 1 != 0).then_some(FirstSide(score)),
        half_points: (known & 2 != 0).then_some(half_points),
        plies_left: (known & 4 != 0).then_some(plies_left),
        game: Some(game).filter(|&game| game != 0),
        ply: (known & 8 != 0).then_some(ply),
        facts: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_survive_a_while_on_the_disk() {
        let full = Sample {
            rules: "chess960".into(),
            position: "a position".into(),
            mv: "e2e4".into(),
            origin: "ü".into(),
            score: Some(FirstSide(-31)),
            half_points: Some(2),
            plies_left: Some(77),
            game: Some(u64::MAX),
            ply: Some(3),
            facts: None,
        };
        for sample in [full.clone(), Sample::default(), Sample { score: None, ..full }] {
            let bytes = pack(&sample);
            assert_eq!(unpack(&bytes), Some(sample));
            for cut in 0..bytes.len() {
                assert_eq!(unpack(&bytes[..cut]), None);
            }
        }
    }
}
