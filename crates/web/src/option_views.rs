//! Options of players as a form shows them.

use serde::Serialize;
use tesuji_options::Kind;
use utoipa::ToSchema;

/// The kind of control that shows an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OptionKind {
    /// On or off.
    Check,
    /// A number.
    Number,
    /// One of several words.
    Choice,
    /// Any text.
    Text,
    /// Something that is done at a press.
    Button,
}

/// An option as a form shows it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct OptionView {
    /// Its name.
    pub(crate) name: &'static str,
    /// What it does.
    doc: &'static str,
    /// The accepted values, in words.
    takes: String,
    /// The kind of control that shows it.
    pub(crate) kind: OptionKind,
    /// Its value.
    pub(crate) value: String,
    /// The values of a choice.
    choices: &'static [&'static str],
    /// For engine authors.
    expert: bool,
}

/// The options of a form with their values.
pub(crate) fn options_of(form: &dyn tesuji_options::Options) -> Vec<OptionView> {
    let view = |spec: tesuji_options::Spec| {
        let (kind, choices): (_, &'static [&'static str]) = match spec.kind {
            Kind::Flag { .. } => (OptionKind::Check, &[]),
            Kind::Int { .. } | Kind::Float { .. } => (OptionKind::Number, &[]),
            Kind::Choice { among, .. } => (OptionKind::Choice, among),
            Kind::Text { .. } | Kind::File { .. } => (OptionKind::Text, &[]),
            Kind::Button => (OptionKind::Button, &[]),
        };
        let value = form.get(spec.name).unwrap_or_default();
        let takes = spec.kind.expected();
        OptionView { name: spec.name, doc: spec.doc, takes, kind, value, choices, expert: spec.expert }
    };
    form.specs().into_iter().map(view).collect()
}
