// A small engine over UCI for the walks: it tells fixed lines of a few positions, has options of every kind, and dies where it is told to.
import { createInterface } from "node:readline";

const LINES = {
  "": ["e2e4 e7e5 g1f3", "d2d4 d7d5 c2c4", "g1f3 g8f6 g2g3"],
  e2e4: ["e7e5 g1f3 b8c6", "c7c5 g1f3 d7d6", "e7e6 d2d4 d7d5"],
  "e2e4 e7e5": ["g1f3 b8c6 f1b5", "f1c4 g8f6 d2d3", "d1h5 b8c6 f1c4"],
};
const VALUES = [30, 12, -55];
let [moves, lines, timer, depth, only] = ["", 1, null, 0, []];
const say = (text) => process.stdout.write(`${text}\n`);

/** The lines of the position, as many as are wanted. */
const told = () =>
  (LINES[moves] ?? [])
    .map((pv, i) => [pv, VALUES[i]])
    .filter(([pv]) => only.length === 0 || only.includes(pv.split(" ")[0]))
    .slice(0, lines);

function iterate() {
  depth += 1;
  told().forEach(([pv, cp], i) => say(`info depth ${depth} seldepth ${depth + 2} multipv ${i + 1} score cp ${cp} nodes ${depth * 1000} nps 9000 pv ${pv}`));
}

function end() {
  clearInterval(timer);
  timer = null;
  say(`bestmove ${told()[0]?.[0].split(" ")[0] ?? "(none)"}`);
}

function go(words) {
  if (moves === "d2d4") {
    process.stderr.write("engine.mjs: it has no idea\n");
    process.exit(3);
  }
  const at = words.indexOf("searchmoves");
  [depth, only] = [0, at < 0 ? [] : words.slice(at + 1)];
  iterate();
  if (words.includes("infinite")) timer = setInterval(iterate, 100);
  else end();
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const words = line.trim().split(/\s+/);
  if (words[0] === "uci") {
    say("id name Walker 1.0");
    say("option name MultiPV type spin default 1 min 1 max 5");
    say("option name Hash type spin default 16 min 1 max 64");
    say("option name Calm type check default true");
    say("option name Style type combo default solid var solid var wild");
    say("uciok");
  } else if (words[0] === "isready") say("readyok");
  else if (words[0] === "setoption" && words[2] === "MultiPV") lines = Number(words[4]);
  else if (words[0] === "position") moves = line.split(" moves ")[1]?.trim() ?? "";
  else if (words[0] === "go") go(words);
  else if (words[0] === "stop" && timer) end();
  else if (words[0] === "quit") process.exit(0);
});
