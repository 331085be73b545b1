// A game reviewed move by move: each position is searched, and the server says what the move played there costs, from one search that
// holds it and the best move, confirmed with twice the nodes (the judge of `tesuji analyse`).
import { type Ended, type FoundLine, type Goal, type GamePosition, type SessionState, api, follow } from "../../api";
import * as tree from "../../tree";
import type { Finding } from "./review";

/** What is found at a node: its value or how the game ended there, and the mistake that led there. */
export interface Look {
  /** Who moved there: 0 or 1. */
  mover: number;
  /** For the record, where a search found it: the value for the side that moved, depth and nodes. */
  kept: { value: number; depth: number; nodes: number } | null;
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
  return review?.mark && review.better ? { mark: review.mark, cost: review.cost / 100, best: review.better.text } : null;
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

/** Looks at every position of the line one is in; `note` hears of each. */
export async function look(search: Search, game: string, record: tree.GameTree, nodes: number, isOn: () => boolean, note: (i: number, of: number, node: number, found: Look) => void): Promise<void> {
  const steps = [0, ...tree.path(record, tree.lineEnd(record))];
  // What the search of the position before found about the move that leads here.
  let ledHere: Finding | null = null;
  for (const [i, node] of steps.entries()) {
    if (!isOn()) return;
    const place = tree.place(record, node);
    const standing = await api.position(game, place);
    const mover = 1 - standing.side;
    const next = steps[i + 1];
    const played = next === undefined ? undefined : record.nodes[next]!.move?.move;
    const finding = ledHere;
    ledHere = null;
    if (standing.ended) {
      note(i, steps.length, node, { mover, kept: null, ended: standing.ended, finding });
      continue;
    }
    const found = await search(place, played === undefined ? { nodes } : { nodes, review: played });
    ledHere = findingOf(found.review);
    const kept = await valueAt(search, place, found, nodes);
    note(i, steps.length, node, { mover, kept, ended: null, finding });
  }
}
