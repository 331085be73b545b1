//! Networks at play: a net from a file, and an oracle that is either the game's own or the net.

use std::{
    borrow::Cow,
    io::{ErrorKind, Read},
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};
use tesuji_cuda::{CardNet, ComputeDevice, card::Card, device::Precision, device_of};
use tesuji_game::{CacheCounts, Clock, Encoding, Limits, Line, Oracle, OracleError, Position, Query, Shape, Side};
use tesuji_jobs::{named_by_content, open_bounded};
use tesuji_nn::{ForeignNet, MixedNets, Net, NetOracle, NetParameters, Service, Weights};
use tesuji_options::{OptionError, Options, Spec, options};
use tesuji_search::{mcts::Parameters, memory};
use tesuji_serving::{Protocol, Remote};

options! {
    /// The options that select a net.
    pub struct NetSource {
        /// The file of the network that values positions and moves (safetensors, or for go a model of KataGo, .bin.gz or .txt.gz) or the name of one that comes with the program (go19-4x32, go19-6x48, go9-4x32; shogi-4x48), which runs on a card after cuda: or cuda:N:, or a policy server (grpc://host:port or tcp://host:port). auto: in go the one that comes with the program for the board, unless options of playouts
        /// are set; elsewhere none. none or empty: no network. With a network moves are chosen by its priors, and the options of the search that nobody set are those that suit it. Several names with commas between them: all of these, as NetMix says.
        net_file: File = "auto" of ["auto", "none", "go19-4x32", "go19-6x48", "go9-4x32", "shogi-4x48"], "NetFile";
        /// How several networks answer: mean: each position goes to all of them, and their answers are averaged; by-thread: each thread of the
        /// search asks one of them; by-device: each thread asks one device, and those on one device are averaged.
        net_mix: Choice = "mean" of ["mean", "by-thread", "by-device"], "NetMix";
        /// Go on without the network when it gives no answer any more (a policy server that has gone), by playouts or the
        /// hand-made evaluation, until the next game; otherwise such a search is an error and has no move, as matches want it.
        net_fallback: bool = true, "NetFallback";
    }
}

/// The name of whatever network the game's search finds best.
const AUTO: &str = "auto";
/// The name of no network.
const NONE: &str = "none";

/// The largest file of a net.
const NET_BYTES_MAX: u64 = 4 << 30;

/// A net, here or on another machine, and how it sees positions.
pub type Seeing<E> = (Arc<dyn Service>, E);

/// Reads a net's file, unpacked. A name that is no file's may be that of a net that comes with the program, such as `go9-4x32` and `shogi-4x48`.
///
/// # Errors
/// When it is neither.
pub fn net_file(name: &str) -> std::io::Result<Cow<'static, [u8]>> {
    let mut all = tesuji_go_eval::NETS.iter().chain(&tesuji_shogi_eval::NETS);
    let known = all.find(|(known, _)| *known == name);
    match read_unpacked(name.as_ref()) {
        Err(error) if error.kind() == ErrorKind::NotFound => known.map(|(_, bytes)| Cow::Borrowed(*bytes)).ok_or(error),
        read => read.map(Cow::Owned),
    }
}

