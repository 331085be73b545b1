// Two searches at the same node: their moves side by side, the largest disagreement first, and where they part first.
import { useEffect } from "preact/hooks";
import { Heads } from "../../parts";
import { type Session, api } from "../../api";
import { useStore } from "../../store";
import { short, t } from "../../words";
import { useTreePage } from "./store";
import { pairs, parting } from "./pairs";
import { named, percent } from "./signs";
import type { Forest } from "./forest";

interface CompareState {
  /** Other sessions of the game. */
  sessions: Session[];
  /** The place where the two searches part, in words. */
  said: string;
}

export function Compare({ forest }: { forest: Forest }) {
  const { id, game, state, set: setPage, head, other: { forest: other, head: otherHead }, words, otherWords, goTo } = useTreePage();
  const { moves, with: otherId } = state;
  const families = [head?.family ?? "", otherHead?.family ?? ""] as const;
  const [{ sessions, said }, set] = useStore<CompareState>(() => ({ sessions: [], said: "" }));
  useEffect(() => void api.sessions().then((all) => set({ sessions: all.filter((s) => s.id !== id && s.game === game) }), () => undefined), [id, game]);
  const a = forest.find(moves);
  const b = other && other.root >= 0 ? other.find(moves) : null;
  const list = b && a.whole && b.whole ? pairs(forest, a.slot, other!, b.slot) : [];
  words.want(list.filter((p) => p.a >= 0).map((p) => forest.id[p.a]!));
  // What the first tree lacks the other one names.
  otherWords.want(list.filter((p) => p.a < 0 && p.b >= 0).map((p) => other!.id[p.b]!));
  const cells = (tree: Forest, s: number) =>
    s < 0 ? (
      <>
        <td class="number">–</td>
        <td class="number">–</td>
      </>
    ) : (
      <>
        <td class="number">{percent(tree.value[s]!)}</td>
        <td class="number">{short(tree.effort[s]!)}</td>
      </>
    );
  return (
    <div class="tree-compare">
      <label>
        {t("compare_with")}{" "}
        <select value={otherId ?? ""} onChange={(e) => setPage({ with: e.currentTarget.value ? Number(e.currentTarget.value) : null })}>
          <option value="">–</option>
          {sessions.map((s) => (
            <option key={s.id} value={s.id}>
              {s.id}: {s.seat.name}
            </option>
          ))}
        </select>
      </label>{" "}
      {b && (
        <button
          onClick={() => {
            const path = parting(forest, other!, [families[0] === "mcts", families[1] === "mcts"]);
            set({ said: path ? t("compare_parts", { ply: path.length + 1 }) : t("compare_same") });
            if (path) goTo(path);
          }}
        >
          {t("compare_first")}
        </button>
      )}{" "}
      <span role="status">{said}</span>
      {b && !b.whole && <p class="soft">{t("tree_absent")}</p>}
      <div class="scroll" tabIndex={0} role="region" aria-label={t("view_compare")}>
        <table>
          <Heads words={[t("move"), `${families[0]} · ${t("value")}`, t("field_effort"), `${families[1]} · ${t("value")}`, t("field_effort"), t("compare_gap")]} />
          <tbody>
            {list.map((pair) => (
              <tr key={pair.move}>
                <th scope="row">
                  <button class="plain" onClick={() => goTo([...moves, pair.move])}>
                    {pair.a >= 0 ? named(forest, pair.a, words.known) : named(other!, pair.b, otherWords.known)}
                  </button>
                </th>
                {cells(forest, pair.a)}
                {cells(other!, pair.b)}
                <td class="number">{pair.gap > 0 ? pair.gap.toFixed(1) : "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
