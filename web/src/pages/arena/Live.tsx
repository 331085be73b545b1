// Boards of games in play: four small ones, or one that is followed.
import { useEffect, useState } from "preact/hooks";
import { StillBoard } from "../../boards/Still";
import { Link } from "../../parts";
import { treeAt } from "../../places";
import { fixed, lasting, t } from "../../words";
import type { LiveGame, MatchView } from "./types";

const SHOWN = 4;

function valueText(game: LiveGame, side: 0 | 1): string {
  const mate = game.mates[side];
  if (mate !== null) return `#${mate}`;
  const cp = game.values[side];
  return cp === null ? "" : fixed(cp / 100, 2, true);
}

/** One side: who, what it thinks, its clock. */
function Side({ view, game, side }: { view: MatchView; game: LiveGame; side: 0 | 1 }) {
  const clock = game.clocks[side];
  return (
    <p class="live-side" aria-current={game.side === side ? "true" : undefined}>
      <span>
        <span aria-hidden="true">{side === 0 ? "①" : "②"}</span> {view.players[game.players[side]]}
      </span>
      <span class="number">
        {valueText(game, side)} {game.depths[side] > 0 && <small>/{game.depths[side]}</small>} {clock !== null && (clock < 60 ? fixed(clock, 1) : lasting(clock))}
      </span>
    </p>
  );
}

export function LiveBoards({ view }: { view: MatchView }) {
  const [followed, follow] = useState<number | null>(null);
  useEffect(() => {
    // A followed board passes on to another game when its own is over.
    if (followed !== null && view.live.length > 0 && !view.live.some((g) => g.game === followed)) follow(view.live[0]!.game);
  }, [view, followed]);
  const shown = followed === null ? view.live.slice(0, SHOWN) : view.live.filter((g) => g.game === followed);
  if (view.live.length === 0) return <p class="soft">{t("no_live")}</p>;
  return (
    <div class={followed === null ? "live-boards" : "live-one"}>
      {shown.map((game) => (
        <article key={game.game} class="live" aria-label={t("game_n", { n: game.game })}>
          <Side view={view} game={game} side={1} />
          {game.position !== null && (
            <StillBoard game={view.game} position={game.position} side={game.side ?? 0} last={game.last} />
          )}
          <Side view={view} game={game} side={0} />
          <p class="soft">
            {t("game_n", { n: game.game })} · {t("ply_n", { n: game.plies })} · {lasting(game.seconds)}{" "}
            <button aria-pressed={followed === game.game} onClick={() => follow(followed === game.game ? null : game.game)}>
              {t("follow")}
            </button>{" "}
            {game.position !== null && <Link to={treeAt(view.game, { place: { rules: view.rules, start: game.position, moves: [] }, ply: 0 })}>{t("tree")}</Link>}
          </p>
        </article>
      ))}
    </div>
  );
}
