// GreKo's charts and tables of one run, or of several in one picture.
import { useEffect, useMemo, useState } from "preact/hooks";
import { type Schemas, call } from "../../api";
import { Chart, type Curve } from "../../chart";
import { Heads, Trouble } from "../../parts";
import { useStore } from "../../store";
import { fixed, percent, t } from "../../words";
import { eloText } from "../arena/Figures";
import { NetView } from "./NetView";
import { SweepView } from "./SweepView";
import { type Story, type Weight, csv, greko, improve } from "./log";
import { type NetRun, netLog } from "./net";

/** Colours that stay apart for the colour-blind (Okabe and Ito, 2008). */
const INK = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#888888"];
/** Weights in one picture: more are in the table. */
const CURVES_MAX = 14;

/** A run as it is shown: by weights, as a network or as a sweep. */
type Shown = Story & { net?: NetRun; sweep?: Schemas["SweepStory"] };
async function read(path: string): Promise<Shown> {
  const told = await call<Schemas["RunStory"]>("GET", `/runs/story?path=${encodeURIComponent(path)}`);
  if (told.kind === "improve") return improve(path, told);
  const bare: Story = { path, title: path, steps: [], weights: [], versions: [], facts: [] };
  if (told.kind === "net") return { ...bare, net: netLog(path, told.text) };
  if (told.kind === "sweep") return { ...bare, sweep: told };
  return told.kind === "greko" ? greko(path, told.text) : csv(path, told.text, told.report);
}

/** Curves of different steps on one axis. */
function joined(series: { at: number[]; values: (number | null)[] }[], end: number): (number | null)[][] {
  const all = [...new Set([...series.flatMap((s) => s.at), end])].sort((a, b) => a - b);
  const places = new Map(all.map((at, i) => [at, i]));
  return [all, ...series.map((s) => {
    const column = new Array<number | null>(all.length).fill(null);
    s.at.forEach((at, i) => (column[places.get(at)!] = s.values[i]!));
    if (s.values.length > 0) column[column.length - 1] ??= s.values[s.values.length - 1]!;
    return column;
  })];
}

function Losses({ stories, x }: { stories: Story[]; x: "step" | "time" }) {
  const data = useMemo(() => {
    const series = stories.flatMap((story) => {
      const at = story.steps.map((step) => (x === "time" ? step.seconds ?? step.at : step.at));
      return [{ at, values: story.steps.map((s) => s.train) }, { at, values: story.steps.map((s) => s.held) }];
    });
    return joined(series, 0);
  }, [stories, x]);
  const curves = stories.flatMap((story, i): Curve[] => [
    { label: `${stories.length > 1 ? `${story.title} ` : ""}${t("train_loss")}`, color: INK[i % INK.length]! },
    { label: `${stories.length > 1 ? `${story.title} ` : ""}${t("held_loss")}`, color: INK[i % INK.length]!, dash: [6, 4] },
  ]);
  return <Chart title={t("losses_chart")} data={data} look={{ curves, height: 260, legend: true, xLabel: t(x === "time" ? "seconds" : "steps") }} />;
}

function Weights({ story, title, weights }: { story: Story; title: string; weights: Weight[] }) {
  const shown = [...weights].sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before)).slice(0, CURVES_MAX);
  const end = Math.max(story.steps[story.steps.length - 1]?.at ?? 0, ...shown.flatMap((w) => w.at));
  const data = useMemo(() => joined(shown, story.versions.length > 0 ? Math.max(1, ...shown.flatMap((w) => w.at)) : end), [story]);
  const curves = shown.map((w, i): Curve => ({ label: w.name, color: INK[i % INK.length]!, dash: i >= INK.length ? [6, 4] : undefined, width: 1.5, points: w.at.length < 12 }));
  return <Chart title={title} data={data} look={{ curves, height: 240, legend: true, xLabel: t(story.versions.length > 0 ? "rounds" : "steps") }} />;
}

