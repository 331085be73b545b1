// What soak and figures measure with: shares of a list, what a process holds and has worked, clients who watch a search.
import { readFileSync, readdirSync } from "node:fs";

/** The value of `list` that `share` of them stay below. */
export const at = (list, share) => [...list].sort((a, b) => a - b)[Math.floor(list.length * share)];

/** MiB that process `pid` holds. */
export const held = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;

/** CPU seconds of the threads of process `pid` by name; of several with one name those of the first alone, too, and how often it
 * waited. */
export function worked(pid) {
  const sums = {};
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const read = (file) => readFileSync(`/proc/${pid}/task/${task}/${file}`, "utf8");
    try {
      const name = read("comm").trim();
      const run = Number(read("schedstat").split(" ")[0]) / 1e9;
      const waits = Number(/\nvoluntary_ctxt_switches:\s+(\d+)/.exec(read("status"))[1]);
      sums[name] ??= { first: run, waits, all: 0 };
      sums[name].all += run;
    } catch (error) {
      // A thread that has ended between the listing and the reading.
      if (error.code !== "ENOENT" && error.code !== "ESRCH") throw error;
    }
  }
  return sums;
}

/** What the page itself holds: MiB of its heap, nodes and listeners of its document, after garbage is gone. */
export async function holdings(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  return async () => {
    await session.send("HeapProfiler.collectGarbage");
    const { metrics } = await session.send("Performance.getMetrics");
    const of = (name) => metrics.find((metric) => metric.name === name).value;
    return { heap: of("JSHeapUsedSize") / 2 ** 20, nodes: of("Nodes"), listeners: of("JSEventListeners") };
  };
}

/** Lets `many` clients in `page` watch the tree of session `id`; they answer each frame, so that the next comes. */
export async function watch(page, id, many) {
  await page.evaluate(
    ([id, many]) => {
      window.heard = new Array(many).fill(0);
      window.sockets = window.heard.map((_, i) => {
        const socket = new WebSocket(`ws://${location.host}/api/v1/sessions/${id}/ws`, ["tesuji"]);
        let seq = 0;
        socket.binaryType = "arraybuffer";
        socket.onmessage = ({ data }) => {
          if (typeof data === "string") return void (seq = JSON.parse(data).head?.seq ?? seq);
          if (new DataView(data).getUint8(1) === 3) return;
          window.heard[i]++;
          socket.send(JSON.stringify({ ack: seq }));
        };
        return socket;
      });
    },
    [id, many],
  );
  return {
    /** Frames that each has got. */
    heard: () => page.evaluate(() => window.heard),
    /** Whether all still listen. */
    listen: () => page.evaluate(() => window.sockets.every((socket) => socket.readyState === WebSocket.OPEN)),
    leave: () => page.evaluate(() => window.sockets.forEach((socket) => socket.close())),
  };
}
