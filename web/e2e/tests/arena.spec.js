// A person starts a match, watches, pauses, loses the server and goes on where the match was.
import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { inState, serve, violations, workspace } from "./server.js";

const port = Number(process.env.TESUJI_PORT ?? "4183") + 1;

test("a match is begun, watched, paused, and survives its server", async ({ page }) => {
  const space = workspace();
  let server = await serve(space, port);
  try {
    await page.goto(`${server.url}/arena`);
    const form = page.getByRole("form", { name: "New match" });
    await form.getByLabel("Limit").selectOption({ label: "nodes a move" });
    await form.getByLabel("How much").fill("0");
    await form.getByLabel("Games of each pairing").fill("400");
    await form.getByRole("checkbox", { name: "SPRT" }).check();
    await form.getByRole("button", { name: "Start the match" }).click();
    await expect(page.getByRole("alert")).toContainText("above 0");
    await form.getByLabel("How much").fill("400");
    await form.getByRole("button", { name: "Start the match" }).click();

    await expect(page).toHaveURL(/\/arena\/1$/);
    await expect(page.getByRole("article").first()).toContainText("ply");
    // Both players were called tesuji.
    await expect(page.getByRole("heading", { level: 1 })).toContainText("alpha-beta – mcts");
    await expect(page.getByText(/alpha-beta: .* · mcts: /)).toBeVisible();
    await expect(page.getByTestId("score")).toContainText(/\+[0-9]+ =[0-9]+ −[1-9]/);
    await expect(page.getByRole("meter", { name: "LLR" })).toBeVisible();
    await expect(page).toHaveTitle(/▶/);
    expect(await violations(page, AxeBuilder)).toEqual([]);
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await expect(page.getByRole("button", { name: "Resume", exact: true })).toBeVisible();
    const games = async () => (await (await fetch(`${server.url}/api/v1/jobs/1`)).json()).progress.done;
    const before = await games();
    expect(before).toBeGreaterThan(0);
    await page.getByRole("button", { name: "Resume", exact: true }).click();
    await expect(page.getByRole("button", { name: "Stop after current games" })).toBeVisible();

    await server.kill();
    await expect(page.getByTestId("lost")).toBeVisible();
    server = await serve(space, port);
    await expect(page.getByTestId("lost")).toHaveCount(0);
    await expect(inState(page, "interrupted")).toBeVisible();
    await page.getByRole("button", { name: "Resume", exact: true }).click();
    await expect.poll(games).toBeGreaterThan(before);
    await page.getByRole("button", { name: "Stop after current games" }).click();
    await expect(page.getByRole("button", { name: "Resume", exact: true })).toBeVisible();

    await page.getByRole("region", { name: "Games", exact: true }).getByRole("link").first().click();
    await expect(page.getByRole("img", { name: "Board: Chess" }).first()).toBeVisible();
    await page.getByRole("button", { name: "To the start" }).click();
    await page.keyboard.press("ArrowRight");
    await expect(page.getByTestId("ply")).toHaveText(/^1 \/ \d+$/);
    expect(await violations(page, AxeBuilder)).toEqual([]);
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Save games (PGN)" }).click();
    expect((await download).suggestedFilename()).toContain("pgn");

    await page.goto(`${server.url}/jobs`);
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await expect(page.getByRole("main").getByText("Nothing has run here yet.")).toBeVisible();
    // Empty places say what will stand there, and have a way to begin.
    for (const [place, way] of [["jobs", "Teach weights for a minute"], ["tune", "Teach weights for a minute"], ["data", "Start a demo match"], ["solve", "Example: a mate in chess"]]) {
      await page.goto(`${server.url}/${place}`);
      await expect(page.getByRole("main").getByRole("button", { name: way })).toBeVisible();
    }
    await page.goto(`${server.url}/nowhere`);
    await page.getByRole("link", { name: "To the first page" }).click();
    await expect(page.getByRole("heading", { name: "Play and analyse" })).toBeVisible();
  } finally {
    await server.stop();
  }
});

test("a match shows where its players first part, and both searches there side by side", async ({ page }) => {
  test.setTimeout(180_000);
  const server = await serve(workspace(), port);
  try {
    await page.goto(`${server.url}/arena`);
    const request = { game: "chess", nodes: 300, games: 4, jobs: 1, seed: 1, plies_max: 40 };
    const engines = [{ name: "dev", family: "alpha-beta" }, { name: "base", family: "mcts" }];
    const { id } = await (await page.request.post(`${server.url}/api/v1/matches`, { data: { engines, request } })).json();
    await page.goto(`${server.url}/arena/${id}`);
    await expect(inState(page, "done")).toBeVisible({ timeout: 120_000 });
    const partings = page.getByTestId("partings");
    await partings.getByText("Where the players first part").click();
    const rows = partings.locator("tbody tr");
    await expect(rows).not.toHaveCount(0);
    await expect(rows.first()).toContainText("dev:");
    expect(await violations(page, AxeBuilder)).toEqual([]);
    // Games are sorted by a column.
    const games = page.getByRole("region", { name: "Games", exact: true });
    await games.getByRole("button", { name: /^plies/ }).click();
    await expect(games.getByRole("columnheader", { name: /^plies/ })).toHaveAttribute("aria-sort", "descending");
    const plies = (await games.locator("tbody tr td:nth-child(6)").allTextContents()).map(Number);
    expect(plies).toEqual([...plies].sort((a, b) => b - a));
    // Where a value fell: a move, two values, and the largest fall first.
    const jumps = page.getByTestId("jumps");
    await jumps.getByText("Where a player’s own value falls").click();
    await expect(jumps.locator("tbody tr").first()).toContainText(/(dev|base)\d+[.…].*[+-]?[\d#.]+ → [-+#0]/);
    const falls = (await (await page.request.get(`${server.url}/api/v1/matches/${id}/partings`)).json()).jumps.map(({ fall }) => fall);
    expect(falls).toEqual([...falls].sort((a, b) => b - a));
    await rows.first().getByRole("button", { name: "Compare both searches" }).click();
    await expect(page).toHaveURL(/view=compare/);
    const table = page.locator(".tree-compare tbody tr");
    await expect(table).not.toHaveCount(0);
    const all = await (await page.request.get(`${server.url}/api/v1/sessions`)).json();
    expect(all.map(({ seat }) => seat.name).sort()).toEqual(["base", "dev"]);
    expect(new Set(all.map(({ state }) => state.place.moves.join(" "))).size).toBe(1);
    // Why, of the search that is shown.
    await page.locator(".engine").getByRole("button", { name: "Why" }).click();
    await expect(page.getByTestId("why").getByRole("heading").first()).toContainText("Why");
  } finally {
    await server.stop();
  }
});
