// The engine of the page that plays: how it is set up, what it found, and why.
import { t } from "../../words";
import { plant } from "../tree/plant";
import { Candidates } from "./Candidates";
import { Setup } from "./Setup";
import { usePlay } from "./store";

export function PlaySearch() {
  const { game, family, place, state: { why }, explain, fail } = usePlay();
  return (
    <div class="play-search">
      <Setup />
      <Candidates />
      <button onClick={explain}>{t("why")}</button>{" "}
      <button onClick={() => void plant(game, family, place, "?why=").catch(fail)}>{t("tree_from_play")}</button>
      {why && <pre class="why" tabIndex={0}>{why}</pre>}
    </div>
  );
}
