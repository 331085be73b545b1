// A person reads a record, adds to it, reloads, and saves it: nothing that was in it is lost on the way.
import { expect, test } from "@playwright/test";
import { current, openRecords } from "./server.js";

const PGN = `[Event "Casual game"]
[White "alice"]
[Black "bob"]
[Result "0-1"]
[WhiteElo "2104"]

{Before the game.} 1. e4 {[%clk 0:03:00]} e5 2. Nf3 {A plan.} (2. f4 $5 exf4 (2... Bc5 {declined} 3. Nf3) 3. Nf3) 2... Nc6 3. Bc4 $1 {[%clk 0:02:57] Italian.} Nd4 $6 0-1
`;
const KIF = `手合割：平手
先手：先手太郎
後手：後手花子
手数----指手---------消費時間--
   1 ７六歩(77)   ( 0:16/00:00:16)
   2 ３四歩(33)   ( 0:05/00:00:05)
*角道を開けた。
   3 ２六歩(27)   ( 0:30/00:00:46)
   4 投了

変化：3手
   3 ６六歩(67)   ( 0:10/00:00:26)
*穏やかな手
`;
const SGF = "(;GM[1]FF[4]SZ[9]KM[0.5]PB[Kuro]PW[Shiro]RE[W+R]C[Before the game.];B[ee]BL[595.5]TE[1];W[ge]C[A plan.](;B[gc];W[ec])(;B[cg]BM[1]C[Slow.]LB[cg:1]))";

const RECORDS = [
  { game: "chess", format: "pgn", text: PGN, players: /alice – bob.*0–1/, at: "f4", add: "Nc6", last: "Nc6", nodes: 13, words: ['[WhiteElo "2104"]', "Before the game.", "0:02:57", "$5", "2... Bc5 {declined} 3. Nf3", "3. Bc4 $1", "Nd4 $6 0-1", "A plan.", "2... Nc6 {My idea.}"] },
  { game: "shogi", format: "kifu", text: KIF, players: /先手太郎 – 後手花子.*1–0/, at: "P66", add: "8c8d", last: "P84", nodes: 6, words: ["先手：先手太郎", "( 0:30/00:00:46)", "*角道を開けた。", "変化：3手", "*穏やかな手", "投了", "*My idea."] },
  { game: "go", format: "sgf", text: SGF, players: /Kuro – Shiro.*W\+R/, at: "G7", add: "C7", last: "C7", nodes: 7, words: ["PB[Kuro]", "RE[W+R", "Before the game.", "BL[595.5]", "TE[1]", "BM[1]", "LB[cg:1]", "Slow.", "My idea."] },
];

for (const { game, format, text, players, at, add, last, nodes, words } of RECORDS) {
  test(`${game}: a record is read, continued, found again and saved whole`, async ({ page }) => {
    await page.goto(`/play/${game}`);
    await openRecords(page);
    await page.getByLabel("Format").selectOption(format);
    await page.getByLabel("As text").fill(text);
    await page.getByRole("button", { name: "Read the game" }).click();
    const moves = page.getByRole("group", { name: "Moves" });
    await expect(page.getByTestId("players")).toHaveText(players);
    // One stands in a variation or before the end, adds a move of one's own there and says something about it.
    await moves.getByRole("button").filter({ hasText: at }).first().click();
    const entry = page.getByRole("textbox", { name: "Move" });
    await entry.fill(add);
    await entry.press("Enter");
    await expect(current(page)).toContainText(last);
    await page.getByRole("textbox", { name: "Comment" }).fill("My idea.");
    await expect(moves.getByRole("button")).toHaveCount(nodes);
    await expect(page).toHaveURL(/record=[0-9a-f]{12}/);
    const shown = await moves.innerText();
    await page.reload();
    await expect(current(page)).toContainText(last);
    await expect.poll(() => moves.innerText()).toBe(shown);
    await expect(page.getByTestId("players")).toHaveText(players);
    await openRecords(page);
    await page.getByLabel("Format").selectOption(format);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save" }).click();
    expect((await download).suggestedFilename()).toContain(format);
    const saved = page.getByLabel("As text");
    await expect(saved).toHaveValue(/My idea\./);
    const written = (await saved.inputValue()).replace(/\s+/g, " ");
    for (const word of words) expect(written).toContain(word);
  });
}

