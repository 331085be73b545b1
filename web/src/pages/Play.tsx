// Play and analyse: a board, an engine that thinks with or against you, the game with its variations.
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { type GameInfo, type Goal, type SessionState, type Standing, api, follow } from "../api";
import type { Arrow } from "../boards/board";
import { Board } from "../boards";
import { Announce, Trouble } from "../parts";
import { asQuery, spotOf } from "../places";
import * as tree from "../tree";
import { chance, inWords } from "../value";
import { t } from "../words";
import { Candidates } from "./Candidates";
import { Graph } from "./Graph";
import { Moves } from "./Moves";
import { RecordsBox } from "./RecordsBox";
import { Setup } from "./Setup";
import { type KeyDeeds, deed, useKeys } from "./keys";
import { Sweep } from "./sweep/Sweep";
import { plant } from "./tree/TreeHome";

/** How an engine of the page is set up. */
export interface Seat {
  family: string;
  goal: "time" | "nodes";
  amount: number;
  /** Which sides it plays: 0, 1, both or none. */
  plays: number[];
}

const code = (i: number, game: tree.GameTree) => game.nodes[i]?.move?.move ?? null;

/** The session of this page: made when first needed, ended with it. */
function useSession(game: string, seat: Seat, hear: (s: SessionState) => void, fail: (p: unknown) => void) {
  const id = useRef<Promise<number> | null>(null);
  const close = useRef<(() => void) | null>(null);
  const [down, setDown] = useState(false);
  const drop = useCallback(() => {
    close.current?.();
    void id.current?.then((n) => api.end(n)).catch(() => undefined);
    id.current = null;
  }, []);
  useEffect(() => drop, [game, seat.family]);
  const open = useCallback(() => {
    id.current ??= api.start(game, seat.family, { rules: "", start: null, moves: [] }).then((session) => {
      close.current = follow(session.id, hear, setDown);
      return session.id;
    });
    id.current.catch(() => (id.current = null));
    return id.current;
  }, [game, seat.family]);
  const think = useCallback(
    async (place: ReturnType<typeof tree.place>, goal: Goal) => {
      try {
        const n = await open();
        await api.stand(n, place);
        await api.go(n, goal);
      } catch (problem) {
        fail(problem);
      }
    },
    [open],
  );
  const stop = useCallback(() => void id.current?.then((n) => api.stop(n)).catch(fail), []);
  const explain = useCallback(async (place: ReturnType<typeof tree.place>) => {
    const n = await open();
    await api.stand(n, place);
    return (await api.explain(n)).text;
  }, [open]);
  return { think, stop, explain, down };
}

