//! Monte-Carlo tree search for go, with playouts or with a network.

use super::{
    own_nets::{OwnNet, own_net},
    passing,
};
use std::sync::Arc;
use tesuji_game::{Answer, CacheCounts, Limits, Line, Oracle, OracleError, Position, Query, Report, TreeView, Watch};
use tesuji_go::{Area, GoPosition, Move, Rules};
use tesuji_go_eval::{
    BlendParameters, Blended, Gammas, GoPlanes, HeavyParameters, PlayoutOracle, PlayoutParameters, PlayoutStrengths,
};
use tesuji_jobs::read_text_bounded;
use tesuji_kits_shared::net::{Either, NetSlot, Touched, load_net};
use tesuji_nn::{NetOracle, NetParameters};
use tesuji_options::{OptionError, Options, Spec, find, options};
use tesuji_search::{
    Searcher,
    mcts::{Mcts, Parameters},
};

options! {
    /// The source of the strengths of moves.
    struct GammasSource {
        /// The file of the strengths of moves behind priors (`tesuji tune go` learns them); empty: those that the program is built
        /// with.
        eval_file: File = "", "EvalFile";
        /// The file of the strengths behind learned and mixed playouts (`tesuji tune go --pattern-max 3`); empty: that of EvalFile,
        /// or those that the program is built with.
        playout_file: File = "", "PlayoutFile";
    }
}

/// Options of the search that make sense with playouts alone: where one of them is set, no network answers unasked.
const OF_PLAYOUTS: [&str; 6] =
    ["SelectionRule", "Exploration", "RaveEquivalence", "PriorBias", "PriorPull", "PriorVisits"];

/// Visits for a move when nobody says anything: of playouts, of a network that was named, of one of the program's.
const VISITS_USUAL: (u64, u64, u64) = (10_000, 400, 5_000);

/// The largest file of strengths, in bytes; ours have some megabytes.
pub(super) const GAMMAS_BYTES_MAX: u64 = 256 << 20;

/// Reads the strengths of `path`; those built in where it is empty.
///
/// # Errors
/// In one line: the file cannot be read, or its line that is wrong.
fn load_gammas(path: &str) -> Result<Arc<Gammas>, String> {
    if path.is_empty() {
        return Ok(Gammas::builtin());
    }
    let text = read_text_bounded(path.as_ref(), GAMMAS_BYTES_MAX).map_err(|error| error.to_string())?;
    Gammas::parse(&text).map(Arc::new).map_err(|error| format!("{path}: {error}"))
}

/// The oracle of go on boards of capacity `A`.
pub(crate) type GoOracle<A> = Either<Playing<A>, GoPlanes>;

/// An oracle that plays playouts: alone, or beside a net.
#[derive(Clone)]
pub(crate) enum Playing<A: Area> {
    /// Playouts alone.
    Alone(Box<PlayoutOracle<A>>),
    /// A net and playouts.
    Beside(Box<Blended<A, NetOracle<GoPlanes>>>),
}

impl<A: Area> Oracle<GoPosition<A>> for Playing<A> {
    fn batch_max(&self) -> usize {
        match self {
            Playing::Alone(oracle) => oracle.batch_max(),
            Playing::Beside(oracle) => oracle.batch_max(),
        }
    }

    fn ask(&mut self, batch: &mut [Query<GoPosition<A>>]) -> Result<(), OracleError> {
        match self {
            Playing::Alone(oracle) => oracle.ask(batch),
            Playing::Beside(oracle) => oracle.ask(batch),
        }
    }

    fn clear(&mut self) {
        match self {
            Playing::Alone(oracle) => oracle.clear(),
            Playing::Beside(oracle) => oracle.clear(),
        }
    }

    fn counts(&self) -> Vec<CacheCounts> {
        match self {
            Playing::Alone(oracle) => oracle.counts(),
            Playing::Beside(oracle) => oracle.counts(),
        }
    }
}

