// Expected result over the moves of the line one is in; a click goes there.
import "uplot/dist/uPlot.min.css";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { type GameTree, lineEnd, path } from "../../tree";
import { t } from "../../words";

export function Graph({ record, onGo }: { record: GameTree; onGo: (node: number) => void }) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const nodes = [0, ...path(record, lineEnd(record))];
  const now = useRef({ nodes, onGo });
  now.current = { nodes, onGo };

  useEffect(() => {
    const soft = "#888";
    const options: uPlot.Options = {
      width: box.current!.clientWidth || 300,
      height: 120,
      legend: { show: false },
      cursor: { drag: { x: false, y: false } },
      scales: { x: { time: false }, y: { range: [0, 100] } },
      axes: [
        { stroke: soft, grid: { show: false } },
        { stroke: soft, size: 50, values: (_, ticks) => ticks.map((v) => `${v}%`), splits: () => [0, 50, 100] },
      ],
      series: [{}, { stroke: "#0072b2", width: 2, fill: "#0072b233", spanGaps: true, points: { size: 5 } }],
      hooks: {
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
    const watcher = new ResizeObserver(([entry]) => u.setSize({ width: Math.max(120, entry!.contentRect.width), height: 120 }));
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
