//! Legal moves against two other implementations, on random games and on boards strewn at random.

use std::{
    collections::BTreeSet,
    ops::ControlFlow::{self, Continue},
};
use tesuji_game::{Game, Mating, Position, Random, Side, Tactical};
use tesuji_shogi::{Board, Hand, Move, Piece, Rules, Setup, Shogi, Square};
use tesuji_testkit::conform;

/// `slow` positions under SLOW=1, `fast` ones else.
fn positions(fast: usize, slow: usize) -> usize {
    if tesuji_testkit::needs::is_slow() {
        slow
    } else {
        eprintln!("compared {fast} positions; SLOW=1 compares {slow}");
        fast
    }
}

fn ours(board: &Board) -> BTreeSet<Move> {
    board.legal_moves().into_iter().collect()
}

fn piece_of(kind: shogi_core::PieceKind) -> Piece {
    use shogi_core::PieceKind as K;
    match kind {
        K::Pawn => Piece::Pawn,
        K::Lance => Piece::Lance,
        K::Knight => Piece::Knight,
        K::Silver => Piece::Silver,
        K::Gold => Piece::Gold,
        K::Bishop => Piece::Bishop,
        K::Rook => Piece::Rook,
        K::King => Piece::King,
        K::ProPawn => Piece::ProPawn,
        K::ProLance => Piece::ProLance,
        K::ProKnight => Piece::ProKnight,
        K::ProSilver => Piece::ProSilver,
        K::ProBishop => Piece::Horse,
        K::ProRook => Piece::Dragon,
    }
}

fn color_of(side: Side) -> shogi_core::Color {
    if side == Side::First { shogi_core::Color::Black } else { shogi_core::Color::White }
}

fn square_of(square: Square) -> shogi_core::Square {
    shogi_core::Square::from_u8(square.index() as u8 + 1).expect("a square from 1 to 81")
}

/// The same position in `shogi_core`.
fn core_position(board: &Board) -> shogi_core::PartialPosition {
    let mut position = shogi_core::PartialPosition::empty();
    let kind = |piece| shogi_core::PieceKind::all().into_iter().find(|&k| piece_of(k) == piece).expect("every kind");
    for square in Square::all() {
        let piece = board.at(square).map(|(side, piece)| shogi_core::Piece::new(kind(piece), color_of(side)));
        position.piece_set(square_of(square), piece);
    }
    for side in Side::ALL {
        for (piece, n) in board.hand(side).iter() {
            for _ in 0..n {
                let hand = position.hand_of_a_player_mut(color_of(side));
                *hand = hand.added(kind(piece)).expect("room in hand");
            }
        }
    }
    position.side_to_move_set(color_of(board.side_to_move()));
    position
}

fn from_core(mv: shogi_core::Move) -> Move {
    let square = |s: shogi_core::Square| Square::from_index(s.index() - 1).expect("a square");
    match mv {
        shogi_core::Move::Normal { from, to, promote: true } => Move::promote(square(from), square(to)),
        shogi_core::Move::Normal { from, to, .. } => Move::normal(square(from), square(to)),
        shogi_core::Move::Drop { piece, to } => Move::drop(piece_of(piece.piece_kind()), square(to)),
    }
}

/// `None` where haitaka does not take the position.
fn by_haitaka(board: &Board) -> Option<BTreeSet<Move>> {
    let theirs = haitaka::Board::from_sfen(&board.to_string()).ok()?;
    let mut moves = BTreeSet::new();
    theirs.generate_moves(|set| {
        for mv in set {
            // haitaka 0.3.2 gives some pawn drops after which it finds no reply to the check itself.
            let mut next = theirs.clone();
            next.play_unchecked(mv);
            let is_pawn_drop = mv.to_string().starts_with("P*");
            if !is_pawn_drop || next.checkers().is_empty() || next.generate_moves(|_| true) {
                moves.insert(tesuji_shogi::parse_usi(&mv.to_string()).expect("a move of USI"));
            }
        }
        false
    });
    Some(moves)
}

/// What shogi_legality_lite finds.
pub(crate) fn by_lite(board: &Board) -> BTreeSet<Move> {
    shogi_legality_lite::all_legal_moves_partial(&core_position(board)).into_iter().map(from_core).collect()
}

#[track_caller]
fn compare(board: &Board, haitaka_took: &mut usize) {
    let ours = ours(board);
    let lite = by_lite(board);
    let differ: Vec<_> = ours.symmetric_difference(&lite).collect();
    assert!(differ.is_empty(), "{differ:?} against shogi_legality_lite in {board}");
    let mut checks = BTreeSet::new();
    let _ = board.for_each_check(|mv| {
        assert!(checks.insert(mv), "{mv} twice in {board}");
        Continue::<(), ()>(())
    });
    let slow: BTreeSet<Move> = ours.iter().copied().filter(|&mv| board.gives_check(mv)).collect();
    assert_eq!(checks, slow, "checks in {board}");
    if let Some(theirs) = by_haitaka(board) {
        let (more, less): (Vec<_>, Vec<_>) = (ours.difference(&theirs).collect(), theirs.difference(&ours).collect());
        assert!(more.is_empty() && less.is_empty(), "{more:?} more and {less:?} less than haitaka in {board}");
        *haitaka_took += 1;
    }
}

