//! A game of SGF as it stands in the file: nodes, properties and values, nothing interpreted and nothing lost.

use super::source::ByteOffset;
use std::{
    borrow::Cow,
    fmt::{self, Write},
    ops::Range,
};

/// The longest line between nodes, in bytes.
const LINE_MAX: usize = 80;

/// A game tree with everything that its file says, in order. Values keep their escapes; [`text`] and [`simple_text`]
/// take them away.
///
/// # Examples
/// ```
/// use tesuji_go::sgf::SgfTree;
/// let mut games = SgfTree::read_all(b"(;GM[1]SZ[9];B[ee]C[the \\] centre];W[gc](;B[cg])(;B[gg]))").unwrap();
/// let game = games.remove(0);
/// assert_eq!(game.len(), 5);
/// assert_eq!(game.values(1, "B").collect::<Vec<_>>(), ["ee"]);
/// assert_eq!(tesuji_go::sgf::text(game.value(1, "C").unwrap()), "the ] centre");
/// assert_eq!(game.parent(4), 2);
/// ```
#[derive(Debug, Clone, Default)]
pub struct SgfTree {
    /// Names and values one behind another.
    text: String,
    /// Ends of the values in `text`; each begins where the one before, or the name of its property, ends.
    values: Vec<u32>,
    properties: Vec<Stored>,
    nodes: Vec<Node>,
}

/// A property in the arena.
#[derive(Debug, Clone, Copy)]
struct Stored {
    place: ByteOffset,
    /// Its name in the text.
    name: (u32, u32),
    /// The first of its values; they end at the first of the next property.
    values: u32,
}

/// A node in the arena.
#[derive(Debug, Clone, Copy)]
struct Node {
    parent: u32,
    /// The first of its properties.
    properties: u32,
}

/// A property of a node: its name and its values.
#[derive(Debug, Clone, Copy)]
pub struct Property<'a> {
    tree: &'a SgfTree,
    index: usize,
}

impl<'a> Property<'a> {
    /// Its name, in upper case.
    pub fn name(&self) -> &'a str {
        let (from, to) = self.tree.properties[self.index].name;
        &self.tree.text[from as usize..to as usize]
    }

    /// Its values as they stand in the file, escapes included.
    pub fn values(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let tree = self.tree;
        let stored = &tree.properties[self.index];
        let end = tree.properties.get(self.index + 1).map_or(tree.values.len(), |p| p.values as usize);
        let mut from = stored.name.1 as usize;
        tree.values[stored.values as usize..end].iter().map(move |&to| {
            let value = &tree.text[from..to as usize];
            from = to as usize;
            value
        })
    }

    /// Its first value.
    pub fn value(&self) -> &'a str {
        self.values().next().unwrap_or("")
    }

    /// Its offset in the file.
    pub(super) fn place(&self) -> ByteOffset {
        self.tree.properties[self.index].place
    }

    /// Appends it as SGF, `LB[dd:A][ee:B]`.
    pub(super) fn write(&self, out: &mut String) {
        out.push_str(self.name());
        for value in self.values() {
            let _ = write!(out, "[{value}]");
        }
    }
}

impl SgfTree {
    /// A tree without nodes.
    pub fn new() -> SgfTree {
        SgfTree::default()
    }

    /// The number of nodes. Node 0 is the root; children stand after their parents.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node at all.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node before `node`; that of the root is 0.
    ///
    /// # Panics
    /// When there is no such node.
    pub fn parent(&self, node: u32) -> u32 {
        self.nodes[node as usize].parent
    }

    fn range(&self, node: u32) -> Range<usize> {
        let node = node as usize;
        let end = self.nodes.get(node + 1).map_or(self.properties.len(), |n| n.properties as usize);
        self.nodes[node].properties as usize..end
    }

