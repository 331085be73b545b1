// Walks through the page in Debian's Chromium, served by the real binary.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "@playwright/test";

const port = process.env.TESUJI_PORT ?? "4183";
const binary = process.env.TESUJI ?? "../../target/release/tesuji";
// Workers read this file again: they find the folder that the first reader made.
process.env.TESUJI_SPACE ??= mkdtempSync(join(tmpdir(), "tesuji-page-"));

export default defineConfig({
  testDir: "tests",
  workers: 1,
  // What fails once is mended, not tried again.
  retries: 0,
  reporter: "line",
  timeout: 60_000,
  expect: { timeout: 15_000 },
  use: {
    baseURL: `http://127.0.0.1:${port}`,
    viewport: { width: 1280, height: 760 },
    locale: "en-GB",
    timezoneId: "UTC",
    reducedMotion: "reduce",
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--font-render-hinting=none", "--force-color-profile=srgb"],
    },
  },
  webServer: {
    command: `${binary} serve --port ${port} --no-token --seed 1 --workspace ${process.env.TESUJI_SPACE}`,
    url: `http://127.0.0.1:${port}/api/v1/health`,
    reuseExistingServer: false,
  },
});
