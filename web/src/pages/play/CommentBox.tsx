// What an annotator says about the move where one stands; the code of markup in it is shown on the board instead.
import { joinMarkup, splitMarkup } from "../../markup";
import { t } from "../../words";

interface Props {
  comment: string;
  onChange: (comment: string) => void;
}

export function CommentBox({ comment, onChange }: Props) {
  const { words, code } = splitMarkup(comment);
  return (
    <label class="comment">
      {t("comment")}
      <textarea rows={2} value={words} onInput={(e) => onChange(joinMarkup(e.currentTarget.value, code))} />
    </label>
  );
}