/// The bytes of a file, unpacked where it is packed, as KataGo's models are.
fn read_unpacked(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_bounded(path, NET_BYTES_MAX)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The name of a net in the origin of games: its file with the beginning of the checksum, or the address of its server.
///
/// # Errors
/// When the file cannot be read.
pub fn net_name(file: &Path) -> std::io::Result<String> {
    let name = file.display().to_string();
    if file.to_str().and_then(Protocol::of).is_some() {
        return Ok(name);
    }
    if let Some(names) = several(&name) {
        if names.iter().any(String::is_empty) {
            return Err(std::io::Error::new(ErrorKind::InvalidInput, format!("{name}: {EMPTY_NAME}")));
        }
        let names = names.iter().map(|name| net_name(Path::new(name))).collect::<std::io::Result<Vec<_>>>()?;
        return Ok(names.join(","));
    }
    let (place, path) = device_of(&name);
    let is_own = !Path::new(path).exists() && net_file(path).is_ok();
    Ok(place.before(&match is_own {
        true => format!("{path} (of the program)"),
        false => named_by_content(Path::new(path))?,
    }))
}

/// What is wrong with `a,,b`.
const EMPTY_NAME: &str = "expected the name of a network before and behind each comma";

/// The names of several nets with commas between them; `None` where it is that of one, which may have commas as well.
fn several(name: &str) -> Option<Vec<String>> {
    let is_one = !name.contains(',') || Path::new(device_of(name).1).exists();
    (!is_one).then(|| name.split(',').map(|name| name.trim().to_string()).collect())
}

/// Several nets as one, mixed as the option `NetMix` says.
fn mixed(names: &[String], mix: &str) -> Result<Arc<dyn Service>, String> {
    let mut groups: Vec<(ComputeDevice, Vec<Arc<dyn Service>>)> = Vec::new();
    for name in names {
        if name.is_empty() {
            return Err(EMPTY_NAME.into());
        }
        let (net, device) = (open_net(name)?, device_of(name).0);
        match groups.iter_mut().find(|(known, _)| mix == "mean" || (mix == "by-device" && *known == device)) {
            Some((_, nets)) => nets.push(net),
            None => groups.push((device, vec![net])),
        }
    }
    let groups = groups.into_iter().map(|(_, nets)| nets).collect();
    MixedNets::new(groups).map(|nets| Arc::new(nets) as Arc<dyn Service>).map_err(|error| error.to_string())
}

/// The nets of `name`, mixed as `mix` says where it has several, as the option `NetMix` does.
///
/// # Errors
/// As [`open_net`], or nets that do not go together.
pub fn open_nets(name: &str, mix: &str) -> Result<Arc<dyn Service>, String> {
    several(name).map_or_else(|| open_net(name), |names| mixed(&names, mix))
}

/// The net of a file, on the processor or, after `cuda:` or `cuda:N:`, on a card; or that of a policy server's address.
///
/// # Errors
/// In one line: the file cannot be read or is no net, the card or the server is not there.
pub fn open_net(name: &str) -> Result<Arc<dyn Service>, String> {
    if let Some(names) = several(name) {
        return mixed(&names, "mean");
    }
    if Protocol::of(name).is_some() {
        return Ok(Arc::new(Remote::connect(name).map_err(|error| error.to_string())?));
    }
    let (place, path) = device_of(name);
    let bytes = net_file(path).map_err(|error| error.to_string())?;
    if ForeignNet::is_model(&bytes) {
        if place != ComputeDevice::Processor {
            return Err(format!(
                "{name}: another program's network runs on the processor; expected its file without a card before it"
            ));
        }
        let net = ForeignNet::read(&bytes).map_err(|error| format!("{path}: {error}"))?;
        return Ok(Arc::new(Arc::new(net)));
    }
    let weights = Weights::read(&bytes).map_err(|error| format!("{path}: {error}"))?;
    net_at(place, &weights).map_err(|error| format!("{name}: {error}"))
}

/// The net of `weights` on a device.
///
/// # Errors
/// When its architecture contradicts itself, or the card is not there.
pub fn net_at(place: ComputeDevice, weights: &Weights) -> Result<Arc<dyn Service>, String> {
    let wrong = |error: &dyn std::fmt::Display| error.to_string();
    match place {
        ComputeDevice::Processor => Ok(Arc::new(Arc::new(Net::new(weights).map_err(|error| wrong(&error))?))),
        ComputeDevice::Card(ordinal) => {
            let open = move || Card::new(ordinal, Precision::Tensor);
            Ok(Arc::new(CardNet::new(weights, open).map_err(|error| wrong(&error))?))
        }
    }
}

/// Reads the net of `path`, or reaches for the policy server at an address such as `grpc://host:port`, and finds the planes that it wants among `known`.
///
/// # Errors
/// In one line: the file cannot be read, is no net, or wants planes that this game does not have.
pub fn load_net<P: Position, E: Encoding<P> + Clone>(path: &str, known: &[E]) -> Result<Seeing<E>, String> {
    seeing::<P, E>(path, open_net(path)?, known)
}

/// `net`, which is called `path`, with the planes that it wants.
fn seeing<P: Position, E: Encoding<P> + Clone>(
    path: &str,
    net: Arc<dyn Service>,
    known: &[E],
) -> Result<Seeing<E>, String> {
    let features = &net.architecture().features;
    let Some(encoding) = known.iter().find(|planes| planes.name() == features) else {
        let names: String = known.iter().map(|planes| format!(" {}", planes.name())).collect();
        return Err(format!("{path}: the net reads features `{features}`; known here:{names}"));
    };
    net.architecture().expect_features(encoding.name(), encoding.planes()).map_err(|e| format!("{path}: {e}"))?;
    Ok((net.clone(), encoding.clone()))
}

/// The oracle of a game, or a net.
#[derive(Clone)]
pub enum Either<O, E: Clone> {
    /// The game's own oracle.
    Own(O),
    /// A net.
    Net(Box<NetOracle<E>>),
}

impl<P: Position, O: Oracle<P>, E: Encoding<P> + Clone> Oracle<P> for Either<O, E> {
    fn batch_max(&self) -> usize {
        match self {
            Either::Own(oracle) => oracle.batch_max(),
            Either::Net(oracle) => Oracle::<P>::batch_max(&**oracle),
        }
    }

    fn ask(&mut self, batch: &mut [Query<P>]) -> Result<(), OracleError> {
        match self {
            Either::Own(oracle) => oracle.ask(batch),
            Either::Net(oracle) => oracle.ask(batch),
        }
    }

    fn clear(&mut self) {
        match self {
            Either::Own(oracle) => oracle.clear(),
            Either::Net(oracle) => Oracle::<P>::clear(&mut **oracle),
        }
    }

    fn counts(&self) -> Vec<CacheCounts> {
        match self {
            Either::Own(oracle) => oracle.counts(),
            Either::Net(oracle) => Oracle::<P>::counts(&**oracle),
        }
    }
}

/// The planes of a game that has no networks.
#[derive(Clone, Copy)]
pub enum NoPlanes {}

impl<P: Position> Encoding<P> for NoPlanes {
    fn name(&self) -> &'static str {
        match *self {}
    }

    fn planes(&self) -> usize {
        match *self {}
    }

    fn shape(&self, _: &P) -> Shape {
        match *self {}
    }

    fn symmetries(&self, _: &P) -> u8 {
        match *self {}
    }

    fn encode(&self, _: &Line<P>, _: u8, _: &mut [f32]) {
        match *self {}
    }

    fn action(&self, _: &P, _: P::Move, _: u8) -> usize {
        match *self {}
    }

    fn point(&self, _: &P, _: usize, _: u8) -> usize {
        match *self {}
    }
}

