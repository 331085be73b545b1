//! Games with a hand-made evaluation: their searches as players, with weights from a file and the options of each game.

use crate::{
    best_first::EvalBestFirst,
    chances::{Model, WithChances, add_chances},
    either::EitherEval,
    nnue::{LoadedNet, NetEval, first_value, read_if_net},
    tree_search::EvalMcts,
};
use anyhow::Context;
use std::{io::ErrorKind, path::Path, sync::Arc};
use tesuji_engine::{
    Account, LiveTree, Mates, PhaseSums, Player, PlayerError, SearchPlayer, Term, TreeBounds, TreeCopy,
};
use tesuji_game::{
    CacheCounts, Encoding, Evaluator, FirstSide, Game, Limits, Mating, Position, Report, Tactical, Watch,
};
use tesuji_jobs::read_text_bounded;
use tesuji_kit::explain::Explained;
use tesuji_nn::{
    NetError,
    nnue::{Architecture, FeatureSet, Network, NnueEval},
};
use tesuji_options::{OptionError, Options, Spec, find};
use tesuji_protocol::MateAnswer;
use tesuji_search::{
    EndgameProbe, Prover, Searcher, alpha_beta::AlphaBeta, mcts::Parameters, memory, profile::Profile,
};
use tesuji_tally::{Explanation, WeightsError};

/// The largest file of weights; ours have some 30 KiB.
const WEIGHTS_BYTES_MAX: u64 = 64 << 20;

/// Endgame tables of a game, if there are any.
pub type Probe<P> = Option<Arc<dyn EndgameProbe<P>>>;

/// A position of such a game.
pub type At<G> = <<G as Handmade>::Game as Game>::Position;

/// A move of such a game.
pub type Moved<G> = <At<G> as Position>::Move;

/// The evaluator of positions of such a game: the hand-made evaluation or a network.
pub type GameEval<G> = EitherEval<<G as Handmade>::Eval, NetEvalOf<G>>;

/// The evaluator by a network of such a game.
pub type NetEvalOf<G> = NetEval<At<G>, <G as Handmade>::Eval, NnueEval<At<G>, <G as Handmade>::Inputs>>;

/// A network of such a game, ready to play.
pub type NetOf<G> = LoadedNet<<G as Handmade>::Inputs, <G as Handmade>::Eval>;

