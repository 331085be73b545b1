// Who plays, with which search, and for how long.
import { t } from "../../words";
import type { EngineSetup } from "./session";
import { usePlay } from "./store";

const SIDES: ["none" | "first" | "second" | "both", number[]][] = [
  ["none", []],
  ["first", [0]],
  ["second", [1]],
  ["both", [0, 1]],
];

export function Setup() {
  const { info, family, state: { opponent, analysing }, set } = usePlay();
  const setOpponent = (change: Partial<EngineSetup>) => set((now) => ({ opponent: { ...now.opponent, ...change } }));
  return (
    <div class="setup">
      <button aria-pressed={analysing} onClick={() => set({ analysing: !analysing })}>
        {t(analysing ? "stop" : "analyse")}
      </button>
      <label>
        {t("engine_plays")}{" "}
        <select
          value={opponent.plays.join()}
          onChange={(e) => {
            const plays = SIDES.find(([, sides]) => sides.join() === e.currentTarget.value)![1];
            setOpponent({ plays });
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
        <select value={family} onChange={(e) => setOpponent({ family: e.currentTarget.value })}>
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
          value={opponent.amount}
          onChange={(e) => setOpponent({ amount: Math.max(1, Math.round(e.currentTarget.valueAsNumber || 1)) })}
        />
      </label>
      <label>
        <span class="unseen">{t("unit")}</span>
        <select value={opponent.goal} onChange={(e) => setOpponent({ goal: e.currentTarget.value as EngineSetup["goal"] })}>
          <option value="time">{t("milliseconds")}</option>
          <option value="nodes">{t("nodes")}</option>
        </select>
      </label>
    </div>
  );
}
