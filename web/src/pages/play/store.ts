// The store of the page of the board: its state, what follows from it, and what can be done.
import { useCallback, useMemo, useRef, useState } from "preact/hooks";
import type { GameInfo, Move, SessionState, Standing } from "../../api";
import { startPosition } from "../../boards/board";
import { type Edits, useHistory } from "../../history";
import { type Spot, spotOf } from "../../places";
import { type SetState, pageContext, useStore } from "../../store";
import * as tree from "../../tree";
import { deed, useKeys } from "../keys";
import { treeDeed } from "../tree/keys";
import { useTreeStore } from "../tree/store";
import { useWhyNot } from "../why/asking";
import { actionsOf } from "./actions";
import { type Wish, playedOn, useAddress } from "./address";
import { type Clock, useClock } from "./clock";
import { engineGame } from "./engineGame";
import { type Holder, useHolder } from "./holder";
import { openKept, useKeeper } from "./keeper";
import { useOwners } from "./owners";
import { usePreview } from "./preview";
import { usePosition, useSearch } from "./search";
import { useSounds } from "./sounds";
import { type EngineSetup, useSession } from "./session";

export const TABS = ["moves", "graph", "tree", "why"] as const;
export type Tab = (typeof TABS)[number];

export interface PlayState {
  opponent: EngineSetup;
  /** The position where one is, as the server knows it. */
  standing: Standing;
  /** What the session said last, of whatever position. */
  engineState: SessionState | null;
  analysing: boolean;
  /** Candidates that are shown. */
  lines: number;
  /** The moves from here whose end the board shows while the pointer is on them; empty: none. */
  preview: string[];
  /** What is shown of the game where there is room for one thing only. */
  tab: Tab;
  /** Whether keys are for the tree: where one pressed or clicked last. */
  isTreeHeld: boolean;
  isFlipped: boolean;
  /** The window that is open over the page. */
  dialog: "new" | "open" | null;
  /** The clocks of the game; none: it is played without. */
  clock: Clock | null;
  hasArrows: boolean;
  /** Whether numbers of moves stand on the stones of go. */
  hasNumbers: boolean;
  /** Whether the board of go shows whose the points will be while one analyses. */
  hasOwners: boolean;
  /** Whether lines are shown whole. */
  isLong: boolean;
  /** Whether the list of kept games is open. */
  isKeptOpen: boolean;
  /** The evaluation of the position in words, when it was asked for. */
  why: string | null;
  problem: unknown;
  /** What screen readers are told. */
  said: string;
  /** Whether the game that the address names is there. */
  isLoaded: boolean;
}

/** What all parts of the page share, without the actions that are made of it. */
export interface PlayCore {
  game: string;
  /** Searches and formats; none until the server has told. */
  info: GameInfo | null;
  /** The search family in use. */
  family: string;
  state: PlayState;
  set: SetState<PlayState>;
  edits: Edits;
  record: tree.GameTree;
  place: ReturnType<typeof tree.place>;
  placeKey: string;
  session: ReturnType<typeof useSession>;
  keeper: ReturnType<typeof useKeeper>;
  /** Which window plays the game; this one takes it over by `takeOver`. */
  holder: Holder;
  takeOver: () => void;
  /** Whether the engine is to move. */
  isEnginesTurn: boolean;
  /** Whether the standing is that of the place. */
  isHere: boolean;
  /** What the session found at this place. */
  search: SessionState | null;
  /** Whether the engine thinks, or is about to. */
  isThinking: boolean;
}

/** A position before the server has told what may be played there: a board is seen at once. */
function unknownStanding(game: string, spot: Spot | null): Standing {
  const { rules, start } = spot?.place ?? { rules: "", start: null };
  return { game, position: start || startPosition(game, rules), side: 0, legal: [], played: [], ended: null, claim: null };
}

const first = (standing: Standing, wish: Wish): PlayState => ({
  opponent: { family: wish.engine, goal: "time", amount: 1000, plays: [], options: {}, isGame: false },
  standing,
  engineState: null,
  analysing: wish.isAnalysed && !wish.isGame,
  lines: 3,
  preview: [],
  tab: wish.isTree ? "tree" : "moves",
  isTreeHeld: wish.isTree,
  isFlipped: false,
  dialog: null,
  clock: null,
  hasArrows: true,
  hasNumbers: false,
  hasOwners: true,
  isLong: false,
  isKeptOpen: false,
  why: null,
  problem: null,
  said: "",
  isLoaded: !wish.isGame,
});

/** Edits of a game that another window plays: none; one looks around in it. */
const watched = (history: Edits): Edits => ({
  ...history,
  setRecord: (change, group) => history.setRecord((now) => {
    const next = change(now);
    return next.edits === now.edits ? next : now;
  }, group),
});

