// A game against an engine survives a reload, a restart of the server and another tab; Back leads to where one stood on the page.
import { readFileSync } from "node:fs";
import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { current, openSettings, serve, settled, violations, workspace } from "./server.js";
import { startGame } from "./games.js";

const port = 4199;
const list = (page) => page.getByRole("group", { name: "Moves", exact: true });

async function play(page, move) {
  const entry = page.getByRole("textbox", { name: "Move", exact: true });
  await entry.fill(move);
  await entry.press("Enter");
  await expect(entry).toHaveValue("");
}

const clock = (page, side) => page.getByTestId(`clock-${side}`);
/** What a clock shows, in seconds. */
const seconds = async (page, side) => {
  const [minutes, rest] = (await clock(page, side).textContent()).split(":").map(Number);
  return 60 * minutes + rest;
};

test("a reload in mid-game dropped the opponent and the clocks", async ({ page, context }) => {
  const space = workspace();
  let server = await serve(space, port);
  try {
    await page.goto(`${server.url}/play/chess`);
    await startGame(page, { "I play": "Black", Against: "Tesuji · mcts", Time: "3 min + 2 s, both" });
    await expect(list(page).locator(".move")).toHaveCount(2);
    await expect(page).toHaveURL(/record=/);
    const kept = async () => (await (await page.request.get(`${server.url}/api/v1/records/${/record=(\w+)/.exec(page.url())[1]}`)).json()).play;
    await expect.poll(async () => (await kept())?.clock?.increment).toBe(2000);
    expect(await kept()).toMatchObject({ seat: { search: "mcts" }, plays: [0] });
    const look = async (page) => {
      await expect(list(page).locator(".move")).toHaveCount(2);
      await expect(clock(page, 1)).toHaveAttribute("data-runs", "true");
      await expect(page.getByRole("button", { name: "Resign" })).toBeVisible();
      await expect(page.getByRole("combobox", { name: /^Search/ })).toHaveValue("mcts");
      await expect(page.getByRole("button", { name: "Flip" })).toHaveAttribute("aria-pressed", "true");
    };
    await look(page);
    // An hour of thinking would end the game; some seconds do not come back by a reload.
    await page.evaluate(() => {
      const real = performance.now.bind(performance);
      performance.now = () => real() + 60_000;
    });
    await expect.poll(() => seconds(page, 1)).toBeLessThan(125);
    await page.reload();
    await look(page);
    expect(await seconds(page, 1)).toBeLessThan(125);
    const other = await context.newPage();
    await other.goto(page.url());
    await look(other);
    await other.close();
    // The server is started again in the same place.
    await server.stop();
    server = await serve(space, port);
    await page.reload();
    await look(page);
    await play(page, "e5");
    // The engine answers: two moves and the start.
    await expect(list(page).locator(".move")).toHaveCount(4);
  } finally {
    await server.stop();
  }
});

test("two windows on one game both thought: the second one watches, and takes over by a click", async ({ page, context }) => {
  await page.goto("/play/chess");
  await startGame(page, { "I play": "White", Time: "nodes a move for the engine", "nodes a move": "200" });
  await page.getByLabel("Think on my time").uncheck();
  await play(page, "e4");
  await expect(list(page).locator(".move")).toHaveCount(3);
  await expect(page).toHaveURL(/record=/);
  const watcher = await context.newPage();
  await watcher.goto(page.url());
  await expect(watcher.getByTestId("other-window")).toBeVisible();
  // What is played in the first window is seen in the second, and nothing is played there.
  await play(page, "d4");
  await expect(list(page).locator(".move")).toHaveCount(5);
  await expect(list(watcher).locator(".move")).toHaveCount(5);
  await watcher.getByRole("textbox", { name: "Move", exact: true }).fill("a3");
  await watcher.keyboard.press("Enter");
  await watcher.getByRole("button", { name: "Take back" }).click();
  await expect(list(watcher).locator(".move")).toHaveCount(5);
  const sessions = async () => (await (await page.request.get("/api/v1/sessions")).json()).map(({ id }) => id);
  const before = await sessions();
  await watcher.getByRole("button", { name: "Play here" }).click();
  await expect(watcher.getByTestId("other-window")).toHaveCount(0);
  await expect(page.getByTestId("other-window")).toBeVisible();
  await watcher.keyboard.press("End");
  await play(watcher, "h3");
  await expect(list(watcher).locator(".move")).toHaveCount(7);
  await expect(list(page).locator(".move")).toHaveCount(7);
  // The watcher had no engine before.
  expect((await sessions()).filter((id) => !before.includes(id))).toHaveLength(1);
  // The record stays one, and its game goes on where the last window is.
  expect(new URL(watcher.url()).searchParams.get("record")).toBe(new URL(page.url()).searchParams.get("record"));
  await watcher.close();
  await expect(page.getByTestId("other-window")).toHaveCount(0);
});

test("looking back in a game does not let the engine move there", async ({ page }) => {
  await page.goto("/play/chess");
  await startGame(page, { "I play": "White", Time: "nodes a move for the engine", "nodes a move": "200" });
  await play(page, "e4");
  await expect(list(page).locator(".move")).toHaveCount(3);
  await page.getByRole("button", { name: "One move back" }).click();
  await expect(current(page)).toContainText("e4");
  await expect(page.getByTestId("stand")).toHaveText("Black to move");
  await page.getByRole("button", { name: "To the end" }).click();
  await play(page, "d4");
  await expect(list(page).locator(".move")).toHaveCount(5);
});

