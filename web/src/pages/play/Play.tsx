// The page of the board: play, analysis with its tree, and the game with its variations.
import "./play.css";
import { useEffect, useState } from "preact/hooks";
import { type GameInfo, api } from "../../api";
import { Announce, Trouble } from "../../parts";
import { gameName, t } from "../../words";
import { whoOf } from "../seats/seat";
import { TreePanel } from "../tree/TreePanel";
import { TreeProvider } from "../tree/store";
import { WhyNot } from "../why/WhyNot";
import { type Wish, wishOf, withLeft } from "./address";
import { takeLeft } from "./left";
import { Candidates } from "./Candidates";
import { Controls } from "./Controls";
import { GamePanes } from "./GamePanes";
import { PlayBoard } from "./PlayBoard";
import { Setup } from "./Setup";
import { NewGame } from "./NewGame";
import { OpenDialog, useDrops } from "./OpenDialog";
import { PlayProvider, usePlay, usePlayStore } from "./store";

/** What is open over the page; and what is dropped on it. */
function Dialogs() {
  const { state: { dialog } } = usePlay();
  useDrops();
  if (dialog === "new") return <NewGame />;
  return dialog === "open" ? <OpenDialog /> : null;
}

interface PlayProps {
  name: string;
  /** None until the server has told which searches and formats there are: the board does not wait for it. */
  info: GameInfo | null;
}

/** A search that the address names by its number alone is asked who it is, before the page says so. */
export function Play(props: PlayProps) {
  const [wish, setWish] = useState(() => withLeft(wishOf(location.search), takeLeft(props.name)));
  const isKnown = wish.session === null || wish.engine !== "";
  useEffect(() => {
    if (isKnown) return;
    api.session(wish.session!).then(({ seat }) => setWish({ ...wish, engine: whoOf(seat) }), () => setWish({ ...wish, session: null }));
  }, []);
  return isKnown ? <Board {...props} wish={wish} /> : <p>{t("thinking")}</p>;
}

function Board({ name, info, wish }: PlayProps & { wish: Wish }) {
  const store = usePlayStore(name, info, wish);
  const { state, set, session, grown, whyNot } = store;
  /** Keys go to the tree while one works there. */
  const hold = (event: Event) => set({ isTreeHeld: (event.target as Element).closest("[data-keys-of=tree]") !== null });
  const tab = grown.state.why || whyNot.asked ? "why" : state.tab;
  return (
    <PlayProvider value={store}>
      <TreeProvider value={grown}>
        <section class={`play ${name}`} data-tab={tab} onPointerDown={hold} onFocusIn={hold}>
          <h1 class="unseen">{t("play_game", { game: gameName(name) })}</h1>
          <Trouble problem={state.problem} onClose={() => set({ problem: null })} />
          {(session.down || grown.down) && <p class="banner" role="status" data-testid="lost">{t("lost")}</p>}
          {store.holder === "other" && (
            <p class="banner other-window" role="status" data-testid="other-window">
              {t("other_window")} <button onClick={store.takeOver}>{t("play_here")}</button>
            </p>
          )}
          <Announce words={state.said} />
          <PlayBoard />
          <div class="side-pane">
            <Setup />
            <Candidates />
            <GamePanes />
          </div>
          <div class="below-board">
            <Controls />
            <WhyNot />
          </div>
          <TreePanel />
          <Dialogs />
        </section>
      </TreeProvider>
    </PlayProvider>
  );
}
