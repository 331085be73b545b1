// What memory the server has after many changes between pages, each second of them with an analysis: node memory.mjs http://127.0.0.1:8787 PID [ROUNDS].
// An hour of a person is 6 changes a minute; here they come as fast as candidates do, which leaves less time to forget.
import { readFileSync } from "node:fs";
import { chromium } from "@playwright/test";

const [, , base, pid, rounds = "25"] = process.argv;
const memory = () => `${(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024).toFixed(0)} MiB`;
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
const link = (name) => page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
let changes = 0;
console.log(`memory of the server at first: ${memory()}`);
await page.goto(`${base}/`);
for (let round = 0; round < Number(rounds); round++) {
  for (const game of ["Chess", "Shogi", "Go"]) {
    await link(game);
    await page.getByRole("button", { name: "Analyse", exact: true }).click();
    await page.locator(".candidates tbody tr").first().waitFor();
    await page.waitForTimeout(300);
    await link(["Matches", "Jobs", "Training", "Data"][round % 4]);
    await page.waitForTimeout(60);
    changes += 2;
  }
  if (round % 10 === 9) console.log(`after ${changes} changes: ${memory()}`);
}
console.log(`memory of the server after ${changes} changes: ${memory()}`);
await page.goto("about:blank");
await new Promise((done) => setTimeout(done, 5000));
console.log(`5 s after the page was left: ${memory()}`);
await browser.close();
