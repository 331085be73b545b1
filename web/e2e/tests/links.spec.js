// A person goes on with what a page shows on another page: games to Play, Sweep and Tree, matches to more games.
import { expect, test } from "@playwright/test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { current, inState, serve, workspace } from "./server.js";

const space = process.env.TESUJI_SPACE;
const port = Number(process.env.TESUJI_PORT ?? "4183") + 2;
const end = (page, id) => page.request.delete(`/api/v1/sessions/${id}`);

test("a record of a file opens in Play, is looked over, and grows a tree", async ({ page }) => {
  writeFileSync(join(space, "open.pgn"), '[Event "E"]\n[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 e5 2. Qh5 Nc6 3. Qxf7+ Kxf7 1-0\n\n');
  const data = "/data/file?path=open.pgn&game=chess";
  await page.goto(data);
  const open = page.getByRole("article").first().getByRole("group", { name: "Open in" });
  await open.getByRole("link", { name: "Play" }).click();
  await expect(page).toHaveURL(/play\/chess\?moves=e2e4\.e7e5/);
  await expect(current(page)).toContainText("Kxf7");
  // The address follows, and says the same when it is opened again.
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await expect(page).toHaveURL(/ply=1/);
  await page.reload();
  await expect(current(page)).toContainText("e4");
  await page.goto(data);
  await open.getByRole("link", { name: "Review this game" }).click();
  await expect(page.getByRole("group", { name: "Moves" }).getByTitle("blunder")).toHaveCount(1);
  await page.goto(data);
  await open.getByRole("link", { name: "Tree" }).click();
  await expect(page).toHaveURL(/play\/chess\?.*moves=e2e4/);
  await expect(page.getByRole("treeitem").first()).toBeVisible();
  await expect(current(page)).toContainText("Kxf7");
  await page.goBack();
  await expect(page).toHaveURL(/data\/file/);
});

test("an address that names no game says what is wrong", async ({ page }) => {
  await page.goto("/play/chess?moves=e2e5");
  await expect(page.getByRole("alert")).toContainText("e2e5");
});

test("the tree of a solver grows before one's eyes, and stays to be looked at", async ({ page }) => {
  // A long search without a mate: a king with a queen against it in the open.
  const position = "8/8/4k3/8/3Q4/8/8/K7 w - - 0 1";
  const made = await (await page.request.post("/api/v1/solve", { data: { request: { game: "chess", position: { start: position }, seconds: 10 } } })).json();
  await page.goto(`/solve/${made.id}`);
  const tree = page.getByTestId("grown");
  const nodes = async () => Number(await tree.getAttribute("data-nodes"));
  await expect(tree).toBeVisible();
  const before = await nodes();
  await expect.poll(nodes).toBeGreaterThan(before);
  await expect(inState(page, "done")).toBeVisible();
  await expect(page.getByTestId("answer")).toContainText("? not solved");
  // What is looked at stands still: the search ends by its clock, whatever the machine does.
  await page.locator("details > summary").click();
  await expect(tree.getByRole("treeitem").first()).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await expect(tree.locator('[aria-selected="true"]')).toHaveCount(1);
  await expect(tree.getByRole("treeitem").first()).toContainText(/[✔✘…]/);
});

test("a match that is over plays more games, and one of them opens in Play", async ({ page }) => {
  const server = await serve(workspace(), port);
  try {
    const engines = [{ from: "own", name: "A" }, { from: "own", name: "B" }];
    const data = { engines, request: { game: "chess", nodes: 50, games: 4, jobs: 1, seed: 1, plies_max: 30 } };
    await page.request.post(`${server.url}/api/v1/matches`, { data });
    await page.goto(`${server.url}/arena/1`);
    await expect(inState(page, "done")).toBeVisible();
    await page.getByLabel("Games of each pairing in all").fill("10");
    await page.getByRole("button", { name: "Play more games" }).click();
    await expect(page.getByRole("region", { name: "Games", exact: true }).getByRole("link", { name: "10" })).toBeVisible();
    await expect(inState(page, "done")).toBeVisible();
    await page.getByRole("region", { name: "Games", exact: true }).getByRole("link", { name: "10" }).click();
    await page.getByRole("button", { name: "To the start" }).click();
    await page.getByRole("group", { name: "Open in" }).first().getByRole("link", { name: "Play" }).click();
    await expect(page).toHaveURL(/play\/chess\?.*ply=0/);
    await expect(page.getByRole("group", { name: "Moves" }).getByRole("button").nth(1)).toBeVisible();
  } finally {
    await server.stop();
  }
});

test("trainings of networks and sweeps are shown, and compared", async ({ page }) => {
  const line = (what, positions, loss) => JSON.stringify({ what, step: positions / 64, positions, of: 64, loss, policy: loss - 0.4, top1: 0.41, top5: 0.73, value: 0.94, sign: 0.6, score: 9.1, rate: 0.0005, gradient: 2.2 });
  const log = (shift) => [640, 1280, 1920].flatMap((n) => [line("training", n, 2.7 - shift - n / 1e4), line("validation", n, 2.8 - shift - n / 1e4)]).join("\n");
  writeFileSync(join(space, "one.net.log"), log(0));
  writeFileSync(join(space, "two.net.log"), log(0.1));
  await page.goto("/tune");
  await page.getByRole("checkbox", { name: "Compare one.net.log" }).check();
  await page.getByRole("checkbox", { name: "Compare two.net.log" }).check();
  await page.getByRole("button", { name: "Compare" }).click();
  const shown = page.getByTestId("net-runs");
  await expect(shown.getByRole("img", { name: "Loss" })).toBeVisible();
  await expect(shown.getByRole("img", { name: "First guess hits, First five hit" })).toBeVisible();
  await expect(shown.getByRole("row", { name: /^two\.net\.log 1,920/ })).toContainText("73%");
});

// It asked for session NaN a hundred times a second.
test("an address with a word in place of a tree's number shows the trees", async ({ page }) => {
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto("/tree/chess");
  await expect(page.getByRole("heading", { level: 1, name: "Tree" })).toBeVisible();
  expect(asked.filter((url) => url.includes("NaN"))).toEqual([]);
});
