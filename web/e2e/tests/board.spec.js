// The one page of board, engine, game and tree: lines are shown and played, the tree follows the board, every width has its layout.
import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { current, openSettings, settled, thinking } from "./server.js";

const OPEN = { chess: "e2e4.e7e5.g1f3.b8c6", shogi: "7g7f.3c3d", go: "Q16.D4" };
const pieces = (page) => page.locator("cg-board piece").evaluateAll((all) => all.map((piece) => `${piece.className} ${piece.cgKey}`).sort().join());

test("a move of a line shows its position, and is played with those before it", async ({ page }) => {
  await page.goto(`/play/chess?moves=${OPEN.chess}&analyse=1`);
  const line = page.locator(".candidates .pv").first();
  await expect(line.getByRole("button").nth(2)).toBeVisible();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await expect(page.getByTestId("tree-state")).toContainText("at rest");
  const moves = (await line.getByRole("button").allTextContents()).slice(0, 3);
  const before = await pieces(page);
  await line.getByRole("button").nth(2).hover();
  await expect(page.locator(".preview-words")).toHaveText(moves.join(" "));
  await expect.poll(() => pieces(page)).not.toBe(before);
  // The game stays where it is until the move is clicked.
  await expect(current(page)).toContainText("Nc6");
  await page.mouse.move(5, 300);
  await expect.poll(() => pieces(page)).toBe(before);
  await line.getByRole("button").nth(2).click();
  await expect(current(page)).toContainText(moves[2]);
  await expect(page.getByRole("group", { name: "Moves" })).toContainText(`3. ${moves[0]} ${moves[1]} 4. ${moves[2]}`);
});

for (const game of ["chess", "shogi", "go"]) {
  test(`${game}: the tree of the search grows below the board and follows it`, async ({ page }) => {
    await page.goto(`/play/${game}?moves=${OPEN[game]}`);
    await expect(page.getByText("grows while the engine thinks")).toBeVisible();
    await page.getByRole("button", { name: "Analyse", exact: true }).click();
    const first = page.getByRole("treeitem").first();
    await expect(first).toBeVisible();
    await expect(page.locator(".icicle canvas")).toBeVisible();
    await expect(page.locator(".candidates tbody tr")).toHaveCount(3);
    // A step back on the board: the tree of that position takes the place of this one.
    // The newest session is the page's own.
    const path = async () => {
      const sessions = await (await page.request.get("/api/v1/sessions")).json();
      return sessions.reduce((newest, session) => (session.id > newest.id ? session : newest)).state.place.moves.length;
    };
    const plies = OPEN[game].split(".").length;
    await expect.poll(path).toBe(plies);
    await page.getByRole("button", { name: "One move back" }).click();
    await expect.poll(path).toBe(plies - 1);
    await expect(page.locator(".tree-main:not(.stale)")).toBeVisible();
    await expect(first).toBeVisible();
    // The node that is chosen stands on the board, and Esc leads back to the game.
    await first.click();
    await expect(page.locator(".preview-words")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.locator(".preview-words")).toHaveCount(0);
    await page.getByRole("button", { name: "Stop", exact: true }).click();
  });
}

test("the second and the third line of alpha-beta had no effort, and Why compared with a refuted move", async ({ page }) => {
  await page.goto(`/play/chess?moves=${OPEN.chess}&analyse=1`);
  const shares = async () => (await page.locator(".candidates td.share").allTextContents()).map(parseFloat).filter((share) => share >= 1).length;
  await expect.poll(shares, { timeout: 30_000 }).toBe(3);
  // A search of some plies: the line of a shallower one is short.
  await expect.poll(async () => parseInt(/depth (\d+)/.exec(await page.getByTestId("effort").innerText())?.[1] ?? "0", 10), { timeout: 30_000 }).toBeGreaterThan(9);
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await expect(page.getByTestId("tree-state")).toContainText("at rest");
  await page.locator(".engine").getByRole("button", { name: "Why" }).click();
  await expect(page.getByTestId("why").getByRole("heading").first()).toHaveText(/^Why \S+ and not \S+\?$/);
  const words = page.getByTestId("why").locator(".why-list");
  await expect(words).toContainText(/ against .* points for the side that moves/);
  await expect(words).not.toContainText(/[a-h][1-8][a-h][1-8]/);
  // The line of a candidate goes on beyond the plies that are traced: its end is none in the middle of an exchange.
  const best = await page.locator(".candidates .pv").first().getByRole("button").first().innerText();
  await page.getByTestId("why").getByLabel("Explain").selectOption({ label: best });
  await expect.poll(() => page.getByTestId("why").locator(".tree-line").first().getByRole("button").count()).toBeGreaterThan(4);
});

