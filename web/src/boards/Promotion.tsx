// The choice of a piece on the board of chess, at the square where the pawn arrives.
import { useEffect, useRef } from "preact/hooks";
import type { Move } from "../api";
import { t } from "../words";

/** The element that chessground's art is made for. */
const Piece = "piece" as unknown as "i";
const ROLES: Record<string, string> = { q: "queen", n: "knight", r: "rook", b: "bishop" };

interface Props {
  /** The moves to choose from, which differ in the piece. */
  moves: string[];
  legal: Move[];
  side: number;
  isFlipped: boolean;
  /** None: the pawn goes back. */
  onChoose: (move: string | null) => void;
}

export function Promotion({ moves, legal, side, isFlipped, onChoose }: Props) {
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), []);
  const file = moves[0]!.charCodeAt(2) - 97;
  const column = isFlipped ? 7 - file : file;
  // The queen lies on the square itself, the others behind it.
  const isTop = (side === 0) !== isFlipped;
  const order = Object.keys(ROLES).flatMap((piece) => moves.filter((move) => move[4] === piece));
  return (
    <div class="piece-choice" role="dialog" aria-label={t("promotion")} onClick={() => onChoose(null)} onKeyDown={(e) => e.key === "Escape" && onChoose(null)}>
      {order.map((move, i) => (
        <button
          key={move} ref={i === 0 ? first : undefined} aria-label={legal.find((m) => m.move === move)?.text ?? move}
          style={{ insetInlineStart: `${12.5 * column}%`, insetBlockStart: `${12.5 * (isTop ? i : 7 - i)}%` }}
          onClick={(e) => {
            e.stopPropagation();
            onChoose(move);
          }}
        >
          <span class="cg-wrap">
            <Piece class={`${ROLES[move[4]!]} ${side === 0 ? "white" : "black"}`} />
          </span>
        </button>
      ))}
    </div>
  );
}