/// A game with a hand-made evaluation, and what only it has.
pub trait Handmade: Sized + 'static {
    /// Its rules.
    type Game: Game<Position: Tactical + Mating>;
    /// Its evaluation.
    type Eval: Evaluator<At<Self>>;
    /// The weights of its evaluation.
    type Weights: Send + Sync + 'static;
    /// The evaluation that belongs to the presets of best-first search; its own where there is none.
    type PresetEval: Evaluator<At<Self>>;
    /// The input features of its efficiently updatable networks.
    type Inputs: FeatureSet<At<Self>>;
    /// The input planes of its other networks.
    type Planes: Encoding<At<Self>> + Clone + 'static;
    /// Its own options.
    type Extra: Options + Default + Clone + Send;

    /// The scale of values.
    const CHANCES: Model;
    /// The names of the sides, the one that begins before the other.
    const SIDES: [&'static str; 2];

    /// The ways in which networks may see its positions; none where the game has no networks.
    fn planes() -> &'static [Self::Planes] {
        &[]
    }

    /// The options of tree search that suit its networks.
    fn net_parameters() -> Parameters {
        Parameters::default()
    }

    /// The options of [`Handmade::Extra`].
    fn extra_specs() -> &'static [Spec];

    /// The file of weights or of a network that the options ask for; empty: what the program is built with.
    fn eval_file(extra: &Self::Extra) -> &str;

    /// Whether a network that is found in the file plays; `false`: the hand-made evaluation does.
    ///
    /// # Errors
    /// When the options ask for the weights of another evaluation; the words say which.
    fn takes_network(_extra: &Self::Extra) -> Result<bool, String> {
        Ok(true)
    }

    /// The network that plays where the options name no file; `None`: weights do. `is_stronger`: the search is one that the network makes
    /// stronger, so that it plays where the options leave the choice.
    fn builtin_network(_extra: &Self::Extra, _is_stronger: bool) -> Option<&'static NetOf<Self>> {
        None
    }

    /// Whether weights that are found in the file may play.
    ///
    /// # Errors
    /// When the options ask for a network.
    fn takes_weights(_extra: &Self::Extra) -> Result<(), String> {
        Ok(())
    }

    /// The inputs of an efficiently updatable network.
    ///
    /// # Errors
    /// When the network is for another game, or its inputs are none of this one's.
    fn inputs(architecture: &Architecture) -> Result<Self::Inputs, NetError>;

    /// Whether a file that begins so is an efficiently updatable network.
    fn is_network(head: &[u8]) -> bool {
        Network::is_file(head)
    }

    /// Reads a file of which [`Handmade::is_network`] says so.
    ///
    /// # Errors
    /// When it is none, or damaged.
    fn read_network(bytes: &[u8]) -> Result<Network, NetError> {
        Network::read(bytes)
    }

    /// The weights that play where the options name no file: those that the program is built with.
    fn builtin(extra: &Self::Extra) -> Self::Weights;

    /// Reads weights; `file` is what errors call them.
    fn load(extra: &Self::Extra, text: &str, file: &str) -> Result<Self::Weights, WeightsError>;

    /// Whether the hand-made evaluation knows all of a position, so that no network corrects it: forced mates of a lone king.
    fn knows_all(_pos: &At<Self>) -> bool {
        false
    }

    /// An evaluation by `weights`.
    fn evaluator(weights: Arc<Self::Weights>) -> Self::Eval;

    /// A position's text without what does not matter for remembering it, such as counters of moves.
    fn remembered(text: String) -> String {
        text
    }

    /// The evaluation that belongs to the presets of best-first search, if there is one.
    fn preset_evaluator() -> Option<Self::PresetEval> {
        None
    }

    /// The value of a position by the evaluation of the presets, term by term.
    fn explain_preset(_board: &At<Self>) -> Option<String> {
        None
    }

    /// The value of a position, term by term.
    fn explain(board: &At<Self>, weights: &Self::Weights) -> Explanation;

    /// The position without each piece but the kings, as far as it can be one: the piece's square, and what is left.
    fn without_each(board: &At<Self>) -> Vec<(String, At<Self>)>;

    /// The board as a person sees it, the first side below.
    fn diagram(board: &At<Self>) -> String;

    /// The rules of a game for which a protocol gives `rules`.
    fn rules<'a>(extra: &'a Self::Extra, rules: &'a str) -> &'a str;

    /// Carries out the option `key` of the game, other than that of weights: new endgame tables, if it asks for any.
    fn carry_out(_key: &str, _extra: &Self::Extra) -> Result<Option<Probe<At<Self>>>, String> {
        Ok(None)
    }

    /// A search for forced wins that is asked about each root, if it is worth its time in this game.
    fn prover() -> Option<Box<dyn Prover<At<Self>>>> {
        None
    }

    /// Memory of a search for mates, in MiB.
    fn mate_hash_mib(_extra: &Self::Extra) -> usize {
        64
    }

    /// Changes what the search found to what is played.
    fn decide(_extra: &Self::Extra, _limits: &Limits, _report: &mut Report<String>) {}
}

/// A search of such a game, whatever its family, that takes an evaluator, endgame tables and a search for forced wins.
pub trait HandSearch<P: Tactical, E: Evaluator<P>>: Searcher<P> + Options {
    /// Whether it plays better by the network that a game is built with than by the hand-made evaluation, as matches have shown.
    const LIKES_NETWORKS: bool = false;

    /// A search with default options.
    fn start(eval: E) -> Self;

    /// Takes another evaluator.
    fn set_evaluator(&mut self, eval: E);

    /// Takes endgame tables, or none.
    fn set_probe(&mut self, probe: Probe<P>);

    /// Takes a search for forced wins, where there is room for one.
    fn set_prover(&mut self, _prover: Option<Box<dyn Prover<P>>>) {}

