// The whole tree at a glance: width is effort, colour is value, hatching is what was cut; drag over it to zoom in.
import { useEffect, useRef, useState } from "preact/hooks";
import { short, t } from "../../words";
import { type Box, layout } from "./layout";
import { named, percent } from "./signs";
import { CUT, type Forest, LEFT_OUT } from "./forest";
import type { Words } from "./words";

const HIGH = 24;
/** Plies that have a place however small the tree is. */
const LEAST = 4;
/** Nodes from this width on carry their move. */
const WIDE = 34;

/** The colour of a value: blue is good for the side at the root, vermillion bad. */
function fill(value: number, dark: boolean): string {
  const far = Math.min(1, Math.abs(value) * 1.6);
  const [r, g, b] = value >= 0 ? [0, 114, 178] : [213, 94, 0];
  const ground = dark ? 52 : 232;
  const mix = (c: number) => Math.round(ground + (c - ground) * (0.18 + 0.82 * far));
  return `rgb(${mix(r!)},${mix(g!)},${mix(b!)})`;
}

interface Props {
  forest: Forest;
  version: number;
  chosen: number;
  words: { known: Map<number, Words>; want: (ids: number[]) => void };
  onPick: (slot: number) => void;
}

interface Picture extends Props {
  canvas: HTMLCanvasElement;
  span: [number, number];
  brush: [number, number] | null;
}

/** Draws the tree; returns the boxes for the pointer. */
function paint({ forest, canvas, chosen, span, brush, words }: Picture): Box[] {
  const ratio = devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const boxes = layout(forest, width, span[0], span[1]);
  // As high as the tree is deep here: nothing stands empty.
  const height = HIGH * (1 + boxes.reduce((deepest, { ply }) => Math.max(deepest, ply), LEAST - 1));
  canvas.style.blockSize = `${height}px`;
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  const pen = canvas.getContext("2d")!;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  const look = getComputedStyle(canvas);
  const dark = look.getPropertyValue("--ground").trim() !== "#fff";
  const labels: number[] = [];
  pen.font = "13px system-ui, DejaVu Sans, sans-serif";
  pen.textBaseline = "middle";
  for (const { slot, x, width: wide, ply } of boxes) {
    const y = ply * HIGH;
    pen.fillStyle = fill(forest.value[slot]!, dark);
    pen.fillRect(x, y, Math.max(0.5, wide - (wide > 3 ? 1 : 0)), HIGH - 1);
    if (wide > 6 && forest.flags[slot]! & (CUT | LEFT_OUT)) hatch(pen, Math.max(0, x), y, Math.min(wide, width));
    if (slot === chosen) {
      pen.strokeStyle = dark ? "#fff" : "#000";
      pen.lineWidth = 2;
      pen.strokeRect(x + 1, y + 1, Math.max(1, wide - 3), HIGH - 3);
    }
    if (wide < WIDE) continue;
    labels.push(forest.id[slot]!);
    const text = ply === 0 ? t("tree_root") : named(forest, slot, words.known);
    pen.fillStyle = Math.abs(forest.value[slot]!) > 0.35 || dark ? "#fff" : "#000";
    const from = Math.max(0, x) + 4;
    pen.fillText(text, from, y + HIGH / 2, Math.max(1, Math.min(x + wide, width) - from - 4));
  }
  if (brush) {
    pen.fillStyle = dark ? "#fff4" : "#0003";
    pen.fillRect(Math.min(...brush), 0, Math.abs(brush[1] - brush[0]), height);
  }
  words.want(labels.slice(0, 200));
  return boxes;
}

/** Slanted lines: left early. */
function hatch(pen: CanvasRenderingContext2D, x: number, y: number, wide: number): void {
  pen.save();
  pen.beginPath();
  pen.rect(x, y, wide, HIGH - 1);
  pen.clip();
  pen.strokeStyle = "#8888";
  pen.lineWidth = 1;
  pen.beginPath();
  for (let at = x - HIGH; at < x + wide; at += 7) {
    pen.moveTo(at, y + HIGH);
    pen.lineTo(at + HIGH, y);
  }
  pen.stroke();
  pen.restore();
}

