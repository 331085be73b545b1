// The live tree of a session: a socket that is opened again when it breaks, frames answered so that the next may come.
import { token } from "../../api";
import { Forest, type Head } from "./store";

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
