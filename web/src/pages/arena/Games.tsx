// The games of a match: the list, in the order that one wants.
import { useEffect } from "preact/hooks";
import { Link } from "../../parts";
import { useStore } from "../../store";
import { type Key, count, fixed, t, told } from "../../words";
import { type Column, sorted } from "./series";
import { type GameRow, arena } from "./types";

/** Games that are fetched for an order at most: sorting more helps nobody. */
const SORTED_MAX = 5000;

const COLUMNS: [Column, Key][] = [
  ["game", "game_number"], ["first", "first_player"], ["second", "second_player"], ["result", "result"], ["by", "ended_by"], ["plies", "plies"], ["seconds", "seconds"],
];

/** All games, or as many as are sorted. */
async function allGames(id: number): Promise<GameRow[]> {
  const all: GameRow[] = [];
  for (;;) {
    const { games } = await arena.games(id, all.length, false);
    all.push(...games);
    if (games.length === 0 || all.length >= SORTED_MAX) return all;
  }
}

interface ListState {
  rows: GameRow[];
  total: number;
  shown: number;
  /** The column by which the games are sorted; none: the newest first. */
  by: Column | null;
  isDown: boolean;
}

/** Games, the newest first until a column is pressed, more at a press. */
export function GameList({ id, done }: { id: number; done: number }) {
  const [{ rows, total, shown, by, isDown }, set] = useStore<ListState>(() => ({ rows: [], total: 0, shown: 20, by: null, isDown: true }));
  useEffect(() => {
    let over = false;
    const load = async () => {
      const { games, total } = await arena.games(id, 0, false);
      return { rows: by === null || games.length >= total ? games : await allGames(id), total };
    };
    load().then((loaded) => !over && set(loaded), () => {});
    return () => {
      over = true;
    };
  }, [id, done, by]);
  const list = by === null ? rows : sorted(rows, by, isDown);
  return (
    <section aria-label={t("games")}>
      <h2>
        {t("games")} <small class="soft">{count(total)}</small>
      </h2>
      <div class="wide">
        <table class="rows">
          <thead>
            <tr>
              {COLUMNS.map(([column, key]) => (
                <th key={column} scope="col" aria-sort={by === column ? (isDown ? "descending" : "ascending") : undefined}>
                  <button class="plain" onClick={() => set((now) => ({ by: column, isDown: now.by === column ? !now.isDown : true }))}>
                    {t(key)} {by === column && (isDown ? "▾" : "▴")}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {list.slice(0, shown).map((row) => (
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
