// Searches whose trees can be looked at, and new ones.
import { useEffect, useRef, useState } from "preact/hooks";
import { type GameInfo, type Session, api } from "../../api";
import { Link, Trouble, go } from "../../parts";
import { playAt, newTree } from "../../places";
import { useStore } from "../../store";
import { gameName, short, t } from "../../words";
import { whoOf } from "../seats/seat";

/** Goes to the page of the board in place of this address: the way back leads to where one came from. */
function leave(path: string): void {
  history.replaceState(null, "", path);
  dispatchEvent(new PopStateEvent("popstate"));
}

/** An address of a tree: it opens on the page of the board, with what else it says of the view. */
export function TreeAt({ id, games }: { id: number | null; games: GameInfo[] }) {
  const [problem, setProblem] = useState<unknown>(null);
  useEffect(() => {
    const asked = new URLSearchParams(location.search);
    const open = async () => {
      if (id === null) return leave(newTree(games, asked));
      const { game, seat, state: { place } } = await api.session(id);
      leave(playAt(game, { place, ply: place.moves.length }, { ...Object.fromEntries(asked), session: String(id), engine: whoOf(seat) }));
    };
    open().catch(setProblem);
  }, [id]);
  return problem ? <Trouble problem={problem} onClose={() => go("/tree")} /> : <p>{t("thinking")}</p>;
}

interface HomeState {
  sessions: Session[];
  game: string;
  /** The search that was chosen; empty: the usual one. */
  family: string;
  /** The moves before the root, as they are typed. */
  moves: string;
  problem: unknown;
}

export function TreeHome({ games }: { games: GameInfo[] }) {
  const [state, set] = useStore<HomeState>(() => ({ sessions: [], game: games[0]?.name ?? "", family: "", moves: "", problem: null }));
  const { sessions, game, family, moves, problem } = state;
  const setProblem = (problem: unknown) => set({ problem });
  const file = useRef<HTMLInputElement>(null);
  const look = () => void api.sessions().then((sessions) => set({ sessions }), setProblem);
  useEffect(look, []);
  const families = games.find((g) => g.name === game)?.families ?? [];
  const search = family || families.find((f) => f.name === "mcts")?.name || families[0]?.name || "";
  const start = async () => {
    const line = moves.trim() ? moves.trim().split(/\s+/) : [];
    const { played } = await api.position(game, { rules: "", start: null, moves: line });
    const place = { rules: "", start: null, moves: played.map(({ move }) => move) };
    go(playAt(game, { place, ply: place.moves.length }, { engine: search, analyse: "1", view: "icicle" }));
  };
  const open = async (chosen: File | undefined) => {
    if (!chosen) return;
    try {
      go(`/tree/${(await api.openTree(await chosen.text())).id}`);
    } catch (wrong) {
      setProblem(wrong);
    }
  };
  return (
    <section class="text">
      <h1>{t("tree")}</h1>
      <p>{t("task_watch_says")}</p>
      <Trouble problem={problem} onClose={() => setProblem(null)} />
      <form
        class="fields"
        onSubmit={(e) => {
          e.preventDefault();
          void start().catch(setProblem);
        }}
      >
        <label>
          {t("tree_game")}{" "}
          <select value={game} onChange={(e) => set({ game: e.currentTarget.value, family: "" })}>
            {games.map((g) => (
              <option key={g.name} value={g.name}>
                {gameName(g.name)}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t("search")}{" "}
          <select value={search} onChange={(e) => set({ family: e.currentTarget.value })}>
            {families.map((f) => (
              <option key={f.name}>{f.name}</option>
            ))}
          </select>
        </label>
        <label>
          {t("tree_moves")} <input name="moves" value={moves} onInput={(e) => set({ moves: e.currentTarget.value })} />
        </label>
        <button class="strong">{t("tree_plant")}</button>
        <button type="button" onClick={() => file.current?.click()}>
          {t("tree_open")}
        </button>
        <input ref={file} type="file" accept=".json,.tree" class="unseen" tabIndex={-1} aria-label={t("tree_open")} onChange={(e) => void open(e.currentTarget.files?.[0])} />
      </form>
      <h2>{t("tree_sessions")}</h2>
      {sessions.length === 0 && <p class="soft">{t("tree_no_sessions")}</p>}
      <ul>
        {sessions.map((s) => (
          <li key={s.id}>
            <Link to={`/tree/${s.id}`}>
              {s.id}: {gameName(s.game)}, {s.seat.name}, {short(s.state.found?.nodes ?? 0)}
            </Link>{" "}
            {s.state.place.moves.slice(-6).join(" ")} <button onClick={() => void api.end(s.id).then(look, setProblem)}>{t("tree_end")}</button>
          </li>
        ))}
      </ul>
    </section>
  );
}
