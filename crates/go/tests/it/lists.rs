//! The game lists of the data folder: read whole, counted, written back, and through SGF.

use super::sgf::{one, written};
use std::{
    collections::BTreeMap,
    fs::File,
    io::{BufReader, Cursor, Read},
    time::Instant,
};
use tesuji_game::By;
use tesuji_go::{BLACK, list::GameList, sgf::Sgf};
use tesuji_record::{GameRecord, RecordFormat, Records};
use tesuji_testkit::needs;

/// A list of the data folder, unpacked. Says so when it is absent.
fn data(name: &str) -> Option<Vec<u8>> {
    let file = File::open(needs::data(name)?).unwrap();
    let mut decoder = zstd::Decoder::new(BufReader::new(file)).unwrap();
    decoder.window_log_max(27).unwrap();
    let mut bytes = Vec::new();
    decoder.read_to_end(&mut bytes).unwrap();
    Some(bytes)
}

fn games(format: &dyn RecordFormat, bytes: Vec<u8>) -> impl Iterator<Item = GameRecord<String>> {
    Records::new(format.reader(Box::new(Cursor::new(bytes)))).map(|game| game.unwrap())
}

/// Figures counted with awk over the file.
#[test]
fn the_small_list_is_read_whole() {
    let Some(bytes) = data("go9.txt.zst") else { return };
    let mut rules = BTreeMap::new();
    let (mut count, mut plies) = (0, 0);
    for game in games(&GameList, bytes) {
        (count, plies) = (count + 1, plies + game.plies());
        let name = game.rules.split(' ').nth(1).filter(|w| *w != "komi").unwrap_or("?");
        *rules.entry(name.to_string()).or_insert(0) += 1;
        let back = one(&written(&game));
        assert_eq!(back, game, "{}", written(&game));
    }
    assert_eq!((count, plies), (353, 21_879));
    let rules: Vec<(&str, usize)> = rules.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    assert_eq!(rules, [("?", 138), ("chinese", 123), ("japanese", 80), ("tromp-taylor", 12)]);
}

/// Figures counted with awk over the file.
#[test]
fn the_large_list_is_read_whole() {
    if !tesuji_testkit::needs::slow("56,891 games") {
        return;
    }
    let Some(bytes) = data("go19.txt.zst") else { return };
    let (size, start) = (bytes.len(), Instant::now());
    let (mut black, mut draws, mut resigned, mut late, mut passes, mut plies) = (0, 0, 0, 0, 0, 0);
    let mut sources = BTreeMap::new();
    let mut all = Vec::new();
    for game in games(&GameList, bytes) {
        plies += game.plies();
        passes += game.main_line().iter().any(|mv| mv == "pass") as usize;
        let outcome = game.outcome.unwrap();
        black += (outcome.winner == Some(BLACK)) as usize;
        draws += outcome.winner.is_none() as usize;
        resigned += (outcome.by == By::Resignation) as usize;
        late += (outcome.by == By::Time) as usize;
        *sources.entry(game.tag("Source").unwrap().to_string()).or_insert(0) += 1;
        all.push(game);
    }
    let rate = |bytes: usize, start: Instant| bytes as f64 / 1e6 / start.elapsed().as_secs_f64();
    eprintln!("list: {:.1} MB/s, {} games", rate(size, start), all.len());
    assert_eq!((all.len(), plies, passes), (56_891, 11_771_576, 4_808));
    assert_eq!((black, draws, resigned, late), (27_675, 7, 40_209, 2_480));
    let sources: Vec<usize> = sources.into_values().collect();
    assert_eq!(sources, [11_068, 3_651, 17_237, 24_935]);

    let start = Instant::now();
    let file: String = all.iter().map(written).collect();
    eprintln!("SGF written: {:.1} MB/s", rate(file.len(), start));
    let (size, start) = (file.len(), Instant::now());
    let back: Vec<_> = games(&Sgf, file.into_bytes()).collect();
    eprintln!("SGF read: {:.1} MB/s of {:.1} MB", rate(size, start), size as f64 / 1e6);
    assert_eq!(back.len(), all.len());
    let different = back.iter().zip(&all).find(|(back, game)| back != game);
    assert!(different.is_none(), "{different:?}");
}

#[test]
fn the_door_finds_formats_by_their_files() {
    use tesuji_record::AnyGame;
    let door = tesuji_go::door(&[&Sgf, &GameList]);
    let name = |file: &str| door.format(file).map(|f| f.name());
    assert_eq!((name("a.SGF"), name("b.sgf.zst"), name("go19.txt.zst")), (Some("sgf"), Some("sgf"), Some("list")));
    assert_eq!((name("sgf"), name("list"), name("a.pgn")), (Some("sgf"), Some("list"), None));
}