test("a record has a short address that other tabs open at the same move of the same variation", async ({ page, context }) => {
  await page.goto("/play/chess");
  const entry = page.getByRole("textbox", { name: "Move", exact: true });
  const play = async (move) => {
    await entry.fill(move);
    await entry.press("Enter");
    await expect(current(page)).toContainText(move);
  };
  for (const move of ["e4", "e5", "Nf3", "Nc6"]) await play(move);
  await page.getByRole("group", { name: "Moves", exact: true }).getByRole("button", { name: "e5", exact: true }).click();
  for (const move of ["Bc4", "Bc5"]) await play(move);
  await expect(page).toHaveURL(/\/play\/chess\?record=[0-9a-f]{12}&line=3-2&ply=4$/);
  const other = await context.newPage();
  await other.goto(page.url());
  await expect(current(other)).toContainText("Bc5");
  await expect(other.getByRole("group", { name: "Moves", exact: true })).toContainText("Nc6");
  // Without a place it opens at the end of the game, at a ply there.
  const id = new URL(page.url()).searchParams.get("record");
  await other.goto(`/play/chess?record=${id}`);
  await expect(current(other)).toContainText("Nc6");
  await other.goto(`/play/chess?record=${id}&ply=1`);
  await expect(current(other)).toContainText("e4");
});

test("two windows on one record take nothing from each other", async ({ page, context }) => {
  await page.goto("/play/chess");
  const play = async (on, move) => {
    const entry = on.getByRole("textbox", { name: "Move" });
    await entry.fill(move);
    await entry.press("Enter");
    await expect(current(on)).toContainText(move);
  };
  await play(page, "e4");
  await expect(page).toHaveURL(/record=/);
  const other = await context.newPage();
  await other.goto(page.url());
  await expect(current(other)).toContainText("e4");
  await play(page, "e5");
  const version = async () => (await (await page.request.get(`/api/v1/records/${new URL(page.url()).searchParams.get("record")}`)).json()).version;
  await expect.poll(version).toBe(2);
  await play(other, "c5");
  // The second window's game became a record of its own.
  await expect.poll(() => new URL(other.url()).searchParams.get("record")).not.toBe(new URL(page.url()).searchParams.get("record"));
  await page.reload();
  await expect(page.getByRole("group", { name: "Moves" })).toContainText("e5");
  await other.reload();
  await expect(other.getByRole("group", { name: "Moves" })).toContainText("c5");
});

test("a file of several games lets one choose", async ({ page }) => {
  await page.goto("/play/chess");
  await openRecords(page);
  const two = '[White "a"]\n[Black "b"]\n\n1. e4 *\n\n[White "c"]\n[Black "d"]\n\n1. d4 *\n\n';
  await page.getByLabel("Open a file").setInputFiles({ name: "two.pgn", mimeType: "text/plain", buffer: Buffer.from(two) });
  await expect(page.getByTestId("players")).toHaveText("a – b");
  await page.getByLabel("Game of the file").selectOption({ label: "2. c – d" });
  await expect(page.getByTestId("players")).toHaveText("c – d");
  await expect(page.getByRole("group", { name: "Moves" })).toContainText("d4");
});

/** Reads a game from the box of records. */
async function readGame(page, game, format, text) {
  await page.goto(`/play/${game}`);
  await openRecords(page);
  await page.getByLabel("Format").selectOption(format);
  await page.getByLabel("As text").fill(text);
  await page.getByRole("button", { name: "Read the game" }).click();
  await expect(page.getByTestId("players")).toBeVisible();
}

test("taking back deleted the rest of a loaded record", async ({ page }) => {
  await readGame(page, "chess", "pgn", PGN);
  const moves = page.getByRole("group", { name: "Moves" });
  const all = await moves.getByRole("button").count();
  await moves.getByRole("button").filter({ hasText: "Nf3" }).first().click();
  await page.getByRole("button", { name: "Take back" }).click();
  await expect(current(page)).toContainText("e5");
  await expect(moves.getByRole("button")).toHaveCount(all);
  // Deleting is another button, and is undone by a key.
  await moves.getByRole("button").filter({ hasText: /^f4/ }).click();
  await page.getByRole("button", { name: "Delete from here" }).click();
  await expect(moves).not.toContainText("f4");
  await expect(page.getByTestId("deleted")).toContainText("f4");
  await page.keyboard.press("Control+z");
  await expect(moves.getByRole("button")).toHaveCount(all);
  await page.getByRole("button", { name: "Redo" }).click();
  await expect(moves).not.toContainText("f4");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(moves).toContainText("declined");
  await expect(page).toHaveURL(/record=/);
  await page.reload();
  await expect(moves.getByRole("button")).toHaveCount(all);
});

