// A window over the page: Esc and a click beside it close it.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "./words";

interface Props {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

export function Dialog({ title, onClose, children }: Props) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => box.current?.showModal(), []);
  return (
    <dialog ref={box} class="dialog" aria-label={title} onClose={onClose} onClick={(e) => e.target === e.currentTarget && e.currentTarget.close()} data-keys="own">
      <div class="dialog-body">
        <h2>
          {title} <button class="plain" aria-label={t("close")} onClick={() => box.current?.close()}>×</button>
        </h2>
        {children}
      </div>
    </dialog>
  );
}
