// The first place: what one can do here, as tasks with an example that runs at a click; what runs, and the games that are kept.
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { type GameInfo, api } from "../api";
import { GAMES_AT_FIRST, Link, Trouble, go } from "../parts";
import { useStore } from "../store";
import { gameName, t } from "../words";
import { KeptGames } from "./KeptGames";
import { demoMatch } from "./arena/types";
import { EXAMPLES, solve } from "./solve/examples";
import { demoRun } from "./tune/demo";

/** A game to review: Morphy against the Duke of Brunswick and Count Isouard, Paris 1858. */
const OPERA = "e2e4.e7e5.g1f3.d7d6.d2d4.c8g4.d4e5.g4f3.d1f3.d6e5.f1c4.g8f6.f3b3.d8e7.b1c3.c7c6.c1g5.b7b5.c3b5.c6b5.c4b5.b8d7.e1c1.a8d8.d1d7.d8d7.h1d1.e7e6.b5d7.f6d7.b3b8.d7b8.d1d8";
const OPERA_TAGS = ["Event:Paris Opera", "Date:1858.11.02", "White:Paul Morphy", "Black:Duke of Brunswick and Count Isouard"].map((tag) => `&tag=${encodeURIComponent(tag)}`).join("");

/** A task: what it is, in one sentence, and ways to it. */
function Task({ title, words, children }: { title: string; words: string; children: ComponentChildren }) {
  return (
    <li class="task">
      <h2>{title}</h2>
      <p>{words}</p>
      <p class="task-ways">{children}</p>
    </li>
  );
}

function Tasks({ games, fail }: { games: GameInfo[] | null; fail: (problem: unknown) => void }) {
  const names = games?.map((game) => game.name) ?? GAMES_AT_FIRST;
  const demo = () => void demoMatch(t("demo_title")).then((job) => go(`/arena/${job.id}`), fail);
  const teach = () => void demoRun().then((job) => go(`/tune/job-${job.id}`), fail);
  const mate = ({ game, key, position }: (typeof EXAMPLES)[number]) => void solve(game, position, t(key), 30, true).then((job) => go(`/solve/${job.id}`), fail);
  return (
    <ul class="tasks">
      <Task title={t("task_play")} words={t("task_play_says")}>
        {names.map((name) => <Link key={name} to={`/play/${name}`}>{t("play_game", { game: gameName(name) })}</Link>)}
      </Task>
      <Task title={t("task_analyse")} words={t("task_analyse_says")}>
        <Link to={`/play/chess?moves=${OPERA}&ply=0${OPERA_TAGS}&sweep=1`}>{t("task_analyse_example")}</Link>
      </Task>
      <Task title={t("task_watch")} words={t("task_watch_says")}>
        <Link to="/tree/new">{t("tree_demo")}</Link>
        <Link to="/tree/new?game=chess&family=alpha-beta">alpha-beta</Link>
        <Link to="/tree/new?game=shogi&family=best-first">{gameName("shogi")}</Link>
        <Link to="/tree/new?game=go">{gameName("go")}</Link>
      </Task>
      <Task title={t("task_test")} words={t("task_test_says")}>
        <button onClick={demo}>{t("start_demo")}</button>
        <Link to="/arena">{t("arena")}</Link>
      </Task>
      <Task title={t("task_teach")} words={t("task_teach_says")}>
        <button onClick={teach}>{t("demo_run")}</button>
        <Link to="/tune">{t("tune")}</Link>
        <Link to="/data">{t("data")}</Link>
      </Task>
      <Task title={t("task_mate")} words={t("task_mate_says")}>
        {EXAMPLES.map((example) => <button key={example.key} onClick={() => mate(example)}>{t(example.key)}</button>)}
        <Link to="/solve">{t("solve")}</Link>
      </Task>
    </ul>
  );
}

export function Home({ games, running }: { games: GameInfo[] | null; running: ComponentChildren }) {
  const [{ version, problem }, set] = useStore(() => ({ version: "", problem: null as unknown }));
  useEffect(() => {
    api.version().then((v) => set({ version: v.version }), () => undefined);
  }, []);
  return (
    <section class="home">
      <h1>{t("purpose")}</h1>
      <Trouble problem={problem} onClose={() => set({ problem: null })} />
      <Tasks games={games} fail={(problem) => set({ problem })} />
      {running}
      <h2>{t("kept_games")}</h2>
      <KeptGames game="" games={games} />
      <p class="soft">Tesuji {version}</p>
    </section>
  );
}
