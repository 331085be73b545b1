// A person looks into a search: a tree that grows, columns by keyboard, why, and the mistakes of a game.
import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { current, openRecords } from "./server.js";

/** Starts a search whose tree is shown, as a script would. */
async function plant(page, game, family, moves = [], goal = {}) {
  const options = family === "alpha-beta" ? { TracePlies: "4" } : {};
  const made = await page.request.post("/api/v1/sessions", { data: { game, family, options, place: { moves } } });
  expect(made.status()).toBe(201);
  const { id } = await made.json();
  await page.request.post(`/api/v1/sessions/${id}/go`, { data: goal });
  await page.goto(`/tree/${id}`);
  return id;
}
const end = (page, id) => page.request.delete(`/api/v1/sessions/${id}`);

for (const [game, family] of [["chess", "mcts"], ["shogi", "best-first"], ["go", "mcts"], ["chess", "alpha-beta"]]) {
  test(`${game}: the tree of ${family} grows before one's eyes`, async ({ page }) => {
    const troubles = [];
    page.on("pageerror", (error) => troubles.push(String(error)));
    const id = await plant(page, game, family);
    const count = page.getByTestId("tree-nodes");
    const nodes = async () => Number(await count.getAttribute("data-nodes"));
    await expect.poll(nodes).toBeGreaterThan(0);
    const before = await nodes();
    await expect.poll(nodes).toBeGreaterThan(before);
    await expect(page.getByRole("treeitem").first()).toBeVisible();
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await expect(page.getByTestId("tree-state")).toContainText("at rest");
    expect(troubles).toEqual([]);
    await end(page, id);
  });
}

test("columns are walked by keyboard, and the address follows", async ({ page }) => {
  const id = await plant(page, "chess", "mcts", ["e2e4"], { nodes: 3000 });
  await expect(page.getByTestId("tree-state")).toContainText("at rest");
  await page.getByRole("tree").focus();
  const columns = page.locator(".column:not(.ahead)");
  await page.keyboard.press("ArrowRight");
  await expect(columns).toHaveCount(2);
  await page.keyboard.press("ArrowRight");
  await expect(columns).toHaveCount(3);
  const chosen = page.locator('.column:nth-child(2) [aria-selected="true"]');
  const first = await chosen.getAttribute("id");
  await page.keyboard.press("ArrowDown");
  await expect(chosen).not.toHaveAttribute("id", first);
  await expect(page).toHaveURL(/path=[a-h][1-8]/);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await expect(page.getByTestId("tree-path")).toHaveText("Root");
  await page.keyboard.press("Backspace");
  await expect(page.locator('[role="treeitem"][aria-selected="true"]')).toHaveCount(1);
  await page.reload();
  await expect(page.locator('[role="treeitem"][aria-selected="true"]')).toHaveCount(1);
  await end(page, id);
});

test("a frozen tree stands still while the search goes on", async ({ page }) => {
  const id = await plant(page, "chess", "mcts");
  const count = page.getByTestId("tree-nodes");
  await expect.poll(async () => Number(await count.getAttribute("data-nodes"))).toBeGreaterThan(0);
  await page.keyboard.press("Space");
  await expect(page.getByTestId("tree-state")).toContainText("frozen");
  const still = await count.getAttribute("data-nodes");
  // The search goes on: the server has come twice as far, and sends no less than before.
  const searched = async () => (await (await page.request.get(`/api/v1/sessions/${id}`)).json()).state.found.nodes;
  await expect.poll(searched).toBeGreaterThan(2 * Number(still));
  expect(await count.getAttribute("data-nodes")).toBe(still);
  await page.keyboard.press("Space");
  await expect(count).not.toHaveAttribute("data-nodes", still);
  await end(page, id);
});

