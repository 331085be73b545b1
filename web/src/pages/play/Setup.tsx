// Who plays, with which search, and for how long.
import { t } from "../../words";
import type { Seat } from "./session";
import { usePlay } from "./store";

const SIDES: ["none" | "first" | "second" | "both", number[]][] = [
  ["none", []],
  ["first", [0]],
  ["second", [1]],
  ["both", [0, 1]],
];

export function Setup() {
  const { info, family, state: { seat, analysing }, set } = usePlay();
  const setSeat = (change: Partial<Seat>) => set((now) => ({ seat: { ...now.seat, ...change } }));
  return (
    <div class="setup">
      <button aria-pressed={analysing} onClick={() => set({ analysing: !analysing })}>
        {t(analysing ? "stop" : "analyse")}
      </button>
      <label>
        {t("engine_plays")}{" "}
        <select
          value={seat.plays.join()}
          onChange={(e) => {
            const plays = SIDES.find(([, sides]) => sides.join() === e.currentTarget.value)![1];
            setSeat({ plays });
          }}
        >
          {SIDES.map(([key, sides]) => (
            <option key={key} value={sides.join()}>
              {t(`plays_${key}`)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t("search")}{" "}
        <select value={family} onChange={(e) => setSeat({ family: e.currentTarget.value })}>
          {info?.families.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label>
        {t("limit")}{" "}
        <input
          type="number"
          min={1}
          value={seat.amount}
          onChange={(e) => setSeat({ amount: Math.max(1, Math.round(e.currentTarget.valueAsNumber || 1)) })}
        />
      </label>
      <label>
        <span class="unseen">{t("unit")}</span>
        <select value={seat.goal} onChange={(e) => setSeat({ goal: e.currentTarget.value as Seat["goal"] })}>
          <option value="time">{t("milliseconds")}</option>
          <option value="nodes">{t("nodes")}</option>
        </select>
      </label>
    </div>
  );
}
