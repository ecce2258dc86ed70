// Tests of the labels of findings.
import { expect, test } from "vitest";
import { placeName } from "@strongroom/contract";
import { changeText, placeFacts } from "./finding-labels.ts";

const FILE = { owner: "app", group: "app", mode: "644", modified_at: "2026-11-20T10:00:00.000Z" };
const at = (file_path: string) => ({
  location: "",
  file_path,
  line_number: 3,
  pattern_matched: "",
  key_name: null,
  username: null,
  preview: "",
});

test.each([
  ["/srv/db.conf", "/srv/db.conf", ["File: /srv/db.conf, line 3", "Owner and mode: app:app, 644"]],
  [
    "column:shop.public.settings.value",
    "shop.public.settings.value",
    ["Column: shop.public.settings.value, row 3", "Owner: app", "Readable by: Every login of the database"],
  ],
  [
    "definition:shop.public.sync()",
    "shop.public.sync()",
    ["Definition: shop.public.sync(), line 3", "Owner: app", "Readable by: Every login of the database"],
  ],
])("the place %s is named %s", (place, name, facts) => {
  expect(placeName(place)).toBe(name);
  expect(placeFacts(at(place), FILE).map((fact) => `${fact.name}: ${fact.value}`)).toEqual(facts);
});

test.each([
  [null, "Fixed: a scan no longer found it"],
  ["The secret was rotated, and the file has the new one.", "Fixed"],
])("a fixed finding with the reason %s says how it was closed", (reason, text) => {
  const change = { id: "1" as never, at: "2026-11-20T10:00:00.000Z", by: "Strongroom", kind: "fixed" as const };
  expect(changeText({ ...change, from: "new", to: "remediated", reason })).toBe(text);
});
