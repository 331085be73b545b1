// Links that a report as a file must not keep.
import { expect, test } from "vitest";
import { linksOf } from "./file";

test("links to other files are found as they are written, data and parts of the page are none", () => {
  const css = 'a { background: url("/assets/board.png"); } b { mask: url(x.svg) } c { background: url("data:image/svg+xml;base64,AAAA"); fill: url(#arrow) } d { background: url("/assets/board.png") }';
  expect(linksOf(css)).toEqual(['url("/assets/board.png")', "url(x.svg)"]);
});
