// The tree of a search: columns, overview, table and course of a session, live or at a kept moment, with the chosen node.
import "./tree.css";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { type GameInfo, type Place, type Session, type Standing, api, follow } from "../../api";
import { Why } from "../why/Why";
import { Announce, Trouble, go } from "../../parts";
import { short, t } from "../../words";
import { useKeys } from "../keys";
import { Columns } from "./Columns";
import { Compare } from "./Compare";
import { Course, useCourse } from "./Course";
import { Icicle } from "./Icicle";
import { NodeBox } from "./NodeBox";
import { type TreeDeeds, treeDeed } from "./keys";
import { type Live, watchTree } from "./live";
import { named, percent } from "./signs";
import { Table } from "./Table";
import { Verify } from "./Verify";
import { Forest, type Head, type Order } from "./store";
import { useWords } from "./words";

const VIEWS = ["columns", "icicle", "table", "course", "compare"] as const;
export type View = (typeof VIEWS)[number];
const ORDERS: Order[] = ["effort", "value", "prior", "order"];
const LEASTS = [0, 0.0001, 0.001, 0.01, 0.05];

/** What the address says of the view. */
function address() {
  const asked = new URLSearchParams(location.search);
  const view = asked.get("view") as View | null;
  const order = asked.get("sort") as Order | null;
  return {
    moves: (asked.get("path") ?? "").split(".").filter(Boolean),
    view: view && VIEWS.includes(view) ? view : ("columns" as View),
    order: order && ORDERS.includes(order) ? order : ("effort" as Order),
    least: Number(asked.get("min_effort") ?? 0) || 0,
    at: asked.has("t") ? Number(asked.get("t")) : null,
    why: asked.has("why"),
    with: asked.has("with") ? Number(asked.get("with")) : null,
  };
}

/** The live tree of a session and where its search stands. */
export function useTree(id: number | null, frozen: boolean) {
  const live = useRef<Live | null>(null);
  const [head, setHead] = useState<Head | null>(null);
  const [down, setDown] = useState(false);
  useEffect(() => {
    setHead(null);
    live.current = null;
    if (id === null) return;
    live.current = watchTree(id, setHead, setDown);
    return () => live.current?.close();
  }, [id]);
  useEffect(() => live.current?.freeze(frozen), [frozen, id]);
  return { forest: live.current?.forest ?? null, head, down };
}

/** A kept tree, when one is asked for. */
function useKept(id: number, at: number | null, codes: string[] | undefined, fail: (p: unknown) => void): Forest | null {
  const [kept, setKept] = useState<{ at: number; forest: Forest } | null>(null);
  useEffect(() => {
    if (at === null || kept?.at === at) return;
    api.treeFrame(id, at).then((frame) => {
      const forest = new Forest();
      forest.codes = codes ?? [];
      forest.read(frame);
      setKept({ at, forest });
    }, fail);
  }, [id, at]);
  return at !== null && kept?.at === at ? kept.forest : null;
}

