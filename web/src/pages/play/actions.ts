// What one can do on the page of the board.
import type { RefObject } from "preact";
import { type GamePosition, type Move, Problem, type RecordKey, type RecordView, api } from "../../api";
import { endInWords } from "../../sides";
import * as tree from "../../tree";
import { t } from "../../words";
import type { KeyDeeds } from "../keys";
import { save } from "./keeper";
import { CLOCKS, type Wanted, canLimit, seeds, tagsOf } from "./newGame";
import { type Contents, openAny } from "./opening";
import { fullStrength } from "./search";
import { TURNED } from "./steps";
import type { PlayCore } from "./store";

/** What one can do in a game against an engine. */
function gameActions(core: PlayCore, turnTo: (next: tree.GameTree, key: null) => void, fail: (problem: unknown) => void) {
  const { game, info, state: { opponent, clock }, set, edits: { setRecord }, place, session, isEnginesTurn } = core;
  /** Begins a game at `at` as it is wanted. */
  const startGame = async (wanted: Wanted, at: GamePosition) => {
    const control = CLOCKS[wanted.clock]!;
    const options = info?.families.find(({ name }) => name === wanted.family)?.options ?? [];
    const limits = canLimit(options) ? { UCI_LimitStrength: String(wanted.elo > 0), ...(wanted.elo > 0 && { UCI_Elo: String(wanted.elo) }) } : {};
    try {
      const { position } = await api.position(game, at);
      turnTo({ ...tree.newTree(at.rules, at.start === null ? null : position), tags: tagsOf(game, info?.side_tags, wanted) }, null);
    } catch (problem) {
      return fail(problem);
    }
    set({
      opponent: {
        family: wanted.family, goal: control.key === "clock_nodes" ? "nodes" : "time", amount: control.move ?? wanted.nodes,
        plays: [[1], [0], [], [0, 1]][wanted.mine]!, options: { ...limits, ...seeds(options) }, isGame: true,
      },
      clock: control.clock ? { left: [control.clock[0], control.clock[0]], increment: control.clock[1], runs: null, since: 0, nodes: 1 } : null,
      analysing: false, isFlipped: wanted.mine === 1, dialog: null,
    });
  };
  /** A move back; against an engine, to the person's own move. */
  const takeBack = () =>
    setRecord((now) => {
      const once = tree.takeBack(now);
      return opponent.plays.length === 1 && !isEnginesTurn && once.here !== 0 ? tree.takeBack(once) : once;
    });
  const resign = () => {
    if (core.holder !== "own") return;
    setRecord((now) => ({ ...now, outcome: { winner: opponent.plays[0]!, by: "resignation", points: null }, edits: now.edits + 1 }));
    set({ opponent: { ...opponent, plays: [] }, clock: clock && { ...clock, runs: null } });
    // It may think on the person's time.
    session.stop();
  };
  const hint = () => void session.think(place, { time: 1000 }, 1, fullStrength(opponent.options));
  return { startGame, takeBack, resign, hint };
}

export function actionsOf(core: PlayCore, fail: (problem: unknown) => void, entry: RefObject<HTMLInputElement>) {
  const { game, state, set, edits, record, place, session, keeper, search, isThinking, isEnginesTurn, holder } = core;
  const { setRecord, begin } = edits;
  /** A finished game is not played on: its result would be that of another game. Nor is one that another window plays. */
  const isOver = () => {
    if (holder !== "own") return true;
    const { outcome } = record;
    const isEnd = outcome !== null && tree.isOver(record);
    if (isEnginesTurn) fail(new Problem(409, "Not now", t("engines_turn"), null));
    else if (isEnd) fail(new Problem(409, "Conflict", t("over_here", { end: endInWords(game, outcome) }), null));
    return isEnginesTurn || isEnd;
  };
  /** Plays a move that may be played; what was wrong before is past. */
  const play = (move: Move) => {
    if (isOver()) return;
    set({ problem: null });
    setRecord((now) => tree.play(now, move));
  };
  /** Plays moves in a row. */
  const playLine = (moves: Move[]) => {
    if (isOver()) return;
    set({ problem: null, preview: [] });
    setRecord((now) => moves.reduce(tree.play, now));
  };
  /** Plays what was typed. */
  const enter = async () => {
    const text = entry.current!.value.trim();
    if (!text) return;
    try {
      const now = await api.position(game, { ...place, moves: [...place.moves, text] });
      play(now.played[now.played.length - 1]!);
      entry.current!.value = "";
    } catch (wrong) {
      fail(wrong);
    }
  };
  const explain = () => void session.explain(place).then((text) => set({ why: text ?? t("nothing_to_explain") }), fail);
  const candidate = (i: number) => {
    const first = search?.found?.lines[i]?.pv[0];
    if (first) play(first);
  };
  /** Whether analysis is on: asked for here, or taken over with a search that runs. */
  const isOn = state.analysing || (isThinking && !isEnginesTurn);
  const think = () => {
    if (isOn && !state.analysing) session.stop();
    set({ analysing: !isOn });
  };
  /** Goes on with another record; the way back leads to the one before. */
  const turnTo = (next: tree.GameTree, key: RecordKey | null) => {
    if (record.nodes.length > 1) history.pushState(TURNED, "", location.href);
    keeper.adopt(key, 0, null);
    begin(next);
    // Whoever played the game before plays no other one.
    set((now) => ({ isLoaded: true, problem: null, clock: null, opponent: { ...now.opponent, ...(now.opponent.isGame && { plays: [], isGame: false }) } }));
  };
  /** Goes on with a record that was read from a file. */
  const read = async (view: RecordView) => {
    const { side } = await api.position(game, { rules: view.rules, start: view.start, moves: [] });
    let unsaved: unknown = null;
    const key = await save(game, null, view, null).catch((wrong) => ((unsaved = wrong), null));
    turnTo(tree.fromRecord(view, side), key);
    fail(unsaved);
  };
  const open = (content: Contents, name: string) => openAny(core, { read, turnTo }, content, name);
  const goTo = (here: number) => setRecord((now) => ({ ...now, here }));
  const flip = () => set((now) => ({ isFlipped: !now.isFlipped }));
  const keys: Omit<KeyDeeds, "why" | "leave"> = {
    step: (n) => setRecord((now) => (n < 0 ? tree.back(now) : tree.forward(now))),
    sibling: (n) => setRecord((now) => tree.sibling(now, n)),
    end: (n) => setRecord((now) => ({ ...now, here: n < 0 ? 0 : tree.lineEnd(now) })),
    think,
    candidate,
    flip,
    arrows: () => set((now) => ({ hasArrows: !now.hasArrows })),
    entry: () => entry.current?.focus(),
  };
  return { playLine, enter, explain, candidate, isOn, think, turnTo, read, openAny: open, ...gameActions(core, turnTo, fail), goTo, step: keys.step, end: keys.end, flip, keys };
}
