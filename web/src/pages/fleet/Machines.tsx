// The workers of a fleet: what each is, what it does now, what it has done and how fast.
import { Heads } from "../../parts";
import { count, fixed, lasting, t } from "../../words";
import { Command } from "./Empty";
import { type FleetState, type Machine, troubled, useFleet } from "./store";

function Hardware({ machine }: { machine: Machine }) {
  const memory = machine.memory_mib === null ? "" : `, ${t("fleet_memory", { n: count(Math.round(machine.memory_mib / 1024)) })}`;
  return (
    <>
      {machine.processor ?? "?"}
      <div class="soft">
        {t("fleet_cores", { n: machine.cores, jobs: machine.jobs })}
        {memory}
        {machine.noisy && `, ${t("fleet_noisy")}`}
      </div>
      {machine.cards.map((card, at) => (
        <div key={at} class="soft">{card}</div>
      ))}
      <div class="soft">{machine.sandbox === null ? t("fleet_no_sandbox") : t("fleet_sandbox", { what: machine.sandbox })}</div>
      <div class="soft sets">{machine.instruction_sets.join(" ")}</div>
    </>
  );
}

function Now({ machine }: { machine: Machine }) {
  if (machine.is_silent) return <b class="state-failed">⚠ {t("fleet_silent", { time: lasting(machine.silent_seconds) })}</b>;
  if (machine.busy.length === 0) return <span class="soft">{t("fleet_idle")}</span>;
  return (
    <>
      {machine.busy.map(({ run, unit }) => (
        <div key={`${run} ${unit}`} class="busy">
          {run} <small class="soft">#{unit}</small>
        </div>
      ))}
    </>
  );
}

function Rate({ machine }: { machine: Machine }) {
  if (machine.games_per_minute !== null) return <>{t("fleet_games_rate", { n: count(Math.round(machine.games_per_minute * 10) / 10) })}</>;
  if (machine.units_per_minute > 0) return <>{t("fleet_units_rate", { n: count(Math.round(machine.units_per_minute * 10) / 10) })}</>;
  return <span class="soft">—</span>;
}

export function Machines({ state }: { state: FleetState }) {
  const { page } = useFleet();
  const bad = troubled(state);
  const heads = [t("fleet_machine"), t("fleet_now"), t("fleet_rate"), t("fleet_done"), t("fleet_faults"), t("fleet_speed"), t("fleet_hardware")];
  if (state.machines.length === 0) {
    return (
      <section aria-label={t("fleet_machines")}>
        <h2>{t("fleet_machines")}</h2>
        <p>{t("fleet_no_machines")}</p>
        <Command words={`tesuji fleet worker ${page?.place?.argument ?? ""} --jobs 0`} />
      </section>
    );
  }
  return (
    <section aria-label={t("fleet_machines")}>
      <h2>{t("fleet_machines")}</h2>
      <div class="wide" tabIndex={0} role="region" aria-label={t("fleet_machines")}>
        <table class="rows">
          <Heads words={heads} />
          <tbody>
            {state.machines.map((machine) => (
              <tr key={`${machine.name} ${machine.id}`}>
                <th scope="row">
                  {bad.includes(machine.name) && <span class="state-failed" aria-hidden="true">⚠ </span>}
                  {machine.name}
                  <div class="soft">{machine.host}</div>
                </th>
                <td>
                  <Now machine={machine} />
                  {machine.note && <div class="soft reason">{machine.note}</div>}
                </td>
                <td><Rate machine={machine} /></td>
                <td class="number">{count(machine.done)}</td>
                <td class={machine.faults > 0 ? "number state-failed" : "number"}>{count(machine.faults)}</td>
                <td class="number">{fixed(machine.speed, 2)}</td>
                <td><Hardware machine={machine} /></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {state.workers > state.machines.length && <p>{t("fleet_left_out", { n: count(state.workers - state.machines.length) })}</p>}
    </section>
  );
}
