// Who is expected to win over the moves of the line one is in: wins, draws and losses as areas, in go the lead in points beside them; a
// click goes there.
import "uplot/dist/uPlot.min.css";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { numberOf } from "../../numbers";
import { useStore } from "../../store";
import { type GameTree, lineEnd, path } from "../../tree";
import { t } from "../../words";
import { areasOf } from "./areas";
import { sideName } from "../why/words";
import { usePlay } from "./store";
import { shownValue } from "./values";

const TALL = 150;
const INK = { here: "#d55e00", expected: "#0072b2", first: "#f6f3ec", draw: "#a09a90", second: "#3a3733", lead: "#cc79a7" };

/** A line at the move where one stands. */
function drawHere(u: uPlot, ply: number): void {
  if (ply < 0) return;
  const x = Math.round(u.valToPos(ply, "x", true));
  u.ctx.save();
  u.ctx.strokeStyle = INK.here;
  u.ctx.lineWidth = 2 * devicePixelRatio;
  u.ctx.beginPath();
  u.ctx.moveTo(x, u.bbox.top);
  u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
  u.ctx.stroke();
  u.ctx.restore();
}

/** A symmetric scale of points that holds all leads. */
const pointsRange: uPlot.Range.Function = (_, low, high) => {
  const most = Math.max(5, Math.ceil(Math.max(Math.abs(low ?? 0), Math.abs(high ?? 0)) / 5) * 5);
  return [-most, most];
};

/** What the graph draws; `dark`: whether the first side of the game is the dark one. */
function optionsOf(dark: boolean, hasLead: boolean, hooks: uPlot.Hooks.Arrays): uPlot.Options {
  const [low, high] = dark ? [INK.second, INK.first] : [INK.first, INK.second];
  const soft = "#888";
  const area = (fill: string): uPlot.Series => ({ fill, stroke: "transparent", width: 0, spanGaps: true, points: { show: false } });
  return {
    width: 300, height: TALL, legend: { show: false }, cursor: { drag: { x: false, y: false } }, hooks,
    scales: { x: { time: false, range: (u) => [0, Math.max(2, u.data[0].length - 1)] }, y: { range: [0, 100] }, points: { range: pointsRange } },
    axes: [
      { stroke: soft, size: 24, grid: { show: false }, incrs: [1, 2, 5, 10, 20, 50, 100] },
      { stroke: soft, size: 44, grid: { stroke: "#8884", width: 1 }, ticks: { show: false }, values: (_, ticks) => ticks.map((v) => `${v}%`), splits: () => [0, 50, 100] },
      { scale: "points", side: 1, show: hasLead, stroke: INK.lead, size: 34, grid: { show: false }, ticks: { show: false } },
    ],
    // The largest area is drawn first, the others over it.
    series: [
      {}, area(high), area(INK.draw), area(low), { stroke: INK.expected, width: 2, spanGaps: true, points: { size: 5 } },
      { scale: "points", show: hasLead, stroke: INK.lead, width: 2, spanGaps: true, points: { size: 4 } },
    ],
  };
}

export function Graph({ record, onGo }: { record: GameTree; onGo: (node: number) => void }) {
  const { game } = usePlay();
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [{ at }, set] = useStore(() => ({ at: null as number | null }));
  const nodes = [0, ...path(record, lineEnd(record))];
  const hasLead = nodes.some((i) => record.nodes[i]!.lead !== null);
  const now = useRef({ nodes, onGo, here: record.here });
  now.current = { nodes, onGo, here: record.here };
  const data = (): uPlot.AlignedData => [nodes.map((_, ply) => ply), ...areasOf(nodes.map((i) => record.nodes[i]!))];

  useEffect(() => {
    const hooks: uPlot.Hooks.Arrays = {
      draw: [(u) => drawHere(u, now.current.nodes.indexOf(now.current.here))],
      setCursor: [(u) => set({ at: u.cursor.idx ?? null })],
      ready: [
        (u) =>
          u.over.addEventListener("click", () => {
            const node = now.current.nodes[u.cursor.idx ?? -1];
            if (node !== undefined) now.current.onGo(node);
          }),
      ],
    };
    const u = new uPlot({ ...optionsOf(game !== "chess", hasLead, hooks), width: box.current!.clientWidth || 300 }, data(), box.current!);
    plot.current = u;
    const watcher = new ResizeObserver(([entry]) => u.setSize({ width: Math.max(120, entry!.contentRect.width), height: TALL }));
    watcher.observe(box.current!);
    return () => {
      watcher.disconnect();
      u.destroy();
    };
  }, [hasLead]);
  useEffect(() => plot.current?.setData(data()), [record]);
  const said = t(hasLead ? "graph_lead" : "graph", { side: sideName(game, 0, true) });
  const pointed = at === null ? undefined : record.nodes[nodes[at] ?? -1];
  const number = at !== null && at > 0 ? numberOf(game, record.start, at, true) : "";
  return (
    <>
      <div ref={box} class="graph" role="img" aria-label={said} />
      <p class="graph-words soft" aria-hidden="true">
        {pointed ? [`${number}${pointed.move?.text ?? t("start")}`, shownValue(game, pointed), ...wdlWords(pointed.wdl), ...leadWords(pointed.lead)].filter(Boolean).join(" · ") : said}
      </p>
    </>
  );
}

/** `W 31 % D 50 % L 19 %`, of the side that moves first. */
const wdlWords = (wdl: [number, number, number] | null): string[] => (wdl ? [t("graph_wdl", Object.fromEntries(wdl.map((n, i) => ["wdl"[i]!, Math.round(100 * n)])))] : []);

const leadWords = (lead: number | null): string[] => (lead === null ? [] : [t("graph_points", { points: `${lead > 0 ? "+" : ""}${lead.toFixed(1)}` })]);
