//! A net and playouts as one oracle.

use tesuji_game::{Answer, CacheCounts, Line, Oracle, OracleError, Query};
use tesuji_go::{GoPosition, Rules, Small};
use tesuji_go_eval::{BlendParameters, Blended, PlayoutOracle, PlayoutParameters};

type Pos = GoPosition<Small>;

/// A net that says the same about all positions, and counts.
#[derive(Default)]
struct Net {
    asked: u64,
}

impl Oracle<Pos> for Net {
    fn batch_max(&self) -> usize {
        8
    }

    fn ask(&mut self, batch: &mut [Query<Pos>]) -> Result<(), OracleError> {
        for query in batch {
            self.asked += 1;
            let mut policy = vec![0.0; query.moves.len()];
            policy[0] = 1.0;
            query.answer = Answer { value: 1.0, policy, ..Answer::default() };
        }
        Ok(())
    }

    fn counts(&self) -> Vec<CacheCounts> {
        vec![CacheCounts::new("net", self.asked, 0)]
    }
}

fn query(wants_policy: bool, wants_value: bool) -> Query<Pos> {
    let rules: Rules = "5x5 chinese komi 7".parse().unwrap();
    let line = Line::new(Pos::start(&rules).unwrap());
    let mut query = Query::new(line);
    query.line.legal_moves(&mut query.moves);
    (query.wants_policy, query.wants_value) = (wants_policy, wants_value);
    query
}

#[test]
fn net_and_playouts_share_the_value_of_a_leaf_that_opens() {
    let playouts =
        || PlayoutOracle::<Small>::new(PlayoutParameters { playouts: 8, ..PlayoutParameters::default() }).fixed();
    let mut alone = [query(false, true)];
    playouts().ask(&mut alone).unwrap();
    let of_playouts = alone[0].answer.value;
    assert!(of_playouts.abs() < 1.0);
    for share in [0.25, 0.5, 1.0] {
        let parameters = BlendParameters { playout_share: share, pattern_share: 0.5 };
        let mut both = Blended::new(Net::default(), playouts(), parameters);
        let mut batch = [query(true, true), query(false, true), query(true, false)];
        both.ask(&mut batch).unwrap();
        let [opens, closed, only_moves] = batch;
        assert!((opens.answer.value - (share * of_playouts + 1.0 - share)).abs() < 1e-6);
        assert_eq!(closed.answer.value, of_playouts);
        // Half of the priors is the net's, which knows one move.
        assert!(opens.answer.policy[0] > 0.5 && opens.answer.policy[1] > 0.0);
        assert!((opens.answer.policy.iter().sum::<f32>() - 1.0).abs() < 1e-4);
        assert_eq!(only_moves.answer.policy, opens.answer.policy);
        assert!(!opens.answer.as_first[0].is_empty() && opens.wants_policy);
        // The net was not asked about the leaf that stays closed.
        assert_eq!(both.counts()[0], CacheCounts::new("net", 2, 0));
    }
}