test("kept games could not be found again", async ({ page }) => {
  await readGame(page, "chess", "pgn", PGN.replace("alice", "alina").replace("[Result", '[Date "2024.03.01"]\n[Result'));
  await expect(page).toHaveURL(/record=/);
  await page.goto("/");
  const row = page.getByTestId("kept").getByRole("listitem").filter({ hasText: "alina – bob" });
  for (const words of ["2024.03.01", "0–1"]) await expect(row).toContainText(words);
  await row.getByRole("link").click();
  await expect(page).toHaveURL(/play\/chess\?record=/);
  await expect(current(page)).toContainText("Nd4");
  await page.getByTestId("kept-box").locator("summary").click();
  const here = page.getByTestId("kept").getByRole("listitem").filter({ hasText: "alina" });
  await expect(here.getByRole("button")).toBeDisabled();
  // From another record it is deleted, and the deletion undone.
  await page.getByRole("button", { name: "New game" }).click();
  await page.getByLabel("I play").selectOption("both sides");
  await page.getByRole("button", { name: "Start the game" }).click();
  await here.getByRole("button").click();
  await expect(here).toHaveCount(0);
  await page.getByRole("button", { name: "Undo the deletion" }).click();
  await expect(here).toHaveCount(1);
  await here.getByRole("link").click();
  await expect(page.getByTestId("players")).toContainText("alina – bob");
});

test("kept games could not be searched", async ({ page }) => {
  const game = (white, event) => `[Event "${event}"]\n[White "${white}"]\n[Black "zoe"]\n[Result "1/2-1/2"]\n\n1. e4 e5 1/2-1/2\n\n`;
  const text = [1, 2, 3, 4, 5, 6].map((n) => game(`rival ${n}`, n < 6 ? "club" : "final")).join("");
  const read = await (await page.request.post("/api/v1/records/read", { data: { game: "chess", format: "pgn", text } })).json();
  for (const record of read) await page.request.post("/api/v1/records", { data: { game: "chess", record, play: null } });
  await page.goto("/");
  const rows = page.getByTestId("kept").getByRole("listitem");
  const search = page.getByTestId("kept").getByRole("searchbox");
  await search.fill("ZOE club");
  await expect(rows).toHaveCount(5);
  await search.fill("zoe final ½-½");
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText("rival 6 – zoe");
  await search.fill("nobody at all");
  await expect(page.getByTestId("kept").getByRole("status")).toContainText("nobody at all");
  await search.fill("");
  await expect(rows.filter({ hasText: "zoe" })).toHaveCount(6);
});

test("values of a review vanished on a reload", async ({ page }) => {
  await readGame(page, "chess", "pgn", '[White "a"]\n[Black "b"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n');
  await page.getByLabel("nodes a move").last().fill("300");
  await page.getByRole("button", { name: "Review this game" }).click();
  const moves = page.getByRole("group", { name: "Moves" });
  await expect(moves.locator("small")).toHaveCount(5);
  await expect(moves.locator(".mark").first()).toBeVisible();
  await expect(page.getByRole("button", { name: "Review this game" })).toBeVisible();
  const shown = await moves.innerText();
  expect(shown).not.toMatch(/[≤≥]/);
  await expect(page).toHaveURL(/record=/);
  const version = async () => (await page.request.get(`/api/v1/records/${new URL(page.url()).searchParams.get("record")}`)).text();
  await expect.poll(version).toContain("better");
  await page.reload();
  await expect.poll(() => moves.innerText()).toBe(shown);
});

test("markup of go was shown as code", async ({ page }) => {
  await readGame(page, "go", "sgf", "(;GM[1]FF[4]SZ[9]PB[Kuro]PW[Shiro]RE[W+2.5];B[ee]C[main]LB[dd:A][ce:1]TR[ee]SQ[aa]CR[bb]MA[cc];W[gc])");
  await expect(page.getByTestId("players")).toContainText("W+2.5");
  const moves = page.getByRole("group", { name: "Moves" });
  await moves.getByRole("button").filter({ hasText: "E5" }).click();
  await expect(moves).not.toContainText("%sgf");
  const board = page.getByRole("application");
  await expect(board.locator(".shudan-marker_label")).toHaveCount(2);
  for (const kind of ["triangle", "square", "circle", "cross"]) await expect(board.locator(`.shudan-marker_${kind}`)).toHaveCount(1);
  const comment = page.getByRole("textbox", { name: "Comment" });
  await expect(comment).toHaveValue("main");
  await comment.fill("other");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByLabel("As text")).toHaveValue(/LB\[dd:A\]\[ce:1\][^;]*C\[other\]/);
});