test("the tree is open to those who cannot see", async ({ page }) => {
  const id = await plant(page, "chess", "best-first", [], { nodes: 2000 });
  await expect(page.getByTestId("tree-state")).toContainText("at rest");
  for (const theme of ["light", "dark"]) {
    await page.getByLabel("Theme").selectOption(theme);
    await page.getByRole("tree").focus();
    const columns = await page.getByRole("tree").locator(".column:not(.ahead)").count();
    await page.keyboard.press("ArrowRight");
    await expect(page.getByRole("tree").locator(".column:not(.ahead)")).toHaveCount(columns + 1);
    const found = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21aa"]).analyze();
    expect(found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join(" | ")}`)).toEqual([]);
  }
  await end(page, id);
});

test("every view shows the same tree, and a moment of it can be seen again", async ({ page }) => {
  const id = await plant(page, "chess", "mcts", [], { nodes: 20000 });
  await expect(page.getByTestId("tree-state")).toContainText("at rest");
  await page.keyboard.press("2");
  const canvas = page.locator(".icicle canvas");
  await expect(canvas).toBeVisible();
  await canvas.click({ position: { x: 60, y: 33 } });
  await expect(page.getByTestId("tree-path").getByRole("button")).toHaveCount(2);
  await page.keyboard.press("3");
  await expect(page.getByRole("region", { name: "Table" }).getByRole("row").nth(5)).toBeVisible();
  await page.keyboard.press("4");
  const moment = page.getByRole("slider", { name: "Moment" });
  await moment.focus();
  await page.keyboard.press("Home");
  await expect(page.getByTestId("course-at")).toContainText("nodes");
  await expect(page).toHaveURL(/t=\d+/);
  await page.getByRole("button", { name: "Back to now" }).click();
  await expect(page.getByTestId("course-at")).toHaveText("live");
  await page.getByRole("button", { name: "Verify" }).click();
  await expect(page.getByTestId("verdict")).toContainText("consistent");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save the tree" }).click();
  const file = await (await download).path();
  await page.goto("/tree");
  await page.locator('input[type="file"]').setInputFiles(file);
  await expect(page).toHaveURL(/play\/chess\?.*session=\d+/);
  await expect(page.getByRole("treeitem").first()).toBeVisible();
  await end(page, Number(page.url().match(/session=(\d+)/)[1]));
  await end(page, id);
});

test("two searches are compared where they disagree", async ({ page }) => {
  const one = await plant(page, "chess", "best-first", [], { nodes: 3000 });
  const two = await plant(page, "chess", "mcts", [], { nodes: 3000 });
  await expect(page.getByTestId("tree-state")).toContainText("at rest");
  await page.getByRole("button", { name: "Compare" }).click();
  await page.getByLabel("Compare with session").selectOption(String(one));
  const rows = page.getByRole("region", { name: "Compare" }).locator("tbody tr");
  await expect(rows.first()).toBeVisible();
  const gaps = (await rows.locator("td:last-child").allTextContents()).map(Number).filter((gap) => !Number.isNaN(gap));
  expect(gaps.length).toBeGreaterThan(5);
  expect(gaps).toEqual([...gaps].sort((a, b) => b - a));
  await page.getByRole("button", { name: "First node" }).click();
  await expect(page.getByRole("status").filter({ hasText: /part|agree/ })).toBeVisible();
  await end(page, one);
  await end(page, two);
});

test("another search begins beside the page's own, and both trees are seen", async ({ page }) => {
  await page.goto("/play/chess?moves=a2a3.a7a6&engine=best-first&analyse=1&view=compare");
  const compare = page.locator(".tree-compare");
  await expect(compare).toContainText("Choose who searches the same position");
  await compare.getByRole("combobox").selectOption("mcts");
  await expect(compare.locator("canvas")).toHaveCount(2);
  await expect(compare.locator("figcaption").nth(1)).toContainText("mcts");
  await expect(compare.locator("tbody tr").first()).toBeVisible();
  // It follows the board, and stops with the page's own.
  await page.getByRole("button", { name: "One move back" }).click();
  const searches = async () => (await (await page.request.get("/api/v1/sessions")).json()).filter(({ state }) => state.place.moves.join(" ") === "a2a3" && state.thinking).length;
  await expect.poll(searches).toBe(2);
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await expect.poll(searches).toBe(0);
  const found = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21aa"]).analyze();
  expect(found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join(" | ")}`)).toEqual([]);
});

