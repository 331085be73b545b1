// Two searches at the same node: both trees and their moves side by side, the largest disagreement first, and where they part first.
import { useEffect } from "preact/hooks";
import { Heads } from "../../parts";
import { type Session, api } from "../../api";
import { useStore } from "../../store";
import { SeatOptions } from "../seats/Seats";
import { short, t } from "../../words";
import { Icicle } from "./Icicle";
import { useTreePage } from "./store";
import { type Pair, pairs, parting } from "./pairs";
import { named, percent } from "./signs";
import type { Forest } from "./forest";

interface CompareState {
  /** Other sessions of the game. */
  sessions: Session[];
  /** The place where the two searches part, in words. */
  said: string;
}

/** Who searches beside: a session that is there, or a new one of a search or an engine. */
function Choice({ sessions }: { sessions: Session[] }) {
  const { game, families, state: { with: shown }, set, beside } = useTreePage();
  return (
    <label>
      {t("compare_with")}{" "}
      <select
        value={shown ?? ""}
        onChange={(e) => {
          const { value } = e.currentTarget;
          if (value && !/^\d+$/.test(value)) void beside(value);
          else set({ with: value ? Number(value) : null });
        }}
      >
        <option value="">–</option>
        {sessions.map((s) => (
          <option key={s.id} value={s.id}>
            {s.id}: {s.seat.name}
          </option>
        ))}
        <optgroup label={t("compare_new")}>
          {families.map((name) => (
            <option key={name} value={name}>{t("engine_named", { family: name })}</option>
          ))}
        </optgroup>
        <SeatOptions game={game} who="" />
      </select>
    </label>
  );
}

/** Both trees as pictures; a click in either chooses the node in both. */
function Pictures({ forest, other }: { forest: Forest; other: Forest }) {
  const { state: { moves }, chosen, words, otherWords, head, other: { head: otherHead }, pick, goTo } = useTreePage();
  const there = other.find(moves);
  return (
    <div class="tree-pictures">
      <figure>
        <figcaption>{head?.by} <span class="soft">{t("tree_nodes_n", { n: short(head?.nodes ?? 0) })}</span></figcaption>
        <Icicle forest={forest} version={forest.version} chosen={chosen} words={words} onPick={pick} />
      </figure>
      <figure>
        <figcaption>{otherHead?.by} <span class="soft">{t("tree_nodes_n", { n: short(otherHead?.nodes ?? 0) })}</span></figcaption>
        <Icicle
          forest={other} version={other.version} chosen={there.whole ? there.slot : -1} words={otherWords}
          onPick={(slot) => goTo(other.path(slot).map((s) => other.move(s)))}
        />
      </figure>
    </div>
  );
}

/** The values and efforts of both searches for each move at the chosen node. */
function Table({ list, forest, other }: { list: Pair[]; forest: Forest; other: Forest }) {
  const { state: { moves }, head, other: { head: otherHead }, words, otherWords, goTo } = useTreePage();
  const cells = (tree: Forest, s: number) => (
    <>
      <td class="number">{s < 0 ? "" : percent(tree.value[s]!)}</td>
      <td class="number">{s < 0 ? "" : short(tree.effort[s]!)}</td>
    </>
  );
  const names = [head?.by ?? "", otherHead?.by ?? ""] as const;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={t("view_compare")}>
      <table>
        <Heads words={[t("move"), `${names[0]} · ${t("value")}`, t("field_effort"), `${names[1]} · ${t("value")}`, t("field_effort"), t("compare_gap")]} />
        <tbody>
          {list.map((pair) => (
            <tr key={pair.move}>
              <th scope="row">
                <button class="plain" onClick={() => goTo([...moves, pair.move])}>
                  {pair.a >= 0 ? named(forest, pair.a, words.known) : named(other, pair.b, otherWords.known)}
                </button>
              </th>
              {cells(forest, pair.a)}
              {cells(other, pair.b)}
              <td class="number">{pair.gap > 0 ? pair.gap.toFixed(1) : ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const at = ({ rules, start, moves }: Session["state"]["place"]): string => JSON.stringify([rules, start || null, moves]);

export function Compare({ forest }: { forest: Forest }) {
  const { id, game, state, head, other: { forest: other, head: otherHead }, words, otherWords, goTo } = useTreePage();
  const { moves, with: otherId } = state;
  const [{ sessions, said }, set] = useStore<CompareState>(() => ({ sessions: [], said: "" }));
  useEffect(() => void api.sessions().then((all) => set({ sessions: all.filter((s) => s.id !== id && s.game === game) }), () => undefined), [id, game, otherId]);
  const a = forest.find(moves);
  const b = other && other.root >= 0 ? other.find(moves) : null;
  const isSame = head !== null && otherHead !== null && at(head.place) === at(otherHead.place);
  const list = isSame && b && a.whole && b.whole ? pairs(forest, a.slot, other!, b.slot) : [];
  words.want(list.filter((p) => p.a >= 0).map((p) => forest.id[p.a]!));
  // What the first tree lacks the other one names.
  otherWords.want(list.filter((p) => p.a < 0 && p.b >= 0).map((p) => other!.id[p.b]!));
  const first = () => {
    const path = parting(forest, other!, [head?.family === "mcts", otherHead?.family === "mcts"]);
    set({ said: path ? t("compare_parts", { ply: path.length + 1 }) : t("compare_same") });
    if (path) goTo(path);
  };
  return (
    <div class="tree-compare">
      <Choice sessions={sessions} /> {b && isSame && <button onClick={first}>{t("compare_first")}</button>} <span role="status">{said}</span>
      {otherId === null && <p class="soft">{t("compare_none")}</p>}
      {b && !isSame && <p class="soft">{t("compare_other")}</p>}
      {b && isSame && !b.whole && <p class="soft">{t("tree_absent")}</p>}
      {b && <Pictures forest={forest} other={other!} />}
      {list.length > 0 && <Table list={list} forest={forest} other={other!} />}
    </div>
  );
}
