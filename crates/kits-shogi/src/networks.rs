//! The networks of shogi: their encodings and shapes, and how they learn from positions and games.

use super::batched::ShogiBatchedGames;
use super::samples::{Drawn, Positions};
use anyhow::{Context, bail};
use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};
use tesuji_game::Encoding;
use tesuji_kit::{
    RequestError,
    networks::{BatchedGames, EncodingName, NetShape, Networks, TrainRequest, TrainRun},
};
use tesuji_kits_shared::{
    architecture::tower_of,
    net::{net_file, net_name},
    training,
};
use tesuji_nn::{Architecture, NetError};
use tesuji_shogi_eval::DlshogiPlanes;
use tesuji_train::{learn::Outcome, pool::Pool};

/// The side of the board.
const LINES: usize = 9;
/// dlshogi's planes of pieces and attacks; those of hands, or with the features of declaration, follow them.
const POINT_PLANES: usize = 62;
/// dlshogi's planes of actions.
const ACTION_PLANES: usize = 27;

/// The shape of a net of dlshogi's with a `tower` such as `10x192`; `features` and `planes` are the encoding's.
///
/// # Errors
/// When the tower is of another form, or the numbers are out of bounds.
pub fn dlshogi_net(tower: &str, features: &str, planes: usize) -> Result<Architecture, NetError> {
    let (blocks, channels) = tower_of(tower)?;
    let planes = [POINT_PLANES, planes.saturating_sub(POINT_PLANES)];
    let net = Architecture::for_one_size(features, planes, ACTION_PLANES, LINES, blocks, channels);
    net.check()?;
    Ok(net)
}

/// The networks of shogi.
pub(super) struct ShogiNetworks;

impl Networks for ShogiNetworks {
    fn encodings(&self) -> Vec<EncodingName> {
        DlshogiPlanes::ALL.iter().map(|planes| EncodingName { name: planes.name(), planes: planes.planes() }).collect()
    }

    fn foreign_encoding(&self, planes: usize) -> Option<&'static str> {
        DlshogiPlanes::ALL.iter().find(|encoding| encoding.planes() == planes).map(Encoding::name)
    }

    fn lines(&self, _: &str) -> Result<usize, RequestError> {
        Ok(LINES)
    }

    fn learning_rules(&self) -> &'static str {
        ""
    }

    fn net_file(&self, name: &str) -> std::io::Result<Cow<'static, [u8]>> {
        net_file(name)
    }

    fn architecture(&self, shape: &NetShape<'_>) -> Result<Architecture, RequestError> {
        let planes = planes_of(shape)?;
        dlshogi_net(shape.tower, planes.name(), planes.planes()).map_err(RequestError::failed)
    }

    fn net_name(&self, file: &Path) -> Result<String, RequestError> {
        Ok(net_name(file)?)
    }

    fn batched(&self, rules: &str) -> Result<Box<dyn BatchedGames>, RequestError> {
        Ok(Box::new(ShogiBatchedGames(rules.to_string())))
    }

    fn train(&self, request: &TrainRequest, run: &mut TrainRun<'_>) -> Result<Outcome, RequestError> {
        request.validate()?;
        request.check_outputs()?;
        train(self, request, run).map_err(RequestError::from)
    }
}

/// The encoding of a shape.
fn planes_of(shape: &NetShape<'_>) -> anyhow::Result<DlshogiPlanes> {
    let wanted = shape.features.unwrap_or(Encoding::name(&DlshogiPlanes::PLAIN));
    let Some(planes) = DlshogiPlanes::named(wanted) else {
        let known = DlshogiPlanes::ALL.map(|planes| Encoding::name(&planes)).join(", ");
        bail!("no encoding of shogi is called {wanted:?}; there are: {known}");
    };
    Ok(planes)
}

/// Trains a net.
fn train(nets: &ShogiNetworks, request: &TrainRequest, run: &mut TrainRun<'_>) -> anyhow::Result<Outcome> {
    let shape = NetShape { tower: &request.net, features: request.features.as_deref(), lines: None };
    let (planes, architecture) = (planes_of(&shape)?, nets.architecture(&shape)?);
    if let Some(rank) = &request.rank_min {
        bail!("rank_min {rank}: games of shogi have no ranks");
    }
    let share = request.search_share;
    let source = |held_out: bool, mirror, seed| -> anyhow::Result<Drawn> {
        let positions = Positions::new(&request.games, held_out, request.held_out);
        let pool = Pool::new(positions, request.room, request.times, seed);
        let is_hcpe3 = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "hcpe3");
        let hint = match request.games.iter().any(is_hcpe3) {
            true => {
                " (hcpe3 teaches by its visits, and games of alpha-beta have none: tesuji data convert makes psv of them)"
            }
            false => "",
        };
        let words = format!("{}{hint}", if held_out { "held-out positions" } else { "positions to learn from" });
        Ok(Drawn { pool: pool.context(words)?, planes, mirror, search_share: share })
    };
    let learned = source(false, request.mirror, request.seed)?;
    let held_out = source(true, false, 0)?;
    let more = |drawn: &Drawn| if drawn.pool.is_whole() { "" } else { " at once" };
    let samples = format!(
        "{}: {}{} positions to learn from, {}{} held out (a share of {}, by the moves of their games), mirrored: {}, share of \
         the search in the value: {share}",
        request.files(),
        learned.pool.len(),
        more(&learned),
        held_out.pool.len(),
        more(&held_out),
        request.held_out,
        request.mirror,
    );
    training::train(request, architecture, samples, (learned, held_out), run)
}
