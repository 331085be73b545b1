// The course of a search: how its candidates stood from moment to moment, when the best one changed, and a way back.
import { useEffect, useState } from "preact/hooks";
import { type Course as Kept, api } from "../../api";
import { INK } from "../../boards/board";
import { short, t } from "../../words";
import { named, percent } from "./signs";
import type { Forest } from "./forest";
import type { Words } from "./words";

const [WIDE, TALL, LEFT, BOTTOM] = [860, 220, 44, 22];
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "1 2", "12 4"];

/** The course of session `id`, asked for again as the search goes on. */
export function useCourse(id: number | null, seq: number, open: boolean): Kept | null {
  const [kept, keep] = useState<Kept | null>(null);
  useEffect(() => {
    if (id === null || !open) return;
    let current = true;
    const timer = setTimeout(() => api.course(id).then((c) => current && keep(c), () => undefined), 150);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [id, seq, open]);
  return kept;
}

interface Props {
  forest: Forest;
  course: Kept;
  at: number | null;
  words: { known: Map<number, Words>; want: (ids: number[]) => void };
  onAt: (seq: number | null) => void;
  onMoves: (moves: string[]) => void;
}

export function Course({ forest, course, at, words, onAt, onMoves }: Props) {
  const roots = new Map([...forest.children(forest.root)].map((s) => [forest.move(s), s]));
  words.want([...roots.values()].map((s) => forest.id[s]!));
  const say = (code: string) => (roots.has(code) ? named(forest, roots.get(code)!, words.known) : code);
  const { moments, changes } = course;
  const kept = moments.filter((m) => m.kept);
  const end = Math.max(1, ...moments.map((m) => m.time));
  const totals = new Map<string, number>();
  for (const m of moments) for (const move of m.moves) totals.set(move.move, Math.max(totals.get(move.move) ?? 0, move.effort));
  const names = [...totals].sort((a, b) => b[1] - a[1]).slice(0, 6).map(([name]) => name);
  const values = moments.flatMap((m) => m.moves.filter((x) => names.includes(x.move)).map((x) => (x.value + 1) * 50));
  const [low, high] = [Math.max(0, Math.min(50, ...values) - 3), Math.min(100, Math.max(50, ...values) + 3)];
  const x = (time: number) => LEFT + ((WIDE - LEFT) * time) / end;
  const y = (percent: number) => (TALL - BOTTOM) * (1 - (percent - low) / (high - low));
  const place = at === null ? kept.length : kept.findIndex((m) => m.seq === at);
  const shown = at === null ? null : kept[place];
  return (
    <div class="tree-course">
      <label>
        {t("course_scrub")}{" "}
        <input type="range" min={0} max={kept.length} value={place < 0 ? kept.length : place} onInput={(e) => onAt(kept[Number(e.currentTarget.value)]?.seq ?? null)} />
      </label>{" "}
      <output data-testid="course-at">{shown ? t("course_at", { nodes: short(shown.nodes), time: (shown.time / 1000).toFixed(2) }) : t("tree_live")}</output>
      <svg viewBox={`0 0 ${WIDE} ${TALL}`} role="img" aria-label={t("course_says", { n: moments.length, moves: names.map(say).join(", ") })}>
        {[low, (low + high) / 2, high].map((tick) => (
          <g key={tick}>
            <line x1={LEFT} x2={WIDE} y1={y(tick)} y2={y(tick)} stroke="var(--line)" />
            <text x={0} y={Math.max(10, y(tick))} font-size="11" fill="var(--soft)">
              {tick.toFixed(0)} %
            </text>
          </g>
        ))}
        <text x={WIDE - 60} y={TALL - 6} font-size="11" fill="var(--soft)">
          {(end / 1000).toFixed(1)} s
        </text>
        {names.map((name, i) => {
          const line = moments.flatMap((m) => m.moves.filter((o) => o.move === name).map((o) => `${x(m.time).toFixed(1)},${y((o.value + 1) * 50).toFixed(1)}`));
          const share = totals.get(name)! / Math.max(1, ...totals.values());
          return <polyline key={name} points={line.join(" ")} fill="none" stroke={INK[i % INK.length]} stroke-width={1 + 4 * share} stroke-dasharray={DASHES[i]} />;
        })}
        {kept.map((m) => (
          <line key={m.seq} x1={x(m.time)} x2={x(m.time)} y1={TALL - BOTTOM} y2={TALL - BOTTOM + (m.seq === at ? 16 : 6)} stroke="var(--ink)" stroke-width={m.seq === at ? 3 : 1} />
        ))}
      </svg>
      <ul class="legend">
        {names.map((name, i) => (
          <li key={name}>
            <svg width="34" height="8" aria-hidden="true">
              <line x1="0" x2="34" y1="4" y2="4" stroke={INK[i % INK.length]} stroke-width="3" stroke-dasharray={DASHES[i]} />
            </svg>{" "}
            {say(name)}
          </li>
        ))}
      </ul>
      <h2>{t("course_changes")}</h2>
      <ol>
        {changes.map((c) => (
          <li key={c.nodes}>
            {t("course_change", { from: c.from ? say(c.from) : "–", to: say(c.to), nodes: short(c.nodes), time: (c.time / 1000).toFixed(2), depth: c.depth, value: (c.cp / 100).toFixed(2) })}
            {c.cause && (
              <button class="plain" onClick={() => onMoves(c.cause!.path)}>
                {t("course_cause", { line: c.cause.path.join(" "), before: percent(c.cause.before), after: percent(c.cause.after) })}
              </button>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}
