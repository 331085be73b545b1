//! Positions of go from records of games: the move played, who won, by how much.

use super::{GO, WORDS, collection::is_weak};
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};
use tesuji_dataset::{HELD_OUT_SEED, is_held_out, searched::SearchedReader};
use tesuji_game::{By, Encoding, Line, Outcome, Position, Side, Value};
use tesuji_go::{Area, GoPosition, Move, Rules, Size};
use tesuji_go_eval::GoPlanes;
use tesuji_kit::open_records;
use tesuji_record::{GameRecord, RecordReader, fingerprint};
use tesuji_search::mcts::Parameters;
use tesuji_train::pool::{Pool, Stream};
use tesuji_train::sample::{Sample, Source, SourceError};

/// A game as it is kept in memory.
pub(super) struct Played {
    rules: Rules,
    moves: Box<[u16]>,
    /// The search results stored with the game, in the order of plies; empty for a game without searches.
    searched: Box<[Searched]>,
    /// The result for Black, if it says something about the moves.
    value: Option<f32>,
    /// The margin for Black in points, if it can be trusted.
    margin: Option<f32>,
}

/// The search result before a move of a game.
struct Searched {
    ply: usize,
    /// Moves and their visits.
    visits: Box<[(u16, u32)]>,
    /// The result that it expected for the side to move, in -1..=1.
    value: Option<f32>,
}

/// The part of the games: training or held-out games.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Those that are learned from.
    Learned,
    /// Those that never are.
    HeldOut,
}

/// The games of files, one after another, split by their moves.
pub(super) struct Games {
    files: Vec<PathBuf>,
    size: Size,
    part: Part,
    /// The share of the games that is held out.
    held_out: f64,
    /// Games of players who are known to be weaker are left out.
    rank_min: Option<i32>,
    next_file: usize,
    /// Never locked: readers may not be looked at by several threads, and sources are.
    reader: Mutex<Option<(PathBuf, Box<dyn RecordReader>)>>,
}

impl Games {
    pub(super) fn new(files: &[PathBuf], size: Size, part: Part, held_out: f64) -> Games {
        Games { files: files.to_vec(), size, part, held_out, rank_min: None, next_file: 0, reader: Mutex::new(None) }
    }

    /// The same without games of players who are known to be weaker than `least`.
    pub(super) fn of_rank(self, least: Option<i32>) -> Games {
        Games { rank_min: least, ..self }
    }

    /// The game of a record, or `None` where it is another's or of no use: another board, stones set up before the game,
    /// a handicap, or no move.
    fn played(&self, record: &GameRecord<String>) -> Option<Played> {
        let mut rules: Rules = record.rules.parse().ok()?;
        let is_weak = self.rank_min.is_some_and(|least| is_weak(record, least));
        if rules.size != self.size || rules.handicap > 0 || record.start.is_some() || is_weak {
            return None;
        }
        // Where no komi is noted it was nearly always the usual 6.5 of its time.
        if !record.rules.contains("komi") {
            rules.komi_halves = 13;
        }
        let words = record.main_line();
        let moves: Box<[u16]> =
            words.iter().map_while(|word| Move::parse(word, rules.size).ok()).map(Move::bits).collect();
        let held_out = is_held_out(fingerprint(record), HELD_OUT_SEED, self.held_out);
        if moves.is_empty() || held_out != (self.part == Part::HeldOut) {
            return None;
        }
        let searched = searches(record, moves.len());
        let fox = record.tag("Source").is_some_and(|source| source == "foxpro");
        let (value, margin) = results(record.outcome, &rules);
        Some(Played { rules, moves, searched, value, margin: margin.filter(|_| !fox) })
    }
}

/// The search results before the first `plies` moves of a game.
fn searches(record: &GameRecord<String>, plies: usize) -> Box<[Searched]> {
    let expected = |value: Value| {
        let scale = Parameters::default().scale_cp;
        2.0 / (1.0 + (-(value.raw() as f32) / scale).exp()) - 1.0
    };
    let notes = record.main_nodes().into_iter().take(plies).map(|node| record.note(node)).enumerate();
    notes
        .filter(|(_, note)| !note.visits.is_empty())
        .map(|(ply, note)| Searched { ply, visits: note.visits.clone().into(), value: note.value.map(expected) })
        .collect()
}

