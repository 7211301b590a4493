import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Age } from "./age";
import { MadeAt } from "./now";

const since = "2026-03-04T10:00:00.000Z";

test("a page is sent with its ages in it, as of when it was made, and the moment itself on hover", () => {
  const html = renderToStaticMarkup(
    <MadeAt value={Date.parse(since) + 252_000}>
      <Age since={since} parts={2} />
    </MadeAt>,
  );
  expect(html).toBe(`<time dateTime="${since}" title="${since}">4 m 12 s</time>`);
});

test("an onset that nobody knows is said to be unknown", () => {
  expect(renderToStaticMarkup(<Age since={null} />)).toContain("unknown");
});
