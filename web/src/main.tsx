// The page: which place its address names, and the frame around it.
import "./style.css";
import { render } from "preact";
import { Suspense, lazy } from "preact/compat";
import { useEffect, useState } from "preact/hooks";
import { type GameInfo, api, takeToken } from "./api";
import { Help } from "./pages/Help";
import { Home } from "./pages/Home";
import { Play } from "./pages/Play";
import { Tree } from "./pages/tree/Tree";
import { Demo, TreeHome } from "./pages/tree/TreeHome";
import { Frame, Trouble } from "./parts";
import "./work.css";
import { t } from "./words";

const Arena = lazy(() => import("./pages/arena/Arena"));
const Data = lazy(() => import("./pages/data/Data"));
const HomeJobs = lazy(() => import("./pages/jobs/HomeJobs"));
const Jobs = lazy(() => import("./pages/jobs/Jobs"));
const Solve = lazy(() => import("./pages/solve/Solve"));
const Tune = lazy(() => import("./pages/tune/Tune"));

takeToken();

function App() {
  const [path, setPath] = useState(location.pathname);
  const [, setQuery] = useState(location.search);
  const [games, setGames] = useState<GameInfo[] | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const [, redraw] = useState(0);
  useEffect(() => {
    const moved = () => {
      setPath(location.pathname);
      setQuery(location.search);
    };
    addEventListener("popstate", moved);
    api.games().then(setGames, setProblem);
    return () => removeEventListener("popstate", moved);
  }, []);
  const [, place, game] = path.split("/");
  const number = /^\d+$/.test(game ?? "") ? Number(game) : null;
  const info = games?.find((g) => g.name === (game || "chess"));
  return (
    <Frame path={path} redraw={() => redraw((n) => n + 1)}>
      <Trouble problem={problem} onClose={() => setProblem(null)} />
      {place === "" && <Home games={games} />}
      {place === "help" && <Help />}
      {place === "play" && info && <Play key={info.name} game={info} />}
      {place === "play" && games && !info && <p>{t("no_page")}</p>}
      {place === "tree" && games && (game === "new" ? <Demo key={location.search} games={games} /> : game ? <Tree key={game} id={Number(game)} games={games} /> : <TreeHome games={games} />)}
      <Suspense fallback={<p aria-busy="true">…</p>}>
        {place === "" && <HomeJobs />}
        {place === "arena" && <Arena id={number} games={games} />}
        {place === "jobs" && <Jobs id={number} />}
        {place === "solve" && <Solve id={number} />}
        {place === "tune" && <Tune what={game ?? ""} games={games} />}
        {place === "data" && <Data what={game ?? ""} games={games} />}
      </Suspense>
      {!["", "help", "play", "tree", "arena", "jobs", "solve", "tune", "data"].includes(place ?? "") && <p>{t("no_page")}</p>}
    </Frame>
  );
}

render(<App />, document.getElementById("page")!);
