// Moves of nodes as people write them: asked for when they come into view, many at once.
import { useEffect, useRef, useState } from "preact/hooks";
import { type Schemas, api } from "../../api";

export type Words = Schemas["NodeText"];

/** Words by number of the node; `want` asks for those that are missing. */
export function useWords(session: number | null, search: number, seq: number | null) {
  const known = useRef(new Map<number, Words>());
  const asked = useRef(new Set<number>());
  const timer = useRef(0);
  const [said, redraw] = useState(0);
  useEffect(() => {
    known.current = new Map();
    asked.current = new Set();
    redraw((n) => n + 1);
    return () => {
      clearTimeout(timer.current);
      timer.current = 0;
    };
  }, [session, search]);
  const want = (ids: number[]) => {
    const missing = ids.filter((id) => id !== 0 && !known.current.has(id));
    if (session === null || missing.length === 0) return;
    missing.forEach((id) => asked.current.add(id));
    if (timer.current) return;
    timer.current = window.setTimeout(async () => {
      timer.current = 0;
      const list = [...asked.current].slice(0, 300);
      asked.current = new Set();
      try {
        const said = await api.treeWords(session, list, seq);
        for (const [id, words] of Object.entries(said)) known.current.set(Number(id), words);
        redraw((n) => n + 1);
      } catch {
        // The tree may be another one by now; moves stay in the protocol's notation.
      }
    }, 40);
  };
  return { known: known.current, want, said };
}