#[test]
fn random_games() {
    let (wanted, mut done, mut took) = (positions(2_000, 200_000), 0, 0);
    let start = Shogi::start(&Rules::default());
    let mut seed = 0;
    while done < wanted {
        conform::random_games(&start, seed..seed + 1, |line, _| {
            if done < wanted {
                compare(line.here(), &mut took);
                done += 1;
            }
        });
        seed += 1;
    }
    assert!(took * 100 >= wanted * 99, "haitaka took {took} of {wanted}");
}

/// Pieces anywhere, the rest in hand: pins, double checks and mates by pawns that games rarely show.
fn strewn(random: &mut Random) -> Option<Board> {
    let mut setup = Setup::EMPTY;
    let mut squares = Square::ALL;
    random.shuffle(&mut squares);
    let mut squares = squares.into_iter();
    for side in Side::ALL {
        setup.cells[squares.next()?.index()] = Some((side, Piece::King));
    }
    let density = 1 + random.below(4);
    let mut hands = [[0u8; 7]; 2];
    for (kind, &n) in Piece::HAND.iter().zip(&Piece::SET) {
        for _ in 0..n {
            let side = Side::ALL[random.below(2)];
            if random.below(5) < density {
                let promoted = kind.promoted().filter(|_| random.below(4) == 0);
                let square = squares.next()?;
                let stands = square.relative_rank(side) >= kind.dead_ranks();
                setup.cells[square.index()] = Some((side, if stands { promoted.unwrap_or(*kind) } else { promoted? }));
            } else {
                hands[side.index()][kind.index()] += 1;
            }
        }
    }
    setup.hands = hands.map(|counts| Hand::from_counts(counts).expect("no more than a set"));
    setup.side = Side::ALL[random.below(2)];
    setup.board().ok()
}

#[test]
fn strewn_boards() {
    let mut random = Random::new(1);
    let (wanted, mut done, mut took, mut checks) = (positions(1_000, 10_000), 0, 0, 0);
    while done < wanted {
        if let Some(board) = strewn(&mut random) {
            compare(&board, &mut took);
            checks += usize::from(board.checkers().any());
            done += 1;
        }
    }
    assert!(took * 10 >= wanted * 9, "haitaka took {took} of {wanted}");
    assert!(checks * 10 >= wanted, "{checks} checks in {wanted}");
}

/// The same board with at most `hand` for `side` and the rest of what was held for the other.
fn dealt(board: &Board, side: Side, hand: Hand) -> Option<Board> {
    let held = |piece| board.hand(Side::First).count(piece) + board.hand(Side::Second).count(piece);
    let mine = Piece::HAND.map(|piece| hand.count(piece).min(held(piece)));
    let rest = std::array::from_fn(|i| held(Piece::HAND[i]) - mine[i]);
    let mut setup = Setup::of(board);
    setup.hands[side.index()] = Hand::from_counts(mine)?;
    setup.hands[(!side).index()] = Hand::from_counts(rest)?;
    setup.board().ok()
}

/// A mate stays a mate when the attacker holds only what the proof asks for and the defender all the rest.
#[test]
fn proof_hands_keep_mates() {
    let mut random = Random::new(7);
    let (wanted, mut mates, mut from_afar) = (positions(100, 2_000), 0, 0);
    while mates < wanted {
        let Some(board) = strewn(&mut random).filter(Board::in_check) else { continue };
        let attacker = !board.side_to_move();
        // With all pieces in the hand of the attacker nothing can be put between.
        let Some(board) = dealt(&board, attacker, Hand::from_counts(Piece::SET).expect("a set")) else { continue };
        if board.has_moves() {
            continue;
        }
        let hand = board.hand_unblockable(attacker, Hand::EMPTY);
        let poorest = dealt(&board, attacker, hand).expect("the same board");
        assert!(!poorest.has_moves(), "{poorest} from {board}");
        assert!(board.hand(attacker).covers(hand));
        mates += 1;
        from_afar += usize::from(board.interposition_squares().any());
    }
    assert!(from_afar * 10 > mates, "{from_afar} of {mates}");
}

/// Where there is no check, there is none with all the pieces that a disproof leaves to the attacker either.
#[test]
fn disproof_hands_add_no_checks() {
    let mut random = Random::new(9);
    let no_check = |board: &Board| board.for_each_check(ControlFlow::Break).is_continue();
    let (wanted, mut quiet, mut richer) = (positions(300, 5_000), 0, 0);
    while quiet < wanted {
        let Some(board) = strewn(&mut random) else { continue };
        let side = board.side_to_move();
        let Some(board) = dealt(&board, side, Hand::EMPTY.with(Piece::HAND[random.below(7)])) else { continue };
        if !no_check(&board) {
            continue;
        }
        let hand = board.hand_uncheckable(Hand::from_counts(Piece::SET).expect("a set"));
        let richest = dealt(&board, side, hand).expect("the same board");
        assert!(no_check(&richest), "{richest} from {board}");
        assert!(hand.covers(board.hand(side)));
        quiet += 1;
        richer += usize::from(!richest.hand(side).is_empty());
    }
    assert!(richer * 10 > quiet, "{richer} of {quiet}");
}
