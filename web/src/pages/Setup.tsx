// Who plays, with which search, and for how long.
import type { GameInfo } from "../api";
import { t } from "../words";
import type { Seat } from "./Play";

interface Props {
  /** What can be chosen; none until the server has told. */
  info: GameInfo | null;
  family: string;
  seat: Seat;
  setSeat: (change: (seat: Seat) => Seat) => void;
  analysing: boolean;
  analyse: (on: boolean) => void;
}

const SIDES: ["none" | "first" | "second" | "both", number[]][] = [
  ["none", []],
  ["first", [0]],
  ["second", [1]],
  ["both", [0, 1]],
];

export function Setup({ info, family, seat, setSeat, analysing, analyse }: Props) {
  return (
    <div class="setup">
      <button aria-pressed={analysing} onClick={() => analyse(!analysing)}>
        {t(analysing ? "stop" : "analyse")}
      </button>
      <label>
        {t("engine_plays")}{" "}
        <select
          value={seat.plays.join()}
          onChange={(e) => {
            const plays = SIDES.find(([, sides]) => sides.join() === e.currentTarget.value)![1];
            setSeat((s) => ({ ...s, plays }));
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
        <select value={family} onChange={(e) => { const chosen = e.currentTarget.value; setSeat((s) => ({ ...s, family: chosen })); }}>
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
          onChange={(e) => {
            const amount = Math.max(1, Math.round(e.currentTarget.valueAsNumber || 1));
            setSeat((s) => ({ ...s, amount }));
          }}
        />
      </label>
      <label>
        <span class="unseen">{t("unit")}</span>
        <select value={seat.goal} onChange={(e) => { const goal = e.currentTarget.value as Seat["goal"]; setSeat((s) => ({ ...s, goal })); }}>
          <option value="time">{t("milliseconds")}</option>
          <option value="nodes">{t("nodes")}</option>
        </select>
      </label>
    </div>
  );
}
