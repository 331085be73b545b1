// The log of `tesuji train`, read: a line of JSON for every few steps and for each validation.

/** A line: means since the one before. */
export interface NetPoint {
  what: "training" | "validation";
  step: number;
  positions: number;
  loss: number;
  policy: number;
  top1: number;
  top5: number;
  value: number;
  sign: number;
  score: number | null;
  rate: number | null;
  gradient: number | null;
}
export type NetField = "loss" | "policy" | "top1" | "top5" | "value" | "sign" | "score" | "rate" | "gradient";

export interface NetRun {
  title: string;
  points: NetPoint[];
}

/** Reads a log; a torn last line and lines of other kinds are passed by. A run that went back and went on is told once. */
export function netLog(title: string, text: string): NetRun {
  let points: NetPoint[] = [];
  for (const line of text.split("\n")) {
    let said: Partial<NetPoint>;
    try {
      said = JSON.parse(line) as Partial<NetPoint>;
    } catch {
      continue;
    }
    if ((said.what !== "training" && said.what !== "validation") || typeof said.positions !== "number") continue;
    const point = { score: null, rate: null, gradient: null, ...said } as NetPoint;
    points = points.filter((old) => old.positions < point.positions || (old.positions === point.positions && old.what !== point.what));
    points.push(point);
  }
  return { title, points };
}

/** Curves of one field over positions: for each run what it trained on and what it never saw. Points that are missing are null. */
export function curvesOf(runs: NetRun[], field: NetField): { at: number[]; columns: { run: number; held: boolean; values: (number | null)[] }[] } {
  const at = [...new Set(runs.flatMap((run) => run.points.map((p) => p.positions)))].sort((a, b) => a - b);
  const place = new Map(at.map((positions, i) => [positions, i]));
  const columns = runs.flatMap((run, i) =>
    [false, true].map((held) => {
      const values = new Array<number | null>(at.length).fill(null);
      for (const p of run.points) if ((p.what === "validation") === held) values[place.get(p.positions)!] = p[field];
      return { run: i, held, values };
    }),
  );
  return { at, columns: columns.filter((column) => column.values.some((value) => value !== null)) };
}

/** A curve as its exponential moving average: each point is `weight` of the one before and the rest its own; gaps stay. */
export function smoothed(values: (number | null)[], weight: number): (number | null)[] {
  let [mean, seen] = [0, 0];
  return values.map((value) => {
    if (value === null) return null;
    mean = weight * mean + (1 - weight) * value;
    seen = weight * seen + (1 - weight);
    // The first points have no past: they are means of what there is.
    return mean / seen;
  });
}

/** The last validation of a run; the last line of training where there is none. */
export function lastOf(run: NetRun): NetPoint | null {
  const held = run.points.filter((p) => p.what === "validation");
  return held[held.length - 1] ?? run.points[run.points.length - 1] ?? null;
}
