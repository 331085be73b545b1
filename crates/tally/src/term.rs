//! Names for features: an evaluation declares its terms, and everything that shows, learns or stores weights reads them.

use crate::{Blend, Tally};

/// Some features that belong together: a number, a list or a table, with one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Term {
    /// Unique within an evaluation: lower case, digits and `_`.
    pub name: &'static str,
    /// The group of terms that are switched, frozen and tuned together.
    pub group: &'static str,
    /// Its first feature.
    pub first: usize,
    /// The number of its features.
    pub len: usize,
    /// Numbers in a line where the term is shown as a table; 0 for terms on one line.
    pub columns: usize,
    /// The number of counts that make one of the thing counted: 4 where it is counted in quarters.
    pub unit: i32,
    /// A description of what is counted, in a sentence or two.
    pub doc: &'static str,
    /// The source of the idea.
    pub source: &'static str,
}

impl Term {
    /// The features of the term.
    pub const fn range(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.len
    }
}

/// An evaluation that is linear in its weights, written over [`Tally`].
///
/// # Examples
///
/// Material of a game with one kind of piece; a position is the number of pieces of each side:
///
/// ```
/// use tesuji_tally::{Blend, Linear, Packed, Sum, Tally, Term, check_terms};
///
/// struct Material;
///
/// impl Linear<[i32; 2]> for Material {
///     fn terms() -> &'static [Term] {
///         &[Term {
///             name: "material",
///             group: "material",
///             first: 0,
///             len: 1,
///             columns: 0,
///             unit: 1,
///             doc: "Pieces on the board.",
///             source: "Shannon (1950)",
///         }]
///     }
///     fn tally<T: Tally>(pos: &[i32; 2], t: &mut T) -> Blend {
///         t.add_for(1, 0, pos[0]);
///         t.add_for(-1, 0, pos[1]);
///         Blend::of_phase(16 * (pos[0] + pos[1]))
///     }
/// }
///
/// assert_eq!(check_terms(Material::terms()), Ok(1));
/// let weights = [Packed::new(100, 140)];
/// let mut sum = Sum::new(&weights);
/// let blend = Material::tally(&[5, 3], &mut sum);
/// // Half of the way to the ending: 200 and 280 centipawns in equal parts.
/// assert_eq!(blend.value(sum.total), 240);
/// ```
pub trait Linear<P> {
    /// Its terms, in the order of their features, without gaps.
    fn terms() -> &'static [Term];
    /// Counts all features of `pos`: the first side's positive, the second's negative.
    fn tally<T: Tally>(pos: &P, t: &mut T) -> Blend;
}

/// The term called `name`.
///
/// # Examples
/// ```
/// use tesuji_tally::{Term, find_term};
/// const fn term(name: &'static str, first: usize, len: usize) -> Term {
///     Term { name, group: "all", first, len, columns: 0, unit: 1, doc: "Counted.", source: "An example." }
/// }
/// const TERMS: &[Term] = &[term("material", 0, 5), term("tempo", 5, 1)];
/// assert_eq!(find_term(TERMS, "tempo").map(|term| term.range()), Some(5..6));
/// assert!(find_term(TERMS, "mobility").is_none());
/// ```
pub fn find_term<'a>(terms: &'a [Term], name: &str) -> Option<&'a Term> {
    terms.iter().find(|t| t.name == name)
}

/// The name of a feature: that of its term, with its place from 0 where the term has several (`psq_knight.27`).
///
/// # Panics
/// When no term has the feature.
///
/// # Examples
/// ```
/// use tesuji_tally::{Term, feature_name};
/// const fn term(name: &'static str, first: usize, len: usize) -> Term {
///     Term { name, group: "all", first, len, columns: 0, unit: 1, doc: "Counted.", source: "An example." }
/// }
/// const TERMS: &[Term] = &[term("material", 0, 5), term("tempo", 5, 1)];
/// assert_eq!(feature_name(TERMS, 3), "material.3");
/// assert_eq!(feature_name(TERMS, 5), "tempo");
/// ```
pub fn feature_name(terms: &[Term], feature: usize) -> String {
    let term = terms.iter().find(|t| t.range().contains(&feature)).expect("every feature belongs to a term");
    if term.len == 1 { term.name.to_string() } else { format!("{}.{}", term.name, feature - term.first) }
}

