// "Why not my move?" in sentences: templates of each language, filled with what the server computed.
import type { Schemas } from "../../api";
import { asLine, sameSquare } from "../../notation";
import { numberOf } from "../../numbers";
import { fixed, percent } from "../../words";
import { type Worth, atEnds } from "./values";
import { baseOf, isByPiece, pieces, several, sideName, termName, w } from "./words";

export type WhyNotAnswer = Schemas["WhyNot"];
export type Compared = Schemas["Compared"];
type Term = Schemas["TermView"];

/** Terms that a sentence names: of what speaks for the difference, and of what speaks against it. */
const [TOLD, TOLD_AGAINST] = [3, 2];
/** Hundredths of a pawn below which a difference of a term is not worth a word. */
const LEAST = 8;
/** Expected results within this of 0 are equal, beyond the other decided. */
const [EQUAL, DECIDED] = [0.08, 0.75];
/** Points of expected result that a move as good as the best may cost. */
const SAME = 1;

/** Hundredths of a pawn of the first side as the players of a game read them, with a sign. */
export function valueText(game: string, cp: number): string {
  return game === "shogi" ? `${cp >= 0.5 ? "+" : ""}${Math.round(cp)}` : fixed(cp / 100, 1, true);
}

/** A move with its number: `5…Nxe4`. `ply` counts from 1. */
export function numbered(game: string, start: string | null, ply: number, text: string): string {
  return game === "chess" ? `${numberOf(game, start, ply, true)}${text}` : text;
}

/** The first moves of a line with their numbers: `5…Nxe4 6.Bxf7+`. */
export function lineText(game: string, start: string | null, ply: number, line: { text: string }[], most = 3): string {
  return line.slice(0, most).map(({ text }, i) => (game === "chess" ? `${numberOf(game, start, ply + i, i === 0)}${text}` : text)).join(" ");
}

/** An answer whose lines of shogi are written as after the move `before`: 同 where a piece takes back on its square. */
export function written(why: WhyNotAnswer, before: string | undefined): WhyNotAnswer {
  const who = (one: Compared): Compared => ({ ...one, text: sameSquare(one.text, one.move, before), line: asLine(one.line, before) });
  return { ...why, mine: who(why.mine), best: who(why.best) };
}

/** How the game stands after a move, for people. */
export function verdict(game: string, side: number, who: Compared): string {
  const sign = side === 0 ? 1 : -1;
  const better = who.expected * sign >= 0 ? 0 : 1;
  const slots = { side: sideName(game, better), side_of: sideName(game, better, true) };
  if (who.mate !== null) {
    const winner = who.mate > 0 ? side : 1 - side;
    // The move itself is the mate: nothing follows.
    if (who.mate === 1) return w("wn_is_mate", { side: sideName(game, winner), side_of: sideName(game, winner, true) });
    return several("wn_mates", Math.max(1, Math.ceil(Math.abs(who.mate) / 2)), { side: sideName(game, winner), side_of: sideName(game, winner, true) });
  }
  if (game === "go" || who.cp === null) {
    const chance = percent((1 + Math.abs(who.expected)) / 2);
    if (who.lead === null) return w("wn_chance", { ...slots, percent: chance });
    const leader = who.lead * sign >= 0 ? 0 : 1;
    const lead = { side: sideName(game, leader), side_of: sideName(game, leader, true) };
    const wins = leader === better ? chance : percent((1 - Math.abs(who.expected)) / 2);
    return w("wn_lead", { ...lead, points: fixed(Math.abs(who.lead), 1), percent: wins });
  }
  const value = valueText(game, who.cp * sign);
  const much = Math.abs(who.expected);
  return w(much < EQUAL ? "wn_equal" : much < DECIDED ? "wn_better" : "wn_winning", { ...slots, value });
}

/** Terms that belong together under one name, with the sum of each end. */
function together(game: string, terms: Term[]): Term[] {
  const sums = new Map<string, Term>();
  for (const term of terms) {
    const name = isByPiece(game, term.name) || baseOf(term.name) === "material" ? term.name : baseOf(term.name);
    const known = sums.get(name);
    if (known) sums.set(name, { ...known, of: known.of + term.of, vs: known.vs + term.vs, of_count: known.of_count + term.of_count, vs_count: known.vs_count + term.vs_count });
    else sums.set(name, { ...term, name });
  }
  return [...sums.values()].sort((a, b) => Math.abs(b.of - b.vs) - Math.abs(a.of - a.vs));
}

/** What a term says at one end; `value` is in hundredths of a pawn of the first side, `n` pieces of the mover where it is material. */
function termText(game: string, term: Term, value: number, n: number): string {
  const worth = valueText(game, value);
  if (baseOf(term.name) !== "material" || n === 0) return w("wn_term", { term: termName(game, term.name), value: worth });
  return w("wn_pieces", { pieces: pieces(game, Number(term.name.split(".")[1]), Math.abs(n)), value: worth });
}

/** What an end of a line is like, in words: its largest terms. */
export function standing(game: string, side: number, terms: Term[]): string[] {
  const told = together(game, terms).filter(({ name, of }) => baseOf(name) !== "rounding" && Math.abs(of) >= LEAST);
  return told.slice(0, TOLD).map((term) => {
    if (baseOf(term.name) !== "material" || term.of_count === 0) return termText(game, term, term.of, 0);
    const slots = { side: sideName(game, side), side_of: sideName(game, side, true), value: valueText(game, term.of) };
    const mine = side === 0 ? term.of_count : -term.of_count;
    return w(mine > 0 ? "wn_up" : "wn_down", { ...slots, pieces: pieces(game, Number(term.name.split(".")[1]), Math.abs(mine)) });
  });
}