    /// The properties of `node`, in order.
    ///
    /// # Panics
    /// When there is no such node.
    pub fn properties(&self, node: u32) -> impl Iterator<Item = Property<'_>> + Clone {
        self.range(node).map(|index| Property { tree: self, index })
    }

    /// The property `name` of `node`; the first where a file has several.
    pub fn property(&self, node: u32, name: &str) -> Option<Property<'_>> {
        self.properties(node).find(|p| p.name() == name)
    }

    /// The first value of the property `name` of `node`.
    pub fn value(&self, node: u32, name: &str) -> Option<&str> {
        self.property(node, name).map(|p| p.value())
    }

    /// All values of the properties `name` of `node`.
    pub fn values<'a>(&'a self, node: u32, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.properties(node).filter(move |p| p.name() == name).flat_map(|p| p.values())
    }

    /// Adds a node after `parent`, which the first node does not need, and returns its number. Properties are added to
    /// the last node.
    pub fn push_node(&mut self, parent: u32) -> u32 {
        let node = self.nodes.len() as u32;
        debug_assert!(parent < node.max(1));
        self.nodes.push(Node { parent, properties: self.properties.len() as u32 });
        node
    }

    /// Adds a property to the last node. Values are added to the last property.
    pub fn push_property(&mut self, name: &str) {
        self.push_property_at(name, ByteOffset::default());
    }

    pub(super) fn push_property_at(&mut self, name: &str, place: ByteOffset) {
        let from = self.text.len() as u32;
        self.text.push_str(name);
        let name = (from, self.text.len() as u32);
        self.properties.push(Stored { place, name, values: self.values.len() as u32 });
    }

    /// Adds a value, escaped where it must be (see [`escape`]), to the last property.
    pub fn push_value(&mut self, value: &str) {
        self.text.push_str(value);
        self.values.push(self.text.len() as u32);
    }

    /// Adds a property with one value, escaped where it must be, to the last node.
    pub fn push(&mut self, name: &str, value: &str) {
        self.push_property(name);
        self.push_value(value);
    }

    /// Adds a property whose name is a range of the text to come.
    pub(super) fn push_raw_property(&mut self, from: usize, to: usize, place: ByteOffset) {
        let values = self.values.len() as u32;
        self.properties.push(Stored { place, name: (from as u32, to as u32), values });
    }

    /// Adds a value that ends there in the text to come.
    pub(super) fn push_raw_value(&mut self, end: usize) {
        self.values.push(end as u32);
    }

    /// Takes away what the end of a broken game left half: a property without a value, which would read as a pass, and a node
    /// without properties. The length of the text to come that is left.
    pub(super) fn drop_unfinished(&mut self) -> usize {
        self.properties.pop_if(|last| last.values as usize == self.values.len());
        let properties = self.properties.len();
        if self.nodes.len() > 1 {
            self.nodes.pop_if(|last| last.properties as usize == properties);
        }
        self.values.last().map_or(0, |&end| end as usize)
    }

    /// The tree with the text to which its ranges belong.
    pub(super) fn with_text(self, text: String) -> SgfTree {
        SgfTree { text, ..self }
    }

    /// The tree with the text that `read` makes of names and values, whose ranges belong to `bytes`.
    pub(super) fn recoded<'a>(self, bytes: &'a [u8], read: impl Fn(&'a [u8]) -> Cow<'a, str>) -> SgfTree {
        let mut tree = SgfTree { nodes: self.nodes, ..SgfTree::default() };
        for (i, stored) in self.properties.iter().enumerate() {
            let (mut from, mut to) = (stored.name.0 as usize, stored.name.1 as usize);
            tree.push_property_at(&read(&bytes[from..to]), stored.place);
            let end = self.properties.get(i + 1).map_or(self.values.len(), |p| p.values as usize);
            for &value in &self.values[stored.values as usize..end] {
                (from, to) = (to, value as usize);
                tree.push_value(&read(&bytes[from..to]));
            }
        }
        tree
    }

    /// Roughly how many bytes of memory it takes.
    pub(super) fn bytes(&self) -> usize {
        self.text.len() + 4 * self.values.len() + 32 * self.properties.len() + 8 * self.nodes.len()
    }
}

/// Writes the game as SGF: variations on lines of their own, lines broken between nodes before they become long.
impl fmt::Display for SgfTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::with_capacity(self.text.len() + 3 * self.values.len() + 16);
        let (mut children, mut open) = (vec![0u32; self.len()], vec![]);
        self.nodes.iter().skip(1).for_each(|n| children[n.parent as usize] += 1);
        // Children in order, behind each other for all nodes.
        let mut starts = Vec::with_capacity(self.len() + 1);
        starts.push(0u32);
        children.iter().for_each(|n| starts.push(starts[starts.len() - 1] + n));
        let mut places: Vec<u32> = starts.clone();
        let mut order = vec![0u32; self.len().saturating_sub(1)];
        for (i, node) in self.nodes.iter().enumerate().skip(1) {
            let place = &mut places[node.parent as usize];
            order[*place as usize] = i as u32;
            *place += 1;
        }
        let mut line = 0;
        if !self.is_empty() {
            open.push(Some(0));
        }
        while let Some(item) = open.pop() {
            let Some(node) = item else {
                out.push(')');
                continue;
            };
            let alone = node > 0 && children[self.nodes[node as usize].parent as usize] == 1;
            if !alone {
                if node > 0 {
                    out.push('\n');
                }
                line = out.len();
                out.push('(');
                open.push(None);
            }
            self.write_node(node, &mut line, &mut out);
            let here = starts[node as usize] as usize..starts[node as usize + 1] as usize;
            open.extend(order[here].iter().rev().map(|&n| Some(n)));
        }
        f.write_str(&out)
    }
}

