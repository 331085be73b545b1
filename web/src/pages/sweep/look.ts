// A game reviewed move by move: each position is searched, and the server says what the move played there costs, from one search that
// holds it and the best move, confirmed with twice the nodes (the judge of `tesuji analyse`).
import { type Ended, type FoundLine, type Goal, type GamePosition, type SessionState, api, follow } from "../../api";
import * as tree from "../../tree";
import { CP_MAX, chanceOf } from "../../value";
import { beside } from "../play/areas";
import { markFor } from "./judge";
import type { Finding } from "./review";

/** What is found at a node: its value or how the game ended there, and the mistake that led there. */
export interface Look {
  /** Who moved there: 0 or 1. */
  mover: number;
  /** For the record, where a search found it: the value for the side that moved, depth and nodes. */
  kept: { value: number; depth: number; nodes: number } | null;
  /** What the search said beside the value, for the side that moves first. */
  seen?: Pick<tree.GameNode, "wdl" | "lead">;
  ended: Ended | null;
  finding: Finding | null;
}

/** How a position is searched: the lines found, best first. */
export type Search = (place: GamePosition, goal: Goal) => Promise<{ lines: FoundLine[]; depth: number; nodes: number; review: SessionState["review"] }>;

/** Waits for the end of search `after`. */
function ended(id: number, after: number): Promise<SessionState> {
  return new Promise((done) => {
    const close = follow(
      id,
      (state) => {
        if (state.thinking || state.search <= after) return;
        close();
        done(state);
      },
      () => undefined,
    );
  });
}

/** Searches of a session of its own; `end` ends it. */
export async function searcher(game: string, family: string, start: GamePosition): Promise<{ search: Search; end: () => Promise<void> }> {
  const { id } = await api.start(game, family, start);
  let searched = 0;
  const search: Search = async (place, goal) => {
    await api.stand(id, place);
    await api.go(id, goal);
    const state = await ended(id, searched);
    searched = state.search;
    // Values of another evaluator are no review by this one.
    if (state.fault) throw new Error(state.fault);
    return { lines: state.found?.lines ?? [], depth: state.found?.depth ?? 0, nodes: state.found?.nodes ?? 0, review: state.review };
  };
  return { search, end: () => api.end(id).catch(() => undefined) };
}

/** What a review says of a move, where it is a mistake. */
export function findingOf(review: SessionState["review"]): Finding | null {
  return review?.mark && review.better ? { mark: review.mark, cost: review.cost / 100, best: review.better.text, values: review.values as [number, number] | null } : null;
}

/** How many times a search that ended with a bound goes on, with twice the nodes each time. */
const MORE = 3;

/** The value of `place` for a record. Records hold values, not bounds: a search that ends with a bound goes on. */
async function valueAt(search: Search, place: GamePosition, found: Awaited<ReturnType<Search>>, nodes: number): Promise<Look["kept"]> {
  let now = found;
  for (let i = 1; i <= MORE && now.lines[0] && now.lines[0].bound !== "exact"; i++) now = await search(place, { nodes: nodes << i });
  const line = now.lines[0] ?? found.lines[0];
  // A record's value is one for the side that moved there.
  return line ? { value: line.value === 0 ? 0 : -line.value, depth: now.depth, nodes: now.nodes } : null;
}

/** Points of expected result, in 0..1, that a move without a mark may seem to cost by the values on both sides of it. */
const DOUBT = 0.1;
/** How many times as long a move is looked at whose values say something else than its mark. */
const AGAIN = 4;

type Kept = NonNullable<Look["kept"]>;

const isMate = (value: number) => Math.abs(value) > CP_MAX;

/** A value of the search that confirmed a mark: it holds both moves, so that list and graph show what the mark says. A mate that was seen stays. */
function confirmed(own: Look["kept"], value: number, nodes: number): Look["kept"] {
  return own && isMate(own.value) && !isMate(value) ? own : { value, depth: own?.depth ?? 0, nodes };
}

