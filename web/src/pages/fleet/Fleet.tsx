// The fleet: who works and on what, runs with what can be done with them, versions and where they were built; without one, how to start it.
import { Heads, Trouble } from "../../parts";
import { count, t } from "../../words";
import { Empty } from "./Empty";
import { Lines } from "./Lines";
import { Machines } from "./Machines";
import { Runs } from "./Runs";
import { FleetProvider, type FleetState, fleet, useFleet, useFleetStore } from "./store";

/** A shape for each outcome: colours are not enough. */
const SIGNS = { building: "…", built: "✔", file: "▣", refused: "✘", failed: "⚠" } as const;

function Builds({ state }: { state: FleetState }) {
  if (state.builds.length === 0) return null;
  const workers = [...new Set(state.builds.flatMap((version) => version.at.map((at) => at.worker)))].sort();
  return (
    <section aria-label={t("fleet_builds")}>
      <h2>{t("fleet_builds")}</h2>
      <p class="soft">{t("fleet_builds_about")}</p>
      <div class="wide" tabIndex={0} role="region" aria-label={t("fleet_builds")}>
        <table class="rows">
          <Heads words={[t("fleet_revision"), ...workers]} />
          <tbody>
            {state.builds.map((version, i) => (
              <tr key={i}>
                <th scope="row"><code>{version.commit}</code></th>
                {workers.map((worker) => {
                  const at = version.at.find((at) => at.worker === worker);
                  return (
                    <td key={worker} class={at && (at.outcome === "refused" || at.outcome === "failed") ? "state-failed" : ""}>
                      {at && <><span aria-hidden="true">{SIGNS[at.outcome]}</span> {t(`fleet_built_${at.outcome}`)}</>}
                      {at?.bench != null && <div class="soft">{t("fleet_bench", { n: count(at.bench) })}</div>}
                      {at?.reason && <div class="soft reason">{at.reason}</div>}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Head() {
  const { page, isBusy, ask } = useFleet();
  const state = page?.state;
  if (!page?.place) return <h1>{t("fleet")}</h1>;
  return (
    <>
      <h1>
        {t("fleet")} <small class="soft">{t("fleet_at", { address: page.place.address })}</small>
      </h1>
      {state && (
        <p class="elo-line" data-testid="fleet-sum">
          <span>{t("fleet_sum", { workers: count(state.workers), slots: count(state.slots) })}</span>
          {state.games_per_minute !== null && <span>{t("fleet_games_rate", { n: count(Math.round(state.games_per_minute)) })}</span>}
        </p>
      )}
      {page.place.is_chosen && (
        <p>
          <button disabled={isBusy} onClick={() => ask(fleet.forget())}>{t("fleet_forget")}</button>
        </p>
      )}
    </>
  );
}

/** `/fleet`. */
export default function Fleet() {
  const store = useFleetStore();
  const { page, isLost, problem, set } = store;
  if (!page) return isLost ? <p class="lost" role="status">{t("lost")}</p> : <p aria-busy="true">…</p>;
  const { state } = page;
  return (
    <FleetProvider value={store}>
      <div class="fleet">
        {isLost && <p class="lost" role="status" data-testid="lost">{t("lost")}</p>}
        <Head />
        <Trouble problem={problem} onClose={() => set({ problem: null })} />
        {page.problem && (
          <div class="trouble" role="status" data-testid="fleet-away">
            <b>{t("fleet_no_answer")}:</b> {page.problem}
            <p>{t("fleet_again")}</p>
          </div>
        )}
        {(!page.is_built || !page.place) && <Empty page={page} />}
        {state && <Machines state={state} />}
        {state && <Runs state={state} />}
        {state && <Builds state={state} />}
        {state && <Lines />}
      </div>
    </FleetProvider>
  );
}
