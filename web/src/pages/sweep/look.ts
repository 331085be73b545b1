// A game reviewed move by move: each position is searched, and a move that is not the best is compared with the best one in one search.
import { type FoundLine, type GameInfo, type Goal, type Place, type SessionState, api, follow } from "../../api";
import * as tree from "../../tree";
import { chance, inWords } from "../../value";
import { judge, loss } from "./judge";
import type { Finding } from "./review";

/** What is found at a node: the value there, and the mistake that led there. */
export interface Look {
  chance: number;
  value: string;
  /** For the record, where a search found it: the value for the side that moved, depth and nodes. */
  kept: { value: number; depth: number; nodes: number } | null;
  finding: Finding | null;
}

/** How a position is searched: the lines found, best first. */
export type Search = (place: Place, goal: Goal) => Promise<{ lines: FoundLine[]; depth: number; nodes: number }>;

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
export async function searcher(game: GameInfo, family: string, start: Place): Promise<{ search: Search; end: () => Promise<void> }> {
  const known = game.families.find((f) => f.name === family)?.options ?? [];
  const { id } = await api.start(game.name, family, start);
  let searched = 0;
  const search: Search = async (place, goal) => {
    // A comparison shows both moves; other searches are deeper with one.
    if (known.some((option) => option.name === "MultiPV")) await api.set(id, { MultiPV: String(Math.max(1, goal.only?.length ?? 0)) });
    await api.stand(id, place);
    await api.go(id, goal);
    const state = await ended(id, searched);
    searched = state.search;
    return { lines: state.found?.lines ?? [], depth: state.found?.depth ?? 0, nodes: state.found?.nodes ?? 0 };
  };
  return { search, end: () => api.end(id).catch(() => undefined) };
}

/**
 * What the move `played` cost its side against the best one, and that one. Both values come from one search of both moves, so that
 * depths are equal; what looks like a mistake is searched again with twice the nodes, and the second look counts.
 */
export async function compare(search: Search, place: Place, played: string, best: string, nodes: number): Promise<Finding | null> {
  if (played === best) return null;
  let found: Finding | null = null;
  for (const times of [1, 2]) {
    const { lines } = await search(place, { nodes: nodes * times, only: [best, played] });
    const of = (move: string) => lines.find((line) => line.pv[0]?.move === move);
    const [better, mine] = [of(best), of(played)];
    // Bounds count only where the truth can but be worse for the move played.
    if (!better || !mine || better.bound === "upper" || mine.bound === "lower") return null;
    const cost = loss(chance(better), chance(mine), 0);
    const mark = judge(cost);
    if (!mark) return null;
    found = { mark, cost, best: better.pv[0]!.text };
  }
  return found;
}

/** The value of a record for the side that moved, of a line for the side to move. */
function recordValue(line: FoundLine): number {
  if (line.mate === null) return -(line.cp ?? 0);
  return line.mate > 0 ? line.mate - 32000 : 32000 + line.mate;
}

/** Looks at every position of the line one is in; `note` hears of each. */
export async function look(search: Search, game: string, record: tree.GameTree, nodes: number, isOn: () => boolean, note: (i: number, of: number, node: number, found: Look) => void): Promise<void> {
  const steps = [0, ...tree.path(record, tree.lineEnd(record))];
  let before: { place: Place; best: string } | null = null;
  for (const [i, node] of steps.entries()) {
    if (!isOn()) return;
    const place = tree.place(record, node);
    const standing = await api.position(game, place);
    const turn = standing.side === 0 ? 1 : -1;
    const played = record.nodes[node]!.move?.move;
    const finding = before && played !== undefined ? await compare(search, before.place, played, before.best, nodes) : null;
    if (standing.ended) {
      const { winner } = standing.ended;
      const [chance, value] = winner === null ? [0.5, "="] : winner === 0 ? [1, "1-0"] : [0, "0-1"];
      note(i, steps.length, node, { chance, value, kept: null, finding });
      before = null;
      continue;
    }
    const { lines, depth, nodes: spent } = await search(place, { nodes });
    const [line] = lines;
    before = line?.pv[0] ? { place, best: line.pv[0].move } : null;
    if (!line) continue;
    const here = chance(line);
    const kept = i === 0 || line.bound !== "exact" ? null : { value: recordValue(line), depth, nodes: spent };
    note(i, steps.length, node, { chance: turn > 0 ? here : 1 - here, value: inWords(line, turn), kept, finding });
  }
}
