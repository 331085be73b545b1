// Those who see other colours, or none, miss nothing: what carries meaning differs by shape, sign or pattern, and is seen.
import { expect, test } from "@playwright/test";
import { inState } from "./server.js";

const KINDS = ["deuteranopia", "protanopia", "tritanopia", "achromatopsia"];

/** The page's eyes are changed, as Chromium can. */
async function see(page, type) {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setEmulatedVisionDeficiency", { type });
  return session;
}

/** How far the brightest and the darkest pixel of a picture are apart, as WCAG counts: 1 to 21. */
async function contrast(page, locator) {
  const picture = (await locator.screenshot()).toString("base64");
  return page.evaluate(async (data) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
    const canvas = new OffscreenCanvas(image.width, image.height);
    const draw = canvas.getContext("2d");
    draw.drawImage(image, 0, 0);
    const { data: bytes } = draw.getImageData(0, 0, image.width, image.height);
    const linear = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    let [low, high] = [1, 0];
    for (let i = 0; i < bytes.length; i += 4) {
      const light = 0.2126 * linear(bytes[i]) + 0.7152 * linear(bytes[i + 1]) + 0.0722 * linear(bytes[i + 2]);
      [low, high] = [Math.min(low, light), Math.max(high, light)];
    }
    return (high + 0.05) / (low + 0.05);
  }, picture);
}

/** Words and shape of what a list of marks shows: no two are alike. */
async function apart(locator, look) {
  const shown = await locator.evaluateAll(look);
  expect(shown.length).toBeGreaterThan(1);
  expect(new Set(shown).size, shown.join(" | ")).toBe(shown.length);
}

// A picture is fetched from `data:` there: only on a page that lets it.
test.use({ bypassCSP: true });

for (const type of KINDS) {
  test(`${type}: mistakes, values and histograms are told apart`, async ({ page }) => {
    await see(page, type);
    // Mistakes of a game: the sign and the kind of line differ, and are seen on the ground.
    await page.goto("/play/chess");
    const moves = "1. e4 $6 e5 2. Ke2 $2 Ke7 $4 *\n";
    await page.getByLabel("Open a file").setInputFiles({ name: "marked.pgn", mimeType: "text/plain", buffer: Buffer.from(moves) });
    const marks = page.getByTestId("sweep-sum").locator(".mark");
    await expect(marks).toHaveCount(3);
    await apart(marks, (all) => all.map((mark) => `${mark.textContent.replace(/[^?!]/g, "")} ${getComputedStyle(mark).borderBottomStyle}`));
    for (const theme of ["light", "dark"]) {
      await page.getByLabel("Theme").selectOption(theme);
      for (const mark of await marks.all()) expect(await contrast(page, mark)).toBeGreaterThan(4.5);
    }
    // A tree: values stand in numbers, the deciding move has a sign.
    const made = await (await page.request.post("/api/v1/sessions", { data: { game: "chess", family: "mcts", place: { moves: ["e2e4", "e7e5"] } } })).json();
    await page.request.post(`/api/v1/sessions/${made.id}/go`, { data: { nodes: 3000 } });
    await page.goto(`/tree/${made.id}?why=`);
    await expect(page.getByTestId("tree-state")).toContainText("at rest");
    const rows = page.getByRole("treeitem");
    await expect(rows.first()).toContainText("▸");
    await expect(rows.first()).toContainText("%");
    for (const theme of ["light", "dark"]) {
      await page.getByLabel("Theme").selectOption(theme);
      expect(await contrast(page, rows.first())).toBeGreaterThan(4.5);
    }
    // Why: what speaks for one move is plain, what speaks for the other is hatched.
    await page.getByTestId("why").getByText("Table of weights").click();
    const bars = page.getByTestId("why").locator(".why-gap span");
    await expect(bars.first()).toBeAttached();
    const looks = await bars.evaluateAll((all) => all.map((bar) => `${bar.className} ${getComputedStyle(bar).backgroundImage === "none" ? "plain" : "pattern"}`));
    expect(new Set(looks)).toEqual(new Set(["up plain", "down pattern"]));
    const spread = page.getByTestId("spread");
    await expect(spread.locator(".spread-of").first()).toBeVisible();
    expect(await spread.locator(".spread-vs").first().getAttribute("fill")).toContain("url(#hatch)");
    expect(await contrast(page, spread.locator("svg"))).toBeGreaterThan(4.5);
    // On the boards: circles for one side, diamonds for the other, and a sign before each number.
    const marked = page.getByTestId("overlay").locator(".marks").first();
    await expect(marked.locator(".mark-first text").first()).toContainText("+");
    await expect(marked.locator(".mark-second text").first()).toContainText("−");
    const shape = (kind) => marked.locator(`.${kind} .outline`).first().getAttribute("d").then((d) => (d.includes("a") ? "round" : "straight"));
    expect([await shape("mark-first"), await shape("mark-second")]).toEqual(["round", "straight"]);
    await page.request.delete(`/api/v1/sessions/${made.id}`);
  });

  test(`${type}: how jobs and matches stand is told by signs and words`, async ({ page }) => {
    await see(page, type);
    const made = await (await page.request.post("/api/v1/matches", {
      data: {
        title: `seen with ${type}`, engines: [{ from: "own", name: "A" }, { from: "own", name: "B" }],
        request: { game: "chess", nodes: 50, games: 4, jobs: 1, sprt: [0, 40], seed: 1, plies_max: 30 },
      },
    })).json();
    await page.goto(`/arena/${made.id}`);
    await expect(inState(page, "done")).toContainText("✔");
    // Won, drawn and lost have a sign each; the ends of the test have names.
    await expect(page.getByTestId("score")).toContainText(/\+\d+ =\d+ −\d+/);
    await expect(page.locator(".test-ends")).toContainText(/H0.*H1/s);
    for (const theme of ["light", "dark"]) {
      await page.getByLabel("Theme").selectOption(theme);
      expect(await contrast(page, page.getByTestId("score"))).toBeGreaterThan(4.5);
      expect(await contrast(page, page.getByRole("meter", { name: "LLR" }))).toBeGreaterThan(3);
    }
    await page.goto("/jobs");
    await expect(page.getByRole("row").filter({ hasText: `seen with ${type}` }).first().getByTestId("state")).toContainText("✔");
  });
}
