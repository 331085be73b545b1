// Tesuji from Node: the program that this package carries, its games and its reviews.
import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The path of the program; TESUJI_PROGRAM in the environment names another. */
export const program = process.env.TESUJI_PROGRAM ?? fileURLToPath(new URL("bin/tesuji", import.meta.url));

/** Runs `tesuji WORDS…`; what it printed. Rejects with its words when it ends with another code than 0. */
export function run(...words) {
  return new Promise((resolve, reject) =>
    execFile(program, words, { maxBuffer: Infinity }, (error, stdout, stderr) =>
      error ? reject(Object.assign(new Error(stderr.trim() || error.message), { code: error.code })) : resolve({ stdout, stderr }),
    ),
  );
}

/** Version, commit, features and build of the program. */
export const version = async () => JSON.parse((await run("--version", "--json")).stdout);

/** The games of a file in any format that Tesuji reads, one after another. */
export async function* games(path, { game, skip = 0, count = 1e12 } = {}) {
  const words = ["data", "show", path, "--json", "--quiet", "--skip", String(skip), "--count", String(count)];
  const told = spawn(program, game ? [...words, "--game", game] : words, { stdio: ["ignore", "pipe", "pipe"] });
  let errors = "";
  told.stderr.setEncoding("utf8").on("data", (text) => (errors += text));
  const ended = new Promise((resolve, reject) => told.on("close", resolve).on("error", reject));
  try {
    for await (const line of createInterface({ input: told.stdout })) yield JSON.parse(line);
    const code = await ended;
    if (code !== 0) throw Object.assign(new Error(errors.trim()), { code });
  } finally {
    told.kill();
  }
}

/** Reviews the games of a file, as `tesuji analyse`: their text with values and better lines, and a summary of each. */
export async function analyse(path, { game = "chess", nodes, depth, seconds } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "tesuji-"));
  try {
    const out = join(folder, `reviewed-${basename(path).replace(/\.(zst|gz|xz|bz2)$/, "")}`);
    const limits = Object.entries({ "--nodes": nodes, "--depth": depth, "--time": seconds });
    const words = limits.filter(([, value]) => value !== undefined).flatMap(([name, value]) => [name, String(value)]);
    const { stderr } = await run("analyse", game, path, "--out", out, ...words);
    return { text: await readFile(out, "utf8"), summary: stderr };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
