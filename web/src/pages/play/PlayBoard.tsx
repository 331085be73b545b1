// The board of the page that plays, what stands there in words, and the field for moves.
import { useMemo } from "preact/hooks";
import { Board } from "../../boards";
import { candidateArrows } from "../../boards/board";
import { signsOf } from "../../markup";
import * as tree from "../../tree";
import { gameName, t, told } from "../../words";
import { usePlay } from "./store";

/** Who moves, or how the game ended. */
function Stand() {
  const { state: { standing }, isEnginesTurn } = usePlay();
  const words = () => (isEnginesTurn ? t("thinking") : t(standing.side === 0 ? "first_moves" : "second_moves"));
  return (
    <p class="stand" data-testid="stand">
      {standing.ended ? t("ended", { by: told("end", standing.ended.by) }) : words()}
    </p>
  );
}

/** Where moves are typed. */
function Entry() {
  const { state: { isFlipped }, record, edits, entry, enter, flip } = usePlay();
  return (
    <form
      class="entry"
      onSubmit={(e) => {
        e.preventDefault();
        void enter();
      }}
    >
      <label>
        {t("entry")} <input ref={entry} name="move" data-keys="free" autocomplete="off" spellcheck={false} />
      </label>
      <button>{t("do_play")}</button>
      <button type="button" onClick={() => edits.setRecord(tree.takeBack)} disabled={record.here === 0}>
        {t("take_back")}
      </button>
      <button type="button" onClick={flip} aria-pressed={isFlipped}>
        {t("flip")}
      </button>
    </form>
  );
}

export function PlayBoard() {
  const { game, state, record, search, isEnginesTurn, isHere, isUnknown, move } = usePlay();
  const { standing, hasArrows, isFlipped } = state;
  const here = record.nodes[record.here]!;
  const signs = useMemo(() => (game === "go" ? signsOf(here.comment) : undefined), [game, here.comment]);
  const arrows = hasArrows && !isEnginesTurn && isHere ? candidateArrows(search?.found?.lines ?? []) : [];
  return (
    <div class="play-board">
      <div role="application" aria-busy={isUnknown} aria-roledescription={t("board")} aria-label={t("board_of", { game: gameName(game) })}>
        <Board
          game={game}
          position={standing.position}
          side={standing.side}
          legal={standing.legal}
          last={here.move?.move ?? null}
          arrows={arrows}
          signs={signs}
          flipped={isFlipped}
          open={!isEnginesTurn && !standing.ended}
          onMove={move}
        />
      </div>
      <Stand />
      <Entry />
    </div>
  );
}