/// The training targets from the end of a game: the result for Black where the komi was fair (5.5 to 7.5) and the clock did not
/// decide, and the margin where points were counted.
fn results(outcome: Option<Outcome>, rules: &Rules) -> (Option<f32>, Option<f32>) {
    let Some(outcome) = outcome else { return (None, None) };
    if !(11..=15).contains(&rules.komi_halves) || matches!(outcome.by, By::Time | By::Illegal) {
        return (None, None);
    }
    let value = match outcome.winner {
        Some(Side::First) => 1.0,
        Some(Side::Second) => -1.0,
        None => 0.0,
    };
    let margin = match outcome.by {
        By::Points(points) => Some(points * value),
        _ => None,
    };
    (Some(value), margin)
}

/// Opens a file of games, or of searched positions in Parquet.
fn reader(path: &Path) -> anyhow::Result<Box<dyn RecordReader>> {
    match path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet")) {
        true => Ok(Box::new(SearchedReader::open(path, WORDS)?)),
        false => Ok(open_records(&GO, path)?),
    }
}

impl Stream for Games {
    type Item = Arc<Played>;

    fn next(&mut self) -> Result<Option<Arc<Played>>, SourceError> {
        loop {
            let slot = self.reader.get_mut().unwrap_or_else(PoisonError::into_inner);
            let Some((path, reader)) = slot else {
                let Some(path) = self.files.get(self.next_file) else { return Ok(None) };
                self.next_file += 1;
                let reader = reader(path);
                *slot = Some((path.clone(), reader.map_err(|error| SourceError::Record(format!("{error:#}")))?));
                continue;
            };
            match reader.read() {
                Ok(Some(record)) => {
                    if let Some(game) = self.played(&record) {
                        return Ok(Some(Arc::new(game)));
                    }
                }
                Ok(None) => *slot = None,
                // A bad game among good ones is left out.
                Err(error) if !error.is_fatal() => {
                    tracing::warn!(target: "train", "{}: left out: {error}", path.display());
                }
                Err(error) => return Err(SourceError::Record(format!("{}: {error}", path.display()))),
            }
        }
    }

    fn restart(&mut self) -> Result<(), SourceError> {
        self.next_file = 0;
        self.reader = Mutex::new(None);
        Ok(())
    }
}

/// A position of a game, as the network will see it.
pub(super) struct Moment {
    game: Arc<Played>,
    ply: usize,
    /// The index of the search made there among the game's searches.
    search: Option<usize>,
    symmetry: u8,
}

/// Random positions of a pool of games.
pub(super) struct Positions<A: Area> {
    pub(super) pool: Pool<Games>,
    planes: GoPlanes,
    /// The number of symmetries of the board used: 8, or 1.
    symmetries: u8,
    /// Of the search's value in the value, where there was one.
    search_share: f32,
    area: std::marker::PhantomData<fn() -> A>,
}

impl<A: Area> Positions<A> {
    pub(super) fn new(pool: Pool<Games>, planes: GoPlanes, symmetries: u8, search_share: f32) -> Positions<A> {
        Positions { pool, planes, symmetries, search_share, area: std::marker::PhantomData }
    }
}

impl<A: Area> Source for Positions<A> {
    type Key = Moment;

    fn draw(&mut self) -> Result<Moment, SourceError> {
        let symmetries = usize::from(self.symmetries);
        let (game, random) = self.pool.draw()?;
        // Where a game was searched, moves without a search were drawn by lot and teach nothing.
        let (ply, search) = match game.searched.len() {
            0 => (random.below(game.moves.len()), None),
            count => {
                let search = random.below(count);
                (game.searched[search].ply, Some(search))
            }
        };
        let symmetry = if symmetries > 1 { random.below(symmetries) as u8 } else { 0 };
        Ok(Moment { game, ply, search, symmetry })
    }

