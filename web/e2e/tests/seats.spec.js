// Any engine in a seat: one of the workspace analyses, has its options and a tree, and dies without harm; why not my move.
import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { openSettings, serve, thinking, workspace } from "./server.js";

const port = 4193;
const ENGINE = fileURLToPath(new URL("./engine.mjs", import.meta.url));

async function play(page, moves) {
  const entry = page.getByRole("textbox", { name: "Move", exact: true });
  for (const move of moves) {
    await entry.fill(move);
    await entry.press("Enter");
    await expect(entry).toHaveValue("");
  }
}

const candidates = (page) => page.locator(".candidates tbody tr");

test.describe("an engine of the workspace", () => {
  let server;
  test.beforeAll(async () => {
    const space = workspace();
    const cmd = `${process.execPath} ${ENGINE}`;
    writeFileSync(join(space, "engines.toml"), `[[engine]]\nname = "walker"\ncmd = "${cmd}"\ngame = "chess"\n`);
    server = await serve(space, port);
  });
  test.afterAll(() => server.stop());

  test("analyses, says whose its tree is, and has its own options", async ({ page }) => {
    await page.goto(`${server.url}/play/chess`);
    await page.getByRole("combobox", { name: /^Search/ }).selectOption("engine:walker");
    await page.getByRole("button", { name: "Analyse", exact: true }).click();
    await expect(candidates(page)).toHaveCount(3);
    await expect(candidates(page).first()).toContainText("+0.30");
    await expect(candidates(page).first()).toContainText("e5");
    await play(page, ["e4"]);
    // For White, whose opponent is to move: 30 centipawns of Black's are -0.30.
    await expect(candidates(page).first()).toContainText("-0.30");
    await openSettings(page);
    const options = page.getByTestId("engine-options");
    await options.getByText("Options of walker").click();
    await expect(options.getByLabel("Hash")).toHaveValue("16");
    await options.getByLabel("Style").selectOption("wild");
    await expect(options.getByLabel("Style")).toHaveValue("wild");
    const all = await (await page.request.get(`${server.url}/api/v1/sessions`)).json();
    const { id, seat } = all.find((session) => session.seat.kind === "engine");
    expect(seat.name).toBe("walker");
    await page.goto(`${server.url}/tree/${id}`);
    await expect(page.getByTestId("lines-of")).toContainText("walker");
    await expect(page.getByRole("treeitem").first()).toContainText("e5");
  });

  test("dies without harm", async ({ page }) => {
    await page.goto(`${server.url}/play/chess`);
    await page.getByRole("combobox", { name: /^Search/ }).selectOption("engine:walker");
    await page.getByRole("button", { name: "Analyse", exact: true }).click();
    await expect(candidates(page)).toHaveCount(3);
    await play(page, ["d4"]);
    await expect(page.getByRole("alert")).toContainText("walker: it ended with exit code 3; its last words: engine.mjs: it has no idea");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Take back" }).click();
    await expect(candidates(page)).toHaveCount(3);
    await expect(page.getByRole("alert")).toHaveCount(0);
  });

  test("a command line was offered without a token, and refused later", async ({ page }) => {
    await page.goto(`${server.url}/play/chess`);
    await openSettings(page);
    await expect(page.getByTestId("no-commands")).toContainText("engines.toml");
    await expect(page.getByLabel("Engine by command line")).toHaveCount(0);
    const refused = await page.request.post(`${server.url}/api/v1/sessions`, { data: { game: "chess", seat: { command: "sh" } } });
    expect(refused.status()).toBe(403);
    await page.goto(`${server.url}/arena`);
    await expect(page.getByRole("form", { name: "New match" }).getByLabel("Kind").first()).toBeVisible();
    await expect(page.locator('option[value="command"]')).toHaveCount(0);
  });
});

for (const [game, moves, words] of [
  ["chess", ["e4", "e5", "Qh5", "Ke7"], /After 2…Ke7 3\.Qxe5#? White mates/],
  ["shogi", ["7g7f", "3c3d", "8h2b+", "9a9b"], /After/],
  ["go", ["Q16", "A1"], /leads by|wins with/],
]) {
  test(`${game}: why not my move is told in three steps`, async ({ page }) => {
    await page.goto(`/play/${game}`);
    await play(page, moves);
    const box = page.getByTestId("why-not");
    await box.getByRole("button", { name: /^Why not/ }).click();
    const pane = page.getByTestId("why-not-pane");
    const steps = pane.getByTestId("why-not-steps").locator("li");
    await expect(steps).toHaveCount(3, { timeout: 30_000 });
    // The answer lies over moves and graph: in view, without scrolling.
    await expect(steps.first().getByRole("heading")).toBeInViewport();
    await expect(steps.first()).toContainText(words);
    await expect(steps.locator(".still")).toHaveCount(3);
    await expect(pane).not.toContainText("undefined");
    const found = await new AxeBuilder({ page }).include("[data-testid=why-not]").include("[data-testid=why-not-pane]").withTags(["wcag2a", "wcag2aa", "wcag21aa"]).analyze();
    expect(found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join(" | ")}`)).toEqual([]);
    await page.keyboard.press("Escape");
    await expect(pane).toHaveCount(0);
    await expect(page.getByRole("group", { name: "Moves" })).toBeVisible();
  });
}

test("the engine thinks on the person's time, and no longer when it is switched off", async ({ page }) => {
  // Tests before may have left sessions behind.
  const others = new Set((await (await page.request.get("/api/v1/sessions")).json()).map(({ id }) => id));
  await page.goto("/play/chess");
  await openSettings(page);
  await page.getByLabel("Limit").fill("3000");
  await page.getByLabel("Unit").selectOption("nodes");
  await page.getByLabel("Engine plays").selectOption({ label: "second side" });
  // The settings lie over what stands below them.
  await openSettings(page);
  await play(page, ["e4"]);
  await expect(page.getByTestId("pondering")).toContainText("meanwhile");
  const searching = async () => (await thinking(page)).some(({ id, state }) => !others.has(id) && state.place.moves.length === 3);
  await expect.poll(searching).toBe(true);
  await page.getByLabel("Think on my time").uncheck();
  await expect(page.getByTestId("pondering")).toHaveCount(0);
  await expect.poll(searching).toBe(false);
});
