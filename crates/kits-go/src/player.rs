//! A player for boards of some capacity, and what it says about the end of the game.

use super::{
    Family,
    best::GoBest,
    final_count::{dead_by, played_out},
    passing::{self, Case},
    search::{GoSearch, NetView},
};
use tesuji_engine::{Player, SearchPlayer};
use tesuji_game::{Answer, Notation, Position, Side};
use tesuji_go::{
    Area, BLACK, CellSet, Go, GoPosition, GtpNotation, Large, Medium, Move, Rules, Size, Small, Tax, Vertex, score,
};
use tesuji_options::Options;

/// A player for boards of some capacity.
pub(super) trait GoPlayerOf: Player {
    /// The result after taking off what playouts call dead, in GTP's words: `B+3.5`, `0`.
    fn score_text(&self) -> String;
    /// The chains of a status after that: `dead`, `seki` or otherwise `alive`.
    fn chains(&self, status: &str) -> Vec<Vec<Vertex>>;
    /// The mean ownership of each point in playouts: rows from the top, 1 for Black.
    fn owned(&self) -> Vec<Vec<f32>>;
    /// The raw output of the net, without search, in the format of KataGo's `kata-raw-nn`.
    fn raw(&self, symmetry: Option<u8>) -> Result<String, String>;
    /// The visits for a move where nothing limits the search.
    fn usual_visits(&self) -> u64;
    /// Gives an option the value that it has where nobody sets it.
    fn reset(&mut self, name: &str);
    /// The options of the search.
    fn search_options(&self) -> &dyn Options;
    /// What speaks for a pass instead of the stone `mv`; `owned`: whose each point is by the search, rows from the lowest.
    fn case_for_pass(&self, mv: &str, owned: &[f32]) -> Case;
    /// The rules in force.
    fn rules_now(&self) -> Rules;
    /// The board for people.
    fn diagram(&self) -> String;
    /// The usual start with these handicap stones as text without komi; `None` where they cannot stand.
    fn start_with(&self, stones: &[Vertex]) -> Option<String>;
}

/// A player of a family for boards of these rules, and the longest side that fits it.
pub(super) fn player_for(family: Family, rules: &Rules) -> (Box<dyn GoPlayerOf>, usize) {
    fn of<A: Area>(family: Family, rules: &Rules) -> (Box<dyn GoPlayerOf>, usize) {
        let player: Box<dyn GoPlayerOf> = match family {
            Family::Tree => Box::new(SearchPlayer::<Go<A>, _>::starting(GoSearch::<A>::new(), rules)),
            Family::Best => Box::new(SearchPlayer::<Go<A>, _>::starting(GoBest::<A>::new(), rules)),
        };
        (player, A::LINES)
    }
    #[cfg(test)]
    PLAYERS_MADE.set(PLAYERS_MADE.get() + 1);
    match lines_for(rules.size) {
        Small::LINES => of::<Small>(family, rules),
        Medium::LINES => of::<Medium>(family, rules),
        _ => of::<Large>(family, rules),
    }
}

/// The longest side of a board that fits the player that [`player_for`] makes for boards of this size.
pub(super) fn lines_for(size: Size) -> usize {
    if Small::holds(size) {
        Small::LINES
    } else if Medium::holds(size) {
        Medium::LINES
    } else {
        Large::LINES
    }
}

