// The board of go: shudan, told which points may be played.
import "@sabaki/shudan/css/goban.css";
import { Goban, type Marker, type Vertex } from "@sabaki/shudan";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
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

export default function GoBoard(props: BoardProps) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(480);
  useEffect(() => {
    const watcher = new ResizeObserver(([entry]) => setWidth(entry!.contentRect.width));
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
  for (const { at: [x, y], type, label } of props.signs ?? []) if (markers[y] && x < columns) markers[y]![x] = { type, label };
  for (const { move, rank, chip } of props.arrows) put(move, { type: "label", label: chip ?? String(rank) });

  // Whose the points will be: shudan paints them in the colour of their owner, stones that will be taken among them.
  const paint = props.marks && signs.map((row) => row.map(() => 0));
  for (const { at, weight } of props.marks ?? []) {
    const point = vertex(at, rows);
    if (point && paint![point[1]]) paint![point[1]]![point[0]] = Math.abs(weight) < 0.1 ? 0 : weight;
  }

  const click = (_: unknown, [x, y]: Vertex) => {
    const code = `${COLUMNS[x]}${rows - y}`;
    if (props.open && props.legal.some((m) => m.move.toUpperCase() === code)) props.onMove(code);
  };
  const size = Math.max(10, Math.floor(width / (Math.max(rows, columns) + 2.3)));
  return (
    <div ref={box} class="board-square go">
      <Goban
        signMap={signs}
        markerMap={markers}
        paintMap={paint as (0 | 1 | -1)[][] | undefined}
        vertexSize={size}
        showCoordinates
        onVertexMouseUp={click as unknown as JSX.MouseEventHandler<HTMLDivElement> & typeof click}
      />
    </div>
  );
}
