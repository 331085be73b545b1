// What the server says of the position, what the engine is told, and what becomes of its answers.
import { useEffect, useRef } from "preact/hooks";
import { api } from "../../api";
import { endInWords } from "../../sides";
import * as tree from "../../tree";
import { chance, inWords } from "../../value";
import { t } from "../../words";
import { beside } from "./areas";
import { leftOf } from "./clock";
import { budget } from "./newGame";
import type { PlayCore } from "./store";

/** The position, from the server: the page knows no rules. */
export function usePosition({ game, state: { isLoaded, problem }, record, place, placeKey, set, edits: { setRecord } }: PlayCore): void {
  // Before the game that the address names is there, its start would be shown for a moment.
  const isAwaited = !isLoaded && !problem && record.edits === 0;
  useEffect(() => {
    if (isAwaited) return;
    let current = true;
    api.position(game, place).then(
      (standing) => {
        if (!current) return;
        set({ standing, why: null, ...(standing.ended && { said: endInWords(game, standing.ended) }) });
        // What is counted at the end stands in no move.
        if (standing.ended?.by === "points") setRecord((now) => tree.ending(now, standing.ended!));
      },
      (problem) => current && set({ problem }),
    );
    return () => {
      current = false;
    };
  }, [game, placeKey, isAwaited]);
}

/** Who analyses is told what the engine knows, however weakly it plays. */
export const fullStrength = (options: Record<string, string>): Record<string, string> => ("UCI_LimitStrength" in options ? { UCI_LimitStrength: "false" } : {});

/** The engine moves where it plays, thinks on where it analyses. */
function useThinking({ state, set, place, placeKey, session, isHere, isEnginesTurn }: PlayCore): void {
  const { standing, opponent, analysing, lines, engineState, isLoaded, clock } = state;
  const wasOn = useRef(false);
  useEffect(() => {
    if (!isHere || standing.ended) return;
    if (isEnginesTurn) {
      const time = clock ? Math.round(budget(leftOf(clock, standing.side, performance.now()), clock.increment)) : opponent.amount;
      return void session.think(place, clock || opponent.goal === "time" ? { time } : { nodes: opponent.amount }, 1, opponent.options);
    }
    // A search that was taken over runs where it stands, and follows the board from there.
    const isLeft = isLoaded && session.adopted !== null && engineState?.thinking && JSON.stringify(engineState.place.moves) !== JSON.stringify(place.moves);
    if (isLeft) set({ analysing: true });
    if (analysing || isLeft) void session.think(place, {}, lines, fullStrength(opponent.options));
  }, [placeKey, isHere, isEnginesTurn, analysing, lines, session.think]);
  useEffect(() => {
    const isOn = analysing || isEnginesTurn;
    if (wasOn.current && !isOn) session.stop();
    wasOn.current = isOn;
  }, [analysing, isEnginesTurn]);
}

/** What the engine found goes into the record, and what it decided is played. */
export function useSearch(core: PlayCore): void {
  const { state: { standing }, set, edits: { setRecord }, isHere, isEnginesTurn, search } = core;
  const played = useRef(0);
  useThinking(core);
  const best = search?.found?.lines[0];
  useEffect(() => {
    // Engines that tell moves without values leave no note.
    if (!best || !isHere || (best.cp === null && best.mate === null && !best.wdl)) return;
    const turn = standing.side === 0 ? 1 : -1;
    const first = turn > 0 ? chance(best) : 1 - chance(best);
    setRecord((now) => tree.note(now, now.here, { chance: first, value: inWords(best, turn), ...beside(best, turn) }));
  }, [best, isHere]);
  // What the engine decided, once for each search.
  useEffect(() => {
    const choice = search?.choice;
    if (!search || search.thinking || !choice || !isEnginesTurn || played.current === search.search) return;
    played.current = search.search;
    const { play } = choice;
    if (play) {
      set({ said: t("plays", { move: play.text }) });
      setRecord((now) => tree.play(now, play));
      return;
    }
    const resigns = choice.what === "resign";
    const outcome = resigns ? { winner: 1 - standing.side, by: "resignation", points: null } : standing.claim;
    if (outcome) setRecord((now) => ({ ...now, outcome, edits: now.edits + 1 }));
    set((now) => ({ said: t(resigns ? "resigns" : "declares"), opponent: { ...now.opponent, plays: [] } }));
  }, [search, isEnginesTurn]);
}