/// The output of a net for a position, with the moves in the order of its policy.
pub(super) type Raw = (Answer, Vec<Move>);

/// Tree search on boards of capacity `A`, with the options of playouts and nets.
pub(super) struct GoSearch<A: Area> {
    tree: Mcts<GoPosition<A>, GoOracle<A>>,
    parameters: PlayoutParameters,
    habits: HeavyParameters,
    source: GammasSource,
    gammas: Arc<Gammas>,
    /// Strengths for learned playouts, where these are played.
    playouts: Option<Arc<PlayoutStrengths>>,
    net: NetSlot<GoPlanes>,
    /// The network of the program that answers, where none was named.
    own: Option<OwnNet>,
    blend: BlendParameters,
    /// Whether somebody set `PlayoutShare`.
    is_share_set: bool,
    touched: Touched,
}

impl<A: Area> GoSearch<A> {
    /// A search with playouts.
    pub(super) fn new() -> Self {
        let (parameters, habits) = (PlayoutParameters::default(), HeavyParameters::default());
        let own = PlayoutOracle::new(parameters.clone()).with_heavy(habits.clone());
        let mut tree = Mcts::new(Either::Own(Playing::Alone(Box::new(own))));
        tree.set_parameters(Parameters::playouts());
        let (source, gammas) = (GammasSource::default(), Gammas::builtin());
        GoSearch {
            tree,
            parameters,
            habits,
            source,
            gammas,
            playouts: None,
            net: NetSlot::default(),
            own: None,
            blend: BlendParameters::default(),
            is_share_set: false,
            touched: Touched::default(),
        }
    }

    /// The oracle for the present options.
    pub(super) fn oracle(&self) -> GoOracle<A> {
        let playouts = || {
            let oracle = PlayoutOracle::new(self.parameters.clone()).with_heavy(self.habits.clone());
            let oracle = oracle.with_gammas(self.gammas.clone());
            match &self.playouts {
                Some(strengths) => oracle.with_playouts(strengths.clone()),
                None => oracle,
            }
        };
        match self.net.oracle::<GoPosition<A>>() {
            None => Either::Own(Playing::Alone(Box::new(playouts()))),
            Some(net) => {
                let blend = BlendParameters { playout_share: self.playout_share(), ..self.blend.clone() };
                Either::Own(Playing::Beside(Box::new(Blended::new(net, playouts(), blend))))
            }
        }
    }

    /// The share of playouts in the value of a leaf: that of the options, or where they have none that of the program's network.
    fn playout_share(&self) -> f32 {
        match &self.own {
            Some(own) if !self.is_share_set => own.playout_share,
            _ => self.blend.playout_share,
        }
    }

    /// The network of the program for games by `rules`: where none was named and no option asks for playouts.
    fn wanted(&self, rules: &Rules) -> Option<OwnNet> {
        let asks_playouts = self.parameters != PlayoutParameters::default()
            || self.habits != HeavyParameters::default()
            || self.source != GammasSource::default()
            || self.touched.any_of(&OF_PLAYOUTS);
        own_net(rules).filter(|_| self.net.is_auto() && !asks_playouts)
    }

    /// Before a search: brings the network of the program into step with rules and options.
    fn seat_own_net(&mut self, rules: &Rules) {
        let wanted = self.wanted(rules);
        if wanted == self.own {
            return;
        }
        let had = self.own.map(|own| own.name);
        if had != wanted.map(|own| own.name) {
            // A test opens each: they come with the program.
            self.net.fill(wanted.and_then(|own| load_net::<GoPosition<A>, _>(own.name, &GoPlanes::ALL).ok()));
        }
        self.own = wanted;
        self.renew();
    }

