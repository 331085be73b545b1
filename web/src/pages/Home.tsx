// The first place: what one can do here.
import { useEffect, useState } from "preact/hooks";
import { type GameInfo, api } from "../api";
import { GAMES_AT_FIRST, Link } from "../parts";
import { gameName, t } from "../words";
import { KeptGames } from "./KeptGames";

export function Home({ games }: { games: GameInfo[] | null }) {
  const [version, setVersion] = useState("");
  useEffect(() => {
    api.version().then((v) => setVersion(v.version), () => setVersion(""));
  }, []);
  return (
    <section class="home">
      <h1>Tesuji</h1>
      <p>{t("purpose")}</p>
      <ul class="big">
        {(games?.map((game) => game.name) ?? GAMES_AT_FIRST).map((name) => (
          <li key={name}>
            <Link to={`/play/${name}`}>
              {t("play_game", { game: gameName(name) })}
              <small>{games?.find((game) => game.name === name)?.families.map((f) => f.name).join(" · ") ?? "\u00a0"}</small>
            </Link>
          </li>
        ))}
        <li>
          <Link to="/tree/new">
            {t("tree_demo")}
            <small>{t("tree_demo_says")}</small>
          </Link>
        </li>
      </ul>
      <h2>{t("kept_games")}</h2>
      <KeptGames game="" games={games} />
      <p class="soft">{version}</p>
    </section>
  );
}