export function Icicle(props: Props) {
  const { forest, version, chosen, onPick } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const span = useRef<[number, number]>([0, 1]);
  const brush = useRef<[number, number] | null>(null);
  const boxes = useRef<Box[]>([]);
  const frame = useRef(0);
  const latest = useRef(props);
  latest.current = props;
  const [told, tell] = useState("");
  const draw = () => {
    if (frame.current) return;
    frame.current = requestAnimationFrame(() => {
      frame.current = 0;
      if (canvas.current) boxes.current = paint({ ...latest.current, canvas: canvas.current, span: span.current, brush: brush.current });
    });
  };
  const zoom = (from: number, to: number) => {
    const wide = Math.min(1, Math.max(1e-6, to - from));
    const start = Math.max(0, Math.min(1 - wide, from));
    span.current = [start, start + wide];
    draw();
  };
  const scale = (by: number, at = 0.5) => {
    const [from, to] = span.current;
    const middle = from + (to - from) * at;
    zoom(middle - (middle - from) * by, middle + (to - middle) * by);
  };
  useEffect(draw);
  useEffect(() => {
    const sizes = new ResizeObserver(draw);
    if (canvas.current) sizes.observe(canvas.current);
    return () => sizes.disconnect();
  }, []);
  const at = (event: MouseEvent) => {
    const box = canvas.current!.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top, wide: box.width };
  };
  const under = (event: MouseEvent) => {
    const { x, y } = at(event);
    const ply = Math.floor(y / HIGH);
    return boxes.current.find((b) => b.ply === ply && x >= b.x && x < b.x + b.width);
  };
  return (
    <div class="icicle" data-version={version}>
      <div class="tree-deeds">
        <button onClick={() => scale(0.5)} aria-label={t("zoom_in")}>+</button>
        <button onClick={() => scale(2)} aria-label={t("zoom_out")}>−</button>
        <button onClick={() => zoom(0, 1)}>{t("zoom_all")}</button>
        <span class="soft" data-testid="icicle-told">{told || t("icicle_hint")}</span>
      </div>
      <canvas
        ref={canvas}
        role="img"
        aria-label={t("icicle_says", { n: short(forest.size), move: chosen >= 0 ? named(forest, chosen, props.words.known) : "–" })}
        style={{ inlineSize: "100%" }}
        onWheel={(event) => {
          event.preventDefault();
          const { x, wide } = at(event);
          if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
            const move = ((span.current[1] - span.current[0]) * (event.deltaX || event.deltaY)) / 1000;
            zoom(span.current[0] + move, span.current[1] + move);
          } else scale(event.deltaY > 0 ? 1.2 : 1 / 1.2, x / wide);
        }}
        onPointerDown={(event) => {
          const { x } = at(event);
          brush.current = [x, x];
          canvas.current!.setPointerCapture(event.pointerId);
        }}
        onPointerMove={(event) => {
          const box = under(event);
          if (box) tell(`${named(forest, box.slot, props.words.known) || t("tree_root")} · ${percent(forest.value[box.slot]!)} · ${short(forest.effort[box.slot]!)}`);
          if (!brush.current) return;
          brush.current = [brush.current[0], at(event).x];
          draw();
        }}
        onPointerUp={(event) => {
          const chosenNow = brush.current;
          brush.current = null;
          const { wide } = at(event);
          if (chosenNow && Math.abs(chosenNow[1] - chosenNow[0]) > 6) {
            const [from, to] = span.current;
            const place = (x: number) => from + ((to - from) * x) / wide;
            zoom(place(Math.min(...chosenNow)), place(Math.max(...chosenNow)));
          } else {
            const box = under(event);
            if (box) onPick(box.slot);
          }
          draw();
        }}
      />
    </div>
  );
}
