// The chosen node: the board there, every field of its record, its line, and what can be done with it.
import { Board } from "../../boards";
import type { Arrow } from "../../boards/board";
import { Link } from "../../parts";
import { playAt } from "../../places";
import { gameName, reasonWords, short, t } from "../../words";
import { useTreePage } from "./store";
import { glyphs, named, noted, percent } from "./signs";
import type { Forest } from "./forest";

/** The share of the visits of each node that the next one of the line has. */
function firmness(forest: Forest, from: number, line: number[]): number[] {
  return line.map((s, i) => forest.effort[s]! / Math.max(1, forest.effort[i === 0 ? from : line[i - 1]!]!));
}

export function NodeBox() {
  const { state, forest, chosen: slot, place, byEffort, words, pick, goTo, playOn, pin: pinHere, searchHere } = useTreePage();
  const { standing, pins } = state;
  const { game } = state.session!;
  const has = forest !== null && slot >= 0;
  const line = has ? forest.line(slot, byEffort).slice(0, 12) : [];
  if (has) words.want([slot, ...line].map((s) => forest.id[s]!));
  const name = (s: number) => named(forest!, s, words.known);
  const firm = has ? firmness(forest, slot, line) : [];
  const total = has ? Math.max(1, forest.effort[slot]!) : 1;
  const arrows: Arrow[] = has
    ? forest
        .sorted(slot, "effort")
        .filter((s) => !forest.isIdle(s) && forest.move(s))
        .slice(0, 3)
        .map((s, i) => ({ move: forest.move(s), rank: i + 1, share: forest.effort[s]! / total }))
    : [];
  const fields: [string, string][] = has
    ? [
        [t("field_value"), percent(forest.value[slot]!)],
        [t("field_effort"), short(forest.effort[slot]!)],
        [t("field_share"), `${((100 * forest.effort[slot]!) / Math.max(1, forest.effort[forest.root]!)).toFixed(2)} %`],
        [t("field_prior"), forest.prior[slot]! > 0 ? `${(forest.prior[slot]! * 100).toFixed(1)} %` : "–"],
        [t("field_ply"), String(forest.ply[slot])],
        [t("field_children"), `${forest.children(slot).length} / ${forest.childCount(slot)}`],
        [t("field_aux"), forest.aux[slot]! ? forest.aux[slot]!.toFixed(1) : "–"],
        [t("field_reason"), reasonWords(forest.reason(slot)) || "–"],
        [t("field_signs"), glyphs(forest, slot).map((g) => `${g.sign} ${t(g.key)}`).join(", ") || "–"],
        [t("field_number"), `${forest.id[slot]} (${forest.parent[slot]! < 0 ? "–" : forest.id[forest.parent[slot]!]})`],
        [t("field_note"), noted(words.known.get(forest.id[slot]!)?.note ?? null)],
      ]
    : [];
  return (
    <aside class="tree-node" aria-label={t("tree_node")}>
      <div role="application" aria-roledescription={t("board")} aria-label={t("board_of", { game: gameName(game) })}>
        {standing && (
          <Board
            game={game}
            position={standing.position}
            side={standing.side}
            legal={standing.legal}
            last={standing.played[standing.played.length - 1]?.move ?? null}
            arrows={arrows}
            flipped={false}
            open={!standing.ended}
            onMove={playOn}
          />
        )}
      </div>
      <p class="tree-path" data-testid="tree-path">
        <button class="plain" onClick={() => forest && pick(forest.root)}>
          {t("tree_root")}
        </button>{" "}
        {has &&
          forest.path(slot).map((s) => (
            <button class="plain" key={forest.id[s]} onClick={() => pick(s)}>
              {name(s)}
            </button>
          ))}
      </p>
      {line.length > 0 && (
        <p class="tree-line">
          <b>{t("line")}</b>{" "}
          {line.map((s, i) => (
            <button class="plain" key={forest!.id[s]} onClick={() => pick(s)} title={`${t("firmness")} ${Math.round(firm[i]! * 100)} %`}>
              {name(s)}
              <small>{"▁▂▃▄▅▆▇█"[Math.min(7, Math.floor(firm[i]! * 8))]}</small>
            </button>
          ))}
        </p>
      )}
      <div class="tree-deeds">
        <button onClick={pinHere}>{t("tree_pin")}</button>
        <button onClick={searchHere}>{t("tree_here")}</button>
        {place && <Link to={playAt(game, { place, ply: place.moves.length })}>{t("open_play")}</Link>}
      </div>
      {pins.length > 0 && (
        <p>
          ⚑{" "}
          {pins.map((pin) => (
            <button key={pin} onClick={() => goTo(pin.split("."))}>
              {pin.replaceAll(".", " ") || t("tree_root")}
            </button>
          ))}
        </p>
      )}
      <table class="fields">
        <caption>{t("tree_record")}</caption>
        <tbody>
          {fields.map(([key, value]) => (
            <tr key={key}>
              <th scope="row">{key}</th>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </aside>
  );
}
