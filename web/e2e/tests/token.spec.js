// A server with a token: all tabs of the browser that was given the address may use it, others are told so once.
import { expect, test } from "@playwright/test";
import { current, serve, workspace } from "./server.js";

const port = 4191;

async function play(page, move) {
  const entry = page.getByRole("textbox", { name: "Move" });
  await entry.fill(move);
  await entry.press("Enter");
}

test("every new tab was refused, and the address of the record erased", async ({ browser }) => {
  const server = await serve(workspace(), port, true);
  try {
    const context = await browser.newContext({ locale: "en-GB" });
    const page = await context.newPage();
    await page.goto(server.address);
    await expect(page).toHaveURL(`${server.url}/`);
    await page.getByRole("navigation").getByRole("link", { name: "Chess" }).click();
    await play(page, "e4");
    await expect(page).toHaveURL(/record=/);
    // The record's address in a second tab.
    const second = await context.newPage();
    await second.goto(page.url());
    await expect(current(second)).toContainText("e4");
    await play(second, "e5");
    await expect(current(second)).toContainText("e5");
    await expect(second.getByRole("alert")).toHaveCount(0);
    // A link that is opened in a third; its socket needs the token, too.
    const opened = context.waitForEvent("page");
    await page.getByRole("navigation").getByRole("link", { name: "Go", exact: true }).click({ modifiers: ["Control"] });
    const third = await opened;
    await play(third, "D4");
    await expect(current(third)).toContainText("D4");
    await third.goto(`${server.url}/tree/new`);
    await expect.poll(async () => Number(await third.getByTestId("tree-nodes").getAttribute("data-nodes"))).toBeGreaterThan(0);
    await expect(third.getByRole("alert")).toHaveCount(0);
    await context.close();
  } finally {
    await server.stop();
  }
});

test("a refused tab said false things after the true one", async ({ browser }) => {
  const server = await serve(workspace(), port, true);
  try {
    const context = await browser.newContext({ locale: "en-GB" });
    const page = await context.newPage();
    const address = `${server.url}/play/chess?moves=e2e4.e7e5`;
    await page.goto(address);
    const alert = page.getByRole("alert");
    await expect(alert).toContainText("token");
    await play(page, "Nf3");
    await page.getByRole("button", { name: "Analyse", exact: true }).click();
    await expect(page.getByRole("button", { name: "Analyse", exact: true })).toHaveAttribute("aria-pressed", "false");
    await expect(alert).toHaveCount(1);
    await expect(page.getByText("cannot be")).toHaveCount(0);
    await expect(page).toHaveURL(address);
    // The address that was printed, in another tab: this one goes on by itself.
    await (await context.newPage()).goto(server.address);
    await expect(current(page)).toContainText("e5");
    await expect(alert).toHaveCount(0);
    await play(page, "Nf3");
    await expect(current(page)).toContainText("Nf3");
    await context.close();
  } finally {
    await server.stop();
  }
});
