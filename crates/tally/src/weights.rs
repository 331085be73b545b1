//! The learned weights of an evaluation: a middlegame and an endgame weight for every feature, and their origin.

use crate::{Blend, Packed, Term};

/// The origin of weights: who made them, from what. Free text for people and for warnings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Origin {
    /// The program and its version.
    pub made_by: String,
    /// The data and settings: files, games, positions.
    pub from: String,
    /// The seed of whatever was random.
    pub seed: Option<u64>,
    /// The day, as the caller writes it.
    pub date: Option<String>,
    /// More, as name and text, in order.
    pub notes: Vec<(String, String)>,
}

/// One `[middlegame, endgame]` pair a feature, in hundredths of a pawn a count.
///
/// # Examples
///
/// ```
/// use tesuji_tally::{Blend, Packed, Term, Weights};
/// let term =
///     Term { name: "rooks", group: "rooks", first: 1, len: 2, columns: 0, unit: 1, doc: "Files.", source: "An example." };
/// let mut weights = Weights::zero(3);
/// weights.of_mut(&term)[0] = [30, 10];
/// assert_eq!(weights.of(&term), [[30, 10], [0, 0]]);
/// assert_eq!(weights.value([(1, 2)], Blend::of_phase(256)), 60);
/// assert_eq!(weights.packed::<3>().unwrap()[1], Packed::new(30, 10));
/// assert!(weights.packed::<4>().is_none());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Weights {
    /// Indexed by feature.
    pub values: Vec<[i16; 2]>,
    /// Their origin.
    pub origin: Origin,
}

impl Weights {
    /// All weights 0.
    pub fn zero(features: usize) -> Weights {
        Weights { values: vec![[0; 2]; features], origin: Origin::default() }
    }

    /// The weights of one term.
    pub fn of(&self, term: &Term) -> &[[i16; 2]] {
        &self.values[term.range()]
    }

    /// The weights of one term, to be changed.
    pub fn of_mut(&mut self, term: &Term) -> &mut [[i16; 2]] {
        &mut self.values[term.range()]
    }

    /// The weights as [`crate::Sum`] wants them; `None` when there are not `N` of them.
    pub fn packed<const N: usize>(&self) -> Option<Box<[Packed; N]>> {
        let packed: Vec<Packed> = self.values.iter().map(|&[mg, eg]| Packed::new(mg, eg)).collect();
        packed.into_boxed_slice().try_into().ok()
    }

    /// The exact value of a row of counts, without the limits of [`Packed`].
    pub fn value(&self, row: impl IntoIterator<Item = (usize, i32)>, blend: Blend) -> i32 {
        let (mut mg, mut eg) = (0, 0);
        for (feature, count) in row {
            let [m, e] = self.values[feature];
            mg += i32::from(m) * count;
            eg += i32::from(e) * count;
        }
        blend.value_of(mg, eg)
    }
}