/// Checks that terms are well formed: ranges follow each other without gaps, names are unique and plain, tables even.
/// Returns the number of features.
///
/// # Errors
/// If a term is wrong, with its name.
///
/// # Examples
/// ```
/// use tesuji_tally::{Term, check_terms};
/// const fn term(name: &'static str, first: usize, len: usize) -> Term {
///     Term { name, group: "all", first, len, columns: 0, unit: 1, doc: "Counted.", source: "An example." }
/// }
/// const TERMS: &[Term] = &[term("material", 0, 5), term("tempo", 5, 1)];
/// assert_eq!(check_terms(TERMS), Ok(6));
/// assert!(check_terms(&[TERMS[1]]).is_err(), "features 0 to 4 belong to no term");
/// ```
pub fn check_terms(terms: &[Term]) -> Result<usize, String> {
    let mut next = 0;
    for (i, term) in terms.iter().enumerate() {
        let name = term.name;
        let plain =
            |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        if !plain(name) || !plain(term.group) {
            return Err(format!("term {name:?}: names are lower case letters, digits and _"));
        }
        if terms[..i].iter().any(|t| t.name == name) {
            return Err(format!("term {name}: declared twice"));
        }
        if term.first != next || term.len == 0 {
            return Err(format!("term {name}: features {:?} do not follow {next}", term.range()));
        }
        if term.columns != 0 && !term.len.is_multiple_of(term.columns) {
            return Err(format!("term {name}: {} numbers in lines of {}", term.len, term.columns));
        }
        if term.unit < 1 || term.doc.is_empty() || term.source.is_empty() {
            return Err(format!("term {name}: unit, doc or source is missing"));
        }
        next += term.len;
    }
    Ok(next)
}

/// Declares the terms of an evaluation: a constant for the first feature of each, their number `FEATURES` and their table `TERMS`.
/// Each term has a constant, a name, `[length; columns / unit]` (without a unit it is 1), what it counts and where the idea comes from.
///
/// # Examples
/// ```
/// tesuji_tally::terms! {
///     "material" {
///         MATERIAL = "material" [5; 0] "Pieces.", "Shannon, 1950";
///         PAIR = "pair" [1; 0] "Both bishops.", "Kaufman, 1999";
///     }
/// }
/// assert_eq!((MATERIAL, PAIR, FEATURES, TERMS[1].unit), (0, 5, 6, 1));
/// ```
#[macro_export]
macro_rules! terms {
    ($( $group:literal { $( $id:ident = $name:literal [$len:literal; $columns:literal $(/ $unit:literal)?] $doc:literal, $source:literal; )* } )*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum TermIndex { $($( $id, )*)* }
        const SIZES: &[usize] = &[ $($( $len, )*)* ];
        const fn first(place: usize) -> usize {
            let (mut sum, mut i) = (0, 0);
            while i < place {
                sum += SIZES[i];
                i += 1;
            }
            sum
        }
        $($(
            #[doc = $doc]
            pub const $id: usize = first(TermIndex::$id as usize);
        )*)*
        /// The number of features.
        pub const FEATURES: usize = first(SIZES.len());
        /// All terms.
        pub static TERMS: &[$crate::Term] = &[ $($( $crate::Term {
            name: $name,
            group: $group,
            first: $id,
            len: $len,
            columns: $columns,
            unit: $crate::term_unit!($($unit)?),
            doc: $doc,
            source: $source,
        }, )*)* ];
    };
}

/// The unit of a term: 1 where none is declared.
#[doc(hidden)]
#[macro_export]
macro_rules! term_unit {
    () => {
        1
    };
    ($unit:literal) => {
        $unit
    };
}