/** Which window plays the game; what another one plays is shown as it stands there. */
function useGameHolder(game: string, { opponent }: PlayState, set: SetState<PlayState>, { record, begin }: Edits, keeper: ReturnType<typeof useKeeper>) {
  const asked = useRef(0);
  const reload = async (id: string) => {
    const mine = ++asked.current;
    try {
      const kept = await openKept(game, null, id);
      if (!kept) return;
      const played = await playedOn(game, kept);
      // A later question is answered with more moves, maybe sooner.
      if (mine !== asked.current) return;
      keeper.adopt(kept.key, 0, kept.play);
      begin(kept.record);
      set(played);
    } catch (problem) {
      set({ problem });
    }
  };
  return useHolder(opponent.plays.length > 0 ? (keeper.key?.id ?? null) : null, record.edits > 0, keeper.key?.version, reload);
}

/** What the page knows, without what can be done: `wish` is what its address asked for. */
function usePlayCore(game: string, info: GameInfo | null, wish: Wish) {
  const [unknown] = useState(() => unknownStanding(game, spotOf(location.search)));
  const [state, set] = useStore<PlayState>(() => first(unknown, wish));
  const { opponent, standing, engineState, analysing } = state;
  const history = useHistory(tree.newTree);
  const { record } = history;
  const place = useMemo(() => tree.place(record), [record.here, record.rules, record.start, record.nodes.length]);
  const setEngineState = useCallback((engineState: SessionState | null) => set({ engineState }), []);
  // A search that cannot be had is not waited for.
  const failSearch = useCallback((problem: unknown) => set((now) => ({ problem, analysing: false, opponent: { ...now.opponent, plays: [] } })), []);
  const session = useSession(game, opponent.family, wish.session, wish.left, setEngineState, failSearch);
  const family = opponent.family || (info?.families[0]?.name ?? "");
  const played = useMemo(() => engineGame(opponent, family, state.clock), [opponent, family, state.clock]);
  const isWatched = useRef(false);
  const keeper = useKeeper(game, record, played, (problem) => set({ problem }), isWatched);
  const { holder, takeOver } = useGameHolder(game, state, set, history, keeper);
  isWatched.current = holder !== "own";
  const edits = holder === "own" ? history : watched(history);
  const search = engineState !== null && JSON.stringify(engineState.place.moves) === JSON.stringify(place.moves) ? engineState : null;
  const isEnginesTurn = holder === "own" && !standing.ended && opponent.plays.includes(standing.side) && (!opponent.isGame || record.nodes[record.here]!.children.length === 0);
  // What it thinks on the person's time is of a position that is not there yet.
  const isPondering = opponent.plays.length === 1 && !analysing && !isEnginesTurn && (engineState?.place.moves.length ?? 0) > place.moves.length;
  const core: PlayCore = {
    game, info, state, set, edits, record, place, session, keeper, search, holder, takeOver,
    family,
    placeKey: JSON.stringify(place),
    isEnginesTurn,
    isHere: standing.played.length === place.moves.length,
    isThinking: (Boolean(engineState?.thinking) && !isPondering) || (analysing && search === null && !standing.ended),
  };
  return { core, isUnknown: standing === unknown };
}

export function usePlayStore(game: string, info: GameInfo | null, wish: Wish) {
  const { core, isUnknown } = usePlayCore(game, info, wish);
  const { state, set, session, place, isThinking } = core;
  const fail = useCallback((problem: unknown) => set({ problem }), []);
  const entry = useRef<HTMLInputElement>(null);
  const actions = actionsOf(core, fail, entry);
  const say = useCallback((said: string) => set({ said }), []);
  const grown = useTreeStore({
    id: session.id, game, families: info?.families.map(({ name }) => name) ?? [], family: core.family, place, isLoaded: state.isLoaded, isThinking, isTold: state.engineState !== null, fail, say,
    playLine: actions.playLine, think: actions.think,
  });
  useAddress(core, grown, wish);
  usePosition(core);
  useSounds(core);
  useClock(core);
  useSearch(core);
  const shown = usePreview(core, grown);
  const owners = useOwners(core);
  const whyNot = useWhyNot({ ...core, ...state });
  /** Closes what is open over the game: the explanation, then the chosen node. */
  const leave = () => (whyNot.asked ? whyNot.close() : grown.state.why ? grown.set({ why: false }) : grown.set({ moves: [] }));
  const keys = { ...actions.keys, why: grown.askWhy, leave };
  const isTreeHeld = state.isTreeHeld && grown.forest !== null && grown.forest.root >= 0;
  useKeys((key) => (isTreeHeld ? treeDeed(key, grown.keys) : null) ?? deed(key, keys));
  /** Plays on from what the board shows: the game's position, or the end of a line that was chosen. */
  const move = (text: string) => {
    const known = shown.standing.legal.find((m: Move) => m.move === text);
    if (known) actions.playLine([...shown.moves, known]);
  };
  return { ...core, ...actions, move, shown, owners, whyNot, grown, keys, fail, entry, isUnknown };
}

export type PlayStore = ReturnType<typeof usePlayStore>;
export const { Provider: PlayProvider, use: usePlay } = pageContext<PlayStore>("play");