    fn ask_net(&self, line: &Line<GoPosition<A>>, symmetry: Option<u8>) -> Option<Result<Raw, String>> {
        let wanted = self.wanted(line.here().rules());
        let net = match (wanted, self.net.oracle::<GoPosition<A>>()) {
            // Nothing was searched yet by these rules.
            (Some(own), _) if self.own.map(|own| own.name) != Some(own.name) => {
                let (net, planes) = load_net::<GoPosition<A>, _>(own.name, &GoPlanes::ALL).ok()?;
                NetOracle::over::<GoPosition<A>>(net, planes, NetParameters::default()).ok()
            }
            (None, _) if self.own.is_some() => None,
            (_, net) => net,
        };
        let mut oracle = net?.alone(symmetry);
        let mut query = Query::new(line.clone());
        line.legal_moves(&mut query.moves);
        let result = oracle.ask(std::slice::from_mut(&mut query));
        if query.answer.ownership.is_empty() {
            // Without an ownership head a score is a guess: see `Blended`.
            query.answer.score = None;
        }
        Some(result.map(|()| (query.answer, query.moves)).map_err(|error| error.to_string()))
    }

    fn set_net(&mut self, name: &'static str, value: &str) -> Result<(), OptionError> {
        if self.net.set::<GoPosition<A>>(name, value, &GoPlanes::ALL)? {
            self.own = None;
            self.set_usual();
        }
        Ok(())
    }

    /// Brings options and oracle into step with what answers.
    fn renew(&mut self) {
        self.set_usual();
        self.tree.set_oracle(self.oracle());
    }

    /// Gives the search the options that suit what answers, under those that were set.
    fn set_usual(&mut self) {
        let usual = match (self.net.is_full(), self.playout_share() > 0.0) {
            (false, _) => Parameters::playouts(),
            (true, false) => Parameters::nets(),
            (true, true) => Parameters::blended(),
        };
        self.tree.set_parameters(self.touched.over(usual));
    }
}

/// A search that may have a net which can be asked by itself.
pub(super) trait NetView<A: Area>: Searcher<GoPosition<A>> {
    /// The raw output of the net for the end of `line` turned by one symmetry, or in the mean over all, and the legal moves;
    /// `None` where there is no net.
    fn raw(&self, line: &Line<GoPosition<A>>, symmetry: Option<u8>) -> Option<Result<Raw, String>>;

    /// The visits for a move at the end of `line` where nothing limits the search.
    fn usual_visits(&self, line: &Line<GoPosition<A>>) -> u64;

    /// Gives an option the value that it has where nobody sets it.
    fn reset(&mut self, name: &str);
}

impl<A: Area> NetView<A> for GoSearch<A> {
    fn raw(&self, line: &Line<GoPosition<A>>, symmetry: Option<u8>) -> Option<Result<Raw, String>> {
        self.ask_net(line, symmetry)
    }

    fn usual_visits(&self, line: &Line<GoPosition<A>>) -> u64 {
        let is_named = self.net.is_full() && self.own.is_none();
        match self.wanted(line.here().rules()) {
            Some(_) => VISITS_USUAL.2,
            None if is_named => VISITS_USUAL.1,
            None => VISITS_USUAL.0,
        }
    }

    fn reset(&mut self, name: &str) {
        let Ok(spec) = find(&self.specs(), name) else { return };
        if self.touched.any_of(&[spec.name]) {
            self.touched.forget(spec.name);
            self.set_usual();
        } else {
            // A default value is one that the option takes.
            let _ = self.set(spec.name, &spec.kind.default_text());
            self.is_share_set &= spec.name != "PlayoutShare";
        }
    }
}

impl<A: Area> Options for GoSearch<A> {
    fn specs(&self) -> Vec<Spec> {
        let oracles =
            [GammasSource::SPECS, PlayoutParameters::SPECS, HeavyParameters::SPECS, BlendParameters::SPECS].concat();
        [self.tree.specs(), NetSlot::<GoPlanes>::specs(), oracles].concat()
    }