test("the board of shogi heard no pointer: clicks, drags, captures, promotions and drops", async ({ page }) => {
  await page.goto(`/play/shogi?moves=${OPEN.shogi}`);
  await settled(page);
  await expect(page.locator("sg-pieces piece.sente.bishop")).toBeVisible();
  const box = await page.locator("sg-board").boundingBox();
  const at = (file, rank) => [box.x + ((9.5 - file) * box.width) / 9, box.y + ((rank - 0.5) * box.height) / 9];
  await page.mouse.click(...at(8, 8));
  // A piece that can be taken is marked otherwise than an empty square.
  const look = (selector) => page.locator(selector).first().evaluate((square) => getComputedStyle(square).backgroundImage);
  await expect(page.locator("sq.dest.oc")).toHaveCount(1);
  expect(await look("sq.dest.oc")).toContain("gradient");
  expect(await look("sq.dest.oc")).not.toBe(await look("sq.dest:not(.oc)"));
  await page.mouse.click(...at(2, 2));
  // Esc takes the move back, as on the board of chess.
  await expect(page.locator("sg-promotion-choices piece")).toHaveCount(2);
  await page.keyboard.press("Escape");
  await expect(page.locator("sg-promotion")).toBeHidden();
  await expect(current(page)).toContainText("P34");
  await page.mouse.click(...at(8, 8));
  await page.mouse.click(...at(2, 2));
  await page.locator("sg-promotion-choices piece").first().click();
  await expect(current(page)).toContainText("B22+");
  await expect(page.getByTestId("stand")).toHaveText("Gote to move");
  // Dragged.
  await page.mouse.move(...at(3, 1));
  await page.mouse.down();
  await page.mouse.move(...at(2, 2), { steps: 5 });
  await page.mouse.up();
  await expect(current(page)).toContainText("S22");
  await expect(page.getByTestId("stand")).toHaveText("Sente to move");
  // Dropped from the hand.
  const hand = page.locator(".hand-bottom sg-hp-wrap", { has: page.locator("piece.sente.bishop") });
  await expect(hand).toHaveAttribute("data-nb", "1");
  await hand.click();
  await page.mouse.click(...at(5, 5));
  await expect(current(page)).toContainText("B*55");
});

test("a page that was left let its search think on", async ({ page }) => {
  const ids = async () => (await thinking(page)).map(({ id }) => id);
  const before = await ids();
  await page.goto(`/play/chess?moves=${OPEN.chess}&analyse=1`);
  await expect(page.locator(".candidates tbody tr")).toHaveCount(3);
  const own = (await ids()).filter((id) => !before.includes(id));
  expect(own).toHaveLength(1);
  await page.goto("about:blank");
  await expect.poll(async () => (await ids()).includes(own[0]), { timeout: 5000 }).toBe(false);
});

test("the options of an engine could not be set before its first search", async ({ page }) => {
  await page.goto("/play/chess");
  await openSettings(page);
  const options = page.getByTestId("engine-options");
  await options.getByText("Options of alpha-beta").click();
  await options.getByLabel("Hash").fill("8");
  await expect(options.getByLabel("Hash")).toHaveValue("8");
  await openSettings(page);
  await page.getByRole("button", { name: "Analyse", exact: true }).click();
  await expect(page.locator(".candidates tbody tr")).toHaveCount(3);
  await openSettings(page);
  await expect(options.getByLabel("Hash"), "the search has what was set before it").toHaveValue("8");
  // A move that alpha-beta searched again for the next line stood there twice.
  const rows = page.getByRole("treeitem").and(page.locator('[aria-level="1"].node'));
  await expect(rows).not.toHaveCount(0);
  const moves = await rows.locator(".node-move").evaluateAll((all) => all.map((move) => /[A-Za-z][A-Za-z0-9+=-]*/.exec(move.textContent)[0]));
  expect(moves).toEqual([...new Set(moves)]);
});

test("a number that is typed counts when it is typed, and not its first digit", async ({ page }) => {
  const asked = [];
  page.on("request", (request) => request.url().endsWith("/go") && asked.push(request.postDataJSON()));
  await page.goto("/play/chess");
  await openSettings(page);
  await page.getByLabel("Unit").selectOption("nodes");
  const limit = page.getByLabel("Limit");
  await page.getByLabel("Engine plays").selectOption({ index: 3 });
  await expect.poll(() => asked.length).toBeGreaterThan(1);
  await limit.click();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("321", { delay: 150 });
  await page.keyboard.press("Enter");
  await expect.poll(() => asked.some(({ nodes }) => nodes === 321)).toBe(true);
  expect(asked.filter(({ nodes }) => nodes === 3 || nodes === 32)).toEqual([]);
});