/** A mark whose move was followed by another mark, by the value that the search of the second one, a move deeper, found after the first move: so
 * that both say what the values between them say. None where that search finds no mistake. */
function restated(finding: Finding | null, after: Look["kept"]): Finding | null {
  if (!finding?.values || !after) return finding;
  const cost = chanceOf(finding.values[0]) - chanceOf(after.value);
  const mark = markFor(cost);
  return mark && { ...finding, mark, cost, values: [finding.values[0], after.value] };
}

/** What a move from `before` to `after` seems to cost its mover: values are for those who moved there. */
const seeming = (before: Kept, after: Kept): number => chanceOf(-before.value) - chanceOf(after.value);

/** A position of the line while it is looked at. */
interface Stand {
  node: number;
  place: GamePosition;
  mover: number;
  kept: Look["kept"];
  seen?: Look["seen"];
  finding: Finding | null;
}

/** Looks at every position of the line one is in; `note` hears of each, of some again when more is known. */
export async function look(search: Search, game: string, record: tree.GameTree, nodes: number, isOn: () => boolean, note: (i: number, of: number, node: number, found: Look) => void): Promise<void> {
  const steps = [0, ...tree.path(record, tree.lineEnd(record))];
  let before: Stand | null = null;
  // What the search of the position before found about the move that leads here.
  let ledHere: Finding | null = null;
  for (const [i, node] of steps.entries()) {
    if (!isOn()) return;
    const place = tree.place(record, node);
    const standing = await api.position(game, place);
    const mover = 1 - standing.side;
    const next = steps[i + 1];
    const played = next === undefined ? undefined : record.nodes[next]!.move?.move;
    const tell = ({ node, mover, kept, seen, finding }: Stand, i: number, ended: Ended | null = null) => note(i, steps.length, node, { mover, kept, seen, ended, finding });
    if (standing.ended) {
      tell({ node, place, mover, kept: null, finding: ledHere }, i, standing.ended);
      [before, ledHere] = [null, null];
      continue;
    }
    const found = await search(place, played === undefined ? { nodes } : { nodes, review: played });
    const here: Stand = { node, place, mover, kept: await valueAt(search, place, found, nodes), seen: found.lines[0] && beside(found.lines[0], standing.side === 0 ? 1 : -1), finding: ledHere };
    ledHere = findingOf(found.review);
    if (here.finding?.values) here.kept = confirmed(here.kept, here.finding.values[1], 2 * nodes);
    else if (before && (await settle(search, before, here, nodes))) tell(before, i - 1);
    if (ledHere?.values) {
      here.kept = confirmed(here.kept, -ledHere.values[0], 2 * nodes);
      here.finding = restated(here.finding, here.kept);
    }
    tell(here, i);
    before = here;
  }
}

/** Where the values on both sides of a move without a mark say that it is a mistake, it is looked at again; whether `before` changed. */
async function settle(search: Search, before: Stand, here: Stand, nodes: number): Promise<boolean> {
  const played = here.place.moves[here.place.moves.length - 1];
  const isNext = played !== undefined && here.place.moves.length === before.place.moves.length + 1;
  if (!isNext || here.finding || !before.kept || !here.kept || seeming(before.kept, here.kept) < DOUBT) return false;
  const budget = AGAIN * nodes;
  const { review } = await search(before.place, { nodes: budget, review: played });
  here.finding = findingOf(review);
  if (here.finding?.values) {
    here.kept = confirmed(here.kept, here.finding.values[1], 2 * budget);
    before.kept = confirmed(before.kept, -here.finding.values[0], 2 * budget);
    return true;
  }
  // The move is none: then a longer search says what the position after it is worth, and the same what it was before.
  here.kept = await valueAt(search, here.place, await search(here.place, { nodes: budget }), budget);
  // A value beside a mark stays that of the search that confirmed the mark.
  if (before.finding?.values) return false;
  before.kept = await valueAt(search, before.place, await search(before.place, { nodes: budget }), budget);
  return true;
}
