import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { PreviewAnswer } from "../answers";
import { Preview } from "./preview";

const nothing: PreviewAnswer = {
  allowed: true,
  refusal: null,
  from: { phase: "stable" },
  to: { phase: "stable" },
  writes: [],
  looksAgainInMs: null,
};

test("a command that would write nothing and move nothing is said to change nothing", () => {
  const html = renderToStaticMarkup(<Preview preview={nothing} />);
  expect(html).toContain("It would change nothing");
  expect(html).not.toContain("What is wanted changes");
});

test("one that moves a lifecycle tells from where to where", () => {
  const html = renderToStaticMarkup(<Preview preview={{ ...nothing, to: { phase: "stopped" } }} />);
  expect(html).toContain("stable → <b>stopped</b>");
});
