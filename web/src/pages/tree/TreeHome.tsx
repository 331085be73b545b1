// Searches whose trees can be looked at, and new ones.
import { useEffect, useRef, useState } from "preact/hooks";
import { type GameInfo, type Session, api } from "../../api";
import { Link, Trouble, go } from "../../parts";
import { spotOf } from "../../places";
import { useStore } from "../../store";
import { gameName, short, t } from "../../words";
import { plant } from "./plant";

/** A search whose tree one may watch, without questions: where the address says, or of chess from the start. */
export function Demo({ games }: { games: GameInfo[] }) {
  const [problem, setProblem] = useState<unknown>(null);
  useEffect(() => {
    const asked = new URLSearchParams(location.search);
    const game = games.find((g) => g.name === (asked.get("game") ?? "chess")) ?? games[0];
    if (!game) return;
    const known = game.families.map((f) => f.name);
    const family = [asked.get("family") ?? "mcts", "mcts"].find((f) => known.includes(f)) ?? known[0]!;
    // The way back leads to where one came from, not to another search.
    const leave = (path: string) => {
      history.replaceState(null, "", path);
      dispatchEvent(new PopStateEvent("popstate"));
    };
    void plant(game.name, family, spotOf(location.search)?.place, "", leave).catch(setProblem);
  }, []);
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
    await plant(game, search, { rules: "", start: null, moves: line }).catch(setProblem);
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
      <Trouble problem={problem} onClose={() => setProblem(null)} />
      <form
        class="entry"
        onSubmit={(e) => {
          e.preventDefault();
          void start();
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
        <button>{t("tree_plant")}</button>
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
              {s.id}: {gameName(s.game)}, {s.family}, {short(s.state.found?.nodes ?? 0)}
            </Link>{" "}
            {s.state.place.moves.slice(-6).join(" ")} <button onClick={() => void api.end(s.id).then(look, setProblem)}>{t("tree_end")}</button>
          </li>
        ))}
      </ul>
    </section>
  );
}
