// Play and analyse: a board, an engine that thinks with or against you, the game with its variations.
import { Suspense, lazy } from "preact/compat";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { type GameInfo, type Goal, Problem, type RecordView, type SessionState, type Standing, api, follow } from "../api";
import { Board } from "../boards";
import { candidateArrows, startPosition } from "../boards/board";
import { useHistory } from "../history";
import { signsOf } from "../markup";
import { Announce, Trouble } from "../parts";
import { type Spot, asQuery, recordOf, spotOf } from "../places";
import { namesOf, resultOf } from "../players";
import * as tree from "../tree";
import { chance, inWords } from "../value";
import { t } from "../words";
import { Candidates } from "./Candidates";
import { CommentBox } from "./CommentBox";
import { KeptGames } from "./KeptGames";
import { Moves } from "./Moves";
import { RecordTools } from "./RecordTools";
import { RecordsBox } from "./RecordsBox";
import { Setup } from "./Setup";
import { openKept, save, useKeeper } from "./keeper";
import { type KeyDeeds, deed, useKeys } from "./keys";
import { Sweep } from "./sweep/Sweep";
import { plant } from "./tree/plant";

/** Drawn by a library that is as large as the rest of this page: it comes after the board. */
const Graph = lazy(() => import("./Graph").then(({ Graph }) => Graph));

/** How an engine of the page is set up. */
export interface Seat {
  /** Empty: the best one. */
  family: string;
  goal: "time" | "nodes";
  amount: number;
  /** Which sides it plays: 0, 1, both or none. */
  plays: number[];
}

const code = (i: number, game: tree.GameTree) => game.nodes[i]?.move?.move ?? null;

/** Candidates that a search of this family names while it analyses: more than one makes alpha-beta slower, others know them anyway. */
const linesOf = (family: string) => (family === "alpha-beta" ? 3 : 12);

/** The session of this page: made when first needed, ended with it. */
function useSession(game: string, family: string, hear: (s: SessionState) => void, fail: (p: unknown) => void) {
  const id = useRef<Promise<{ id: number; family: string }> | null>(null);
  const close = useRef<(() => void) | null>(null);
  const shown = useRef(1);
  const [down, setDown] = useState(false);
  const drop = useCallback(() => {
    close.current?.();
    void id.current?.then((made) => api.end(made.id)).catch(() => undefined);
    [id.current, shown.current] = [null, 1];
  }, []);
  useEffect(() => drop, [game, family]);
  const open = useCallback(() => {
    id.current ??= api.start(game, family, { rules: "", start: null, moves: [] }).then((session) => {
      close.current = follow(session.id, hear, setDown);
      return session;
    });
    id.current.catch(() => (id.current = null));
    return id.current;
  }, [game, family]);
  /** Thinks at `place`: to play there, or to name candidates. */
  const think = useCallback(
    async (place: ReturnType<typeof tree.place>, goal: Goal, plays: boolean) => {
      try {
        const { id: n, family: made } = await open();
        const lines = plays ? 1 : linesOf(made);
        if (shown.current !== lines) {
          await api.set(n, { MultiPV: String(lines) });
          shown.current = lines;
        }
        await api.stand(n, place);
        await api.go(n, goal);
      } catch (problem) {
        fail(problem);
      }
    },
    [open],
  );
  const stop = useCallback(() => void id.current?.then((made) => api.stop(made.id)).catch(fail), []);
  const explain = useCallback(async (place: ReturnType<typeof tree.place>) => {
    const { id: n } = await open();
    await api.stand(n, place);
    return (await api.explain(n)).text;
  }, [open]);
  return { think, stop, explain, down };
}

/** A position before the server has told what may be played there: a board is seen at once. */
function unknownStanding(game: string, spot: Spot | null): Standing {
  const { rules, start } = spot?.place ?? { rules: "", start: null };
  return { game, position: start || startPosition(game, rules), side: 0, legal: [], played: [], ended: null, claim: null };
}

