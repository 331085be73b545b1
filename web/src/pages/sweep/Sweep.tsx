// The whole game looked over move by move: values, marks on mistakes, and a jump to the next one.
import { useEffect, useRef, useState } from "preact/hooks";
import { type GameInfo, type SessionState, api, follow } from "../../api";
import * as tree from "../../tree";
import { chance, inWords } from "../../value";
import { t } from "../../words";
import { useKeys } from "../keys";
import { LINES, type Mark, SIGN, judge, loss, next } from "./judge";

interface Props {
  /** Whether it begins by itself, as soon as there is a game. */
  auto: boolean;
  game: GameInfo;
  family: string;
  record: tree.GameTree;
  setRecord: (change: (now: tree.GameTree) => tree.GameTree) => void;
  say: (words: string) => void;
  fail: (problem: unknown) => void;
}

/** Waits for the end of search `after`. */
function ended(id: number, after: number): Promise<SessionState> {
  return new Promise((done) => {
    const close = follow(
      id,
      (state) => {
        if (state.thinking || state.search <= after) return;
        close();
        done(state);
      },
      () => undefined,
    );
  });
}

/** Looks at every position of the line one is in; `note` hears of each. */
async function sweep(game: string, family: string, record: tree.GameTree, nodes: number, isOn: () => boolean, note: (i: number, of: number, node: number, change: Partial<tree.GameNode>) => void): Promise<void> {
  const steps = [0, ...tree.path(record, tree.lineEnd(record))];
  const start = await api.position(game, tree.place(record, 0));
  const { id } = await api.start(game, family, tree.place(record, 0));
  try {
    let searched = 0;
    let before: { chance: number; best: string } | null = null;
    for (const [i, node] of steps.entries()) {
      if (!isOn()) return;
      const side = (start.side + i) % 2;
      const turn = side === 0 ? 1 : -1;
      const place = tree.place(record, node);
      const standing = await api.position(game, place);
      let now: { chance: number; value: string; best: string };
      if (standing.ended) {
        const { winner } = standing.ended;
        now = { chance: winner === null ? 0.5 : winner === 0 ? 1 : 0, value: winner === null ? "=" : winner === 0 ? "1-0" : "0-1", best: "" };
      } else {
        await api.stand(id, place);
        await api.go(id, { nodes });
        const state = await ended(id, searched);
        searched = state.search;
        const line = state.found?.lines[0];
        if (!line) continue;
        const here = chance(line);
        now = { chance: turn > 0 ? here : 1 - here, value: inWords(line, turn), best: line.pv[0]?.text ?? "" };
      }
      const cost = before ? loss(before.chance, now.chance, 1 - side) : 0;
      const mark = judge(cost);
      const change: Partial<tree.GameNode> = { chance: now.chance, value: now.value, mark };
      if (mark && before) change.comment = t("sweep_comment", { sign: SIGN[mark], cost: (cost * 100).toFixed(0), best: before.best });
      note(i, steps.length, node, change);
      before = now;
    }
  } finally {
    await api.end(id).catch(() => undefined);
  }
}

export function Sweep({ auto, game, family, record, setRecord, say, fail }: Props) {
  const [nodes, setNodes] = useState(5000);
  const [done, setDone] = useState<[number, number] | null>(null);
  const on = useRef(false);
  useEffect(() => () => void (on.current = false), []);
  const steps = [0, ...tree.path(record, tree.lineEnd(record))];
  const marks = steps.map((i) => record.nodes[i]!.mark);
  const start = async () => {
    if (on.current) {
      on.current = false;
      return;
    }
    on.current = true;
    try {
      await sweep(game.name, family, record, nodes, () => on.current, (i, of, node, change) => {
        setDone([i + 1, of]);
        setRecord((now) => tree.note(now, node, change));
      });
    } catch (problem) {
      fail(problem);
    }
    on.current = false;
    setDone(null);
  };
  const begun = useRef(false);
  useEffect(() => {
    if (!auto || begun.current || record.nodes.length < 2) return;
    begun.current = true;
    void start();
  }, [auto, record.nodes.length]);
  const jump = (least: Mark) => {
    const to = next(marks, steps.indexOf(record.here), least);
    if (to < 0) return say(t("sweep_none"));
    const node = record.nodes[steps[to]!]!;
    setRecord((now) => ({ ...now, here: steps[to]! }));
    say(`${node.move?.text ?? ""} ${node.mark ? t(node.mark) : ""} ${node.comment}`);
  };
  useKeys((key) => (key === "b" ? () => jump("blunder") : key === "B" ? () => jump("inaccuracy") : null));
  return (
    <div class="sweep" role="group" aria-label={t("sweep")}>
      <button onClick={() => void start()} aria-pressed={done !== null}>
        {t(done ? "stop" : "sweep")}
      </button>{" "}
      <label>
        {t("sweep_nodes")} <input type="number" name="sweep-nodes" min={1} max={10000000} value={nodes} style={{ inlineSize: "7em" }} onChange={(e) => setNodes(Math.max(1, Number(e.currentTarget.value) || 1))} />
      </label>{" "}
      <button onClick={() => jump("inaccuracy")}>{t("sweep_next")}</button>
      <p data-testid="sweep-sum">
        {done && <progress max={done[1]} value={done[0]} aria-label={t("sweep")} />}{" "}
        {LINES.map(([mark]) => (
          <span key={mark} class={`mark ${mark}`}>
            {SIGN[mark]} {t(mark)} {marks.filter((m) => m === mark).length}{" "}
          </span>
        ))}
      </p>
    </div>
  );
}
