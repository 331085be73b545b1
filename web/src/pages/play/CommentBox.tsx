// What an annotator says about the move where one stands; the code of markup in it is shown on the board instead.
import { joinMarkup, splitMarkup } from "../../markup";
import { t } from "../../words";

interface Props {
  game: string;
  comment: string;
  onChange: (comment: string) => void;
}

export function CommentBox({ game, comment, onChange }: Props) {
  const { words, code } = splitMarkup(comment);
  return (
    <label class="comment">
      {t("comment")}
      <textarea rows={2} value={words} onInput={(e) => onChange(joinMarkup(e.currentTarget.value, code))} />
      {game === "chess" && /[{}]/.test(words) && <small role="status">{t("comment_braces")}</small>}
    </label>
  );
}
