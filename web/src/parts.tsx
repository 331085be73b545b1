// Parts that several pages share: the frame, errors, the live region.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type GameInfo, isRefusal } from "./api";
import { problemInWords } from "./problems";
import { LANGUAGES, gameName, language, load, speak, t } from "./words";

/** What went wrong, beside where it did. */
export function Trouble({ problem, onClose }: { problem: unknown; onClose: () => void }) {
  // The page itself says that the token is refused.
  if (!problem || isRefusal(problem)) return null;
  const { title, detail, hint } = problemInWords(problem);
  return (
    <div class="trouble" role="alert">
      <b>{title}:</b> {detail}
      {hint && <p>{hint}</p>}
      <button onClick={onClose} aria-label={t("close")}>
        ×
      </button>
    </div>
  );
}

/** A place where nothing is yet: what will stand there, in a sentence, and a way to begin. */
export function Empty({ words, children }: { words: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p>{words}</p>
      {children && <p class="deeds-line">{children}</p>}
    </div>
  );
}

/** The heads of a table's columns. */
export function Heads({ words }: { words: (string | undefined)[] }) {
  return (
    <thead>
      <tr>
        {words.map((word, i) => (
          <th key={i} scope="col">
            {word}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** Says `words` to screen readers when they change. */
export function Announce({ words }: { words: string }) {
  return (
    <div class="unseen" role="status" aria-live="polite">
      {words}
    </div>
  );
}

export function go(path: string): void {
  history.pushState(null, "", path);
  dispatchEvent(new PopStateEvent("popstate"));
}

export function Link({ to, children, current }: { to: string; children: ComponentChildren; current?: boolean }) {
  const click = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a href={to} onClick={click} aria-current={current ? "page" : undefined}>
      {children}
    </a>
  );
}

const THEME = "tesuji-theme";

function paint(theme: string): void {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}
paint(localStorage.getItem(THEME) ?? "");

/** Shown before the server has told which games there are. */
export const GAMES_AT_FIRST = ["chess", "shogi", "go"];

/** What is chosen for the page as a whole: its colours and its language. */
function Choices({ redraw }: { redraw: () => void }) {
  const [theme, setTheme] = useState(localStorage.getItem(THEME) ?? "");
  useEffect(() => {
    localStorage.setItem(THEME, theme);
    paint(theme);
  }, [theme]);
  return (
    <div class="choices">
      <label>
        <span class="unseen">{t("theme")}</span>
        <select value={theme} onChange={(e) => setTheme(e.currentTarget.value)}>
          <option value="">{t("theme_system")}</option>
          <option value="light">{t("theme_light")}</option>
          <option value="dark">{t("theme_dark")}</option>
        </select>
      </label>
      <label>
        <span class="unseen">{t("language")}</span>
        <select
          value={language}
          onChange={(e) => {
            const tag = e.currentTarget.value;
            void load(tag).then(() => {
              speak(tag);
              redraw();
            });
          }}
        >
          {LANGUAGES.map(([tag, name]) => (
            <option key={tag} value={tag} lang={tag}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

interface FrameProps {
  path: string;
  games: GameInfo[] | null;
  children: ComponentChildren;
  redraw: () => void;
}

/** The frame around every page: places, theme, language; on a narrow screen behind a menu. */
export function Frame({ path, games, children, redraw }: FrameProps) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [path]);
  const places: [string, string][] = [
    ...(games?.map((game) => game.name) ?? GAMES_AT_FIRST).map((name): [string, string] => [`/play/${name}`, gameName(name)]),
    ["/arena", t("arena")],
    ["/tune", t("tune")],
    ["/solve", t("solve")],
    ["/data", t("data")],
    ["/jobs", t("jobs")],
    ["/fleet", t("fleet")],
    ["/help", t("help")],
  ];
  return (
    <>
      <a class="skip" href="#main">
        {t("skip")}
      </a>
      <header class={isOpen ? "open" : ""}>
        <Link to="/">
          <b class="brand">Tesuji</b>
        </Link>
        <button class="menu" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          ☰ {t("menu")}
        </button>
        <nav aria-label={t("places")}>
          {places.map(([to, words]) => (
            <Link key={to} to={to} current={path.startsWith(to)}>
              {words}
            </Link>
          ))}
        </nav>
        <Choices redraw={redraw} />
      </header>
      <main id="main">{children}</main>
    </>
  );
}
