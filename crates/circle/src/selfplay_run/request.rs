//! Self-play as it is asked for: by a command line, a file or a page, in one typed form that is checked in one place.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use tesuji_arena::{DrawRule, EngineRequest, ResignRule, TimeControl, in_json};
use tesuji_kit::{RequestError, settings};

/// The most random plies that games begin with: a search for games that last longer would hardly end.
const RANDOM_PLIES_MAX: u32 = 1000;

/// Games for learning that are wanted. Everything but the game, their number and the files may be missing.
///
/// # Examples
/// ```
/// use tesuji_circle::SelfplayRequest;
/// let text = r#"{ "game": "four", "games": 20, "outputs": ["games.sgs"], "resign": null }"#;
/// let request: SelfplayRequest = serde_json::from_str(text)?;
/// assert!(request.validate().is_ok() && request.nodes.is_none());
/// assert!(serde_json::from_str::<SelfplayRequest>(r#"{ "gmes": 200 }"#).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SelfplayRequest {
    /// The version of this form: [`SelfplayRequest::VERSION`].
    pub version: u32,
    /// The game.
    pub game: String,
    /// Games in all.
    pub games: u64,
    /// The engine that plays, a process for each side; if not given, players of this process. Its own limits win over those here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<EngineRequest>,
    /// The time for a game, for engines alone.
    #[serde(with = "in_json::text", skip_serializing_if = "Option::is_none")]
    pub control: Option<TimeControl>,
    /// The search family; the game's best if not given. Networks play by `mcts`.
    pub search: Option<String>,
    /// Nodes a move; 2000 if not given, ten times the soft limit where that is given, with networks 400.
    pub nodes: Option<u64>,
    /// Nodes of a move after which no new iteration of the search begins.
    pub soft_nodes: Option<u64>,
    /// Decides the openings, and so the games; a new one if not given, or that of the file that is gone on with.
    pub seed: Option<u64>,
    /// The output files; the endings say in which formats.
    pub outputs: Vec<PathBuf>,
    /// Endings of file names that stand for another format than usual, each with the name of that format.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub formats: Vec<(String, String)>,
    /// Weights to play with, instead of those built in.
    pub weights: Option<PathBuf>,
    /// Options of the search and its evaluation, as `NAME=VALUE`; those of games with networks are theirs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// The rules; empty: the usual ones.
    pub rules: String,
    /// A file of openings to begin with, or `built-in`.
    pub openings: Option<PathBuf>,
    /// A file of positions to begin with.
    pub starts: Option<PathBuf>,
    /// Share of the games, 0 to 1, that begin with shuffled pieces, for games that have such a variant (Chess960).
    pub shuffled_share: f64,
    /// Random plies that games begin with, or that follow the opening; 8 if not given, and none after openings.
    pub random_plies: Option<u32>,
    /// No opening that a quick search finds better for one side by more than this, in centipawns.
    pub balance_cp: u32,
    /// Nodes of that search.
    pub balance_nodes: u64,
    /// When a side that thinks itself lost resigns; never if null.
    #[serde(with = "in_json::text")]
    pub resign: Option<ResignRule>,
    /// When what both sides think drawn is drawn; never if null.
    #[serde(with = "in_json::text")]
    pub draw: Option<DrawRule>,
    /// The largest length of games.
    pub plies_max: PliesMax,
    /// Games of fewer plies are not written.
    pub drop_short: Option<u32>,
    /// Whether games that reach the largest length are not written.
    pub drop_unfinished: bool,
    /// Threads; 0: one for each core.
    pub jobs: usize,
    /// Whether to go on with a file that was left unfinished.
    pub resume: bool,
    /// Networks that play, instead of a search with an evaluation.
    pub networks: Option<NetworkGames>,
}

/// The length at which games are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PliesMax {
    /// 300 plies; with networks what the game says.
    #[default]
    Usual,
    /// Until the rules end them.
    Off,
    /// This many plies.
    At(u32),
}

