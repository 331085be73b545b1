// The tree of a session, live or at a kept moment: a socket that is opened again when it breaks, frames answered so that the next
// may come, and the position at the chosen node.
import { useEffect, useRef, useState } from "preact/hooks";
import { type GamePosition, api, token } from "../../api";
import { type SetState, useStore } from "../../store";
import type { TreeState } from "./store";
import { Forest, type Head } from "./forest";

export interface Live {
  forest: Forest;
  close: () => void;
  /** Whether frames are taken; frozen, the server waits. */
  freeze: (on: boolean) => void;
}

/** Follows the tree of session `id`; `hear` is told of each whole frame, `lost` whether the connection is down. */
export function watchTree(id: number, hear: (head: Head) => void, lost: (down: boolean) => void): Live {
  const forest = new Forest();
  let socket: WebSocket | null = null;
  let closed = false;
  let frozen = false;
  let owed = 0;
  let wait = 250;
  let head: Head | null = null;
  let held: (string | ArrayBuffer)[] = [];
  let heed: (data: string | ArrayBuffer) => void = () => undefined;
  const answer = () => {
    if (owed && !frozen && socket?.readyState === WebSocket.OPEN) {
      socket.send(JSON.stringify({ ack: owed }));
      owed = 0;
    }
  };
  const open = () => {
    const protocols = token() ? ["tesuji", `token.${token()}`] : ["tesuji"];
    socket = new WebSocket(`ws://${location.host}/api/v1/sessions/${id}/ws`, protocols);
    socket.binaryType = "arraybuffer";
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => {
      if (frozen) held.push(event.data);
      else take(event.data);
    };
    const take = (data: string | ArrayBuffer) => {
      lost(false);
      wait = 250;
      if (typeof data === "string") {
        const said = JSON.parse(data) as { head?: Head; codes?: { from: number; list: string[] } };
        if (said.head) head = said.head;
        if (said.codes) {
          forest.codes.length = said.codes.from;
          forest.codes.push(...said.codes.list);
        }
        return;
      }
      forest.read(data);
      // What is gone comes before what is new.
      if (new DataView(data).getUint8(1) === 3 || !head) return;
      owed = head.seq;
      hear(head);
      answer();
    };
    heed = take;
    socket.onclose = () => {
      held = [];
      if (closed) return;
      lost(true);
      forest.codes = [];
      setTimeout(() => !closed && open(), wait);
      wait = Math.min(wait * 2, 8000);
    };
  };
  open();
  return {
    forest,
    close: () => {
      closed = true;
      socket?.close();
    },
    freeze: (on) => {
      frozen = on;
      if (on) return;
      held.splice(0).forEach(heed);
      answer();
    },
  };
}

interface Connection {
  head: Head | null;
  /** Whether the connection is lost. */
  down: boolean;
}

/** The live tree of a session and where its search stands. */
export function useTree(id: number | null, frozen: boolean) {
  const live = useRef<Live | null>(null);
  const [{ head, down }, set] = useStore<Connection>(() => ({ head: null, down: false }));
  useEffect(() => {
    set({ head: null });
    live.current = null;
    if (id === null) return;
    live.current = watchTree(id, (head) => set({ head }), (down) => set({ down }));
    return () => live.current?.close();
  }, [id]);
  useEffect(() => live.current?.freeze(frozen), [frozen, id]);
  return { forest: live.current?.forest ?? null, head, down };
}

/** A kept tree, when one is asked for. */
export function useKept(id: number | null, at: number | null, codes: string[] | undefined, fail: (p: unknown) => void): Forest | null {
  const [kept, setKept] = useState<{ at: number; forest: Forest } | null>(null);
  useEffect(() => {
    if (id === null || at === null || kept?.at === at) return;
    api.treeFrame(id, at).then((frame) => {
      const forest = new Forest();
      forest.codes = codes ?? [];
      forest.read(frame);
      setKept({ at, forest });
    }, fail);
  }, [id, at]);
  return at !== null && kept?.at === at ? kept.forest : null;
}

/** The position at the chosen node, a moment after one has come there: keys may be held down. `moves` lead there from `root`; none are needed at the root. */
export function useStanding(game: string, root: GamePosition | null, moves: string[], set: SetState<TreeState>, fail: (p: unknown) => void): void {
  useEffect(() => {
    if (!root || moves.length === 0) return set({ standing: null });
    let current = true;
    const timer = setTimeout(() => {
      api.position(game, { ...root, moves: [...root.moves, ...moves] }).then((standing) => current && set({ standing }), (p) => current && fail(p));
    }, 60);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [game, JSON.stringify(root), moves.join(".")]);
}
