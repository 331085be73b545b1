// The store of the tree below the board: what is shown of it, what follows from that, and what can be done.
import { useCallback, useEffect, useMemo, useRef } from "preact/hooks";
import type { GamePosition, Move, Standing } from "../../api";
import { type SetState, pageContext, useStore } from "../../store";
import { useLeft } from "../seats/made";
import { actionsOf } from "./actions";
import { type Address, addressOf } from "./address";
import { useBeside } from "./beside";
import { useCourse } from "./Course";
import { useKept, useStanding, useTree } from "./live";
import { useWords } from "./words";

export interface TreeState extends Address {
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
  /** The position at the chosen node; none at the root. */
  standing: Standing | null;
}

/** What the tree is told by the page around it. */
export interface TreeHost {
  /** The session; none before the first search. */
  id: number | null;
  game: string;
  /** The searches of the game. */
  families: string[];
  family: string;
  /** Where the board stands. */
  place: GamePosition;
  /** Whether the record that the address names is there. */
  isLoaded: boolean;
  isThinking: boolean;
  /** Whether the session has said if it thinks. */
  isTold: boolean;
  fail: (problem: unknown) => void;
  /** Tells screen readers. */
  say: (words: string) => void;
  /** Plays moves on from where the board stands. */
  playLine: (moves: Move[]) => void;
  /** Lets the engine think where the board stands. */
  think: () => void;
}

/** What all parts share, without the actions that are made of it. */
export type TreeCore = ReturnType<typeof useTreeCore>;

const first = (): TreeState => ({ ...addressOf(location.search), isFrozen: false, pins: [], found: "", resort: 0, isStale: false, standing: null });

const keyOf = ({ rules, start, moves }: GamePosition): string => JSON.stringify([rules, start || null, moves]);

function useTreeCore(host: TreeHost, state: TreeState, set: SetState<TreeState>) {
  const { id, game, fail } = host;
  const { at, moves, pins } = state;
  const { forest: live, head, down } = useTree(id, state.isFrozen || at !== null);
  const kept = useKept(id, at, live?.codes, fail);
  const forest = kept ?? live;
  const words = useWords(id, head?.search ?? -1, at);
  const other = useTree(state.with, false);
  const otherWords = useWords(state.with, other.head?.search ?? -1, null);
  useLeft(state.with);
  const course = useCourse(id, head?.seq ?? 0, state.view === "course" || at !== null);
  const root = head?.place ?? null;
  const place = root && { ...root, moves: [...root.moves, ...moves] };
  useStanding(game, root, moves, set, fail);
  const { slot, whole } = forest && forest.root >= 0 ? forest.find(moves) : { slot: -1, whole: moves.length === 0 };
  const pinned = useMemo(
    () => new Set(forest && forest.root >= 0 ? pins.map((pin) => forest.find(pin.split("."))).filter((f) => f.whole).map((f) => forest.id[f.slot]!) : []),
    [forest, forest?.version, pins],
  );
  return {
    ...host, state, set, head, down, forest, words, other, otherWords, course, root, place, pinned, slot,
    board: host.place,
    /** Whether the tree grows from where the board stands. */
    isRooted: root !== null && keyOf(root) === keyOf(host.place),
    /** Whether the tree has all moves that were chosen. */
    isWhole: whole,
    /** The slot of the chosen node; -1 where the tree lacks it. */
    chosen: whole ? slot : -1,
    path: forest && slot >= 0 ? forest.path(slot) : [],
    byEffort: head?.family === "mcts",
  };
}

export function useTreeStore(host: TreeHost) {
  const [state, set] = useStore(first);
  const core = useTreeCore(host, state, set);
  /** Nodes one came from. */
  const trail = useRef<string[][]>([]);
  const finder = useRef<HTMLInputElement>(null);
  // Where the board goes on, the chosen node of the tree before means nothing.
  const stood = useRef("");
  const key = keyOf(host.place);
  useEffect(() => {
    if (!host.isLoaded) return;
    if (stood.current && stood.current !== key) {
      trail.current.length = 0;
      set({ moves: [], at: null });
    }
    stood.current = key;
  }, [host.isLoaded, key]);
  // Here and not in the view: a tree that is empty for a moment has none.
  const beside = useBeside(core);
  const actions = actionsOf(core, trail.current, finder);
  // The same function each time: columns that a key press does not touch are not drawn again.
  const now = useRef(actions.pick);
  now.current = actions.pick;
  const pickHere = useCallback((to: number) => now.current(to), []);
  return { ...core, ...actions, beside, pickHere, finder };
}

export type TreeStore = ReturnType<typeof useTreeStore>;
export const { Provider: TreeProvider, use: useTreePage } = pageContext<TreeStore>("tree");
