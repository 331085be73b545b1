// A sweep of `tesuji tune --sweep`: versions learned from several games with several pulls, played against a pool.
import type { Schemas } from "../../api";
import { Heads } from "../../parts";
import { count, fixed, percent, t } from "../../words";

type SweepStory = Schemas["SweepStory"];

/** Versions that are learned and pairs that are played so far, until there is a table. */
function SoFar({ run }: { run: SweepStory }) {
  return (
    <table class="rows">
      <caption>{t("sweep_so_far")}</caption>
      <Heads words={[t("version"), t("sweep_learned"), t("sweep_pairs")]} />
      <tbody>
        {run.versions.map((v) => (
          <tr key={v.version}>
            <th scope="row">{v.version}</th>
            <td>{v.learned ? "✔" : "…"}</td>
            <td class="number">{v.pairs.map(count).join(" + ") || "0"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function SweepView({ title, run }: { title: string | null; run: SweepStory }) {
  const best = run.table && [...run.table.versions].sort((a, b) => (b.elo ?? -9999) - (a.elo ?? -9999));
  const limits = [...new Set(best?.map((v) => v.limit))];
  return (
    <section aria-label={t("run_sweep")} data-testid="sweep-run">
      {title && <h2>{title}</h2>}
      {!best && !run.text && <SoFar run={run} />}
      {best && (
        <div class="wide">
          <table class="rows">
            <caption>{t("sweep_table", { anchor: run.table!.anchor })}</caption>
            <Heads words={[...(limits.length > 1 ? [t("limit")] : []), t("version"), t("games"), t("sweep_only"), "λ", "Elo (95 %)", "LOS", t("sweep_played"), t("points")]} />
            <tbody>
              {limits.flatMap((limit) => best.filter((v) => v.limit === limit)).map((v) => (
                <tr key={`${v.limit} ${v.version}`}>
                  {limits.length > 1 && <td>{v.limit}</td>}
                  <th scope="row">{v.version}</th>
                  <td>{v.games}</td>
                  <td>{v.only.join(", ") || t("tree_all")}</td>
                  <td class="number">{v.lambda}</td>
                  <td class="number">{v.elo === null ? "—" : `${fixed(v.elo, 0, true)} ± ${v.error === null ? "?" : fixed(v.error, 0)}`}</td>
                  <td class="number">{v.los === null ? "—" : percent(v.los, 0)}</td>
                  <td class="number">{count(v.played)}</td>
                  <td class="number">{v.played === 0 ? "" : percent(v.points / v.played)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {!best && run.text && <pre class="log" tabIndex={0}>{run.text}</pre>}
      <details>
        <summary>{t("sweep_settings")}</summary>
        <pre class="log" tabIndex={0}>{run.settings}</pre>
      </details>
    </section>
  );
}
