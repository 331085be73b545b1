//! The networks of go: their encodings and shapes, and how they learn from games.

use super::batched::GoBatchedGames;
use super::{
    collection::read_rank,
    samples::{Games, Part, Positions},
};
use anyhow::{Context, anyhow, bail};
use std::{borrow::Cow, path::Path};
use tesuji_go::{Area, Large, Medium, Rules, Size, Small};
use tesuji_go_eval::GoPlanes;
use tesuji_kit::{
    RequestError,
    networks::{BatchedGames, EncodingName, NetShape, Networks, TrainRequest, TrainRun},
};
use tesuji_kits_shared::{
    architecture::tower_of,
    batched::PLAYOUTS,
    net::{net_file, net_name},
    training,
};
use tesuji_nn::{Architecture, NetError};
use tesuji_train::{learn::Outcome, pool::Pool};

/// Lines of the board where no number is given.
const LINES: usize = 19;
/// The rules under which nets learn from games of their own.
const LEARNING_RULES: &str = "9x9 chinese komi 7";

/// The shape of a net for boards of any size with a `tower` such as `6x64`; `features` and `planes` are the encoding's, `size` is
/// the side of the board that it learns on.
///
/// # Errors
/// When the tower is of another form, or the numbers are out of bounds.
pub fn go_net(tower: &str, features: &str, planes: usize, size: usize) -> Result<Architecture, NetError> {
    let (blocks, channels) = tower_of(tower)?;
    let net = Architecture::for_any_size(features, planes, size, blocks, channels);
    net.check()?;
    Ok(net)
}

/// The networks of go.
pub(super) struct GoNetworks;

impl Networks for GoNetworks {
    fn encodings(&self) -> Vec<EncodingName> {
        GoPlanes::ALL.iter().map(|planes| EncodingName { name: planes.name(), planes: planes.planes() }).collect()
    }

    fn foreign_encoding(&self, _: usize) -> Option<&'static str> {
        None
    }

    fn lines(&self, rules: &str) -> Result<usize, RequestError> {
        let rules: Rules = rules.parse().map_err(RequestError::failed)?;
        match rules.size.is_square() {
            true => Ok(rules.size.width()),
            false => Err(RequestError::failed(format!("nets learn on square boards, not on {}", rules.size))),
        }
    }

    fn learning_rules(&self) -> &'static str {
        LEARNING_RULES
    }

    fn net_file(&self, name: &str) -> std::io::Result<Cow<'static, [u8]>> {
        net_file(name)
    }

    fn architecture(&self, shape: &NetShape<'_>) -> Result<Architecture, RequestError> {
        let (planes, lines) = (planes_of(shape)?, shape.lines.unwrap_or(LINES));
        let net = go_net(shape.tower, planes.name(), planes.planes(), lines).map_err(RequestError::failed)?;
        // Records of games do not say whose each point was.
        Ok(Architecture { ownership: false, ..net })
    }

    fn net_name(&self, file: &Path) -> Result<String, RequestError> {
        Ok(match file.as_os_str() == PLAYOUTS {
            true => PLAYOUTS.to_string(),
            false => net_name(file)?,
        })
    }

    fn batched(&self, rules: &str) -> Result<Box<dyn BatchedGames>, RequestError> {
        Ok(Box::new(GoBatchedGames::new(rules)?))
    }

    fn train(&self, request: &TrainRequest, run: &mut TrainRun<'_>) -> Result<Outcome, RequestError> {
        request.validate()?;
        request.check_outputs()?;
        let lines = request.size.unwrap_or(LINES);
        let size = Size::square(lines).ok_or_else(|| RequestError::value("size", lines, "expected 2 to 25 lines"))?;
        let trained = if Small::holds(size) {
            train_on::<Small>(self, request, size, run)
        } else if Medium::holds(size) {
            train_on::<Medium>(self, request, size, run)
        } else {
            train_on::<Large>(self, request, size, run)
        };
        trained.map_err(RequestError::from)
    }
}

/// The encoding of a shape.
fn planes_of(shape: &NetShape<'_>) -> anyhow::Result<GoPlanes> {
    let wanted = shape.features.unwrap_or(GoPlanes::Rich.name());
    let Some(planes) = GoPlanes::named(wanted) else {
        let known = GoPlanes::ALL.map(|planes| planes.name()).join(", ");
        bail!("no encoding of go is called {wanted:?}; there are: {known}");
    };
    Ok(planes)
}

/// Trains on boards that fit an area.
fn train_on<A: Area>(
    nets: &GoNetworks,
    request: &TrainRequest,
    size: Size,
    run: &mut TrainRun<'_>,
) -> anyhow::Result<Outcome> {
    let shape = NetShape { tower: &request.net, features: request.features.as_deref(), lines: request.size };
    let (planes, architecture) = (planes_of(&shape)?, nets.architecture(&shape)?);
    let share = request.search_share;
    let rank_min = request.rank_min.as_deref().map(read_rank).transpose().map_err(|e| anyhow!("rank_min: {e}"))?;
    let source = |part, symmetries, seed| -> anyhow::Result<Positions<A>> {
        let games = Games::new(&request.games, size, part, request.held_out).of_rank(rank_min);
        let pool = Pool::new(games, request.room, request.times, seed);
        let words = match part {
            Part::Learned => format!("games of {size} to learn from (--size N for others)"),
            Part::HeldOut => format!("held-out games of {size}, a share of {} (--held-out)", request.held_out),
        };
        Ok(Positions::new(pool.context(words)?, planes, symmetries, share))
    };
    let symmetries = if request.symmetries { 8 } else { 1 };
    let learned = source(Part::Learned, symmetries, request.seed)?;
    let held_out = source(Part::HeldOut, 1, 0)?;
    let more = |pool: &Pool<Games>| if pool.is_whole() { "" } else { " at once" };
    let samples = format!(
        "{}: {}{} games of {size} to learn from, {}{} held out (a share of {}, by their moves), {symmetries} symmetries{}{}",
        request.files(),
        learned.pool.len(),
        more(&learned.pool),
        held_out.pool.len(),
        more(&held_out.pool),
        request.held_out,
        request.rank_min.as_ref().map_or(String::new(), |rank| format!(", players of {rank} and better")),
        if share > 0.0 { format!(", share of the search in the value: {share}") } else { String::new() },
    );
    training::train(request, architecture, samples, (learned, held_out), run)
}