    fn get(&self, name: &str) -> Option<String> {
        let own = self
            .parameters
            .get(name)
            .or_else(|| self.habits.get(name))
            .or_else(|| self.source.get(name))
            .or_else(|| self.blend.get(name));
        own.or_else(|| self.net.get(name)).or_else(|| Options::get(&self.tree, name))
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let spec = find(&self.specs(), name)?;
        if PlayoutParameters::SPECS.contains(&spec) {
            self.parameters.set(spec.name, value)?;
        } else if HeavyParameters::SPECS.contains(&spec) {
            self.habits.set(spec.name, value)?;
        } else if BlendParameters::SPECS.contains(&spec) {
            self.blend.set(spec.name, value)?;
            self.is_share_set |= spec.name == "PlayoutShare";
            self.set_usual();
        } else if GammasSource::SPECS.contains(&spec) {
            // What there was stays where the file cannot be had.
            let read = load_gammas(value).map_err(|reason| OptionError::Failed { name: spec.name, reason })?;
            if spec.name == "EvalFile" {
                self.gammas = read;
            }
            self.source.set(spec.name, value)?;
            self.playouts = None;
        } else if NetSlot::<GoPlanes>::specs().contains(&spec) {
            self.set_net(spec.name, value)?;
        } else {
            self.tree.set(spec.name, value)?;
            self.touched.note(spec.name, value);
            return Ok(());
        }
        if matches!(&*self.parameters.policy, "learned" | "mixed") && self.playouts.is_none() {
            let own = match (&*self.source.playout_file, &*self.source.eval_file) {
                ("", "") => Ok(Gammas::playouts()),
                ("", _) => Ok(self.gammas.clone()),
                (path, _) => load_gammas(path),
            };
            let own = own.map_err(|reason| OptionError::Failed { name: "PlayoutFile", reason })?;
            self.playouts = Some(Arc::new(PlayoutStrengths::new(&own)));
        }
        self.tree.set_oracle(self.oracle());
        Ok(())
    }
}

impl<A: Area> Searcher<GoPosition<A>> for GoSearch<A> {
    fn options(&mut self) -> &mut dyn Options {
        self
    }

    fn new_game(&mut self) {
        if self.net.find_again() {
            self.renew();
        }
        self.tree.new_game();
    }

    /// Where the net gives no answer, playouts do, unless the options forbid it.
    fn search(
        &mut self,
        line: &Line<GoPosition<A>>,
        limits: &Limits,
        only: &[Move],
        watch: &mut dyn Watch<Move>,
    ) -> Report<Move> {
        self.seat_own_net(line.here().rules());
        self.net.set_due(limits, line.here().side_to_move());
        let line = &passing::open_ended(line);
        let report = self.tree.search(line, limits, only, watch);
        let report = match &report.fault {
            Some(fault) if self.net.lose(fault) => {
                self.renew();
                self.tree.search(line, limits, only, watch)
            }
            Some(_) => Report { choice: None, ..report },
            None => report,
        };
        Report { fault: report.fault.clone().or(self.net.lost()), ..report }
    }

    fn tree(&self) -> Option<Arc<dyn TreeView<Move>>> {
        self.tree.tree()
    }

    fn counts(&self) -> Vec<CacheCounts> {
        self.tree.counts()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use std::time::Duration;
    use tesuji_game::{Choice, Game, Signal};
    use tesuji_go::{Go, Small};
    use tesuji_kits_shared::net::open_net;
    use tesuji_nn::{Architecture, NetSession, Outputs, Service};

    /// A policy server that has gone.
    struct Gone(Architecture);

    impl Service for Gone {
        fn architecture(&self) -> &Architecture {
            &self.0
        }

        fn session(&self, _: usize, _: usize, _: usize) -> Result<Box<dyn NetSession>, OracleError> {
            Err(OracleError::Backend("gone".to_string()))
        }
    }

    /// A net that counts the positions that it is asked about.
    struct Counted(Arc<dyn Service>, Arc<AtomicUsize>);

    struct CountedSession(Box<dyn NetSession>, Arc<AtomicUsize>);

    impl Service for Counted {
        fn architecture(&self) -> &Architecture {
            self.0.architecture()
        }

        fn session(&self, height: usize, width: usize, batch: usize) -> Result<Box<dyn NetSession>, OracleError> {
            Ok(Box::new(CountedSession(self.0.session(height, width, batch)?, self.1.clone())))
        }
    }

    impl NetSession for CountedSession {
        fn run(&mut self, planes: &[f32], batch: usize) -> Result<Outputs<'_>, OracleError> {
            self.1.fetch_add(batch, Relaxed);
            self.0.run(planes, batch)
        }
    }

