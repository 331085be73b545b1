// The board with what stands around it: the evaluation bar, the names of both sides, what they captured.
import { useMemo } from "preact/hooks";
import { Board } from "../../boards";
import { candidateArrows } from "../../boards/board";
import { signsOf } from "../../markup";
import { sideName } from "../../sides";
import * as tree from "../../tree";
import { chance } from "../../value";
import { gameName, t } from "../../words";
import { captured } from "./captured";
import { clockWords, leftOf } from "./clock";
import { engineName } from "./newGame";
import { usePlay } from "./store";
import { shownValue } from "./values";

/** Who has the better prospects, as a bar beside the board: light and dark as the sides, with the value at the better side's end. */
function EvalBar() {
  const { game, record, state: { standing, isFlipped }, search } = usePlay();
  const best = search?.found?.lines[0];
  const kept = record.nodes[record.here]!;
  const over = standing.ended ?? (tree.isOver(record) ? record.outcome : null);
  const found = best ? (standing.side === 0 ? chance(best) : 1 - chance(best)) : kept.chance;
  // At the end the result counts.
  const now = over ? (over.winner === null ? 0.5 : 1 - over.winner) : found;
  const share = now ?? 0.5;
  const words = now === null ? t("no_value") : t("expected", { side: sideName(game, 0), share: Math.round(100 * share) });
  // Nearer the one who is ahead; the first side sits below unless the board is turned.
  const isBelow = share >= 0.5 !== isFlipped;
  return (
    <div class={`eval-bar${isFlipped ? " flipped" : ""}${now === null ? " unknown" : ""}`} role="img" aria-label={words} title={words}>
      <span class="eval-first" style={{ blockSize: `${100 * share}%` }} />
      {now !== null && !over && <b class={`${isBelow ? "below" : "above"} ${share >= 0.5 ? "of-first" : "of-second"}`}>{shownValue(game, kept, true)}</b>}
    </div>
  );
}

/** A side: its name, what it captured, whether it is to move. */
function Name({ side }: { side: number }) {
  const { game, info, record, place, state: { standing, opponent, clock }, family, shown } = usePlay();
  const tag = info?.side_tags[side];
  const told = record.tags.find(([name]) => name === tag)?.[1];
  const isPlayed = opponent.plays.includes(side);
  const name = told && told !== "?" ? told : isPlayed ? engineName(family) : opponent.plays.length === 1 ? t("you") : sideName(game, side);
  const taken = game === "chess" ? captured(shown.standing.position, side, place.start !== null || place.rules !== "") : "";
  return (
    <p class={`side-name side-${side}`} aria-current={standing.side === side && !standing.ended ? "true" : undefined}>
      <i class={`side-sign ${game} side-${side}`} aria-hidden="true" />
      <b>{name}</b>
      {clock && <time class="clock" data-testid={`clock-${side}`} data-runs={clock.runs === side}>{clockWords(leftOf(clock, side, performance.now()))}</time>}
      {taken && <span class="taken" title={t("captured")}>{taken}</span>}
    </p>
  );
}

export function PlayBoard() {
  const { game, state, record, search, isEnginesTurn, isHere, isUnknown, shown, owners, move, holder } = usePlay();
  const { hasArrows, hasNumbers, isFlipped } = state;
  const { standing, moves, isPreview } = shown;
  const here = record.nodes[record.here]!;
  const signs = useMemo(() => (game === "go" && !isPreview ? signsOf(here.comment) : undefined), [game, here.comment, isPreview]);
  const faults = useMemo(() => (game === "go" && !isPreview ? tree.faults(record) : undefined), [game, record, isPreview]);
  const lines = search?.found?.lines ?? [];
  const wins = (i: number) => (game === "go" ? { chip: String(Math.round(100 * chance(lines[i]!))) } : {});
  const arrows = hasArrows && !isPreview && !isEnginesTurn && isHere ? candidateArrows(lines).map((arrow, i) => ({ ...arrow, ...wins(i) })) : [];
  const last = isPreview ? moves[moves.length - 1]!.move : (here.move?.move ?? null);
  return (
    <div class="board-pane">
      <EvalBar />
      <div class="board-column">
        <Name side={isFlipped ? 0 : 1} />
        <div
          class={`board-hold${isPreview ? " preview" : ""}`} role="application" aria-busy={isUnknown} aria-roledescription={t("board")}
          aria-label={t("board_of", { game: gameName(game) })}
        >
          <Board
            game={game}
            position={standing.position}
            side={standing.side}
            legal={standing.legal}
            last={last}
            arrows={arrows}
            signs={signs}
            faults={faults}
            marks={isPreview ? undefined : owners}
            numbers={hasNumbers ? standing.played.map((played) => played.move) : undefined}
            flipped={isFlipped}
            open={!isEnginesTurn && !standing.ended && holder === "own"}
            onMove={move}
          />
          {isPreview && <span class="preview-words">{moves.map(({ text }) => text).join(" ")}</span>}
        </div>
        <Name side={isFlipped ? 1 : 0} />
      </div>
    </div>
  );
}