export function Tree({ id, games }: { id: number; games: GameInfo[] }) {
  const first = useMemo(address, []);
  const [session, setSession] = useState<Session | null>(null);
  const [frozen, freeze] = useState(false);
  const [view, setView] = useState<View>(first.view);
  const [order, setOrder] = useState<Order>(first.order);
  const [least, setLeast] = useState(first.least);
  const [moves, setMoves] = useState<string[]>(first.moves);
  const [at, setAt] = useState<number | null>(first.at);
  const [pins, setPins] = useState<string[]>([]);
  const [why, askWhy] = useState(first.why);
  const [found, find] = useState("");
  const [resort, sortAgain] = useState(0);
  const [stale, setStale] = useState(false);
  const [thinking, setThinking] = useState(false);
  const [standing, setStanding] = useState<Standing | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const [said, say] = useState("");
  const trail = useRef<string[][]>([]);
  const finder = useRef<HTMLInputElement>(null);
  const { forest: live, head, down } = useTree(id, frozen || at !== null);
  const kept = useKept(id, at, live?.codes, setProblem);
  const forest = kept ?? live;
  const words = useWords(id, head?.search ?? -1, at);
  const [otherId, setOther] = useState<number | null>(first.with);
  const other = useTree(otherId, false);
  const course = useCourse(id, head?.seq ?? 0, view === "course" || at !== null);

  useEffect(() => {
    // The answer may come after a newer state: that one counts.
    let told = false;
    api.session(id).then((s) => (setSession(s), told || setThinking(s.state.thinking)), setProblem);
    return follow(id, (s) => (setThinking(s.thinking), (told = true)), () => undefined);
  }, [id]);
  // With what is drawn, not after it: who reloads at once comes back to what was seen.
  useLayoutEffect(() => {
    const asked = new URLSearchParams();
    if (moves.length) asked.set("path", moves.join("."));
    if (view !== "columns") asked.set("view", view);
    if (order !== "effort") asked.set("sort", order);
    if (least) asked.set("min_effort", String(least));
    if (at !== null) asked.set("t", String(at));
    if (why) asked.set("why", "");
    if (otherId !== null) asked.set("with", String(otherId));
    const text = asked.toString();
    history.replaceState(null, "", `/tree/${id}${text ? `?${text}` : ""}`);
  }, [id, moves.join("."), view, order, least, at, otherId, why]);

  const place: Place | null = head && { ...head.place, moves: [...head.place.moves, ...moves] };
  const placeKey = JSON.stringify(place);
  useEffect(() => {
    if (!place || !session) return;
    let current = true;
    const timer = setTimeout(() => {
      api.position(session.game, place).then((s) => current && setStanding(s), (p) => current && setProblem(p));
    }, 60);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [placeKey, session?.id]);

  const byEffort = head?.family === "mcts";
  const { slot, whole } = forest && forest.root >= 0 ? forest.find(moves) : { slot: -1, whole: moves.length === 0 };
  const path = forest && slot >= 0 ? forest.path(slot) : [];
  const name = (s: number) => named(forest!, s, words.known);
  const pick = useCallback(
    (to: number) => {
      if (!forest || to < 0) return;
      trail.current.push(moves);
      setMoves(forest.path(to).map((s) => forest.move(s)));
      say(to === forest.root ? t("tree_root") : `${name(to)} ${percent(forest.value[to]!)}`);
    },
    [forest, moves],
  );
  const now = useRef(pick);
  now.current = pick;
  const pickHere = useCallback((to: number) => now.current(to), []);
  const sibling = (n: number) => {
    if (!forest || slot < 0) return;
    const above = slot === forest.root ? forest.root : forest.parent[slot]!;
    const list = forest.sorted(above, order).filter((s) => !forest.isIdle(s));
    const i = list.indexOf(slot);
    const to = list[Math.max(0, Math.min(list.length - 1, i < 0 ? 0 : i + n))];
    if (to !== undefined) pick(to);
  };
  const run = (deed: Promise<unknown>) => void deed.catch(setProblem);
  const think = () => run(thinking ? api.stop(id) : api.go(id, {}));
  const searchHere = async () => {
    if (!session || !place) return;
    const options: Record<string, string> = session.family === "alpha-beta" ? { TracePlies: "4" } : {};
    const made = await api.start(session.game, session.family, place, options);
    await api.go(made.id, {});
    go(`/tree/${made.id}`);
  };
  const deeds: TreeDeeds = {
    parent: () => path.length > 0 && forest && pick(forest.parent[slot]!),
    child: () => {
      if (!forest || slot < 0) return;
      const list = forest.sorted(slot, order);
      if (list.length > 0) pick(list[0]!);
    },
    sibling,
    end: (n) => sibling(n * 100000),
    freeze: () => freeze((f) => !f),
    twin: () => forest && slot >= 0 && pick(forest.twin(slot)),
    sort: () => sortAgain((n) => n + 1),
    back: () => {
      const last = trail.current.pop();
      if (last) setMoves(last);
    },
    pin: () => setPins((p) => (p.includes(moves.join(".")) ? p.filter((x) => x !== moves.join(".")) : [...p, moves.join(".")])),
    find: () => finder.current?.focus(),
    moment: (n) => {
      void api.course(id).then((c) => {
        const kept = c.moments.filter((m) => m.kept);
        const i = at === null ? kept.length : kept.findIndex((m) => m.seq === at);
        setAt(kept[Math.max(0, i + n)]?.seq ?? null);
      }, setProblem);
    },
    why: () => askWhy((on) => !on),
    compare: () => setView("compare"),
    view: (i) => VIEWS[i] && setView(VIEWS[i]),
    here: () => run(searchHere()),
  };
  useKeys((key) => treeDeed(key, deeds));
  const pinned = useMemo(
    () => new Set(forest && forest.root >= 0 ? pins.map((p) => forest.find(p.split("."))).filter((f) => f.whole).map((f) => forest.id[f.slot]!) : []),
    [forest, forest?.version, pins],
  );
  const game = games.find((g) => g.name === session?.game);
  if (!session) return <Trouble problem={problem} onClose={() => setProblem(null)} />;
  return (
    <section class="tree-page">
      <h1 class="unseen">{t("tree_of", { id })}</h1>
      <Trouble problem={problem} onClose={() => setProblem(null)} />
      {down && <p class="banner" role="status" data-testid="lost">{t("lost")}</p>}
      <Announce words={said} />
      <div class="tree-head">
        <span>
          {game && t(game.name as "chess")} · {head?.family ?? session?.family}
        </span>
        <span data-testid="tree-nodes" data-nodes={head?.nodes ?? 0} data-size={forest?.size ?? 0}>
          {t("tree_effort", { nodes: short(head?.nodes ?? 0), size: short(forest?.size ?? 0), time: ((head?.time ?? 0) / 1000).toFixed(1) })}
        </span>
        <span class="tree-state" data-testid="tree-state">{thinking ? "●" : "■"} {t(thinking ? (frozen ? "tree_frozen" : "tree_live") : "tree_still")}</span>
        <button onClick={think}>{t(thinking ? "stop" : "tree_go")}</button>
        <button aria-pressed={frozen} onClick={() => freeze(!frozen)}>{t("tree_freeze")}</button>
        <button aria-pressed={why} onClick={() => askWhy(!why)}>{t("why_button")}</button>
        <Verify id={id} game={session.game} at={at} thinking={thinking} fail={setProblem} />
        {at !== null && <button onClick={() => setAt(null)}>{t("course_now")}</button>}
        {stale && <button onClick={() => sortAgain((n) => n + 1)}>{t("tree_stale")}</button>}
      </div>
      <div class="tree-tools">
        <div role="group" aria-label={t("tree_views")}>
          {VIEWS.map((v) => (
            <button key={v} aria-pressed={v === view} onClick={() => setView(v)}>
              {t(`view_${v}`)}
            </button>
          ))}
        </div>
        <label>
          {t("tree_sort")}{" "}
          <select value={order} onChange={(e) => setOrder(e.currentTarget.value as Order)}>
            {ORDERS.map((o) => (
              <option key={o} value={o}>
                {t(`sort_${o}`)}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t("tree_least")}{" "}
          <select value={String(least)} onChange={(e) => setLeast(Number(e.currentTarget.value))}>
            {LEASTS.map((l) => (
              <option key={l} value={String(l)}>
                {l === 0 ? t("tree_all") : `≥ ${l * 100} %`}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t("tree_find")} <input ref={finder} name="find" size={8} value={found} onInput={(e) => find(e.currentTarget.value)} />
        </label>
      </div>
      {!whole && moves.length > 0 && forest && <p class="soft">{t("tree_absent")}</p>}
      <div class="tree-body">
        <NodeBox
          game={session.game}
          forest={forest}
          slot={whole ? slot : -1}
          standing={standing}
          place={place}
          byEffort={byEffort}
          words={words}
          pins={pins}
          onPick={pick}
          onMoves={setMoves}
          onMove={(code) => {
            trail.current.push(moves);
            setMoves([...moves, code]);
          }}
          onPin={() => setPins((p) => (p.includes(moves.join(".")) ? p.filter((x) => x !== moves.join(".")) : [...p, moves.join(".")]))}
          onSearch={() => run(searchHere())}
        />
        <div class="tree-main">
          {!forest || forest.root < 0 ? (
            <p class="soft">{t("tree_none")}</p>
          ) : (
            <>
              {why && head && <Why id={id} game={session.game} place={head.place} moves={whole ? moves : []} at={at} seq={thinking ? Math.floor((head?.time ?? 0) / 2000) : -1} onMoves={setMoves} />}
              {(view === "columns" || view === "icicle") && (
                <Columns
                  forest={forest}
                  version={forest.version}
                  path={path}
                  order={order}
                  least={least}
                  byEffort={byEffort}
                  pins={pinned}
                  found={found}
                  resort={resort}
                  words={words}
                  onPick={pickHere}
                  onStale={setStale}
                />
              )}
              {view === "icicle" && <Icicle forest={forest} version={forest.version} chosen={whole ? slot : -1} words={words} onPick={pick} />}
              {view === "table" && <Table forest={forest} chosen={whole ? slot : -1} least={least} found={found} words={words} onPick={pick} />}
              {view === "course" && course && <Course forest={forest} course={course} at={at} words={words} onAt={setAt} onMoves={setMoves} />}
              {view === "compare" && (
                <Compare
                  id={id}
                  game={session.game}
                  forest={forest}
                  other={other.forest}
                  otherId={otherId}
                  families={[head?.family ?? "", other.head?.family ?? ""]}
                  moves={moves}
                  words={words}
                  onOther={setOther}
                  onMoves={setMoves}
                />
              )}
            </>
          )}
        </div>
      </div>
    </section>
  );
}
