// Play and analyse: a board, an engine that thinks with or against you, the game with its variations.
import type { GameInfo } from "../../api";
import { Announce, Trouble } from "../../parts";
import { gameName, t } from "../../words";
import { PlayBoard } from "./PlayBoard";
import { PlayRecord } from "./PlayRecord";
import { PlaySearch } from "./PlaySearch";
import { PlayProvider, usePlayStore } from "./store";

/** `info` is none until the server has told which searches and formats there are: the board does not wait for it. */
export function Play({ name, info }: { name: string; info: GameInfo | null }) {
  const store = usePlayStore(name, info);
  const { state, set, session } = store;
  return (
    <PlayProvider value={store}>
      <section class="play">
        <h1 class="unseen">{t("play_game", { game: gameName(name) })}</h1>
        <Trouble problem={state.problem} onClose={() => set({ problem: null })} />
        {session.down && <p class="banner" role="status" data-testid="lost">{t("lost")}</p>}
        <Announce words={state.said} />
        <PlayBoard />
        <PlaySearch />
        <PlayRecord />
      </section>
    </PlayProvider>
  );
}