#[cfg(test)]
std::thread_local! {
    /// Players that this thread has made.
    pub(super) static PLAYERS_MADE: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

impl<A: Area, S: NetView<A> + Options + Send> GoPlayerOf for SearchPlayer<Go<A>, S>
where
    Self: Player,
{
    fn score_text(&self) -> String {
        let pos = self.line().here();
        let halves = pos.margin_halves(&dead(pos));
        let points = f64::from(halves.unsigned_abs()) / 2.0;
        match halves {
            0 => "0".to_string(),
            1.. => format!("B+{points}"),
            _ => format!("W+{points}"),
        }
    }

    fn chains(&self, status: &str) -> Vec<Vec<Vertex>> {
        let pos = self.line().here();
        let (board, dead) = (pos.board(), dead(pos));
        let rules = Rules { tax: Tax::Seki, ..*pos.rules() };
        let seki = score::count(board, &rules, &dead).seki;
        let wanted = |head: &tesuji_go::Cell| match status {
            "dead" => dead.contains(*head),
            "seki" => seki.contains(*head),
            _ => !dead.contains(*head) && !seki.contains(*head),
        };
        board.all_chains().filter(wanted).map(|head| board.chain_stones(head).map(A::vertex).collect()).collect()
    }

    fn owned(&self) -> Vec<Vec<f32>> {
        let pos = self.line().here();
        let width = pos.size().width();
        let sign = if pos.side_to_move() == BLACK { 1.0 } else { -1.0 };
        let net = self.searcher().raw(self.line(), None).and_then(Result::ok).map(|(answer, _)| answer.ownership);
        let net = net.filter(|all| !all.is_empty()).map(|all| all.into_iter().map(|one| sign * one).collect());
        let all: Vec<f32> = net.unwrap_or_else(|| ownership(pos));
        all.chunks(width).rev().map(<[f32]>::to_vec).collect()
    }

    fn raw(&self, symmetry: Option<u8>) -> Result<String, String> {
        let none = || Err("no network is loaded (NetFile)".into());
        let (answer, moves) = self.searcher().raw(self.line(), symmetry).unwrap_or_else(none)?;
        Ok(raw_text(self.line().here(), symmetry, &answer, &moves))
    }

    fn usual_visits(&self) -> u64 {
        self.searcher().usual_visits(self.line())
    }

    fn reset(&mut self, name: &str) {
        self.searcher_mut().reset(name);
    }

    fn search_options(&self) -> &dyn Options {
        self.searcher()
    }

    fn case_for_pass(&self, mv: &str, owned: &[f32]) -> Case {
        let pos = self.line().here();
        GtpNotation::parse_move(pos, mv).map_or(Case::None, |mv| passing::case(pos, mv, owned))
    }

    fn rules_now(&self) -> Rules {
        *self.line().here().rules()
    }

    fn diagram(&self) -> String {
        diagram(self.line().here())
    }

    fn start_with(&self, stones: &[Vertex]) -> Option<String> {
        let pos = GoPosition::<A>::with_handicap(self.line().here().rules(), stones).ok()?;
        let mut text = String::new();
        GtpNotation::write_position(&pos, &mut text).ok()?;
        Some(without_komi(&text).to_string())
    }
}

/// A position's text without its komi, which is written last: what is set later is then heeded.
pub(super) fn without_komi(text: &str) -> &str {
    text.rfind(" komi ").map_or(text, |at| &text[..at])
}

/// The output of a net in KataGo's format: for White, rows from the top, `NAN` where a move is not legal.
fn raw_text<A: Area>(pos: &GoPosition<A>, symmetry: Option<u8>, answer: &Answer, moves: &[Move]) -> String {
    let sign = if pos.side_to_move() == BLACK { -1.0 } else { 1.0 };
    let (size, value) = (pos.size(), sign * answer.value);
    let mut text = format!("symmetry {}\n", symmetry.map_or("all".to_string(), |n| n.to_string()));
    text += &format!("whiteWin {:.6}\nwhiteLoss {:.6}\nnoResult 0.000000\n", (1.0 + value) / 2.0, (1.0 - value) / 2.0);
    text += &answer.score.map_or(String::new(), |score| format!("whiteLead {:.3}\n", sign * score));
    let share = |mv: Move| moves.iter().position(|&known| known == mv).map(|i| answer.policy[i]);
    let rows = |point: &dyn Fn(Vertex) -> Option<f32>| {
        let mut text = String::new();
        for y in (0..size.height()).rev() {
            let number = |x| Vertex::new(x, y).and_then(point).map_or("NAN".to_string(), |n| format!("{n:.6}"));
            text += &(0..size.width()).map(number).collect::<Vec<_>>().join(" ");
            text += "\n";
        }
        text
    };
    text += &format!("policy\n{}", rows(&|vertex| share(Move::at(vertex))));
    text += &format!("policyPass {:.6}", share(Move::PASS).unwrap_or(0.0));
    if !answer.ownership.is_empty() {
        let owned = |vertex: Vertex| answer.ownership.get(vertex.index(size)).map(|owned| sign * owned);
        text += &format!("\nwhiteOwnership\n{}", rows(&owned).trim_end());
    }
    text
}

/// `[points]`, 1 where a point ends as Black's in all playouts.
fn ownership<A: Area>(pos: &GoPosition<A>) -> Vec<f32> {
    played_out(pos).ownership().collect()
}

/// The stones that end as the other side's in most playouts.
fn dead<A: Area>(pos: &GoPosition<A>) -> A::Set {
    dead_by(pos, &played_out(pos))
}

/// The board as a person sees it.
fn diagram<A: Area>(pos: &GoPosition<A>) -> String {
    let (size, board) = (pos.size(), pos.board());
    let columns: String = (0..size.width()).map(|x| format!(" {}", &vertex_text(x, 0)[..1])).collect();
    let mut text = format!("  {columns}\n");
    for y in (0..size.height()).rev() {
        text += &format!("{:2}", y + 1);
        for x in 0..size.width() {
            let stone = Vertex::new(x, y).and_then(|vertex| board.stone(vertex));
            text += match stone {
                Some(BLACK) => " X",
                Some(_) => " O",
                None => " .",
            };
        }
        text += &format!(" {}\n", y + 1);
    }
    let [black, white] = Side::ALL.map(|side| board.captured(!side));
    text + &format!("  {columns}\nBlack has taken {black}, White {white}. {}\n", pos.rules())
}

fn vertex_text(x: usize, y: usize) -> String {
    Vertex::new(x, y).map_or_else(|| "?".to_string(), |vertex| vertex.to_string())
}
