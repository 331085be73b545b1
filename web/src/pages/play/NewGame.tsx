// A new game: against whom, with which clock, how strong, under which rules.
import { NumberField } from "../../NumberField";
import { Dialog } from "../../Dialog";
import { sideName } from "../../sides";
import { useStore } from "../../store";
import { count, t } from "../../words";
import { SeatOptions } from "../seats/Seats";
import { CLOCKS, STRENGTHS, type Wanted, canLimit, chess960, keepWanted, wantedAtFirst } from "./newGame";
import { usePlay } from "./store";

const SIZES = [9, 13, 19];
const HANDICAPS = ["even", "lance", "bishop", "rook", "2-piece", "4-piece", "6-piece", "8-piece", "10-piece"];

/** What only one game has: variants of chess, handicaps of shogi, sizes and komi of go. */
function Rules({ wanted, set }: { wanted: Wanted; set: (change: Partial<Wanted>) => void }) {
  const { game } = usePlay();
  if (game === "chess")
    return (
      <label>
        {t("variant")}
        <select value={wanted.variant} onChange={(e) => set({ variant: e.currentTarget.value })}>
          <option value="">{t("variant_standard")}</option>
          <option value="chess960">Chess960</option>
        </select>
      </label>
    );
  if (game === "shogi")
    return (
      <label>
        {t("handicap")}
        <select value={wanted.variant} onChange={(e) => set({ variant: e.currentTarget.value })}>
          {HANDICAPS.map((name) => <option key={name} value={name === "even" ? "" : name}>{t(`handicap_${name}` as never)}</option>)}
        </select>
      </label>
    );
  return (
    <>
      <label>
        {t("board_size")}
        <select value={wanted.size} onChange={(e) => set({ size: Number(e.currentTarget.value) })}>
          {SIZES.map((n) => <option key={n} value={n}>{n}×{n}</option>)}
        </select>
      </label>
      <label>
        {t("komi")}
        <NumberField step={0.5} value={wanted.komi} set={(komi) => set({ komi })} />
      </label>
    </>
  );
}

export function NewGame() {
  const { game, info, family, place, set: setPage, startGame } = usePlay();
  const [wanted, set] = useStore<Wanted>(() => wantedAtFirst(game, family, place.rules));
  const options = info?.families.find(({ name }) => name === wanted.family)?.options ?? [];
  const close = () => setPage({ dialog: null });
  const start = () => {
    const rules = game === "go" ? `${wanted.size}x${wanted.size} komi ${wanted.komi}` : wanted.variant;
    keepWanted(game, wanted);
    startGame(wanted, { rules: game === "go" && wanted.size === 19 && wanted.komi === 7.5 ? "" : rules, start: wanted.variant === "chess960" ? chess960() : null, moves: [] });
  };
  return (
    <Dialog title={t("new_game")} onClose={close}>
      <form class="dialog-fields" onSubmit={(e) => (e.preventDefault(), start())}>
        <label>
          {t("i_play")}
          <select value={wanted.mine} onChange={(e) => set({ mine: Number(e.currentTarget.value) })}>
            {[0, 1].map((side) => <option key={side} value={side}>{sideName(game, side)}</option>)}
            <option value={2}>{t("i_play_both")}</option>
            <option value={3}>{t("i_play_none")}</option>
          </select>
        </label>
        <label>
          {t("against")}
          <select value={wanted.family} disabled={wanted.mine === 2} onChange={(e) => set({ family: e.currentTarget.value })}>
            {info?.families.map(({ name }) => <option key={name} value={name}>{t("engine_named", { family: name })}</option>)}
            <SeatOptions game={game} who={wanted.family} />
          </select>
        </label>
        <label>
          {t("time_control")}
          <select value={wanted.clock} onChange={(e) => set({ clock: Number(e.currentTarget.value) })}>
            {CLOCKS.map(({ key, fill }, i) => <option key={i} value={i}>{t(key, fill)}</option>)}
          </select>
        </label>
        {CLOCKS[wanted.clock]!.key === "clock_nodes" && (
          <label>
            {t("nodes")}
            <NumberField min={1} value={wanted.nodes} set={(nodes) => set({ nodes })} />
          </label>
        )}
        {canLimit(options) && (
          <label>
            {t("strength")}
            <select value={wanted.elo} onChange={(e) => set({ elo: Number(e.currentTarget.value) })}>
              {STRENGTHS.map((elo) => <option key={elo} value={elo}>{elo === 0 ? t("strength_full") : t("strength_elo", { elo: count(elo) })}</option>)}
            </select>
          </label>
        )}
        <Rules wanted={wanted} set={set} />
        <p class="dialog-deeds">
          <button class="strong">{t("start_game")}</button>
        </p>
      </form>
    </Dialog>
  );
}
