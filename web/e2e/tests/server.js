// A server of its own for a test that kills it.
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const binary = process.env.TESUJI ?? "../../target/release/tesuji";

export function workspace() {
  return mkdtempSync(join(tmpdir(), "tesuji-page-"));
}

/** Starts it; `kill` ends it without a word, as a crash would. `withToken`: `address` carries the token. */
export async function serve(space, port, withToken = false) {
  const words = ["serve", "--port", String(port), "--seed", "1", "--workspace", space];
  const child = spawn(binary, withToken ? words : [...words, "--no-token"], { stdio: ["ignore", "pipe", "ignore"] });
  let said = "";
  child.stdout.on("data", (text) => (said += text));
  const url = `http://127.0.0.1:${port}`;
  for (let i = 0; i < 200; i++) {
    const answer = await fetch(`${url}/api/v1/health`).catch(() => null);
    if (answer?.ok) break;
    await new Promise((done) => setTimeout(done, 50));
  }
  const gone = new Promise((done) => child.once("exit", done));
  const end = (signal) => {
    child.kill(signal);
    return gone;
  };
  const address = /http:\S+#token=\w+/.exec(said)?.[0];
  return { url, address, pid: child.pid, kill: () => end("SIGKILL"), stop: () => end("SIGINT") };
}

/** How jobs on the page stand: those whose state is `name`, told by the sign and word of the state alone. */
export const inState = (page, name) => page.locator(`[data-testid="state"][data-state="${name}"]`);

/** The page's box of files and positions, opened. */
export async function openRecords(page) {
  // By key: what stands above it may still grow.
  await page.locator("details.records > summary").press("Enter");
}

/** The settings of the engine, opened; or closed, where they were open. */
export async function openSettings(page) {
  await page.locator("details.settings > summary").press("Enter");
}

/** The move where one stands. */
export const current = (page) => page.getByRole("group", { name: "Moves" }).locator('[aria-current="step"]');

/** Waits until everything that the page loads later is there. */
export async function settled(page) {
  await page.locator('[aria-busy="true"]').first().waitFor({ state: "detached" });
}

/** The words of all violations that axe finds on `page`, in both themes. */
export async function violations(page, AxeBuilder) {
  const all = [];
  for (const theme of ["light", "dark"]) {
    await page.getByLabel("Theme").selectOption(theme);
    const found = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21aa"]).analyze();
    all.push(...found.violations.map((v) => `${theme} ${v.id}: ${v.nodes.map((n) => n.html.slice(0, 200)).join(" | ")}`));
  }
  return all;
}

/** The sessions whose search runs now. */
export async function thinking(page) {
  const all = await (await page.request.get("/api/v1/sessions")).json();
  return all.filter(({ state }) => state.thinking && !state.paused);
}
