// The store of the page that plays and analyses: its state, what follows from it, and what can be done.
import { useCallback, useMemo, useRef, useState } from "preact/hooks";
import type { GameInfo, SessionState, Standing } from "../../api";
import { startPosition } from "../../boards/board";
import { type Edits, useHistory } from "../../history";
import { type Spot, recordOf, spotOf } from "../../places";
import { type SetState, pageContext, useStore } from "../../store";
import * as tree from "../../tree";
import { deed, useKeys } from "../keys";
import { actionsOf } from "./actions";
import { useAddress } from "./address";
import { useKeeper } from "./keeper";
import { usePosition, useSearch } from "./search";
import { type EngineSetup, useSession } from "./session";

export interface PlayState {
  opponent: EngineSetup;
  /** The position where one is, as the server knows it. */
  standing: Standing;
  /** What the session said last, of whatever position. */
  engineState: SessionState | null;
  analysing: boolean;
  isFlipped: boolean;
  hasArrows: boolean;
  /** Whether all candidates are shown. */
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
  /** Whether the engine is to move. */
  isEnginesTurn: boolean;
  /** Whether the standing is that of the place. */
  isHere: boolean;
  /** What the session found at this place. */
  search: SessionState | null;
}

/** A position before the server has told what may be played there: a board is seen at once. */
function unknownStanding(game: string, spot: Spot | null): Standing {
  const { rules, start } = spot?.place ?? { rules: "", start: null };
  return { game, position: start || startPosition(game, rules), side: 0, legal: [], played: [], ended: null, claim: null };
}

const first = (standing: Standing): PlayState => ({
  opponent: { family: "", goal: "time", amount: 1000, plays: [] },
  standing,
  engineState: null,
  analysing: false,
  isFlipped: false,
  hasArrows: true,
  isLong: false,
  isKeptOpen: false,
  why: null,
  problem: null,
  said: "",
  isLoaded: spotOf(location.search) === null && !recordOf(location.search),
});

export function usePlayStore(game: string, info: GameInfo | null) {
  const [unknown] = useState(() => unknownStanding(game, spotOf(location.search)));
  const [state, set] = useStore<PlayState>(() => first(unknown));
  const { opponent, standing, engineState } = state;
  const edits = useHistory(tree.newTree);
  const { record } = edits;
  const place = useMemo(() => tree.place(record), [record.here, record.rules, record.start, record.nodes.length]);
  const setEngineState = useCallback((engineState: SessionState) => set({ engineState }), []);
  const fail = useCallback((problem: unknown) => set({ problem }), []);
  // A search that cannot be had is not waited for.
  const failSearch = useCallback((problem: unknown) => set((now) => ({ problem, analysing: false, opponent: { ...now.opponent, plays: [] } })), []);
  const session = useSession(game, opponent.family, setEngineState, failSearch);
  const keeper = useKeeper(game, record, fail);
  const core: PlayCore = {
    game, info, state, set, edits, record, place, session, keeper,
    family: opponent.family || (info?.families[0]?.name ?? ""),
    placeKey: JSON.stringify(place),
    isEnginesTurn: !standing.ended && opponent.plays.includes(standing.side),
    isHere: standing.played.length === place.moves.length,
    search: engineState !== null && JSON.stringify(engineState.place.moves) === JSON.stringify(place.moves) ? engineState : null,
  };
  useAddress(core);
  usePosition(core);
  useSearch(core);
  const entry = useRef<HTMLInputElement>(null);
  const actions = actionsOf(core, fail, entry);
  useKeys((key) => deed(key, actions.keys));
  return { ...core, ...actions, fail, entry, isUnknown: standing === unknown };
}

export type PlayStore = ReturnType<typeof usePlayStore>;
export const { Provider: PlayProvider, use: usePlay } = pageContext<PlayStore>("play");
