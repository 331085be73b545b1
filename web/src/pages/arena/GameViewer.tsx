// One game of a match, step by step.
import { useEffect } from "preact/hooks";
import { type Standing, api } from "../../api";
import { StillBoard } from "../../boards/Still";
import { OpenIn } from "../../OpenIn";
import { Trouble, go } from "../../parts";
import { useStore } from "../../store";
import { t, told } from "../../words";
import { useKeys } from "../keys";
import { type GameView, arena } from "./types";

interface ViewerState {
  view: GameView | null;
  /** How many moves are played on the board. */
  at: number;
  stand: Standing | null;
  problem: unknown;
}

export function GameViewer({ id, n }: { id: number; n: number }) {
  const [{ view, at, stand, problem }, set] = useStore<ViewerState>(() => ({ view: null, at: 0, stand: null, problem: null }));
  const setProblem = (problem: unknown) => set({ problem });
  useEffect(() => {
    arena.game(id, n).then((view) => set({ view, at: view.place.moves.length }), setProblem);
  }, [id, n]);
  useEffect(() => {
    if (!view) return;
    let over = false;
    const place = { ...view.place, moves: view.place.moves.slice(0, at) };
    api.position(view.game, place).then((stand) => !over && set({ stand }), setProblem);
    return () => {
      over = true;
    };
  }, [view, at]);
  const end = view?.place.moves.length ?? 0;
  // From where the reader is when it happens, not from where the last drawing left them.
  const step = (by: number) => set((now) => ({ at: Math.min(end, Math.max(0, now.at + by)) }));
  const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, Home: -end, End: end };
  useKeys((key) => {
    const by = steps[key];
    return by === undefined ? null : () => step(by);
  });
  return (
    <section class="viewer" aria-label={t("game_n", { n })}>
      <h2>
        {t("game_n", { n })} {view && <small class="soft">{view.row.first} – {view.row.second}, {told("end", view.row.by)}</small>}
      </h2>
      <Trouble problem={problem} onClose={() => setProblem(null)} />
      {view?.row.fault && (
        <details class="trouble">
          <summary>
            {view.row.fault.player}: {told("fault", view.row.fault.kind)}: {view.row.fault.detail}
          </summary>
          <pre>{view.row.fault.last_lines.join("\n")}</pre>
        </details>
      )}
      <div class="two">
        <div class="viewer-board">
          {stand && view && (
            <StillBoard game={view.game} position={stand.position} side={stand.side} last={view.place.moves[at - 1] ?? null} />
          )}
          <div class="deeds-line">
            {([["|◀", "to_start", -end], ["◀", "back", -1], ["▶", "forward", 1], ["▶|", "to_end", end]] as const).map(([sign, key, by]) => (
              <button
                key={key}
                aria-label={t(key)}
                disabled={!view || (by === -1 && at === 0) || (by === 1 && at === end)}
                onClick={() => step(by)}
              >
                {sign}
              </button>
            ))}
            <span class="number" data-testid="ply">
              {at} / {end}
            </span>
            {view && <OpenIn game={view.game} place={view.place} ply={at} />}
            <button onClick={() => go(`/arena/${id}`)}>{t("close")}</button>
          </div>
        </div>
        <ol class="line-moves" tabIndex={0} aria-label={t("moves")}>
          {view?.moves.map((move, i) => (
            <li key={i}>
              <button class="plain" aria-current={i + 1 === at ? "true" : undefined} onClick={() => set({ at: i + 1 })}>
                {move.text}
              </button>
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}
