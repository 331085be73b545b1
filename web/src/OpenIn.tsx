// Links that open a position or game on the pages that play, look over, and grow trees.
import type { GamePosition } from "./api";
import { Link } from "./parts";
import { playAt, treeAt } from "./places";
import { t } from "./words";

interface Props {
  game: string;
  place: GamePosition;
  /** Where in the moves one stands; none: behind them. */
  ply?: number;
}

/** Links that open a position or game on other pages. */
export function OpenIn({ game, place, ply }: Props) {
  const spot = { place, ply: ply ?? place.moves.length };
  return (
    <span class="open-in" role="group" aria-label={t("open_in")}>
      <Link to={playAt(game, spot)}>{t("open_play")}</Link> <Link to={treeAt(game, spot)}>{t("tree")}</Link>{" "}
      {place.moves.length > 1 && <Link to={playAt(game, { place, ply: 0 }, { sweep: "1" })}>{t("sweep")}</Link>}
    </span>
  );
}