/// Games that networks play by Monte-Carlo tree search, many at once in each thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NetworkGames {
    /// Files of nets or addresses of policy servers; game N is played by net N modulo their number.
    pub nets: Vec<PathBuf>,
    /// Whether all nets answer together, by their mean.
    pub average: bool,
    /// Games at once in each thread.
    pub batch: u32,
    /// Leaves of one game in a batch.
    pub leaves: u32,
    /// Moves are drawn by their visits to the power of one over this.
    pub temperature: f32,
    /// Plies of the game for which that holds; later the best are played.
    pub temperature_plies: usize,
    /// The noise in the priors of roots.
    pub noise: RootNoise,
    /// Expected result, in -1..=1, below which a side gives up at two moves in a row.
    pub resign_below: f32,
    /// Share of the games in which nobody gives up, to see how often that would have been wrong.
    pub audit: f64,
    /// Whether games of go may hold passes while the board is not settled.
    pub early_passes: bool,
    /// Programs that move for one side in a share of the games.
    pub opponents: Vec<EngineRequest>,
    /// That share.
    pub opponent_share: f64,
    /// Processes of each opponent.
    pub opponent_processes: u16,
    /// Options of the search or the networks, as `NAME=VALUE`.
    pub options: Vec<String>,
}

/// The kind of noise in the priors of roots.
///
/// # Examples
///
/// ```
/// use tesuji_circle::RootNoise;
/// assert_eq!(RootNoise::default().name(), "dirichlet");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RootNoise {
    /// Dirichlet's distribution.
    #[default]
    Dirichlet,
    /// Rarely a large addition to one of them, as in dlshogi.
    Kick,
    /// Nothing.
    None,
}

impl RootNoise {
    /// Its name in requests and in the origin of games.
    pub fn name(self) -> &'static str {
        match self {
            RootNoise::Dirichlet => "dirichlet",
            RootNoise::Kick => "kick",
            RootNoise::None => "none",
        }
    }
}

impl Default for SelfplayRequest {
    fn default() -> SelfplayRequest {
        SelfplayRequest {
            version: Self::VERSION,
            game: String::new(),
            games: 0,
            engine: None,
            control: None,
            search: None,
            nodes: None,
            soft_nodes: None,
            seed: None,
            outputs: Vec::new(),
            formats: Vec::new(),
            weights: None,
            options: Vec::new(),
            rules: String::new(),
            openings: None,
            starts: None,
            shuffled_share: 0.0,
            random_plies: None,
            balance_cp: 300,
            balance_nodes: 500,
            resign: Some(ResignRule { moves: 2, score_cp: 1000, both_sides: true }),
            draw: None,
            plies_max: PliesMax::Usual,
            drop_short: None,
            drop_unfinished: false,
            jobs: 0,
            resume: false,
            networks: None,
        }
    }
}

impl Default for NetworkGames {
    fn default() -> NetworkGames {
        NetworkGames {
            nets: Vec::new(),
            average: false,
            batch: 64,
            leaves: 1,
            temperature: 1.0,
            temperature_plies: 30,
            noise: RootNoise::Dirichlet,
            resign_below: -0.95,
            audit: 0.1,
            early_passes: false,
            opponents: Vec::new(),
            opponent_share: 0.2,
            opponent_processes: 1,
            options: Vec::new(),
        }
    }
}

impl SelfplayRequest {
    /// The version of the form that this program knows.
    pub const VERSION: u32 = 1;