/** Who played and how it ended, as far as the record says. */
function Players({ game, record }: { game: string; record: tree.GameTree }) {
  const [names, result] = [namesOf(game, record.tags), resultOf(game, record.outcome)];
  return names || result ? <p class="players" data-testid="players">{[names, result].filter(Boolean).join(" · ")}</p> : null;
}

/** `info` is none until the server has told which searches and formats there are: the board does not wait for it. */
export function Play({ name, info }: { name: string; info: GameInfo | null }) {
  const [seat, setSeat] = useState<Seat>({ family: "", goal: "time", amount: 1000, plays: [] });
  const family = seat.family || (info?.families[0]?.name ?? "");
  const edits = useHistory(tree.newTree);
  const { record, setRecord, begin } = edits;
  const [unknown] = useState(() => unknownStanding(name, spotOf(location.search)));
  const [standing, setStanding] = useState<Standing>(unknown);
  const [state, setState] = useState<SessionState | null>(null);
  const [analysing, analyse] = useState(false);
  const [flipped, flip] = useState(false);
  const [arrows, showArrows] = useState(true);
  const [more, setMore] = useState(false);
  const [kept, showKept] = useState(false);
  const [why, setWhy] = useState<string | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const [said, say] = useState("");
  const entry = useRef<HTMLInputElement>(null);
  const sweeps = useMemo(() => new URLSearchParams(location.search).has("sweep"), []);
  const place = useMemo(() => tree.place(record), [record.here, record.rules, record.start, record.nodes.length]);
  const placeKey = JSON.stringify(place);
  // A search that cannot be had is not waited for.
  const failSearch = useCallback((wrong: unknown) => {
    setProblem(wrong);
    analyse(false);
    setSeat((s) => ({ ...s, plays: [] }));
  }, []);
  const session = useSession(name, seat.family, setState, failSearch);
  const keeper = useKeeper(name, record, setProblem);
  const played = useRef(0);

  // The address names the record, the line one is in and where one stands: at first it is read, later it follows.
  // An address that cannot be opened stays until something is played or read: it may work later, or in another tab.
  const [loaded, setLoaded] = useState(() => spotOf(location.search) === null && !recordOf(location.search));
  useEffect(() => {
    const load = async () => {
      const [spot, id] = [spotOf(location.search), recordOf(location.search)];
      if ((!spot && !id) || location.pathname !== `/play/${name}`) return setLoaded(true);
      try {
        const kept = await openKept(name, spot, id);
        if (kept) {
          keeper.adopt(kept.key, 0);
          begin(kept.record);
        } else {
          const { place, ply } = spot ?? { place: { rules: "", start: null, moves: [] }, ply: 0 };
          const { played } = await api.position(name, place);
          keeper.adopt(null, 0);
          begin({ ...tree.fromLine(place, played), here: ply });
          if (!spot) setProblem(new Problem(404, "Not found", t("kept_absent"), null));
        }
        setLoaded(true);
      } catch (wrong) {
        setProblem(wrong);
      }
    };
    const again = () => void load();
    again();
    addEventListener("popstate", again);
    return () => removeEventListener("popstate", again);
  }, [name]);
  useLayoutEffect(() => {
    if ((!loaded && record.edits === 0) || location.pathname !== `/play/${name}`) return;
    const end = tree.place(record, tree.lineEnd(record));
    // Behind a position that is set up later the line is another one.
    const whole = end.start === place.start ? end : place;
    const more: Record<string, string> = keeper.key ? { record: keeper.key.id } : {};
    history.replaceState(null, "", `/play/${name}${asQuery({ place: whole, ply: place.moves.length }, more)}`);
  }, [loaded, placeKey, record.nodes.length, keeper.key?.id]);

  /** Goes on with another record; the way back leads to the one before. */
  const turnTo = (next: tree.GameTree, key: typeof keeper.key) => {
    if (record.nodes.length > 1) history.pushState(null, "", location.href);
    keeper.adopt(key, 0);
    begin(next);
    setLoaded(true);
    setProblem(null);
  };
  const read = async (view: RecordView) => {
    const { side } = await api.position(name, { rules: view.rules, start: view.start, moves: [] });
    let unsaved: unknown = null;
    const key = await save(name, null, view).catch((wrong) => ((unsaved = wrong), null));
    turnTo(tree.fromRecord(view, side), key);
    setProblem(unsaved);
  };

  // The position, from the server: the page knows no rules.
  useEffect(() => {
    let current = true;
    api.position(name, place).then(
      (now) => {
        if (!current) return;
        setStanding(now);
        setWhy(null);
        if (now.ended) say(t("ended", { by: now.ended.by }));
      },
      (wrong) => current && setProblem(wrong),
    );
    return () => {
      current = false;
    };
  }, [name, placeKey]);

  const mine = !standing.ended && seat.plays.includes(standing.side);
  const here = standing.played.length === place.moves.length;
  // The engine moves where it plays, thinks on where it analyses.
  useEffect(() => {
    if (!here || standing.ended) return;
    if (mine) void session.think(place, seat.goal === "time" ? { time: seat.amount } : { nodes: seat.amount }, true);
    else if (analysing) void session.think(place, {}, false);
  }, [placeKey, here, mine, analysing, session.think]);
  useEffect(() => {
    if (!analysing && !mine) session.stop();
  }, [analysing, mine]);

  const fresh = state !== null && JSON.stringify(state.place.moves) === JSON.stringify(place.moves) ? state : null;
  const best = fresh?.found?.lines[0];
  useEffect(() => {
    if (!best || !here) return;
    const turn = standing.side === 0 ? 1 : -1;
    const first = turn > 0 ? chance(best) : 1 - chance(best);
    setRecord((now) => tree.note(now, now.here, { chance: first, value: inWords(best, turn) }));
  }, [best, here]);
  // What the engine decided, once for each search.
  useEffect(() => {
    if (!fresh || fresh.thinking || !fresh.choice || !mine || played.current === fresh.search) return;
    played.current = fresh.search;
    if (fresh.choice.play) {
      say(t("plays", { move: fresh.choice.play.text }));
      setRecord((now) => tree.play(now, fresh.choice!.play!));
    } else {
      const resigns = fresh.choice.what === "resign";
      say(t(resigns ? "resigns" : "declares"));
      const outcome = resigns ? { winner: 1 - standing.side, by: "resignation", points: null } : standing.claim;
      if (outcome) setRecord((now) => ({ ...now, outcome, edits: now.edits + 1 }));
      setSeat((s) => ({ ...s, plays: [] }));
    }
  }, [fresh, mine]);

  /** Plays a move that may be played; what was wrong before is past. */
  const playOn = (move: Standing["legal"][0]) => {
    setProblem(null);
    setRecord((now) => tree.play(now, move));
  };
  const move = (text: string) => {
    const known = standing.legal.find((m) => m.move === text);
    if (known) playOn(known);
  };
  const enter = async () => {
    const text = entry.current!.value.trim();
    if (!text) return;
    try {
      const now = await api.position(name, { ...place, moves: [...place.moves, text] });
      playOn(now.played[now.played.length - 1]!);
      entry.current!.value = "";
    } catch (wrong) {
      setProblem(wrong);
    }
  };
  const explain = () => void session.explain(place).then((text) => setWhy(text ?? t("nothing_to_explain")), setProblem);
  const candidate = (i: number) => {
    const first = fresh?.found?.lines[i]?.pv[0];
    if (first) playOn(first);
  };
  const deeds: KeyDeeds = {
    step: (n) => setRecord((now) => (n < 0 ? tree.back(now) : tree.forward(now))),
    sibling: (n) => setRecord((now) => tree.sibling(now, n)),
    end: (n) => setRecord((now) => ({ ...now, here: n < 0 ? 0 : tree.lineEnd(now) })),
    think: () => analyse((on) => !on),
    candidate,
    flip: () => flip((f) => !f),
    arrows: () => showArrows((a) => !a),
    why: explain,
    entry: () => entry.current?.focus(),
  };
  useKeys((key) => deed(key, deeds));

  const drawn = arrows && !mine && here ? candidateArrows(fresh?.found?.lines ?? []) : [];
  const turn = standing.side === 1 ? -1 : 1;
  const { comment } = record.nodes[record.here]!;
  const signs = useMemo(() => (name === "go" ? signsOf(comment) : undefined), [name, comment]);
  return (
    <section class="play">
      <h1 class="unseen">{t("play_game", { game: t(name as "chess") })}</h1>
      <Trouble problem={problem} onClose={() => setProblem(null)} />
      {session.down && <p class="banner" role="status" data-testid="lost">{t("lost")}</p>}
      <Announce words={said} />
      <div class="play-board">
        <div role="application" aria-busy={standing === unknown} aria-roledescription={t("board")} aria-label={t("board_of", { game: t(name as "chess") })}>
          <Board
            game={name}
            position={standing.position}
            side={standing.side}
            legal={standing.legal}
            last={code(record.here, record)}
            arrows={drawn}
            signs={signs}
            flipped={flipped}
            open={!mine && !standing.ended}
            onMove={move}
          />
        </div>
        <p class="stand" data-testid="stand">
          {standing.ended
            ? t("ended", { by: standing.ended.by })
            : mine
              ? t("thinking")
              : t(standing.side === 0 ? "first_moves" : "second_moves")}
        </p>
        <form
          class="entry"
          onSubmit={(e) => {
            e.preventDefault();
            void enter();
          }}
        >
          <label>
            {t("entry")} <input ref={entry} name="move" data-keys="free" autocomplete="off" spellcheck={false} />
          </label>
          <button>{t("do_play")}</button>
          <button type="button" onClick={() => setRecord(tree.takeBack)} disabled={record.here === 0}>
            {t("take_back")}
          </button>
          <button type="button" onClick={() => flip(!flipped)} aria-pressed={flipped}>
            {t("flip")}
          </button>
        </form>
      </div>
      <div class="play-search">
        <Setup info={info} family={family} seat={seat} setSeat={setSeat} analysing={analysing} analyse={analyse} />
        <Candidates found={fresh?.found ?? null} fault={fresh?.fault ?? null} thinking={fresh?.thinking ?? false} turn={turn} more={more} setMore={setMore} onPick={candidate} />
        <button onClick={explain}>{t("why")}</button>{" "}
        <button onClick={() => void plant(name, family, place, "?why=").catch(setProblem)}>{t("tree_from_play")}</button>
        {why && <pre class="why" tabIndex={0}>{why}</pre>}
      </div>
      <div class="play-record">
        <Players game={name} record={record} />
        <Moves game={name} record={record} onGo={(here) => setRecord((now) => ({ ...now, here }))} />
        <RecordTools edits={edits} />
        <CommentBox game={name} comment={comment} onChange={(comment) => setRecord((now) => tree.note(now, now.here, { comment }), `comment ${record.here}`)} />
        {info && <Sweep auto={loaded && sweeps} game={info} family={family} record={record} setRecord={(change) => setRecord(change, "sweep")} say={say} fail={setProblem} />}
        <Suspense fallback={<div class="graph" aria-busy="true" />}>
          <Graph record={record} onGo={(here) => setRecord((now) => ({ ...now, here }))} />
        </Suspense>
        <details class="kept" data-testid="kept-box" onToggle={(e) => showKept(e.currentTarget.open)}>
          <summary>{t("kept_games")}</summary>
          {kept && <KeptGames game={name} current={keeper.key?.id} stamp={`${keeper.key?.id} ${keeper.key?.version}`} />}
        </details>
        <RecordsBox name={name} info={info} record={record} place={place} position={standing.position} onRead={read} onBegin={(next) => turnTo(next, null)} fail={setProblem} />
      </div>
    </section>
  );
}