test("why lies over moves and graph, stops nothing, and Esc closes it", async ({ page }) => {
  await page.goto(`/play/chess?moves=${OPEN.chess}&engine=mcts&analyse=1`);
  await expect(page.getByRole("treeitem").first()).toBeVisible();
  const top = () => page.evaluate(() => scrollY);
  await page.locator(".engine").getByRole("button", { name: "Why" }).click();
  await expect(page.getByTestId("why").getByRole("heading").first()).toContainText("Why");
  await expect(page.getByRole("group", { name: "Moves" })).toBeAttached();
  expect(await top()).toBe(0);
  await expect(page.getByTestId("tree-state")).toContainText("live");
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("why")).toHaveCount(0);
});

test("addresses of trees lead to the page of the board, with their view", async ({ page }) => {
  const made = await page.request.post("/api/v1/sessions", { data: { game: "chess", family: "mcts", place: { moves: ["e2e4"] } } });
  const { id } = await made.json();
  await page.request.post(`/api/v1/sessions/${id}/go`, { data: { nodes: 2000 } });
  await page.goto(`/tree/${id}?view=table&sort=value`);
  await expect(page).toHaveURL(new RegExp(`/play/chess\\?.*session=${id}.*view=table`));
  await expect(page.getByRole("region", { name: "Table" })).toBeVisible();
  await expect(current(page)).toContainText("e4");
  // A move on the board: the same session thinks on there.
  await page.getByRole("textbox", { name: "Move", exact: true }).fill("e5");
  await page.getByRole("textbox", { name: "Move", exact: true }).press("Enter");
  await page.getByRole("button", { name: "Analyse", exact: true }).click();
  await expect.poll(async () => (await (await page.request.get(`/api/v1/sessions/${id}`)).json()).state.place.moves.length).toBe(2);
  await page.request.delete(`/api/v1/sessions/${id}`);
});

/** Where the middle of a square of chess is; file and rank from 0. */
async function square(page, file, rank) {
  const box = await page.locator("cg-board").boundingBox();
  return [box.x + (file + 0.5) * (box.width / 8), box.y + (7.5 - rank) * (box.height / 8)];
}

test("a pawn is promoted on the board, and goes back with Esc", async ({ page }) => {
  await page.goto("/play/chess?start=8/P6k/8/8/8/8/6K1/8+w+-+-+0+1");
  await expect(page.locator("cg-board piece.white.pawn")).toHaveCount(1);
  await expect(page.getByTestId("stand")).toHaveText("White to move");
  const push = async () => {
    await page.mouse.click(...(await square(page, 0, 6)));
    await page.mouse.click(...(await square(page, 0, 7)));
  };
  const choice = page.getByRole("dialog", { name: "Promote to" });
  // The board is seen before the server has told which moves there are.
  await expect(async () => {
    await push();
    await expect(choice.getByRole("button")).toHaveCount(4, { timeout: 1000 });
  }).toPass();
  await expect(choice.getByRole("button").first()).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(choice).toHaveCount(0);
  await expect(page.locator("cg-board piece.white.pawn")).toHaveCount(1);
  await push();
  await choice.getByRole("button", { name: "a8=N" }).click();
  await expect(current(page)).toContainText("a8=N");
  await expect(page.locator("cg-board piece.white.knight")).toHaveCount(1);
});

test("arrows and circles of one's own stay while the engine thinks", async ({ page }) => {
  await page.goto("/play/chess?moves=e2e4");
  await expect(page.locator("cg-board piece")).toHaveCount(32);
  const own = page.locator(".cg-wrap svg.cg-shapes > g").first().locator("[cgHash]");
  await page.mouse.move(...(await square(page, 2, 2)));
  await page.mouse.down({ button: "right" });
  await page.mouse.move(...(await square(page, 5, 4)));
  await page.mouse.up({ button: "right" });
  await page.mouse.click(...(await square(page, 4, 4)), { button: "right", delay: 80 });
  await expect(own.locator("line")).toHaveCount(1);
  await expect(own.locator("circle")).toHaveCount(1);
  await page.getByRole("button", { name: "Analyse", exact: true }).click();
  await expect(page.locator(".candidates tbody tr")).toHaveCount(3);
  // Own ones and the candidates'.
  await expect(page.locator(".cg-wrap svg.cg-shapes line")).toHaveCount(4);
  await expect(page.locator(".cg-wrap svg.cg-shapes circle")).toHaveCount(1);
  await page.getByRole("button", { name: "Stop", exact: true }).click();
});

