// Values over the squares of a board: a circle for the first side, a diamond for the second, thicker for more.
import type { BoardMark } from "./board";
import "./marks.css";

interface Props {
  marks: BoardMark[];
  columns: number;
  rows: number;
  /** Column and row from the top left of the unturned board; none: not on this board. */
  where: (at: string) => [number, number] | null;
  flipped: boolean;
  /** A square's height by its width. */
  tall?: number;
}

export function Marks({ marks, columns, rows, where, flipped, tall = 1 }: Props) {
  return (
    <svg class="marks" viewBox={`0 0 ${columns} ${rows * tall}`} preserveAspectRatio="none" aria-hidden="true">
      {marks.map((mark) => {
        const at = where(mark.at);
        if (!at) return null;
        const [x, y] = flipped ? [columns - 1 - at[0], rows - 1 - at[1]] : at;
        const [cx, cy] = [x + 0.5, (y + 0.5) * tall];
        const first = mark.weight >= 0;
        // The man stays to be seen: an outline around it, as thick as it is worth, and the number below.
        const wide = 0.03 + 0.07 * Math.min(1, Math.sqrt(Math.abs(mark.weight)));
        const shape = first ? `M${cx - 0.44} ${cy}a.44 .44 0 1 0 .88 0a.44 .44 0 1 0 -.88 0Z` : `M${cx} ${cy - 0.48}L${cx + 0.48} ${cy}L${cx} ${cy + 0.48}L${cx - 0.48} ${cy}Z`;
        return (
          <g key={mark.at} class={`mark-${first ? "first" : "second"}${mark.ring ? " ring" : ""}`}>
            <path d={shape} class="halo" stroke-width={wide + 0.05} />
            <path d={shape} class="outline" stroke-width={wide} />
            {mark.text && (
              <text x={cx} y={cy + 0.46 * tall} font-size={0.3} textLength={mark.text.length > 4 ? 0.9 : undefined}>
                {mark.text}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}

/** Chess: `e4`. */
export const chessSquare = (at: string): [number, number] | null => {
  const [x, y] = [at.charCodeAt(0) - 97, 8 - Number(at[1])];
  return x >= 0 && x < 8 && y >= 0 && y < 8 ? [x, y] : null;
};

/** Shogi: `7g`, files from the right; what is in hand is on no square. */
export const shogiSquare = (at: string): [number, number] | null => {
  const [x, y] = [9 - Number(at[0]), (at[1] ?? "").charCodeAt(0) - 97];
  return at.length === 2 && x >= 0 && x < 9 && y >= 0 && y < 9 ? [x, y] : null;
};
