// A person solves a mate and defends against it, looks at a run of learning, and browses a file of games.
import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { violations } from "./server.js";

const space = process.env.TESUJI_SPACE;

for (const { game, example } of [{ game: "chess", example: "a mate in chess" }, { game: "shogi", example: "a mate in shogi" }]) {
  test(`${game}: a mate is solved, stepped through and defended`, async ({ page }) => {
    await page.goto("/solve");
    await page.getByRole("button", { name: `Example: ${example}` }).click();
    await expect(page.getByTestId("answer")).toContainText(game === "chess" ? /✔ mate in 4 \(7 plies\).*checked by the rules/ : /✔ mate in \d+ plies.*checked by the rules/);
    await expect(page.getByRole("main")).toContainText("1 of 1 problems");
    const stand = page.getByTestId("stand");
    await expect(stand).toContainText("The attacker moves");
    await page.getByRole("button", { name: "To the end" }).click();
    await expect(stand).toContainText("Mate.");
    // The line is told as players write it, and not as protocols do.
    const line = page.getByRole("list", { name: "Line" });
    await expect(line).toContainText(game === "chess" ? /^1\. Nf7\+ Kg8 2\. Nh6\+.*#\s*$/ : /^1\. S\*32 2\. .*3\. /);
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await expect(stand).toContainText(/The defender moves, replies: \d+\. \d+ plies at most/);
    expect(await violations(page, AxeBuilder)).toEqual([]);
    await page.getByRole("button", { name: "Defend yourself" }).click();
    for (let i = 0; i < 20; i++) {
      await expect(stand).toContainText(/Your move|Mate\./);
      if ((await stand.textContent()).includes("Mate.")) break;
      await page.locator(".replies button").last().click();
    }
    await expect(stand).toContainText("Mate.");
  });
}

test("a position that cannot be is refused, and what was typed stays", async ({ page }) => {
  await page.goto("/solve");
  await page.getByLabel("Position (FEN or SFEN)").fill("8/8/8 w");
  await page.getByRole("button", { name: "Solve", exact: true }).click();
  await expect(page.getByRole("alert")).toBeVisible();
  await expect(page.getByLabel("Position (FEN or SFEN)")).toHaveValue("8/8/8 w");
});

test("runs of learning are shown and compared", async ({ page }) => {
  const log = (last) => [
    "0 0.139602240177 0.140008376153 2016-07-21 17:01:16", "Parameter 7 of 27: PawnIsolated = -19",
    "1 0.139500000000 0.139900000000 2016-07-21 17:02:16 [1.7] -20", "Parameter 12 of 27: KnightMobility = 4",
    `2 0.139300000000 0.139700000000 2016-07-21 17:03:16 [1.12] ${last}`, "",
  ].join("\n");
  writeFileSync(join(space, "learning.log"), log(5));
  writeFileSync(join(space, "second.log"), log(9));
  await page.goto("/tune");
  await page.getByRole("link", { name: "learning.log" }).click();
  await expect(page.getByRole("img", { name: "Objective J" })).toBeVisible();
  await expect(page.getByRole("img", { name: "Weights of pawns" })).toBeVisible();
  await expect(page.getByRole("row", { name: "PawnIsolated -19 -20" })).toBeVisible();
  await page.getByRole("button", { name: "By time" }).click();
  expect(await violations(page, AxeBuilder)).toEqual([]);
  await page.goBack();
  await page.getByRole("checkbox", { name: "Compare learning.log" }).check();
  await page.getByRole("checkbox", { name: "Compare second.log" }).check();
  await page.getByRole("button", { name: "Compare" }).click();
  await expect(page.getByRole("heading", { name: "learning.log · second.log" })).toBeVisible();
});

test("a circle of go shows strengths of moves", async ({ page }) => {
  const folder = join(space, "runs/go");
  mkdirSync(join(folder, "round-1"), { recursive: true });
  const strengths = (eye, capture) => `tesuji-gammas 1\nmade-by a test\nfrom games\neye ${eye}\ncapture 1 ${capture}\n`;
  writeFileSync(join(folder, "improve.json"), JSON.stringify({ from: "uniform", rules: "7x7" }));
  writeFileSync(join(folder, "start.txt"), strengths(1, 1));
  writeFileSync(join(folder, "round-1/weights.txt"), strengths(0.317, 3.86));
  writeFileSync(join(folder, "round-1/round.json"), JSON.stringify({ number: 1, adopted: true, standing: { wdl: [6, 0, 0], pairs: [0, 0, 0, 0, 3] } }));
  writeFileSync(join(folder, "round-1/losses.json"), JSON.stringify([{ epoch: 0, train: 3.06, held: 3.06 }, { epoch: 1, train: 3.01, held: 2.88 }]));
  await page.goto("/tune");
  await page.getByLabel("Game").selectOption("go");
  await expect(page.getByLabel("Start from")).toHaveValue("uniform");
  await page.getByRole("link", { name: "runs/go" }).click();
  await expect(page.getByRole("row", { name: "capture.2 1 3.86 +2.86" })).toBeVisible();
  await expect(page.getByRole("img", { name: "Objective J" })).toBeVisible();
});

test("a file of games is browsed, counted and filtered", async ({ page }) => {
  const game = (n, result) => `[Event "E${n}"]\n[White "A"]\n[Black "B"]\n[Result "${result}"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 ${result}\n\n`;
  writeFileSync(join(space, "games.pgn"), Array.from({ length: 15 }, (_, n) => game(n, n % 2 ? "1-0" : "1/2-1/2")).join(""));
  await page.goto("/data");
  await page.getByLabel("Filter").fill("games.pgn");
  await page.getByRole("row", { name: "games.pgn" }).first().getByRole("link", { name: "Chess" }).click();
  await expect(page.getByRole("article")).toHaveCount(12);
  await expect(page.getByRole("img", { name: /Board: Chess, r1bqkbnr/ }).first()).toBeVisible();
  await page.getByRole("button", { name: "Forward" }).click();
  await expect(page.getByRole("article")).toHaveCount(3);
  await page.getByRole("button", { name: "Statistics" }).click();
  await expect(page.getByTestId("statistics")).toContainText("Games");
  await expect(page.getByTestId("statistics").getByRole("row", { name: "Games" })).toContainText("15");
  expect(await violations(page, AxeBuilder)).toEqual([]);
  await page.getByRole("button", { name: "Table" }).click();
  await expect(page.getByRole("region", { name: "Records" })).toContainText("e2e4");
});
