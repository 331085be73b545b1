// Curves by uPlot: lines with bands, a title that screen readers hear, a size that follows the box.
import "uplot/dist/uPlot.min.css";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";

export interface Curve {
  label: string;
  color: string;
  dash?: number[];
  width?: number;
  points?: boolean;
}
/** How a chart is drawn, whatever the data. */
interface Look {
  curves: Curve[];
  /** Pairs of curves between which a band is drawn, upper first, from 1. */
  bands?: [number, number][];
  height: number;
  /** Horizontal lines. */
  marks?: { at: number; label: string }[];
  /** Whether the y axis is logarithmic. */
  log?: boolean;
  legend?: boolean;
  xLabel?: string;
  /** What of the y axis is shown; none: all that is there. */
  range?: [number, number];
}
interface Props {
  /** What it shows, in words. */
  title: string;
  /** The x values, then those of each curve. */
  data: (number | null)[][];
  look: Look;
}

/** Steps of an axis that counts games or plies: there is no half of one. */
const WHOLE = [1, 2, 5].flatMap((n) => Array.from({ length: 13 }, (_, tens) => n * 10 ** tens)).sort((a, b) => a - b);

/** `whole`: whether all x are whole numbers. */
function optionsOf({ curves, bands, height, marks, log, legend, xLabel, range }: Look, width: number, whole: boolean): uPlot.Options {
  const soft = "#888";
  const grid = { stroke: "#8883", width: 1 };
  const wanted = (min: number, max: number): [number, number] => {
    const all = [min, max, ...(marks ?? []).map((m) => m.at)].filter(Number.isFinite);
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const room = (high - low) * 0.06 || Math.abs(high) * 0.1 || 1;
    return [low - room, high + room];
  };
  return {
    width,
    height,
    legend: { show: legend ?? false },
    cursor: { drag: { x: true, y: false } },
    scales: {
      x: { time: false },
      y: log ? { distr: 3 } : { range: (_, min, max) => (range ? wanted(...range) : wanted(min ?? 0, max ?? 1)) },
    },
    axes: [{ stroke: soft, grid, label: xLabel, labelSize: 20, size: 34, ...(whole && { incrs: WHOLE }) }, { stroke: soft, grid, size: 60, ...(log && { values: (_: uPlot, all: (number | null)[]) => all.map((n) => (n === null ? "" : String(Number(n.toPrecision(2))))) }) }],
    bands: bands?.map((series) => ({ series, fill: "#0072b222" })),
    series: [
      { label: xLabel ?? "x" },
      ...curves.map((c) => ({
        label: c.label, stroke: c.color, width: c.width ?? 2, dash: c.dash, spanGaps: true, points: { show: c.points ?? false, size: 7 },
      })),
    ],
    hooks: {
      draw: [
        (u) => {
          for (const mark of marks ?? []) {
            const y = u.valToPos(mark.at, "y", true);
            u.ctx.save();
            u.ctx.strokeStyle = soft;
            u.ctx.setLineDash([6, 4]);
            u.ctx.beginPath();
            u.ctx.moveTo(u.bbox.left, y);
            u.ctx.lineTo(u.bbox.left + u.bbox.width, y);
            u.ctx.stroke();
            u.ctx.fillStyle = soft;
            u.ctx.fillText(mark.label, u.bbox.left + 6, y - 4);
            u.ctx.restore();
          }
        },
      ],
    },
  };
}

export function Chart({ title, data, look }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const { height } = look;
  useEffect(() => {
    const u = new uPlot(optionsOf(look, box.current!.clientWidth || 300, data[0]!.every((x) => Number.isInteger(x))), data as uPlot.AlignedData, box.current!);
    plot.current = u;
    const watcher = new ResizeObserver(([entry]) => u.setSize({ width: Math.max(120, entry!.contentRect.width), height }));
    watcher.observe(box.current!);
    return () => {
      watcher.disconnect();
      u.destroy();
    };
  }, [JSON.stringify(look)]);
  useEffect(() => plot.current?.setData(data as uPlot.AlignedData), [data]);
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <div ref={box} role="img" aria-label={title} />
    </figure>
  );
}
