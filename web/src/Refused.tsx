// What is said, once and for the whole page, when the server refuses the token of this browser.
import { useEffect, useState } from "preact/hooks";
import { REFUSED, TOKEN } from "./api";
import { t } from "./words";

export function Refused() {
  const [refused, refuse] = useState(false);
  useEffect(() => {
    const hear = () => refuse(true);
    addEventListener(REFUSED, hear);
    return () => removeEventListener(REFUSED, hear);
  }, []);
  useEffect(() => {
    if (!refused) return;
    // Another tab has been given a token: this one goes on where it is.
    const given = (event: StorageEvent) => event.key === TOKEN && event.newValue && location.reload();
    addEventListener("storage", given);
    return () => removeEventListener("storage", given);
  }, [refused]);
  if (!refused) return null;
  return (
    <div class="trouble" role="alert" data-testid="refused">
      <b>{t("token_refused")}</b>
      <p>{t("token_hint")}</p>
    </div>
  );
}
