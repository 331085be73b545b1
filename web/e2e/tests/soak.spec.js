// Ten minutes in which trees are watched, games played and pages changed without a pause: memory of server and page stays
// flat. And a hundred clients who watch one search. Slow: SLOW=1 runs it, SOAK_MINUTES says for how long.
import { expect, test } from "@playwright/test";
import { at, held, holdings, watch } from "./measures.js";
import { openSettings, serve, workspace } from "./server.js";

const slow = process.env.SLOW === "1";
const minutes = Number(process.env.SOAK_MINUTES ?? 10);
const port = Number(process.env.TESUJI_PORT ?? "4183") + 3;

test("memory is flat while one watches, plays and looks around", async ({ page }) => {
  test.skip(!slow, "slow: SLOW=1 runs it");
  test.setTimeout((minutes + 3) * 60_000);
  const server = await serve(workspace(), port);
  const metrics = await holdings(page);
  const to = (name) => page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
  const ask = (method, path, data) => page.request[method](`${server.url}/api/v1${path}`, { data });
  const looks = [];
  const end = Date.now() + minutes * 60_000;
  try {
    await page.goto(`${server.url}/`);
    await ask("post", "/matches", { engines: [{ from: "own", name: "A" }, { from: "own", name: "B" }], request: { game: "chess", nodes: 200, games: 100_000, jobs: 1, seed: 1 } });
    for (let round = 0; Date.now() < end; round++) {
      const [game, family] = [["chess", "mcts"], ["shogi", "best-first"], ["chess", "alpha-beta"], ["go", "mcts"]][round % 4];
      const options = family === "alpha-beta" ? { TracePlies: "4" } : {};
      const { id } = await (await ask("post", "/sessions", { game, family, options, place: { moves: [] } })).json();
      await ask("post", `/sessions/${id}/go`, { nodes: game === "go" ? 300 : 8000 });
      // All in one page, as a person stays: addresses change, nothing is loaded anew.
      await page.evaluate((path) => (history.pushState(null, "", path), dispatchEvent(new PopStateEvent("popstate"))), `/tree/${id}?why=`);
      await page.getByRole("treeitem").first().waitFor();
      for (const key of ["ArrowRight", "ArrowRight", "ArrowDown", "2", "3", "4", "1", "ArrowLeft"]) await page.keyboard.press(key);
      await to("Chess");
      await openSettings(page);
      await page.getByLabel("Engine plays").selectOption({ index: 1 + (round % 2) });
      const entry = page.getByRole("textbox", { name: "Move" });
      await entry.fill(round % 2 ? "e2e4" : "d2d4");
      await entry.press("Enter");
      await expect(page.getByRole("group", { name: "Moves" }).getByRole("button").nth(1)).toBeVisible();
      for (const name of ["Matches", "Jobs", "Data", "Help"]) await to(name);
      await page.evaluate(() => (history.pushState(null, "", "/arena/1"), dispatchEvent(new PopStateEvent("popstate"))));
      await page.getByTestId("score").waitFor();
      await to("Help");
      await ask("delete", `/sessions/${id}`);
      looks.push({ ...(await metrics()), server: held(server.pid) });
    }
  } finally {
    await server.stop();
  }
  const part = (name, from, until) => at(looks.slice(Math.floor(looks.length * from), Math.floor(looks.length * until)).map((look) => look[name]), 0.5);
  const fifths = (name) => [0, 1, 2, 3, 4].map((n) => part(name, n / 5, (n + 1) / 5).toFixed(1)).join(", ");
  for (const name of ["heap", "nodes", "listeners", "server"]) {
    const [early, late] = [part(name, 0.2, 0.5), part(name, 0.7, 1)];
    console.log(`${name}: ${early.toFixed(1)} after a third, ${late.toFixed(1)} at the end of ${looks.length} rounds in ${minutes} minutes; fifths: ${fifths(name)}`);
    expect(late, name).toBeLessThan(early * 1.25 + 4);
  }
});

test("a hundred clients watch one search", async ({ page }) => {
  test.skip(!slow, "slow: SLOW=1 runs it");
  test.setTimeout(180_000);
  const { id } = await (await page.request.post("/api/v1/sessions", { data: { game: "chess", family: "mcts", place: { moves: ["e2e4"] } } })).json();
  await page.goto("/help");
  const clients = await watch(page, id, 100);
  await page.request.post(`/api/v1/sessions/${id}/go`, { data: {} });
  await expect.poll(() => clients.heard().then((heard) => Math.min(...heard)), { timeout: 120_000 }).toBeGreaterThan(3);
  expect(await clients.listen()).toBe(true);
  await clients.leave();
  await page.request.delete(`/api/v1/sessions/${id}`);
});
