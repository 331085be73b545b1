// The runs of a fleet: how each stands and how long it takes, what audits and clocks say of its workers, and what can be done with it.
import { Heads } from "../../parts";
import { count, lasting, percent, t } from "../../words";
import { Command } from "./Empty";
import { type FleetState, type Run, chance, fleet, nameOf, useFleet } from "./store";

/** A shape for each state: colours are not enough. */
const SIGNS: Record<Run["phase"], string> = { active: "▶", paused: "⏸", stopped: "■", waiting: "…", failed: "✘", closed: "✔" };

function Deeds({ run }: { run: Run }) {
  const { isBusy, ask } = useFleet();
  const isOpen = run.phase !== "closed" && run.phase !== "failed";
  if (!isOpen) return null;
  const isResting = run.phase === "paused" || run.phase === "stopped";
  return (
    <span class="deeds" role="group" aria-label={t("fleet_deeds_of", { name: run.name })}>
      {isResting
        ? <button disabled={isBusy} onClick={() => ask(fleet.act(run.id, "resume"))}>{t("fleet_resume")}</button>
        : <button disabled={isBusy} onClick={() => ask(fleet.act(run.id, "pause"))}>{t("fleet_pause")}</button>}
      {run.phase !== "stopped" && <button disabled={isBusy} onClick={() => ask(fleet.act(run.id, "stop"))}>{t("fleet_stop")}</button>}
    </span>
  );
}

/** How far, how fast, how long still: what is not known is not shown. */
function Progress({ run }: { run: Run }) {
  const units = { done: count(run.committed), total: count(run.units_total ?? 0) };
  const parts = [
    t(run.units_total === null ? "fleet_units" : "fleet_units_of", units),
    // Before anything is done there is no rate.
    run.committed > 0 && run.games_per_minute !== null && t("fleet_games_rate", { n: count(Math.round(run.games_per_minute)) }),
    run.committed > 0 && run.games_per_minute === null && run.units_per_minute !== null && t("fleet_units_rate", { n: count(Math.round(run.units_per_minute)) }),
    run.left_seconds !== null && t("left", { time: lasting(run.left_seconds) }),
  ];
  return (
    <div class="progress">
      {run.units_total !== null && run.units_total > 0 && <progress value={Math.min(1, run.committed / run.units_total)} max={1} aria-label={t("progress")} />}
      <span class="number">{parts.filter(Boolean).join(" · ")}</span>
    </div>
  );
}

function Watched({ run }: { run: Run }) {
  if (run.watched.length === 0) return null;
  const heads = [t("fleet_watched_group"), t("fleet_games"), t("fleet_time_losses"), t("fleet_stolen"), t("fleet_pairs_p"), t("fleet_verdict")];
  return (
    <details open={run.watched.some((group) => group.verdict !== null)}>
      <summary>{t("fleet_watched")}</summary>
      <div class="wide" tabIndex={0} role="region" aria-label={`${t("fleet_watched")}, ${run.name}`}>
        <table class="rows">
          <Heads words={heads} />
          <tbody>
            {run.watched.map((group) => (
              <tr key={`${group.is_processor} ${group.name}`}>
                <th scope="row">{group.name}</th>
                <td class="number">{count(group.games)}</td>
                <td class="number">{count(group.time_losses)}</td>
                <td class="number">{percent(group.stolen)}</td>
                <td class="number">{group.pairs_p === null ? t("fleet_too_few") : chance(group.pairs_p)}</td>
                <td class={group.verdict ? "state-failed reason" : "reason"}>{group.verdict ? `⚠ ${group.verdict}` : t("fleet_fine")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function Shares({ run }: { run: Run }) {
  if (run.shares.length === 0) return null;
  return (
    <details>
      <summary>{t("fleet_shares")}</summary>
      <ul>
        {run.shares.map((share) => (
          <li key={share.id}>
            {t("fleet_share", { name: share.name, units: count(share.units) })}
            {share.units_per_minute > 0 && `, ${t("fleet_units_rate", { n: count(Math.round(share.units_per_minute * 10) / 10) })}`}
          </li>
        ))}
        {run.shares_left_out > 0 && <li>{t("fleet_left_out", { n: count(run.shares_left_out) })}</li>}
      </ul>
    </details>
  );
}

function OneRun({ run, state }: { run: Run; state: FleetState }) {
  const { isBusy, ask } = useFleet();
  const [agreed, differed] = run.audits as [number, number];
  const bad = run.phase === "failed" ? "state state-failed" : run.phase === "active" ? "state state-running" : "state";
  return (
    <article class="fleet-run" aria-label={run.name}>
      <h3>
        {run.name} <small class="soft">{run.id.slice(0, 8)} · {t("fleet_priority", { n: run.priority })}</small>
      </h3>
      <div class="deeds-line">
        <span class={bad} data-testid="fleet-phase" data-phase={run.phase}>
          <span aria-hidden="true">{SIGNS[run.phase]}</span> {t(`fleet_run_state_${run.phase}`)}
        </span>
        <Progress run={run} />
        <Deeds run={run} />
      </div>
      {run.summary && <p class="summary" data-testid="fleet-summary">{run.summary}</p>}
      {run.failure && <p class="trouble">{run.failure}</p>}
      {run.phase === "waiting" || run.phase === "stopped" ? <p>{t("fleet_nobody")}</p> : run.coordinator && run.phase !== "closed" && <p class="soft">{t("fleet_coordinated", { host: run.coordinator })}</p>}
      {agreed + differed > 0 && <p class={differed > 0 ? "state-failed" : ""}>{t("fleet_audits", { n: count(agreed + differed), differed: count(differed) })}</p>}
      {run.excluded.map(({ worker, reason }) => (
        <p key={worker} class="trouble">
          {t("fleet_excluded", { worker: nameOf(state, run, worker), reason })}{" "}
          <button disabled={isBusy} onClick={() => ask(fleet.drop(run.id, worker, true))}>{t("fleet_take_back", { worker: nameOf(state, run, worker) })}</button>
        </p>
      ))}
      {run.waiting.map(({ unit, worker, silent_seconds }) => (
        <p key={unit} class="soft">{t("fleet_waiting", { unit, worker, time: lasting(silent_seconds) })}</p>
      ))}
      <Watched run={run} />
      <Shares run={run} />
    </article>
  );
}

export function Runs({ state }: { state: FleetState }) {
  const { page, isBusy, ask } = useFleet();
  const open = state.runs.filter((run) => run.phase !== "closed" && run.phase !== "failed");
  return (
    <section aria-label={t("fleet_runs")}>
      <h2>{t("fleet_runs")}</h2>
      {state.runs.length === 0 && (
        <>
          <p>{t("fleet_no_runs")}</p>
          <Command words={`tesuji match --engine name=new --engine name=old --nodes 5000 --sprt 0 5 --fleet ${page?.place?.argument ?? ""}`} />
        </>
      )}
      {open.length > 1 && (
        <p>
          <button disabled={isBusy} onClick={() => ask(fleet.act("all", state.is_paused ? "resume" : "pause"))}>
            {t(state.is_paused ? "fleet_resume_all" : "fleet_pause_all")}
          </button>
        </p>
      )}
      {state.runs.map((run) => <OneRun key={run.id} run={run} state={state} />)}
    </section>
  );
}