    fn fill(&self, moment: &Moment, sample: &mut Sample) {
        let Moment { game, ply, search, symmetry } = moment;
        let search = search.map(|search| &game.searched[search]);
        sample.clear();
        let Ok(start) = GoPosition::<A>::start(&game.rules) else { return };
        let mut line = Line::new(start);
        let known = |bits: u16, pos: &GoPosition<A>| pos.unpack(bits);
        for &bits in &game.moves[..*ply] {
            // The reader of records has played these moves already.
            let Some(mv) = known(bits, line.here()) else { break };
            line.push(mv);
        }
        let shape = self.planes.shape(line.here());
        sample.planes.resize(shape.planes * shape.height * shape.width, 0.0);
        self.planes.encode(&line, *symmetry, &mut sample.planes);
        match search {
            Some(search) => {
                let all: f32 = search.visits.iter().map(|&(_, visits)| visits as f32).sum();
                for &(bits, visits) in search.visits.iter().filter(|&&(_, visits)| visits > 0) {
                    if let Some(mv) = known(bits, line.here()) {
                        let action = self.planes.action(line.here(), mv, *symmetry);
                        sample.policy.push((action as u16, visits as f32 / all));
                    }
                }
            }
            None => {
                if let Some(mv) = known(game.moves[*ply], line.here()) {
                    sample.policy.push((self.planes.action(line.here(), mv, *symmetry) as u16, 1.0));
                }
            }
        }
        let own = if line.here().side_to_move() == Side::First { 1.0 } else { -1.0 };
        let expected = search.and_then(|search| search.value);
        let share = if expected.is_some() { self.search_share } else { 0.0 };
        sample.value = (1.0 - share) * own * game.value.unwrap_or(0.0) + share * expected.unwrap_or(0.0);
        sample.value_weight = f32::from(u8::from(game.value.is_some()));
        sample.score = game.margin.map(|margin| own * margin);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_dataset::data::{Item, split_of};
    use tesuji_game::{Oracle, OracleError, Query};
    use tesuji_go::{Medium, Small};
    use tesuji_nn::{Architecture, Net, NetOracle, NetParameters, NetSession, Outputs, Service, Weights};
    use tesuji_serving::{Protocol, Remote, Server, ServerOptions};

    /// A list of two games, the second of which says nothing about values.
    const LIST: &str = "#go-games 1\n\
        19\t6.5\tB+3.5\tcn\t9d\t9d\tx\t?\tpddpdcpp\n\
        19\t0.5\tW+R\tjp\t9d\t9d\tx\t?\tddpp\n\
        9\t6.5\tW+R\tjp\t9d\t9d\tx\t?\tddff\n";

    fn games(held_out: f64, part: Part) -> Vec<Arc<Played>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.txt");
        std::fs::write(&path, LIST).unwrap();
        let mut games = Games::new(&[path], Size::square(19).unwrap(), part, held_out);
        let all: Vec<_> = std::iter::from_fn(|| games.next().unwrap()).collect();
        games.restart().unwrap();
        assert_eq!(std::iter::from_fn(|| games.next().unwrap()).count(), all.len());
        all
    }

    #[test]
    fn values_are_taken_where_they_say_something() {
        let all = games(0.0, Part::Learned);
        let said: Vec<_> = all.iter().map(|g| (g.moves.len(), g.value, g.margin)).collect();
        assert_eq!(said, [(4, Some(1.0), Some(3.5)), (2, None, None)]);
        assert!(games(0.0, Part::HeldOut).is_empty() && games(1.0, Part::Learned).is_empty());
        assert_eq!(games(1.0, Part::HeldOut).len(), 2);
    }

