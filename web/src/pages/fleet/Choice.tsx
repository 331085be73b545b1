// The choice in the forms of new runs: on this machine, or on the workspace's fleet.
import { useEffect, useState } from "preact/hooks";
import { t } from "../../words";
import { fleet } from "./store";

/** How many workers the fleet has; none where there is no fleet that answers. */
export function useWorkers(): number | null {
  const [workers, setWorkers] = useState<number | null>(null);
  useEffect(() => {
    let isOver = false;
    fleet.show().then(({ state }) => void (isOver || setWorkers(state?.workers ?? null)), () => undefined);
    return () => void (isOver = true);
  }, []);
  return workers;
}

export function FleetChoice({ workers, checked, onChange }: { workers: number | null; checked: boolean; onChange: (checked: boolean) => void }) {
  if (workers === null) return null;
  return (
    <p class="fields">
      <label class="check">
        <input type="checkbox" checked={checked} onChange={(e) => onChange(e.currentTarget.checked)} /> {t("fleet_on", { workers })}
      </label>
    </p>
  );
}
