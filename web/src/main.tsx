// The page: which place its address names, and the frame around it.
import "./style.css";
import { render } from "preact";
import { Suspense, lazy } from "preact/compat";
import { useEffect } from "preact/hooks";
import { type GameInfo, api, takeToken } from "./api";
import { preload } from "./boards";
import { Help } from "./pages/Help";
import { Home } from "./pages/Home";
import { Play } from "./pages/play/Play";
import { Empty, Frame, Link, Trouble } from "./parts";
import { Refused } from "./Refused";
import { useStore } from "./store";
import "./work.css";
import { language, load, t } from "./words";

const Arena = lazy(() => import("./pages/arena/Arena"));
const Data = lazy(() => import("./pages/data/Data"));
const Fleet = lazy(() => import("./pages/fleet/Fleet"));
const HomeJobs = lazy(() => import("./pages/jobs/HomeJobs"));
const Jobs = lazy(() => import("./pages/jobs/Jobs"));
const Report = lazy(() => import("./pages/report/Report"));
const Solve = lazy(() => import("./pages/solve/Solve"));
const TreeHome = lazy(() => import("./pages/tree/TreeHome").then(({ TreeHome }) => TreeHome));
const TreeAt = lazy(() => import("./pages/tree/TreeHome").then(({ TreeAt }) => TreeAt));
const Tune = lazy(() => import("./pages/tune/Tune"));

takeToken();
// The board is what one waits for: it comes beside everything else.
if (location.pathname.startsWith("/play/")) preload(location.pathname.split("/")[2]!);

interface AppState {
  path: string;
  query: string;
  /** None until the server has told. */
  games: GameInfo[] | null;
  problem: unknown;
  /** Grows when all is to be drawn again. */
  drawn: number;
}

/** An address that leads nowhere. */
function NoPage() {
  return <Empty words={t("no_page")}><Link to="/">{t("to_home")}</Link></Empty>;
}

function App() {
  const [state, set] = useStore<AppState>(() => ({ path: location.pathname, query: location.search, games: null, problem: null, drawn: 0 }));
  const { path, games, problem } = state;
  useEffect(() => {
    const moved = () => set({ path: location.pathname, query: location.search });
    addEventListener("popstate", moved);
    api.games().then((games) => set({ games }), (problem) => set({ problem }));
    return () => removeEventListener("popstate", moved);
  }, []);
  const [, place, game] = path.split("/");
  const number = /^\d+$/.test(game ?? "") ? Number(game) : null;
  const played = game || "chess";
  const info = games?.find((g) => g.name === played) ?? null;
  // Until the server has told which games there are, the board is shown already.
  const isPlayed = games === null || info !== null;
  return (
    <Frame path={path} games={games} redraw={() => set((now) => ({ drawn: now.drawn + 1 }))}>
      <Refused />
      <Trouble problem={problem} onClose={() => set({ problem: null })} />
      {place === "" && <Home games={games} running={<Suspense fallback={null}><HomeJobs /></Suspense>} />}
      {place === "help" && <Help />}
      {place === "play" && (isPlayed ? <Play key={played} name={played} info={info} /> : <NoPage />)}
      <Suspense fallback={<p aria-busy="true">…</p>}>
        {place === "tree" && games && (game === "new" || number !== null ? <TreeAt key={state.query} id={number} games={games} /> : <TreeHome games={games} />)}
        {place === "arena" && <Arena id={number} games={games} />}
        {place === "report" && <Report key={state.query} game={played} info={info} />}
        {place === "jobs" && <Jobs id={number} />}
        {place === "fleet" && <Fleet />}
        {place === "solve" && <Solve id={number} />}
        {place === "tune" && <Tune what={game ?? ""} games={games} />}
        {place === "data" && <Data what={game ?? ""} games={games} />}
      </Suspense>
      {!["", "help", "play", "tree", "report", "arena", "fleet", "jobs", "solve", "tune", "data"].includes(place ?? "") && <NoPage />}
    </Frame>
  );
}

const draw = () => render(<App />, document.getElementById("page")!);
// The page speaks its reader's language from its first word on; English where the words do not come.
void load(language).then(draw, draw);