    /// A net was judged by games that `data split` had put among those to learn from.
    #[test]
    fn games_are_held_out_as_data_split_does() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.txt");
        let point = |i: u8| format!("{}{}", char::from(b'a' + i % 10), char::from(b'a' + i / 10));
        let line = |i| format!("19\t6.5\tB+R\tcn\t9d\t9d\tx\t?\t{}ss\n", point(i));
        std::fs::write(&path, (0..100).map(line).fold("#go-games 1\n".to_string(), |text, line| text + &line)).unwrap();
        let mut expected = [Vec::new(), Vec::new()];
        let mut records = reader(&path).unwrap();
        while let Some(record) = records.read().unwrap() {
            let part = split_of(Item::Game(&record), HELD_OUT_SEED, 0.3).unwrap();
            expected[part].push(record.main_line());
        }
        assert!(expected.iter().all(|games| games.len() > 10));
        for (part, expected) in [Part::Learned, Part::HeldOut].into_iter().zip(&expected) {
            let size = Size::square(19).unwrap();
            let mut games = Games::new(std::slice::from_ref(&path), size, part, 0.3);
            let words = |bits: &u16| Move::from_bits(*bits).unwrap().to_string();
            let found = std::iter::from_fn(|| games.next().unwrap()).map(|game| game.moves.iter().map(words).collect());
            assert_eq!(&found.collect::<Vec<Vec<String>>>(), expected);
        }
    }

    /// A net that keeps what it was shown.
    struct Witness(Architecture, Arc<Mutex<Vec<f32>>>, Arc<Net>);

    struct RecordingSession(Box<dyn NetSession>, Arc<Mutex<Vec<f32>>>);

    impl Service for Witness {
        fn architecture(&self) -> &Architecture {
            &self.0
        }

        fn session(&self, h: usize, w: usize, batch: usize) -> Result<Box<dyn NetSession>, OracleError> {
            Ok(Box::new(RecordingSession(self.2.session(h, w, batch)?, self.1.clone())))
        }
    }

    impl NetSession for RecordingSession {
        fn run(&mut self, planes: &[f32], batch: usize) -> Result<Outputs<'_>, OracleError> {
            *self.1.lock().unwrap() = planes.to_vec();
            self.0.run(planes, batch)
        }
    }

    #[test]
    fn training_play_and_serving_show_a_net_the_same() {
        let game = games(0.0, Part::Learned).remove(0);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.txt");
        std::fs::write(&path, LIST).unwrap();
        let stream = Games::new(&[path], Size::square(19).unwrap(), Part::Learned, 0.0);
        for planes in GoPlanes::ALL {
            let pool = Pool::new(Games::new(&stream.files, stream.size, Part::Learned, 0.0), 10, 4, 1).unwrap();
            let source = Positions::<Medium>::new(pool, planes, 8, 0.0);
            let mut sample = Sample::default();
            let architecture = Architecture::for_any_size(planes.name(), planes.planes(), 19, 1, 8);
            let net = Arc::new(Net::new(&Weights::random(architecture.clone(), 1)).unwrap());
            let seen = Arc::new(Mutex::new(Vec::new()));
            let witness = || Witness(architecture.clone(), seen.clone(), net.clone());
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            let doors = vec![(Protocol::Grpc, listener)];
            let server = Server::start(Arc::new(witness()), doors, ServerOptions::default()).unwrap();
            let remote = Remote::connect(&server.addresses()[0]).unwrap();
            let parameters = NetParameters::default();
            let mut near = NetOracle::new::<GoPosition<Medium>>(witness(), planes, parameters.clone()).unwrap();
            let mut far = NetOracle::new::<GoPosition<Medium>>(remote, planes, parameters).unwrap();
            for symmetry in [0, 3, 6] {
                source.fill(&Moment { game: game.clone(), ply: 3, search: None, symmetry }, &mut sample);
                let mut line = Line::new(GoPosition::<Medium>::start(&game.rules).unwrap());
                game.moves[..3].iter().for_each(|&bits| line.push(Move::from_bits(bits).unwrap()));
                for oracle in [&mut near, &mut far] {
                    let mut query = Query::new(line.clone());
                    line.legal_moves(&mut query.moves);
                    let mut turned = oracle.clone().alone(Some(symmetry));
                    seen.lock().unwrap().clear();
                    turned.ask(std::slice::from_mut(&mut query)).unwrap();
                    assert!(*seen.lock().unwrap() == sample.planes, "{} turned by {symmetry}", planes.name());
                }
            }
        }
    }

    #[test]
    fn visits_are_what_is_learned_where_a_search_looked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.sgf");
        let (a, b) = (Move::parse("D4", Size::square(9).unwrap()).unwrap(), Move::PASS);
        let words = format!("v={}:30,{}:10", a.bits(), b.bits());
        let game = format!("(;GM[1]FF[4]SZ[9]KM[7]RU[Chinese]RE[B+R];B[ee];W[dc]C[+0.00, {words}];B[gg])");
        std::fs::write(&path, game).unwrap();
        let stream = Games::new(&[path], Size::square(9).unwrap(), Part::Learned, 0.0);
        let pool = Pool::new(stream, 10, 4, 1).unwrap();
        let mut source = Positions::<Small>::new(pool, GoPlanes::Rich, 1, 0.25);
        for _ in 0..8 {
            let moment = source.draw().unwrap();
            assert_eq!((moment.ply, moment.search), (1, Some(0)), "the opening teaches nothing");
            let mut sample = Sample::default();
            source.fill(&moment, &mut sample);
            assert_eq!(sample.policy, [(3 * 9 + 3, 0.75), (81, 0.25)]);
            assert_eq!((sample.value, sample.value_weight), (-0.75, 1.0), "White lost, the search saw nothing");
        }
    }

    #[test]
    fn a_position_shows_the_move_that_was_played_in_all_directions() {
        let game = games(0.0, Part::Learned).remove(0);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.txt");
        std::fs::write(&path, LIST).unwrap();
        let stream = Games::new(&[path], Size::square(19).unwrap(), Part::Learned, 0.0);
        let source = Positions::<Medium>::new(Pool::new(stream, 10, 4, 1).unwrap(), GoPlanes::Rich, 8, 0.0);
        let mut actions = std::collections::BTreeSet::new();
        for symmetry in 0..8 {
            let mut sample = Sample::default();
            source.fill(&Moment { game: game.clone(), ply: 1, search: None, symmetry }, &mut sample);
            assert_eq!((sample.value, sample.value_weight, sample.score), (-1.0, 1.0, Some(-3.5)), "White is to move");
            assert_eq!(sample.planes.len(), GoPlanes::Rich.planes() * 361);
            actions.insert(sample.policy[0].0);
        }
        assert_eq!(actions.len(), 4, "a 4-4 point has four images: {actions:?}");
    }
}