/// A net in its slot, with the options of both; empty at first.
pub struct NetSlot<E> {
    source: NetSource,
    parameters: NetParameters,
    net: Option<Seeing<E>>,
    /// The error for which the net is not asked any more, if it gave no answer.
    lost: Option<String>,
}

impl<E> Default for NetSlot<E> {
    fn default() -> Self {
        NetSlot { source: NetSource::default(), parameters: NetParameters::default(), net: None, lost: None }
    }
}

impl<E: Clone> NetSlot<E> {
    /// Its options.
    pub fn specs() -> Vec<Spec> {
        [NetSource::SPECS, NetParameters::SPECS].concat()
    }

    /// The value of an option of its own.
    pub fn get(&self, name: &str) -> Option<String> {
        Options::get(&self.source, name).or_else(|| Options::get(&self.parameters, name))
    }

    /// Carries out an option of [`NetSlot::specs`]; an old net stays where a new one cannot be had. Returns whether a net came
    /// or went.
    pub fn set<P: Position>(&mut self, name: &'static str, value: &str, known: &[E]) -> Result<bool, OptionError>
    where
        E: Encoding<P>,
    {
        if Options::get(&self.source, name).is_none() {
            let mut parameters = self.parameters.clone();
            parameters.set(name, value)?;
            if parameters.cache_mib != self.parameters.cache_mib {
                memory::check(name, parameters.cache_mib)?;
            }
            self.parameters = parameters;
            return Ok(false);
        }
        let mut source = self.source.clone();
        source.set(name, value)?;
        let had = self.net.is_some();
        let names = several(&source.net_file);
        if name == "NetFallback" || (name == "NetMix" && names.is_none()) {
            self.source = source;
            return Ok(false);
        }
        let failed = |reason| OptionError::Failed { name, reason };
        self.net = match (source.net_file.as_str(), names) {
            ("" | NONE | AUTO, _) => None,
            (path, None) => Some(load_net(path, known).map_err(failed)?),
            (path, Some(names)) => {
                let net = mixed(&names, &source.net_mix).map_err(failed)?;
                Some(seeing(path, net, known).map_err(failed)?)
            }
        };
        (self.source, self.lost) = (source, None);
        Ok(had || self.net.is_some())
    }

    /// Whether there is a net that answers.
    pub fn is_full(&self) -> bool {
        self.net.is_some() && self.lost.is_none()
    }

    /// Takes note that the net gave no answer. Returns whether the search is to be repeated without it; otherwise the net will
    /// be asked again.
    pub fn lose(&mut self, fault: &str) -> bool {
        if self.source.net_fallback && self.is_full() {
            self.lost = Some(format!("the network {} gives no answer: {fault}", self.source.net_file));
        }
        self.lost.is_some()
    }

    /// Before a search: says until when the net's answers are of any use, by the time that `side` has for the move.
    pub fn set_due(&self, limits: &Limits, side: Side) {
        if let Some((net, _)) = &self.net {
            net.set_due(time_for(limits, side).map(|time| Instant::now() + time));
        }
    }

    /// The error for which the net is not asked any more, if it gave no answer in this game.
    pub fn lost(&self) -> Option<String> {
        self.lost.clone()
    }

    /// From now on a net that was lost is asked again. Returns whether there is one.
    pub fn find_again(&mut self) -> bool {
        self.lost.take().is_some()
    }

    /// Whether the search is to find a network by itself.
    pub fn is_auto(&self) -> bool {
        self.source.net_file == AUTO
    }

    /// Puts a net into the slot that no option named; `None` empties it.
    pub fn fill(&mut self, net: Option<Seeing<E>>) {
        (self.net, self.lost) = (net, None);
    }

    /// The net as an oracle.
    pub fn oracle<P: Position>(&self) -> Option<NetOracle<E>>
    where
        E: Encoding<P>,
    {
        let (net, planes) = self.net.as_ref().filter(|_| self.lost.is_none())?;
        // Features were compared when it was loaded.
        NetOracle::over(net.clone(), planes.clone(), self.parameters.clone()).ok()
    }
}

/// The part of a clock that a network which gives no answer may take: what is left must do for the move, and for the game.
const CLOCK_PART: u32 = 4;

/// The time that `side` may wait for an evaluator; `None`: as long as it takes.
fn time_for(limits: &Limits, side: Side) -> Option<Duration> {
    if limits.infinite || limits.ponder {
        return None;
    }
    let of_clock = |clocks: [Clock; 2]| {
        let Clock { left, increment, byoyomi, stones, .. } = clocks[side.index()];
        left / CLOCK_PART + increment.max(byoyomi / stones.max(1)) / 2
    };
    [limits.move_time, limits.clock.map(of_clock)].into_iter().flatten().min()
}

/// Options of a search, of which those that somebody set outlive a change of what the others are.
#[derive(Default)]
pub struct Touched(Vec<(&'static str, String)>);

impl Touched {
    /// Remembers that `name` was set.
    pub fn note(&mut self, name: &'static str, value: &str) {
        self.0.retain(|(known, _)| *known != name);
        self.0.push((name, value.to_string()));
    }

    /// Forgets that `name` was set.
    pub fn forget(&mut self, name: &str) {
        self.0.retain(|(known, _)| *known != name);
    }

    /// Whether one of `names` was set.
    pub fn any_of(&self, names: &[&str]) -> bool {
        self.0.iter().any(|(known, _)| names.contains(known))
    }

    /// `parameters` with what was set.
    pub fn over(&self, mut parameters: Parameters) -> Parameters {
        for (name, value) in &self.0 {
            // Others than options are not among them, and each was taken before.
            let _ = parameters.set(name, value);
        }
        parameters
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_options::Kind;

    #[test]
    fn names_of_nets_that_come_with_the_program_are_declared() {
        let known = tesuji_go_eval::NETS.iter().chain(&tesuji_shogi_eval::NETS);
        let mut known: Vec<&str> = known.map(|(name, _)| *name).collect();
        known.sort_unstable();
        let Kind::File { names, .. } = NetSource::SPECS[0].kind else { panic!("{:?}", NetSource::SPECS[0]) };
        let mut declared = names.to_vec();
        declared.retain(|name| ![AUTO, NONE].contains(name));
        declared.sort_unstable();
        assert_eq!(declared, known);
    }
}