    /// The value of a position, term by term, where the search uses another evaluation than the game's own.
    fn explain_own(&self, _pos: &P) -> Option<String> {
        None
    }
}

impl<P: Tactical, E: Evaluator<P>> HandSearch<P, E> for AlphaBeta<P, E> {
    const LIKES_NETWORKS: bool = true;

    fn start(eval: E) -> Self {
        AlphaBeta::new(eval)
    }

    fn set_evaluator(&mut self, eval: E) {
        self.set_evaluator(eval);
    }

    fn set_probe(&mut self, probe: Probe<P>) {
        self.set_probe(probe);
    }

    fn set_prover(&mut self, prover: Option<Box<dyn Prover<P>>>) {
        self.set_prover(prover);
    }
}

impl<G: Handmade> HandSearch<At<G>, GameEval<G>> for EvalMcts<G> {
    fn start(eval: GameEval<G>) -> Self {
        EvalMcts::new(eval)
    }

    fn set_evaluator(&mut self, eval: GameEval<G>) {
        self.set_evaluator(eval);
    }

    fn set_probe(&mut self, probe: Probe<At<G>>) {
        self.set_probe(probe);
    }

    fn set_prover(&mut self, prover: Option<Box<dyn Prover<At<G>>>>) {
        self.set_prover(prover);
    }
}

impl<G: Handmade> HandSearch<At<G>, GameEval<G>> for EvalBestFirst<G> {
    fn start(eval: GameEval<G>) -> Self {
        EvalBestFirst::new(eval, G::preset_evaluator())
    }

    fn set_evaluator(&mut self, eval: GameEval<G>) {
        self.set_evaluator(eval);
    }

    fn set_probe(&mut self, probe: Probe<At<G>>) {
        self.set_probe(probe);
    }

    fn explain_own(&self, pos: &At<G>) -> Option<String> {
        if self.is_preset() { G::explain_preset(pos) } else { None }
    }
}

/// A player of such a game; the default one has default options.
pub struct HandPlayer<G: Handmade, S> {
    player: SearchPlayer<G::Game, S>,
    mates: Mates<G::Game>,
    extra: G::Extra,
    weights: Arc<G::Weights>,
    /// The network that values positions instead of the hand-made evaluation.
    net: Option<NetOf<G>>,
}

/// The player that searches by alpha-beta.
pub type ByAlphaBeta<G> = HandPlayer<G, AlphaBeta<At<G>, GameEval<G>>>;
/// The player that searches a tree by chance.
pub type ByTree<G> = HandPlayer<G, EvalMcts<G>>;

/// The player that searches best first.
pub type ByBestFirst<G> = HandPlayer<G, EvalBestFirst<G>>;

impl<G: Handmade, S: HandSearch<At<G>, GameEval<G>>> Default for HandPlayer<G, S> {
    fn default() -> Self {
        let extra = G::Extra::default();
        let weights = Arc::new(G::builtin(&extra));
        let net = G::builtin_network(&extra, S::LIKES_NETWORKS).cloned();
        let mut search = S::start(evaluator::<G>(net.as_ref(), &weights));
        search.set_prover(G::prover());
        let mates = Mates::new(G::mate_hash_mib(&extra));
        HandPlayer { player: SearchPlayer::new(search), mates, extra, weights, net }
    }
}

