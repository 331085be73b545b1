// The store of an explanation: which moves are compared, and what the server says of them.
import { useEffect, useRef } from "preact/hooks";
import { type Move, type WhyAnswer, api } from "../../api";
import { moveWords } from "../../notation";
import { useStore } from "../../store";

interface WhyState {
  /** The move that is explained; empty: the best one. */
  of: string;
  /** The move it is compared with; empty: the best of the others. */
  vs: string;
  answer: WhyAnswer | null;
  /** Moves that may be compared. */
  others: Move[];
  problem: unknown;
  isCopied: boolean;
}

/** The moves that were looked at, as people write them: the list of moves has one notation. */
async function othersOf(id: number, path: string, at: number | null): Promise<Move[]> {
  const rows = (await api.treeRows(id, path, at)).filter((row) => row.effort > 0 && row.move);
  const words = await api.treeWords(id, rows.map((row) => row.id), at);
  const texts = new Map(rows.map((row) => [row.move, moveWords(row.move, words[row.id]?.text || row.move)]));
  return [...texts].map(([move, text]) => ({ move, text }));
}

/** `seq` changes when there is something new to explain. */
export function useWhy(id: number, path: string, at: number | null, seq: number) {
  const [state, set] = useStore<WhyState>(() => ({ of: "", vs: "", answer: null, others: [], problem: null, isCopied: false }));
  const { of, vs } = state;
  useEffect(() => set({ of: "", vs: "" }), [id, path]);
  const question = useRef("");
  question.current = JSON.stringify([id, path, of, vs, at]);
  useEffect(() => {
    // An answer that took longer than the search needed for something new still counts: else a slow machine shows none.
    const asked = question.current;
    const current = () => question.current === asked;
    api.why(id, path, of, vs, at).then(
      (answer) => current() && set({ problem: null, isCopied: false, answer }),
      (problem) => current() && set({ answer: null, problem }),
    );
    void othersOf(id, path, at).then((others) => current() && set({ others }), () => undefined);
  }, [id, path, of, vs, at, seq]);
  return { ...state, set };
}