    /// Checks the request by itself; files and the game are looked at later.
    ///
    /// # Errors
    /// The first field that cannot be meant.
    pub fn validate(&self) -> Result<(), RequestError> {
        RequestError::check_version(self.version, Self::VERSION)?;
        RequestError::check_game(&self.game)?;
        RequestError::check_jobs("jobs", self.jobs)?;
        if self.outputs.is_empty() {
            return Err(RequestError::field("outputs", "is missing"));
        }
        let balance = Some(self.balance_nodes);
        for (field, nodes) in [("nodes", self.nodes), ("soft_nodes", self.soft_nodes), ("balance_nodes", balance)] {
            if nodes == Some(0) {
                return Err(RequestError::value(field, 0, "expected at least 1"));
            }
        }
        if let (Some(soft), Some(hard)) = (self.soft_nodes, self.nodes)
            && soft > hard
        {
            return Err(RequestError::value(
                "soft_nodes",
                soft,
                format_args!("expected at most the hard limit, {hard}"),
            ));
        }
        if self.openings.is_some() && self.starts.is_some() {
            return Err(RequestError::field("starts", "stands in the place of openings: give one of them"));
        }
        if let Some(plies) = self.random_plies.filter(|&plies| plies > RANDOM_PLIES_MAX) {
            let reason = format_args!("expected at most {RANDOM_PLIES_MAX}");
            return Err(RequestError::value("random_plies", plies, reason));
        }
        if !(0.0..=1.0).contains(&self.shuffled_share) {
            let reason = "expected a share of the games, 0 to 1";
            return Err(RequestError::value("shuffled_share", self.shuffled_share, reason));
        }
        if self.drop_unfinished && self.plies_max == PliesMax::Off {
            return Err(RequestError::field("drop_unfinished", "needs a largest length of games"));
        }
        self.check_engine()?;
        settings(&self.options)?;
        let Some(networks) = &self.networks else { return Ok(()) };
        if let Some(option) = self.options.first() {
            return Err(RequestError::value("options", option, "options of networks belong to `networks`"));
        }
        if let Some(family) = self.search.as_deref().filter(|family| *family != "mcts") {
            return Err(RequestError::value("search", family, "networks play by mcts"));
        }
        let of_searches = [
            ("shuffled_share", self.shuffled_share > 0.0),
            ("drop_short", self.drop_short.is_some()),
            ("drop_unfinished", self.drop_unfinished),
        ];
        if let Some((field, _)) = of_searches.into_iter().find(|(_, is_given)| *is_given) {
            return Err(RequestError::field(field, "is for games of a search, not of networks"));
        }
        if let Some(soft) = self.soft_nodes {
            return Err(RequestError::value(
                "soft_nodes",
                soft,
                "networks play by mcts, which has no iterations to end",
            ));
        }
        networks.validate()
    }

    /// Refuses what does not go with an engine, or with none.
    fn check_engine(&self) -> Result<(), RequestError> {
        if self.engine.is_none() {
            return match &self.control {
                Some(control) => Err(RequestError::value("control", control, "is for engines: name one")),
                None => Ok(()),
            };
        }
        let own = [
            ("search", self.search.is_some()),
            ("soft_nodes", self.soft_nodes.is_some()),
            ("weights", self.weights.is_some()),
            ("nets", self.networks.is_some()),
        ];
        if let Some(option) = self.options.first() {
            let reason = format_args!("is for players of this program; an engine has it in its words: option.{option}");
            return Err(RequestError::value("options", option, reason));
        }
        match own.into_iter().find(|(_, is_given)| *is_given) {
            Some((field, _)) => {
                Err(RequestError::field(field, "is for players of this program, not for an engine of its own"))
            }
            None => Ok(()),
        }
    }
}

