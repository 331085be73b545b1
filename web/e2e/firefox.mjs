// A short walk in Debian's Firefox, over WebDriver BiDi: node --experimental-websocket firefox.mjs (TESUJI=…/tesuji).
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { serve, workspace } from "./tests/server.js";

const firefox = process.env.FIREFOX ?? "/usr/bin/firefox-esr";
const PATIENCE_MS = 60_000;

/** Starts Firefox with a profile of its own; where it listens. */
async function start(profile) {
  const child = spawn(firefox, ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0", "about:blank"], { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, HOME: profile } });
  let said = "";
  child.stderr.on("data", (text) => (said += text));
  for (const began = Date.now(); Date.now() - began < PATIENCE_MS; await pause(100)) {
    const address = /WebDriver BiDi listening on (ws:\S+)/.exec(said)?.[1];
    if (address) return { child, address };
  }
  child.kill();
  throw new Error(`Firefox does not listen: ${said.slice(-500)}`);
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Asks Firefox; errors that the page writes into its console are kept. */
async function connect(address) {
  const socket = new WebSocket(`${address}/session`);
  await new Promise((done, fail) => Object.assign(socket, { onopen: done, onerror: () => fail(new Error(`no answer at ${address}`)) }));
  const waiting = new Map();
  const errors = [];
  socket.onmessage = ({ data }) => {
    const { id, result, error, message, method, params } = JSON.parse(data);
    // Firefox says so of each stream of events whose page is left.
    const isLeft = /was interrupted while the page was loading/.test(params?.text ?? "");
    if (method === "log.entryAdded" && params.level === "error" && !isLeft) errors.push(params.text);
    if (id === undefined) return;
    const { done, fail } = waiting.get(id);
    waiting.delete(id);
    if (error) fail(new Error(`${error}: ${message}`));
    else done(result);
  };
  let last = 0;
  const ask = (method, params) => new Promise((done, fail) => {
    waiting.set(++last, { done, fail });
    socket.send(JSON.stringify({ id: last, method, params }));
  });
  await ask("session.new", { capabilities: {} });
  await ask("session.subscribe", { events: ["log.entryAdded"] });
  const { contexts: [{ context }] } = await ask("browsingContext.getTree", {});
  await ask("browsingContext.setViewport", { context, viewport: { width: 1280, height: 800 } });
  return { ask, context, errors, close: () => socket.close() };
}

/** What a person does with the page. */
function person({ ask, context }) {
  const evaluate = async (expression) => {
    const { result, exceptionDetails } = await ask("script.evaluate", { expression, target: { context }, awaitPromise: true });
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return result.value;
  };
  const see = async (what, expression) => {
    for (const began = Date.now(); Date.now() - began < PATIENCE_MS; await pause(100)) if (await evaluate(expression)) return console.log(`seen: ${what}`);
    throw new Error(`not seen: ${what}`);
  };
  const press = (x, y) => ask("input.performActions", {
    context, actions: [{ type: "pointer", id: "mouse", actions: [{ type: "pointerMove", x: Math.round(x), y: Math.round(y) }, { type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 }] }],
  });
  /** Presses the place `across` and `down` (in 0..1) of the first element of `selector`. */
  const click = async (selector, across = 0.5, down = 0.5) => {
    const [x, y] = JSON.parse(await evaluate(`(() => { const box = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect(); return JSON.stringify([box.x + box.width * ${across}, box.y + box.height * ${down}]); })()`));
    await press(x, y);
  };
  /** Takes the piece there: what may be played is not known at once. */
  const take = async (board, across, down, marks) => {
    for (let i = 0; i < 30; i++) {
      await click(board, across, down);
      await pause(300);
      if (await evaluate(`document.querySelector(${JSON.stringify(marks)}) !== null`)) return;
    }
    throw new Error(`a piece of ${board} that is pressed shows no squares`);
  };
  const type = (text) => ask("input.performActions", { context, actions: [{ type: "key", id: "keys", actions: [...text].flatMap((value) => [{ type: "keyDown", value }, { type: "keyUp", value }]) }] });
  const open = (url) => ask("browsingContext.navigate", { context, url, wait: "complete" });
  return { see, click, take, type, open };
}

const ENTER = "\uE007";
const moves = (text) => `(document.querySelector(".moves")?.textContent ?? "").includes(${JSON.stringify(text)})`;
const stands = (text) => `document.querySelector('[data-testid="stand"]')?.textContent === ${JSON.stringify(text)}`;

async function walk(url, { see, click, take, type, open }) {
  await open(`${url}/play/chess`);
  await see("a board of chess", `document.querySelectorAll("cg-board piece").length === 32 && ${stands("White to move")}`);
  await type("/");
  await type(`e4${ENTER}`);
  await see("a move that was typed", `${moves("e4")} && ${stands("Black to move")}`);
  await take("cg-board", 4.5 / 8, 1.5 / 8, "square.move-dest");
  await click("cg-board", 4.5 / 8, 3.5 / 8);
  await see("a move that was pressed", `${moves("e5")} && ${stands("White to move")}`);
  await click("button.strong");
  await see("three candidates", `document.querySelectorAll(".candidates tbody tr").length === 3`);
  await see("the tree below", `document.querySelector(".icicle canvas") !== null && document.querySelectorAll('[role="treeitem"]').length > 0`);
  await click("button.strong");
  await open(`${url}/play/shogi`);
  await see("a board of shogi", `document.querySelectorAll("sg-pieces piece").length === 40 && ${stands("Sente to move")}`);
  await take("sg-board", 2.5 / 9, 6.5 / 9, "sq.dest");
  await click("sg-board", 2.5 / 9, 5.5 / 9);
  await see("a pawn of shogi that moved", moves("P76"));
  await open(`${url}/play/go?rules=9x9`);
  await see("a board of go", `document.querySelectorAll(".shudan-vertex").length === 81 && document.querySelector(".controls").textContent.includes("Pass")`);
  await click('.shudan-vertex[data-x="4"][data-y="4"]');
  await see("a stone", moves("E5"));
}

const profile = workspace();
const server = await serve(workspace(), Number(process.env.TESUJI_PORT ?? 4187));
let browser = null;
let failed = null;
try {
  browser = await start(profile);
  const session = await connect(browser.address);
  await walk(server.url, person(session));
  session.close();
  if (session.errors.length > 0) failed = new Error(`the page wrote errors: ${session.errors.join("; ")}`);
} catch (error) {
  failed = error;
} finally {
  browser?.child.kill();
  await server.stop();
  await pause(500);
  rmSync(profile, { recursive: true, force: true });
}
if (failed) {
  console.error(`firefox: ${failed.message}`);
  process.exitCode = 1;
}
