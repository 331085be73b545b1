// Measures the page against a running server: node figures.mjs http://127.0.0.1:8787 tree.json (a file of 500,000 nodes).
import { readFileSync } from "node:fs";
import { chromium } from "@playwright/test";
import { at, watch, worked } from "./tests/measures.js";

const [, , base, file] = process.argv;
const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args });
const page = await browser.newPage({ viewport: { width: 1280, height: 760 } });
const say = (what, list, unit = "ms") => console.log(`${what}: median ${at(list, 0.5).toFixed(1)} ${unit}, 95th ${at(list, 0.95).toFixed(1)} ${unit} of ${list.length}`);
const post = (path, data) => page.request.post(`${base}/api/v1${path}`, { data });

const paints = [];
for (let i = 0; i < 10; i++) {
  const fresh = await browser.newContext();
  const first = await fresh.newPage();
  await first.goto(`${base}/`);
  await first.waitForSelector("h1");
  paints.push(await first.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN));
  await fresh.close();
}
say("first paint, cold", paints);

/** Milliseconds from the beginning of the navigation until `selector` is there, in ten fresh profiles; what the page draws and not what a driver polls. */
async function until(address, selector) {
  const times = [];
  for (let i = 0; i < 10; i++) {
    const fresh = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const opened = await fresh.newPage();
    await opened.addInitScript((selector) => {
      const look = () => (document.querySelector(selector) ? (window.seenAt = performance.now()) : requestAnimationFrame(look));
      requestAnimationFrame(look);
    }, selector);
    await opened.goto(`${base}${address}`);
    await opened.waitForFunction(() => window.seenAt !== undefined);
    times.push(await opened.evaluate(() => window.seenAt));
    // Left as a person leaves it: its search ends with it, and the next page has the machine for itself.
    await opened.goto("about:blank");
    await fresh.close();
  }
  return times;
}
say("first board, cold", await until("/play/chess", "cg-board piece"));
const loaded = await browser.newPage();
await loaded.goto(`${base}/play/chess`);
await loaded.waitForSelector("cg-board piece");
const scripts = await loaded.evaluate(() => performance.getEntriesByType("resource").filter(({ name }) => name.endsWith(".js")).map(({ name, decodedBodySize }) => [name.replace(/.*\/(\w+)-.*/, "$1"), decodedBodySize]));
console.log(`JavaScript of the first board: ${Math.round(scripts.reduce((sum, [, size]) => sum + size, 0) / 1000)} kB (${scripts.map(([name, size]) => `${name} ${Math.round(size / 1000)}`).join(", ")})`);
await loaded.goto("about:blank");
await loaded.close();
say("analysis visible, cold", await until("/play/chess?moves=e2e4.e7e5&analyse=1", ".candidates tbody tr"));

const opened = await (await post("/trees", { text: readFileSync(file, "utf8") })).json();
await page.goto(`${base}/tree/${opened.id}?view=icicle`);
await page.waitForSelector(".icicle canvas");
await page.waitForTimeout(1000);
console.log(`nodes shown: ${await page.getByTestId("tree-nodes").getAttribute("data-size")}`);
const frames = await page.evaluate(async () => {
  const canvas = document.querySelector(".icicle canvas");
  const box = canvas.getBoundingClientRect();
  const times = [];
  let last = performance.now();
  for (let i = 0; i < 300; i++) {
    // In and out of the middle, and along: every frame draws other boxes.
    const turn = { bubbles: true, cancelable: true, clientX: box.left + box.width * (0.3 + 0.4 * Math.sin(i / 20) ** 2), clientY: box.top + 40 };
    canvas.dispatchEvent(new WheelEvent("wheel", { ...turn, deltaY: Math.sin(i / 25) > 0 ? -60 : 60 }));
    await new Promise((done) => requestAnimationFrame(done));
    times.push(performance.now() - last);
    last = performance.now();
  }
  return times;
});
say("icicle, zooming: a frame", frames);
say("icicle, zooming: rate", frames.map((ms) => 1000 / ms), "fps");

await page.goto(`${base}/tree/${opened.id}`);
await page.waitForSelector(".column");
await page.waitForTimeout(500);
const keys = await page.evaluate(async () => {
  const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const columns = () => document.querySelectorAll(".column:not(.ahead)").length;
  const times = [];
  for (let i = 0; i < 60; i++) {
    const before = columns();
    const began = performance.now();
    press(i % 12 < 6 ? "ArrowRight" : "ArrowLeft");
    while (columns() === before && performance.now() - began < 500) await new Promise((done) => requestAnimationFrame(done));
    times.push(performance.now() - began);
  }
  return times;
});
say("key press to columns", keys);

/** CPU seconds of the server's threads by name; of the search's thread the oldest counts. */
const pid = Number(process.env.SERVER_PID);
const cpu = () => (pid ? worked(pid) : {});
await page.goto(`${base}/help`);
const costs = { 0: [], 1: [], 100: [] };
for (let round = 0; round < Number(process.env.ROUNDS ?? 5); round++) {
  for (const many of [0, 1, 100]) {
    const { id } = await (await post("/sessions", { game: "chess", family: "mcts", place: { moves: ["e2e4"] } })).json();
    const clients = many ? await watch(page, id, many) : null;
    const before = cpu();
    await post(`/sessions/${id}/go`, { nodes: 150000 });
    let state;
    do {
      await page.waitForTimeout(100);
      state = (await (await page.request.get(`${base}/api/v1/sessions/${id}`)).json()).state;
    } while (state.thinking || !state.found);
    const after = cpu();
    const name = `session ${id}`;
    costs[many].push(pid ? after[name].first - (before[name]?.first ?? 0) : state.found.time / 1000);
    if (many === 100 && round === 0) console.log(`100 clients: ${(await clients.heard()).reduce((sum, n) => sum + n) / 100} frames each in ${state.found.time / 1000} s of search`);
    await clients?.leave();
    await page.request.delete(`${base}/api/v1/sessions/${id}`);
  }
}
if (Number(process.env.ROUNDS ?? 5) > 0) for (const many of [0, 1, 100]) say(`150,000 playouts, ${many} watching: CPU of the search's thread`, costs[many], "s");
await browser.close();
