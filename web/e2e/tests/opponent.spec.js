// A person plays against an engine, with clocks, take back, hint and resignation; and pastes whatever there is.
import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { current } from "./server.js";
import { startGame } from "./games.js";

const list = (page) => page.getByRole("group", { name: "Moves", exact: true });

async function play(page, move) {
  const entry = page.getByRole("textbox", { name: "Move", exact: true });
  await entry.fill(move);
  await entry.press("Enter");
}

test("chess: the engine answers, a take back takes both moves, a hint is an arrow, and resigning ends the game", async ({ page }) => {
  await page.goto("/play/chess");
  await startGame(page, { "I play": "White", Time: "nodes a move for the engine", "nodes a move": "300", Strength: "about 1,000 Elo" });
  await play(page, "e4");
  await expect(list(page).locator(".move")).toHaveCount(3);
  await expect(page.getByTestId("stand")).toHaveText("White to move");
  await page.getByRole("button", { name: "Take back" }).click();
  await expect(current(page)).toContainText("Start");
  await play(page, "d4");
  await expect(list(page).locator(".move")).toHaveCount(3);
  await page.getByRole("button", { name: "Hint" }).click();
  await expect(page.locator(".cg-wrap svg.cg-shapes line")).toHaveCount(1);
  // The engine that gave the hint moves only for its own side.
  await page.waitForTimeout(1500);
  await expect(list(page).locator(".move")).toHaveCount(3);
  await page.getByRole("button", { name: "Resign" }).click();
  await expect(page.getByTestId("stand")).toHaveText("Black wins: resignation");
  await expect(page.getByRole("button", { name: "Resign" })).toHaveCount(0);
});

test("a move that was typed while the engine was to move became the engine's", async ({ page }) => {
  await page.goto("/play/chess");
  await startGame(page, { "I play": "White", Time: "nodes a move for the engine", "nodes a move": "2000000000" });
  await play(page, "e4");
  await expect(page.getByTestId("stand")).toContainText("thinks");
  await play(page, "e5");
  await expect(page.getByRole("alert")).toContainText("The engine is to move");
  await expect(list(page).locator(".move")).toHaveCount(2);
  await page.getByRole("button", { name: "Take back" }).click();
  await expect(current(page)).toContainText("Start");
});

test("a hint that was asked for at once was taken away by thinking on the person's time", async ({ page }) => {
  // What the engine thinks about meanwhile reaches the server after the hint was asked for.
  const slow = (path, ms, isSlow) =>
    page.route(path, async (route) => {
      if (isSlow(route.request().postDataJSON())) await new Promise((resolve) => setTimeout(resolve, ms));
      await route.continue();
    });
  await slow(/\/sessions\/\d+\/options/, 250, () => true);
  await slow(/\/sessions\/\d+\/place/, 400, ({ moves }) => moves.length > 2);
  await page.goto("/play/chess");
  await startGame(page, { "I play": "White", Time: "nodes a move for the engine", "nodes a move": "300", Strength: "about 1,000 Elo" });
  await play(page, "d4");
  await expect(list(page).locator(".move")).toHaveCount(3);
  await page.getByRole("button", { name: "Hint" }).click();
  // The hint takes a second.
  await page.waitForTimeout(1500);
  await expect(page.locator(".cg-wrap svg.cg-shapes line")).toHaveCount(1);
});

test("a person plays the second side: the board is turned and the engine begins", async ({ page }) => {
  await page.goto("/play/shogi");
  await startGame(page, { "I play": "Gote", Time: "nodes a move for the engine", "nodes a move": "200", Handicap: "none" });
  await expect(list(page).locator(".move")).toHaveCount(2);
  await expect(page.getByRole("button", { name: "Flip" })).toHaveAttribute("aria-pressed", "true");
});

test("go: size and komi of the dialog hold", async ({ page }) => {
  await page.goto("/play/go");
  await startGame(page, { "I play": "both sides", Board: "9×9", Komi: "5.5" });
  await expect(page.locator(".shudan-vertex")).toHaveCount(81);
  await expect(page).toHaveURL(/rules=9x9\+komi\+5.5/);
});

test("chess960 begins with another back rank", async ({ page }) => {
  await page.goto("/play/chess");
  await startGame(page, { "I play": "both sides", Variant: "Chess960" });
  await expect(page).toHaveURL(/rules=chess960&start=/);
  await expect(page.locator("cg-board piece")).toHaveCount(32);
});

