// Thinking on the person's time: while the person thinks, the engine goes on at the position after the answer that it expects.
import { useEffect, useRef } from "preact/hooks";
import { type Move, type SessionState, api } from "../../api";
import { useStore } from "../../store";
import { t } from "../../words";
import { usePlay } from "../play/store";

const KEPT = "tesuji-ponder";
/** The search that ended is stopped by then. */
const SOON_MS = 150;

/** The answer that the engine expects to the move that it has just played to get to `moves`. */
function expectedAt(state: SessionState | null, moves: string[]): Move | null {
  const choice = state?.choice;
  if (!state || !choice?.play || !choice.expected) return null;
  return JSON.stringify([...state.place.moves, choice.play.move]) === JSON.stringify(moves) ? (choice.expected as Move) : null;
}

export function Ponder() {
  const { place, placeKey, session, state, isEnginesTurn, isHere, holder } = usePlay();
  const [{ isOn, move }, set] = useStore(() => ({ isOn: localStorage.getItem(KEPT) !== "off", move: null as Move | null }));
  const { opponent, engineState, analysing } = state;
  const plays = opponent.plays.length === 1;
  const isWanted = plays && isOn && holder === "own" && !isEnginesTurn && !analysing && isHere;
  const expected = isWanted ? expectedAt(engineState, place.moves) : null;
  /** The position on whose side to move's time one would think now. */
  const wanted = useRef<string | null>(null);
  wanted.current = isWanted ? placeKey : null;
  useEffect(() => () => void (wanted.current = null), []);
  useEffect(() => set({ move: null }), [placeKey, isEnginesTurn]);
  useEffect(() => {
    const id = session.id;
    if (!expected || id === null) return;
    const asked = session.pondering.askedUntilNow();
    const timer = setTimeout(async () => {
      // A hint that was asked for at once is not taken away.
      if (session.pondering.askedUntilNow() !== asked) return;
      try {
        const thinks = await session.pondering.start(id, { ...place, moves: [...place.moves, expected.move] }, () => wanted.current === placeKey);
        if (thinks) set({ move: expected });
      } catch {
        // The person moved, or left: there is nothing to think about.
      }
    }, SOON_MS);
    return () => clearTimeout(timer);
  }, [placeKey, expected?.move, session.id]);
  if (!plays || state.standing.ended || holder !== "own") return null;
  const turn = (isOn: boolean) => {
    localStorage.setItem(KEPT, isOn ? "on" : "off");
    if (!isOn && session.id !== null && move) void api.stop(session.id).catch(() => undefined);
    set({ isOn, move: null });
  };
  return (
    <p class="ponder">
      <label>
        <input type="checkbox" checked={isOn} onChange={(e) => turn(e.currentTarget.checked)} /> {t("ponder")}
      </label>{" "}
      {move && !analysing && <span class="soft" role="status" data-testid="pondering">{t("pondering", { move: move.text })}</span>}
    </p>
  );
}
