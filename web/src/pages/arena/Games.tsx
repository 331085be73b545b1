// The games of a match: the list, and one of them to step through.
import { useEffect, useState } from "preact/hooks";
import { type Standing, api } from "../../api";
import { StillBoard } from "../../boards/Still";
import { OpenIn } from "../../OpenIn";
import { Heads, Link, Trouble, go } from "../../parts";
import { count, fixed, t, told } from "../../words";
import { useKeys } from "../keys";
import { type GameRow, type GameView, arena } from "./types";

/** Games, the newest first, more at a press. */
export function GameList({ id, done }: { id: number; done: number }) {
  const [rows, setRows] = useState<GameRow[]>([]);
  const [total, setTotal] = useState(0);
  const [shown, setShown] = useState(20);
  useEffect(() => {
    let over = false;
    arena.games(id, 0, false).then((part) => {
      if (over) return;
      setRows(part.games);
      setTotal(part.total);
    }, () => {});
    return () => {
      over = true;
    };
  }, [id, done]);
  return (
    <section aria-label={t("games")}>
      <h2>
        {t("games")} <small class="soft">{count(total)}</small>
      </h2>
      <div class="wide">
        <table class="rows">
          <Heads words={[t("game_number"), t("first_player"), t("second_player"), t("result"), t("ended_by"), t("plies"), t("seconds")]} />
          <tbody>
            {rows.slice(0, shown).map((row) => (
              <tr key={row.game}>
                <th scope="row">
                  <Link to={`/arena/${id}?game=${row.game}`}>{row.game}</Link>
                </th>
                <td>{row.first}</td>
                <td>{row.second}</td>
                <td>{row.winner === row.first ? "1–0" : row.winner === row.second ? "0–1" : "½–½"}</td>
                <td>
                  {told("end", row.by)} {row.fault && <span title={row.fault.detail}>⚠</span>}
                </td>
                <td class="number">{row.plies}</td>
                <td class="number">{fixed(row.seconds, 1)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > shown && <button onClick={() => setShown(shown + 40)}>{t("more_games")}</button>}
    </section>
  );
}

/** One game, step by step. */
export function GameViewer({ id, n }: { id: number; n: number }) {
  const [view, setView] = useState<GameView | null>(null);
  const [at, setAt] = useState(0);
  const [stand, setStand] = useState<Standing | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  useEffect(() => {
    arena.game(id, n).then((seen) => {
      setView(seen);
      setAt(seen.place.moves.length);
    }, setProblem);
  }, [id, n]);
  useEffect(() => {
    if (!view) return;
    let over = false;
    const place = { ...view.place, moves: view.place.moves.slice(0, at) };
    api.position(view.game, place).then((s) => !over && setStand(s), setProblem);
    return () => {
      over = true;
    };
  }, [view, at]);
  const end = view?.place.moves.length ?? 0;
  // From where the reader is when it happens, not from where the last drawing left them.
  const step = (by: number) => setAt((now) => Math.min(end, Math.max(0, now + by)));
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
            {view.row.fault.player}: {view.row.fault.kind}: {view.row.fault.detail}
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
              <button class="plain" aria-current={i + 1 === at ? "true" : undefined} onClick={() => setAt(i + 1)}>
                {move.text}
              </button>
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}
