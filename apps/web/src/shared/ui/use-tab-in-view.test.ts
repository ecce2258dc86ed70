// @vitest-environment jsdom
import { expect, test } from "vitest";
import { markHiddenEdges } from "./use-tab-in-view.ts";

function strip(scrollLeft: number, scrollWidth: number, clientWidth: number) {
  const element = document.createElement("div");
  for (const [name, value] of Object.entries({ scrollLeft, scrollWidth, clientWidth }))
    Object.defineProperty(element, name, { value });
  markHiddenEdges(element);
  return element.getAttributeNames();
}

test("marks only the edges that hide tabs", () => {
  expect(strip(0, 300, 300)).toEqual([]);
  expect(strip(0, 500, 300)).toEqual(["data-more-right"]);
  expect(strip(100, 500, 300)).toEqual(["data-more-left", "data-more-right"]);
  expect(strip(199.5, 500, 300)).toEqual(["data-more-left"]);
});
