// What publishing costs a search, in instructions: node cost.mjs path/to/tesuji [family …]. Valgrind counts the same search
// with and without somebody who watches; a second run without valgrind says how long it takes. Under valgrind a second holds
// few nodes and so relatively many publications: what one of them costs is counted, and taken as often as it is in truth.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { chromium } from "@playwright/test";
import { at, watch, worked } from "./tests/measures.js";

const [, , binary, ...only] = process.argv;
/** Searches of less than a second: under valgrind they take minutes. */
const SEARCHES = { mcts: [20_000, {}], "best-first": [400_000, {}], "alpha-beta": [700_000, { TracePlies: "4" }] };
/** States a second and copies a second at most: PUBLISH_EVERY and EVERY of crates/web. */
const [STATES, COPIES] = [10, 5];
/** Parts that only publish: states, on the search's thread, and trees, on the thread that copies;
 * the last tree is copied after the search. */
const PARTS = {
  state: /(InText<.*> as .*>|search::(mcts|best_first|alpha_beta)::.*)::report$/,
  copy: /Grove::copy_once$/,
  publish: /Grove::publish$/,
  last: /think::Mind::show_tree$/,
};

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage();
let port = 8790;

/** One search in a server of its own; `valgrind` are the words before the program's. */
async function search(family, isWatched, valgrind = []) {
  const [nodes, options] = SEARCHES[family];
  const base = `http://127.0.0.1:${++port}`;
  const words = [...valgrind, binary, "serve", "--port", String(port), "--no-token", "--workspace", mkdtempSync(join(tmpdir(), "tesuji-cost-"))];
  const server = spawn(words[0], words.slice(1), { stdio: "ignore" });
  const gone = new Promise((done) => server.once("exit", done));
  const ask = async (method, path, body) => {
    const answer = await fetch(`${base}/api/v1${path}`, { method, body: body && JSON.stringify(body), headers: { "Content-Type": "application/json" } });
    return answer.status === 200 || answer.status === 201 ? answer.json() : null;
  };
  while (!(await fetch(`${base}/api/v1/health`).catch(() => null))?.ok) await new Promise((done) => setTimeout(done, 100));
  const { id } = await ask("POST", "/sessions", { game: "chess", family, options, place: { moves: ["e2e4"] } });
  if (isWatched) await page.goto(`${base}/help`);
  const clients = isWatched ? await watch(page, id, 1) : null;
  await ask("POST", `/sessions/${id}/go`, { nodes });
  let state;
  do {
    await new Promise((done) => setTimeout(done, 50));
    ({ state } = await ask("GET", `/sessions/${id}`));
  } while (state.thinking || !state.found);
  const frames = clients ? (await clients.heard())[0] : 0;
  const { first: seconds, waits } = worked(server.pid)[`session ${id}`];
  await clients?.leave();
  server.kill("SIGINT");
  await gone;
  return { seconds, waits, wall: state.found.time / 1000, nodes: state.found.nodes, frames, seq: state.seq };
}

/** Of each thread that valgrind counted: all instructions, and calls and instructions of each of `PARTS`. */
function counted(folder) {
  return readdirSync(folder).map((file) => {
    const names = new Map();
    const parts = Object.fromEntries(Object.keys(PARTS).map((part) => [part, { calls: 0, cost: 0 }]));
    let [all, callee, calls, isSearch] = [0, "", null, false];
    for (const line of readFileSync(join(folder, file), "utf8").split("\n")) {
      const name = /^c?fn=\((\d+)\)(?: (.*))?/.exec(line);
      if (name) {
        if (name[2]) names.set(name[1], name[2]);
        if (line.startsWith("c")) callee = names.get(name[1]) ?? "";
        isSearch ||= /think::Mind::(run|go)/.test(names.get(name[1]) ?? "");
      } else if (line.startsWith("calls=")) calls = Number(/^calls=(\d+)/.exec(line)[1]);
      else if (calls !== null) {
        const part = Object.keys(PARTS).find((part) => PARTS[part].test(callee));
        if (part) (parts[part].calls += calls), (parts[part].cost += Number(line.split(" ").pop()));
        calls = null;
      } else if (line.startsWith("totals:")) all = Number(line.split(" ")[1]);
    }
    return { file, all, isSearch, parts };
  });
}

const millions = (count) => `${(count / 1e6).toFixed(2)} M`;
for (const family of only.length > 0 ? only : Object.keys(SEARCHES)) {
  const [plain, seen] = [[], []];
  for (let i = 0; i < 5; i++) plain.push(await search(family, false)), seen.push(await search(family, true));
  const least = (runs) => `${at(runs.map((run) => run.seconds), 0).toFixed(2)} s (${at(runs.map((run) => run.waits), 0.5)} waits)`;
  const seconds = at(plain.map((run) => run.seconds), 0);
  console.log(`${family}: ${plain[0].nodes} nodes; processor time of the search's thread, least of five: alone ${least(plain)}, watched ${least(seen)}`);
  const told = [];
  for (const isWatched of [false, true]) {
    const folder = mkdtempSync(join(tmpdir(), "tesuji-callgrind-"));
    const run = await search(family, isWatched, ["valgrind", "--tool=callgrind", "--separate-threads=yes", `--callgrind-out-file=${folder}/out`]);
    const threads = counted(folder);
    const total = (part, key) => threads.reduce((sum, { parts }) => sum + parts[part][key], 0);
    const all = Math.max(0, ...threads.filter((thread) => thread.isSearch).map((thread) => thread.all)) - total("last", "cost");
    const [states, trees] = [run.seq, total("publish", "calls")];
    told.push({ all, states, trees, state: total("state", "cost") / states, tree: total("copy", "cost") / Math.max(1, trees) });
    console.log(`  ${isWatched ? "watched" : "alone"}: ${millions(all)} on the search's thread, ${states} states of ${millions(told.at(-1).state)}, ${trees} trees of ${millions(told.at(-1).tree)}, ${run.frames} frames sent`);
    execFileSync("rm", ["-r", folder]);
    // What happened cannot have cost nothing: the part is called otherwise in the program, or has become part of another function.
    const lost = [[states, "state"], [isWatched ? trees : 0, "copy"]].filter(([times, part]) => times > 0 && total(part, "cost") === 0);
    if (lost.length > 0) throw new Error(`nothing was counted for ${lost.map(([, part]) => PARTS[part]).join(", ")}: name the function as it is called now`);
  }
  const [alone, watched] = told;
  const second = (alone.all - alone.states * alone.state) / seconds;
  const share = (count) => `${((100 * count) / second).toFixed(3)} %`;
  const more = (watched.all - watched.states * watched.state - alone.all + alone.states * alone.state) / Math.max(1, watched.trees);
  console.log(`  ${millions(second)} a second; of the search's thread states take ${share(STATES * watched.state)}, trees ${share(COPIES * more)}; of another thread ${share(COPIES * watched.tree)}`);
}
await browser.close();