test("clocks run while a side is to move, and who has no time left loses", async ({ page }) => {
  await page.goto("/play/chess");
  await startGame(page, { "I play": "both sides", Time: "1 min + 1 s, both" });
  const clock = (side) => page.getByTestId(`clock-${side}`);
  await expect(clock(0)).toHaveText("1:00");
  await play(page, "e4");
  await expect(clock(1)).toHaveAttribute("data-runs", "true");
  await expect(clock(1)).toHaveText(/0:5\d/);
  await play(page, "e5");
  await expect(clock(0)).toHaveAttribute("data-runs", "true");
  // An hour passes for the browser's clock.
  await page.evaluate(() => {
    const real = performance.now.bind(performance);
    performance.now = () => real() + 3_600_000;
  });
  await expect(page.getByTestId("stand")).toHaveText("Black wins: time");
});

const ANYTHING = [
  ["chess", '[White "a"]\n[Black "b"]\n\n1. e4 c5 2. Nf3 *', /play\/chess/, "Nf3"],
  ["chess", "e2e4 e7e5 g1f3", /play\/chess\?.*moves=/, "Nf3"],
  ["chess", "手合割：平手\n手数----指手---------消費時間--\n   1 ７六歩(77)\n   2 ３四歩(33)\n", /play\/shogi\?.*record=/, "P34"],
  ["go", "position startpos moves 7g7f 3c3d", /play\/shogi\?.*moves=7g7f/, "P34"],
  ["shogi", "V2.2\nPI\n+\n+7776FU\n-3334FU\n", /play\/shogi/, "P34"],
  ["shogi", "(;GM[1]SZ[9];B[ee];W[gc])", /play\/go\?.*record=/, "G7"],
  ["go", "8/8/8/8/8/8/P6k/K7 w - - bm Ka2;", /play\/chess\?.*start=/, "Start"],
];
for (const [from, text, address, shown] of ANYTHING) {
  test(`on the page of ${from}, "${text.slice(0, 12).replaceAll("\n", " ")}…" is recognised`, async ({ page }) => {
    await page.goto(`/play/${from}`);
    await page.getByRole("button", { name: "Paste or drop anything" }).click();
    const dialog = page.getByRole("dialog", { name: "Paste or drop anything" });
    await dialog.getByRole("textbox").fill(text);
    await dialog.getByRole("button", { name: "Open", exact: true }).click();
    await expect(page).toHaveURL(address);
    await expect(list(page)).toContainText(shown);
    await expect(dialog).toHaveCount(0);
  });
}

test("what is pasted says what it looks like where it fails, and a text is pasted and dropped without a dialog", async ({ page }) => {
  await page.goto("/play/chess");
  await page.getByRole("button", { name: "Paste or drop anything" }).click();
  const dialog = page.getByRole("dialog", { name: "Paste or drop anything" });
  await dialog.getByRole("textbox").fill("手数----指手---------消費時間--\n   1 ７六歩(77)\n   2 ７六歩(77)\n");
  await dialog.getByRole("button", { name: "Open", exact: true }).click();
  await expect(dialog.getByRole("alert")).toContainText("This looks like KIF");
  // Places are told as the game counts.
  await dialog.getByRole("textbox").fill("1. e4 e5 2. Nf3 Nc6\n3. Bb5 a6 4. Ba4 Qh7 5. O-O *\n");
  await dialog.getByRole("button", { name: "Open", exact: true }).click();
  await expect(dialog.getByRole("alert")).toContainText("Line 2, column 18 (game 1): 4…Qh7 is not legal.");
  await dialog.getByRole("textbox").fill("hello");
  await dialog.getByRole("button", { name: "Open", exact: true }).click();
  await expect(dialog.getByRole("alert")).toContainText("No game or position was recognised");
  const found = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21aa"]).analyze();
  expect(found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join(" | ")}`)).toEqual([]);
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  const give = (kind) => page.evaluate((kind) => {
    const data = new DataTransfer();
    if (kind === "drop") data.items.add(new File(["1. d4 d5 2. c4 *"], "one.pgn"));
    else data.setData("text/plain", "1. e4 e5 2. f4 *");
    document.querySelector("main").dispatchEvent(kind === "drop" ? new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }) : new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, kind);
  await give("paste");
  await expect(list(page)).toContainText("1. e4 e5 2. f4");
  await give("drop");
  await expect(list(page)).toContainText("1. d4 d5 2. c4");
});