impl SgfTree {
    /// Appends a node, on a new line if it does not fit on the one that begins at `line`.
    fn write_node(&self, node: u32, line: &mut usize, out: &mut String) {
        let from = out.len();
        out.push(';');
        self.properties(node).for_each(|p| p.write(out));
        if out.len() - *line > LINE_MAX && from > *line + 1 {
            out.insert(from, '\n');
            *line = from + 1;
        }
        if node == 0 {
            out.push('\n');
            *line = out.len();
        } else if let Some(end) = out[from..].rfind('\n') {
            *line = from + end + 1;
        }
    }
}

/// The text of a value: escapes taken away, line ends made `\n`, other spaces made spaces; an escaped line end is none. Other control
/// characters are left out.
pub fn text(value: &str) -> String {
    unescape(value, false)
}

/// The text of a value that has one line: as [`text`], line ends made spaces.
pub fn simple_text(value: &str) -> String {
    unescape(value, true)
}

fn unescape(value: &str, simple: bool) -> String {
    let mut out = String::with_capacity(value.len());
    let mut chars = value.chars().peekable();
    let mut escaped = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' if !escaped => {
                escaped = true;
                continue;
            }
            '\n' | '\r' => {
                chars.next_if(|&next| next != c && (next == '\n' || next == '\r'));
                match (escaped, simple) {
                    (true, _) => {}
                    (false, true) => out.push(' '),
                    (false, false) => out.push('\n'),
                }
            }
            '\t' | '\x0B' | '\x0C' => out.push(' '),
            c if c.is_control() => {}
            c => out.push(c),
        }
        escaped = false;
    }
    out
}

/// Appends `text` so that [`text`](fn@text) reads it back: backslashes and closing brackets get a backslash. Control characters but line
/// ends and tabs are left out.
pub fn escape(text: &str, out: &mut String) {
    // What steers terminals has no place in a text.
    for c in text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\r' | '\t' | '\x0B' | '\x0C')) {
        if matches!(c, '\\' | ']') {
            out.push('\\');
        }
        out.push(c);
    }
}

/// Splits a composed value at its first colon that is not escaped.
pub fn composed(value: &str) -> Option<(&str, &str)> {
    let mut escaped = false;
    for (i, b) in value.bytes().enumerate() {
        match b {
            b':' if !escaped => return Some((&value[..i], &value[i + 1..])),
            b => escaped = b == b'\\' && !escaped,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_loses_its_escapes() {
        assert_eq!(text(r"a\]b\\c\:d"), r"a]b\c:d");
        assert_eq!(text("soft\\\nbreak, hard\nbreak, \\\r\nboth\r\nkinds\n\rof\rpairs"), {
            "softbreak, hard\nbreak, both\nkinds\nof\npairs"
        });
        assert_eq!(simple_text("two\nlines\tand \\\ntabs"), "two lines and tabs");
        assert_eq!(text("\\\t|\\"), " |");
        let mut escaped = String::new();
        escape("a]b\\c\n:d[", &mut escaped);
        assert_eq!(escaped, "a\\]b\\\\c\n:d[");
        assert_eq!(text(&escaped), "a]b\\c\n:d[");
    }

    /// What an engine sent to colour a terminal, or to end a text, stood in comments.
    #[test]
    fn control_characters_are_no_part_of_a_text() {
        let mut escaped = String::new();
        escape("\u{1B}[31mred\0\u{9B}2J", &mut escaped);
        assert_eq!((escaped.as_str(), text("\u{1B}a\0b")), ("[31mred2J", "ab".to_string()));
    }

    #[test]
    fn composed_values_split_at_the_first_plain_colon() {
        assert_eq!(composed("dd:A"), Some(("dd", "A")));
        assert_eq!(composed(r"a\:b:c:d"), Some((r"a\:b", "c:d")));
        assert_eq!(composed(r"a\\:b"), Some((r"a\\", "b")));
        assert_eq!(composed(r"a\:b"), None);
    }

    #[test]
    fn a_tree_keeps_what_is_added() {
        let mut tree = SgfTree::new();
        tree.push_node(0);
        tree.push("SZ", "9");
        tree.push_property("AB");
        tree.push_value("aa");
        tree.push_value("");
        tree.push_node(0);
        tree.push("B", "cc");
        assert_eq!(tree.properties(0).map(|p| p.name()).collect::<Vec<_>>(), ["SZ", "AB"]);
        assert_eq!(tree.values(0, "AB").collect::<Vec<_>>(), ["aa", ""]);
        assert_eq!((tree.value(1, "B"), tree.value(1, "W")), (Some("cc"), None));
        let mut out = String::new();
        tree.properties(0).for_each(|p| p.write(&mut out));
        assert_eq!(out, "SZ[9]AB[aa][]");
    }
}
