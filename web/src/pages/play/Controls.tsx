// Below the board: steps through the game, a field for moves, and games in and out.
import { t } from "../../words";
import { usePlay } from "./store";

/** How a move is written. */
const EXAMPLE: Record<string, string> = { chess: "Nf3", shogi: "P-76", go: "Q16" };

/** Where moves are typed. */
function Entry() {
  const { game, entry, enter } = usePlay();
  return (
    <form
      class="entry"
      onSubmit={(e) => {
        e.preventDefault();
        void enter();
      }}
    >
      <label>
        <span class="unseen">{t("entry")}</span>
        <input ref={entry} name="move" data-keys="free" autocomplete="off" spellcheck={false} placeholder={t("entry_hint", { move: EXAMPLE[game] ?? "" })} />
      </label>
      <button>{t("do_play")}</button>
    </form>
  );
}

export function Controls() {
  const { state: { isFlipped, standing, opponent, analysing }, set, record, step, end, flip, isEnginesTurn, shown, move, takeBack, resign, hint } = usePlay();
  const isMatch = opponent.plays.length === 1 && !standing.ended;
  const pass = shown.standing.legal.find((m) => m.move.toLowerCase() === "pass");
  const [isStart, isEnd] = [record.here === 0, record.nodes[record.here]!.children.length === 0];
  return (
    <div class="controls">
      <div class="steps" role="group" aria-label={t("steps_of_game")}>
        <button onClick={() => end(-1)} disabled={isStart} aria-label={t("to_start")}>|◀</button>
        <button onClick={() => step(-1)} disabled={isStart} aria-label={t("step_back")}>◀</button>
        <button onClick={() => step(1)} disabled={isEnd} aria-label={t("step_on")}>▶</button>
        <button onClick={() => end(1)} disabled={isEnd} aria-label={t("to_end")}>▶|</button>
      </div>
      <button class="flip" onClick={flip} aria-pressed={isFlipped}>
        {t("flip")}
      </button>
      <button onClick={() => set({ dialog: "new" })}>{t("new_game")}</button>
      <button onClick={() => set({ dialog: "open" })}>{t("paste_or_drop")}</button>
      <button onClick={takeBack} disabled={isStart}>
        {t("take_back")}
      </button>
      {isMatch && (
        <>
          <button onClick={hint} disabled={isEnginesTurn || analysing}>{t("hint")}</button>
          <button onClick={resign}>{t("resign")}</button>
        </>
      )}
      {pass && (
        <button disabled={isEnginesTurn || standing.ended !== null} onClick={() => move(pass.move)}>
          {t("pass")}
        </button>
      )}
      <Entry />
    </div>
  );
}