function WeightTable({ story }: { story: Story }) {
  const [filter, setFilter] = useState("");
  const shown = story.weights.filter((w) => w.name.toLowerCase().includes(filter.toLowerCase()));
  return (
    <section aria-label={t("weights_table")}>
      <h2>{t("weights_table")}</h2>
      <label>
        {t("filter")} <input value={filter} onInput={(e) => setFilter(e.currentTarget.value)} />
      </label>
      <div class="wide tall" tabIndex={0}>
        <table class="rows">
          <Heads words={["#", t("weight"), t("before"), t("after"), t("change")]} />
          <tbody>
            {shown.map((w, i) => (
              <tr key={w.name}>
                <td class="number">{i + 1}</td>
                <th scope="row">{w.name}</th>
                <td class="number">{w.before}</td>
                <td class="number">{w.after}</td>
                <td class="number">{fixed(w.after - w.before, Number.isInteger(w.after - w.before) ? 0 : 2, true)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Versions({ story }: { story: Story }) {
  if (story.versions.length === 0) return null;
  return (
    <div class="wide">
      <table class="rows">
        <caption>{t("versions_table")}</caption>
        <Heads words={[t("round"), t("result"), "Elo", "LOS", t("adopted")]} />
        <tbody>
          {story.versions.map((v) => (
            <tr key={v.name}>
              <th scope="row">{v.name.startsWith("✔") ? t("verdict") : v.name}</th>
              <td class="number">{t("wdl", { w: v.wdl[0], d: v.wdl[1], l: v.wdl[2] })}</td>
              <td class="number">{eloText(v.elo)}</td>
              <td class="number">{v.los === null ? "—" : percent(v.los)}</td>
              <td>{v.adopted ? "✔" : "✘"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function RunView({ paths, fresh, isYoung }: { paths: string[]; fresh: number; isYoung: boolean }) {
  const [{ stories, problem, x }, set] = useStore(() => ({ stories: null as Shown[] | null, problem: null as unknown, x: "step" as "step" | "time" }));
  useEffect(() => {
    // A run that has just begun has written nothing yet.
    Promise.all(paths.map(read)).then((stories) => set({ stories }), (problem: unknown) => !isYoung && set({ problem }));
  }, [paths.join("\n"), fresh]);
  if (!stories) return problem ? <Trouble problem={problem} onClose={() => set({ problem: null })} /> : <p aria-busy="true">{t("begins")}</p>;
  const main = stories[0]!;
  const nets = stories.flatMap((story) => story.net ?? []);
  const hasSteps = stories.some((s) => s.steps.length > 0);
  const of = (test: (w: Weight) => boolean) => main.weights.filter((w) => w.before !== w.after && test(w));
  const parts: [string, Weight[]][] = [
    [t("pawn_chart"), of((w) => /pawn|passed|isolated/i.test(w.name))],
    [t("material_chart"), of((w) => /^(material|value)/i.test(w.name))],
    [t("others_chart"), of((w) => !/pawn|passed|isolated|^material|^value/i.test(w.name))],
  ];
  return (
    <section aria-label={t("run")}>
      {paths.length > 1 || !isYoung ? <h1>{stories.map((s) => s.title).join(" · ")}</h1> : null}
      {nets.length > 0 && <NetView runs={nets} />}
      {stories.map((story) => story.sweep && <SweepView key={story.path} title={stories.length > 1 ? story.title : null} run={story.sweep} />)}
      {hasSteps && <div role="group" aria-label={t("x_axis")} class="deeds-line">
        {(["step", "time"] as const).map((key) => (
          <button key={key} aria-pressed={x === key} onClick={() => set({ x: key })}>
            {t(key === "time" ? "by_time" : "by_steps")}
          </button>
        ))}
      </div>}
      {hasSteps && <Losses stories={stories.filter((s) => s.steps.length > 0)} x={x} />}
      <div class="two">
        {parts.filter(([, weights]) => weights.length > 0).map(([title, weights]) => <Weights key={title} story={main} title={title} weights={weights} />)}
      </div>
      <Versions story={main} />
      {main.weights.length > 0 && <WeightTable story={main} />}
      {main.facts.length > 0 && <p class="soft">{main.facts.map(([k, v]) => `${k}: ${v}`).join(" · ")}</p>}
    </section>
  );
}
