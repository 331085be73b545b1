// The board of go: shudan, told which points may be played.
import "@sabaki/shudan/css/goban.css";
import { Goban, type Marker, type Vertex } from "@sabaki/shudan";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useStore } from "../store";
import type { BoardProps } from "./board";

const COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ";

/** The stones of a position, rows from the top: 1 black, -1 white, 0 empty. */
export function stones(position: string): (1 | -1 | 0)[][] {
  const rows = (position.split(" ")[0] ?? "").split("/");
  return rows.map((row) => {
    const points: (1 | -1 | 0)[] = [];
    for (const part of row.match(/\d+|[XO]/g) ?? []) {
      if (part === "X" || part === "O") points.push(part === "X" ? 1 : -1);
      else points.push(...Array<0>(Number(part)).fill(0));
    }
    return points;
  });
}

/** The point that a GTP vertex names on a board of this many rows; `null` for passes. */
export function vertex(code: string, rows: number): Vertex | null {
  const column = COLUMNS.indexOf(code[0]?.toUpperCase() ?? "");
  const row = Number(code.slice(1));
  return column < 0 || !(row >= 1) ? null : [column, rows - row];
}

/** The numbers of moves on the stones that they put: the last move of each point counts. */
function numbered(signs: (1 | -1 | 0)[][], moves: string[], put: (code: string, marker: Marker) => void): void {
  moves.forEach((move, i) => {
    const at = vertex(move, signs.length);
    if (at && signs[at[1]]?.[at[0]]) put(move, { type: "label", label: String(i + 1) });
  });
}

export default function GoBoard(props: BoardProps) {
  const box = useRef<HTMLDivElement>(null);
  const [{ width, own: drawn }, setView] = useStore(() => ({ width: 480, own: [] as { at: string; on: string }[] }));
  // Own marks belong to the position they were put on.
  const own = drawn.filter(({ on }) => on === props.position);
  useEffect(() => {
    const watcher = new ResizeObserver(([entry]) => setView({ width: entry!.contentRect.width }));
    watcher.observe(box.current!);
    return () => watcher.disconnect();
  }, []);

  const signs = stones(props.position);
  const rows = signs.length;
  const columns = signs[0]?.length ?? rows;
  const markers: (Marker | null)[][] = signs.map((row) => row.map(() => null));
  const put = (code: string, marker: Marker) => {
    const at = vertex(code, rows);
    if (at && markers[at[1]]) markers[at[1]]![at[0]] = marker;
  };
  if (props.last) put(props.last, { type: "circle" });
  for (const { move, sign } of props.faults ?? []) {
    const at = vertex(move, rows);
    if (at && signs[at[1]]?.[at[0]]) put(move, { type: "label", label: sign });
  }
  for (const { at: [x, y], type, label } of props.signs ?? []) if (markers[y] && x < columns) markers[y]![x] = { type, label };
  for (const [i, { at }] of own.entries()) put(at, { type: "label", label: String.fromCharCode(65 + (i % 26)) });
  if (props.numbers) numbered(signs, props.numbers, put);
  const size = Math.max(10, Math.floor(width / (Math.max(rows, columns) + 2.3)));
  // Candidates are coloured discs, as in KaTrain: the rank, and what is said of it where there is room.
  const discs: ({ strength: number; text: string } | null)[][] = signs.map((row) => row.map(() => null));
  for (const { move, rank, chip } of props.arrows) {
    const at = vertex(move, rows);
    if (at && discs[at[1]]) discs[at[1]]![at[0]] = { strength: 10 - rank, text: chip && size >= 28 ? `${rank}\n${chip}` : String(rank) };
  }

  // Whose the points will be: shudan paints them in the colour of their owner, stones that will be taken among them.
  const paint = props.marks && signs.map((row) => row.map(() => 0));
  for (const { at, weight } of props.marks ?? []) {
    const point = vertex(at, rows);
    if (point && paint![point[1]]) paint![point[1]]![point[0]] = Math.abs(weight) < 0.1 ? 0 : weight;
  }

  // The left button plays, the right one marks.
  const click = ({ button }: MouseEvent, [x, y]: Vertex) => {
    const at = `${COLUMNS[x]}${rows - y}`;
    if (button === 2) return setView(() => ({ own: own.some((one) => one.at === at) ? own.filter((one) => one.at !== at) : [...own, { at, on: props.position }] }));
    if (button === 0 && props.open && props.legal.some((m) => m.move.toUpperCase() === at)) props.onMove(at);
  };
  return (
    <div ref={box} class="board-square go" onContextMenu={(e) => e.preventDefault()}>
      <Goban
        signMap={signs}
        markerMap={markers}
        paintMap={paint as (0 | 1 | -1)[][] | undefined}
        vertexSize={size}
        heatMap={discs as never}
        showCoordinates
        onVertexMouseUp={click as unknown as JSX.MouseEventHandler<HTMLDivElement> & typeof click}
      />
    </div>
  );
}
