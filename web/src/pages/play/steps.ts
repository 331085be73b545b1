// Which changes of the address are steps of the browser's history: Back leads to where one stood before, not off the page.
import type { GamePosition } from "../../api";
import type { View } from "../tree/address";

/** The state of an entry that was made for another record: what is shown next takes its place. */
export const TURNED = "turned";

/** What the address says that one looks at. */
export interface Look {
  place: GamePosition;
  /** Moves of the record. */
  nodes: number;
  view: View;
  why: boolean;
}

const isSame = (a: GamePosition, b: GamePosition) => a.rules === b.rules && a.start === b.start;

/** Whether one move leads from one place to the other, forth or back. */
function isStep(a: GamePosition, b: GamePosition): boolean {
  const [short, long] = a.moves.length < b.moves.length ? [a.moves, b.moves] : [b.moves, a.moves];
  return isSame(a, b) && long.length - short.length === 1 && short.every((move, i) => move === long[i]);
}

/**
 * Whether a change is a step of its own: a jump in the game, a move that was played, another view, an explanation. Steps along the line
 * are not: a game would fill the history; nor is anything in a game against an engine (`isPlayed`), whose moves are no looking around.
 */
export function isOwnStep(before: Look | null, now: Look, isPlayed: boolean): boolean {
  if (!before || isPlayed) return false;
  if (before.view !== now.view || before.why !== now.why) return true;
  const isMoved = JSON.stringify(before.place) !== JSON.stringify(now.place);
  return isMoved && (now.nodes > before.nodes || !isStep(before.place, now.place));
}
