// The choice in the forms of new runs: on this machine, or on the workspace's fleet.
import { useEffect, useState } from "preact/hooks";
import { t } from "../../words";
import { fleet } from "./store";

/** How many workers the fleet has; null: the workspace has no fleet. */
export type FleetAnswer = number | "asked" | "away" | null;

const AGAIN_MS = 5000;

/** What the workspace's fleet answers; asked again while it is away. */
export function useWorkers(): FleetAnswer {
  const [workers, setWorkers] = useState<FleetAnswer>("asked");
  useEffect(() => {
    let timer = 0;
    let isOver = false;
    const hear = (answer: FleetAnswer) => {
      if (isOver) return;
      setWorkers(answer);
      if (answer === "away") timer = window.setTimeout(ask, AGAIN_MS);
    };
    const ask = () => void fleet.show().then(({ place, state }) => hear(place ? (state?.workers ?? "away") : null), () => hear("away"));
    ask();
    return () => {
      isOver = true;
      window.clearTimeout(timer);
    };
  }, []);
  return workers;
}

/** Whether a run that is meant for the fleet has to wait: started now, it would play here. */
export function waitsForFleet(workers: FleetAnswer, checked: boolean): boolean {
  return checked && (workers === "asked" || workers === "away");
}

export function FleetChoice({ workers, checked, onChange }: { workers: FleetAnswer; checked: boolean; onChange: (checked: boolean) => void }) {
  if (workers === null || (workers === "asked" && !checked)) return null;
  return (
    <p class="fields">
      <label class="check">
        <input type="checkbox" checked={checked} onChange={(e) => onChange(e.currentTarget.checked)} />{" "}
        {typeof workers === "number" ? t("fleet_on", { workers }) : t(workers === "away" ? "fleet_away" : "fleet_asked")}
      </label>
    </p>
  );
}
