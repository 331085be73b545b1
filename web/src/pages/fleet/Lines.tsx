// What workers said last: faults, crashes with their stderr, versions that do not fit.
import { useEffect, useState } from "preact/hooks";
import type { Schemas } from "../../api";
import { t } from "../../words";
import { fleet } from "./store";

/** Milliseconds between two looks, while the box is open. */
const LOOK_MS = 4000;

function Said() {
  const [lines, setLines] = useState<Schemas["FleetLine"][] | null>(null);
  useEffect(() => {
    let isOver = false;
    let timer = 0;
    const look = async () => {
      const lines = await fleet.logs().catch(() => null);
      if (isOver) return;
      if (lines) setLines(lines);
      timer = setTimeout(() => void look(), LOOK_MS);
    };
    void look();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, []);
  if (lines === null) return <p aria-busy="true">…</p>;
  if (lines.length === 0) return <p>{t("fleet_no_logs")}</p>;
  return (
    <pre class="log" tabIndex={0} aria-label={t("fleet_logs")}>
      {lines.map(({ worker, line }) => `${worker}: ${line}`).join("\n")}
    </pre>
  );
}

export function Lines() {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t("fleet_logs")}</summary>
      {isOpen && <Said />}
    </details>
  );
}
