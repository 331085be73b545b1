// Trainings of networks in one picture: loss, hits of the first and the first five, value, rate; and a table of how they ended.
import { useMemo, useState } from "preact/hooks";
import { Chart, type Curve } from "../../chart";
import { Heads } from "../../parts";
import { count, fixed, percent, t } from "../../words";
import { type NetField, type NetRun, curvesOf, lastOf, smoothed } from "./net";

/** Colours that stay apart for the colour-blind (Okabe and Ito, 2008). */
const INK = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#888888"];
const CHARTS: NetField[][] = [["loss"], ["policy"], ["top1", "top5"], ["value"], ["sign"], ["score"], ["rate"], ["gradient"]];

function FieldChart({ runs, fields, smooth }: { runs: NetRun[]; fields: NetField[]; smooth: number }) {
  const { data, curves } = useMemo(() => {
    const parts = fields.map((field) => ({ field, ...curvesOf(runs, field) }));
    const shown = parts.flatMap((part, f) => part.columns.map((column) => ({ ...column, field: part.field, f })));
    const curves = shown.map(({ run, held, field, f }): Curve => ({
      label: [runs.length > 1 ? runs[run]!.title : "", fields.length > 1 ? t(`net_${field}`) : "", t(held ? "net_held" : "net_train")].filter(Boolean).join(" · "),
      // What was never seen is drawn with points on a broken line; a second field is thinner.
      color: INK[(run + f * runs.length) % INK.length]!, dash: held ? [6, 4] : undefined, points: held, width: f === 0 ? 2 : 1.3,
    }));
    return { data: [parts[0]!.at, ...shown.map((column) => (column.held ? column.values : smoothed(column.values, smooth)))], curves };
  }, [runs, fields, smooth]);
  if (curves.length === 0) return null;
  return (
    <Chart
      title={fields.map((field) => t(`net_${field}`)).join(", ")} data={data}
      look={{ curves, height: 230, legend: true, log: fields[0] === "rate", xLabel: t("positions") }}
    />
  );
}

/** Weights of the past in a smoothed curve. */
const SMOOTH = [["net_raw", 0], ["net_smooth", 0.8], ["net_smoother", 0.95]] as const;

export function NetView({ runs }: { runs: NetRun[] }) {
  const [smooth, setSmooth] = useState(0);
  return (
    <section aria-label={t("net_runs")} data-testid="net-runs">
      <div class="wide">
        <table class="rows">
          <caption>{t("net_ended")}</caption>
          <Heads words={[t("run_path"), t("positions"), t("net_loss"), t("net_policy"), t("net_top1"), t("net_top5"), t("net_value"), t("net_sign"), t("net_score")]} />
          <tbody>
            {runs.map((run) => {
              const last = lastOf(run);
              return (
                <tr key={run.title}>
                  <th scope="row">{run.title}</th>
                  <td class="number">{last ? count(last.positions) : "–"}</td>
                  {(["loss", "policy"] as const).map((field) => <td key={field} class="number">{last ? fixed(last[field], 3) : "–"}</td>)}
                  {(["top1", "top5"] as const).map((field) => <td key={field} class="number">{last ? percent(last[field]) : "–"}</td>)}
                  <td class="number">{last ? fixed(last.value, 3) : "–"}</td>
                  <td class="number">{last ? percent(last.sign) : "–"}</td>
                  <td class="number">{last?.score != null ? fixed(last.score, 2) : "–"}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <p>
        <label>
          {t("net_curves")}{" "}
          <select value={smooth} onChange={(e) => setSmooth(Number(e.currentTarget.value))}>
            {SMOOTH.map(([key, weight]) => <option key={key} value={weight}>{t(key)}</option>)}
          </select>
        </label>
      </p>
      <div class="two">
        {CHARTS.map((fields) => <FieldChart key={fields.join()} runs={runs} fields={fields} smooth={smooth} />)}
      </div>
      <p class="soft">{t("net_note")}</p>
    </section>
  );
}
