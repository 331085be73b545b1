// Logs of learning, read: GreKo's lines, the CSV of `tesuji tune --steps`, the folder of `tesuji improve`.
import type { Schemas } from "../../api";

export interface Step {
  /** Steps, epochs or rounds so far. */
  at: number;
  /** Seconds since the first. */
  seconds: number | null;
  train: number | null;
  held: number | null;
}
export interface Weight {
  name: string;
  group: string;
  /** Values by step: where it changed. */
  at: number[];
  values: number[];
  before: number;
  after: number;
}
type Standing = Schemas["RatedStanding"];
export interface Version extends Standing {
  name: string;
  adopted: boolean;
}
export interface Story {
  path: string;
  title: string;
  steps: Step[];
  weights: Weight[];
  versions: Version[];
  facts: [string, string][];
}

/** The group of a weight: what stands before the first dot, or the first word of `PawnIsolated`. */
export function groupOf(name: string): string {
  if (name.includes(".")) return name.slice(0, name.indexOf("."));
  return /^[A-Z]?[a-z]+/.exec(name)?.[0] ?? name;
}

function weight(all: Map<string, Weight>, name: string, at: number, value: number): void {
  const known = all.get(name);
  if (!known) {
    all.set(name, { name, group: groupOf(name), at: [at], values: [value], before: value, after: value });
    return;
  }
  known.at.push(at);
  known.values.push(value);
  known.after = value;
}

/** `iter J_train J_valid date time [cycle.parameter] value`, and `Parameter 7 of 27: PawnIsolated = -19`. */
export function greko(path: string, text: string): Story {
  const steps: Step[] = [];
  const weights = new Map<string, Weight>();
  const names = new Map<string, string>();
  let first: number | null = null;
  for (const line of text.split(/\r?\n/)) {
    const turn = /^Parameter (\d+) of \d+: (\S+) = (-?[\d.]+)/.exec(line);
    if (turn) {
      names.set(turn[1]!, turn[2]!);
      const known = weights.get(turn[2]!);
      if (known?.after !== Number(turn[3])) weight(weights, turn[2]!, steps[steps.length - 1]?.at ?? 0, Number(turn[3]));
      continue;
    }
    const step = /^(\d+)\s+(-?[\d.eE+-]+)\s+(-?[\d.eE+-]+)\s+(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\s+\[(\d+)\.(\d+)\]\s+(-?[\d.]+))?/.exec(line);
    if (!step) continue;
    const time = Date.parse(`${step[4]}T${step[5]}Z`) / 1000;
    first ??= time;
    const at = Number(step[1]);
    steps.push({ at, seconds: time - first, train: Number(step[2]), held: step[3] === "-" ? null : Number(step[3]) });
    if (step[7]) weight(weights, names.get(step[7]) ?? `#${step[7]}`, at, Number(step[8]));
  }
  return { path, title: path, steps, weights: [...weights.values()], versions: [], facts: [] };
}

/** The numbers of a feature that changed: in the middlegame and in the endgame, or the one that a set of few weights knows. */
function numbersOf({ name, before, after }: Schemas["ChangedWeight"], known: Map<string, Weight>): [string, number, number][] {
  const halves = [[`${name}.mg`, before[0], after[0]], [`${name}.eg`, before[1], after[1]]] as [string, number, number][];
  const changed = halves.filter(([, before, after]) => before !== after);
  const isOne = known.has(name) || (before[0] === before[1] && after[0] === after[1]);
  return isOne ? [[name, before[0], after[0]]] : changed;
}

/** `run,epoch,train_loss,validation_loss,best,seconds,weight,value`; of several attempts the last one is shown. */
export function csv(path: string, text: string, report: Schemas["LearnedWeights"] | null): Story {
  let steps: Step[] = [];
  let weights = new Map<string, Weight>();
  let run = "";
  for (const line of text.split("\n").slice(1)) {
    const [of, epoch, train, held, , seconds, name, value] = line.split(",");
    if (!epoch) continue;
    if (of !== run) {
      [steps, weights, run] = [[], new Map(), of!];
    }
    const number = (text: string | undefined) => (text ? Number(text) : null);
    steps.push({ at: Number(epoch), seconds: number(seconds), train: number(train), held: number(held) });
    if (name && value) weight(weights, name, Number(epoch), Number(value));
  }
  for (const change of report?.changed ?? []) {
    for (const [name, before, after] of numbersOf(change, weights)) {
      const known = weights.get(name);
      if (known) Object.assign(known, { before, after });
      else weights.set(name, { name, group: groupOf(name), at: [0, steps[steps.length - 1]?.at ?? 1], values: [before, after], before, after });
    }
  }
  return { path, title: path, steps, weights: [...weights.values()], versions: [], facts: [] };
}

type Terms = Record<string, unknown> | null;

/** Weights of a file, one by one: `material.1.mg`. */
export function flat(terms: Terms, before = ""): [string, number][] {
  return Object.entries(terms ?? {}).flatMap(([key, value]): [string, number][] => {
    const name = before ? `${before}.${key}` : key;
    if (typeof value === "number") return [[name, value]];
    return value && typeof value === "object" ? flat(value as Terms, name) : [];
  });
}

export function improve(path: string, run: Schemas["ImproveStory"]): Story {
  const weights = new Map<string, Weight>();
  // A pattern of go that a file does not have is worth as much as any move: 1.
  const patterns = new Set(run.rounds.flatMap((round) => flat(round.weights)).map(([name]) => name).filter((name) => name.startsWith("pattern.")));
  const whole = (terms: Terms) => {
    const told = new Map(flat(terms));
    if (terms) for (const name of patterns) if (!told.has(name)) told.set(name, 1);
    return told;
  };
  for (const [name, value] of whole(run.start)) weight(weights, name, 0, value);
  const steps: Step[] = [];
  const versions: Version[] = [];
  for (const { round, losses, weights: learned } of run.rounds) {
    for (const loss of losses ?? []) steps.push({ at: steps.length, seconds: null, train: loss.train, held: loss.held });
    for (const [name, value] of whole(learned)) weight(weights, name, round.number, value);
    if (round.standing) versions.push({ name: String(round.number), ...round.standing, adopted: round.adopted });
  }
  // The last round may have been rejected: what is in the end is what the run says.
  for (const [name, value] of run.weights ? whole(run.weights) : []) {
    const known = weights.get(name);
    if (known) known.after = value;
  }
  if (run.verdict) versions.push({ name: "✔", ...run.verdict.standing, adopted: true });
  if (run.verdict?.confirmed) versions.push({ name: "✔✔", ...run.verdict.confirmed, adopted: true });
  const facts = Object.entries(run.settings).filter(([, value]) => ["string", "number", "boolean"].includes(typeof value));
  return { path, title: path, steps, weights: [...weights.values()], versions, facts: facts.map(([k, v]) => [k, String(v)]) };
}