impl<G: Handmade, S: HandSearch<At<G>, GameEval<G>>> HandPlayer<G, S> {
    /// Takes the weights or the network of the file that `extra` names; what was there stays if it cannot be read.
    fn load_evaluation(&mut self, extra: &G::Extra) -> Result<(), String> {
        let (mut weights, mut net) = (None, None);
        let path = G::eval_file(extra);
        if path.is_empty() {
            net = G::builtin_network(extra, S::LIKES_NETWORKS).cloned();
        } else {
            if let Some(found) = load_net::<G>(path.as_ref())? {
                net = G::takes_network(extra).map_err(|reason| format!("{path}: {reason}"))?.then_some(found);
            } else {
                G::takes_weights(extra).map_err(|reason| format!("{path}: {reason}"))?;
                let text = read_text_bounded(path.as_ref(), WEIGHTS_BYTES_MAX).map_err(|error| match error.kind() {
                    ErrorKind::InvalidData => {
                        format!("{error} (weights in JSON, or a network that `tesuji net` wrote)")
                    }
                    _ => error.to_string(),
                })?;
                weights = Some(G::load(extra, &text, path).map_err(|error| error.to_string())?);
            }
        }
        self.weights = Arc::new(weights.unwrap_or_else(|| G::builtin(extra)));
        self.net = net;
        self.player.searcher_mut().set_evaluator(evaluator::<G>(self.net.as_ref(), &self.weights));
        Ok(())
    }
}

/// The evaluator of positions: the network, or the hand-made evaluation where there is none.
fn evaluator<G: Handmade>(net: Option<&NetOf<G>>, weights: &Arc<G::Weights>) -> GameEval<G> {
    match net {
        Some(net) => EitherEval::Second(net.evaluator(G::knows_all)),
        None => EitherEval::First(G::evaluator(weights.clone())),
    }
}

/// The options of the game, carried out as they are set, and those of the search.
impl<G: Handmade, S: HandSearch<At<G>, GameEval<G>>> Options for HandPlayer<G, S> {
    fn specs(&self) -> Vec<Spec> {
        [G::extra_specs().to_vec(), self.player.searcher().specs()].concat()
    }

    fn get(&self, name: &str) -> Option<String> {
        Options::get(&self.extra, name).or_else(|| Options::get(self.player.searcher(), name))
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let spec = find(&self.specs(), name)?;
        if !G::extra_specs().contains(&spec) {
            return self.player.searcher_mut().set(spec.name, value);
        }
        let mut extra = self.extra.clone();
        Options::set(&mut extra, spec.name, value)?;
        let failed = |reason| OptionError::Failed { name: spec.name, reason };
        if G::mate_hash_mib(&extra) != G::mate_hash_mib(&self.extra) {
            memory::check(spec.name, G::mate_hash_mib(&extra))?;
        }
        if matches!(spec.key, "eval_file" | "eval") {
            self.load_evaluation(&extra).map_err(failed)?;
        } else if let Some(probe) = G::carry_out(spec.key, &extra).map_err(failed)? {
            self.player.searcher_mut().set_probe(probe);
        }
        self.mates.resize(G::mate_hash_mib(&extra));
        self.extra = extra;
        Ok(())
    }
}