impl NetworkGames {
    /// Checks these fields by themselves.
    fn validate(&self) -> Result<(), RequestError> {
        if self.nets.is_empty() {
            return Err(RequestError::field("nets", "is missing"));
        }
        let counts = [
            ("batch", self.batch, 4096),
            ("leaves", self.leaves, 256),
            ("opponent_processes", self.opponent_processes.into(), 256),
        ];
        if let Some((field, count, most)) = counts.into_iter().find(|(_, count, most)| !(1..=*most).contains(count)) {
            return Err(RequestError::value(field, count, format_args!("expected 1 to {most}")));
        }
        if !(0.0..=1.0).contains(&self.opponent_share) {
            let reason = "expected a share of the games, 0 to 1";
            return Err(RequestError::value("opponent_share", self.opponent_share, reason));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usual() -> SelfplayRequest {
        SelfplayRequest { game: "four".into(), games: 3, outputs: vec!["g.sgs".into()], ..SelfplayRequest::default() }
    }

    #[test]
    fn requests_travel_as_json() {
        let networks = NetworkGames { nets: vec!["a.safetensors".into()], ..NetworkGames::default() };
        let full = SelfplayRequest {
            networks: Some(networks),
            plies_max: PliesMax::At(7),
            resign: None,
            draw: Some("40/8/10".parse().unwrap()),
            engine: Some("cmd=./engine option.Hash=16".parse().unwrap()),
            control: Some("1+0.01".parse().unwrap()),
            formats: vec![("four".into(), "lines".into())],
            options: vec!["Hash=2".into()],
            ..usual()
        };
        for request in [full, usual()] {
            let text = serde_json::to_string(&request).unwrap();
            assert_eq!(serde_json::from_str::<SelfplayRequest>(&text).unwrap(), request, "{text}");
        }
    }

    #[test]
    fn the_wrong_field_is_named() {
        let with = |networks| SelfplayRequest { networks: Some(networks), ..usual() };
        let engine = || SelfplayRequest { engine: Some("cmd=./engine".parse().unwrap()), ..usual() };
        let net = || NetworkGames { nets: vec!["a".into()], ..NetworkGames::default() };
        for (request, field) in [
            (SelfplayRequest { version: 2, ..usual() }, "version"),
            (SelfplayRequest { game: String::new(), ..usual() }, "game"),
            (SelfplayRequest { outputs: Vec::new(), ..usual() }, "outputs"),
            (SelfplayRequest { nodes: Some(0), ..usual() }, "nodes"),
            (SelfplayRequest { soft_nodes: Some(0), ..usual() }, "soft_nodes"),
            (SelfplayRequest { soft_nodes: Some(9), nodes: Some(8), ..usual() }, "soft_nodes"),
            (SelfplayRequest { soft_nodes: Some(9), ..with(net()) }, "soft_nodes"),
            (SelfplayRequest { openings: Some("a".into()), starts: Some("b".into()), ..usual() }, "starts"),
            (SelfplayRequest { random_plies: Some(100_000), ..usual() }, "random_plies"),
            (SelfplayRequest { shuffled_share: 1.1, ..usual() }, "shuffled_share"),
            (SelfplayRequest { shuffled_share: f64::NAN, ..usual() }, "shuffled_share"),
            (SelfplayRequest { shuffled_share: 0.1, ..with(net()) }, "shuffled_share"),
            (SelfplayRequest { drop_unfinished: true, plies_max: PliesMax::Off, ..usual() }, "drop_unfinished"),
            (SelfplayRequest { drop_unfinished: true, ..with(net()) }, "drop_unfinished"),
            (SelfplayRequest { drop_short: Some(1), ..with(net()) }, "drop_short"),
            (with(NetworkGames::default()), "nets"),
            (with(NetworkGames { batch: 0, ..net() }), "batch"),
            (with(NetworkGames { opponent_share: 1.5, ..net() }), "opponent_share"),
            (SelfplayRequest { search: Some("alphabeta".into()), ..with(net()) }, "search"),
            (SelfplayRequest { control: Some("1+0.01".parse().unwrap()), ..usual() }, "control"),
            (SelfplayRequest { weights: Some("w".into()), ..engine() }, "weights"),
            (SelfplayRequest { search: Some("mcts".into()), ..engine() }, "search"),
            (SelfplayRequest { networks: Some(net()), ..engine() }, "nets"),
            (SelfplayRequest { options: vec!["Eval=nnue".into()], ..engine() }, "options"),
            (SelfplayRequest { options: vec!["Eval=nnue".into()], ..with(net()) }, "options"),
            (SelfplayRequest { options: vec!["Eval".into()], ..usual() }, "options"),
        ] {
            let error = request.validate().unwrap_err().to_string();
            assert!(error.starts_with(field), "{field}: {error}");
        }
        assert!(usual().validate().is_ok() && with(net()).validate().is_ok());
    }
}
