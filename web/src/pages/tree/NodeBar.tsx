// The chosen node of the tree: the way to it, its line, what can be done with it, and every field of its record.
import { short, t, reasonWords } from "../../words";
import { useTreePage } from "./store";
import { glyphs, named, noted, percent } from "./signs";
import type { Forest } from "./forest";

/** The share of the visits of each node that the next one of the line has. */
function firmness(forest: Forest, from: number, line: number[]): number[] {
  return line.map((s, i) => forest.effort[s]! / Math.max(1, forest.effort[i === 0 ? from : line[i - 1]!]!));
}

/** All that is known of the node at `slot`, without what it lacks. */
function fieldsOf(forest: Forest, slot: number, note: string): [string, string][] {
  const { value, effort, prior, ply, aux, id, parent } = forest;
  const signs = glyphs(forest, slot).map((g) => `${g.sign} ${t(g.key)}`).join(", ");
  return [
    [t("field_value"), percent(value[slot]!)],
    [t("field_effort"), short(effort[slot]!)],
    [t("field_share"), `${((100 * effort[slot]!) / Math.max(1, effort[forest.root]!)).toFixed(2)} %`],
    [t("field_prior"), prior[slot]! > 0 ? `${(prior[slot]! * 100).toFixed(1)} %` : ""],
    [t("field_ply"), String(ply[slot])],
    [t("field_children"), `${forest.children(slot).length} / ${forest.childCount(slot)}`],
    [t("field_aux"), aux[slot]! ? aux[slot]!.toFixed(1) : ""],
    [t("field_reason"), reasonWords(forest.reason(slot))],
    [t("field_signs"), signs],
    [t("field_number"), parent[slot]! < 0 ? String(id[slot]) : `${id[slot]} (${id[parent[slot]!]})`],
    [t("field_note"), note],
  ].filter((field): field is [string, string] => field[1] !== "" && field[1] !== "–");
}

function Fields({ forest, slot }: { forest: Forest; slot: number }) {
  const { words } = useTreePage();
  return (
    <details class="tree-fields">
      <summary>{t("tree_record")}</summary>
      <dl>
        {fieldsOf(forest, slot, noted(words.known.get(forest.id[slot]!)?.note ?? null)).map(([key, value]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** Nodes that were pinned, to go back to. */
function Pins() {
  const { state: { pins }, goTo } = useTreePage();
  if (pins.length === 0) return null;
  return (
    <p>
      ⚑{" "}
      {pins.map((pin) => (
        <button key={pin} onClick={() => goTo(pin.split("."))}>
          {pin.replaceAll(".", " ") || t("tree_root")}
        </button>
      ))}
    </p>
  );
}

export function NodeBar() {
  const { state: { moves }, forest, chosen: slot, byEffort, words, pick, playHere, pin, searchHere } = useTreePage();
  if (!forest || slot < 0) return null;
  const line = forest.line(slot, byEffort).slice(0, 12);
  words.want([slot, ...line].map((s) => forest.id[s]!));
  const name = (s: number) => named(forest, s, words.known);
  const firm = firmness(forest, slot, line);
  return (
    <div class="tree-node" role="group" aria-label={t("tree_node")}>
      <p class="tree-path" data-testid="tree-path">
        <button class="plain" onClick={() => pick(forest.root)}>
          {t("tree_root")}
        </button>{" "}
        {forest.path(slot).map((s) => (
          <button class="plain" key={forest.id[s]} onClick={() => pick(s)}>
            {name(s)}
          </button>
        ))}
      </p>
      {line.length > 0 && (
        <p class="tree-line soft">
          →{" "}
          {line.map((s, i) => (
            <button class="plain" key={forest.id[s]} onClick={() => pick(s)} title={`${t("firmness")} ${Math.round(firm[i]! * 100)} %`}>
              {name(s)}
              <small>{"▁▂▃▄▅▆▇█"[Math.min(7, Math.floor(firm[i]! * 8))]}</small>
            </button>
          ))}
        </p>
      )}
      {moves.length > 0 && (
        <span class="tree-deeds">
          <button onClick={playHere}>{t("tree_play_here")}</button>
          <button onClick={searchHere}>{t("tree_here")}</button>
          <button onClick={pin}>{t("tree_pin")}</button>
        </span>
      )}
      <Pins />
      <Fields forest={forest} slot={slot} />
    </div>
  );
}