test("what was captured stands beside the names", async ({ page }) => {
  await page.goto("/play/chess?moves=e2e4.d7d5.e4d5.d8d5.b1c3.d5d8");
  await expect(page.locator(".side-name.side-0 .taken")).toHaveText("♟");
  await expect(page.locator(".side-name.side-1 .taken")).toHaveText("♟");
  await page.goto("/play/chess?moves=e2e4.f7f5.e4f5");
  await expect(page.locator(".side-name.side-0 .taken")).toHaveText("♟ +1");
  await expect(page.locator(".side-name.side-1 .taken")).toHaveCount(0);
});

test("go shows numbers of moves, marks of one's own, and sounds stay off", async ({ page }) => {
  await page.goto(`/play/go?moves=${OPEN.go}.Q4`);
  const labels = page.locator(".shudan-marker_label .shudan-marker");
  await openSettings(page);
  await page.getByLabel("Move numbers").check();
  expect((await labels.allTextContents()).sort()).toEqual(["1", "2", "3"]);
  await expect(labels).toHaveCount(3);
  await page.getByLabel("Sounds").uncheck();
  await page.reload();
  await openSettings(page);
  await expect(page.getByLabel("Sounds")).not.toBeChecked();
  await expect(labels).toHaveCount(0);
  await page.locator(".shudan-vertex").nth(200).click({ button: "right" });
  await expect(labels).toHaveText("A");
  await page.locator(".shudan-vertex").nth(200).click({ button: "right" });
  await expect(labels).toHaveCount(0);
});

test("the end of a game says who won, and how", async ({ page }) => {
  await page.goto("/play/chess?moves=f2f3.e7e5.g2g4.d8h4");
  await expect(page.getByTestId("stand")).toHaveText("Black wins: mate");
  await page.goto("/play/go?rules=9x9+komi+7&moves=E5.pass.pass");
  await expect(page.getByTestId("stand")).toHaveText("Black wins by 74 points");
  await page.goto("/play/shogi?moves=7g7f");
  await expect(page.getByTestId("stand")).toHaveText("Gote to move");
});

for (const [width, height] of [[1440, 900], [1024, 768], [390, 844]]) {
  for (const game of ["chess", "shogi", "go"]) {
    test(`${game} at ${width}x${height}: the board is as large as the window lets it, and nothing sticks out`, async ({ page }) => {
      await page.setViewportSize({ width, height });
      await page.goto(`/play/${game}?moves=${OPEN[game]}&analyse=1`);
      await expect(page.locator(".candidates tbody tr").first()).toBeVisible();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      const header = await page.locator("header").boundingBox();
      expect(header.height).toBeLessThanOrEqual(46);
      const board = await page.getByRole("application").boundingBox();
      if (width < 700) expect(board.width).toBeGreaterThan(width * 0.9);
      else expect(Math.max(board.height / (height - 200), board.width / (0.54 * width))).toBeGreaterThan(0.9);
      const steps = await page.getByRole("group", { name: "Steps through the game" }).boundingBox();
      // The steps are in sight, on a telephone at its lower edge.
      expect(steps.y + steps.height).toBeLessThanOrEqual(height);
      if (width < 700) {
        expect(steps.y + steps.height).toBeGreaterThan(height - 8);
        const tabs = page.getByRole("group", { name: "Parts of the page" });
        for (const [tab, seen] of [["Graph", page.locator(".graph canvas")], ["Tree", page.getByRole("treeitem").first()], ["Why", page.locator(".why-pane")], ["Moves", page.getByRole("group", { name: "Moves" })]]) {
          await tabs.getByRole("button", { name: tab }).click();
          await expect(seen).toBeVisible();
          expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
        }
      }
      const found = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21aa"]).analyze();
      expect(found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join(" | ")}`)).toEqual([]);
      await page.getByRole("button", { name: "Stop", exact: true }).click();
    });
  }
}

test("home says what one can do as tasks, each with an example that runs", async ({ page }) => {
  await page.goto("/");
  const task = (name) => page.getByRole("listitem").filter({ has: page.getByRole("heading", { name }) });
  for (const name of ["Play and analyse", "Analyse a game", "Watch a search think", "Test a patch", "Teach an engine", "Solve a mate"]) await expect(task(name)).toBeVisible();
  await task("Analyse a game").getByRole("link").click();
  await expect(page.getByRole("group", { name: "Review this game" }).getByRole("progressbar")).toBeVisible();
  await expect(page.getByRole("group", { name: "Moves", exact: true })).toContainText("17. Rd8#");
  await page.goto("/");
  await task("Watch a search think").getByRole("link", { name: "Go" }).click();
  await expect(page.getByRole("treeitem").first()).toBeVisible();
  await page.goto("/");
  await task("Solve a mate").getByRole("button").first().click();
  await expect(page).toHaveURL(/solve\/\d+/);
});
