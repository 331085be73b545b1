// Expected result over the moves of the line one is in; a click goes there.
import "uplot/dist/uPlot.min.css";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { type GameTree, lineEnd, path } from "../../tree";
import { t } from "../../words";

const TALL = 150;

/** A line at the move where one stands. */
function drawHere(u: uPlot, ply: number): void {
  if (ply < 0) return;
  const x = Math.round(u.valToPos(ply, "x", true));
  u.ctx.save();
  u.ctx.strokeStyle = "#d55e00";
  u.ctx.lineWidth = 2 * devicePixelRatio;
  u.ctx.beginPath();
  u.ctx.moveTo(x, u.bbox.top);
  u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
  u.ctx.stroke();
  u.ctx.restore();
}

export function Graph({ record, onGo }: { record: GameTree; onGo: (node: number) => void }) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const nodes = [0, ...path(record, lineEnd(record))];
  const now = useRef({ nodes, onGo, here: record.here });
  now.current = { nodes, onGo, here: record.here };

  useEffect(() => {
    const soft = "#888";
    const options: uPlot.Options = {
      width: box.current!.clientWidth || 300,
      height: TALL,
      legend: { show: false },
      cursor: { drag: { x: false, y: false } },
      scales: { x: { time: false }, y: { range: [0, 100] } },
      axes: [
        { stroke: soft, size: 24, grid: { show: false }, incrs: [1, 2, 5, 10, 20, 50, 100] },
        { stroke: soft, size: 44, grid: { stroke: "#8884", width: 1 }, ticks: { show: false }, values: (_, ticks) => ticks.map((v) => `${v}%`), splits: () => [0, 50, 100] },
      ],
      series: [{}, { stroke: "#0072b2", width: 2, fill: "#0072b233", spanGaps: true, points: { size: 5 } }],
      hooks: {
        draw: [(u) => drawHere(u, now.current.nodes.indexOf(now.current.here))],
        ready: [
          (u) =>
            u.over.addEventListener("click", () => {
              const node = now.current.nodes[u.cursor.idx ?? -1];
              if (node !== undefined) now.current.onGo(node);
            }),
        ],
      },
    };
    const u = new uPlot(options, [[0], [null]], box.current!);
    plot.current = u;
    const watcher = new ResizeObserver(([entry]) => u.setSize({ width: Math.max(120, entry!.contentRect.width), height: TALL }));
    watcher.observe(box.current!);
    return () => {
      watcher.disconnect();
      u.destroy();
    };
  }, []);
  useEffect(() => {
    const chances = nodes.map((i) => record.nodes[i]!.chance);
    plot.current?.setData([nodes.map((_, ply) => ply), chances.map((c) => (c === null ? null : 100 * c))]);
  }, [record]);
  return <div ref={box} class="graph" role="img" aria-label={t("graph")} />;
}
