// The engine's row: which search, on or off, how many lines; and whom it plays for.
import { useEffect, useRef, useState } from "preact/hooks";
import { NumberField } from "../../NumberField";
import { hasLetters, setLetters } from "../../notation";
import { language, t } from "../../words";
import { SeatOptions, SeatSettings } from "../seats/Seats";
import { isEngine } from "../seats/seat";
import { hasSound, setSound } from "./sounds";
import type { EngineSetup } from "./session";
import { usePlay } from "./store";

const SIDES: ["none" | "first" | "second" | "both", number[]][] = [
  ["none", []],
  ["first", [0]],
  ["second", [1]],
  ["both", [0, 1]],
];
const LINES = [1, 2, 3, 4, 5, 8];

/** Whom the engine plays for, and how long it thinks then. */
function Opponent() {
  const { state: { opponent }, set } = usePlay();
  const setOpponent = (change: Partial<EngineSetup>) => set((now) => ({ opponent: { ...now.opponent, ...change } }));
  return (
    <>
      <label>
        {t("engine_plays")}{" "}
        <select
          value={opponent.plays.join()}
          onChange={(e) => {
            const plays = SIDES.find(([, sides]) => sides.join() === e.currentTarget.value)![1];
            setOpponent({ plays, isGame: false });
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
        {t("limit")}{" "}
        <NumberField min={1} value={opponent.amount} set={(amount) => setOpponent({ amount })} />
      </label>
      <label>
        <span class="unseen">{t("unit")}</span>
        <select value={opponent.goal} onChange={(e) => setOpponent({ goal: e.currentTarget.value as EngineSetup["goal"] })}>
          <option value="time">{t("milliseconds")}</option>
          <option value="nodes">{t("nodes")}</option>
        </select>
      </label>
    </>
  );
}

/** What one hears, and sees on the board. */
function Looks() {
  const { game, state: { hasArrows, hasNumbers, hasOwners }, set } = usePlay();
  const [sounds, setSounds] = useState(hasSound());
  const hear = (on: boolean) => {
    setSound(on);
    setSounds(on);
  };
  return (
    <>
      <label><input type="checkbox" checked={sounds} onChange={(e) => hear(e.currentTarget.checked)} /> {t("sounds")}</label>
      <label><input type="checkbox" checked={hasArrows} onChange={(e) => set({ hasArrows: e.currentTarget.checked })} /> {t("candidates_on_board")}</label>
      {game === "shogi" && <label><input type="checkbox" checked={hasLetters(language)} onChange={(e) => (setLetters(e.currentTarget.checked), location.reload())} /> {t("shogi_letters")}</label>}
      {game === "go" && <label><input type="checkbox" checked={hasNumbers} onChange={(e) => set({ hasNumbers: e.currentTarget.checked })} /> {t("move_numbers")}</label>}
      {game === "go" && <label><input type="checkbox" checked={hasOwners} onChange={(e) => set({ hasOwners: e.currentTarget.checked })} /> {t("ownership")}</label>}
    </>
  );
}

/** Closes what was opened, by Esc or by a press outside of it. */
function useClosing() {
  const box = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      const isLeft = event instanceof KeyboardEvent ? event.key === "Escape" : !box.current?.contains(event.target as Node);
      if (isLeft && box.current) box.current.open = false;
    };
    addEventListener("pointerdown", close);
    addEventListener("keydown", close);
    return () => {
      removeEventListener("pointerdown", close);
      removeEventListener("keydown", close);
    };
  }, []);
  return box;
}

export function Setup() {
  const box = useClosing();
  const { game, info, family, session, place, state: { lines, opponent }, set, isOn, isThinking, think, grown } = usePlay();
  return (
    <div class="engine">
      <i class={`lamp${isThinking ? " on" : ""}`} aria-hidden="true" />
      <label class="engine-name">
        <span class="unseen">{t("search")}</span>
        <select value={family} onChange={(e) => set({ opponent: { ...opponent, family: e.currentTarget.value, options: {} } })}>
          {(info?.families ?? (isEngine(family) ? [] : [{ name: family }])).map(({ name }) => (
            <option key={name} value={name}>
              {t("engine_named", { family: name })}
            </option>
          ))}
          <SeatOptions game={game} who={family} />
        </select>
      </label>
      <button class="strong" aria-pressed={isOn} onClick={think}>
        {t(isOn ? "stop" : "analyse")}
      </button>
      <label class="lines-of">
        <span class="unseen">{t("lines")}</span>
        <select value={lines} onChange={(e) => set({ lines: Number(e.currentTarget.value) })}>
          {LINES.map((n) => (
            <option key={n} value={n}>
              {t("lines_n", { n })}
            </option>
          ))}
        </select>
      </label>
      <button class="ask-why" aria-pressed={grown.state.why} onClick={grown.askWhy} title="W">{t("tab_why")}</button>
      <details class="settings" data-testid="settings" ref={box}>
        <summary title={t("settings")} aria-label={t("settings")}>⚙</summary>
        <div class="opponent">
          <Opponent />
          <Looks />
          <SeatSettings who={family} session={session.id} prepare={() => session.prepare(place)} onSeat={(family) => set({ opponent: { ...opponent, family, options: {} } })} />
        </div>
      </details>
    </div>
  );
}