    struct Quiet;

    impl Watch<Move> for Quiet {
        fn signal(&mut self) -> Signal {
            Signal::Run
        }

        fn elapsed(&self) -> Duration {
            Duration::ZERO
        }

        fn report(&mut self, _: &Report<Move>) {}
    }

    fn search_with(net: Arc<dyn Service>) -> GoSearch<Small> {
        let features = net.architecture().features.clone();
        let planes = GoPlanes::ALL
            .into_iter()
            .find(|planes| tesuji_game::Encoding::<GoPosition<Small>>::name(planes) == features);
        let mut search = without_net();
        search.net.fill(Some((net, planes.expect("its planes"))));
        search.renew();
        search
    }

    fn net_of_9x9() -> Arc<dyn Service> {
        open_net("go9-4x32").expect("a net of our own")
    }

    fn without_net() -> GoSearch<Small> {
        let mut search = GoSearch::<Small>::new();
        search.set("NetFile", "none").expect("an option");
        search
    }

    fn search_with_gone_net() -> GoSearch<Small> {
        search_with(Arc::new(Gone(net_of_9x9().architecture().clone())))
    }

    /// With a network the preset valued every leaf by it and asked it 240 times in 600 visits: BakaGo asks for the candidates of a node after
    /// 16 visits, and ten playouts value each leaf.
    #[test]
    fn bakago_asks_its_network_for_candidates_alone() {
        let asked = Arc::new(AtomicUsize::new(0));
        let mut search = search_with(Arc::new(Counted(net_of_9x9(), asked.clone())));
        for (name, value) in crate::preset::options("bakago") {
            search.set(name, value.expect("a value")).expect("an option");
        }
        let line = Line::new(Go::<Small>::start(&"size=9".parse().expect("rules")));
        let limits = Limits { nodes: Some(600), ..Limits::default() };
        let report = search.search(&line, &limits, &[], &mut Quiet);
        // A node of 600 visits whose children share them can open at most 600 / 16 of them, and the root.
        let count = asked.load(Relaxed);
        assert!(report.fault.is_none() && (2..=38).contains(&count), "{count} positions asked about");
        search.set("PlayoutShare", "0").expect("an option");
        search.new_game();
        search.search(&line, &limits, &[], &mut Quiet);
        assert!(asked.load(Relaxed) - count > 200, "the network values every leaf where playouts have no share");
    }

    /// A model of KataGo is a network as any other: for the search, and asked by itself in one orientation or in all.
    #[test]
    fn a_model_of_katago_plays() {
        const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../go-eval/tests/it/data/katago/v11-nbt-mish.bin");
        let mut search = GoSearch::<Small>::new();
        search.set("NetFile", MODEL).expect("a network");
        search.set("NetSymmetry", "none").expect("an option");
        let mut line = Line::new(Go::<Small>::start(&"size=9 komi=6.5".parse().expect("rules")));
        line.push(Move::parse("C4", line.here().size()).expect("a move"));
        let (answer, moves) = search.raw(&line, None).expect("a network").expect("an answer");
        assert_eq!((moves.len(), answer.policy.len(), answer.ownership.len()), (81, 81, 81));
        assert!((answer.policy.iter().sum::<f32>() - 1.0).abs() < 1e-4 && answer.score.is_some());
        // The mean over all orientations does not change when the board is turned.
        let mut turned = Line::new(line.start().turned(tesuji_go::Symmetry::ALL[5]));
        line.moves().for_each(|mv| turned.push(tesuji_go::Symmetry::ALL[5].apply_move(mv, line.here().size())));
        let (again, _) = search.raw(&turned, None).expect("a network").expect("an answer");
        assert!((again.value - answer.value).abs() < 1e-4, "{} {}", again.value, answer.value);
        let one = |symmetry| search.raw(&line, Some(symmetry)).expect("a network").expect("an answer").0.value;
        assert!((0..8).any(|symmetry| (one(symmetry) - answer.value).abs() > 1e-4), "orientations differ");
        let report = search.search(&line, &Limits { nodes: Some(60), ..Limits::default() }, &[], &mut Quiet);
        assert!(report.fault.is_none() && report.choice.is_some());
        let error = search.set("NetFile", &format!("cuda:{MODEL}")).expect_err("no card for it").to_string();
        assert!(error.contains("runs on the processor"), "{error}");
        assert!(search.net.is_full(), "the old network stays");
    }