for (const [game, family, moves] of [["chess", "alpha-beta", ["e2e4", "e7e5"]], ["chess", "mcts", ["e2e4", "e7e5"]], ["shogi", "best-first", ["7g7f"]], ["go", "mcts", ["Q16"]]]) {
  test(`${game}, ${family}: why this move, with terms that sum up`, async ({ page }) => {
    const id = await plant(page, game, family, moves, { nodes: game === "go" ? 800 : 8000 });
    await expect(page.getByTestId("tree-state")).toContainText("at rest");
    await page.keyboard.press("w");
    const why = page.getByTestId("why");
    await expect(why.getByRole("heading", { name: /^Why .+ and not .+\?$/ })).toBeVisible();
    await expect(why).toContainText("Value.");
    await expect(why).toContainText("of the effort");
    await expect(why.getByTestId("spread").getByRole("img", { name: /half of them between/ })).toBeVisible();
    if (game === "go") {
      await expect(why.locator("figcaption").filter({ hasText: /points for the first side/ })).toHaveCount(2);
      await expect(why.getByRole("img", { name: /Board: Go/ })).toHaveCount(2);
    } else {
      const sum = page.getByTestId("why-sum");
      await expect(sum).toHaveAttribute("data-sound", "true");
      await why.getByText("Table of weights").click();
      const cells = await why.getByRole("region").locator("tbody td:nth-child(2)").allTextContents();
      // Shogi counts whole points, hundredths of a pawn.
      const added = cells.reduce((all, cell) => all + Math.round(Number(cell) * (game === "shogi" ? 1 : 100)), 0);
      // Each cell is rounded to a hundredth of a pawn.
      expect(Math.abs(added - Number(await sum.getAttribute("data-end")))).toBeLessThanOrEqual(cells.length / 2 + 1);
      expect(cells.length).toBeGreaterThan(10);
      await expect(why).toContainText("What each piece is worth");
      await expect(why.getByTestId("overlay").getByRole("img", { name: /Board:/ })).toHaveCount(2);
      await expect(why.locator(".marks").first().locator(".mark-first text").first()).toContainText("+");
    }
    const found = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21aa"]).analyze();
    expect(found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join(" | ")}`)).toEqual([]);
    await end(page, id);
  });
}

test("a game is looked over and its mistakes are found", async ({ page }) => {
  await page.goto("/play/chess");
  await openRecords(page);
  await page.getByLabel("Format").selectOption("pgn");
  await page.getByLabel("As text").fill("1. e4 e5 2. Qh5 Nc6 3. Qxf7+ {A bold try.} Kxf7 4. Nf3 *");
  await page.getByRole("button", { name: "Read the game" }).click();
  const moves = page.getByRole("group", { name: "Moves" });
  await expect(moves).toContainText("Nf3");
  await page.getByRole("spinbutton", { name: "nodes a move" }).fill("20000");
  await page.getByRole("spinbutton", { name: "nodes a move" }).press("Tab");
  await page.getByRole("button", { name: "Review this game" }).click();
  await expect(moves.getByTitle("blunder")).toHaveCount(1);
  await expect(page.getByRole("group", { name: "Review this game" }).getByRole("progressbar")).toHaveCount(0);
  await page.getByRole("application").focus().catch(() => undefined);
  await page.keyboard.press("b");
  await expect(current(page)).toContainText("Qxf7+");
  // What was said there stays beside what was found.
  await expect(moves.locator("em").filter({ hasText: "A bold try" })).toContainText(/A bold try\.\s+\?\? loses \d+ points; (?!Qxf7)\S+ was better/);
});

test("a tree is one click away", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("link", { name: /Watch a search tree grow/ }).click();
  await expect(page).toHaveURL(/play\/chess\?engine=mcts/);
  await expect(page.getByRole("treeitem").first()).toBeVisible();
});

test("the tools of the tree were wider than a telephone", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/tree/new");
  await expect(page.getByTestId("tree-nodes")).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});