export function Play({ game }: { game: GameInfo }) {
  const name = game.name;
  const [seat, setSeat] = useState<Seat>({ family: game.families[0]!.name, goal: "time", amount: 1000, plays: [] });
  const [record, setRecord] = useState(() => tree.newTree());
  const [standing, setStanding] = useState<Standing | null>(null);
  const [state, setState] = useState<SessionState | null>(null);
  const [analysing, analyse] = useState(false);
  const [flipped, flip] = useState(false);
  const [arrows, showArrows] = useState(true);
  const [more, setMore] = useState(false);
  const [why, setWhy] = useState<string | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const [said, say] = useState("");
  const entry = useRef<HTMLInputElement>(null);
  const sweeps = useMemo(() => new URLSearchParams(location.search).has("sweep"), []);
  const place = useMemo(() => tree.place(record), [record.here, record.rules, record.start, record.nodes.length]);
  const placeKey = JSON.stringify(place);
  const session = useSession(name, seat, setState, setProblem);
  const played = useRef(0);

  // The address names the game up to its end and where one stands: at first it is read, later it follows.
  const [loaded, setLoaded] = useState(() => spotOf(location.search) === null);
  useEffect(() => {
    const load = () => {
      const spot = spotOf(location.search);
      if (!spot) return setLoaded(true);
      api.position(name, spot.place).then((now) => {
        setRecord({ ...tree.fromLine(spot.place, now.played, []), here: spot.ply });
        setLoaded(true);
      }, (wrong) => (setProblem(wrong), setLoaded(true)));
    };
    load();
    addEventListener("popstate", load);
    return () => removeEventListener("popstate", load);
  }, [name]);
  useLayoutEffect(() => {
    if (!loaded || location.pathname !== `/play/${name}`) return;
    const spot = { place: tree.place(record, tree.lineEnd(record)), ply: place.moves.length };
    history.replaceState(null, "", `/play/${name}${asQuery(spot)}`);
  }, [loaded, placeKey, record.nodes.length]);

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

  const mine = standing !== null && !standing.ended && seat.plays.includes(standing.side);
  const here = standing !== null && standing.played.length === place.moves.length;
  // The engine moves where it plays, thinks on where it analyses.
  useEffect(() => {
    if (!here || standing!.ended) return;
    if (mine) void session.think(place, seat.goal === "time" ? { time: seat.amount } : { nodes: seat.amount });
    else if (analysing) void session.think(place, {});
  }, [placeKey, here, mine, analysing, seat.family, session.think]);
  useEffect(() => {
    if (!analysing && !mine) session.stop();
  }, [analysing, mine]);

  const fresh = state !== null && JSON.stringify(state.place.moves) === JSON.stringify(place.moves) ? state : null;
  const best = fresh?.found?.lines[0];
  useEffect(() => {
    if (!best || !standing || !here) return;
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
      say(t(fresh.choice.what === "resign" ? "resigns" : "declares"));
      setSeat((s) => ({ ...s, plays: [] }));
    }
  }, [fresh, mine]);

  const move = (text: string) => {
    const known = standing?.legal.find((m) => m.move === text);
    if (known) setRecord((now) => tree.play(now, known));
  };
  const enter = async () => {
    const text = entry.current!.value.trim();
    if (!text) return;
    try {
      const now = await api.position(name, { ...place, moves: [...place.moves, text] });
      setRecord((r) => tree.play(r, now.played[now.played.length - 1]!));
      entry.current!.value = "";
    } catch (wrong) {
      setProblem(wrong);
      say(t("no_move", { move: text }));
    }
  };
  const explain = () => void session.explain(place).then((text) => setWhy(text ?? t("nothing_to_explain")), setProblem);
  const candidate = (i: number) => {
    const first = fresh?.found?.lines[i]?.pv[0];
    if (first) setRecord((now) => tree.play(now, first));
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

  const total = fresh?.found?.lines.reduce((sum, line) => sum + line.visits, 0) ?? 0;
  const drawn: Arrow[] =
    arrows && !mine && here
      ? (fresh?.found?.lines ?? []).slice(0, 3).map((line, i) => ({
          move: line.pv[0]!.move,
          rank: i + 1,
          share: total > 0 ? line.visits / total : i === 0 ? 1 : 0.3,
        }))
      : [];
  const turn = standing?.side === 1 ? -1 : 1;
  return (
    <section class="play">
      <h1 class="unseen">{t("play_game", { game: t(name as "chess") })}</h1>
      <Trouble problem={problem} onClose={() => setProblem(null)} />
      {session.down && <p class="banner" role="status">{t("lost")}</p>}
      <Announce words={said} />
      <div class="play-board">
        <div role="application" aria-roledescription={t("board")} aria-label={t("board_of", { game: t(name as "chess") })}>
          {standing && (
            <Board
              game={name}
              position={standing.position}
              side={standing.side}
              legal={standing.legal}
              last={code(record.here, record)}
              arrows={drawn}
              flipped={flipped}
              open={!mine && !standing.ended}
              onMove={move}
            />
          )}
        </div>
        <p class="stand" data-testid="stand">
          {standing?.ended
            ? t("ended", { by: standing.ended.by })
            : mine
              ? t("thinking")
              : standing && t(standing.side === 0 ? "first_moves" : "second_moves")}
        </p>
        <form
          class="entry"
          onSubmit={(e) => {
            e.preventDefault();
            void enter();
          }}
        >
          <label>
            {t("entry")} <input ref={entry} name="move" autocomplete="off" spellcheck={false} />
          </label>
          <button>{t("do_play")}</button>
          <button type="button" onClick={() => setRecord(tree.cut)} disabled={record.here === 0}>
            {t("take_back")}
          </button>
          <button type="button" onClick={() => flip(!flipped)} aria-pressed={flipped}>
            {t("flip")}
          </button>
        </form>
      </div>
      <div class="play-search">
        <Setup game={game} seat={seat} setSeat={setSeat} analysing={analysing} analyse={analyse} />
        <Candidates found={fresh?.found ?? null} thinking={fresh?.thinking ?? false} turn={turn} more={more} setMore={setMore} onPick={candidate} />
        <button onClick={explain}>{t("why")}</button>{" "}
        <button onClick={() => void plant(name, seat.family, place, "?why=").catch(setProblem)}>{t("tree_from_play")}</button>
        {why && <pre class="why" tabIndex={0}>{why}</pre>}
      </div>
      <div class="play-record">
        <Moves record={record} onGo={(here) => setRecord((now) => ({ ...now, here }))} />
        <Sweep auto={loaded && sweeps} game={game} family={seat.family} record={record} setRecord={setRecord} say={say} fail={setProblem} />
        <Graph record={record} onGo={(here) => setRecord((now) => ({ ...now, here }))} />
        <RecordsBox game={game} record={record} place={place} position={standing?.position ?? ""} setRecord={setRecord} fail={setProblem} />
      </div>
    </section>
  );
}
