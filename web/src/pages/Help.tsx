// Keys, words of the field, and whose boards and art these are.
import { type Key, t } from "../words";

const KEYS: [string, Key][] = [
  ["← → / k j", "key_step"],
  ["↑ ↓", "key_sibling"],
  ["Home End", "key_ends"],
  ["Space", "key_think"],
  ["Enter", "key_best"],
  ["1–9", "key_candidate"],
  ["f", "key_flip"],
  ["a", "key_arrows"],
  ["w", "key_why"],
  ["/", "key_entry"],
  ["Esc", "key_leave"],
  ["Esc ", "key_leave_why"],
  ["Ctrl+Z Ctrl+Y", "key_undo"],
  ["b", "key_blunder"],
  ["B", "key_mistake"],
  ["?", "key_help"],
];

const TREE_KEYS: [string, Key][] = [
  ["← →", "key_tree_depth"],
  ["↑ ↓ Home End", "key_tree_sibling"],
  ["Space", "key_tree_freeze"],
  ["[ ]", "key_tree_moment"],
  ["1–5", "key_tree_view"],
  ["t", "key_tree_twin"],
  ["o", "key_tree_sort"],
  ["p", "key_tree_pin"],
  ["s", "key_tree_here"],
  ["Enter", "key_tree_play"],
  ["c", "key_tree_compare"],
  ["w", "key_tree_why"],
  ["Backspace", "key_tree_back"],
  ["/", "key_tree_find"],
];

const LICENCES: [string, string, string][] = [
  ["chessground", "GPL-3.0-or-later", "lichess.org"],
  ["cburnett", "GPL-2.0-or-later", "Colin M.L. Burnett"],
  ["shogiground", "GPL-3.0-or-later", "lishogi.org"],
  ["Noto Serif JP", "OFL-1.1", "Google, Adobe"],
  ["Shudan", "MIT", "Yichuan Shen"],
  ["Preact", "MIT", "Jason Miller"],
  ["uPlot", "MIT", "Leon Sorokin"],
];

function KeyTable({ keys }: { keys: [string, Key][] }) {
  return (
    <table>
      <tbody>
        {keys.map(([signs, words]) => (
          <tr key={signs}>
            <th scope="row">
              <kbd>{signs}</kbd>
            </th>
            <td>{t(words)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function Help() {
  return (
    <section class="text">
      <h1>{t("help")}</h1>
      <h2>{t("keys")}</h2>
      <KeyTable keys={KEYS} />
      <h2>{t("keys_tree")}</h2>
      <KeyTable keys={TREE_KEYS} />
      <h2>API</h2>
      <p>
        {t("api_words")} <a href="/api/v1/openapi.json">/api/v1/openapi.json</a>
      </p>
      <h2>{t("licences")}</h2>
      <table>
        <tbody>
          {LICENCES.map(([what, licence, whose]) => (
            <tr key={what}>
              <th scope="row">{what}</th>
              <td>{licence}</td>
              <td>{whose}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
