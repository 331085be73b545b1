// Tables of a match: everybody against everybody, how games ended, what engines used, and what went wrong.
import { Heads, Link } from "../../parts";
import { count, fixed, percent, t, told } from "../../words";
import { eloText } from "./Figures";
import { type MatchView, best } from "./types";

/** Everybody against everybody, from the row's view: wins, draws, losses, and Elo. */
export function CrossTable({ view }: { view: MatchView }) {
  const cell = (a: number, b: number) => {
    const pairing = view.pairings.find(({ players: [x, y] }) => (x === a && y === b) || (x === b && y === a));
    if (!pairing || pairing.games.games === 0) return null;
    const { wins, draws, losses } = pairing.games;
    return pairing.players[0] === a ? [wins, draws, losses] : [losses, draws, wins];
  };
  const points = view.players.map((_, a) => {
    const all = view.players.map((_, b) => (a === b ? null : cell(a, b))).filter((c) => c !== null);
    return { points: all.reduce((s, c) => s + c[0]! + c[1]! / 2, 0), games: all.reduce((s, c) => s + c[0]! + c[1]! + c[2]!, 0) };
  });
  const order = view.players.map((_, i) => i).sort((a, b) => points[b]!.points / (points[b]!.games || 1) - points[a]!.points / (points[a]!.games || 1));
  return (
    <div class="wide">
      <table class="rows">
        <caption>{t("cross_table")}</caption>
        <Heads words={[t("player"), t("points"), ...order.map((b) => view.players[b])]} />
        <tbody>
          {order.map((a) => (
            <tr key={a}>
              <th scope="row">{view.players[a]}</th>
              <td class="number">
                {points[a]!.points} / {points[a]!.games}
              </td>
              {order.map((b) => {
                const seen = a === b ? null : cell(a, b);
                return (
                  <td key={b} class="number">
                    {seen ? `+${seen[0]} =${seen[1]} −${seen[2]}` : a === b ? "" : "·"}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Each pairing with its Elo, where more than two play. */
export function Pairings({ view }: { view: MatchView }) {
  if (view.players.length < 3) return null;
  return (
    <div class="wide">
      <table class="rows">
        <caption>{t("pairings")}</caption>
        <tbody>
          {view.pairings.filter((p) => p.games.games > 0).map((p) => (
            <tr key={p.players.join()}>
              <th scope="row">
                {view.players[p.players[0]]} – {view.players[p.players[1]]}
              </th>
              <td class="number">{t("wdl", { w: p.games.wins, d: p.games.draws, l: p.games.losses })}</td>
              <td class="number">Elo {eloText(best(p.games, p.pairs).elo)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Why games ended, and what each engine used. */
export function Terminations({ view }: { view: MatchView }) {
  const all = Object.values(view.reasons).reduce((s, n) => s + n, 0);
  const kinds = [...new Set(view.used.flatMap((used) => Object.keys(used.faults)))];
  return (
    <div class="two">
      <table class="rows">
        <caption>{t("terminations")}</caption>
        <tbody>
          {Object.entries(view.reasons).sort((a, b) => b[1] - a[1]).map(([reason, n]) => (
            <tr key={reason}>
              <th scope="row">{told("end", reason)}</th>
              <td class="number">{n}</td>
              <td class="number">{percent(n / all, 0)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <table class="rows">
        <caption>{t("used")}</caption>
        <Heads words={[t("player"), t("ms_a_move"), t("longest_ms"), t("depth"), t("kn_s"), ...kinds.map((kind) => told("fault", kind))]} />
        <tbody>
          {view.used.map((used, i) => (
            <tr key={i}>
              <th scope="row">{view.players[i]}</th>
              <td class="number">{fixed((1e3 * used.seconds) / Math.max(1, used.moves), 1)}</td>
              <td class="number">{fixed(1e3 * used.longest, 0)}</td>
              <td class="number">{used.depth === null ? "—" : fixed(used.depth, 1)}</td>
              <td class="number">{used.nodes !== null && used.seconds > 0 ? count(Math.round(used.nodes / used.seconds / 1e3)) : "—"}</td>
              {kinds.map((kind) => (
                <td key={kind} class="number">
                  {used.faults[kind] ?? 0}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What makes the result doubtful, and what went wrong, each with a way to its game. */
export function Warnings({ id, rows, doubts }: { id: number; rows: import("./types").GameRow[]; doubts: NonNullable<MatchView["doubts"]> }) {
  if (rows.length === 0 && doubts.length === 0) return null;
  return (
    <section class="warnings" aria-label={t("warnings")}>
      <h2>
        <span aria-hidden="true">⚠</span> {t("warnings")}
      </h2>
      <ul>
        {doubts.map((doubt) => (
          <li key={doubt.kind + doubt.players.join()}>{doubt.text}</li>
        ))}
        {rows.slice(0, 20).map((row) => (
          <li key={row.game}>
            <Link to={`/arena/${id}?game=${row.game}`}>{t("game_n", { n: row.game })}</Link>: {row.fault!.player}, {told("fault", row.fault!.kind)}: {row.fault!.detail}
          </li>
        ))}
      </ul>
    </section>
  );
}
