// The games of a match: the list.
import { useEffect } from "preact/hooks";
import { Heads, Link } from "../../parts";
import { useStore } from "../../store";
import { count, fixed, t, told } from "../../words";
import { type GameRow, arena } from "./types";

/** Games, the newest first, more at a press. */
export function GameList({ id, done }: { id: number; done: number }) {
  const [{ rows, total, shown }, set] = useStore(() => ({ rows: [] as GameRow[], total: 0, shown: 20 }));
  useEffect(() => {
    let over = false;
    arena.games(id, 0, false).then(({ games, total }) => !over && set({ rows: games, total }), () => {});
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
      {rows.length > shown && <button onClick={() => set({ shown: shown + 40 })}>{t("more_games")}</button>}
    </section>
  );
}
