// The store of the page of a tree: what is shown of it, what follows from that, and what can be done.
import { useCallback, useMemo, useRef } from "preact/hooks";
import type { GameInfo, Session, Standing } from "../../api";
import { type SetState, pageContext, useStore } from "../../store";
import { useKeys } from "../keys";
import { actionsOf } from "./actions";
import { type Address, addressOf, useAddress } from "./address";
import { useCourse } from "./Course";
import { treeDeed } from "./keys";
import { useKept, useSessionState, useStanding, useTree } from "./live";
import { useWords } from "./words";

export interface TreeState extends Address {
  session: Session | null;
  /** Whether the live tree stands still. */
  isFrozen: boolean;
  /** Nodes that are kept at hand, as the moves to them, joined by dots. */
  pins: string[];
  /** What moves are searched for. */
  found: string;
  /** Grows when rows are to be sorted again. */
  resort: number;
  /** Whether rows stand in an older order. */
  isStale: boolean;
  isThinking: boolean;
  /** The position at the chosen node. */
  standing: Standing | null;
  problem: unknown;
  /** What screen readers are told. */
  said: string;
}

/** What all parts of the page share, without the actions that are made of it. */
export type TreeCore = ReturnType<typeof useTreeCore>;

const first = (): TreeState => ({
  ...addressOf(location.search),
  session: null,
  isFrozen: false,
  pins: [],
  found: "",
  resort: 0,
  isStale: false,
  isThinking: false,
  standing: null,
  problem: null,
  said: "",
});

function useTreeCore(id: number, games: GameInfo[], state: TreeState, set: SetState<TreeState>) {
  const { at, moves, pins } = state;
  const fail = useCallback((problem: unknown) => set({ problem }), []);
  const { forest: live, head, down } = useTree(id, state.isFrozen || at !== null);
  const kept = useKept(id, at, live?.codes, fail);
  const forest = kept ?? live;
  const words = useWords(id, head?.search ?? -1, at);
  const other = useTree(state.with, false);
  const course = useCourse(id, head?.seq ?? 0, state.view === "course" || at !== null);
  useSessionState(id, set, fail);
  useAddress(id, state);
  const place = head && { ...head.place, moves: [...head.place.moves, ...moves] };
  useStanding(state.session, place, set, fail);
  const { slot, whole } = forest && forest.root >= 0 ? forest.find(moves) : { slot: -1, whole: moves.length === 0 };
  const pinned = useMemo(
    () => new Set(forest && forest.root >= 0 ? pins.map((pin) => forest.find(pin.split("."))).filter((f) => f.whole).map((f) => forest.id[f.slot]!) : []),
    [forest, forest?.version, pins],
  );
  return {
    id, state, set, fail, head, down, forest, words, other, course, place, pinned, slot,
    game: games.find((g) => g.name === state.session?.game),
    /** Whether the tree has all moves that were chosen. */
    isWhole: whole,
    /** The slot of the chosen node; -1 where the tree lacks it. */
    chosen: whole ? slot : -1,
    path: forest && slot >= 0 ? forest.path(slot) : [],
    byEffort: head?.family === "mcts",
  };
}

export function useTreeStore(id: number, games: GameInfo[]) {
  const [state, set] = useStore(first);
  const core = useTreeCore(id, games, state, set);
  /** Nodes one came from. */
  const trail = useRef<string[][]>([]);
  const finder = useRef<HTMLInputElement>(null);
  const actions = actionsOf(core, trail.current, finder);
  useKeys((key) => treeDeed(key, actions.keys));
  // The same function each time: columns that a key press does not touch are not drawn again.
  const now = useRef(actions.pick);
  now.current = actions.pick;
  const pickHere = useCallback((to: number) => now.current(to), []);
  return { ...core, ...actions, pickHere, finder };
}

export type TreeStore = ReturnType<typeof useTreeStore>;
export const { Provider: TreeProvider, use: useTreePage } = pageContext<TreeStore>("tree");
