// A person plays, analyses, types moves, opens and saves games, in all three games and by keyboard alone.
import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { current, openRecords, openSettings, settled } from "./server.js";

const GAMES = [
  { game: "chess", moves: ["e4", "e5", "Nf3"], wrong: "Ke4", record: "1. d4 d5 2. c4 *", format: "pgn", line: "c4" },
  { game: "shogi", moves: ["7g7f", "３四歩", "2g2f"], wrong: "5i5a", record: "2g2f 8c8d", format: null, line: null },
  { game: "go", moves: ["Q16", "D4", "pass"], wrong: "Z99", record: "(;GM[1]SZ[9];B[ee];W[gc])", format: "sgf", line: "G7" },
];

for (const { game, moves, wrong, record, format, line } of GAMES) {
  test(`${game}: moves are typed, played, refused and taken back`, async ({ page }) => {
    const troubles = [];
    page.on("pageerror", (error) => troubles.push(String(error)));
    page.on("console", (said) => said.type() === "error" && !said.text().includes("422") && troubles.push(said.text()));
    await page.goto(`/play/${game}`);
    const entry = page.getByRole("textbox", { name: "Move" });
    const list = page.getByRole("group", { name: "Moves" });
    for (const [i, move] of moves.entries()) {
      await entry.fill(move);
      await entry.press("Enter");
      await expect(list.locator(".move")).toHaveCount(i + 2);
    }
    await entry.fill(wrong);
    await entry.press("Enter");
    await expect(page.getByRole("alert")).toContainText(wrong);
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Take back" }).click();
    await expect(list.locator(".move")).toHaveCount(moves.length);
    expect(troubles).toEqual([]);
  });

  test(`${game}: the engine thinks and answers`, async ({ page }) => {
    await page.goto(`/play/${game}`);
    await page.getByRole("button", { name: "Analyse", exact: true }).click();
    const effort = page.getByTestId("effort");
    await expect(effort).toContainText("nodes");
    const before = await effort.textContent();
    await expect(effort).not.toHaveText(before);
    await expect(page.getByRole("table").locator("tbody tr").first()).toContainText(/\d/);
    await page.getByRole("button", { name: "Stop" }).click();
    await openSettings(page);
    await page.getByLabel("Limit").fill("200");
    await page.getByLabel("Unit").selectOption("nodes");
    await page.getByLabel("Engine plays").selectOption({ label: "first side" });
    await expect(page.getByRole("group", { name: "Moves" }).locator(".move")).toHaveCount(2);
  });

  test(`${game}: nothing is closed to those who cannot see`, async ({ page }) => {
    for (const theme of ["light", "dark"]) {
      await page.goto(`/play/${game}`);
      await page.getByLabel("Theme").selectOption(theme);
      await expect(page.getByRole("application")).toBeVisible();
      await settled(page);
      const found = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21aa"]).analyze();
      expect(found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join(" | ")}`)).toEqual([]);
    }
  });

  if (format) {
    test(`${game}: records go in and out`, async ({ page }) => {
      await page.goto(`/play/${game}`);
      await openRecords(page);
      await page.getByLabel("Format").selectOption(format);
      await page.getByLabel("As text").fill(record);
      await page.getByRole("button", { name: "Read the game" }).click();
      await expect(page.getByRole("group", { name: "Moves" })).toContainText(line);
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name: "Save" }).click();
      expect((await download).suggestedFilename()).toContain(game);
      await expect(page.getByLabel("As text")).toHaveValue(/[\s\S]+/);
    });
  }
}

for (const [game, piece] of [["chess", "cg-board piece"], ["shogi", "sg-pieces piece"], ["go", ".shudan-vertex"]]) {
  test(`${game}: the board waited for the server's list of searches`, async ({ page }) => {
    // No answer ever comes: what the page shows, it shows by itself.
    await page.route("**/api/**", () => {});
    await page.goto(`/play/${game}`);
    await expect(page.getByRole("application").locator(piece).first()).toBeVisible();
  });
}

for (const [game, arrow] of [["chess", "svg.cg-shapes line"], ["shogi", "svg.sg-shapes line"], ["go", ".shudan-heatlabel"]]) {
  test(`${game}: the three best candidates are marked on the board`, async ({ page }) => {
    await page.goto(`/play/${game}`);
    await page.getByRole("button", { name: "Analyse", exact: true }).click();
    await expect(page.getByRole("application").locator(arrow)).toHaveCount(3);
  });
}

test("ranks of shogi are numbered from the far side, and from the near one when the board is turned", async ({ page }) => {
  await page.goto("/play/shogi");
  // The board is drawn anew whenever its position or its side changes, so all its ranks are read in one moment.
  const downwards = () => page.locator("coords.ranks coord").evaluateAll((ranks) => ranks
    .map((rank) => [rank.getBoundingClientRect().y, rank.textContent])
    .sort(([above], [below]) => above - below)
    .map(([, rank]) => rank)
    .join(""));
  await expect.poll(downwards).toBe("123456789");
  await page.getByRole("button", { name: "Flip" }).click();
  await expect.poll(downwards).toBe("987654321");
  // With the signs of the game its own numbers.
  await page.evaluate(() => localStorage.setItem("tesuji-shogi-letters", "off"));
  await page.reload();
  await expect.poll(downwards).toBe("一二三四五六七八九");
});

test("the keyboard alone is enough", async ({ page }) => {
  await page.goto("/play/chess");
  await expect(page.getByRole("application")).toBeVisible();
  await page.keyboard.press("/");
  await page.keyboard.type("e4");
  await page.keyboard.press("Enter");
  const here = current(page);
  await expect(here).toContainText("e4");
  // What comes behind the field depends on what can be done by then: one step leaves it.
  await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowLeft");
  await expect(here).toContainText("Start");
  await page.keyboard.press("ArrowRight");
  await expect(here).toContainText("e4");
  await page.keyboard.press("?");
  await expect(page).toHaveURL(/help/);
  await expect(page.getByRole("heading", { name: "Licences" })).toBeVisible();
});

test("a piece is dragged on the board of chess", async ({ page }) => {
  await page.goto("/play/chess");
  const board = page.locator("cg-board");
  await settled(page);
  await expect(board.locator("piece.white.pawn")).toHaveCount(8);
  const box = await board.boundingBox();
  const at = (file, rank) => [box.x + (file + 0.5) * (box.width / 8), box.y + (7.5 - rank) * (box.height / 8)];
  await page.mouse.click(...at(4, 1));
  await page.mouse.click(...at(4, 3));
  await expect(page.getByRole("group", { name: "Moves" })).toContainText("e4");
});

test("four languages", async ({ page }) => {
  await page.goto("/");
  for (const [tag, words] of [["ru", "Шахматы"], ["ja", "将棋"], ["zh", "围棋"], ["en", "Chess"]]) {
    await page.getByRole("combobox").filter({ has: page.locator("option", { hasText: "日本語" }) }).selectOption(tag);
    await expect(page.getByRole("navigation").getByRole("link", { name: words, exact: true })).toBeVisible();
  }
});

test("an error stayed after success, and was told twice", async ({ page }) => {
  await page.goto("/play/chess");
  await settled(page);
  const entry = page.getByRole("textbox", { name: "Move" });
  const enter = async (text) => {
    await entry.fill(text);
    await entry.press("Enter");
  };
  const alert = page.getByRole("alert");
  await enter("hello");
  await expect(alert).toHaveCount(1);
  await expect(alert).toContainText("hello");
  await expect(page.getByText("hello")).toHaveCount(1);
  await enter("e4");
  await expect(current(page)).toContainText("e4");
  await expect(alert).toHaveCount(0);
  await openRecords(page);
  await enter("hello");
  await expect(alert).toHaveCount(1);
  await page.getByLabel("As text").fill("1. d4 *");
  await page.getByRole("button", { name: "Read the game" }).click();
  await expect(alert).toHaveCount(0);
  await enter("Ke4");
  await expect(alert).toHaveCount(1);
  await page.getByRole("button", { name: "New game" }).click();
  await page.getByLabel("I play").selectOption("both sides");
  await page.getByRole("button", { name: "Start the game" }).click();
  await expect(alert).toHaveCount(0);
  await page.getByLabel("Language").selectOption("ru");
  const field = page.locator("input[name=move]");
  await field.fill("hello");
  await field.press("Enter");
  await expect(alert).toContainText("Не принято");
});

test("chess counted plies", async ({ page }) => {
  await page.goto("/play/chess?moves=e4.e5.Nf3.Nc6");
  await expect(page.getByRole("group", { name: "Moves" })).toHaveText(/1\. e4 e5 2\. Nf3 Nc6/);
});

test("a line of a protocol was no position", async ({ page }) => {
  await page.goto("/play/shogi");
  await openRecords(page);
  await page.getByLabel("As text").fill("position sfen 4k4/9/4P4/9/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1 moves G*5b");
  await page.getByRole("button", { name: "Set up the position" }).click();
  await expect(page.getByRole("group", { name: "Moves" })).toContainText("G*52");
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("the text field kept those who came by keyboard", async ({ page }) => {
  await page.goto("/play/chess");
  await settled(page);
  await page.keyboard.press("/");
  await page.keyboard.type("e4");
  await page.keyboard.press("Enter");
  await expect(current(page)).toContainText("e4");
  // Empty, it lets through what no move begins with.
  await page.keyboard.press("ArrowLeft");
  await expect(current(page)).toContainText("Start");
  await page.keyboard.type("d");
  await page.keyboard.press("ArrowRight");
  await expect(current(page)).toContainText("Start");
  await page.keyboard.press("Escape");
  await page.keyboard.press("ArrowRight");
  await expect(current(page)).toContainText("e4");
  await page.keyboard.press("Space");
  await expect(page.getByRole("button", { name: "Stop" })).toBeVisible();
});
