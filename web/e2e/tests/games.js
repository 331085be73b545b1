/** Walks' first steps at the board: a new game by its dialog. */
import { expect } from "@playwright/test";

/** Starts a game from the dialog: labels with what is chosen there. */
export async function startGame(page, choices) {
  await page.getByRole("button", { name: "New game" }).click();
  const dialog = page.getByRole("dialog", { name: "New game" });
  for (const [label, choice] of Object.entries(choices)) {
    const field = dialog.getByLabel(new RegExp(`^${label}`));
    if (await field.evaluate((control) => control.tagName === "SELECT")) await field.selectOption({ label: choice });
    else await field.fill(choice);
  }
  await dialog.getByRole("button", { name: "Start the game" }).click();
  await expect(dialog).toHaveCount(0);
}
