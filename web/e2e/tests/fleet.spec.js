// A person has no fleet, starts one, sees its machines, plays a match on it from the page, pauses and stops the run, and loses the server.
import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { serve, violations, workspace } from "./server.js";

const binary = process.env.TESUJI ?? "../../target/release/tesuji";
const port = Number(process.env.TESUJI_PORT ?? "4183") + 15;

/** `tesuji fleet up` in a workspace, once its address is printed. */
async function up(space) {
  const child = spawn(binary, ["fleet", "up", "--workers", "2", "--folder", join(space, ".tesuji/fleet")], { cwd: space, stdio: ["ignore", "pipe", "pipe"] });
  const gone = new Promise((done) => child.once("exit", done));
  let said = "";
  child.stderr.on("data", (text) => (said += text));
  const begun = new Promise((done) => child.stdout.on("data", (text) => (said += text).includes("look and end:") && done(true)));
  const isUp = await Promise.race([begun, gone.then(() => false)]);
  return { isUp, said: () => said, stop: () => (child.kill("SIGINT"), gone) };
}

test("a fleet is started, watched, played on and lost", async ({ page }) => {
  test.setTimeout(400_000);
  const space = workspace();
  // Without a token the page neither chooses a fleet nor changes its runs.
  const server = await serve(space, port, true);
  let fleet = null;
  try {
    await page.goto(server.address);
    await expect(page).toHaveURL(`${server.url}/`);
    await page.goto(`${server.url}/fleet`);
    const none = page.getByTestId("fleet-none");
    await expect(none).toContainText("tesuji fleet up --workers 2 --folder");
    expect(await violations(page, AxeBuilder)).toEqual([]);
    // What is typed is tried, and what is wrong is said there.
    await page.getByLabel("Address or key file").fill("nats://none@127.0.0.1:1");
    await page.getByRole("button", { name: "Connect" }).click();
    await expect(page.getByRole("alert")).toContainText("no server answers");

    fleet = await up(space);
    test.skip(!fleet.isUp && fleet.said().includes("no nats-server"), "needs nats-server of 2.10 or later");
    expect(fleet.isUp, fleet.said()).toBe(true);
    const machines = page.getByRole("region", { name: "Machines" }).first();
    await expect(machines.getByRole("row", { name: "local-1" })).toContainText("idle");
    await expect(machines.getByRole("row", { name: "local-2" })).toContainText("cores");
    await expect(page.getByTestId("fleet-sum")).toContainText("Workers: 2");
    await expect(page.getByRole("region", { name: "Runs" })).toContainText("--fleet .tesuji/fleet");
    expect(await violations(page, AxeBuilder)).toEqual([]);

    // The same form as for this machine, with one more choice.
    await page.goto(`${server.url}/arena`);
    const form = page.getByRole("form", { name: "New match" });
    await form.getByLabel("Limit").selectOption({ label: "nodes a move" });
    await form.getByLabel("How much").fill("60");
    await form.getByRole("checkbox", { name: "SPRT" }).uncheck();
    await form.getByLabel("Games of each pairing").fill("2000");
    await form.getByRole("checkbox", { name: "Play on the fleet (2 workers)" }).check();
    await form.getByRole("button", { name: "Start the match" }).click();
    await expect(page).toHaveURL(/\/arena\/1$/);
    // Engines have to start on a machine that may be busy.
    await expect(page.getByTestId("score")).toContainText(/[+=−][1-9]/, { timeout: 120_000 });

    // By keyboard to the fleet.
    await page.getByRole("navigation").getByRole("link", { name: "Fleet" }).focus();
    await page.keyboard.press("Enter");
    const run = page.getByRole("article", { name: /^match / });
    await expect(run.getByTestId("fleet-phase")).toHaveAttribute("data-phase", "active");
    await expect(run).toContainText(/[1-9]\d* of 1,000 units/, { timeout: 60_000 });
    await expect(run.getByTestId("fleet-summary")).toContainText("games");
    await expect(machines.getByRole("row", { name: "local-1" })).toContainText("match ");
    await expect(page.getByTestId("fleet-sum")).toContainText("games a minute", { timeout: 60_000 });
    expect(await violations(page, AxeBuilder)).toEqual([]);
    await run.getByRole("button", { name: "Pause" }).focus();
    await page.keyboard.press("Enter");
    await expect(run.getByTestId("fleet-phase")).toHaveAttribute("data-phase", "paused");
    await run.getByRole("button", { name: "Resume" }).click();
    await expect(run.getByTestId("fleet-phase")).toHaveAttribute("data-phase", "active");
    await run.getByText("Who did what").click();
    await expect(run).toContainText(/local-1: \d+ units/);
    await run.getByRole("button", { name: "Stop" }).click();
    await expect(run.getByTestId("fleet-phase")).toHaveAttribute("data-phase", "stopped");
    const headers = { "X-Token": await page.evaluate(() => localStorage.getItem("tesuji-token")) };
    const job = async () => (await (await fetch(`${server.url}/api/v1/jobs/1`, { headers })).json()).state;
    await expect.poll(job).not.toBe("running");

    await fleet.stop();
    await expect(page.getByTestId("fleet-away")).toContainText("Nothing is lost");
    for (const language of ["ru", "ja", "zh"]) {
      await page.getByLabel(/Language|Язык|言語|语言/).selectOption(language);
      await expect(page.getByTestId("fleet-away")).not.toContainText("Nothing is lost");
    }
  } finally {
    await fleet?.stop();
    await server.stop();
  }
});