impl<G: Handmade, S: HandSearch<At<G>, GameEval<G>>> Player for HandPlayer<G, S> {
    fn options(&mut self) -> Box<dyn Options + '_> {
        Box::new(self)
    }

    fn new_game(&mut self) {
        self.player.new_game();
    }

    fn set_position(&mut self, rules: &str, start: Option<&str>, moves: &[String]) -> Result<(), PlayerError> {
        self.player.set_position(G::rules(&self.extra, rules), start, moves)
    }

    fn is_move(&self, text: &str) -> bool {
        self.player.is_move(text)
    }

    fn obeys_soft_nodes(&self) -> bool {
        self.player.obeys_soft_nodes()
    }

    fn go(&mut self, limits: &Limits, only: &[String], watch: &mut dyn Watch<String>) -> Report<String> {
        let mut watch = WithChances { watch, model: G::CHANCES };
        let mut report = self.player.go(limits, only, &mut watch);
        add_chances(&mut report, G::CHANCES);
        G::decide(&self.extra, limits, &mut report);
        report
    }

    fn solve(&mut self, limits: &Limits, watch: &mut dyn Watch<String>) -> MateAnswer {
        self.mates.solve(self.player.line().here(), limits, watch)
    }

    fn show(&self) -> String {
        format!("{}{}", G::diagram(self.player.line().here()), self.player.show())
    }

    fn explain(&self) -> Option<String> {
        let here = self.player.line().here();
        if let Some(own) = self.player.searcher().explain_own(here) {
            return Some(own);
        }
        Some(match &self.net {
            Some(net) => net.explain((here, G::knows_all), &G::without_each(here), G::SIDES).to_string(),
            None => G::explain(here, &self.weights).to_string(),
        })
    }

    fn perft(&self, depth: u32, stop: &dyn Fn() -> bool) -> Option<Vec<(String, u64)>> {
        self.player.perft(depth, stop)
    }

    fn tree(&self, bounds: &TreeBounds) -> Option<TreeCopy> {
        self.player.tree(bounds)
    }

    fn live_tree(&self) -> Option<Arc<dyn LiveTree>> {
        self.player.live_tree()
    }

    fn account(&self) -> Option<Account> {
        let here = self.player.line().here();
        if self.player.searcher().explain_own(here).is_some() {
            return None;
        }
        let told = G::explain(here, &self.weights);
        let terms = told.lines.into_iter().map(|line| Term {
            name: line.name,
            group: line.group.to_string(),
            first: line.first,
            second: line.second,
            adds: FirstSide(PhaseSums { mg: line.adds_mg, eg: line.adds_eg }),
        });
        Some(Account {
            terms: terms.collect(),
            phase: told.phase,
            scale: told.scale,
            sums: FirstSide(PhaseSums { mg: told.sum_mg, eg: told.sum_eg }),
            rest: told.rest.map(|(name, value)| (name.to_string(), FirstSide(value))),
            value: FirstSide(told.value),
            played: first_value(&mut evaluator::<G>(self.net.as_ref(), &self.weights), here),
            by_network: self.net.is_some(),
        })
    }

    fn worths(&self) -> Option<Vec<(String, i32)>> {
        let here = self.player.line().here();
        let mut eval = evaluator::<G>(self.net.as_ref(), &self.weights);
        let whole = first_value(&mut eval, here).0;
        let without = G::without_each(here);
        Some(without.into_iter().map(|(square, pos)| (square, whole - first_value(&mut eval, &pos).0)).collect())
    }

    fn profile(&self) -> Option<Profile> {
        self.player.profile()
    }

    fn counts(&self) -> Vec<CacheCounts> {
        self.player.counts()
    }
}

/// The network of a file, ready to play; `None` where the file is something else.
fn load_net<G: Handmade>(path: &Path) -> Result<Option<NetOf<G>>, String> {
    let Some(bytes) = read_if_net(path, G::is_network).map_err(|error| error.to_string())? else { return Ok(None) };
    net_of::<G>(&bytes).map(Some).map_err(|error| format!("{}: {error}", path.display()))
}

/// A network, of which `bytes` are the file, ready to play.
///
/// # Errors
/// When it is damaged, or none of the game.
pub fn net_of<G: Handmade>(bytes: &[u8]) -> Result<NetOf<G>, NetError> {
    LoadedNet::new(&G::read_network(bytes)?, G::inputs, beside::<G>)
}

/// The hand-made evaluation beside a network: by these weights, or by those that the program is built with.
fn beside<G: Handmade>(weights: Option<&str>) -> Result<G::Eval, NetError> {
    let extra = G::Extra::default();
    let weights = match weights {
        Some(text) => G::load(&extra, text, "the weights of the base"),
        None => Ok(G::builtin(&extra)),
    };
    let weights = weights.map_err(|error| NetError::Format(error.to_string()))?;
    Ok(G::evaluator(Arc::new(weights)))
}

/// Explains the evaluation of a position by the network of a file.
///
/// # Errors
/// When the file cannot be read, or holds no network of the game.
pub fn explain_by_net<G: Handmade>(pos: &At<G>, path: &Path) -> anyhow::Result<Explained> {
    let net = load_net::<G>(path).map_err(anyhow::Error::msg)?;
    let net = net.with_context(|| format!("{}: expected an efficiently updatable network", path.display()))?;
    let told = net.explain((pos, G::knows_all), &G::without_each(pos), G::SIDES);
    Ok(Explained { text: told.to_string(), json: serde_json::json!({ "net": path, "evaluation": told }) })
}
