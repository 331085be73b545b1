// Wins, draws and losses of the side that moves first, and its lead, along a line: what the graph draws.
import type { FoundLine } from "../../api";
import type { GameNode } from "../../tree";

type Seen = Pick<GameNode, "chance" | "wdl" | "lead">;

/** What a search says beside the value, for the side that moves first; `turn` is 1 where that side is to move, else -1. */
export function beside(line: FoundLine, turn: 1 | -1): Pick<GameNode, "wdl" | "lead"> {
  const told = line.wdl?.map((n) => n / 1000);
  const wdl: GameNode["wdl"] = told && told.length === 3 ? (turn > 0 ? [told[0]!, told[1]!, told[2]!] : [told[2]!, told[1]!, told[0]!]) : null;
  return { wdl, lead: line.lead === null || line.lead === undefined ? null : line.lead * turn };
}

type Row = (number | null)[];

const share = (wdl: [number, number, number] | null, of: (wdl: [number, number, number]) => number) => (wdl ? 100 * of(wdl) : null);

/** What a game that was won tells without a search. */
const decided = (chance: number | null): [number, number, number] | null => (chance === 0 || chance === 1 ? [chance, 0, 1 - chance] : null);

/**
 * In percent: everything, wins with draws, wins, the expected result; and the lead in points. Draws are drawn where most moves tell them: one
 * search among many would be a spike, and moves without are passed over then.
 */
export function areasOf(nodes: Seen[]): [all: Row, notLost: Row, won: Row, expected: Row, lead: Row] {
  const [valued, telling] = [nodes.filter(({ chance }) => chance !== null).length, nodes.filter(({ wdl }) => wdl !== null).length];
  const hasDraws = 2 * telling > valued;
  const row = (of: (node: Seen, chance: number) => number): Row => nodes.map((node) => (node.chance === null ? null : 100 * of(node, node.chance)));
  const area = (of: (wdl: [number, number, number]) => number): Row =>
    hasDraws ? nodes.map(({ wdl, chance }) => share(wdl ?? decided(chance), of)) : row((_, chance) => chance);
  return [
    row(() => 1),
    area(([win, draw]) => win + draw),
    area(([win]) => win),
    row((_, chance) => chance),
    nodes.map(({ lead }) => lead),
  ];
}