/**
 * The largest differences between both ends in sentences: what the move of `side` loses there and what it gets in return, or the other
 * way round where it gains (`isGain`). Empty where there is nothing to tell; where the terms say the opposite of what was searched, that is said.
 */
export function differences(game: string, side: number, terms: Term[], isGain: boolean): string {
  const sign = side === 0 ? 1 : -1;
  const all = together(game, terms);
  const good = (term: Term) => (term.of - term.vs) * sign * (isGain ? 1 : -1);
  const told = all.filter((term) => baseOf(term.name) !== "rounding" && Math.abs(good(term)) >= LEAST);
  const words = (list: Term[], most: number) => list.slice(0, most).map((term) => termText(game, term, term.of - term.vs, term.of_count - term.vs_count)).join("; ");
  const [why, against] = [told.filter((term) => good(term) > 0), told.filter((term) => good(term) < 0)];
  const said = [
    why.length > 0 && w(isGain ? "wn_gained" : "wn_lost", { terms: words(why, TOLD) }),
    against.length > 0 && w(isGain ? "wn_given" : "wn_return", { terms: words(against, TOLD_AGAINST) }),
    told.length > 0 && all.reduce((sum, term) => sum + good(term), 0) < -LEAST && w("wn_terms_not"),
  ];
  return said.filter(Boolean).join(" ");
}

/** The pieces whose worth carries the difference of both ends. */
export const worthsOf = ({ mine, best }: WhyNotAnswer): Worth[] => atEnds({ of: mine, vs: best, worths: [] }).filter((piece) => piece.ring);

/** What differs at both ends, in sentences: by terms, by whose the points will be, or else by what pieces are worth there. */
function differText(game: string, why: WhyNotAnswer): string {
  const { mine, best, side, owners } = why;
  const names = { mine: mine.text, best: best.text };
  const differ = differences(game, side, why.terms, why.loss < 0);
  if (differ) return differ;
  if (owners) {
    const [of, vs] = owners.map((rows) => rows.flat().reduce((sum, owned) => sum + owned, 0)) as [number, number];
    // What is known of areas is rough: where it says the opposite of what was searched, it explains nothing.
    if ((vs - of) * (side === 0 ? 1 : -1) * (why.loss < 0 ? -1 : 1) <= 0) return w("wn_area_not");
    return w("wn_area", { ...names, side: sideName(game, 0), side_of: sideName(game, 0, true), of: fixed(of, 1, true), vs: fixed(vs, 1, true) });
  }
  const told = worthsOf(why).filter((piece) => piece.of !== null && piece.vs !== null).slice(0, 2);
  return told.map(({ at, of, vs }) => w("wn_worth", { ...names, at, of: valueText(game, of!), vs: valueText(game, vs!) })).join(" ");
}

export interface Step {
  head: string;
  text: string;
  /** The moves from the position to the end of what the step is about. */
  line: string[];
  /** How many of them stand on the board at first. */
  at: number;
}

/** The three steps: what follows after each move, where the lines part in value, what is lost. */
export function stepsOf(game: string, start: string | null, plies: number, why: WhyNotAnswer): Step[] {
  const { mine, best, side, turn } = why;
  const codes = (who: Compared) => who.line.map(({ move }) => move);
  const after = (who: Compared) => w("wn_after", { line: lineText(game, start, plies + 1, who.line), verdict: verdict(game, side, who) });
  const isBest = why.loss < 0;
  const steps: Step[] = [
    { head: w("wn_step_mine"), text: after(mine), line: codes(mine), at: mine.line.length },
    { head: w(isBest ? "wn_step_next" : "wn_step_best"), text: after(best), line: codes(best), at: best.line.length },
  ];
  // A mate is worth more words than what stands on the board before it.
  const isMate = mine.mate !== null || best.mate !== null;
  const isSame = Math.abs(why.loss) < SAME;
  const lost = isMate || isSame ? "" : differText(game, why);
  if (isBest) return [...steps, { head: w("wn_step_turn"), text: [w("wn_is_best", { mine: mine.text }), lost].filter(Boolean).join(" "), line: codes(mine), at: mine.line.length }];
  const cost = Math.round(why.loss) === 1 ? w("wn_cost_one") : w("wn_cost", { points: fixed(why.loss, 0) });
  const words = isSame ? [w("wn_same", { mine: mine.text, best: best.text })] : [isMate && !turn ? "" : turnText(game, start, plies, why), lost, cost];
  return [...steps, { head: w("wn_step_turn"), text: words.filter(Boolean).join(" "), line: codes(mine), at: turn?.ply ?? mine.line.length }];
}

/** Where the line turns; a value of a glance is one of the first side, in the game's words. */
function turnText(game: string, start: string | null, plies: number, { mine, side, turn }: WhyNotAnswer): string {
  if (!turn) return w("wn_no_turn");
  const { ply } = turn;
  const sign = side === 0 ? 1 : -1;
  const seen = (cp: number | null, expected: number) => (game === "go" || cp === null ? percent((1 + expected * sign) / 2) : valueText(game, cp * sign));
  const move = numbered(game, start, plies + ply, mine.line[ply - 1]?.text ?? "");
  return w("wn_turn", { move, before: seen(turn.before_cp, turn.before), after: seen(turn.after_cp, turn.after) });
}
