// A person looks into a search: a tree that grows, columns by keyboard, why, and the mistakes of a game.
import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "@playwright/test";

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
    await expect(page.locator(".tree-state")).toContainText("at rest");
    expect(troubles).toEqual([]);
    await end(page, id);
  });
}

test("columns are walked by keyboard, and the address follows", async ({ page }) => {
  const id = await plant(page, "chess", "mcts", ["e2e4"], { nodes: 3000 });
  await expect(page.locator(".tree-state")).toContainText("at rest");
  await page.getByRole("tree").focus();
  const columns = page.locator(".column");
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
  await expect(page.locator(".tree-state")).toContainText("frozen");
  await page.waitForTimeout(400);
  const still = await count.getAttribute("data-nodes");
  await page.waitForTimeout(800);
  expect(await count.getAttribute("data-nodes")).toBe(still);
  await page.keyboard.press("Space");
  await expect(count).not.toHaveAttribute("data-nodes", still);
  await end(page, id);
});

test("the tree is open to those who cannot see", async ({ page }) => {
  const id = await plant(page, "chess", "best-first", [], { nodes: 2000 });
  await expect(page.locator(".tree-state")).toContainText("at rest");
  for (const theme of ["light", "dark"]) {
    await page.getByLabel("Theme").selectOption(theme);
    await page.getByRole("tree").focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForTimeout(300);
    const found = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21aa"]).analyze();
    expect(found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join(" | ")}`)).toEqual([]);
  }
  await end(page, id);
});