    /// The default was playouts, which lose to the program's own networks in the same time.
    #[test]
    fn networks_of_the_program_answer_unless_options_ask_for_playouts() {
        fn answering(search: &mut GoSearch<Small>, rules: &str) -> Option<&'static str> {
            let line = Line::new(Go::<Small>::start(&rules.parse().expect("rules")));
            let limits = Limits { nodes: Some(20), ..Limits::default() };
            let has_raw = search.raw(&line, None).is_some();
            let report = search.search(&line, &limits, &[], &mut Quiet);
            assert!(report.choice.is_some() && report.ownership.len() == line.here().size().points());
            assert_eq!((search.net.is_full(), has_raw), (search.own.is_some(), search.own.is_some()));
            search.own.map(|own| own.name)
        }
        let mut search = GoSearch::<Small>::new();
        assert_eq!(answering(&mut search, "9x9"), Some("go9-4x32"));
        assert_eq!(search.tree.parameters().rule, "puct");
        assert_eq!(answering(&mut search, "7x7"), None);
        assert_eq!(search.tree.parameters().rule, "rave");
        search.set("Playouts", "2").expect("an option");
        assert_eq!(answering(&mut search, "9x9"), None);
        search.reset("Playouts");
        assert_eq!(answering(&mut search, "9x9"), Some("go9-4x32"));
        search.set("Exploration", "0.4").expect("an option");
        assert_eq!(answering(&mut search, "9x9"), None);
        search.reset("Exploration");
        search.set("NetFile", "").expect("an option");
        assert_eq!(answering(&mut search, "9x9"), None);
        search.set("NetFile", "auto").expect("an option");
        assert_eq!(answering(&mut search, "9x9"), Some("go9-4x32"));
    }

    /// The engine played the first legal point when its policy server had died.
    #[test]
    fn without_its_net_a_search_goes_on_with_playouts_or_has_no_move() {
        let line = Line::new(Go::<Small>::start(&"size=9".parse().expect("rules")));
        let limits = Limits { nodes: Some(60), ..Limits::default() };
        let best = |report: &Report<Move>| match report.choice {
            Some(Choice::Play(mv)) => Some(mv),
            _ => None,
        };
        let mut search = search_with_gone_net();
        let report = search.search(&line, &limits, &[], &mut Quiet);
        assert_eq!(best(&report), best(&without_net().search(&line, &limits, &[], &mut Quiet)));
        assert!(
            report
                .fault
                .as_deref()
                .is_some_and(|fault| fault.ends_with("gives no answer: the evaluation failed: gone")),
            "{report:?}"
        );
        assert_eq!(search.search(&line, &limits, &[], &mut Quiet).fault, report.fault, "it stays told");
        assert!(!search.net.is_full());
        search.new_game();
        assert!(search.net.is_full(), "the next game asks again");
        search.set("NetFallback", "false").expect("an option");
        for _ in 0..2 {
            let report = search.search(&line, &limits, &[], &mut Quiet);
            assert_eq!((best(&report), report.fault.as_deref()), (None, Some("the evaluation failed: gone")));
        }
    }
}