test("Back leads to where one stood, and not off the page", async ({ page }) => {
  await page.goto("/play/chess?moves=e2e4.e7e5.g1f3.b8c6&ply=0");
  await expect(current(page)).toContainText("Start");
  await list(page).getByRole("button", { name: "Nc6" }).click();
  await expect(current(page)).toContainText("Nc6");
  await list(page).getByRole("button", { name: "e5", exact: true }).click();
  await expect(current(page)).toContainText("e5");
  await page.goBack();
  await expect(current(page)).toContainText("Nc6");
  await page.goBack();
  await expect(current(page)).toContainText("Start");
  await page.goForward();
  await expect(current(page)).toContainText("Nc6");
  await play(page, "Bb5");
  await expect(current(page)).toContainText("Bb5");
  await page.goBack();
  await expect(current(page)).toContainText("Nc6");
  await expect(list(page)).toContainText("Bb5");
});

test("shogi is read without kanji: letters on pieces and in moves, or signs where they are chosen", async ({ page }) => {
  await page.goto("/play/shogi?moves=7g7f.3c3d.8h2b%2B.3a2b");
  await expect(list(page)).toContainText("B22+");
  await expect(list(page)).not.toContainText(/[一-龠]/);
  const style = () => page.locator(".shogi style").first().textContent();
  expect(await style()).toContain(encodeURIComponent(">P</text>"));
  await openSettings(page);
  await page.getByLabel("Letters for pieces and moves (P76)").uncheck();
  await expect(list(page)).toContainText("２二角成");
  // A move that takes back on the same square names it as records do.
  await expect(list(page)).toContainText("☖同　銀");
  expect(await style()).not.toContain(encodeURIComponent(">P</text>"));
});

test("a review becomes a report with a board at each mark, and each mark leads to its question", async ({ page }) => {
  test.setTimeout(180_000);
  // White leaves a queen.
  await page.goto("/play/chess?moves=e2e4.e7e5.d1h5.b8c6.h5e5&sweep=1");
  await expect(page.getByTestId("sweep-sum")).toContainText("blunder 1", { timeout: 90_000 });
  await page.getByRole("link", { name: "Report to print" }).click();
  const report = page.locator(".report");
  await expect(report.getByRole("heading", { name: /Qxe5\+/ })).toBeVisible();
  await expect(report.locator(".report-marks .still")).not.toHaveCount(0);
  await expect(report.locator(".report-numbers")).toContainText("Accuracy");
  await settled(page);
  expect(await violations(page, AxeBuilder)).toEqual([]);
  // As a file it is whole: it asks for nothing, and its boards are drawn.
  const download = page.waitForEvent("download");
  await report.getByRole("button", { name: "Save as a file" }).click();
  const saved = readFileSync(await (await download).path(), "utf8");
  const alone = await page.context().newPage();
  const asked = [];
  alone.on("request", (request) => asked.push(request.url()));
  await alone.setContent(saved);
  await expect(alone.getByRole("heading", { name: /Qxe5\+/ })).toBeVisible();
  await expect(alone.locator("cg-board piece").first()).toBeVisible();
  expect(await alone.locator("cg-board piece").first().evaluate((piece) => getComputedStyle(piece).backgroundImage)).toContain("data:image");
  expect(asked.filter((url) => !url.startsWith("data:"))).toEqual([]);
  await alone.close();
  await report.getByRole("link", { name: "Why not Qxe5+?" }).click();
  await expect(page.getByTestId("why-not-steps")).toBeVisible({ timeout: 60_000 });
  // The third board stands where the line turns, and steps along it.
  const step = page.getByTestId("step-ply").nth(2);
  await expect(step).toHaveText(/^[12] \/ \d+$/);
  await page.getByRole("group", { name: "3. Where the lines part" }).getByRole("button", { name: "Back", exact: true }).click();
  await expect(step).toHaveText(/^[01] \/ \d+$/);
});

test("a reload goes on analysing where one stood, with the search that was there", async ({ page }) => {
  await page.goto("/play/chess?moves=e2e4.e7e5&engine=mcts");
  await page.getByRole("button", { name: "Analyse", exact: true }).click();
  const candidates = page.locator(".candidates tbody tr");
  await expect(candidates.first()).toBeVisible();
  await expect(page).toHaveURL(/analyse=1/);
  const sessions = async () => (await (await page.request.get("/api/v1/sessions")).json()).filter(({ state }) => state.place.moves.join(" ") === "e2e4 e7e5").map(({ id }) => id);
  const before = await sessions();
  await page.reload();
  await expect(page.getByRole("button", { name: "Stop", exact: true })).toBeVisible();
  await expect(candidates.first()).toBeVisible();
  await expect(current(page)).toContainText("e5");
  expect(await sessions()).toEqual(before);
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await expect(page).not.toHaveURL(/analyse/);
});

test("go: whose the points will be stands on the board while one analyses", async ({ page }) => {
  await page.goto("/play/go?rules=9x9+komi+7&moves=E5.C3.G3.G7.C7&analyse=1");
  const painted = page.locator('.shudan-vertex[class*="shudan-paint_"]');
  await expect(painted).not.toHaveCount(0);
  // Each candidate says the lead, too.
  await expect(page.locator(".candidates .lead").first()).toHaveText(/^[+-]?\d+\.\d$/);
  await openSettings(page);
  await page.getByLabel("Whose the points will be").uncheck();
  await expect(painted).toHaveCount(0);
});
