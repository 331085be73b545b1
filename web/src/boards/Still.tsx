// A board to look at: nobody moves on it. Screen readers hear the position as text.
import { gameName, t } from "../words";
import { Board } from ".";
import type { Arrow, BoardMark } from "./board";

interface Props {
  game: string;
  position: string;
  side: number;
  last: string | null;
  flipped?: boolean;
  arrows?: Arrow[];
  marks?: BoardMark[];
}

export function StillBoard({ game, position, side, last, flipped, arrows, marks }: Props) {
  const words = [t("board_of", { game: gameName(game) }), position, last].filter(Boolean).join(", ");
  return (
    <div class="still" role="img" aria-label={words}>
      <Board
        game={game} position={position} side={side} legal={[]} last={last} arrows={arrows ?? []} marks={marks} flipped={flipped ?? false}
        open={false} onMove={() => {}}
      />
    </div>
  );
}
